//! Notes that the processes of a sweep leave for each other, and waiting for them.

use std::ops::AddAssign;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_stats::JournalError;
use bakeoff_stats::sweep::SweepRecord;

use super::Sharing;
use super::schedule::Timed;

/// Pause between two looks for a note.
const POLL: Duration = Duration::from_millis(200);
/// Times that a process tries to say what it has inserted.
const TRIES: usize = 5;
/// Time by which the clock of this machine may be behind, since a begin that much later is reported, too.
const MAY_BE_BEHIND: Duration = Duration::from_millis(500);
/// Time by which it may be ahead. It is longer, since a note is only found some time after it was dated: it has to be
/// written, and other processes have to see it.
const MAY_BE_AHEAD: Duration = Duration::from_secs(2);

/// Rows that a process has inserted in one step, its warm-up included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that were acknowledged.
    pub acknowledged: u64,
    /// Rows of inserts that failed, each of which may or may not exist.
    pub failed: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        // Destructured, so that a new field cannot be forgotten.
        let Counts {
            acknowledged,
            failed,
        } = other;
        self.acknowledged = self.acknowledged.saturating_add(acknowledged);
        self.failed = self.failed.saturating_add(failed);
    }
}

impl Counts {
    fn text(self) -> String {
        format!("{} {}", self.acknowledged, self.failed)
    }

    fn read(text: &str) -> Option<Counts> {
        let (acknowledged, failed) = text.split_once(' ')?;
        Some(Counts {
            acknowledged: acknowledged.parse().ok()?,
            failed: failed.parse().ok()?,
        })
    }
}

/// What the first process says of the table of a step.
#[derive(Debug, PartialEq, Eq)]
pub enum TableNote {
    /// It was recreated, and this was said at that moment by the clock of the first process.
    Made { at: SystemTime },
    /// It could not be recreated.
    Failed { why: String },
}

impl TableNote {
    pub fn text(&self) -> String {
        match self {
            TableNote::Made { at } => {
                let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
                format!("made {}", since_1970.as_millis())
            }
            TableNote::Failed { why } => format!("failed {why}"),
        }
    }

    pub fn read(text: &str) -> Option<TableNote> {
        match text.split_once(' ')? {
            ("made", at) => {
                let since_1970 = Duration::from_millis(at.parse().ok()?);
                let at = UNIX_EPOCH.checked_add(since_1970)?;
                Some(TableNote::Made { at })
            }
            ("failed", why) => Some(TableNote::Failed {
                why: why.to_owned(),
            }),
            _ => None,
        }
    }
}

/// A note that was found.
pub struct Found {
    pub text: String,
    /// Moment of the last look at which it was not there; `None` if it was there at the first one.
    pub not_before: Option<SystemTime>,
    /// Moment after the look at which it was there.
    pub found: SystemTime,
}

impl Found {
    /// Says by how much clocks are apart at least, if that is too much: the note was left at the moment `left` by the
    /// other clock, between two moments of our own.
    pub fn clocks_apart(&self, left: SystemTime) -> Option<String> {
        let ahead = self.not_before.and_then(|at| at.duration_since(left).ok());
        let behind = left.duration_since(self.found).ok();
        let apart = |time: Option<Duration>, most: Duration, how: &str| {
            let time = time.filter(|time| *time > most)?;
            Some(format!(
                "the clock of this machine is at least {:.1} s {how} that of shard 1, so that they do not insert at \
                 the same time: set both by NTP",
                time.as_secs_f64()
            ))
        };
        let ahead = apart(ahead, MAY_BE_AHEAD, "ahead of");
        ahead.or_else(|| apart(behind, MAY_BE_BEHIND, "behind"))
    }
}

impl Sharing<'_> {
    /// Leaves a note for the other processes of this start.
    pub(super) async fn say(&mut self, what: &str, text: &str) -> Result<(), String> {
        let name = self.name(what);
        let left = self.candidates.leave_note(self.place, &name, text).await;
        left.map_err(|error| format!("leaving a note for the other shards failed: {error}"))
    }

    /// Says what this process has inserted in a step, and tries it several times. If all fail, the first process will
    /// say that it misses it.
    pub(super) async fn say_done(&mut self, step: usize, counts: Counts) {
        let index = self.shard().index;
        if index == 0 {
            return;
        }
        for _ in 0..TRIES {
            if self.say(&done(step, index), &counts.text()).await.is_ok() {
                break;
            }
            self.clock.sleep_until(self.clock.now() + POLL).await;
        }
    }

    /// Waits for a note up to a moment. A look that fails is repeated: the place for notes may not be made yet.
    ///
    /// # Errors
    /// If it is still missing, with the reason why the last look failed, if it did.
    pub(super) async fn wait_for(
        &mut self,
        what: &str,
        until: SystemTime,
    ) -> Result<Found, String> {
        let name = self.name(what);
        let mut not_before = None;
        loop {
            let looked = self.clock.now();
            let failed = match self.candidates.find_note(self.place, &name).await {
                Ok(Some(text)) => {
                    return Ok(Found {
                        text,
                        not_before,
                        found: self.clock.now(),
                    });
                }
                Ok(None) => String::new(),
                Err(error) => format!(" ({error})"),
            };
            if looked >= until {
                return Err(failed);
            }
            not_before = Some(looked);
            self.clock.sleep_until((looked + POLL).min(until)).await;
        }
    }

    /// Waits for what the other processes have inserted in a step, which have ended then or never will. A process that
    /// was missed is waited for no longer than leaves half of the pause for recreating the table.
    ///
    /// # Errors
    /// If some did not say it, in words.
    pub(super) async fn gather(&mut self, timed: &Timed, step: usize) -> Result<Counts, String> {
        let time_out = self.plan.sweeping.time_out;
        let latest = timed.all_are_done(self.together.start_at, time_out);
        let (mut all, mut missing) = (Counts::default(), Vec::new());
        for index in 1..self.shard().of {
            let until = if self.lost.contains(&index) {
                timed.latest_measure(self.together.start_at) + self.together.pause / 2
            } else {
                latest
            };
            let found = self.wait_for(&done(step, index), until).await.ok();
            match found.and_then(|found| Counts::read(&found.text)) {
                Some(counts) => {
                    all += counts;
                    self.lost.remove(&index);
                }
                None => {
                    self.lost.insert(index);
                    missing.push(format!("{}/{}", index + 1, self.shard().of));
                }
            }
        }
        if missing.is_empty() {
            Ok(all)
        } else {
            Err(format!(
                "it is not known how many rows shard {} inserted, which did not say so in time",
                missing.join(" and shard ")
            ))
        }
    }

    /// Records once that the clocks of two machines are apart.
    pub(super) fn compare_clocks(
        &mut self,
        found: &Found,
        left: SystemTime,
    ) -> Result<(), JournalError> {
        match found.clocks_apart(left) {
            Some(message) if !self.told_of_clocks => {
                self.told_of_clocks = true;
                self.observer.note(&message);
                self.log.append(&SweepRecord::Warning { message })
            }
            _ => Ok(()),
        }
    }

    fn name(&self, what: &str) -> String {
        let since_1970 = self.together.start_at.duration_since(UNIX_EPOCH);
        let start = since_1970.unwrap_or_default().as_millis();
        format!("sweep {start} {what}")
    }
}

/// Names the note in which the first process says what it sweeps.
pub const PLAN: &str = "plan";

/// Names the note in which the first process says that the table of a step is there.
pub fn table(step: usize) -> String {
    format!("table {step}")
}

/// Names the note in which another process says what it has inserted in a step.
pub fn done(step: usize, index: u32) -> String {
    format!("step {step} of shard {}", index + 1)
}

#[cfg(test)]
mod hostile;

#[cfg(test)]
mod tests {
    use super::super::tests::start;
    use super::*;

    #[test]
    fn what_was_written_in_a_note_is_read_back() {
        let made = TableNote::Made { at: start() };
        let failed = TableNote::Failed {
            why: "no space left".to_owned(),
        };
        for note in [made, failed] {
            assert_eq!(TableNote::read(&note.text()), Some(note));
        }
        for damaged in [
            "",
            "made",
            "made soon",
            "lost 1",
            "made 99999999999999999999",
        ] {
            assert_eq!(TableNote::read(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn clocks_are_apart_if_a_note_was_left_outside_of_the_looks_between_which_it_came() {
        let found = |not_before: Option<u64>, found: u64| Found {
            text: String::new(),
            not_before: not_before.map(|seconds| start() + Duration::from_secs(seconds)),
            found: start() + Duration::from_secs(found),
        };
        let apart = |of: Found, left| of.clocks_apart(start() + Duration::from_secs(left));
        assert_eq!(apart(found(Some(10), 12), 11), None);
        // Nobody knows how long it had been there.
        assert_eq!(apart(found(None, 60), 11), None);
        let ahead = apart(found(Some(10), 12), 7).unwrap();
        assert!(ahead.contains("at least 3.0 s ahead of"), "{ahead}");
        // Writing and finding a note takes time.
        assert_eq!(apart(found(Some(10), 12), 8), None);
        let behind = apart(found(None, 12), 13).unwrap();
        assert!(behind.contains("at least 1.0 s behind"), "{behind}");
    }
}
