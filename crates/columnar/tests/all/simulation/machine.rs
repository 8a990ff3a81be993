//! The machines of simulated processes, whose clocks differ and stand still, and which die.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, ready};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bakeoff_columnar::internals;
use bakeoff_testing::Random;
use futures::future::{BoxFuture, poll_fn};
use uuid::{Builder, Uuid};

use super::timeline::{Timeline, part};

/// The wall clock of the servers at the beginning, in seconds since 1970-01-01 UTC.
const BEGINNING: u64 = 1_760_000_000;

/// How far a wall clock is from that of the servers: less than half of what the protocol allows for, so
/// that the clocks of two machines are close enough, too.
const APART_AT_MOST: Duration = Duration::from_secs(12);

/// The longest time for which the clocks of a machine stand still, all together if the wall clock does, too.
const STANDS_STILL_AT_MOST: Duration = Duration::from_secs(20);

/// The number of machines, as no two write times are the same.
const MACHINES_AT_MOST: i64 = 256;

/// What may happen to a process whenever it goes on, in parts of ten thousand.
#[derive(Clone, Copy, Default)]
pub struct Dangers {
    pub dies: u64,
    /// The machine sleeps: the steady clock stands still.
    pub sleeps: u64,
    /// A virtual machine is paused: both clocks stand still.
    pub is_paused: u64,
}

/// The machine of one process.
pub struct Machine {
    timeline: Arc<Timeline>,
    /// A moment of the real clock, from which its own is counted.
    began: Instant,
    number: u16,
    dangers: Dangers,
    clocks: Mutex<Clocks>,
}

struct Clocks {
    random: Random,
    /// The difference of the wall clock to that of the servers, in microseconds.
    ahead: i64,
    /// The time for which the steady clock has stood still.
    stood_still: Duration,
    /// The time for which it may still stand still together with the wall clock.
    pauses: Duration,
    names: u64,
    last_write: i64,
}

/// Returns the wall clock of the servers, in microseconds since 1970-01-01 UTC.
pub fn server_clock(timeline: &Timeline) -> i64 {
    let now = Duration::from_secs(BEGINNING) + timeline.now();
    now.as_micros() as i64
}

impl Machine {
    pub fn new(
        timeline: &Arc<Timeline>,
        began: Instant,
        number: u16,
        dangers: Dangers,
        mut random: Random,
    ) -> Arc<Machine> {
        assert!(i64::from(number) < MACHINES_AT_MOST);
        let apart = APART_AT_MOST.as_micros() as u64;
        let ahead = random.below(2 * apart) as i64 - apart as i64;
        let lowest = if dangers.is_paused > 0 { 0 } else { i64::MIN };
        Arc::new(Machine {
            timeline: Arc::clone(timeline),
            began,
            number,
            dangers,
            clocks: Mutex::new(Clocks {
                random,
                // A pause sets the wall clock back, which has to stay near enough.
                ahead: ahead.max(lowest),
                stood_still: Duration::ZERO,
                pauses: APART_AT_MOST,
                names: 0,
                last_write: 0,
            }),
        })
    }

    /// Does work on this machine. Returns `None` if it has died meanwhile.
    pub async fn run<T>(self: &Arc<Self>, work: impl Future<Output = T>) -> Option<T> {
        let me = Arc::clone(self) as Arc<dyn internals::Machine>;
        let mut work = Box::pin(internals::on(me, work));
        let mut rest: Option<BoxFuture<'static, ()>> = None;
        poll_fn(move |context| {
            self.timeline.act();
            loop {
                if let Some(resting) = &mut rest {
                    ready!(resting.as_mut().poll(context));
                    rest = None;
                }
                match self.fate() {
                    Fate::Dies => return Poll::Ready(None),
                    Fate::StandsStill(time) => rest = Some(self.timeline.sleep(time)),
                    Fate::GoesOn => return work.as_mut().poll(context).map(Some),
                }
            }
        })
        .await
    }

    /// Returns a write time that no other machine makes: the first one after this time, or if that is earlier,
    /// after the one before.
    pub fn write_time(&self, after: i64) -> i64 {
        let mut clocks = self.lock();
        let next = clocks.last_write + MACHINES_AT_MOST;
        let first = (after / MACHINES_AT_MOST + 1) * MACHINES_AT_MOST;
        clocks.last_write = next.max(first + i64::from(self.number));
        clocks.last_write
    }

    /// Sets the wall clock to this time ahead of that of the servers, or behind it.
    pub fn set_ahead(&self, microseconds: i64) {
        self.lock().ahead = microseconds;
    }

    /// Returns a random number from 0 to one less than `end`.
    pub fn below(&self, end: u64) -> u64 {
        self.lock().random.below(end)
    }

    fn fate(&self) -> Fate {
        let mut clocks = self.lock();
        let Dangers {
            dies,
            sleeps,
            is_paused,
        } = self.dangers;
        let chance = clocks.random.below(10_000);
        if chance < dies {
            return Fate::Dies;
        }
        if chance >= dies + sleeps + is_paused {
            return Fate::GoesOn;
        }
        let longest = match clocks.random.below(3) {
            0 => STANDS_STILL_AT_MOST,
            _ => Duration::from_millis(600),
        };
        let time = part(&mut clocks.random, longest);
        if chance < dies + is_paused {
            let time = time.min(clocks.pauses);
            clocks.pauses -= time;
            clocks.ahead -= time.as_micros() as i64;
            clocks.stood_still += time;
            return Fate::StandsStill(time);
        }
        clocks.stood_still += time;
        Fate::StandsStill(time)
    }

    fn wall_microseconds(&self, clocks: &Clocks) -> i64 {
        server_clock(&self.timeline) + clocks.ahead
    }

    fn lock(&self) -> MutexGuard<'_, Clocks> {
        self.clocks.lock().unwrap()
    }
}

/// What happens to a process.
enum Fate {
    GoesOn,
    Dies,
    StandsStill(Duration),
}

impl internals::Machine for Machine {
    fn steady(&self) -> Instant {
        self.began + self.timeline.now() - self.lock().stood_still
    }

    fn wall(&self) -> SystemTime {
        let microseconds = self.wall_microseconds(&self.lock());
        UNIX_EPOCH + Duration::from_micros(microseconds.unsigned_abs())
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.timeline.sleep(time)
    }

    fn name(&self) -> Uuid {
        let mut clocks = self.lock();
        clocks.names += 1;
        let milliseconds = self.wall_microseconds(&clocks) / 1000;
        let mut rest = [0; 10];
        rest[2..].copy_from_slice(&clocks.names.to_be_bytes());
        rest[3..5].copy_from_slice(&self.number.to_be_bytes());
        Builder::from_unix_timestamp_millis(milliseconds.unsigned_abs(), &rest).into_uuid()
    }
}
