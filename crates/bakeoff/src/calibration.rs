//! What storing and reading cost on this machine, as `bakeoff calibrate` measured it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::servers::Home;
use bakeoff_stats::propose::Calibration;
use bakeoff_stats::{Machine, Run, Summary};

use crate::machine;
use crate::stderr::print_line;

/// Name of its folder in that of what outlives a run.
const FOLDER: &str = "calibration";
/// Name of the folder in it of the last calibration that ended.
const LAST: &str = "last";
/// Name of the run's folder in that.
pub const RUN: &str = "run";

/// Returns the folder of all that belongs to calibrations.
///
/// # Errors
/// Fails if no variable says where there is one.
pub fn folder() -> Result<PathBuf> {
    Ok(Home::from_env()?.folder().join(FOLDER))
}

/// Returns the place of the last calibration that ended in that folder.
pub fn last(folder: &Path) -> PathBuf {
    folder.join(LAST)
}

/// Returns the calibration of this machine, or `None` if there is none that can be used. If there is one that cannot be
/// used, a note says why.
pub fn of_this_machine() -> Option<Calibration> {
    let last = last(&folder().ok()?);
    if !last.exists() {
        return None;
    }
    match read(&last) {
        Ok(summary) => Some(Calibration::of(&summary)),
        Err(error) => {
            print_line(format_args!(
                "note: the times of questions are not estimated: {error:#}; run `bakeoff calibrate` again"
            ));
            None
        }
    }
}

/// Reads what was measured for a calibration.
///
/// # Errors
/// Fails if it cannot be read, was not finished, or is of another machine or version.
pub fn read(calibration: &Path) -> Result<Summary> {
    let run = Run::open(&calibration.join(RUN)).context("the calibration cannot be read")?;
    let summary = run.summary().context("the calibration cannot be read")?;
    let header = &summary.header;
    let other = if !summary.finished {
        Some("was not finished")
    } else if !is_same(&header.machine, &machine::describe()) {
        Some("is of another machine")
    } else if header.bakeoff_version != machine::VERSION {
        Some("is of another version of Bakeoff")
    } else {
        None
    };
    match other {
        Some(other) => Err(anyhow!(
            "the calibration in {} {other}",
            calibration.display()
        )),
        None => Ok(summary),
    }
}

/// Returns whether two machines compute alike, as far as their descriptions tell. A kernel may be a newer one.
fn is_same(one: &Machine, other: &Machine) -> bool {
    let of = |machine: &Machine| (machine.cpu.clone(), machine.cores, machine.model.clone());
    of(one) == of(other)
}
