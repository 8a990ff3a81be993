//! Estimate of what a disk has to give for a rate of reads: what `bakeoff forecast LOAD --reads` prints.

use bakeoff_stats::drive::{DiskForReads, DriveSummary, NoDiskForecast};
use serde::Serialize;

use crate::text::COLUMNS;
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumptions of the estimates.
const ASSUMED: &str = "Estimates, without an interval: the rate by the bytes that the server read from the disk for \
    each read of the load, compaction and the load's other operations included, with the same memory and mix; and \
    beside it by the length of a chunk, as if each read fetched a whole one and compression gained nothing.";

/// Designs of a load, with the bytes a second that they need from their disk for a rate of reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiskForRate {
    pub reads_per_second: f64,
    pub designs: Vec<DiskForReads>,
}

impl DiskForRate {
    /// Estimates what the designs of a load need for this many reads a second.
    ///
    /// # Errors
    /// The load shows nothing about reads from the disk.
    pub fn of(load: &DriveSummary, reads_per_second: f64) -> Result<DiskForRate, NoDiskForecast> {
        Ok(DiskForRate {
            reads_per_second,
            designs: load.disk_for_reads(reads_per_second)?,
        })
    }

    /// Renders the estimates as text.
    pub fn render(&self) -> String {
        let parts = [
            wrap(&self.headline(), COLUMNS, "", ""),
            wrap(ASSUMED, COLUMNS, "", ""),
            self.table(),
        ];
        parts.join("\n\n") + "\n"
    }

    /// Renders them as JSON. Rates are a second, sizes in bytes.
    ///
    /// # Errors
    /// None that figures of a load can cause.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn headline(&self) -> String {
        let needed = self.designs.iter().map(|design| design.bytes_per_second);
        let least = needed.clone().fold(f64::INFINITY, f64::min);
        let most = needed.fold(0.0, f64::max);
        let needed = match (per_second(least), per_second(most)) {
            (least, most) if least == most => most,
            (least, most) => format!("{least} to {most}, by design,"),
        };
        format!(
            "{} reads a second need about {needed} from the disk.",
            units::rate(self.reads_per_second)
        )
    }

    fn table(&self) -> String {
        let mut table = table(Style { color: false });
        set_width(&mut table, COLUMNS);
        table.set_header(vec![
            left("Design"),
            right("From disk per read"),
            right("Needed"),
            right("Chunk"),
            right("By whole chunks"),
        ]);
        for design in &self.designs {
            table.add_row(vec![
                left(&design.design),
                right(units::bytes(design.read_per_read)),
                right(per_second(design.bytes_per_second)),
                right(or_none(design.chunk_bytes, |b| units::bytes(b as f64))),
                right(or_none(design.chunks_per_second, per_second)),
            ]);
        }
        table.trim_fmt()
    }
}

fn per_second(bytes: f64) -> String {
    format!("{}/s", units::bytes(bytes))
}
