//! Checks everything that `run`, `drive` and `sweep` can know before they make a folder or start a
//! server, so that a mistake is reported at once and nothing is left behind.
//!
//! Engines are checked last ([`bakeoff_engines::Engines::checked`]), when servers that killed commands
//! left behind are stopped and no longer take memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_driver::check_expectations;
use bakeoff_engines::servers::try_writing;
use bakeoff_engines::{Context, SqlOracle, check_ranges, settings_without_effect};
use bakeoff_stats::JournalError;
use bakeoff_workload::source::check_first_rows;
use bakeoff_workload::{DesignId, RowSource, Workload};

use crate::cmd::measure::BAD_ROWS_FILE;
use crate::cmd::options::choice::Rows;
use crate::exit::Misuse;
use crate::progress::Progress;

/// Fewest rows that a budget loads: its first slice.
const LEAST_ROWS_OF_A_BUDGET: u64 = 5_000;

/// Number of rows that a design has to hold.
pub struct RowsToHold {
    /// Rows that are loaded in any case.
    pub least: u64,
    /// Condition on which all rows of the workload are loaded; `None` if `least` are all.
    pub all_if: Option<&'static str>,
}

impl RowsToHold {
    /// Returns the rows asked for, or as many as the budget allows.
    pub fn asked(rows: Option<u64>) -> RowsToHold {
        RowsToHold {
            least: rows.unwrap_or(LEAST_ROWS_OF_A_BUDGET),
            all_if: rows
                .is_none()
                .then_some("the budget allows all rows to be loaded"),
        }
    }
}

/// A measurement that is being checked.
pub struct Before<'a> {
    pub workload: &'a Workload,
    pub source: Arc<dyn RowSource>,
    /// The files that rows come from, if they come from any.
    pub files: &'a [PathBuf],
    pub progress: &'a Progress,
}

impl Before<'_> {
    /// Checks that the run folder can be used.
    ///
    /// # Errors
    /// Fails if `check` refuses what is in the folder, or if it cannot be made or written to.
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

    /// Returns how many rows were asked for; a text file is read to count all of its rows.
    pub fn rows(&self, asked: Option<Rows>) -> Result<Option<u64>> {
        self.progress.step("counting rows");
        let number = asked.map(|rows| rows.number(self.workload, self.source.as_ref()));
        number.transpose()
    }

    /// Reads the first rows of a file; prints and returns warnings about probable mistakes.
    ///
    /// # Errors
    /// Fails for a row that cannot be loaded, with its line.
    pub fn check_first_rows(&self, rows: u64) -> Result<Vec<String>> {
        if self.files.is_empty() {
            return Ok(Vec::new());
        }
        self.progress.step("checking the first rows");
        let mut doubts = check_first_rows(self.source.as_ref(), &self.workload.table, rows)?;
        let bad = self.source.bad_rows().filter(|bad| bad.count > 0);
        doubts.extend(bad.map(|bad| {
            let counted = bad.counted();
            format!("{counted}; they are set aside in {BAD_ROWS_FILE} of the run folder")
        }));
        self.warn(&doubts);
        Ok(doubts)
    }

    /// Looks for settings of designs that have no effect with the options of the command; prints and
    /// returns a warning for each.
    pub fn check_effects(&self, designs: &[DesignId], context: &Context) -> Vec<String> {
        let doubts = settings_without_effect(designs, context);
        self.warn(&doubts);
        doubts
    }

    /// Prints and returns a warning, if there is one.
    pub fn doubt(&self, doubt: Option<String>) -> Option<String> {
        self.warn(doubt.as_slice());
        doubt
    }

    fn warn(&self, doubts: &[String]) {
        for doubt in doubts {
            self.progress.say(&format!("warning: {doubt}"));
        }
    }

    /// Checks the rows against the tables that designs need for their ranges; prints and returns
    /// warnings.
    ///
    /// # Errors
    /// Fails with a misuse that names every design that cannot hold the rows and a setting that can, or
    /// if a row cannot be read.
    pub fn check_ranges(&self, designs: &[DesignId], rows: &RowsToHold) -> Result<Vec<String>> {
        self.progress.step("checking ranges of the order key");
        let (workload, source) = (self.workload, self.source.as_ref());
        let misfits = check_ranges(designs, workload, source, rows.least)?;
        if !misfits.is_empty() {
            return Err(Misuse::new(anyhow!(misfits.join("; "))).into());
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

    /// Compares the answers that the workload expects with the right ones, over its first rows or over all
    /// rows that are loaded in any case.
    ///
    /// # Errors
    /// Fails if an answer differs or cannot be computed.
    pub async fn check_expectations(&self, rows: &RowsToHold, threads: usize) -> Result<()> {
        self.progress.step("checking expected answers");
        let table = self.workload.table.clone();
        let mut oracle = SqlOracle::new(self.source.clone(), table, threads);
        let checked = check_expectations(self.workload, &self.source, rows.least, &mut oracle);
        Ok(checked.await?)
    }
}
