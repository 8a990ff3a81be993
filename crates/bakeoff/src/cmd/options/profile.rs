//! Defines the option that records which methods a Cassandra runs.

use std::path::Path;

use anyhow::Result;
use bakeoff_driver::{PROFILED_FOR, Profiles};
use bakeoff_engines::OptionGroup;
use bakeoff_engines::servers::cassandra::check_recorder;
use clap::Args;

use super::unused::Given;

#[derive(Args, Debug, Clone)]
pub struct ProfileOptions {
    /// Record which methods the Cassandra that is started runs, by its Java's Flight Recorder: the report shows the
    /// hottest ones of each design, and files in the run folder have all stacks, for flame graphs
    #[arg(long, conflicts_with = "cassandra")]
    profile: bool,
}

impl ProfileOptions {
    /// Returns whether methods are recorded.
    pub fn is_given(&self) -> bool {
        self.profile
    }

    /// Adds the option to those that are given.
    pub fn add_given(&self, given: &mut Given) {
        given.add("--profile", OptionGroup::Profile, self.profile);
    }

    /// Returns the profiles that a run makes in its folder, if it makes some.
    pub fn profiles(&self, run_dir: &Path) -> Option<Profiles> {
        self.profile.then(|| Profiles {
            dir: run_dir.to_owned(),
            lasts: PROFILED_FOR,
        })
    }

    /// Checks that the Java here can record, if it is to, before anything is started.
    ///
    /// # Errors
    /// Says what it lacks.
    pub async fn check(&self) -> Result<()> {
        if self.profile {
            check_recorder().await?;
        }
        Ok(())
    }
}
