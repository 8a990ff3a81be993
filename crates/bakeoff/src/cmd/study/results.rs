//! Reads what the steps of a study measured, from their folders.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bakeoff_engines::in_shell;
use bakeoff_stats::Run;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::study::{Measured, StepResult};
use bakeoff_stats::sweep::SweepRun;
use bakeoff_workload::{Study, StudyStep};

use super::record::Record;
use crate::exit::explain;

/// Returns the folder of a step, which is numbered from 1 in the order of the steps.
pub fn folder(dir: &Path, index: usize, name: &str) -> PathBuf {
    dir.join(format!("{}-{name}", index + 1))
}

/// Returns the folders in which a step may have been measured, the first one and those of later attempts, as far as
/// they are there.
pub fn attempts(first: &Path) -> Vec<PathBuf> {
    (1..)
        .map(|attempt| numbered(first, attempt))
        .take_while(|dir| dir.exists())
        .collect()
}

/// Returns the folder of an attempt, counted from 1.
pub fn numbered(first: &Path, attempt: usize) -> PathBuf {
    match attempt {
        0 | 1 => first.to_owned(),
        attempt => with_end(first, &format!("-{attempt}")),
    }
}

/// Returns the file that says why a step failed, which is beside its folder.
pub fn failure_file(first: &Path) -> PathBuf {
    with_end(first, ".failed")
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(end);
    PathBuf::from(text)
}

/// Returns the results of all steps of a study in a folder.
pub fn of_record(study: &Study, record: &Record, dir: &Path) -> Vec<StepResult> {
    let steps = study.steps.iter().enumerate();
    let result = |(index, step): (usize, &StudyStep)| {
        let first = folder(dir, index, &step.name);
        let Best {
            dir,
            measured,
            unreadable,
        } = best(&first);
        let command = record.command_of(&step.name).unwrap_or_default();
        StepResult {
            name: step.name.clone(),
            what: step.what.clone(),
            command: format!(
                "bakeoff {command} --out {}",
                in_shell(&dir.display().to_string())
            ),
            measured,
            failed: unreadable.or_else(|| failure(&first)),
        }
    };
    steps.map(result).collect()
}

/// Returns why a step failed, if it did.
fn failure(first: &Path) -> Option<String> {
    let text = std::fs::read_to_string(failure_file(first)).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What the folders of a step hold.
struct Best {
    /// Folder of the figures; the first one if there are none.
    dir: PathBuf,
    measured: Option<Measured>,
    /// Why the figures of a later folder cannot be read.
    unreadable: Option<String>,
}

/// Returns the figures of the attempt that was measured to its end, or of the last one, and why one cannot be read.
fn best(first: &Path) -> Best {
    let mut best = Best {
        dir: first.to_owned(),
        measured: None,
        unreadable: None,
    };
    for dir in attempts(first) {
        match read(&dir) {
            Ok(Some(measured)) => {
                let is_whole = measured.is_whole();
                best = Best {
                    dir,
                    measured: Some(measured),
                    unreadable: None,
                };
                if is_whole {
                    break;
                }
            }
            Ok(None) => {}
            Err(error) => best.unreadable = Some(explain(&error)),
        }
    }
    best
}

/// Reads the figures in the folder of a measurement; `None` if nothing was recorded there yet.
pub fn read(dir: &Path) -> Result<Option<Measured>> {
    Ok(if DriveRun::is_one(dir) {
        Some(Measured::Load(Box::new(DriveRun::open(dir)?.summary()?)))
    } else if SweepRun::is_one(dir) {
        Some(Measured::Sweep(Box::new(SweepRun::open(dir)?.summary())))
    } else if Run::is_one(dir) {
        Some(Measured::Run(Box::new(Run::open(dir)?.summary()?)))
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_numbered_and_end_at_the_first_gap() {
        let dir = tempfile::tempdir().unwrap();
        let first = folder(dir.path(), 0, "load");
        assert_eq!(first, dir.path().join("1-load"));
        assert!(attempts(&first).is_empty());
        for name in ["1-load", "1-load-2", "1-load-4"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let expected = ["1-load", "1-load-2"].map(|name| dir.path().join(name));
        assert_eq!(attempts(&first), expected);
        assert_eq!(failure_file(&first), dir.path().join("1-load.failed"));
    }

    #[test]
    fn an_empty_folder_has_no_figures_and_a_broken_one_says_why() {
        let dir = tempfile::tempdir().unwrap();
        let first = folder(dir.path(), 0, "load");
        std::fs::create_dir(&first).unwrap();
        let empty = best(&first);
        assert!(empty.measured.is_none() && empty.unreadable.is_none());
        assert_eq!(empty.dir, first);
        std::fs::write(first.join("journal.jsonl"), "nothing\n").unwrap();
        let broken = best(&first);
        assert!(broken.measured.is_none() && broken.unreadable.unwrap().contains("line 1"));
    }
}
