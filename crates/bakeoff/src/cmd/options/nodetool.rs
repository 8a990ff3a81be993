//! Defines the option that reaches nodetool on the hosts of a cluster.

use anyhow::{Result, anyhow};
use bakeoff_driver::drive::Shard;
use bakeoff_engines::nodes::Nodetool;
use clap::Args;

use crate::exit::Misuse;

/// Message about what a second Ctrl-C leaves behind of a command that calls nodetool.
pub const LEFT_BEHIND: &str = "interrupted again: a call of --nodetool may still run";

#[derive(Args, Debug, Clone)]
pub struct NodetoolOptions {
    /// Nodetool on the hosts of --cassandra: a command with {host} in it, for example 'ssh {host} nodetool',
    /// split into words as a shell does
    #[arg(long, value_name = "COMMAND", requires = "cassandra")]
    nodetool: Option<String>,
}

impl NodetoolOptions {
    /// Returns the command as it was given; empty if none was.
    pub fn text(&self) -> &str {
        self.nodetool.as_deref().unwrap_or_default()
    }

    /// Returns whether a command is given.
    pub fn is_given(&self) -> bool {
        self.nodetool.is_some()
    }

    /// Checks that a command has tables to compact and to measure.
    ///
    /// # Errors
    /// Fails with a misuse for a command of one of several processes, or for tables that have no rows before the load.
    pub fn check_tables(&self, shard: Shard, are_empty: bool) -> Result<()> {
        if !self.is_given() {
            return Ok(());
        }
        if !shard.is_whole() {
            return Err(Misuse::new(anyhow!(
                "--shard {shard}: none of several processes compacts or measures tables: leave --nodetool out"
            ))
            .into());
        }
        if are_empty {
            return Err(Misuse::new(anyhow!(
                "--empty: tables without rows are neither compacted nor measured: leave --nodetool out"
            ))
            .into());
        }
        Ok(())
    }

    /// Reads the command, if one is given. A message about a value that clap refuses would show it, and it may have a
    /// password in it.
    ///
    /// # Errors
    /// Fails with a misuse for a command that cannot be right, or that has a password in it.
    pub fn command(&self) -> Result<Option<Nodetool>> {
        let Some(text) = &self.nodetool else {
            return Ok(None);
        };
        let command = text.parse::<Nodetool>();
        let command = command.map_err(|error| Misuse::new(anyhow!("--nodetool: {error}")))?;
        Ok(Some(command))
    }
}
