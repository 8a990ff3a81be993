//! Types of a checked workload.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

use crate::{
    ColumnGenerator, Concurrent, Decide, DesignId, DevopsMeasurement, Growth, IotMeasurement, Mix,
    ScaleSample, ServerSettings, SmallTable, Table, TextForm, TsbsScale,
};

/// Description of what is stored and asked, with everything in the file checked.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Short name, made of the file's stem: `[a-z0-9_]`.
    pub name: String,
    /// Title for `bakeoff list`, one sentence.
    pub title: String,
    /// Seed of every random stream in the workload.
    pub seed: u64,
    pub table: Table,
    pub data: Data,
    /// How its data files are read if they are text.
    pub text_form: TextForm,
    /// How its data files are continued, if they are a sample of a larger table.
    pub scale_sample: Option<ScaleSample>,
    /// Questions, each with the small tables that it names.
    pub queries: Vec<Query>,
    pub small_tables: Vec<SmallTable>,
    /// Designs to compare when the command line names none.
    pub designs: Vec<DesignId>,
    pub scale: Scale,
    /// Rule by which a report chooses one design.
    pub decide: Decide,
    /// Limits and settings of the servers that are started for it.
    pub server: ServerSettings,
    /// Operations that are performed at the same time.
    pub mix: Option<Mix>,
    /// Settings for asking the queries by several clients at the same time, if that is wanted.
    pub concurrent: Option<Concurrent>,
    /// Figures that others published for this workload, which are printed alongside the measured
    /// ones.
    pub published: Option<Published>,
    /// The file that it was read from.
    pub path: PathBuf,
    /// Text of that file, which is kept in the run folder.
    pub text: String,
}

/// Source of the rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    Generator(Generator),
    /// Files of one kind, or folders of them, whose rows follow each other in this order: CSV, TSV or lines of JSON
    /// (each may be packed by gzip, Zstandard or ZIP), Parquet or Arrow IPC, distinguished by the endings of their
    /// names. There is at least one. Relative paths are relative to the workload file.
    Files(Vec<PathBuf>),
    /// Files that the command line has to name (`--data PATH`).
    FileFromCommandLine,
}

impl Data {
    /// Returns the time that all rows cover, in milliseconds since the Unix epoch, if the workload states it: a
    /// generator of TSBS with a number of days does.
    pub fn time_span(&self) -> Option<Range<i64>> {
        match self {
            Data::Generator(Generator::Devops { scale, .. } | Generator::Iot { scale, .. }) => {
                scale.time_span()
            }
            Data::Generator(_) | Data::Files(_) | Data::FileFromCommandLine => None,
        }
    }
}

/// Generator of all rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// GDELT 1.0 events, 57 columns, 72 months from 1979-01.
    Gdelt,
    /// Readings of `sensors` series, each with one uniform value in 0..100 per time 1, 2, 3, ...
    Sensor { sensors: u32 },
    /// One measurement of the hosts of TSBS, from 2016-01-01.
    Devops {
        measurement: DevopsMeasurement,
        scale: TsbsScale,
    },
    /// One measurement of the trucks of TSBS, from 2016-01-01, with rows that come late or never.
    Iot {
        measurement: IotMeasurement,
        scale: TsbsScale,
    },
    /// One generator for each column of the table.
    Columns(Vec<ColumnGenerator>),
}

/// Query of a workload.
#[derive(Debug, Clone)]
pub struct Query {
    pub name: String,
    /// SQL with `${parameter}` at the position of each drawn literal.
    pub sql: String,
    /// SQL for an engine (by its name, `cassandra`) or one of its layouts (`cassandra/wide`) that
    /// needs another form.
    pub engine_sql: BTreeMap<String, String>,
    pub parameters: Vec<Parameter>,
    /// Number of sets of parameters with which several clients ask, if the workload gives one.
    pub parameter_sets: Option<u32>,
    /// Share by which floats of an answer may differ from the right ones, besides by rounding: 0.01
    /// is 1%. Absent for a question that has one exact answer.
    pub tolerance: Option<f64>,
    pub expect: Option<Expectation>,
    /// Line and column of the SQL text in the workload file, counted from 1, for messages.
    pub position: (usize, usize),
}

/// Parameter of a query, which is drawn for each round.
#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: String,
    pub values: ParameterValues,
}

/// Values that a parameter is drawn from.
#[derive(Debug, Clone)]
pub enum ParameterValues {
    /// Uniform integers between two bounds, both included.
    Uniform { from: i64, to: i64 },
    /// Uniform real numbers between two bounds.
    UniformReal { from: f64, to: f64 },
    /// SQL literals of a list.
    Choice(Vec<String>),
    /// Values of this column in rows that are drawn uniformly from those loaded.
    Column(String),
    /// Lists of `count` different values of this column, from rows that are drawn uniformly from
    /// those loaded, separated by commas; lists of all values if there are fewer.
    Distinct { column: String, count: u32 },
    /// Ends of half-open windows of this many milliseconds, which begin anywhere between the first
    /// time of this column in the loaded rows and that long before the last one. If the whole range
    /// is shorter, it is the window.
    Window { column: String, milliseconds: u64 },
}

impl Parameter {
    /// Returns the names between `${` and `}` in SQL, one for each literal that is drawn.
    pub fn placeholders(&self) -> Vec<String> {
        let name = &self.name;
        match self.values {
            ParameterValues::Window { .. } => vec![format!("{name}.begin"), format!("{name}.end")],
            _ => vec![name.clone()],
        }
    }
}

/// Right answer over the first rows of the data, which is checked before anything is loaded.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Number of rows from the start of the data; absent for all rows of data that end.
    pub rows: Option<u64>,
    /// Cells as text, with `NULL` for null. Numbers are compared as numbers.
    pub answer: Vec<Vec<String>>,
    /// Line and column in the workload file, counted from 1.
    pub position: (usize, usize),
}

/// Production scale for the forecast.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Rows to load unless the command line names another number (`--rows`).
    pub default_rows: u64,
    /// Rows of the whole workload, to which `--scale 100%` and the forecast refer.
    pub full_rows: u64,
    /// Copies of each row that the production system keeps.
    pub replication: u32,
    /// Users asking at the same time.
    pub users: u32,
    /// Cores that serve them.
    pub cores: u32,
    /// Questions a second in production, all queries together.
    pub questions_per_second: Option<f64>,
    /// Rows a second that are inserted in production.
    pub rows_per_second: Option<f64>,
    /// The axes along which the table grows from the default rows to all rows, if they are named.
    pub grows: Option<Growth>,
}

impl Scale {
    /// Returns how a table of this many rows grows to all rows, if the axes are named: its series as
    /// much as they say, and its time by what is left, since the first rows have all series for a
    /// shorter time.
    pub fn growth_from(&self, rows: u64) -> Option<Growth> {
        let named = self.grows?;
        let of_rows = self.full_rows as f64 / rows.max(1) as f64;
        let is_named = (named.series * named.time / of_rows - 1.0).abs() <= Growth::TOLERANCE;
        let time = if is_named {
            named.time
        } else {
            of_rows / named.series
        };
        Some(Growth { time, ..named })
    }
}

/// Figures of a publication, which are printed alongside the measured ones and never used as
/// results.
#[derive(Debug, Clone)]
pub struct Published {
    /// Authors, date and versions of the publication.
    pub source: String,
    pub times: Vec<PublishedTime>,
    /// Other findings, in words.
    pub notes: Vec<String>,
}

/// Published figure of a design.
#[derive(Debug, Clone)]
pub struct PublishedTime {
    /// Name of the design in the publication.
    pub design: String,
    /// Name of a query of this workload, or `load` or `storage`.
    pub what: String,
    /// The figure with its unit, as published.
    pub figure: String,
}

/// Shows the generator as in the head of a run: `devops: cpu of 4000 hosts every 10s for 3 days`.
impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Devops { measurement, scale } => {
                let (name, hosts) = (measurement.name(), scale.sources);
                write!(f, "devops: {name} of {hosts} hosts {scale}")
            }
            Generator::Iot { measurement, scale } => {
                let (name, trucks) = (measurement.name(), scale.sources);
                write!(f, "iot: {name} of {trucks} trucks {scale}")
            }
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}

impl Workload {
    /// Returns whether statements of the workload create its tables, rather than the layout of a design.
    pub fn is_written_in_cql(&self) -> bool {
        self.mix.as_ref().is_some_and(|mix| !mix.schema.is_empty())
    }

    /// Returns whether those statements may make functions, which is not allowed in a Cassandra as it is
    /// shipped.
    pub fn makes_functions(&self) -> bool {
        let mut statements = self.mix.iter().flat_map(|mix| &mix.schema);
        statements.any(|cql| {
            let mut words = cql.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|word| word.eq_ignore_ascii_case("function"))
        })
    }
}
