//! Generator of trucks, whose readings arrive late, never, or with something missing.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute::take;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;

use super::arrivals::{ARRIVING, Arrivals};
use super::measurement::Measurement;
use super::walker::{Visit, Walker};
use super::{doubles, table_of, times, trucks, walk_stream};
use crate::source::{RowBatches, RowSource};
use crate::{IotMeasurement, Result, Stream, Table, TsbsScale};

/// Share of readings that lack a metric: one in ten of nine in ten.
const LACKS_METRIC: f64 = 0.09;
/// Share of readings that lack a tag: one in 100 of nine in ten, except where it would be the
/// name, which is in the key.
const LACKS_TAG: f64 = 0.009;
/// Number of metrics from which the missing one is drawn in all tables; `readings` has that many.
const MOST_METRICS: usize = 7;

/// Returns the table of a measurement.
pub fn table(measurement: IotMeasurement) -> Table {
    let metrics = trucks::measurement(measurement);
    let tags = trucks::TAGS.into_iter();
    table_of(measurement.name(), tags, &metrics, "name")
}

/// Readings of trucks: reading *e* is of truck *e* mod `sources` at time *e* / `sources`; row *i*
/// is the *i*-th one that arrives.
pub struct Iot {
    shared: Arc<Shared>,
}

struct Shared {
    schema: SchemaRef,
    scale: TsbsScale,
    stream: Stream,
    metrics: Measurement,
    /// Values of each tag, truck by truck.
    tags: Vec<ArrayRef>,
    arrivals: Arrivals,
    lacks: Stream,
}

impl Iot {
    /// Returns the number of rows, without making the tags of all trucks; `None` if they never end.
    pub fn rows_in_all(seed: u64, measurement: IotMeasurement, scale: &TsbsScale) -> Option<u64> {
        let arrivals = arrivals(&stream(seed, measurement), scale);
        scale.days.map(|_| arrivals.rows())
    }

    pub fn new(seed: u64, measurement: IotMeasurement, scale: TsbsScale) -> Self {
        let stream = stream(seed, measurement);
        Iot {
            shared: Arc::new(Shared {
                schema: table(measurement).schema(),
                metrics: trucks::measurement(measurement),
                tags: trucks::tags(&super::tag_stream(seed), scale.sources),
                arrivals: arrivals(&stream, &scale),
                lacks: stream.and(11),
                stream,
                scale,
            }),
        }
    }
}

fn stream(seed: u64, measurement: IotMeasurement) -> Stream {
    walk_stream(seed, 100 + measurement as u64)
}

/// Returns the arrivals of the readings that this stream decides.
fn arrivals(stream: &Stream, scale: &TsbsScale) -> Arrivals {
    let readings = scale.ticks() * u64::from(scale.sources);
    Arrivals::new(stream.and(10), readings)
}

impl RowSource for Iot {
    fn schema(&self) -> SchemaRef {
        self.shared.schema.clone()
    }

    fn known_rows(&self) -> Option<u64> {
        self.shared.scale.days.map(|_| self.shared.arrivals.rows())
    }

    fn read(&self, from: u64, batch_rows: usize) -> Result<RowBatches> {
        let shared = self.shared.clone();
        let mut walker = shared.metrics.walker(&shared.stream, shared.scale.sources);
        let rows = from..shared.arrivals.rows();
        let columns = move |rows| shared.columns(&mut walker, rows);
        Ok(super::batches(self.schema(), rows, batch_rows, columns))
    }

    fn may_repeat_keys(&self) -> bool {
        false
    }

    fn in_order_of_time_beyond(&self) -> Option<u64> {
        Some(ARRIVING as u64)
    }
}

/// A reading that became a row.
struct Row {
    /// Index among the rows of the batch in the order in which they were read.
    position: u32,
    visit: Visit,
    lacks_metric: Option<usize>,
    lacks_tag: Option<usize>,
}

impl Shared {
    fn columns(
        &self,
        walker: &mut Walker,
        rows: Range<u64>,
    ) -> std::result::Result<Vec<ArrayRef>, ArrowError> {
        let entries = self.arrivals.entries(rows);
        let (visits, rows) = self.rows(&entries);
        let arrived: Vec<Visit> = rows.iter().map(|row| row.visit).collect();
        let mut columns = vec![times(&arrived, &self.scale)];
        for (tag, values) in self.tags.iter().enumerate() {
            let trucks = rows
                .iter()
                .map(|row| (row.lacks_tag != Some(tag)).then_some(row.visit.source));
            columns.push(take(values, &UInt32Array::from_iter(trucks), None)?);
        }
        let metrics = self.metrics.values(&self.stream, walker, &visits);
        for (metric, values) in metrics.into_iter().enumerate() {
            let positions = rows
                .iter()
                .map(|row| (row.lacks_metric != Some(metric)).then_some(row.position));
            columns.push(take(
                &doubles(values),
                &UInt32Array::from_iter(positions),
                None,
            )?);
        }
        Ok(columns)
    }

    /// Returns readings in the order in which they were made, so that walks only move forward, and
    /// as rows.
    fn rows(&self, entries: &[u64]) -> (Vec<Visit>, Vec<Row>) {
        let mut made: Vec<u32> = (0..entries.len() as u32).collect();
        made.sort_unstable_by_key(|row| entries[*row as usize]);
        let mut positions = vec![0; entries.len()];
        for (position, row) in made.iter().enumerate() {
            positions[*row as usize] = position as u32;
        }
        let visits = made.iter().map(|row| self.visit(entries[*row as usize]));
        let rows = entries
            .iter()
            .zip(positions)
            .map(|(entry, position)| self.row(*entry, position));
        (visits.collect(), rows.collect())
    }

    fn visit(&self, entry: u64) -> Visit {
        let sources = u64::from(self.scale.sources);
        Visit {
            source: (entry % sources) as u32,
            tick: entry / sources,
        }
    }

    fn row(&self, entry: u64, position: u32) -> Row {
        let mut stream = self.lacks.and(entry);
        let mut lacks = |probability, choices: usize| {
            let which = stream.below(choices as u64) as usize;
            stream.chance(probability).then_some(which)
        };
        let metrics = self.metrics.metrics.len();
        Row {
            position,
            visit: self.visit(entry),
            lacks_metric: lacks(LACKS_METRIC, MOST_METRICS).map(|metric| metric % metrics),
            lacks_tag: lacks(LACKS_TAG, self.tags.len()).filter(|tag| *tag > 0),
        }
    }
}
