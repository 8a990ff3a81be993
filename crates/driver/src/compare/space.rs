//! Looks at the bytes of tables while they are loaded and settled, since there has to be room for the
//! highest of them.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_stats::Space;

use crate::Design;
use crate::call::within;

/// Longest time between two looks at a table.
const EVERY: Duration = Duration::from_secs(1);

/// Shortest time between two looks at a table.
const OFTEN: Duration = Duration::from_millis(100);

/// Multiple of the time of a look that passes until the next one, so that looks take no more than a percent.
const REST: u32 = 100;

/// Longest time that a look may take. A server that hangs would otherwise hold up the run, since most looks
/// are between the calls that have a limit.
const LOOK_LIMIT: Duration = Duration::from_secs(2);

/// Highest bytes of each table so far.
#[derive(Debug, Default)]
pub struct Highest {
    tables: Mutex<BTreeMap<String, Seen>>,
}

#[derive(Debug, Default, Clone)]
struct Seen {
    highest: Option<u64>,
    looks: u32,
    last: Option<Instant>,
    /// Time that the last look took.
    took: Option<Duration>,
    /// Whether the table was looked at from its first slice on.
    from_the_start: bool,
    /// Whether a look failed or took too long, so that the table is not looked at any more.
    is_given_up: bool,
}

impl Highest {
    /// Performs a step, and looks at the table while it lasts: as often as looks are cheap, but at least once a
    /// second.
    pub async fn during<T>(&self, design: &dyn Design, step: impl Future<Output = T>) -> T {
        let mut step = pin!(step);
        loop {
            let looking = async {
                tokio::time::sleep(self.of(design).pause()).await;
                self.look(design).await
            };
            tokio::select! {
                biased;
                ended = &mut step => return ended,
                _ = looking => {}
            }
        }
    }

    /// Looks at a table after one of its slices, unless that was done within the last second. The clock of
    /// the slice has stopped by then.
    pub async fn after_slice(&self, design: &dyn Design, slice: u64) {
        let seen = self.of(design);
        let is_due = seen.last.is_none_or(|last| last.elapsed() >= EVERY);
        if slice == 0 {
            self.tables().entry(id(design)).or_default().from_the_start = true;
        }
        if is_due {
            self.look(design).await;
        }
    }

    /// Looks at a table that is loaded and not yet settled.
    pub async fn before_settling(&self, design: &dyn Design) -> Option<u64> {
        self.look(design).await
    }

    /// Returns what was seen of a table that is settled now.
    pub async fn settled(&self, design: &dyn Design, before_settling: Option<u64>) -> Space {
        self.look(design).await;
        let seen = self.of(design);
        Space {
            design: id(design),
            before_settling,
            highest: seen.highest,
            looks: seen.looks,
            is_whole: seen.from_the_start && !seen.is_given_up,
            needs: design.needs(),
        }
    }

    /// Looks at a table. What fails here is no failure of the design: its bytes are then not known.
    async fn look(&self, design: &dyn Design) -> Option<u64> {
        if self.of(design).is_given_up {
            return None;
        }
        let began = Instant::now();
        let looked = within(LOOK_LIMIT, async { Ok(design.bytes_now().await) }).await;
        let bytes = looked.as_ref().ok().copied().flatten();
        let mut tables = self.tables();
        let seen = tables.entry(id(design)).or_default();
        seen.is_given_up = looked.is_err();
        seen.highest = seen.highest.max(bytes);
        seen.looks += u32::from(bytes.is_some());
        seen.last = Some(Instant::now());
        seen.took = Some(began.elapsed());
        bytes
    }

    fn of(&self, design: &dyn Design) -> Seen {
        let seen = self.tables().get(&id(design)).cloned();
        seen.unwrap_or_default()
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Seen>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Returns the time until the next look during a step.
    fn pause(&self) -> Duration {
        self.took
            .map_or(EVERY, |took| (took * REST).clamp(OFTEN, EVERY))
    }
}

fn id(design: &dyn Design) -> String {
    design.info().id.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_as_often_as_they_are_cheap() {
        let pause = |took: Option<u64>| {
            let took = took.map(Duration::from_micros);
            Seen {
                took,
                ..Seen::default()
            }
            .pause()
        };
        assert_eq!(pause(None), EVERY);
        assert_eq!(pause(Some(50)), OFTEN);
        assert_eq!(pause(Some(4_000)), Duration::from_millis(400));
        assert_eq!(pause(Some(2_000_000)), EVERY);
    }
}
