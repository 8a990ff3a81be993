//! A table of a running server instead of a file: its address, and the file with a sample of its rows.

mod address;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_engines::live::{LiveKey, LiveTable, SampleRequest};
use bakeoff_engines::tables::Location;
use bakeoff_engines::{Cluster, sample_cassandra};
use bakeoff_workload::infer::{Asked, Inferred, Origin};
use clap::Args;

use crate::cmd::options::choice::parse_rows;
use crate::cmd::options::cluster;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::{small_runtime, to_cli_error};
use crate::exit::Misuse;
use crate::interrupt::asked_to_stop_leaving;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use address::Address;

/// Rows that are enough of a table.
const SAMPLED_ROWS: u64 = 100_000;
/// Help of --rate-limit, of which others have a limit on writing.
const RATE_LIMIT: &str =
    "Rows a second that are read at most of a live table, or `none` [default: 10000]";
/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: unfinished files may be left in the folder of --out, with names that \
    begin with a dot";
/// Options for files that a table of PostgreSQL may need as well, since it need not have a key.
const FOR_KEYS: [&str; 2] = ["--key", "--time"];

/// Options that say which table is meant, and how much of it is read.
#[derive(Args, Debug, Clone)]
pub struct SampleOptions {
    /// Table of the PostgreSQL whose address is given, as SCHEMA.TABLE; or the one that is meant where a file of
    /// statements makes several, or a log of queries asks several
    #[arg(long, value_name = "SCHEMA.TABLE")]
    table: Option<String>,

    /// Rows of a live table that are enough, from all parts of it [default: 100000]
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    sample: Option<u64>,
}

#[derive(Args, Debug)]
#[command(mut_arg("rate_limit", |a| a.help(RATE_LIMIT)))]
pub struct LiveOptions {
    #[command(flatten)]
    of_table: SampleOptions,

    /// Encrypt the connection to the server of a live table; PEM file with the certificates to trust
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,

    #[command(flatten)]
    rate_limit: RateLimitOptions,
}

/// What a command says of a live table.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    pub of_table: &'a SampleOptions,
    /// File with the certificates to trust, if the connection is to be encrypted.
    pub ca: Option<&'a PathBuf>,
    /// How fast it is read.
    pub rate_limit: &'a RateLimitOptions,
    /// An option for live tables alone that is given besides those of the table, if there is one.
    pub given: Option<&'static str>,
}

/// Where the rows of a workload come from.
pub enum Source {
    /// The file that was named.
    File,
    Sampled(Box<Sampled>),
    /// The user asked to stop.
    Interrupted,
}

/// A file with a sample of a live table.
pub struct Sampled {
    path: PathBuf,
    /// Whether the file stays. It is removed unless the workload that names it was written.
    is_kept: bool,
    origin: Origin,
    key: Option<LiveKey>,
    notes: Vec<String>,
}

/// Returns whether this is meant as the address of a table, even one that cannot be read.
pub fn is_address(from: &Path) -> bool {
    !matches!(Address::parse(from), Ok(None))
}

impl SampleOptions {
    /// Returns the option that is given, if there is one.
    pub fn given(&self) -> Option<&'static str> {
        let sample = self.sample.is_some().then_some("--sample");
        self.table.is_some().then_some("--table").or(sample)
    }

    /// Returns the name of the table that is meant.
    pub fn table(&self) -> Option<&str> {
        self.table.as_deref()
    }
}

impl LiveOptions {
    /// Returns what these options say of a live table.
    pub fn reading(&self) -> Reading<'_> {
        let rate_limit = self.rate_limit.is_given().then_some("--rate-limit");
        Reading {
            of_table: &self.of_table,
            ca: self.tls_ca.as_ref(),
            rate_limit: &self.rate_limit,
            given: self.tls_ca.is_some().then_some("--tls-ca").or(rate_limit),
        }
    }
}

impl<'a> Reading<'a> {
    /// Returns the name of the table that is meant.
    pub fn table(self) -> Option<&'a str> {
        self.of_table.table()
    }

    /// Checks an address with what is said of its table, before anything is read. `given` are the options that say what
    /// a file is. The name of a file is no address, and passes.
    ///
    /// # Errors
    /// Fails with a misuse for an address that names no table or has a password, which is not repeated, and for options
    /// that do not go together.
    pub fn check_address(self, from: &Path, given: &[&'static str]) -> Result<()> {
        match Address::parse(from).map_err(|why| Misuse::new(anyhow!(why)))? {
            Some(address) => self.check(&address, given),
            None => Ok(()),
        }
    }

    /// Reads a sample if `from` is the address of a table. `given` are the options that say what a file is;
    /// `names_table` says whether `--table` means a table of statements or of a log.
    ///
    /// # Errors
    /// Fails with a misuse for an address that names no table, and for options that do not go together, and if the
    /// table cannot be read.
    pub fn source(
        self,
        from: &Path,
        out: Option<&Path>,
        given: &[&'static str],
        names_table: bool,
    ) -> Result<Source> {
        let address = Address::parse(from).map_err(|why| Misuse::new(anyhow!(why)))?;
        let Some(address) = address else {
            return match self.given(names_table) {
                None => Ok(Source::File),
                Some(option) => Err(Misuse::new(anyhow!(
                    "{option} is for a table of a running server, such as cassandra://HOST/KEYSPACE.TABLE, but {} is a \
                     file: leave it out",
                    from.display()
                ))
                .into()),
            };
        };
        self.check(&address, given)?;
        let out = out.ok_or_else(|| {
            Misuse::new(anyhow!(
                "--out FILE.toml: say where the workload goes; the sample of the table is written beside it"
            ))
        })?;
        let path = out.with_extension("parquet");
        if path == out {
            return Err(Misuse::new(anyhow!(
                "--out {}: it names the workload, so that it ends in .toml; the sample is written beside it, to a file \
                 that ends in .parquet",
                out.display()
            ))
            .into());
        }
        let mut file = OutFile::create_new(&path)?.private()?;
        let progress = Progress::begin("reading a sample of the table");
        let read = small_runtime()?.block_on(async {
            tokio::select! {
                read = self.read(&address) => Some(read),
                () = asked_to_stop_leaving(LEFT_BEHIND) => None,
            }
        });
        progress.finish();
        let Some(table) = read else {
            print_line("interrupted");
            return Ok(Source::Interrupted);
        };
        let table = table?;
        table.write_sample(&mut file).map_err(to_cli_error)?;
        file.complete()?;
        Ok(Source::Sampled(Box::new(Sampled::new(path, table))))
    }

    /// Returns an option for live tables that is given, if there is one.
    fn given(self, names_table: bool) -> Option<&'static str> {
        let all = [
            ("--table", self.of_table.table.is_some() && !names_table),
            ("--sample", self.of_table.sample.is_some()),
        ];
        let mut given = all.into_iter().filter(|(_, is_given)| *is_given);
        given.next().map(|(option, _)| option).or(self.given)
    }

    /// Checks that the options go together with the address.
    fn check(self, address: &Address, given: &[&'static str]) -> Result<()> {
        let has_key = matches!(address, Address::Cassandra { .. });
        let is_wrong = |option: &&&str| has_key || !FOR_KEYS.contains(*option);
        if let Some(option) = given.iter().find(is_wrong) {
            return Err(Misuse::new(anyhow!(
                "{option} says what a file is, and a table of a server tells that itself: leave it out"
            ))
            .into());
        }
        match (address, self.table()) {
            (Address::Cassandra { .. }, Some(_)) => Err(Misuse::new(anyhow!(
                "--table is for postgres://; the table of a Cassandra is in its address, as in \
                 cassandra://HOST/KEYSPACE.TABLE: leave it out"
            ))
            .into()),
            (Address::Postgres { .. }, None) => Err(Misuse::new(anyhow!(
                "--table SCHEMA.TABLE: say which table of the database is meant"
            ))
            .into()),
            (Address::Postgres { url }, Some(_)) => check_postgres(url, self.ca),
            (Address::Cassandra { .. }, None) => Ok(()),
        }
    }

    async fn read(self, address: &Address) -> Result<LiveTable> {
        let request = SampleRequest {
            rows: self.of_table.sample.unwrap_or(SAMPLED_ROWS),
            rate_limit: self.rate_limit.of_reading(),
        };
        match address {
            Address::Cassandra {
                host,
                user,
                location,
            } => {
                self.read_cassandra(host, user.as_ref(), location, &request)
                    .await
            }
            Address::Postgres { url } => {
                let table = self.table().unwrap_or_default();
                read_postgres(url, table, self.ca, &request).await
            }
        }
    }

    async fn read_cassandra(
        self,
        host: &str,
        user: Option<&String>,
        location: &Location,
        request: &SampleRequest,
    ) -> Result<LiveTable> {
        let cluster = Cluster {
            address: host.to_owned(),
            username: user.cloned(),
            password: cluster::password(),
            tls: self.ca.is_some(),
            tls_ca: self.ca.cloned(),
            consistency: None,
        };
        let read = sample_cassandra(&cluster, location, request).await;
        read.map_err(to_cli_error)
    }
}

/// Returns the server that an address names.
///
/// # Errors
/// Fails with a misuse for an address that is invalid or has a password, and if the certificates cannot be read.
#[cfg(feature = "postgres")]
fn postgres_server(url: &str, ca: Option<&PathBuf>) -> Result<bakeoff_engines::PostgresServer> {
    let password = crate::cmd::options::postgres::password();
    let server = bakeoff_engines::PostgresServer::looked_at(url, password.as_deref(), ca);
    server.map_err(|error| Misuse::new(error.into()).into())
}

#[cfg(feature = "postgres")]
fn check_postgres(url: &str, ca: Option<&PathBuf>) -> Result<()> {
    postgres_server(url, ca).map(drop)
}

#[cfg(feature = "postgres")]
async fn read_postgres(
    url: &str,
    table: &str,
    ca: Option<&PathBuf>,
    request: &SampleRequest,
) -> Result<LiveTable> {
    let server = postgres_server(url, ca)?;
    let read = bakeoff_engines::sample_postgres(&server, table, request).await;
    read.map_err(to_cli_error)
}

#[cfg(not(feature = "postgres"))]
fn check_postgres(_: &str, _: Option<&PathBuf>) -> Result<()> {
    Err(Misuse::new(anyhow!(
        "this Bakeoff was built without PostgreSQL: build it with the feature `postgres`, or write the rows to a file"
    ))
    .into())
}

#[cfg(not(feature = "postgres"))]
async fn read_postgres(
    url: &str,
    _: &str,
    ca: Option<&PathBuf>,
    _: &SampleRequest,
) -> Result<LiveTable> {
    check_postgres(url, ca)?;
    Err(anyhow!("no PostgreSQL can be read"))
}

impl Sampled {
    fn new(path: PathBuf, table: LiveTable) -> Sampled {
        Sampled {
            path,
            is_kept: false,
            origin: Origin {
                name: table.place,
                table: table.name,
                about: table.about,
                columns: table.columns,
                left_out: table.left_out,
                rows: table.rows,
                design: table.design,
                descending: None,
            },
            key: table.key,
            notes: table.notes,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the table's own key to what is known of the file, unless the user names another one.
    pub fn ask(&self, asked: &mut Asked) {
        let Some(key) = &self.key else { return };
        if asked.key.is_empty() && asked.time.is_none() {
            asked.key.clone_from(&key.partition);
            asked.order = Some(key.order.clone());
        }
    }

    /// Adds what is known of the table to what was found of the file.
    pub fn complete(&self, found: Inferred) -> Inferred {
        let mut found = found.sampled_from(self.origin.clone());
        found.notes.extend(self.notes.iter().cloned());
        found
    }

    /// Lets the file stay.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Sampled {
    fn drop(&mut self) {
        if !self.is_kept {
            // It was made by this command, and nothing names it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
