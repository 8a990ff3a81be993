//! Everything that `run`, `drive` and `sweep` can know before they make a folder or start a server:
//! whoever made a mistake hears of it at once, and nothing is left behind.
//!
//! Engines come last ([`crate::engines::Engines::checked`]), when what killed commands left behind
//! is stopped and takes no memory any more.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use bakeoff_driver::check_expectations;
use bakeoff_engines::{SqlOracle, check_ranges};
use bakeoff_stats::JournalError;
use bakeoff_workload::source::check_first_rows;
use bakeoff_workload::{DesignId, RowSource, Workload};
use rustix::fs::{Access, AtFlags, CWD, accessat};

use crate::cmd::choice::Rows;
use crate::progress::Progress;

/// Rows that a budget loads at least: its first slice.
const LEAST_ROWS_OF_A_BUDGET: u64 = 5_000;

/// What is looked at.
pub struct Before<'a> {
    pub workload: &'a Workload,
    pub source: Arc<dyn RowSource>,
    /// The file that rows come from, if they do.
    pub file: Option<&'a Path>,
    pub progress: &'a Progress,
}

impl Before<'_> {
    /// # Errors
    /// The run folder cannot be used: what `check` finds in it, or it cannot be made or written to.
    pub fn check_folder(
        &self,
        dir: &Path,
        check: impl FnOnce() -> Result<(), JournalError>,
    ) -> Result<()> {
        check()?;
        Ok(check_writable(dir)?)
    }

    /// How many rows were asked for; a text file is read to count all.
    pub fn rows(&self, asked: Option<Rows>) -> Result<Option<u64>> {
        self.progress.what("counting rows");
        let number = asked.map(|rows| rows.number(self.workload, self.source.as_ref()));
        number.transpose()
    }

    /// Reads the first rows of a file; what is hardly meant is told, and returned.
    ///
    /// # Errors
    /// A row that cannot be loaded, with its line.
    pub fn check_first_rows(&self, rows: u64) -> Result<Vec<String>> {
        if self.file.is_none() {
            return Ok(Vec::new());
        }
        self.progress.what("checking the first rows");
        let doubts = check_first_rows(self.source.as_ref(), &self.workload.table, rows)?;
        self.warn(&doubts);
        Ok(doubts)
    }

    fn warn(&self, doubts: &[String]) {
        for doubt in doubts {
            self.progress.say(&format!("warning: {doubt}"));
        }
    }

    /// Checks the rows against the tables that designs need for their ranges; `rows` is absent
    /// where a budget decides. What may go wrong is told, and returned.
    ///
    /// # Errors
    /// A design that cannot hold the rows, with a setting that can.
    pub fn check_ranges(&self, designs: &[DesignId], rows: Option<u64>) -> Result<Vec<String>> {
        self.progress.what("checking ranges of the order key");
        let (workload, source) = (self.workload, self.source.as_ref());
        let least = rows.unwrap_or(LEAST_ROWS_OF_A_BUDGET);
        check_ranges(designs, workload, source, least)?;
        if rows.is_some() {
            return Ok(Vec::new());
        }
        let all = check_ranges(designs, workload, source, workload.scale.full_rows);
        let doubt = all
            .err()
            .map(|error| format!("unless the budget ends loading before: {error}"));
        let doubts: Vec<String> = doubt.into_iter().collect();
        self.warn(&doubts);
        Ok(doubts)
    }

    /// Compares the answers that the workload expects over its first rows with the right ones.
    ///
    /// # Errors
    /// An answer is another one, or cannot be had.
    pub async fn check_expectations(&self, threads: usize) -> Result<()> {
        self.progress.what("checking expected answers");
        let table = self.workload.table.clone();
        let mut oracle = SqlOracle::new(self.source.clone(), table, threads);
        Ok(check_expectations(self.workload, &mut oracle).await?)
    }
}

/// Whether a folder may be made or written to, which is asked of the first one above it that is
/// there.
fn check_writable(dir: &Path) -> Result<(), JournalError> {
    let mut above = dir.ancestors().filter(|path| path.exists());
    let Some(there) = above.next() else {
        return Ok(());
    };
    let refused = |source: io::Error| JournalError::Io {
        doing: "create the run folder",
        path: dir.to_owned(),
        source,
    };
    if !there.is_dir() {
        return Err(refused(io::ErrorKind::NotADirectory.into()));
    }
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    accessat(CWD, there, wanted, AtFlags::EACCESS).map_err(|error| refused(error.into()))
}
