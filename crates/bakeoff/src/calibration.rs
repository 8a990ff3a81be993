//! What storing and reading cost on this machine, as `bakeoff calibrate` measured it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::servers::Home;
use bakeoff_stats::Run;
use bakeoff_stats::propose::Calibration;

use crate::machine;
use crate::stderr::print_line;

/// Name of its folder in that of what outlives a run, and of the run's folder in it.
const FOLDER: &str = "calibration";
pub const RUN: &str = "run";

/// Returns the folder of the calibration.
///
/// # Errors
/// Fails if no variable says where there is one.
pub fn folder() -> Result<PathBuf> {
    Ok(Home::from_env()?.folder().join(FOLDER))
}

/// Returns the calibration of this machine; `None` if there is none. One that cannot be used is told.
pub fn of_this_machine() -> Option<Calibration> {
    let folder = folder().ok()?;
    if !folder.exists() {
        return None;
    }
    match read(&folder) {
        Ok(calibration) => Some(calibration),
        Err(error) => {
            print_line(format_args!(
                "note: what designs cost is not estimated: {error:#}: `bakeoff calibrate` measures it anew"
            ));
            None
        }
    }
}

/// Reads the calibration in a folder.
///
/// # Errors
/// Fails if it cannot be read, was not finished, or is of another machine or version.
pub fn read(folder: &Path) -> Result<Calibration> {
    let run = Run::open(&folder.join(RUN)).context("the calibration cannot be read")?;
    let summary = run.summary().context("the calibration cannot be read")?;
    let header = &summary.header;
    let other = if !summary.finished {
        Some("was not finished")
    } else if !header.machine.may_be(&machine::describe()) {
        Some("is of another machine")
    } else if header.bakeoff_version != machine::VERSION {
        Some("is of another version of Bakeoff")
    } else {
        None
    };
    match other {
        Some(other) => Err(anyhow!("the calibration in {} {other}", folder.display())),
        None => Ok(Calibration::of(&summary)),
    }
}
