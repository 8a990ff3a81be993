//! Generator of hosts in the order of time, with every host at each time.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::measurement::Measurement;
use super::walker::{Visit, Walker};
use super::{doubles, host_metrics, hosts, table_of, times, walk_stream};
use crate::source::{RowBatches, RowSource};
use crate::{ColumnType, DevopsMeasurement, Result, Stream, Table, TsbsScale};

/// Fewest rows of the stretches in which tags are copied, which are whole rounds over all hosts.
const LEAST_STRETCH_ROWS: u32 = 1024;

/// Returns the table of a measurement.
pub fn table(measurement: DevopsMeasurement, scale: &TsbsScale) -> Table {
    let metrics = host_metrics::measurement(measurement, scale.interval_ms);
    let tags = hosts::tag_names(measurement).map(|tag| (tag, ColumnType::Text));
    table_of(measurement.name(), tags, &metrics, "hostname")
}

/// Readings of hosts: row *i* is of host *i* mod `sources` at time *i* / `sources`.
pub struct Devops {
    shared: Arc<Shared>,
}

struct Shared {
    schema: SchemaRef,
    scale: TsbsScale,
    stream: Stream,
    metrics: Measurement,
    /// Values of each tag, host by host, in several rounds over all hosts.
    tags: Vec<ArrayRef>,
    stretch_rows: usize,
}

impl Devops {
    /// Returns the number of rows, without making the tags of all hosts; `None` if they never end.
    pub fn rows_in_all(scale: &TsbsScale) -> Option<u64> {
        scale.days.map(|_| rows(scale))
    }

    pub fn new(seed: u64, measurement: DevopsMeasurement, scale: TsbsScale) -> Result<Self> {
        let tags = hosts::tags(&super::tag_stream(seed), measurement, scale.sources);
        let rounds = LEAST_STRETCH_ROWS.div_ceil(scale.sources.max(1)) as usize;
        let repeated = |tag: ArrayRef| concat(&vec![&*tag; rounds]);
        let tags: std::result::Result<Vec<_>, _> = tags.into_iter().map(repeated).collect();
        Ok(Devops {
            shared: Arc::new(Shared {
                schema: table(measurement, &scale).schema(),
                stream: walk_stream(seed, measurement as u64),
                metrics: host_metrics::measurement(measurement, scale.interval_ms),
                tags: tags.map_err(super::unbuildable)?,
                stretch_rows: rounds * scale.sources as usize,
                scale,
            }),
        })
    }
}

impl RowSource for Devops {
    fn schema(&self) -> SchemaRef {
        self.shared.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        Devops::rows_in_all(&self.shared.scale)
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let shared = self.shared.clone();
        let mut walker = shared.metrics.walker(&shared.stream, shared.scale.sources);
        let rows = from..rows(&shared.scale);
        let columns = move |rows| shared.columns(&mut walker, rows);
        Ok(super::batches(self.schema(), rows, batch_rows, columns))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        Some(1)
    }

    fn turn(&self) -> Option<u64> {
        Some(u64::from(self.shared.scale.sources))
    }
}

fn rows(scale: &TsbsScale) -> u64 {
    scale.ticks() * u64::from(scale.sources)
}

impl Shared {
    fn columns(
        &self,
        walker: &mut Walker,
        rows: Range<u64>,
    ) -> std::result::Result<Vec<ArrayRef>, ArrowError> {
        let visits = self.visits(&rows);
        let mut columns = vec![times(&visits, &self.scale)];
        for tag in &self.tags {
            columns.push(self.tag(tag, &rows)?);
        }
        let metrics = self.metrics.values(&self.stream, walker, &visits);
        columns.extend(metrics.into_iter().map(doubles));
        Ok(columns)
    }

    fn visits(&self, rows: &Range<u64>) -> Vec<Visit> {
        let sources = u64::from(self.scale.sources);
        let mut next = Visit {
            source: (rows.start % sources) as u32,
            tick: rows.start / sources,
        };
        let visit = |_| {
            let visit = next;
            next.source += 1;
            if next.source == self.scale.sources {
                next.source = 0;
                next.tick += 1;
            }
            visit
        };
        rows.clone().map(visit).collect()
    }

    /// Returns a tag in these rows, copied stretch by stretch.
    fn tag(&self, tag: &ArrayRef, rows: &Range<u64>) -> std::result::Result<ArrayRef, ArrowError> {
        let mut position = (rows.start % self.stretch_rows as u64) as usize;
        let mut left = (rows.end - rows.start) as usize;
        // A stretch that is alone would not be copied and keep all of the tags in memory.
        let mut stretches = vec![tag.slice(0, 0)];
        while left > 0 {
            let length = left.min(self.stretch_rows - position);
            stretches.push(tag.slice(position, length));
            left -= length;
            position = 0;
        }
        let stretches: Vec<&dyn Array> = stretches.iter().map(|stretch| &**stretch).collect();
        concat(&stretches)
    }
}
