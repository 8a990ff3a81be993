//! Forecast of a load for a slower disk, from the bytes that its operations read.
//!
//! Many operations in flight keep the queue of a slow disk filled, so that its bytes a second bound the
//! operations a second. A disk that is fast enough for what was measured changes nothing. This holds for a
//! load that goes as fast as it can, with the same memory: less memory or another mix read other bytes.

use serde::Serialize;

use super::{DriveDesign, DriveSummary};

/// Setting of an engine that was started with a bound on what it reads, and the unit of its value.
const LIMIT: &str = "disk read limit";
const LIMIT_UNIT: &str = " MB/s";
const MEGABYTE: f64 = 1e6;

/// A design on a disk that gives fewer bytes a second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnDisk {
    pub design: String,
    /// Operations a second that were measured.
    pub measured: f64,
    /// Bytes that one operation read from the disk.
    pub read_per_op: f64,
    /// Operations a second on that disk, at most.
    pub at_most: f64,
    /// Whether the disk is what bounds them.
    pub is_bounded: bool,
}

/// Reason why a load has no forecast for another disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoDiskForecast {
    #[error(
        "it was driven at a rate or within an objective, and only a load that goes as fast as it can shows \
         what the disk bounds: drive it without --rate and --within"
    )]
    NotAsFastAsItGoes,
    #[error(
        "no design has the bytes that were read from the disk: they are known of a server that Bakeoff \
         starts, and that the system lets it look at"
    )]
    NoBytes,
    #[error("none of its operations reads: drive a mix with reads")]
    NoReads,
    #[error(
        "the other one was not bounded: drive it with `disk_read` in the [server] of its workload"
    )]
    NotBounded,
    #[error("they have other {0}: drive the same load twice, once with `disk_read` in [server]")]
    Unlike(&'static str),
}

impl DriveSummary {
    /// Predicts the operations a second of each design on a disk that gives this many bytes a second.
    /// Designs of which the bytes are not known are left out.
    ///
    /// # Errors
    /// The load was not one that goes as fast as it can, or the bytes of no design are known.
    pub fn on_disk(&self, bytes_per_second: f64) -> Result<Vec<OnDisk>, NoDiskForecast> {
        let starts = self.trials.iter().map(|trial| &trial.start);
        let has_rate = { starts }.any(|start| start.scheduled_rate.is_some());
        if self.header.objective.is_some() || has_rate {
            return Err(NoDiskForecast::NotAsFastAsItGoes);
        }
        let designs = self.designs.iter();
        let known: Vec<OnDisk> = { designs }
            .filter_map(|design| on_disk(design, bytes_per_second))
            .collect();
        if known.is_empty() {
            return Err(NoDiskForecast::NoBytes);
        }
        Ok(known)
    }

    /// Returns the disk of a load that was bounded in what it read, in bytes a second, if it may be forecast
    /// from this one.
    ///
    /// # Errors
    /// It was not bounded, or it was another load.
    pub fn disk_of(&self, bounded: &DriveSummary) -> Result<f64, NoDiskForecast> {
        let (own, other) = (&self.header, &bounded.header);
        let unlike = [
            ("rows", own.rows != other.rows),
            ("operations", own.operations != other.operations),
            ("schedules", own.schedule != other.schedule),
            ("operations in flight", own.in_flight != other.in_flight),
            ("threads", own.threads != other.threads),
            ("machines", !own.machine.may_be(&other.machine)),
        ];
        if let Some((what, _)) = unlike.into_iter().find(|(_, differs)| *differs) {
            return Err(NoDiskForecast::Unlike(what));
        }
        bounded.disk_read_limit().ok_or(NoDiskForecast::NotBounded)
    }

    /// Returns the most bytes a second that the server might read from the disk.
    fn disk_read_limit(&self) -> Option<f64> {
        let mut settings = self.engines.iter().flat_map(|engine| &engine.settings);
        let (_, limit) = settings.find(|(name, _)| name == LIMIT)?;
        let megabytes: f64 = limit.strip_suffix(LIMIT_UNIT)?.parse().ok()?;
        Some(megabytes * MEGABYTE)
    }
}

fn on_disk(design: &DriveDesign, bytes_per_second: f64) -> Option<OnDisk> {
    let figures = design.figures.as_ref()?;
    let (measured, read_per_op) = (figures.ops_per_second, figures.disk_read_per_op?);
    // No bytes at all make this infinite.
    let of_disk = bytes_per_second / read_per_op;
    (measured > 0.0).then(|| OnDisk {
        design: design.info.id.clone(),
        measured,
        read_per_op,
        at_most: measured.min(of_disk),
        is_bounded: of_disk < measured,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::testing::*;

    /// A load of 60 operations a second, each of which reads 300 bytes.
    fn loaded(change: impl Fn(&mut DriveSummary)) -> DriveSummary {
        let dir = folder(&header(), |log| {
            let start = start(1, DESIGN, 1);
            write_trial(log, &start, &even_seconds(30, 40, 20), true);
            finish(log);
        });
        let mut summary = summary(dir.path());
        change(&mut summary);
        summary
    }

    fn of_first(summary: &DriveSummary, bytes_per_second: f64) -> OnDisk {
        summary.on_disk(bytes_per_second).unwrap().remove(0)
    }

    #[test]
    fn a_slow_disk_bounds_the_operations_and_a_fast_one_does_not() {
        let summary = loaded(|_| {});
        let slow = of_first(&summary, 9_000.0);
        assert!((slow.read_per_op - 300.0).abs() < 1e-9, "{slow:?}");
        assert!((slow.at_most - 30.0).abs() < 1e-9, "{slow:?}");
        assert!(slow.is_bounded);
        let fast = of_first(&summary, 1e6);
        assert_eq!((fast.at_most, fast.is_bounded), (fast.measured, false));
    }

    #[test]
    fn operations_that_read_nothing_are_bounded_by_no_disk() {
        let summary = loaded(|summary| {
            for figures in summary
                .designs
                .iter_mut()
                .filter_map(|d| d.figures.as_mut())
            {
                figures.disk_read_per_op = Some(0.0);
            }
        });
        let found = of_first(&summary, 1.0);
        assert_eq!((found.at_most, found.is_bounded), (found.measured, false));
    }

    #[test]
    fn loads_at_a_rate_and_without_bytes_are_refused() {
        let at_a_rate = loaded(|summary| summary.trials[0].start.scheduled_rate = Some(60.0));
        let refused = at_a_rate.on_disk(1e6);
        assert_eq!(refused, Err(NoDiskForecast::NotAsFastAsItGoes));
        let unknown = loaded(|summary| {
            for figures in summary
                .designs
                .iter_mut()
                .filter_map(|d| d.figures.as_mut())
            {
                figures.disk_read_per_op = None;
            }
        });
        assert_eq!(unknown.on_disk(1e6), Err(NoDiskForecast::NoBytes));
    }

    #[test]
    fn the_disk_of_a_bounded_load_is_that_of_its_server() {
        let free = loaded(|_| {});
        assert_eq!(free.disk_of(&free), Err(NoDiskForecast::NotBounded));
        let bounded = loaded(|summary| {
            summary.engines = vec![crate::EngineInfo {
                engine: "cassandra".to_owned(),
                version: "5.0".to_owned(),
                start_seconds: None,
                settings: vec![(LIMIT.to_owned(), "52.4288 MB/s".to_owned())],
            }];
        });
        let disk = free.disk_of(&bounded).unwrap();
        assert!((disk - 50.0 * 1_048_576.0).abs() < 1.0, "{disk}");
        let other = loaded(|summary| summary.header.in_flight = 64);
        let unlike = Err(NoDiskForecast::Unlike("operations in flight"));
        assert_eq!(other.disk_of(&bounded), unlike);
    }
}
