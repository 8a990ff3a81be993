//! Carries out the steps of a study, one after the other, as the commands themselves do.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::Run;
use bakeoff_stats::study::Measured;
use bakeoff_workload::{StudyCommand, StudyStep};

use super::plan::Plan;
use super::{results, say};
use crate::exit::{Exit, explain};
use crate::interrupt::was_asked_to_stop;
use crate::out_file::OutFile;

/// Makes the folder of a study if it is missing, and locks it: while the returned file is open, no other process
/// carries out the study in it, and others can tell that one does.
///
/// # Errors
/// Fails if the folder cannot be made or locked, or another process carries out the study in it.
pub fn hold(dir: &Path) -> Result<File> {
    std::fs::create_dir_all(dir)
        .with_context(|| format!("cannot make {}, the folder of the study", dir.display()))?;
    Ok(Run::lock(dir)?)
}

/// Carries out all steps that are not measured yet. Returns the worst end of those that it carried out, `None` if
/// each was complete. A step that fails is noted beside its folder, and the others are carried out. `begins` is called
/// before each step that it carries out, with the step's folder. The study's folder has to be there.
///
/// # Errors
/// Fails if a note in it cannot be written.
pub fn carry_out(plan: &Plan<'_>, begins: impl Fn(&StudyStep, &Path)) -> Result<Option<Exit>> {
    let dir = &plan.dir;
    plan.record.write(dir)?;
    let mut worst = None;
    for (index, step) in plan.study.steps.iter().enumerate() {
        if was_asked_to_stop() {
            return Ok(Some(Exit::Interrupted));
        }
        let place = format!("step {} of {}", index + 1, plan.study.steps.len());
        let first = results::folder(dir, index, &step.name);
        let Some(folder) = next_folder(step, &first) else {
            say(&format!("{place}, {}, was measured before", step.name));
            continue;
        };
        say(&format!("{place}, {}: {}", step.name, step.what));
        forget_failure(&first)?;
        begins(step, folder.as_path());
        let ended = match carry_out_step(plan, step, &folder) {
            Ok(exit) => exit,
            Err(error) => {
                let reason = explain(&error);
                say(&format!("{place}, {}, failed: {reason}", step.name));
                note_failure(&first, &reason)?;
                Exit::Failed
            }
        };
        match ended {
            Exit::Complete => {}
            Exit::Interrupted => return Ok(Some(ended)),
            Exit::Failed => worst = Some(Exit::Failed),
            _ => worst = worst.or(Some(Exit::Partial)),
        }
    }
    Ok(worst)
}

fn carry_out_step(plan: &Plan<'_>, step: &StudyStep, folder: &Path) -> Result<Exit> {
    plan.measurement(step, folder)?.carry_out()
}

/// Returns the folder in which a step is to be measured, or `None` if it was measured to its end. A comparison that
/// did not end goes on in its folder. A load or a sweep begins again in another one, and so does what ended without
/// figures.
fn next_folder(step: &StudyStep, first: &Path) -> Option<PathBuf> {
    let attempts = results::attempts(first);
    if attempts.iter().any(|dir| is(dir, Measured::is_whole)) {
        return None;
    }
    let goes_on =
        |last: &&PathBuf| step.command == StudyCommand::Run && !is(last, Measured::is_finished);
    let unfinished = attempts.last().filter(goes_on);
    let next = || results::numbered(first, attempts.len() + 1);
    Some(unfinished.cloned().unwrap_or_else(next))
}

/// Returns whether the figures in a folder are so.
fn is(dir: &Path, what: fn(&Measured) -> bool) -> bool {
    let measured = results::read(dir).ok().flatten();
    measured.as_ref().is_some_and(what)
}

fn forget_failure(first: &Path) -> Result<()> {
    let path = results::failure_file(first);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn note_failure(first: &Path, reason: &str) -> Result<()> {
    let path = results::failure_file(first);
    let mut file = OutFile::replace(&path)?;
    writeln!(file, "{reason}").with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()
}
