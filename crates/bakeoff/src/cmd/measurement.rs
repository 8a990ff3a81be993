//! A measurement that another command asks for in the words of the command line.

use std::ffi::OsString;

use anyhow::Result;
use bakeoff_workload::{DesignId, Workload};
use clap::Parser;

use super::drive::Drive;
use super::run::Run;
use super::sweep::Sweep;
use super::{Arguments, Command};
use crate::exit::Exit;

/// A command that measures, as the command line reads it.
pub enum Measurement {
    Run(Box<Run>),
    Drive(Box<Drive>),
    Sweep(Box<Sweep>),
}

impl Measurement {
    /// Reads the words of a command, of which the first one is its name.
    ///
    /// # Errors
    /// Says in one line why the command line would refuse them, or that they are no command that measures.
    pub fn read(words: Vec<OsString>) -> Result<Measurement, String> {
        let line = std::iter::once("bakeoff".into()).chain(words);
        let read = Arguments::try_parse_from(line).map_err(|error| {
            let message = error.to_string();
            let first = message.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_owned()
        })?;
        match read.command {
            Command::Run(run) => Ok(Measurement::Run(run)),
            Command::Drive(drive) => Ok(Measurement::Drive(drive)),
            Command::Sweep(sweep) => Ok(Measurement::Sweep(sweep)),
            _ => Err("this is no command that measures".to_owned()),
        }
    }

    /// Returns the designs that it measures, if each of its options is for some of them.
    ///
    /// # Errors
    /// Fails with a misuse if a design does not exist, or no design uses an option.
    pub fn designs(&self, workload: &Workload) -> Result<Vec<DesignId>> {
        let (designs, checked) = match self {
            Measurement::Run(run) => {
                let designs = run.designs(workload)?;
                let checked = run.check_use(&designs);
                (designs, checked)
            }
            Measurement::Drive(drive) => {
                let designs = drive.designs(workload)?;
                let checked = drive.check_use(&designs);
                (designs, checked)
            }
            Measurement::Sweep(sweep) => {
                let designs = sweep.designs(workload)?;
                let checked = sweep.check_use(&designs);
                (designs, checked)
            }
        };
        checked.map(|()| designs)
    }

    /// Carries it out as the command itself does.
    pub fn carry_out(self) -> Result<Exit> {
        match self {
            Measurement::Run(run) => run.run(),
            Measurement::Drive(drive) => drive.run(),
            Measurement::Sweep(sweep) => sweep.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Measurement, String> {
        Measurement::read(line.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn words_are_read_as_the_command_line_does() {
        assert!(matches!(
            read("run formats --rows 1k"),
            Ok(Measurement::Run(_))
        ));
        let drive = read("drive readings --design cassandra/wide");
        assert!(matches!(drive, Ok(Measurement::Drive(_))));
        assert!(matches!(
            read("sweep timeseries"),
            Ok(Measurement::Sweep(_))
        ));
    }

    #[test]
    fn what_the_command_line_refuses_or_does_not_measure_is_an_error_of_one_line() {
        let why = |line: &str| read(line).err().unwrap_or_default();
        let unknown = why("run formats --nothing");
        assert!(unknown.starts_with("unexpected argument"), "{unknown}");
        assert!(!unknown.contains('\n'), "{unknown}");
        assert_eq!(why("list"), "this is no command that measures");
    }
}
