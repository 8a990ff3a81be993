//! `bakeoff report --follow`: keeps the page of a measurement up to date that another process, or another machine,
//! carries out.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, anyhow};
use bakeoff_engines::in_shell;
use bakeoff_stats::Run;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::sweep::SweepRun;

use super::page::{GrowingPage, settle};
use super::{PAGE, Shown, render_folder};
use crate::cmd::small_runtime;
use crate::exit::{Exit, Misuse, explain};
use crate::interrupt::asked_to_stop_leaving;
use crate::stderr::print_line;

/// Pause between two looks at the folder.
pub const POLL: Duration = Duration::from_secs(1);
/// Time without a record after which a folder is given up that no process of this machine was seen to write to. One
/// call to an engine takes no longer than ten minutes unless `--limit` allows more.
pub const NO_NEWS: Duration = Duration::from_secs(15 * 60);
/// Message of a second Ctrl-C.
pub const LEFT_BEHIND: &str = "interrupted again: the page may go on reloading itself";

/// Reason why a measurement is followed no longer.
pub enum End {
    /// Its end is on record.
    OnRecord,
    /// It does not go on, in these words.
    Stopped(String),
    /// The user has asked for it.
    Asked,
}

/// Keeps the page in a folder up to date until the end of the measurement is on record, or it turns out that it does
/// not go on; then renders everything, and returns what that returns. On Ctrl-C the page stays as it is, and all is
/// well.
///
/// # Errors
/// Fails if there is no measurement in the folder, with a misuse if it is a folder of several, or if its last report
/// cannot be made.
pub fn follow(dir: &Path, shown: &Shown) -> Result<Exit> {
    if !is_measurement(dir) {
        if let Some(step) = within(dir) {
            return Err(Misuse::new(anyhow!(
                "{} is no measurement, but holds some: follow the one that goes on by `bakeoff report {} --follow`",
                dir.display(),
                in_shell(&step.display().to_string())
            ))
            .into());
        }
        Run::open(dir)?;
    }
    let ended = small_runtime()?.block_on(until_the_end(dir, shown));
    match ended {
        End::OnRecord => render_folder(dir, shown),
        End::Stopped(why) => {
            print_line(why);
            render_folder(dir, shown)
        }
        End::Asked => {
            let page = dir.join(PAGE);
            match settle(dir, shown) {
                Ok(()) => print_line(format_args!(
                    "not followed any longer: {} stays as it is",
                    page.display()
                )),
                Err(error) => print_line(format_args!(
                    "not followed any longer: {} goes on reloading itself, since it cannot be written: {}",
                    page.display(),
                    explain(&error)
                )),
            }
            Ok(Exit::Complete)
        }
    }
}

/// Returns whether a folder has the log of a measurement.
pub fn is_measurement(dir: &Path) -> bool {
    DriveRun::is_one(dir) || SweepRun::is_one(dir) || Run::is_one(dir)
}

/// Returns a measurement in a folder: the one that is written to, or else the last by its name.
fn within(dir: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(dir).ok()?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders: Vec<PathBuf> = folders.filter(|folder| is_measurement(folder)).collect();
    folders.sort();
    let written = folders.iter().find(|folder| Run::is_being_written(folder));
    written.or(folders.last()).cloned()
}

/// Keeps the page of a measurement up to date until one of these ends.
pub async fn until_the_end(dir: &Path, shown: &Shown) -> End {
    let mut asked = pin!(asked_to_stop_leaving(LEFT_BEHIND));
    let mut page = GrowingPage::new(dir, shown.clone());
    let mut was_written = Run::is_being_written(dir);
    print_line(format_args!(
        "following {}: {} reloads itself; Ctrl-C ends it",
        dir.display(),
        page.path().display()
    ));
    let mut is_known = was_written;
    let (mut seen, mut news) = (page.last_written(), None);
    loop {
        // Asked before the log is read, which then has all that a process has written that has ended.
        let is_written = Run::is_being_written(dir);
        let is_last = was_written && !is_written;
        let updated = if is_last {
            page.update_now()
        } else {
            page.update()
        };
        match updated {
            Ok(true) => return End::OnRecord,
            Ok(false) => {}
            Err(error) => {
                if let Some(text) = page.describe(&error) {
                    print_line(text);
                }
                // What is missing is only the page, whose last try says why.
                if page.is_over() {
                    return End::OnRecord;
                }
            }
        }
        let at = page.last_written();
        if is_last {
            return End::Stopped(stopped(at));
        }
        if at != seen {
            (seen, news) = (at, Some(Instant::now()));
        }
        // The clock of this process, once it saw news: a copy may have the times of another machine's.
        let quiet = news.map_or_else(|| silence(at), |news: Instant| news.elapsed());
        if !is_written && quiet >= NO_NEWS {
            return End::Stopped(silent(at, dir));
        }
        if !is_known && !is_written {
            print_line(format_args!(
                "no process of this machine writes to it: it is followed as a copy, until {} minutes after its last \
                 record",
                NO_NEWS.as_secs() / 60
            ));
        }
        is_known = true;
        was_written = is_written;
        tokio::select! {
            () = &mut asked => return End::Asked,
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Returns for how long no record came; for ever if there is no log.
pub fn silence(at: Option<SystemTime>) -> Duration {
    // A copy may be of a machine whose clock is ahead.
    at.map_or(Duration::MAX, |at| at.elapsed().unwrap_or_default())
}

/// Says of a measurement whose process was seen that it has ended without a word.
fn stopped(at: Option<SystemTime>) -> String {
    format!("the run is not going on; it was stopped at {}", time(at))
}

/// Says of a folder that nobody was seen to write to that it does not grow.
fn silent(at: Option<SystemTime>, dir: &Path) -> String {
    format!(
        "the run is not going on; it was stopped at {}, or {} is a copy that is not brought up to date any longer",
        time(at),
        dir.display()
    )
}

fn time(at: Option<SystemTime>) -> String {
    at.map_or_else(
        || "a time that is not known".to_owned(),
        |at| humantime::format_rfc3339_seconds(at).to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_ahead_is_no_silence_and_a_log_that_is_gone_is_one() {
        let ahead = SystemTime::now() + Duration::from_secs(3_600);
        assert_eq!(silence(Some(ahead)), Duration::ZERO);
        assert!(silence(Some(SystemTime::UNIX_EPOCH)) >= NO_NEWS);
        assert!(silence(None) >= NO_NEWS);
    }

    #[test]
    fn what_was_stopped_is_said_with_its_time() {
        let at = Some(SystemTime::UNIX_EPOCH);
        let said = "the run is not going on; it was stopped at 1970-01-01T00:00:00Z";
        assert_eq!(stopped(at), said);
        let silent = silent(at, Path::new("runs/a"));
        assert!(silent.starts_with(said) && silent.contains("runs/a is a copy"));
    }
}
