//! `bakeoff show`: prints a file that comes with Bakeoff, to read or change.

use std::io::Write;

use anyhow::{Result, anyhow};
use clap::Args;

use crate::cmd::completions;
use crate::exit::{Exit, Misuse};
use crate::shipped::{PRICES, SCRIPTS, STUDIES, WORKLOADS};

/// Print a workload, study or price list that comes with Bakeoff: show formats > mine.toml
#[derive(Args)]
pub struct Show {
    /// Name in `bakeoff list`, for example formats or ycsb/a
    #[arg(add = completions::shipped())]
    name: String,
}

impl Show {
    pub fn run(self) -> Result<Exit> {
        let shelves = [&WORKLOADS, &STUDIES, &PRICES, &SCRIPTS];
        let found = shelves.iter().find_map(|shelf| shelf.get(&self.name));
        let Some(shipped) = found else {
            let hint = shelves.iter().find_map(|shelf| shelf.hint(&self.name));
            return Err(Misuse::new(anyhow!(
                "nothing in `bakeoff list` is called `{}`{}",
                self.name,
                hint.unwrap_or_default()
            ))
            .into());
        };
        std::io::stdout().write_all(shipped.text.as_bytes())?;
        Ok(Exit::Complete)
    }
}
