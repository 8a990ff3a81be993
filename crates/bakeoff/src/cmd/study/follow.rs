//! `bakeoff report --follow` of a study's folder: keeps the page of the study and that of the step that is measured up
//! to date, while another process, or another machine, carries the study out.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use bakeoff_stats::Run;
use bakeoff_stats::study::Measured;

use super::record::{self, Record};
use super::{InFolder, definition, exit_of, results, write};
use crate::cmd::report::Shown;
use crate::cmd::report::follow::{
    End, LEFT_BEHIND, NO_NEWS, POLL, is_measurement, silence, until_the_end,
};
use crate::cmd::report::page::{GrowingPage, settle};
use crate::cmd::small_runtime;
use crate::exit::{Exit, Misuse, explain};
use crate::interrupt::asked_to_stop_leaving;
use crate::stderr::print_line;

/// Returns whether a folder is that of a study.
pub fn is_one(dir: &Path) -> bool {
    dir.join(record::FILE).is_file()
}

/// Keeps the pages in the folder of a study up to date until the study has ended, or it turns out that it does not go
/// on; then writes the page as ever, and returns how complete the study is. On Ctrl-C the pages stay as they are, and
/// all is well.
///
/// # Errors
/// Fails if the folder or a page cannot be read or written, and with a misuse if nothing says what the study is.
pub fn follow(dir: &Path, shown: &Shown) -> Result<Exit> {
    let record = Record::read_there(dir)?;
    let (asked, file) = definition::read(dir, &record.study)?.ok_or_else(|| {
        Misuse::new(anyhow!(
            "{} has no copy of the file of the study {}, since an earlier version began it: repeat the command of the \
             study, which makes one, or follow the folder of a step",
            dir.display(),
            record.study
        ))
    })?;
    let study = InFolder {
        asked: &asked,
        file: &file,
        record: &record,
        dir,
    };
    print_line(format_args!(
        "following the study in {}: {} reloads itself; Ctrl-C ends it",
        dir.display(),
        dir.join(write::HTML).display()
    ));
    let was_asked = small_runtime()?.block_on(until_it_ends(&study, shown));
    if was_asked {
        study.write_html()?;
        print_line("the study is not followed any longer: its page stays as it is");
        return Ok(Exit::Complete);
    }
    study.write(None)?;
    Ok(exit_of(None, &study.results()))
}

/// Follows one step after the other. Returns whether it ended since the user asked for it.
async fn until_it_ends(study: &InFolder<'_>, shown: &Shown) -> bool {
    let mut asked = pin!(asked_to_stop_leaving(LEFT_BEHIND));
    let mut followed: Vec<PathBuf> = Vec::new();
    let mut was_carried_out = false;
    loop {
        // Asked before the steps are looked at, whose logs then have all that a process has written that has ended.
        let is_carried_out = Run::is_being_written(study.dir);
        was_carried_out |= is_carried_out;
        if let Some((step, folder)) = step_to_follow(study, is_carried_out, &followed) {
            study.show_step(&step, &folder);
            let ended = until_the_end(&folder, shown).await;
            if let Err(error) = settle(&folder, shown) {
                print_line(format_args!(
                    "the page of {} is not up to date: {}",
                    folder.display(),
                    explain(&error)
                ));
            }
            if matches!(ended, End::Asked) {
                return true;
            }
            followed.push(folder);
            continue;
        }
        let is_silent = || silence(last_record(study, shown)) >= NO_NEWS;
        if !is_carried_out && (was_carried_out || is_over(study) || is_silent()) {
            return false;
        }
        tokio::select! {
            () = &mut asked => return true,
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Returns the name and the folder of a step that goes on and was not followed: the one that is written to. Of a copy,
/// to which nobody writes, it is the last one that has no end.
fn step_to_follow(
    study: &InFolder<'_>,
    is_carried_out: bool,
    followed: &[PathBuf],
) -> Option<(String, PathBuf)> {
    let steps = steps(study);
    let mut all = steps.iter();
    let written = all.find(|(_, folder)| Run::is_being_written(folder));
    let last = steps.last().filter(|_| !is_carried_out);
    let step = written
        .or(last)
        .filter(|(_, folder)| !followed.contains(folder))?;
    let has_no_end = || {
        let measured = results::read(&step.1).ok().flatten();
        measured.is_none_or(|it| !has_ended(&it))
    };
    (written.is_some() || has_no_end()).then(|| step.clone())
}

/// Returns the name of each step that has records, and the folder of its last attempt.
fn steps(study: &InFolder<'_>) -> Vec<(String, PathBuf)> {
    let steps = study.file.steps.iter().enumerate();
    let with_folder = steps.filter_map(|(index, step)| {
        let first = results::folder(study.dir, index, &step.name);
        let folder = results::attempts(&first).pop()?;
        is_measurement(&folder).then(|| (step.name.clone(), folder))
    });
    with_folder.collect()
}

/// Returns whether the study has ended by what is on record: each step was measured or has failed, or one was
/// interrupted.
fn is_over(study: &InFolder<'_>) -> bool {
    let results = study.results();
    let is_done = |measured: &Option<Measured>| measured.as_ref().is_some_and(has_ended);
    let is_interrupted = results.iter().any(|step| {
        let measured = step.measured.as_ref();
        measured.is_some_and(|it| has_ended(it) && !it.is_finished())
    });
    is_interrupted
        || results
            .iter()
            .all(|step| step.failed.is_some() || is_done(&step.measured))
}

/// Returns whether the end of a step is on record, be it that it was interrupted.
fn has_ended(measured: &Measured) -> bool {
    measured.is_finished()
        || match measured {
            Measured::Run(summary) => summary.interrupted,
            Measured::Load(summary) => summary.interrupted,
            Measured::Sweep(summary) => summary.interrupted,
        }
}

/// Returns when the last record of any step was written.
fn last_record(study: &InFolder<'_>, shown: &Shown) -> Option<SystemTime> {
    let written =
        |(_, folder): (String, PathBuf)| GrowingPage::new(&folder, shown.clone()).last_written();
    steps(study).into_iter().filter_map(written).max()
}
