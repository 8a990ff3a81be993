//! The workload file as written: TOML as plain structs, with the position of every value that the
//! checks may complain about.

mod columns;
mod concurrent;
mod decide;
mod mix;
mod prices;
mod sample;
mod study;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

pub use columns::{Bytes, ColumnGenerator, Doubles, Normal, Sequence, Zipf};
pub use concurrent::Concurrent;
pub use decide::{Decide, Growth};
pub use mix::{Background, Bind, Mix, Operation};
pub use prices::PriceList;
pub use sample::ScaleSample;
pub use study::{Claim as StudyClaim, Publication as StudyPublication, Step as StudyStep, Study};

/// Names to values, in any order; sorting by [`Spanned::span`] gives the order in the file.
pub type Names<T> = BTreeMap<Spanned<String>, T>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Workload {
    pub title: Option<String>,
    pub seed: Option<Spanned<i64>>,
    pub table: Option<Spanned<Table>>,
    pub data: Spanned<Data>,
    #[serde(default)]
    pub queries: Vec<Query>,
    #[serde(default)]
    pub small_tables: Vec<SmallTable>,
    #[serde(default)]
    pub designs: Vec<Spanned<String>>,
    #[serde(default)]
    pub scale: Scale,
    pub decide: Option<Spanned<Decide>>,
    #[serde(default)]
    pub server: Server,
    pub mix: Option<Spanned<Mix>>,
    pub concurrent: Option<Spanned<Concurrent>>,
    pub published: Option<Published>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub name: Option<Spanned<String>>,
    pub columns: Option<Spanned<Names<Spanned<String>>>>,
    pub columns_of: Option<Spanned<String>>,
    pub partition_key: Option<Spanned<Vec<Spanned<String>>>>,
    pub order_key: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SmallTable {
    pub name: Spanned<String>,
    pub file: Spanned<String>,
    pub key: Spanned<String>,
    pub columns: Spanned<Names<Spanned<String>>>,
}

/// The columns of a file that are put together to one.
pub type Parts = Spanned<Vec<Spanned<String>>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    pub generator: Option<Spanned<String>>,
    pub sensors: Option<Spanned<i64>>,
    pub hosts: Option<Spanned<i64>>,
    pub trucks: Option<Spanned<i64>>,
    pub measurement: Option<Spanned<String>>,
    pub interval: Option<Spanned<String>>,
    pub days: Option<Spanned<i64>>,
    pub columns: Option<Spanned<Names<Spanned<ColumnGenerator>>>>,
    pub file: Option<Spanned<String>>,
    pub files: Option<Spanned<Vec<Spanned<String>>>>,
    pub header: Option<Spanned<bool>>,
    pub fields: Option<Spanned<Vec<Spanned<String>>>>,
    pub delimiter: Option<Spanned<String>>,
    pub skip_lines: Option<Spanned<i64>>,
    pub units_line: Option<Spanned<bool>>,
    pub lines_after_names: Option<Spanned<i64>>,
    pub null: Option<Spanned<Vec<Spanned<String>>>>,
    pub from: Option<Spanned<Names<Spanned<String>>>>,
    pub join: Option<Spanned<Names<Parts>>>,
    pub constant: Option<Spanned<Names<Spanned<String>>>>,
    pub format: Option<Spanned<Names<Spanned<String>>>>,
    pub decimal: Option<Spanned<String>>,
    pub thousands: Option<Spanned<String>>,
    pub zone: Option<Spanned<String>>,
    pub signs: Option<Spanned<Names<Spanned<String>>>>,
    pub bad_rows: Option<Spanned<String>>,
    pub repeated_keys: Option<Spanned<String>>,
    pub requires: Option<Spanned<String>>,
    pub scale_sample: Option<Spanned<ScaleSample>>,
    pub grow: Option<Spanned<String>>,
    /// Set if the command line replaced some of these.
    #[serde(skip)]
    pub is_set: bool,
    /// How many times as many series and as long a time the command line makes the data.
    #[serde(skip)]
    pub times: Option<(f64, f64)>,
}

impl Data {
    /// Replaces the options of a generator that are present in `other`.
    pub fn replace(&mut self, other: Data) {
        self.is_set = true;
        let series = [
            times(&self.sensors, &other.sensors),
            times(&self.hosts, &other.hosts),
            times(&self.trucks, &other.trucks),
        ];
        let before = self.times.unwrap_or((1.0, 1.0));
        let days = times(&self.days, &other.days);
        self.times = Some((before.0 * series.iter().product::<f64>(), before.1 * days));
        self.sensors = other.sensors.or(self.sensors.take());
        self.hosts = other.hosts.or(self.hosts.take());
        self.trucks = other.trucks.or(self.trucks.take());
        self.measurement = other.measurement.or(self.measurement.take());
        self.interval = other.interval.or(self.interval.take());
        self.days = other.days.or(self.days.take());
    }
}

/// Returns how many times as large a number is set; 1 where it is not set or was not there.
fn times(before: &Option<Spanned<i64>>, set: &Option<Spanned<i64>>) -> f64 {
    match (before, set) {
        (Some(before), Some(set)) => *set.get_ref() as f64 / (*before.get_ref()).max(1) as f64,
        _ => 1.0,
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    pub name: Spanned<String>,
    pub sql: Spanned<String>,
    #[serde(default)]
    pub engine_sql: Names<Spanned<String>>,
    #[serde(default)]
    pub parameters: Names<Spanned<Parameter>>,
    pub parameter_sets: Option<Spanned<i64>>,
    pub tolerance: Option<Spanned<String>>,
    pub expect: Option<Spanned<Expect>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    pub uniform: Option<Spanned<Vec<Value>>>,
    pub choice: Option<Spanned<Vec<Spanned<Value>>>>,
    pub column: Option<Spanned<String>>,
    pub distinct: Option<Spanned<i64>>,
    pub window: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub rows: Option<Spanned<i64>>,
    pub answer: Vec<Spanned<Vec<Spanned<Value>>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    pub rows: Option<Spanned<i64>>,
    pub full_rows: Option<Spanned<i64>>,
    pub replication: Option<Spanned<i64>>,
    pub users: Option<Spanned<i64>>,
    pub cores: Option<Spanned<i64>>,
    pub questions_per_second: Option<Spanned<f64>>,
    pub rows_per_second: Option<Spanned<f64>>,
    pub grows: Option<Spanned<Growth>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub heap: Option<Spanned<String>>,
    pub memory: Option<Spanned<String>>,
    pub disk_read: Option<Spanned<String>>,
    pub time_outs: Option<Spanned<String>>,
    /// Any keys, so that each one that may not be set is refused with its reason.
    #[serde(default)]
    pub cassandra: Names<Spanned<Value>>,
    #[serde(default)]
    pub jvm: Jvm,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Jvm {
    pub young: Option<Spanned<String>>,
    pub collector: Option<Spanned<String>>,
    pub processors: Option<Spanned<i64>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub source: String,
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub times: Vec<PublishedTime>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTime {
    pub design: String,
    pub what: Spanned<String>,
    pub figure: String,
}
