//! Forecast of a load for a slower disk: what `bakeoff forecast LOAD --disk-read` prints.

use bakeoff_stats::drive::{DriveSummary, NoDiskForecast, OnDisk};
use serde::Serialize;

use crate::decide::words::percent;
use crate::text::COLUMNS;
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Error up to which a prediction counts as near, relative to what was measured.
const NEAR: f64 = 0.2;
/// Assumptions of the forecast.
const ASSUMED: &str = "With the same memory, mix and operations in flight. A design does no more operations a \
    second than the bytes of the disk by those that an operation read, compaction included, nor than were \
    measured. Without an interval.";

/// Designs of a load on a disk that gives fewer bytes a second.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SlowerDisk {
    pub bytes_per_second: f64,
    /// Share of the designs that are within 20% of what a load with such a disk measured; `None` without
    /// that load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_20: Option<f64>,
    pub designs: Vec<OnSlowerDisk>,
}

/// A design, with what a load with such a disk measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OnSlowerDisk {
    #[serde(flatten)]
    pub forecast: OnDisk,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounded: Option<Bounded>,
}

/// Measurement with a bounded disk.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounded {
    /// Operations a second that were measured.
    pub measured: f64,
    /// Logarithm of predicted by measured, without its sign.
    pub error: f64,
}

impl SlowerDisk {
    /// Predicts a load on a disk that gives this many bytes a second.
    ///
    /// # Errors
    /// The load shows nothing about the disk.
    pub fn of(load: &DriveSummary, bytes_per_second: f64) -> Result<SlowerDisk, NoDiskForecast> {
        let designs = load.on_disk(bytes_per_second)?.into_iter();
        let designs = designs.map(|forecast| OnSlowerDisk {
            forecast,
            bounded: None,
        });
        Ok(SlowerDisk {
            bytes_per_second,
            within_20: None,
            designs: designs.collect(),
        })
    }

    /// Predicts a load that was bounded in what it read, and compares.
    ///
    /// # Errors
    /// The load shows nothing about the disk, or the other one is not the same load on a bounded disk.
    pub fn checked(
        load: &DriveSummary,
        bounded: &DriveSummary,
    ) -> Result<SlowerDisk, NoDiskForecast> {
        let mut found = SlowerDisk::of(load, load.disk_of(bounded)?)?;
        for design in &mut found.designs {
            design.bounded = measured(bounded, &design.forecast);
        }
        let checked: Vec<Bounded> = found.designs.iter().filter_map(|d| d.bounded).collect();
        let near = checked.iter().filter(|check| check.is_near()).count();
        found.within_20 = (!checked.is_empty()).then(|| near as f64 / checked.len() as f64);
        Ok(found)
    }

    /// Renders the forecast as text.
    pub fn render(&self) -> String {
        let parts = [
            wrap(&self.headline(), COLUMNS, "", ""),
            wrap(ASSUMED, COLUMNS, "", ""),
            self.table(),
        ];
        parts.join("\n\n") + "\n"
    }

    /// Renders it as JSON. Rates are a second, sizes in bytes.
    ///
    /// # Errors
    /// None that figures of a load can cause.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn disk(&self) -> String {
        let megabytes = self.bytes_per_second / 1e6;
        format!("{} MB/s", (megabytes * 10.0).round() / 10.0)
    }

    fn headline(&self) -> String {
        let all = self.designs.len();
        let checked: Vec<Bounded> = self.designs.iter().filter_map(|d| d.bounded).collect();
        if !checked.is_empty() {
            let near = checked.iter().filter(|check| check.is_near()).count();
            return format!(
                "Predicted for a disk that gives {}, against a load with one: {near} of {} within {}.",
                self.disk(),
                units::plural(checked.len() as u64, "design", "designs"),
                percent(NEAR)
            );
        }
        let bounded = self
            .designs
            .iter()
            .filter(|d| d.forecast.is_bounded)
            .count();
        format!(
            "A disk that gives {} bounds {bounded} of {}.",
            self.disk(),
            units::plural(all as u64, "design", "designs")
        )
    }

    fn table(&self) -> String {
        let is_checked = self.designs.iter().any(|design| design.bounded.is_some());
        let mut table = table(Style { color: false });
        set_width(&mut table, COLUMNS);
        let mut head = vec![
            left("Design"),
            right("Read per operation"),
            right("Operations/s"),
            right(format!("At {}", self.disk())),
        ];
        if is_checked {
            head.extend([right("Measured there"), right("Error")]);
        }
        table.set_header(head);
        for design in &self.designs {
            let forecast = &design.forecast;
            let mut row = vec![
                left(&forecast.design),
                right(units::bytes(forecast.read_per_op)),
                right(units::rate(forecast.measured)),
                right(units::rate(forecast.at_most)),
            ];
            if is_checked {
                row.push(right(or_none(design.bounded, |b| units::rate(b.measured))));
                row.push(right(or_none(design.bounded, |b| {
                    percent(b.error.exp() - 1.0)
                })));
            }
            table.add_row(row);
        }
        table.trim_fmt()
    }
}

impl Bounded {
    fn is_near(&self) -> bool {
        self.error <= NEAR.ln_1p()
    }
}

fn measured(bounded: &DriveSummary, forecast: &OnDisk) -> Option<Bounded> {
    let figures = bounded.design(&forecast.design)?.figures.as_ref()?;
    let measured = figures.ops_per_second;
    (measured > 0.0).then(|| Bounded {
        measured,
        error: (forecast.at_most / measured).ln().abs(),
    })
}
