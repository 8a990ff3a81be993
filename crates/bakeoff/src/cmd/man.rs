//! `bakeoff man`: prints the manual, made from the texts of `--help`.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};

use crate::exit::Exit;

/// Print the manual page, or write the pages of all commands
///
/// Read it with `bakeoff man | man -l -`.
#[derive(Args)]
pub struct Man {
    /// Write bakeoff.1, bakeoff-run.1 and so on to this folder instead, and make it if needed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    pub fn run(self) -> Result<Exit> {
        let command = super::Arguments::command().disable_help_subcommand(true);
        match &self.out {
            Some(dir) => {
                let cannot = || format!("cannot write the manual to {}", dir.display());
                std::fs::create_dir_all(dir).with_context(cannot)?;
                clap_mangen::generate_to(command, dir).with_context(cannot)?;
            }
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page)?;
                std::io::stdout().write_all(&page)?;
            }
        }
        Ok(Exit::Complete)
    }
}
