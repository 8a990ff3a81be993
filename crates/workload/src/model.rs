//! The checked domain types.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef, TimeUnit};

use crate::{ColumnGenerator, Concurrent, DevopsMeasurement, IotMeasurement, Mix, TsbsScale};

/// What is stored and asked, with everything that the file says checked.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Short name: the file's stem, `[a-z0-9_]`.
    pub name: String,
    /// One sentence for `bakeoff list`.
    pub title: String,
    /// Seed of every random stream in the workload.
    pub seed: u64,
    pub table: Table,
    pub data: Data,
    pub queries: Vec<Query>,
    /// Designs to compare when the command line names none.
    pub designs: Vec<DesignId>,
    pub scale: Scale,
    /// Limits of the servers that are started for it.
    pub server: ServerLimits,
    /// Operations that are performed at the same time. A workload without queries has one.
    pub mix: Option<Mix>,
    /// Whether and how the queries are also asked by several clients at the same time.
    pub concurrent: Option<Concurrent>,
    /// Figures that others published for this workload, printed beside ours.
    pub published: Option<Published>,
    /// The file it came from, and its text (kept in the run folder).
    pub path: PathBuf,
    pub text: String,
}

/// A table: columns in order, and its key. All names are lower case.
#[derive(Debug, Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// Columns that say which rows belong together. Never empty.
    pub partition_key: Vec<String>,
    /// Columns that order rows inside a partition. With the partition key they are the primary
    /// key. May be empty.
    pub order_key: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnType,
}

/// Column types, named as in CQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Boolean,
    Int,
    Bigint,
    Double,
    Text,
    /// Milliseconds since the Unix epoch, UTC.
    Timestamp,
    /// Any bytes.
    Blob,
}

/// Where rows come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    Generator(Generator),
    /// CSV, TSV (either may be gzipped) or Parquet, told apart by the name's ending. Relative
    /// paths are relative to the workload file.
    File(PathBuf),
    /// The workload needs a file, and the command line has to name it (`--data PATH`).
    FileFromCommandLine,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// GDELT 1.0 events, 57 columns, 72 months from 1979-01.
    Gdelt,
    /// `sensors` series, each with one uniform value in 0..100 per time 1, 2, 3, ...
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

#[derive(Debug, Clone)]
pub struct Query {
    pub name: String,
    /// SQL with `${parameter}` where a drawn literal goes.
    pub sql: String,
    /// SQL for an engine (by its name, `cassandra`) or one of its layouts (`cassandra/wide`) that
    /// needs another form.
    pub engine_sql: BTreeMap<String, String>,
    pub parameters: Vec<Parameter>,
    pub expect: Option<Expectation>,
    /// Where the SQL text stands in the workload file (1-based line, column), for messages.
    pub position: (usize, usize),
}

#[derive(Debug, Clone)]
pub struct Parameter {
    pub name: String,
    pub values: ParameterValues,
}

/// What a parameter is drawn from.
#[derive(Debug, Clone)]
pub enum ParameterValues {
    /// A uniform integer, both ends included.
    Uniform { from: i64, to: i64 },
    /// One of these SQL literals.
    Choice(Vec<String>),
    /// The value that this column has in a row drawn uniformly from those loaded.
    Column(String),
    /// So many different values of this column, from such rows, with commas between them; all
    /// values where there are fewer.
    Distinct { column: String, count: u32 },
    /// Both ends of a half-open window of so many milliseconds, which begins anywhere between the
    /// first time that this column has in the rows loaded and that long before the last one. The
    /// whole range where it is shorter than the window.
    Window { column: String, milliseconds: u64 },
}

impl Parameter {
    /// What stands for it in SQL between `${` and `}`, one for each literal that is drawn.
    pub fn placeholders(&self) -> Vec<String> {
        let name = &self.name;
        match self.values {
            ParameterValues::Window { .. } => vec![format!("{name}.begin"), format!("{name}.end")],
            _ => vec![name.clone()],
        }
    }
}

/// The right answer over the first rows of the data, checked before anything is loaded.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Rows from the start of the data; all of them when absent, which then come to an end.
    pub rows: Option<u64>,
    /// Cells as text; `NULL` for null. Numbers are compared as numbers.
    pub answer: Vec<Vec<String>>,
    /// Line and column in the workload file, both from 1 on.
    pub position: (usize, usize),
}

/// Production scale, for the forecast.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Rows to load when the command line does not say (`--rows`).
    pub default_rows: u64,
    /// Rows of the whole workload: `--scale 100%`, and what the forecast is for.
    pub full_rows: u64,
    /// Copies of each row that the production system keeps.
    pub replication: u32,
    /// Users asking at the same time.
    pub users: u32,
    /// Cores that serve them.
    pub cores: u32,
}

/// Bounds of a server that is started for a workload; its defaults where absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerLimits {
    pub heap_mib: Option<u64>,
    /// Of heap, memory outside of it and page cache together.
    pub memory_mib: Option<u64>,
}

/// Figures from a publication, printed beside what we measure, never used as a result.
#[derive(Debug, Clone)]
pub struct Published {
    /// Who, when, on what versions.
    pub source: String,
    pub times: Vec<PublishedTime>,
    /// Other findings in words.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct PublishedTime {
    /// As the publication calls it.
    pub design: String,
    /// Query name of this workload, `load` or `storage`.
    pub what: String,
    /// The figure with its unit, as published.
    pub figure: String,
}

/// Engine, layout and settings: `cassandra/wide?bucket=1d&chunk=4KiB`.
///
/// Settings are kept in the order of their names, so that equal designs have equal ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DesignId {
    pub engine: String,
    /// Absent for engines with one layout (`parquet`, `memory`).
    pub layout: Option<String>,
    pub settings: BTreeMap<String, Setting>,
}

pub type Setting = String;

impl fmt::Display for DesignId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.engine)?;
        if let Some(layout) = &self.layout {
            write!(f, "/{layout}")?;
        }
        let mut separator = '?';
        for (name, value) in &self.settings {
            write!(f, "{separator}{name}={value}")?;
            separator = '&';
        }
        Ok(())
    }
}

impl std::str::FromStr for DesignId {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let (engine, layout) = match place.split_once('/') {
            Some((engine, layout)) => (engine, Some(layout.to_owned())),
            None => (place, None),
        };
        let word = |w: &str| {
            !w.is_empty()
                && w.chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        if !word(engine) || layout.as_deref().is_some_and(|l| !word(l)) {
            return Err(format!(
                "`{text}` is not a design id; write engine/layout?setting=value&..., \
                 for example cassandra/wide?chunk=4KiB"
            ));
        }
        let mut settings = BTreeMap::new();
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair
                .split_once('=')
                .filter(|(n, v)| word(n) && !v.is_empty())
                .ok_or_else(|| format!("`{pair}` in design id `{text}` is not setting=value"))?;
            if settings.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(format!("design id `{text}` has the setting `{name}` twice"));
            }
        }
        Ok(DesignId {
            engine: engine.to_owned(),
            layout,
            settings,
        })
    }
}

impl Workload {
    /// Whether its tables are made by statements of its own, not by the layout of a design.
    pub fn is_written_in_cql(&self) -> bool {
        self.mix.as_ref().is_some_and(|mix| !mix.schema.is_empty())
    }
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// A column's place among the columns.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// Partition key followed by order key.
    pub fn key(&self) -> impl Iterator<Item = &str> {
        self.partition_key
            .iter()
            .chain(&self.order_key)
            .map(String::as_str)
    }

    pub fn is_key(&self, name: &str) -> bool {
        self.key().any(|k| k == name)
    }

    /// The Arrow schema of every batch of this table. Key columns are not nullable.
    pub fn schema(&self) -> SchemaRef {
        let fields = self
            .columns
            .iter()
            .map(|c| Field::new(&c.name, c.kind.arrow(), !self.is_key(&c.name)))
            .collect::<Vec<_>>();
        Arc::new(Schema::new(fields))
    }
}

impl ColumnType {
    pub const ALL: [(&'static str, ColumnType); 7] = [
        ("boolean", ColumnType::Boolean),
        ("int", ColumnType::Int),
        ("bigint", ColumnType::Bigint),
        ("double", ColumnType::Double),
        ("text", ColumnType::Text),
        ("timestamp", ColumnType::Timestamp),
        ("blob", ColumnType::Blob),
    ];

    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Boolean => "boolean",
            ColumnType::Int => "int",
            ColumnType::Bigint => "bigint",
            ColumnType::Double => "double",
            ColumnType::Text => "text",
            ColumnType::Timestamp => "timestamp",
            ColumnType::Blob => "blob",
        }
    }

    pub fn arrow(self) -> DataType {
        match self {
            ColumnType::Boolean => DataType::Boolean,
            ColumnType::Int => DataType::Int32,
            ColumnType::Bigint => DataType::Int64,
            ColumnType::Double => DataType::Float64,
            ColumnType::Text => DataType::Utf8,
            ColumnType::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, None),
            ColumnType::Blob => DataType::Binary,
        }
    }
}
