//! The queries of the Time Series Benchmark Suite answer what their definitions say: computed anew
//! here, in plain loops over the generated rows.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type, TimestampMillisecondType};
use arrow::record_batch::RecordBatch;
use bakeoff_driver::Oracle;
use bakeoff_engines::{SqlOracle, check_queries};
use bakeoff_workload::{DuplicateKeys, RowSource, Workload, source};

const MINUTE: i64 = 60_000;
const TEN_MINUTES: i64 = 10 * MINUTE;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Null,
    Number(f64),
    Text(String),
    Time(i64),
}

impl Cell {
    fn text(&self) -> &str {
        match self {
            Cell::Text(text) => text,
            other => panic!("{other:?} is no text"),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Cell::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn time(&self) -> i64 {
        match self {
            Cell::Time(time) => *time,
            other => panic!("{other:?} is no time"),
        }
    }

    fn is_nearly(&self, other: &Cell) -> bool {
        match (self, other) {
            (Cell::Number(a), Cell::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(1.0),
            _ => self == other,
        }
    }
}

type Row = Vec<Cell>;

fn cell(column: &dyn Array, row: usize) -> Cell {
    if column.is_null(row) {
        return Cell::Null;
    }
    match column.data_type() {
        DataType::Utf8 => Cell::Text(column.as_string::<i32>().value(row).to_owned()),
        DataType::Float64 => Cell::Number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Int64 => Cell::Number(column.as_primitive::<Int64Type>().value(row) as f64),
        _ => Cell::Time(column.as_primitive::<TimestampMillisecondType>().value(row)),
    }
}

fn cells(batch: &RecordBatch) -> Vec<Row> {
    let row = |row| {
        batch
            .columns()
            .iter()
            .map(|column| cell(column, row))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

/// A workload in small, and its rows.
struct Small {
    workload: Workload,
    source: Arc<dyn RowSource>,
    oracle: SqlOracle,
    rows: Vec<Row>,
}

impl Small {
    async fn new(name: &str, settings: &[&str]) -> Small {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
        let settings: Vec<String> = settings.iter().map(|s| s.to_string()).collect();
        let workload = Workload::read_with(&folder.join(name), &settings).unwrap();
        check_queries(&workload).await.unwrap();
        let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
        let batches = source.read(0, 8192).unwrap();
        let rows = batches
            .flat_map(|batch| cells(&batch.unwrap().rows))
            .collect();
        let mut oracle = SqlOracle::new(source.clone(), workload.table.clone(), 2);
        let all = workload.scale.default_rows;
        oracle
            .prepare(all, Arc::new(DuplicateKeys::none()))
            .await
            .unwrap();
        Small {
            workload,
            source,
            oracle,
            rows,
        }
    }

    /// Asks a query with the parameters of some rounds, and compares with what `expected` makes of
    /// them. No two answers are empty.
    async fn answers(&self, name: &str, expected: impl Fn(&Asked<'_>) -> Vec<Row>) {
        let query = self
            .workload
            .queries
            .iter()
            .find(|q| q.name == name)
            .unwrap();
        let mut rows = 0;
        for round in 0..3 {
            let all = self.workload.scale.default_rows;
            let drawn = self
                .workload
                .draw(query, round, all, &*self.source)
                .unwrap();
            let answer = self
                .oracle
                .answer(&query.bind("memory", &drawn), true)
                .await
                .unwrap();
            let came: Vec<Row> = answer.batches.iter().flat_map(cells).collect();
            let expected = expected(&Asked {
                small: self,
                drawn: drawn.into_iter().collect(),
            });
            assert_eq!(came.len(), expected.len(), "{name}, round {round}");
            for (came, expected) in came.iter().zip(&expected) {
                let alike = came.len() == expected.len()
                    && came.iter().zip(expected).all(|(a, b)| a.is_nearly(b));
                assert!(
                    alike,
                    "{name}, round {round}: {came:?} instead of {expected:?}"
                );
            }
            rows += came.len();
        }
        assert!(rows > 0, "{name} answers nothing");
    }

    fn place(&self, column: &str) -> usize {
        self.workload.table.place(column).unwrap()
    }
}

/// A query's parameters.
struct Asked<'a> {
    small: &'a Small,
    drawn: BTreeMap<String, String>,
}

impl Asked<'_> {
    fn time(&self, parameter: &str) -> i64 {
        let text = self.drawn[parameter].strip_prefix("TIMESTAMP '").unwrap();
        let time = arrow::compute::kernels::cast_utils::string_to_timestamp_nanos(
            text.trim_end_matches('\''),
        );
        time.unwrap() / 1_000_000
    }

    fn list(&self, parameter: &str) -> BTreeSet<&str> {
        let list = self.drawn[parameter].split(", ");
        list.map(|literal| literal.trim_matches('\'')).collect()
    }

    /// The rows of these sources (all, if the query asks for none) in the window.
    fn rows(&self, parameter: &str, column: &str) -> impl Iterator<Item = &Row> {
        let place = self.small.place(column);
        let (begin, end) = (self.time("window.begin"), self.time("window.end"));
        let wanted = self
            .drawn
            .contains_key(parameter)
            .then(|| self.list(parameter));
        self.small.rows.iter().filter(move |row| {
            let within = (begin..end).contains(&row[0].time());
            let is_wanted = |wanted: &BTreeSet<&str>| {
                row[place] != Cell::Null && wanted.contains(row[place].text())
            };
            within && wanted.as_ref().is_none_or(is_wanted)
        })
    }

    fn metrics(&self, row: &Row, count: usize) -> Vec<f64> {
        let first = self.small.place("usage_user");
        row[first..first + count]
            .iter()
            .map(|c| c.number().unwrap())
            .collect()
    }

    /// The greatest of the first metrics by periods.
    fn greatest(&self, period: i64, count: usize) -> Vec<Row> {
        let mut periods: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for row in self.rows("hosts", "hostname") {
            let metrics = self.metrics(row, count);
            let greatest = periods.entry(floor(row[0].time(), period));
            let greatest = greatest.or_insert_with(|| metrics.clone());
            greatest
                .iter_mut()
                .zip(metrics)
                .for_each(|(g, m)| *g = g.max(m));
        }
        let row = |(time, greatest): (i64, Vec<f64>)| {
            let numbers = greatest.into_iter().map(Cell::Number);
            [Cell::Time(time)].into_iter().chain(numbers).collect()
        };
        periods.into_iter().map(row).collect()
    }

    fn means(&self, count: usize) -> Vec<Row> {
        let mut groups: BTreeMap<(i64, &str), (Vec<f64>, f64)> = BTreeMap::new();
        for row in self.rows("hosts", "hostname") {
            let group = groups.entry((floor(row[0].time(), HOUR), row[1].text()));
            let (sums, rows) = group.or_insert_with(|| (vec![0.0; count], 0.0));
            let metrics = self.metrics(row, count);
            sums.iter_mut().zip(metrics).for_each(|(sum, m)| *sum += m);
            *rows += 1.0;
        }
        let row = |((time, host), (sums, rows)): ((i64, &str), (Vec<f64>, f64))| {
            let means = sums.into_iter().map(|sum| Cell::Number(sum / rows));
            let key = [Cell::Time(time), Cell::Text(host.to_owned())];
            key.into_iter().chain(means).collect()
        };
        groups.into_iter().map(row).collect()
    }

    fn busy(&self) -> Vec<Row> {
        let is_busy = |row: &&Row| self.metrics(row, 1)[0] > 90.0;
        self.rows("hosts", "hostname")
            .filter(is_busy)
            .cloned()
            .collect()
    }
}

fn floor(time: i64, period: i64) -> i64 {
    time.div_euclid(period) * period
}

#[tokio::test]
async fn hosts() {
    let small = Small::new("timeseries.toml", &["hosts=12"]).await;
    small
        .answers("single_groupby_1_1_12", |asked| asked.greatest(MINUTE, 1))
        .await;
    small
        .answers("single_groupby_5_8_1", |asked| asked.greatest(MINUTE, 5))
        .await;
    small
        .answers("cpu_max_all_1", |asked| asked.greatest(HOUR, 10))
        .await;
    small
        .answers("cpu_max_all_32_24", |asked| asked.greatest(HOUR, 10))
        .await;
    small
        .answers("double_groupby_1", |asked| asked.means(1))
        .await;
    small
        .answers("double_groupby_all", |asked| asked.means(10))
        .await;
    small
        .answers("groupby_orderby_limit", |asked| {
            let end = asked.time("hour.end");
            let mut minutes: BTreeMap<i64, f64> = BTreeMap::new();
            for row in small.rows.iter().filter(|row| row[0].time() < end) {
                let greatest = minutes.entry(floor(row[0].time(), MINUTE)).or_default();
                *greatest = greatest.max(asked.metrics(row, 1)[0]);
            }
            let newest = minutes.into_iter().rev().take(5);
            newest
                .map(|(time, most)| vec![Cell::Time(time), Cell::Number(most)])
                .collect()
        })
        .await;
}

#[tokio::test]
async fn whole_rows_of_hosts() {
    let mut small = Small::new("timeseries.toml", &["hosts=12"]).await;
    // Sorted as here, where a query has no order.
    for query in &mut small.workload.queries {
        if ["high_cpu_1", "high_cpu_all", "lastpoint"].contains(&query.name.as_str()) {
            query.sql = format!(
                "SELECT * FROM ({}) AS rows ORDER BY time, hostname",
                query.sql
            );
        }
    }
    let in_order = |mut rows: Vec<Row>| {
        rows.sort_by_key(|row| (row[0].time(), row[1].text().to_owned()));
        rows
    };
    small
        .answers("high_cpu_1", |asked| in_order(asked.busy()))
        .await;
    small
        .answers("high_cpu_all", |asked| in_order(asked.busy()))
        .await;
    small
        .answers("lastpoint", |_| {
            let newest: BTreeMap<&str, &Row> =
                small.rows.iter().map(|r| (r[1].text(), r)).collect();
            in_order(newest.into_values().cloned().collect())
        })
        .await;
}

/// For each truck and ten minutes the mean of a metric, if there is any.
fn buckets<'a>(
    rows: impl Iterator<Item = &'a Row>,
    metric: usize,
) -> BTreeMap<&'a str, BTreeMap<i64, Option<f64>>> {
    let mut sums: BTreeMap<&str, BTreeMap<i64, (f64, f64)>> = BTreeMap::new();
    for row in rows {
        let buckets = sums.entry(row[1].text()).or_default();
        let (sum, count) = buckets
            .entry(floor(row[0].time(), TEN_MINUTES))
            .or_default();
        if let Some(number) = row[metric].number() {
            *sum += number;
            *count += 1.0;
        }
    }
    let mean = |(time, (sum, count)): (i64, (f64, f64))| (time, (count > 0.0).then(|| sum / count));
    let means = |(truck, buckets): (_, BTreeMap<i64, (f64, f64)>)| {
        (truck, buckets.into_iter().map(mean).collect())
    };
    sums.into_iter().map(means).collect()
}

/// The days on which each drive of a truck began, and its minutes if it ended.
fn drives(buckets: &BTreeMap<i64, Option<f64>>) -> Vec<(i64, Option<f64>)> {
    let driving: Vec<(i64, Option<bool>)> = buckets
        .iter()
        .map(|(time, mean)| (*time, mean.map(|mean| mean > 5.0)))
        .collect();
    let changes: Vec<(i64, bool)> = driving
        .windows(2)
        .filter_map(|pair| Some((pair[1].0, pair[0].1?, pair[1].1?)))
        .filter(|(_, before, after)| before != after)
        .map(|(time, _, after)| (time, after))
        .collect();
    let drive = |(i, (start, driving)): (usize, &(i64, bool))| {
        let stop = changes.get(i + 1).map(|(stop, _)| *stop);
        let minutes = stop.map(|stop| (stop - start) as f64 / MINUTE as f64);
        driving.then(|| (floor(*start, DAY), minutes))
    };
    changes.iter().enumerate().filter_map(drive).collect()
}

#[tokio::test]
async fn readings_of_trucks() {
    let small = Small::new("timeseries_readings.toml", &["trucks=12", "days=2"]).await;
    let (velocity, driver) = (small.place("velocity"), small.place("driver"));
    let drivers: BTreeMap<&str, Cell> = { small.rows.iter() }
        .filter(|row| row[driver] != Cell::Null)
        .map(|row| (row[1].text(), row[driver].clone()))
        .collect();
    for (name, least) in [("long_driving_sessions", 22), ("long_daily_sessions", 60)] {
        small
            .answers(name, |asked| {
                let buckets = buckets(asked.rows("fleet", "fleet"), velocity);
                let drove = |buckets: &BTreeMap<i64, Option<f64>>| {
                    buckets
                        .values()
                        .filter(|mean| mean.is_some_and(|mean| mean > 1.0))
                        .count()
                };
                let long = buckets.iter().filter(|(_, buckets)| drove(buckets) > least);
                long.map(|(truck, _)| vec![Cell::Text((*truck).to_owned()), drivers[truck].clone()])
                    .collect()
            })
            .await;
    }
    small
        .answers("avg_daily_driving_session", |_| {
            let mut days: BTreeMap<(&str, i64), Vec<Option<f64>>> = BTreeMap::new();
            for (truck, buckets) in buckets(small.rows.iter(), velocity) {
                for (day, minutes) in drives(&buckets) {
                    days.entry((truck, day)).or_default().push(minutes);
                }
            }
            let row = |((truck, day), minutes): ((&str, i64), Vec<Option<f64>>)| {
                let ended: Vec<f64> = minutes.into_iter().flatten().collect();
                let mean = ended.iter().sum::<f64>() / ended.len() as f64;
                let mean = if ended.is_empty() {
                    Cell::Null
                } else {
                    Cell::Number(mean)
                };
                vec![Cell::Text(truck.to_owned()), Cell::Time(day), mean]
            };
            days.into_iter().map(row).collect()
        })
        .await;
}

#[tokio::test]
async fn diagnostics_of_trucks() {
    let small = Small::new("timeseries_diagnostics.toml", &["trucks=12", "days=2"]).await;
    let (status, model) = (small.place("status"), small.place("model"));
    small
        .answers("breakdown_frequency", |_| {
            let mut trucks: BTreeMap<&str, BTreeMap<i64, (u32, u32)>> = BTreeMap::new();
            let mut models = BTreeMap::new();
            for row in &small.rows {
                let buckets = trucks.entry(row[1].text()).or_default();
                let (zeros, readings) = buckets
                    .entry(floor(row[0].time(), TEN_MINUTES))
                    .or_default();
                *zeros += u32::from(row[status].number() == Some(0.0));
                *readings += 1;
                if row[model] != Cell::Null {
                    models.insert(row[1].text(), row[model].text());
                }
            }
            let mut breakdowns: BTreeMap<&str, f64> = BTreeMap::new();
            for (truck, buckets) in trucks {
                let broken: Vec<bool> =
                    buckets.values().map(|(zeros, n)| 2 * zeros >= *n).collect();
                let times = broken.windows(2).filter(|pair| !pair[0] && pair[1]).count();
                *breakdowns.entry(models[truck]).or_default() += times as f64;
            }
            breakdowns.retain(|_, times| *times > 0.0);
            let row = |(model, times): (&str, f64)| {
                vec![Cell::Text(model.to_owned()), Cell::Number(times)]
            };
            breakdowns.into_iter().map(row).collect()
        })
        .await;
}
