//! Estimate of a question's time from the number of records that it reads and the speed of a scan on one core.
//!
//! E. Chan (Apache Cassandra for analytics: A performance and storage analysis, 2016): the predicted time is the
//! expected number of records times the users, divided by the cores times the scan speed of one core. A question of
//! a single partition is read by one core, so that with fewer users than cores it takes the records divided by that
//! speed.

use serde::Serialize;

use super::scan_speed::fastest_without_rows;
use super::{DesignSummary, FEWEST_ANSWERS, QuerySummary, Summary, UnknownLoad};

/// Returns the seconds of a question whose records are spread over so many partitions that all cores read them,
/// while `users` ask it at the same time. `speed` is in records a second on one core.
pub fn spread_over_cores(records: f64, users: f64, cores: f64, speed: f64) -> f64 {
    records * users / (cores * speed)
}

/// Returns the seconds of a question whose records are in a single partition, which one core reads, while `users`
/// ask it at the same time. `speed` is in records a second on one core.
pub fn in_one_partition(records: f64, users: f64, cores: f64, speed: f64) -> f64 {
    if users < cores {
        records / speed
    } else {
        spread_over_cores(records, users, cores, speed)
    }
}

/// Question whose time is estimated: what it reads, and who asks it at the same time on which cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ScanQuestion {
    pub records: u64,
    pub users: u32,
    pub cores: u32,
}

/// Estimates of all designs that may be recommended, and a check of the same formula by what the run measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByScanSpeed {
    #[serde(flatten)]
    pub asked: ScanQuestion,
    /// Designs with a scan speed, in the header's order.
    pub designs: Vec<ScanEstimate>,
    /// The others of them.
    pub unknown: Vec<UnknownLoad>,
    /// Times that the run measured, each with what the formula says.
    pub checks: Vec<ScanCheck>,
}

/// Estimated times of one design, in seconds; both include its latency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanEstimate {
    pub design: String,
    pub speed: CoreSpeed,
    /// Time where the records are spread over many partitions.
    pub spread: f64,
    /// Time where the records are in a single partition.
    pub one_partition: f64,
}

/// Speed of a design's fastest full scan on one core.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoreSpeed {
    /// Query that is the full scan.
    pub query: String,
    /// Rows that it read, divided by its CPU seconds of Bakeoff and the server together, less those of a query that
    /// reads no row.
    pub rows_per_core_second: f64,
    /// Number of cores that it kept busy, on average.
    pub cores_in_use: f64,
    /// Seconds of the fastest query for which the design reads no row; 0 if there is none.
    pub latency: f64,
    /// Query that the latency is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_of: Option<String>,
}

/// Time that the run measured, with what the formula says for it on the cores of the run's machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanCheck {
    pub design: String,
    pub query: String,
    pub records: f64,
    /// Number of clients that asked it at the same time.
    pub users: u32,
    /// Measured seconds: the median of one user, or the mean of several.
    pub measured: f64,
    pub spread: f64,
    pub one_partition: f64,
}

impl ScanCheck {
    /// Returns the factor by which the time over all cores is too long or too short, at least 1.
    pub fn spread_off_by(&self) -> f64 {
        off_by(self.spread, self.measured)
    }

    /// Returns the factor by which the time of a single partition is too long or too short, at least 1.
    pub fn one_partition_off_by(&self) -> f64 {
        off_by(self.one_partition, self.measured)
    }
}

fn off_by(predicted: f64, measured: f64) -> f64 {
    (predicted / measured).max(measured / predicted)
}

impl CoreSpeed {
    fn spread(&self, records: f64, users: u32, cores: u32) -> f64 {
        let (users, cores) = (f64::from(users), f64::from(cores));
        self.latency + spread_over_cores(records, users, cores, self.rows_per_core_second)
    }

    fn one_partition(&self, records: f64, users: u32, cores: u32) -> f64 {
        let (users, cores) = (f64::from(users), f64::from(cores));
        self.latency + in_one_partition(records, users, cores, self.rows_per_core_second)
    }
}

impl Summary {
    /// Estimates the time of a question from the records that it reads, for each design that may be recommended, and
    /// checks the same formula by the run's own other times. Users and cores of 0 count as 1.
    pub fn by_scan_speed(&self, asked: ScanQuestion) -> ByScanSpeed {
        let (users, cores) = (asked.users.max(1), asked.cores.max(1));
        let mut found = ByScanSpeed {
            asked,
            designs: Vec::new(),
            unknown: Vec::new(),
            checks: Vec::new(),
        };
        for design in self.contenders() {
            match self.core_speed(design) {
                Ok(speed) => {
                    found.checks.extend(self.checks_of(design, &speed));
                    let records = asked.records as f64;
                    found.designs.push(ScanEstimate {
                        design: design.info.id.clone(),
                        spread: speed.spread(records, users, cores),
                        one_partition: speed.one_partition(records, users, cores),
                        speed,
                    });
                }
                Err(why) => found.unknown.push(UnknownLoad {
                    design: design.info.id.clone(),
                    why: why.to_owned(),
                }),
            }
        }
        found
    }

    /// Returns the speed of a design's fastest full scan on one core.
    ///
    /// # Errors
    /// The reason why it is not known.
    fn core_speed(&self, design: &DesignSummary) -> Result<CoreSpeed, &'static str> {
        let nothing = fastest_without_rows(design);
        let latency = nothing.and_then(QuerySummary::median).unwrap_or(0.0);
        let idle = nothing.and_then(|query| cpu_seconds(design, query));
        let scans = self.full_scans(design);
        if scans.is_empty() {
            return Err("no query is known to read all of its rows");
        }
        let speeds = scans.iter().filter_map(|scan| {
            let query = design.query(scan.query)?;
            let cpu = cpu_seconds(design, query)? - idle.unwrap_or(0.0);
            let seconds = scan.seconds - latency;
            let rows = query.rows_scanned.unwrap_or(self.rows as f64);
            (cpu > 0.0 && seconds > 0.0 && rows > 0.0).then(|| CoreSpeed {
                query: query.query.clone(),
                rows_per_core_second: rows / cpu,
                cores_in_use: cpu / seconds,
                latency,
                latency_of: nothing.map(|query| query.query.clone()),
            })
        });
        speeds
            .max_by(|a, b| a.rows_per_core_second.total_cmp(&b.rows_per_core_second))
            .ok_or("the CPU time of its full scans is not known, or too short for its clock")
    }

    /// Returns the times of a design that were measured and whose number of records is known, but for that of the
    /// scan that the speed is of.
    fn checks_of(&self, design: &DesignSummary, speed: &CoreSpeed) -> Vec<ScanCheck> {
        let cores = self.header.machine.cores.max(1);
        let scans = self.full_scans(design);
        let mut checks = Vec::new();
        for query in &design.queries {
            let is_scan = scans.iter().any(|scan| scan.query == query.query);
            let all_rows = is_scan.then_some(self.rows as f64);
            let read = query.rows_scanned.or(all_rows).filter(|&rows| rows > 0.0);
            let Some(records) = read else {
                continue;
            };
            let is_its_own = query.query == speed.query;
            let alone = query.median().filter(|_| !is_its_own);
            let times = [
                alone.map(|measured| (1, measured)),
                of_clients(design, query),
            ];
            for (users, measured) in times.into_iter().flatten() {
                checks.push(ScanCheck {
                    design: design.info.id.clone(),
                    query: query.query.clone(),
                    records,
                    users,
                    measured,
                    spread: speed.spread(records, users, cores),
                    one_partition: speed.one_partition(records, users, cores),
                });
            }
        }
        checks.retain(|check| check.measured > 0.0);
        checks
    }
}

/// Returns the CPU seconds of one answer; `None` where they are not known, or only a bound of them is.
fn cpu_seconds(design: &DesignSummary, query: &QuerySummary) -> Option<f64> {
    let work = design.work_of(query).filter(|work| !work.is_bound)?;
    Some(work.seconds())
}

/// Returns the number of clients that all asked this query and no other at the same time, and the mean time of an
/// answer.
fn of_clients(design: &DesignSummary, query: &QuerySummary) -> Option<(u32, f64)> {
    let asked = { design.concurrent.as_ref() }.filter(|asked| asked.one_query_at_a_time)?;
    let figures = asked.query(&query.query)?;
    let mean = figures
        .mean
        .filter(|_| figures.answered >= FEWEST_ANSWERS)?;
    Some((asked.clients, mean))
}

#[cfg(test)]
mod tests;
