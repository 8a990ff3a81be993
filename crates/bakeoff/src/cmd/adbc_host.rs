//! `bakeoff adbc-host`: the process that a database driver is loaded into. Bakeoff starts it itself.

use anyhow::Result;
use bakeoff_engines::serve_driver;
use clap::Args;

use crate::exit::{Exit, Misuse};

/// Load a database driver and do what Bakeoff, which starts this, asks of it
#[derive(Args)]
pub struct AdbcHost {}

impl AdbcHost {
    pub fn run(self) -> Result<Exit> {
        serve_driver().map_err(|error| Misuse::new(error.into()))?;
        Ok(Exit::Complete)
    }
}
