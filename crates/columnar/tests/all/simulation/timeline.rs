//! The time of a simulation, which passes when nothing else is left to do.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use bakeoff_testing::Random;
use futures::future::BoxFuture;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, yield_now};

/// The number of looks at all tasks and sockets without anything to do, after which time passes.
const QUIET_LOOKS: u32 = 16;

/// The time without anything to do or to wait for after which something hangs. It is real.
const HANGS_AFTER: Duration = Duration::from_secs(20);

/// The simulated time, and who waits for it.
#[derive(Default)]
pub struct Timeline(Mutex<State>);

#[derive(Default)]
struct State {
    now: Duration,
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
    number: u64,
    /// What has happened, as a number that grows.
    activity: u64,
}

impl Timeline {
    /// Returns the time since the simulation began.
    pub fn now(&self) -> Duration {
        self.lock().now
    }

    /// Notes that something happens, so that time does not pass yet.
    pub fn act(&self) {
        self.lock().activity += 1;
    }

    /// Returns a future that is ready after this time.
    pub fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        let until = self.now() + time;
        self.sleep_until(until)
    }

    /// Returns a future that is ready at this time.
    pub fn sleep_until(&self, until: Duration) -> BoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        let mut state = self.lock();
        let place = (until.max(state.now), state.number);
        state.number += 1;
        state.activity += 1;
        state.sleepers.insert(place, wake);
        Box::pin(async move {
            // It is woken, or the world ends.
            let _ = woken.await;
        })
    }

    /// Lets time pass until a task has ended.
    ///
    /// # Panics
    /// Panics if the task does, or if it waits for something that never comes.
    pub async fn pass_until_ended<T>(&self, task: JoinHandle<T>) -> T {
        while !task.is_finished() {
            self.settle(&task).await;
            if !task.is_finished() && !self.pass() {
                self.wait(&task).await;
            }
        }
        task.await.expect("no task of a simulation fails")
    }

    /// Gives everybody the time to do what can be done now.
    async fn settle<T>(&self, task: &JoinHandle<T>) {
        let (mut quiet, mut seen) = (0, self.lock().activity);
        while quiet < QUIET_LOOKS && !task.is_finished() {
            // All other tasks go on, and what has come to sockets is noticed.
            yield_now().await;
            let activity = self.lock().activity;
            quiet = if activity == seen { quiet + 1 } else { 0 };
            seen = activity;
        }
    }

    /// Goes on to the next moment for which somebody waits. Returns whether there was one.
    fn pass(&self) -> bool {
        let mut state = self.lock();
        while let Some(((moment, _), wake)) = state.sleepers.pop_first() {
            state.now = moment;
            state.activity += 1;
            // Who is dead does not wait any more.
            if wake.send(()).is_ok() {
                return true;
            }
        }
        false
    }

    /// Waits in real time until something happens: the system has not delivered something yet.
    async fn wait<T>(&self, task: &JoinHandle<T>) {
        let began = std::time::Instant::now();
        let seen = self.lock().activity;
        while self.lock().activity == seen && !task.is_finished() {
            assert!(began.elapsed() < HANGS_AFTER, "nothing happens any more");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

/// Returns a random part of a time.
pub fn part(random: &mut Random, time: Duration) -> Duration {
    Duration::from_micros(random.below(time.as_micros() as u64 + 1))
}
