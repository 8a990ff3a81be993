//! Keeps the page of a measurement up to date by the command that measures, between its steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_driver::Observer;
use bakeoff_driver::drive::Shard;
use bakeoff_stats::per_node::Wanted;
use clap::Args;

use crate::cmd::report::Shown;
use crate::cmd::report::page::{GrowingPage, settle};
use crate::exit::{Misuse, explain};
use crate::progress::Progress;
use crate::stderr::print_line;

#[derive(Args, Debug)]
pub struct FollowOptions {
    /// Keep report.html in the run folder up to date, which then reloads itself: it is written between steps, never
    /// while something is timed
    #[arg(long)]
    follow: bool,
}

impl FollowOptions {
    /// Checks that the command is not one of several that begin their steps at the same moments.
    ///
    /// # Errors
    /// Fails with a misuse for a shard.
    pub fn check_shard(&self, shard: Shard) -> Result<()> {
        if shard.is_whole() || !self.follow {
            return Ok(());
        }
        Err(Misuse::new(anyhow!(
            "--shard {shard}: --follow writes a page between steps, and shards have no time to spare there: leave it \
             out, and follow the folder with `bakeoff report --follow`"
        ))
        .into())
    }

    /// Writes the page of a measurement whose log has begun, says where it is, and has it written again between steps.
    pub fn begin(&self, dir: &Path, wanted: &Wanted, progress: &Progress) {
        if !self.follow {
            return;
        }
        let mut page = GrowingPage::new(dir, Shown::from(wanted.clone()));
        progress.say(&format!(
            "its page, which reloads itself: {}",
            page.path().display()
        ));
        progress.do_between_steps(move || {
            // A measurement of hours does not end for its page, whatever goes wrong with that.
            let updated = catch_unwind(AssertUnwindSafe(|| page.update()));
            let failed = match updated {
                Ok(updated) => updated.err()?,
                Err(_) => {
                    anyhow!("making it ended with a panic; `bakeoff report` may say more of it")
                }
            };
            page.describe(&failed)
        });
        progress.between_steps();
    }

    /// Has the page stay as it is after a measurement that failed, since it will not be written again.
    pub fn end(&self, dir: &Path, wanted: &Wanted) {
        if !self.follow {
            return;
        }
        if let Err(error) = settle(dir, &Shown::from(wanted.clone())) {
            print_line(format_args!(
                "the page is not up to date: {}",
                explain(&error)
            ));
        }
    }
}
