//! Summary of a run with everything that a report shows, computed from the records alone.

mod by_level;
mod by_scan_speed;
mod by_setting;
mod collect;
mod concurrent;
mod contenders;
mod cores;
mod cost;
mod cpu;
mod decision;
mod failures;
mod full_rows;
mod growth;
pub mod ledger;
pub(super) mod loading;
mod machines;
mod per_node;
mod race;
pub(super) mod rounds;
mod scale_out;
mod scan_speed;
mod speed_up;
mod together;
mod users;

pub use by_level::{AtLevel, AtLevels, READ_LEVEL};
pub use by_scan_speed::{ByScanSpeed, CoreSpeed, ScanCheck, ScanEstimate, ScanQuestion};
pub use by_setting::BySetting;
pub use concurrent::compared::{ConcurrentComparison, FEWEST_ANSWERS, MixComparison};
pub use concurrent::sets::CheckedSets;
pub use concurrent::{ConcurrentFigures, ConcurrentSummary};
pub use cores::BoundBy;
pub use cost::{Cost, CostRange, DesignCost, PriceFlip, PriceOf, QueryCost};
pub use growth::{
    Axis, DesignForecast, Forecast, HeldOut, Projected, Projection, Purchase, Refusal, RoomFrom,
    StorageForecast, TimeForecast, Trial,
};
pub use machines::{BUSY, Because, Demand, MOST_MACHINES, Machines, Needed};
#[cfg(test)]
pub use race::parts_of_error;
pub use race::{LOOKS, RaceSummary};
pub use rounds::{AgainstBaseline, AgainstBest, Difference, PairedComparison, QueryComparison};
pub use scale_out::{ScaleOut, ScaledQuery};
pub use scan_speed::{ScanSpeed, ScanSpeeds};
pub use speed_up::{FullScan, SpeedUp, SpeedUps};
pub use together::{KeptFigures, Together, TogetherQuery};
pub use users::{
    MeasuredLoad, NotChecked, UnderLoad, UnknownLoad, UsersChecked, UsersForecast, WhyNotChecked,
};

use super::{
    Axes, ColumnsRead, DistinctValues, Dropped, Header, Instance, InstanceKind, Planned, QuerySets,
    Record, RowsLeft, Selected, Step, Stored,
};
use crate::decide::Decision;
use crate::drive::Partitions;
use crate::per_node::{PerNode, Wanted};
use crate::{
    AccountAt, CpuSeconds, DesignInfo, EngineInfo, Estimate, Footprint, Profile, ServerWindow,
    Space,
};
use collect::Collected;
use cpu::Resolution;
use loading::Loading;

/// Summary of a run. Designs and queries are in the header's order.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Summary {
    pub header: Header,
    pub engines: Vec<EngineInfo>,
    /// Rows loaded into every design; for an unfinished load, the most that any design has.
    pub rows: u64,
    /// Rows of the data that were not loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_left: Option<RowsLeft>,
    /// Whether all rows of the data were loaded, so that there are no more.
    pub has_all_rows: bool,
    /// Rows that share their key with a later row; layouts that have the key keep the later one.
    pub duplicate_rows: u64,
    /// Designs that drop these rows, if the journal names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_by: Vec<String>,
    /// Column with which the key would not repeat, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told_apart_by: Option<String>,
    /// Number of rounds to measure; an unfinished run has measured fewer.
    pub rounds: u32,
    pub warm_up_passes: u32,
    /// Whether times were steady when measuring began; `None` before that.
    pub steady: Option<bool>,
    pub designs: Vec<DesignSummary>,
    /// Further tables of the designs, in the order in which they were chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<InstanceSummary>,
    /// Axes along which the table grows, if the workload names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<Axes>,
    /// Rows that queries select, as far as they were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<Selected>,
    /// Number of columns that queries read, as far as it is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns_read: Vec<ColumnsRead>,
    /// Different values of columns with an index, as far as they were counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distinct: Vec<DistinctValues>,
    /// Sizes of partitions, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partitions: Vec<Partitions>,
    /// Plans of queries, as far as designs told them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Planned>,
    /// First rows of designs as they are stored, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stored: Vec<Stored>,
    /// Methods that the servers of designs ran while questions were asked, where that was recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<Profile>,
    pub warnings: Vec<String>,
    pub finished: bool,
    /// Set if the user stopped the run and it was not resumed.
    pub interrupted: bool,
    pub seconds: Option<f64>,
    pub peak_memory_bytes: Option<u64>,
    /// Comparison of the designs' times within rounds.
    pub comparison: PairedComparison,
    /// Comparison of the designs that several clients asked at the same time; `None` if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<ConcurrentComparison>,
    /// Sets of parameters with which several clients asked; empty where all have a right answer because they
    /// are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameter_sets: Vec<QuerySets>,
    /// Forecast at full scale; `None` before any row was loaded.
    pub forecast: Option<Forecast>,
    /// Decision for one design; `None` before any row was loaded.
    pub decision: Option<Decision>,
    /// Designs that a race dropped, and its end; `None` for a run that was no race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<RaceSummary>,
    /// Forecast for more machines, if several nodes were started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale_out: Option<ScaleOut>,
    /// Costs; `None` without prices.
    pub cost: Option<Cost>,
    /// Two designs together, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub together: Option<Together>,
    /// Answers per second and node; `None` where several clients did not ask, or had no answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<PerNode>,
    /// Figures of the servers while slices were loaded, tables settled and questions answered, in the order of time.
    #[serde(skip)]
    pub server: Vec<ServerWindow>,
    /// What servers count of their own work, at moments of the run. Of a run that was resumed they are those after
    /// that, since a server that was started again may count anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accounts: Vec<AccountAt>,
}

/// Further table of a design, with its own figures.
#[derive(Debug, Clone, serde::Serialize)]
pub struct InstanceSummary {
    pub instance: Instance,
    /// Figures of this table alone; `info.id` is the table's id.
    pub figures: DesignSummary,
}

/// Table of a design that holds a share of the series and of the time.
#[derive(Debug, Clone, Copy)]
pub struct PartSummary<'a> {
    /// Divisors of the number of series and of the length of the time.
    pub divided: (u32, u32),
    pub rows: u64,
    pub figures: &'a DesignSummary,
}

/// Figures of a design.
#[derive(Debug, Clone, serde::Serialize)]
pub struct DesignSummary {
    pub info: DesignInfo,
    /// Rows sent to the design since it was last created.
    pub rows_loaded: u64,
    /// Rows per second of loading and settling together.
    pub load_rate: Option<Estimate>,
    /// Time for a row in the slowest slice, as a multiple of that in the median one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_stall: Option<f64>,
    pub load_seconds: f64,
    #[serde(skip)]
    pub(in crate::compare) loading: Loading,
    pub load_cpu: CpuSeconds,
    pub settle_seconds: Option<f64>,
    pub footprint: Option<Footprint>,
    /// Bytes before the table was at rest; `None` in runs of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<Space>,
    #[serde(skip)]
    pub(in crate::compare) resolution: Resolution,
    /// Bytes of the footprint for each row sent, duplicates included, for one copy of each row.
    pub bytes_per_row: Option<f64>,
    /// Bytes as a multiple of those of the smallest design without failures that is no yardstick.
    pub times_smallest: Option<f64>,
    /// Figures of the queries, in the header's order.
    pub queries: Vec<QuerySummary>,
    /// Figures of concurrent clients; `None` if there were none, or not yet.
    pub concurrent: Option<ConcurrentSummary>,
    /// Why a race dropped the design. A control has its figures all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
    /// Failures and mistakes; empty if the design reached the end with every answer right.
    pub failures: Vec<Failure>,
    /// Set if its engine was gone after it had been asked a query.
    #[serde(skip)]
    pub(crate) is_gone: bool,
}

/// Figures of a query on a design.
#[derive(Debug, Clone, serde::Serialize)]
pub struct QuerySummary {
    pub query: String,
    /// Median of the rounds with right answers, in seconds, and its interval. `None` if the
    /// complete answer was wrong or missing, whatever the rounds gave.
    pub time: Option<Estimate>,
    /// Number and seconds of each round with a right answer, in the order of the rounds.
    #[serde(skip)]
    pub rounds: Vec<(u32, f64)>,
    /// Whether an answer was right, be it one without a time that counts, as in the open rounds of a race.
    #[serde(skip)]
    pub(super) was_right: bool,
    /// Set if the complete answer was right, be it that a later one was wrong or missing.
    #[serde(skip)]
    pub(crate) was_right_at_first: bool,
    /// Set if all right answers were without a row.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub always_empty: bool,
    /// Median as a multiple of that of the fastest design without failures that is no yardstick. Whether
    /// the difference is shown is in the comparison within rounds.
    pub times_fastest: Option<f64>,
    /// Rows per second that the storage passed to the query engine, at the median.
    pub rows_scanned_per_second: Option<f64>,
    /// Rows that the storage passed to the query engine for one answer, median over rounds.
    pub rows_scanned: Option<f64>,
    /// Set if the plan says that the answer is made of statistics, without reading a row.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub from_metadata: bool,
    /// CPU time for one right answer, mean over rounds; `None` where what was counted cannot be that of the answers
    /// alone.
    pub cpu: Option<CpuSeconds>,
    /// Number of rounds whose answer was wrong or missing.
    pub bad_rounds: u32,
    /// Number of those in which the server gave the question up by its own time-out.
    #[serde(skip)]
    pub(crate) given_up_rounds: u32,
}

/// Failure or mistake of a design.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Failure {
    pub step: Step,
    pub query: Option<String>,
    pub reason: String,
}

/// Inconsistency in records that no run would write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    #[error("the run has no header; its journal is not complete")]
    NoHeader,
    #[error("record {record} is about the design `{design}`, which the run's header does not have")]
    UnknownDesign { design: String, record: usize },
    #[error("record {record} is about the query `{query}`, which the run's header does not have")]
    UnknownQuery { query: String, record: usize },
}

impl Summary {
    /// Sums up the records of a run.
    ///
    /// # Errors
    /// The records do not begin with a header, or name designs or queries that are not in it.
    pub fn from_records(records: &[Record]) -> Result<Summary, SummaryError> {
        let Some((Record::Started(header), rest)) = records.split_first() else {
            return Err(SummaryError::NoHeader);
        };
        let mut collected = Collected::new(header);
        for (index, record) in rest.iter().enumerate() {
            collected.take(index + 2, record)?;
        }
        let mut summary = collected.summary();
        summary.forget_unfounded_drops();
        summary.compare();
        summary.forecast = summary.at_full_scale();
        summary.decision = summary.decide();
        summary.finish_race();
        summary.scale_out = ScaleOut::from_summary(&summary);
        summary.per_node = PerNode::new(summary.node_rates(), &Wanted::default(), &[]);
        Ok(summary)
    }

    /// Returns the forecast at the full scale of the workload.
    fn at_full_scale(&self) -> Option<Forecast> {
        let scale = &self.header.scale;
        (self.rows > 0).then(|| self.projected(self.full_rows(), scale.replication.max(1)))
    }

    /// Returns the figures of a design.
    pub fn design(&self, id: &str) -> Option<&DesignSummary> {
        self.designs.iter().find(|d| d.info.id == id)
    }

    /// Returns the twin of a design.
    pub fn twin_of(&self, design: &str) -> Option<&DesignSummary> {
        let found = self.instances.iter().find(|further| {
            further.instance.design == design && further.instance.kind == InstanceKind::Twin
        });
        found.map(|further| &further.figures)
    }

    /// Returns the tables of a design by their number of rows, the smallest first and its own last.
    pub fn scales_of<'a>(&'a self, design: &'a DesignSummary) -> Vec<(u64, &'a DesignSummary)> {
        let smaller = self.instances.iter().filter_map(|further| {
            let is_its = further.instance.design == design.info.id;
            match further.instance.kind {
                InstanceKind::Smaller { rows } if is_its => Some((rows, &further.figures)),
                _ => None,
            }
        });
        let mut scales: Vec<_> = smaller.chain([(self.rows, design)]).collect();
        scales.sort_by_key(|(rows, _)| *rows);
        scales
    }

    /// Returns the tables of a design with a share of series and time, with their divisors and rows, its own last.
    pub fn parts_of<'a>(&'a self, design: &'a DesignSummary) -> Vec<PartSummary<'a>> {
        let parts = self.instances.iter().filter_map(|further| {
            let is_its = further.instance.design == design.info.id;
            match further.instance.kind {
                InstanceKind::Part { series, time, rows } if is_its => Some(PartSummary {
                    divided: (series, time),
                    rows,
                    figures: &further.figures,
                }),
                _ => None,
            }
        });
        let own = PartSummary {
            divided: (1, 1),
            rows: self.rows,
            figures: design,
        };
        parts.chain([own]).collect()
    }
}

impl DesignSummary {
    /// Returns whether a race dropped the design, so that its figures are those of part of the run.
    pub fn is_out_of_race(&self) -> bool {
        self.dropped
            .as_ref()
            .is_some_and(|dropped| !dropped.is_control)
    }

    /// Returns the figures of a query.
    pub fn query(&self, name: &str) -> Option<&QuerySummary> {
        self.queries.iter().find(|q| q.query == name)
    }

    /// Returns whether the design answers a query from metadata: it counts the rows that it reads, and has no count for
    /// a query that reads no table, or the plan of the query says that no row is read.
    pub fn answers_from_metadata(&self, query: &QuerySummary) -> bool {
        let counts_rows = self.queries.iter().any(|q| q.rows_scanned.is_some());
        (counts_rows || query.from_metadata) && query.rows_scanned.is_none() && query.time.is_some()
    }
}

impl QuerySummary {
    fn median(&self) -> Option<f64> {
        self.time.map(|time| time.median)
    }
}

#[cfg(test)]
mod tests;
