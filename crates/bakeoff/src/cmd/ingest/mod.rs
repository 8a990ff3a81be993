//! `bakeoff ingest`: copies rows of files and of other tables into columnar tables.

mod after;
mod before;
mod definition;
mod execute;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bakeoff_engines::RateLimit;
use bakeoff_engines::tables::{ColumnarError, JoinedTime, Kind, Location, Profile, SaidOfText};
use bakeoff_workload::{Consistency, TimeFormat};
use clap::Args;

use crate::cmd::on_threads;
use crate::cmd::options::cells::CellOptions;
use crate::cmd::options::choice::{parse_consistency, parse_rows};
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::exit::Exit;
use crate::machine;
pub use definition::width_in_words;

/// Help of --rate-limit.
const RATE_LIMIT_HELP: &str = "Rows a second that are written at most to a server that Bakeoff did not start, or \
    `none` [default: 2000]; of a copy of its table to a folder, rows that are read [default: none]";

/// Help of --decimal, which is not looked for here.
const DECIMAL_HELP: &str = "What is before the decimals of numbers in a text file: a point, or a comma, with which \
    points and spaces may be before each three digits [default: .]";
/// Help of --thousands, which is not looked for here either.
const THOUSANDS_HELP: &str = "What is before each three digits of numbers in a text file: a comma, a point (with \
    --decimal ,), a space or an apostrophe [default: nothing]";

/// Fill a columnar table from a file or from another table; it is made if it does not exist.
///
/// Rows replace existing rows with the same key, so the same command can be repeated. Column names
/// are converted to lower case.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.help("The cluster of tables that are KEYSPACE.TABLE")))]
#[command(mut_arg("rate_limit", |a| a.help(RATE_LIMIT_HELP)))]
#[command(mut_arg("decimal", |a| a.help(DECIMAL_HELP).conflicts_with("from")))]
#[command(mut_arg("thousands", |a| a.help(THOUSANDS_HELP).conflicts_with("from")))]
#[command(mut_arg("zone", |a| a.conflicts_with("from")))]
pub struct Ingest {
    /// CSV or TSV with a header (either may be .gz), Parquet or Arrow IPC; its name says which
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    file: Option<PathBuf>,

    /// A table whose rows are copied, instead of a file: any KEYSPACE.TABLE, or dir:FOLDER
    #[arg(long, value_name = "TABLE")]
    from: Option<Location>,

    /// The columnar table: KEYSPACE.TABLE, or dir:FOLDER
    #[arg(long, value_name = "TABLE")]
    into: Location,

    /// Make the keyspace of --into if it does not exist, with this many copies of each row
    #[arg(long, value_name = "COPIES", value_parser = clap::value_parser!(u16).range(1..))]
    create_keyspace: Option<u16>,

    /// Columns whose rows belong together [default: those of --from]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    partition_key: Vec<String>,

    /// Columns that order the rows of a partition key, usually a time; both keys together identify a
    /// row [default: those of --from]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    order_key: Vec<String>,

    /// Make a table without an order key although rows have the same partition key: the last one of
    /// each is kept
    #[arg(long, conflicts_with = "order_key")]
    one_row_per_key: bool,

    /// Types of columns instead of those of the source: boolean, int, bigint, float, double, date,
    /// timestamp, nanotime, text or blob
    #[arg(long, value_name = "COLUMN=TYPE,...", value_delimiter = ',', value_parser = parse_type)]
    types: Vec<(String, Kind)>,

    /// Words in a text file that stand for no value, besides empty cells
    #[arg(
        long,
        value_name = "WORD,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "from"
    )]
    null: Vec<String>,

    #[command(flatten)]
    cells: CellOptions,

    /// A timestamp that is put together from columns of a text file, with a space between their values, and its form:
    /// 'at=Date,Time=%d/%m/%Y %H:%M:%S' [default form: ISO 8601]. The columns are left out unless --columns names them
    #[arg(
        long,
        value_name = "COLUMN=PART,PART[=FORM]",
        value_parser = parse_join,
        conflicts_with = "from"
    )]
    join: Option<JoinedTime>,

    /// Only these columns [default: all]
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    columns: Vec<String>,

    /// Width of a time bucket, which can be dropped as a whole: 1d, or a number if the order key is
    /// one
    #[arg(long, value_name = "WIDTH")]
    bucket: Option<String>,

    /// Parts that each bucket is divided into by partition key [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    shards: Option<u32>,

    /// Encodings: fast (to read) or compact [default: fast]
    #[arg(long, value_name = "PROFILE", value_parser = parse_profile)]
    profile: Option<Profile>,

    /// Most rows of a chunk [default: 32768]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=524_288))]
    chunk_rows: Option<u32>,

    /// Rows of a text file from which its types are guessed, or `all`
    #[arg(long, value_name = "N", default_value = "10k", value_parser = parse_sample)]
    sample: Sample,

    /// Consistency level of all requests to Cassandra [default: LOCAL_QUORUM; LOCAL_ONE for an
    /// ordinary table of --from]
    #[arg(long, value_name = "LEVEL", value_parser = parse_consistency)]
    consistency: Option<Consistency>,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[command(flatten)]
    rate_limit: RateLimitOptions,
}

/// Rows to guess types from; `None` stands for all.
#[derive(Debug, Clone, Copy)]
struct Sample(Option<usize>);

impl Ingest {
    pub fn run(self) -> Result<Exit> {
        on_threads(machine::cores(), execute::execute(self))
    }

    /// Returns what is said of a text file.
    fn said_of_text(&self) -> SaidOfText {
        SaidOfText {
            null: self.null.clone(),
            decimal: self.cells.decimal.unwrap_or_default(),
            thousands: self.cells.thousands,
            zone: self.cells.zone.clone(),
            join: self.join.clone(),
        }
    }

    /// Returns whether a column of the source, whose name is in lower case, is ingested.
    fn takes(&self, name: &str) -> bool {
        if self.columns.is_empty() {
            return self.join.as_ref().is_none_or(|join| !join.has(name));
        }
        let mut columns = self.columns.iter();
        columns.any(|column| column.to_lowercase() == name)
    }

    /// Returns the limit on rows that are read of a cluster, where one is asked for and no write is limited, which would
    /// slow the reads down to it.
    ///
    /// # Errors
    /// Fails with a misuse for a limit without a server that it applies to.
    fn limit_of_reading(&self) -> Result<Option<Arc<RateLimit>>> {
        let reads_cluster = matches!(self.from, Some(Location::Cassandra { .. }));
        let writes_cluster = matches!(self.into, Location::Cassandra { .. });
        if !reads_cluster || writes_cluster || !self.rate_limit.is_given() {
            return Ok(None);
        }
        self.rate_limit.limit(&self.cluster, None)
    }
}

fn parse_type(text: &str) -> Result<(String, Kind), String> {
    let (column, name) = text.split_once('=').ok_or("not COLUMN=TYPE")?;
    if column.is_empty() {
        return Err("not COLUMN=TYPE".to_owned());
    }
    let kind = name.parse::<Kind>();
    kind.map(|kind| (column.to_lowercase(), kind))
        .map_err(|error| error.to_string())
}

fn parse_join(text: &str) -> Result<JoinedTime, String> {
    let mut written = text.splitn(3, '=');
    let mut next = || written.next().map(str::trim);
    let name = next().unwrap_or_default().to_lowercase();
    let parts = next().unwrap_or_default().split(',');
    let parts: Vec<String> = parts.map(|part| part.trim().to_lowercase()).collect();
    let is_twice = |place: usize| parts[..place].contains(&parts[place]);
    if name.is_empty()
        || parts.len() < 2
        || parts.iter().any(String::is_empty)
        || (0..parts.len()).any(is_twice)
    {
        let form = "it is a new column, the different columns that its parts are in, and their form: \
                    at=Date,Time=%d/%m/%Y %H:%M:%S";
        return Err(form.to_owned());
    }
    let format = next().map(TimeFormat::parse).transpose()?;
    if let Some(TimeFormat::Epoch(_)) = format {
        return Err("several columns are no single number since 1970: say a pattern".to_owned());
    }
    Ok(JoinedTime {
        name,
        parts,
        format,
    })
}

fn parse_profile(text: &str) -> Result<Profile, String> {
    text.parse()
        .map_err(|error: ColumnarError| error.to_string())
}

fn parse_sample(text: &str) -> Result<Sample, String> {
    match text {
        "all" => Ok(Sample(None)),
        text => parse_rows(text).map(|rows| Sample(usize::try_from(rows).ok())),
    }
}
