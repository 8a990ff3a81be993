//! The pages of what was measured for a decision: a command that was stopped behind its measurement may have left them as
//! they were before its end, and that of the race leads to the final only once it has been written after it.

use std::path::Path;
use std::time::SystemTime;

use bakeoff_engines::in_shell;
use bakeoff_stats::{LogRecord, Record};

use super::Decide;
use super::final_plan::FINAL;
use super::state::came_to_end;
use crate::cmd::report::beside::RUN;
use crate::cmd::report::{self, PAGE, Shown};
use crate::stderr::print_line;

/// Name of the journal in the folder of a run.
const JOURNAL: &str = <Record as LogRecord>::FILE;

impl Decide {
    /// Writes each page in the folder again that is older than the measurements it shows. A note names each page that
    /// cannot be written.
    pub fn write_old_pages(&self, dir: &Path) {
        for run in [RUN, FINAL].map(|name| dir.join(name)) {
            if is_old(dir, &run) {
                self.write_page(&run);
            }
        }
    }

    fn write_page(&self, run: &Path) {
        let written = self.wanted().and_then(|wanted| {
            let shown = Shown {
                is_for_recommendation: true,
                ..Shown::from(wanted)
            };
            report::render(run, &shown)
        });
        if let Err(error) = written {
            print_line(format_args!(
                "note: {} is older than what was measured until `bakeoff report {}` has written it: {error:#}",
                run.join(PAGE).display(),
                in_shell(&run.to_string_lossy())
            ));
        }
    }
}

/// Returns whether the page of a run that ended is missing, or older than its journal or, of a race, than that of the final.
fn is_old(dir: &Path, run: &Path) -> bool {
    let ended = |run: &Path| came_to_end(run).then(|| modified(&run.join(JOURNAL)));
    let Some(own) = ended(run) else {
        return false;
    };
    let newest = own.max(ended(&dir.join(FINAL)).flatten());
    modified(&run.join(PAGE)) < newest
}

/// Returns when a file was written; `None`, which is before all times, if it is not there.
fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|file| file.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::decide::fixture::ended_in;

    #[test]
    fn a_page_is_old_if_it_is_missing_or_was_written_before_its_run_or_the_final_ended() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let (race, last) = (dir.join(RUN), dir.join(FINAL));
        assert!(!is_old(dir, &race), "nothing was measured");
        ended_in(&race, "comparison");
        assert!(is_old(dir, &race), "it is missing");
        let write = |run: &Path| std::fs::write(run.join(PAGE), "page").unwrap();
        write(&race);
        assert!(!is_old(dir, &race));
        let later = |run: &Path| {
            let journal = std::fs::File::options()
                .append(true)
                .open(run.join(JOURNAL));
            let in_an_hour = SystemTime::now() + std::time::Duration::from_secs(3_600);
            journal.unwrap().set_modified(in_an_hour).unwrap();
        };
        later(&race);
        assert!(is_old(dir, &race));
        std::fs::remove_dir_all(&race).unwrap();
        ended_in(&race, "comparison");
        write(&race);
        ended_in(&last, "comparison");
        write(&last);
        later(&last);
        assert!(is_old(dir, &race) && is_old(dir, &last));
    }
}
