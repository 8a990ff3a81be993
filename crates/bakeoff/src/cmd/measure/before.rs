//! Everything that `run`, `drive` and `sweep` can know before they make a folder or start a server:
//! whoever made a mistake hears of it at once, and nothing is left behind.
//!
//! Engines come last ([`bakeoff_engines::Engines::checked`]), when what killed commands left behind
//! is stopped and takes no memory any more.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_driver::check_expectations;
use bakeoff_engines::servers::try_writing;
use bakeoff_engines::{SqlOracle, check_ranges};
use bakeoff_stats::JournalError;
use bakeoff_workload::source::check_first_rows;
use bakeoff_workload::{DesignId, RowSource, Workload};

use crate::cmd::options::choice::Rows;
use crate::exit::Misuse;
use crate::progress::Progress;

/// Rows that a budget loads at least: its first slice.
const LEAST_ROWS_OF_A_BUDGET: u64 = 5_000;

/// How many rows a design has to hold.
pub struct RowsToHold {
    pub least: u64,
    /// When all rows of the workload are loaded; absent where `least` are all.
    pub all_if: Option<&'static str>,
}

impl RowsToHold {
    /// That many rows, or as many as the budget allows.
    pub fn asked(rows: Option<u64>) -> RowsToHold {
        RowsToHold {
            least: rows.unwrap_or(LEAST_ROWS_OF_A_BUDGET),
            all_if: rows
                .is_none()
                .then_some("the budget allows all rows to be loaded"),
        }
    }
}

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
        let tried = try_writing(dir).map_err(|source| JournalError::Io {
            doing: "create the run folder",
            path: dir.to_owned(),
            source,
        });
        Ok(tried?)
    }

    /// How many rows were asked for; a text file is read to count all.
    pub fn rows(&self, asked: Option<Rows>) -> Result<Option<u64>> {
        self.progress.what("counting rows");
        let number = asked.map(|rows| rows.number(self.workload, self.source.as_ref()));
        number.transpose()
    }

    /// Reads the first rows of a file; shows what is probably a mistake, and returns it.
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

    /// Checks the rows against the tables that designs need for their ranges. What may go wrong is
    /// shown, and returned.
    ///
    /// # Errors
    /// A misuse with every design that cannot hold the rows, and a setting that can; or a row that
    /// cannot be read.
    pub fn check_ranges(&self, designs: &[DesignId], rows: &RowsToHold) -> Result<Vec<String>> {
        self.progress.what("checking ranges of the order key");
        let (workload, source) = (self.workload, self.source.as_ref());
        let misfits = check_ranges(designs, workload, source, rows.least)?;
        if !misfits.is_empty() {
            return Err(Misuse::of(anyhow!(misfits.join("; "))).into());
        }
        let Some(all_if) = rows.all_if else {
            return Ok(Vec::new());
        };
        let of_all = match check_ranges(designs, workload, source, workload.scale.full_rows) {
            Ok(misfits) => misfits,
            Err(error) => vec![error.to_string()],
        };
        let doubts = of_all.iter().map(|doubt| format!("if {all_if}: {doubt}"));
        let doubts: Vec<String> = doubts.collect();
        self.warn(&doubts);
        Ok(doubts)
    }

    /// Compares the answers that the workload expects over its first rows, or over all that are
    /// loaded in any case, with the right ones.
    ///
    /// # Errors
    /// An answer is another one, or is not available.
    pub async fn check_expectations(&self, rows: &RowsToHold, threads: usize) -> Result<()> {
        self.progress.what("checking expected answers");
        let table = self.workload.table.clone();
        let mut oracle = SqlOracle::new(self.source.clone(), table, threads);
        let checked = check_expectations(self.workload, &self.source, rows.least, &mut oracle);
        Ok(checked.await?)
    }
}
