//! The page of a measurement while it goes on: made from its folder alone whenever its log has grown.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Result;
use bakeoff_report::{drive, html, sweep};
use bakeoff_stats::drive::{DriveRecord, DriveRun};
use bakeoff_stats::sweep::{SweepRecord, SweepRun};
use bakeoff_stats::{LogRecord, Record, Run};

use super::{PAGE, Shown, beside, summary_of_load, summary_of_run, summary_of_sweep};
use crate::exit::explain;
use crate::out_file::write_quickly;

/// Shortest time between two pages.
const EVERY: Duration = Duration::from_secs(5);
/// Rest after a page, as a multiple of the time that it took to make: so it takes at most a twentieth of all time.
const REST: u32 = 20;

/// The page of a measurement that may go on.
pub struct GrowingPage {
    dir: PathBuf,
    shown: Shown,
    /// Bytes of the log when it was last read; 0 if there is no page of them.
    length: u64,
    /// Time before which the log is not read again.
    due: Instant,
    /// The last failure that was described.
    described: String,
    /// Whether the log had the end of the measurement when it was last read.
    is_over: bool,
}

impl GrowingPage {
    pub fn new(dir: &Path, shown: Shown) -> GrowingPage {
        GrowingPage {
            dir: dir.to_owned(),
            shown,
            length: 0,
            due: Instant::now(),
            described: String::new(),
            is_over: false,
        }
    }

    /// Returns the path of the page.
    pub fn path(&self) -> PathBuf {
        self.dir.join(PAGE)
    }

    /// Writes the page if the log has grown, but not more often than every few seconds. Returns whether the page is
    /// that of a measurement whose end is on record, which then stays.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or the page not be written. It is tried again next time.
    pub fn update(&mut self) -> Result<bool> {
        if Instant::now() < self.due {
            return Ok(false);
        }
        self.update_now()
    }

    /// Does the same, however short the time since the last page.
    ///
    /// # Errors
    /// Those of [`GrowingPage::update`].
    pub fn update_now(&mut self) -> Result<bool> {
        let began = Instant::now();
        // Looked at before it is read, so that what comes meanwhile is a reason for the next page.
        let length = self.log().metadata().map_or(0, |log| log.len());
        if length > 0 && length == self.length {
            return Ok(false);
        }
        let written = self.write();
        self.length = if written.is_ok() { length } else { 0 };
        self.due = Instant::now() + EVERY.max(began.elapsed() * REST);
        written
    }

    /// Returns whether the end of the measurement is on record, even if the page of it could not be written.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Writes the page as one that loads itself again, unless the end of the measurement is on record. Returns whether
    /// it is.
    fn write(&mut self) -> Result<bool> {
        let (page, is_over) = rendered(&self.dir, &self.shown, false)?;
        self.is_over = is_over;
        write_quickly(&self.path(), page.as_bytes())?;
        Ok(is_over)
    }

    /// Describes a failure to update the page, unless it is the one that was described last.
    pub fn describe(&mut self, error: &anyhow::Error) -> Option<String> {
        let text = format!("the page is not up to date: {}", explain(error));
        if text == self.described {
            return None;
        }
        self.described.clone_from(&text);
        Some(text)
    }

    /// Returns when the log was last written; of a copy it may be when it was copied. `None` if it is not there.
    pub fn last_written(&self) -> Option<SystemTime> {
        self.log().metadata().and_then(|log| log.modified()).ok()
    }

    fn log(&self) -> PathBuf {
        self.dir.join(if DriveRun::is_one(&self.dir) {
            DriveRecord::FILE
        } else if SweepRun::is_one(&self.dir) {
            SweepRecord::FILE
        } else {
            Record::FILE
        })
    }
}

/// Writes the page as one that stays, since nothing will write it again.
///
/// # Errors
/// Fails if the folder cannot be read or the page not be written.
pub fn settle(dir: &Path, shown: &Shown) -> Result<()> {
    let (page, _) = rendered(dir, shown, true)?;
    write_quickly(&dir.join(PAGE), page.as_bytes())
}

/// Makes the page of a folder: one that loads itself again, unless it is to stay or the end of the measurement is on
/// record. Returns it, and whether the end is.
fn rendered(dir: &Path, shown: &Shown, stays: bool) -> Result<(String, bool)> {
    if DriveRun::is_one(dir) {
        let summary = summary_of_load(&DriveRun::open(dir)?, shown)?;
        let is_over = summary.finished || summary.interrupted;
        let page = if stays || is_over {
            drive::html::render(&summary)
        } else {
            drive::html::render_so_far(&summary)
        };
        return Ok((page, is_over));
    }
    if SweepRun::is_one(dir) {
        let summary = summary_of_sweep(&SweepRun::open(dir)?, shown);
        let is_over = summary.finished || summary.interrupted;
        let page = if stays || is_over {
            sweep::html::render(&summary)
        } else {
            sweep::html::render_so_far(&summary)
        };
        return Ok((page, is_over));
    }
    let summary = summary_of_run(&Run::open(dir)?, shown)?;
    let is_over = summary.finished || summary.interrupted;
    let page = if stays || is_over {
        beside::render(dir, &summary)
    } else {
        html::render_so_far(&summary)
    };
    Ok((page, is_over))
}
