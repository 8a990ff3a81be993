//! CPU time of one piece of work, with what its clock may have missed.

use super::{DesignSummary, QuerySummary};
use crate::CpuSeconds;

/// Seconds of a tick, in which earlier versions counted CPU time, and the system that of processes that ended.
const TICK: f64 = 0.01;
/// Ticks from which on their number is taken as it is.
const ENOUGH_TICKS: f64 = 10.0;
/// Standard deviations below which 95% of a normal distribution lie.
const ONE_SIDED: f64 = 1.645;
/// Expected number of which none is seen in 5% of all cases.
const NONE_SEEN: f64 = 3.0;

/// Resolution of the clocks that CPU times of a design were measured with, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Resolution {
    client: f64,
    server: f64,
}

impl Resolution {
    /// Returns the resolution that readings show: where all of them are whole ticks, they were counted in
    /// ticks.
    pub fn of(readings: impl Iterator<Item = CpuSeconds> + Clone) -> Resolution {
        let clients = readings.clone().map(|cpu| cpu.client);
        Resolution {
            client: resolution(clients),
            server: resolution(readings.filter_map(|cpu| cpu.server)),
        }
    }
}

fn resolution(mut readings: impl Iterator<Item = f64>) -> f64 {
    let is_whole = |seconds: f64| {
        let ticks = seconds / TICK;
        (ticks - ticks.round()).abs() < 1e-4
    };
    if readings.all(is_whole) { TICK } else { 0.0 }
}

/// CPU seconds of one answer, or of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    pub client: f64,
    /// CPU seconds of all copies that the run made; 0 without a server.
    pub server: f64,
    /// Whether it is the most that the clock may have missed, since the clock saw next to nothing.
    pub is_bound: bool,
}

impl Work {
    pub fn seconds(&self) -> f64 {
        self.client + self.server
    }
}

impl DesignSummary {
    /// Returns the CPU time of one answer. Returns `None` where that of the server is not known, or more was counted
    /// than that of answers.
    pub(super) fn work_of(&self, query: &QuerySummary) -> Option<Work> {
        let rounds = query.rounds.len() as f64;
        self.work(query.cpu.as_ref()?, rounds)
    }

    /// Returns whether the CPU time of one answer is known, and not only how much the clock may have missed.
    pub fn knows_cpu_of(&self, query: &QuerySummary) -> bool {
        self.work_of(query).is_some_and(|work| !work.is_bound)
    }

    /// Returns the CPU time of one row that is loaded. Returns `None` where that of the server is not known.
    pub(super) fn work_of_a_row(&self) -> Option<Work> {
        let rows = self.rows_loaded as f64;
        let load = self.work(&self.load_cpu, 1.0).filter(|_| rows > 0.0)?;
        Some(Work {
            client: load.client / rows,
            server: load.server / rows,
            ..load
        })
    }

    /// Returns the CPU time of work whose mean over this many readings is this many seconds.
    pub(super) fn work(&self, cpu: &CpuSeconds, readings: f64) -> Option<Work> {
        let server = cpu.server.or((!self.info.server).then_some(0.0))?;
        let has_server = cpu.server.is_some();
        let server_tick = if !has_server {
            0.0
        } else if cpu.in_ticks {
            TICK
        } else {
            self.resolution.server
        };
        let client = at_most(cpu.client, readings, self.resolution.client)?;
        let server = at_most(server, readings, server_tick)?;
        Some(Work {
            client: client.0,
            server: server.0,
            is_bound: client.1 || server.1,
        })
    }
}

/// Returns the mean, or where the clock saw too little of it an upper bound that holds in 95% of all cases,
/// and which of them it is.
///
/// A reading is off by up to a tick in either direction, evenly spread at both ends, so that the variance of
/// a mean of n readings is a sixth of a tick's square by n. Where no tick was seen at all, the rule of three
/// says how many there may have been (Hanley, Lippman-Hand: If nothing goes wrong, is everything all right?,
/// 1983).
fn at_most(mean: f64, readings: f64, tick: f64) -> Option<(f64, bool)> {
    if readings < 1.0 || !mean.is_finite() || mean < 0.0 {
        return None;
    }
    if mean * readings >= ENOUGH_TICKS * tick {
        return Some((mean, false));
    }
    let missed = (ONE_SIDED / (6.0 * readings).sqrt()).max(NONE_SEEN / readings);
    Some((mean + tick * missed, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_known_by_whole_ones() {
        let cpu = |client, server| CpuSeconds {
            client,
            server,
            in_ticks: false,
        };
        let ticks = [cpu(0.02, Some(0.0)), cpu(12.34 - 12.30, None)];
        let found = Resolution::of(ticks.into_iter());
        assert_eq!((found.client, found.server), (TICK, TICK));
        let fine = [cpu(0.020_001_7, Some(0.01)), cpu(0.0, None)];
        let found = Resolution::of(fine.into_iter());
        assert_eq!((found.client, found.server), (0.0, TICK));
    }

    #[test]
    fn what_the_clock_missed_is_bounded_and_less_with_more_readings() {
        assert_eq!(at_most(0.1, 7.0, TICK), Some((0.1, false)));
        assert_eq!(at_most(0.000_2, 1.0, 0.0), Some((0.000_2, false)));
        let (few, is_bound) = at_most(0.0, 7.0, TICK).unwrap();
        assert!(is_bound && few < TICK && few > 0.004, "{few}");
        assert!(at_most(0.0, 70.0, TICK).unwrap().0 < few);
        assert!(at_most(0.003, 7.0, TICK).unwrap().0 > few);
    }

    #[test]
    fn no_readings_and_no_numbers_are_no_figure() {
        for (mean, readings) in [(0.1, 0.0), (f64::NAN, 3.0), (-0.1, 3.0)] {
            assert_eq!(at_most(mean, readings, TICK), None);
        }
    }
}
