//! Holds one file or folder per subcommand; code that several of them share is in `measure` and
//! `options`.

mod adbc_host;
mod calibrate;
mod clean;
mod compare;
mod completions;
mod decide;
mod diagnose;
mod doctor;
mod drive;
mod engines;
mod forecast;
mod generate;
mod history;
mod ingest;
mod init;
mod list;
mod man;
mod measure;
mod measurement;
mod merge;
mod nodes;
mod options;
mod propose;
mod report;
mod run;
mod scan;
mod show;
mod sql;
mod study;
mod sweep;
mod table;
mod trace;
mod unknown_option;
mod verify;

use std::ffi::OsString;

use anyhow::{Result, anyhow};
use bakeoff_engines::in_shell;
use bakeoff_engines::tables::TableError;
use clap::{CommandFactory, Parser, Subcommand};

use crate::exit::{Exit, Misuse};

/// Measures how to store time-series and event data: lays a table out in every sensible way on
/// real engines, proves that all give the same answers, and measures storage, loading, queries and
/// mixed load.
///
/// Exit codes of all commands: 0 everything was done; 1 nothing was measured, answered or changed: a
/// folder, server or data file is unusable, every design failed, or `compare --fail-if-slower` found
/// something slower; 2 the command line, or something it names, is invalid: a workload, a design, a
/// URL, a price list, a table or SQL; 3 some designs failed or answered wrongly while the others were
/// measured, `compare --fail-if-slower` cannot tell, a node does not answer `nodes`, `diagnose` found
/// something to do now, or `clean` could not drop something; 4 `compare --fail-if` found something
/// certain to be worse, 5 it cannot compare; 130 interrupted. Set BAKEOFF_LOG=debug to see more.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Drive(Box<drive::Drive>),
    Sweep(Box<sweep::Sweep>),
    Study(study::Study),
    Merge(merge::Merge),
    Generate(generate::Generate),
    Decide(Box<decide::Decide>),
    Init(init::Init),
    Propose(propose::Propose),
    Calibrate(calibrate::Calibrate),
    List(list::List),
    Show(show::Show),
    Verify(verify::Verify),
    Doctor(doctor::Doctor),
    Nodes(Box<nodes::Nodes>),
    Diagnose(Box<diagnose::Diagnose>),
    Report(report::Report),
    Forecast(forecast::Forecast),
    Compare(compare::Compare),
    History(history::History),
    Sql(Box<sql::Sql>),
    Scan(Box<scan::Scan>),
    Ingest(Box<ingest::Ingest>),
    Table(table::Table),
    Trace(Box<trace::Trace>),
    Engines(engines::Engines),
    Clean(Box<clean::Clean>),
    Completions(completions::Completions),
    Man(man::Man),
    #[command(hide = true)]
    AdbcHost(adbc_host::AdbcHost),
}

/// First steps, which are printed if no command is given.
pub const FIRST_STEPS: &str = "\
Bakeoff measures how to store time-series and event data.

  bakeoff doctor                      what is here, and what installs the rest
  bakeoff run formats --budget 3m     compare many designs of one table
  bakeoff decide FILE --budget 12m    the design to take for your file
  bakeoff init FILE --out mine.toml   a workload for that file, to change
  bakeoff run mine.toml --budget 3m   compare designs of its table

Other workloads: bakeoff list. All commands: bakeoff --help.
";

impl Arguments {
    /// Reads the command line; `None` if it is empty. A shell that asks for completions is answered. A wrong
    /// command line, or one that asks for help, ends the program.
    pub fn read() -> Option<Arguments> {
        completions::answer_shell(Arguments::command);
        let words: Vec<OsString> = std::env::args_os().collect();
        if words.len() < 2 {
            return None;
        }
        match Arguments::try_parse_from(&words) {
            Ok(arguments) => Some(arguments),
            Err(error) => unknown_option::with_tip(error, Arguments::command(), &words).exit(),
        }
    }

    pub fn run(self) -> Result<Exit> {
        match self.command {
            Command::Run(run) => run.run(),
            Command::Drive(drive) => drive.run(),
            Command::Sweep(sweep) => sweep.run(),
            Command::Study(study) => study.run(),
            Command::Merge(merge) => merge.run(),
            Command::Generate(generate) => generate.run(),
            Command::Decide(decide) => decide.run(),
            Command::Init(init) => init.run(),
            Command::Propose(propose) => propose.run(),
            Command::Calibrate(calibrate) => calibrate.run(),
            Command::List(list) => list.run(),
            Command::Show(show) => show.run(),
            Command::Verify(verify) => verify.run(),
            Command::Doctor(doctor) => doctor.run(),
            Command::Nodes(nodes) => nodes.run(),
            Command::Diagnose(diagnose) => diagnose.run(),
            Command::Report(report) => match report.followed().filter(|dir| study::is_one(dir)) {
                Some(dir) => study::follow(dir, &report.shown_while_followed()?),
                None => report.run(),
            },
            Command::Forecast(forecast) => forecast.run(),
            Command::Compare(compare) => compare.run(),
            Command::History(history) => history.run(),
            Command::Sql(sql) => sql.run(),
            Command::Scan(scan) => scan.run(),
            Command::Ingest(ingest) => ingest.run(),
            Command::Table(table) => table.run(),
            Command::Trace(trace) => trace.run(),
            Command::Engines(engines) => engines.run(),
            Command::Clean(clean) => clean.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
            Command::AdbcHost(host) => host.run(),
        }
    }
}

/// Converts an error of tables; a mistake in the request becomes a misuse.
fn to_cli_error(error: TableError) -> anyhow::Error {
    match error {
        TableError::Asked(text) => Misuse::new(anyhow!(text)).into(),
        TableError::Sql(error) => Misuse::new(anyhow!(error.to_string())).into(),
        TableError::Misfit(text) | TableError::Failed(text) => anyhow!(text),
    }
}

/// Bytes of the stack of a command's threads, which those go down that walk through the plan of a question: as many as
/// the first thread of a process usually has.
const STACK_BYTES: usize = 8 << 20;

/// Runs a command on its own threads. It does not wait for tasks that an interrupted command left running.
fn on_threads(threads: usize, command: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?;
    let exit = runtime.block_on(command);
    runtime.shutdown_background();
    exit
}

/// Option whose URLs may have a key in their query.
const METRICS: &str = "--metrics";

/// Returns the command line, for the record, as a shell takes it, with the name of the program but not its folder; it
/// never holds secrets.
fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    on_record(words)
}

/// Joins the words of a command line, in quotes where a shell needs them, without the folder of the program and the
/// queries of URLs of metrics.
fn on_record(mut words: impl Iterator<Item = String>) -> String {
    let program = words.next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default().to_owned();
    let mut shown = vec![in_shell(&name)];
    let mut is_url = false;
    for word in words {
        let with_value = word.split_once('=');
        if is_url || with_value.is_some_and(|(option, _)| option == METRICS) {
            let without_query = word.split('?').next().unwrap_or_default();
            shown.push(in_shell(without_query));
            is_url = false;
        } else {
            is_url = word == METRICS;
            shown.push(in_shell(&word));
        }
    }
    shown.join(" ")
}

/// Makes a runtime for commands that mostly wait.
fn small_runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_on_record_has_no_key_of_an_exporter() {
        let words = "/opt/bakeoff run w.toml --metrics http://{host}:1/m?key=a --metrics=http://{host}:2/?key=b \
                     --designs cassandra/wide?bucket=1d";
        let expected = "bakeoff run w.toml --metrics 'http://{host}:1/m' '--metrics=http://{host}:2/' \
                        --designs 'cassandra/wide?bucket=1d'";
        let words = words.split_whitespace().map(str::to_owned);
        assert_eq!(on_record(words), expected);
    }

    #[test]
    fn a_command_on_record_can_be_given_to_a_shell_again() {
        let words = [
            "/opt/my programs/bakeoff",
            "decide",
            "my data.csv",
            "--delimiter",
            ";",
            "--question",
            "SELECT max(v) AS m FROM t WHERE name = 'a'",
            "--null",
            "",
            "--budget=15m",
        ];
        let recorded = on_record(words.into_iter().map(str::to_owned));
        let begin = "bakeoff decide 'my data.csv' --delimiter ';' --question ";
        assert!(recorded.starts_with(begin), "{recorded}");
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("printf '%s\\n' {recorded}")])
            .output()
            .unwrap();
        let taken = String::from_utf8(shell.stdout).unwrap();
        let taken: Vec<&str> = taken.lines().collect();
        assert_eq!(taken[0], "bakeoff");
        assert_eq!(taken[1..], words[1..]);
    }

    #[test]
    fn a_question_of_several_lines_keeps_them_on_record() {
        let question = "SELECT a, -- the first\n\tb FROM t";
        let words = ["bakeoff", "decide", "--question", question];
        let recorded = on_record(words.into_iter().map(str::to_owned));
        assert_eq!(recorded, format!("bakeoff decide --question '{question}'"));
        let shell = std::process::Command::new("sh")
            .args(["-c", &format!("printf '<%s>' {recorded}")])
            .output()
            .unwrap();
        let taken = String::from_utf8(shell.stdout).unwrap();
        assert_eq!(taken, format!("<bakeoff><decide><--question><{question}>"));
    }
}
