//! Does what `run`, `drive` and `sweep` have in common: everything around the protocol of a measurement.

pub mod before;
mod dry_run;
pub mod folder;
pub mod follow;
pub mod preview;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use bakeoff_driver::peak_memory_bytes;
use bakeoff_engines::{Context, Engines, clear_leftovers, settings_not_applied};
use bakeoff_stats::{Event, EventLog};
use bakeoff_workload::{BadRows, DesignId};

use crate::cmd::options::rate_limit;
use crate::machine;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;

pub use dry_run::{DryRun, would_touch};

/// File of a run folder with the rows of data files that are set aside.
pub const BAD_ROWS_FILE: &str = "bad-rows.csv";

/// Writes the rows that are set aside, if there are any, into a run folder.
///
/// # Errors
/// Fails if they cannot be read any more, or written.
pub fn write_bad_rows(dir: &Path, bad: Option<&BadRows>) -> Result<()> {
    let Some(bad) = bad.filter(|bad| bad.count > 0) else {
        return Ok(());
    };
    let path = dir.join(BAD_ROWS_FILE);
    let mut file = OutFile::replace(&path)?;
    let written = bad.write(&mut file);
    written.with_context(|| {
        format!(
            "cannot write the rows that are set aside into {}",
            path.display()
        )
    })?;
    file.complete()
}

/// A measurement before its engines are started.
pub struct Measurement<'a> {
    pub designs: &'a [DesignId],
    pub context: &'a Context,
    /// Warnings that are recorded before anything is started.
    pub warnings: &'a [String],
    pub progress: &'a Progress,
    /// Time at which the command began.
    pub began: Instant,
}

impl Measurement<'_> {
    /// Stops servers that killed commands left behind, checks the engines, opens the log and records
    /// warnings. Returns `None`, and prints a line, if `interruption` comes before the log is opened.
    ///
    /// # Errors
    /// Fails if none of the designs can run here, or the log cannot be written.
    pub async fn begin<L: EventLog>(
        &self,
        interruption: impl Future<Output = ()>,
        open_log: impl FnOnce() -> Result<L>,
    ) -> Result<Option<(Engines, L)>> {
        let (cleared, engines) = tokio::select! {
            checked = self.clear_and_check() => checked?,
            () = interruption => {
                self.progress.finish();
                print_line("interrupted: nothing was started");
                return Ok(None);
            }
        };
        let mut log = open_log()?;
        let warnings = self.warnings.iter().cloned().chain(cleared);
        let limit = self.context.options.rate_limit.as_deref();
        let limited = limit.map(|limit| {
            let limited = rate_limit::describe(limit);
            self.progress.say(&limited);
            format!("{limited}. Rates of loading are those of the limit")
        });
        for message in warnings
            .chain(settings_not_applied(self.context))
            .chain(limited)
        {
            log.note(Event::Warning(message))?;
        }
        Ok(Some((engines, log)))
    }

    async fn clear_and_check(&self) -> Result<(Vec<String>, Engines)> {
        let cleared = clear_leftovers(self.progress).await?;
        let engines = Engines::checked(self.designs, self.context, self.progress).await?;
        Ok((cleared, engines))
    }

    /// Stops the engines, keeping their tables if `keep` is set, and records how the measurement ended.
    /// An `ended` of `None` means that it was interrupted; `interrupted` is then printed.
    ///
    /// # Errors
    /// Fails with the error of the measurement, or if the log cannot be written.
    pub async fn end(
        &self,
        ended: Option<Result<()>>,
        engines: Engines,
        keep: bool,
        log: &mut dyn EventLog,
        interrupted: &str,
    ) -> Result<()> {
        self.progress.step("stopping engines");
        let troubles = engines.finish(keep).await;
        self.progress.finish();
        for message in troubles {
            log.note(Event::Warning(message))?;
        }
        let Some(ended) = ended else {
            log.note(Event::Interrupted { at: machine::now() })?;
            print_line(interrupted);
            return Ok(());
        };
        ended?;
        log.note(Event::Finished {
            at: machine::now(),
            seconds: self.began.elapsed().as_secs_f64(),
            peak_memory_bytes: peak_memory_bytes(),
        })?;
        Ok(())
    }
}
