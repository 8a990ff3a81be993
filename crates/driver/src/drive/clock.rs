//! The clock of a load, and a timer on it with a precision of microseconds.
//!
//! All times are nanoseconds on a monotonic clock, so setting the wall clock has no effect. On Linux the
//! clock stops while the machine is suspended, and so does the load. If it jumps forward (because a
//! virtual machine was paused), everything that became due meanwhile is late, and is sent and counted as
//! such.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

#[cfg(target_os = "linux")]
use tokio::io::{Interest, unix::AsyncFd};
use tokio::time::{Instant, Sleep};

/// Source of the time of a load. All workers of a load share one.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// The system's monotonic clock, with a timer descriptor of the kernel for waiting.
    #[cfg(target_os = "linux")]
    System,
    /// Tokio's clock since this instant. Its precision is 1 ms, and tests can pause it.
    Tokio(Instant),
}

impl Clock {
    /// Returns the most precise clock of this system.
    pub fn precise() -> Self {
        #[cfg(target_os = "linux")]
        return Clock::System;
        #[cfg(not(target_os = "linux"))]
        return Clock::tokio();
    }

    /// Returns Tokio's clock, starting now.
    pub fn tokio() -> Self {
        Clock::Tokio(Instant::now())
    }

    /// Returns the nanoseconds since some fixed moment.
    pub fn now(&self) -> u64 {
        match self {
            #[cfg(target_os = "linux")]
            Clock::System => {
                let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
                now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
            }
            Clock::Tokio(origin) => Instant::now().duration_since(*origin).as_nanos() as u64,
        }
    }

    /// Waits until a moment, with a precision of a millisecond.
    pub async fn sleep_until(&self, at: u64) {
        tokio::time::sleep(Duration::from_nanos(at.saturating_sub(self.now()))).await;
    }
}

/// One alarm on a [`Clock`], for one task. Setting it again replaces the earlier moment.
pub enum Timer {
    /// A timer of the kernel (timerfd_create(2)). Tokio's rounds up to the next millisecond, which is far
    /// more than a driver may be late by itself.
    #[cfg(target_os = "linux")]
    Descriptor(AsyncFd<rustix::fd::OwnedFd>),
    /// A timer of Tokio.
    Sleep {
        sleep: Pin<Box<Sleep>>,
        origin: Instant,
    },
}

impl Timer {
    /// Creates a timer that is not set. It has to be called within a runtime.
    ///
    /// # Errors
    /// If the system gives no further file descriptor.
    pub fn new(clock: Clock) -> io::Result<Self> {
        match clock {
            #[cfg(target_os = "linux")]
            Clock::System => {
                use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};
                let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
                let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
                #[expect(
                    deprecated,
                    reason = "unsound for types that lose their descriptor, which OwnedFd is not; \
                              its successor is an unsafe function"
                )]
                let descriptor = AsyncFd::with_interest(descriptor, Interest::READABLE)?;
                Ok(Timer::Descriptor(descriptor))
            }
            Clock::Tokio(origin) => Ok(Timer::Sleep {
                sleep: Box::pin(tokio::time::sleep(Duration::MAX)),
                origin,
            }),
        }
    }

    /// Sets the alarm. If the moment has passed already, the alarm expires at once.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn set(&mut self, at: u64) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Timer::Descriptor(descriptor) => {
                use rustix::time::{Itimerspec, TimerfdTimerFlags, Timespec, timerfd_settime};
                // A value of zero would disarm the timer.
                let at = at.max(1);
                let alarm = Itimerspec {
                    it_interval: Timespec::default(),
                    it_value: Timespec {
                        tv_sec: (at / 1_000_000_000) as i64,
                        tv_nsec: (at % 1_000_000_000) as _,
                    },
                };
                timerfd_settime(descriptor.get_ref(), TimerfdTimerFlags::ABSTIME, &alarm)?;
                Ok(())
            }
            Timer::Sleep { sleep, origin } => {
                sleep.as_mut().reset(*origin + Duration::from_nanos(at));
                Ok(())
            }
        }
    }

    /// Is ready once the alarm has expired; then it has to be set again. The task is woken when it
    /// expires.
    ///
    /// # Errors
    /// If the runtime is shutting down.
    pub fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            #[cfg(target_os = "linux")]
            Timer::Descriptor(descriptor) => descriptor.poll_read_ready(cx).map(|ready| {
                // The expirations need not be read: setting the timer again discards them, and each
                // one is a separate readiness event (epoll(7), edge-triggered).
                ready?.clear_ready();
                Ok(())
            }),
            Timer::Sleep { sleep, .. } => sleep.as_mut().poll(cx).map(Ok),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// Rings at 200 moments that are 200 microseconds apart, and returns how late each one was.
    async fn lateness(clock: Clock) -> Vec<u64> {
        let mut timer = Timer::new(clock).unwrap();
        let start = clock.now();
        let mut late = Vec::new();
        for k in 1..=200 {
            let at = start + k * 200_000;
            timer.set(at).unwrap();
            poll_fn(|cx| timer.poll_expired(cx)).await.unwrap();
            let now = clock.now();
            assert!(now >= at, "rang {} ns early", at - now);
            late.push(now - at);
        }
        late.sort_unstable();
        late
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_system_timer_is_far_better_than_a_millisecond() {
        let late = lateness(Clock::System).await;
        // The best tenth, since a busy machine delays many.
        assert!(late[20] < 400_000, "a tenth {} ns late or less", late[20]);
    }

    #[tokio::test(start_paused = true)]
    async fn tokio_time_is_exact_to_the_millisecond() {
        let late = lateness(Clock::tokio()).await;
        assert!(late[199] <= 1_000_000, "{} ns late", late[199]);
    }

    #[tokio::test]
    async fn a_moment_that_is_past_rings_at_once() {
        for clock in [Clock::precise(), Clock::tokio()] {
            let mut timer = Timer::new(clock).unwrap();
            timer.set(0).unwrap();
            poll_fn(|cx| timer.poll_expired(cx)).await.unwrap();
        }
    }

    #[tokio::test]
    async fn an_alarm_can_be_moved_both_ways() {
        let clock = Clock::precise();
        let mut timer = Timer::new(clock).unwrap();
        let start = clock.now();
        timer.set(start + 3_600_000_000_000).unwrap();
        timer.set(start + 2_000_000).unwrap();
        poll_fn(|cx| timer.poll_expired(cx)).await.unwrap();
        timer.set(start).unwrap();
        timer.set(start + 4_000_000).unwrap();
        poll_fn(|cx| timer.poll_expired(cx)).await.unwrap();
        assert!(clock.now() >= start + 2_000_000);
    }
}
