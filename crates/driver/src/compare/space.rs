//! Looks at the bytes of tables while they are loaded and settled, since there has to be room for the
//! highest of them.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bakeoff_stats::Space;

use crate::Design;
use crate::call::within;

/// How often the bytes of a table are looked at.
const EVERY: Duration = Duration::from_secs(1);

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
    /// Whether the table was looked at from its first slice on.
    from_the_start: bool,
    /// Whether a look failed or took too long, so that the table is not looked at any more.
    is_given_up: bool,
}

impl Highest {
    /// Performs a step, and looks at the table once a second while it lasts.
    pub async fn during<T>(&self, design: &dyn Design, step: impl Future<Output = T>) -> T {
        let mut step = pin!(step);
        loop {
            let looking = async {
                tokio::time::sleep(EVERY).await;
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
        let looked = within(LOOK_LIMIT, async { Ok(design.bytes_now().await) }).await;
        let bytes = looked.as_ref().ok().copied().flatten();
        let mut tables = self.tables();
        let seen = tables.entry(id(design)).or_default();
        seen.is_given_up = looked.is_err();
        seen.highest = seen.highest.max(bytes);
        seen.looks += u32::from(bytes.is_some());
        seen.last = Some(Instant::now());
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

fn id(design: &dyn Design) -> String {
    design.info().id.clone()
}
