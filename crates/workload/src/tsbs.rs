//! Tables and scale of the Time Series Benchmark Suite (TSBS), as a generator makes them.

use std::fmt;
use std::ops::Range;

/// First moment of the data: 2016-01-01T00:00:00Z, in milliseconds since the Unix epoch.
pub(crate) const START_MS: i64 = 1_451_606_400_000;
/// Last moment that data may have, in milliseconds: 9999-12-31T23:59:59.999Z.
const LAST_MS: i64 = 253_402_300_799_999;
/// Number of steps of the random walks behind the values.
pub(crate) const MOST_TICKS: u64 = 1 << 40;
pub(crate) const DAY_MS: u64 = 86_400_000;

/// Number of hosts or trucks, and how often and for how long each is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TsbsScale {
    /// Number of hosts or trucks.
    pub sources: u32,
    /// Milliseconds between two readings of a source.
    pub interval_ms: u32,
    /// Days that the data cover; `None` for data without end.
    pub days: Option<u32>,
}

impl TsbsScale {
    /// Returns the number of times at which every source is read, one at the start of each whole
    /// interval.
    pub(crate) fn ticks(&self) -> u64 {
        let interval_ms = u64::from(self.interval_ms.max(1));
        let most = self.most_ticks();
        self.days.map_or(most, |days| {
            (u64::from(days) * DAY_MS / interval_ms).min(most)
        })
    }

    /// Returns the time that the data cover, in milliseconds since the Unix epoch; `None` for data without end.
    pub fn time_span(&self) -> Option<Range<i64>> {
        let days = i64::from(self.days?);
        let end = (START_MS + days * DAY_MS as i64).min(LAST_MS + 1);
        Some(START_MS..end)
    }

    /// Returns the number of times until the walks end or the year has five digits.
    pub(crate) fn most_ticks(&self) -> u64 {
        let interval_ms = u64::from(self.interval_ms.max(1));
        ((LAST_MS - START_MS) as u64 / interval_ms + 1).min(MOST_TICKS)
    }
}

/// Measurements of a host. All hosts have the same ten tags; some measurements have more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DevopsMeasurement {
    Cpu,
    Diskio,
    Disk,
    Kernel,
    Mem,
    Net,
    Nginx,
    /// PostgreSQL, spelled as in TSBS.
    Postgresl,
    Redis,
}

impl DevopsMeasurement {
    /// All measurements with their names.
    pub const ALL: [(&'static str, DevopsMeasurement); 9] = [
        ("cpu", DevopsMeasurement::Cpu),
        ("diskio", DevopsMeasurement::Diskio),
        ("disk", DevopsMeasurement::Disk),
        ("kernel", DevopsMeasurement::Kernel),
        ("mem", DevopsMeasurement::Mem),
        ("net", DevopsMeasurement::Net),
        ("nginx", DevopsMeasurement::Nginx),
        ("postgresl", DevopsMeasurement::Postgresl),
        ("redis", DevopsMeasurement::Redis),
    ];

    pub fn name(self) -> &'static str {
        name_in(&Self::ALL, self)
    }
}

/// Measurements of a truck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IotMeasurement {
    Readings,
    Diagnostics,
}

impl IotMeasurement {
    /// All measurements with their names.
    pub const ALL: [(&'static str, IotMeasurement); 2] = [
        ("readings", IotMeasurement::Readings),
        ("diagnostics", IotMeasurement::Diagnostics),
    ];

    pub fn name(self) -> &'static str {
        name_in(&Self::ALL, self)
    }
}

fn name_in<T: Copy + PartialEq>(all: &[(&'static str, T)], wanted: T) -> &'static str {
    let found = all.iter().find(|(_, measurement)| *measurement == wanted);
    found.map_or("", |(name, _)| name)
}

/// Shows the scale as in "every 10s for 3 days" or "every 500ms".
impl fmt::Display for TsbsScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = std::time::Duration::from_millis(self.interval_ms.into());
        write!(f, "every {}", humantime::format_duration(interval))?;
        match self.days {
            Some(1) => write!(f, " for 1 day"),
            Some(days) => write!(f, " for {days} days"),
            None => Ok(()),
        }
    }
}
