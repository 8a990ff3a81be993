//! `bakeoff decide`: from a file of rows, or a workload, to a recommended design, in one command.

mod adopt;
mod basis;
mod conclude;
mod dry_run;
mod filling;
mod final_plan;
mod final_run;
#[cfg(test)]
mod fixture;
mod folders;
mod foresee;
mod hold;
mod loads;
mod measure;
mod operations;
mod paces;
mod pages;
mod prepare;
mod record;
mod source;
mod state;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::EngineOptions;
use bakeoff_stats::per_node::Wanted;
use clap::Args;

use self::hold::Held;
use self::loads::LoadOptions;
use self::record::Record;
use self::source::Source;
use self::state::{has_begun, has_ended};
use crate::cmd::init::{self, Reading, SampleOptions};
use crate::cmd::measure::folder;
use crate::cmd::options::all_designs::AllDesignsOptions;
use crate::cmd::options::choice::parse_duration;
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::postgres::PostgresOptions;
use crate::cmd::options::prices::PriceOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::options::table_file::TableFileOptions;
use crate::cmd::report::beside::RUN;
use crate::exit::{Exit, Misuse};
use crate::stderr::print_line;

/// Name of the workload in the folder of a decision.
const WORKLOAD: &str = "workload.toml";
/// Name of the sample of a live table in it, which is that of the workload with another ending.
const SAMPLE: &str = "workload.parquet";

/// Help of --rate-limit, which is about reading, too.
const RATE_LIMIT: &str = "Rows a second that are written at most to a server that Bakeoff did not start \
    [default: 2000], or that are read of a live table [default: 10000], or `none`";

/// Recommend a design for a file, a live table or a workload: propose designs, measure them, and say which one to take
///
/// It does what `init`, `propose` and `run --race` do, and ends with the design to take, the storage to buy, how long
/// questions take, and the statements that make and fill its tables. Where the race has too few rows to forecast all of
/// them, its best two to four designs are measured once more, with more rows. The operations of a workload are driven as by
/// `drive`: in place of `run` if there are no questions, and else for the design to take and the next one. The same
/// command goes on where it was stopped, and prints the recommendation again once it has ended; only loads begin anew.
#[derive(Args, Debug)]
#[command(mut_arg("rate_limit", |a| a.help(RATE_LIMIT)))]
pub struct Decide {
    /// Data file, file of statements (.cql, .sql) or live table (cassandra://HOST[:PORT]/KEYSPACE.TABLE, or
    /// postgres://USER@HOST/DATABASE with --table), as of `bakeoff init`; or a workload: a file that ends in .toml, or
    /// a name out of `bakeoff list`
    from: PathBuf,

    #[command(flatten)]
    asked: TableFileOptions,

    /// File with a sample of the rows of the table that a file of statements makes, in any form that rows may have
    /// [default: rows are made, by guesses]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,

    #[command(flatten)]
    of_table: SampleOptions,

    /// Encrypt the connection to the server of the live table that is decided for; PEM file with the certificates to
    /// trust
    #[arg(long, value_name = "FILE")]
    from_ca: Option<PathBuf>,

    /// Time for measuring, for example 30m: chooses rows and rounds so that it fits
    #[arg(long, value_name = "DURATION", default_value = "12m", value_parser = parse_duration)]
    budget: Duration,

    #[command(flatten)]
    all_designs: AllDesignsOptions,

    #[command(flatten)]
    load: LoadOptions,

    /// Folder for the workload and what is measured [default: runs/NAME-decide]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// New folder for files to take the recommended design: the statements that make its tables or views, the questions
    /// in the SQL that it is asked, a script that fills it with the rows of the workload, and one that does all of it
    #[arg(long, value_name = "DIR")]
    adopt: Option<PathBuf>,

    /// Say which designs would be measured and by which rules, on how many rows and how the budget is shared out;
    /// start nothing and touch nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    prices: PriceOptions,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[command(flatten)]
    postgres: PostgresOptions,

    #[command(flatten)]
    rate_limit: RateLimitOptions,
}

impl Decide {
    pub fn run(self) -> Result<Exit> {
        let source = Source::of(&self.from)?;
        self.check(&source)?;
        let questions = self.asked.questions(init::language_of(&self.from))?;
        let record = Record::new(&self, &source, &questions)?;
        let dir = self.folder(&source, &record)?;
        record.check(&dir)?;
        if self.dry_run {
            return dry_run::print(&self, &source, &dir);
        }
        if !has_ended(&dir) {
            // The files of a decision that has ended may be there already.
            folders::check(&dir, self.adopt.as_deref())?;
            if self.carry_out(&source, &record, &dir)? == Exit::Interrupted {
                return Ok(Exit::Interrupted);
            }
        }
        self.write_old_pages(&dir);
        conclude::conclude(&self, &dir)
    }

    /// Writes the workload and measures its designs in the folder, in which no other command works meanwhile. If
    /// nothing was measured, the folder is left as it was, but for what the same command can go on with.
    fn carry_out(&self, source: &Source, record: &Record, dir: &Path) -> Result<Exit> {
        let held = Held::hold(dir)?;
        // Another command may have worked in it until now, and even have come to the end.
        if let Err(error) = record.check(dir) {
            held.leave();
            return Err(error);
        }
        if has_ended(dir) {
            return Ok(Exit::Complete);
        }
        held.tidy();
        let measured = self.prepare_and_measure(source, record, dir);
        match &measured {
            _ if has_begun(dir) => {}
            Ok(Some(_)) => {}
            Err(error) if may_pass(error) && has_sample(source, dir) => print_line(format_args!(
                "note: the sample of the table stays in {}: the same command goes on with it",
                dir.display()
            )),
            // What keeps a measurement from its beginning would keep the same command from it for ever.
            Ok(None) | Err(_) => held.undo(),
        }
        Ok(measured?.unwrap_or(Exit::Interrupted))
    }

    /// Writes the workload and measures its designs. `None` if the user asked to stop before the workload was written.
    fn prepare_and_measure(
        &self,
        source: &Source,
        record: &Record,
        dir: &Path,
    ) -> Result<Option<Exit>> {
        let Some(told_unmet) = prepare::prepare(self, source, record, dir)? else {
            return Ok(None);
        };
        self.measure(dir, told_unmet).map(Some)
    }

    /// Checks the options before anything is read.
    ///
    /// # Errors
    /// Fails with a misuse for an option that would be ignored, and for what it names if that cannot be used.
    fn check(&self, source: &Source) -> Result<()> {
        let of_table = self.of_table.given().or(self.reading().given);
        let data = self.data.is_some().then_some("--data");
        let given = self.asked.first_given().or(of_table).or(data);
        if let (Source::Workload, Some(option)) = (source, given) {
            let told = anyhow!(
                "{option} is for a data file, and {} is a workload: say it there",
                self.from.display()
            );
            return Err(Misuse::new(told).into());
        }
        // Before anything repeats it, since an address may have a password in it, which is refused.
        let of_files = self.asked.of_files();
        self.reading().check_address(&self.from, &of_files)?;
        if let (false, Some(option)) = (*source == Source::Workload, self.load.given()) {
            return Err(loads::without_operations(option, &self.from));
        }
        self.wanted()?;
        // Before the command is kept in a file, since a URL may have a password in it, which is refused.
        self.postgres.put_into(&mut EngineOptions::default())?;
        if self.names_server() || !source.is_live() {
            self.rate_limit.limit(&self.cluster, self.postgres.url())?;
        }
        Ok(())
    }

    /// Returns what is said of a live table.
    fn reading(&self) -> Reading<'_> {
        Reading {
            of_table: &self.of_table,
            ca: self.from_ca.as_ref(),
            rate_limit: &self.rate_limit,
            given: self.from_ca.is_some().then_some("--from-ca"),
        }
    }

    /// Returns what the workload is written for if none is given, for the file `out`.
    fn request<'a>(&'a self, out: &'a Path) -> init::Request<'a> {
        init::Request {
            from: &self.from,
            out: Some(out),
            data: self.data.as_deref(),
            asked: &self.asked,
            live: self.reading(),
            // Questions decide.
            performs: false,
        }
    }

    /// Returns the limit of rows that are written to the servers that are named.
    fn rate_limit_of_writing(&self) -> RateLimitOptions {
        if self.names_server() {
            self.rate_limit.clone()
        } else {
            // It is that of reading a live table, or none is given.
            RateLimitOptions::default()
        }
    }

    /// Returns whether a server to measure on is named.
    fn names_server(&self) -> bool {
        self.cluster.option().is_some() || self.postgres.option().is_some()
    }

    /// Reads the prices for the report.
    ///
    /// # Errors
    /// Fails with a misuse if there is no such list, or it is invalid.
    fn wanted(&self) -> Result<Wanted> {
        Ok(Wanted {
            prices: self.prices.read()?,
            need: None,
        })
    }

    /// Returns the folder asked for, or `runs/NAME-decide`, or the first of `runs/NAME-decide-2`, ... that is new or
    /// holds what this command began.
    fn folder(&self, source: &Source, record: &Record) -> Result<PathBuf> {
        let name = source.name(&self.from, self.of_table.table());
        let name = format!("{name}-decide");
        let is_free = |dir: &Path| match Record::read(dir) {
            Ok(Some(there)) => there.is_same(record),
            Ok(None) => record::is_unused(dir),
            Err(_) => false,
        };
        folder::choose(self.out.as_deref(), &name, is_free)
    }
}

/// Returns whether what kept a measurement from its beginning may be gone when the same command is given again, such as
/// a server that does not answer. Mistakes of the command or of the workload stay what they are.
fn may_pass(error: &anyhow::Error) -> bool {
    !error.is::<Misuse>()
}

/// Returns whether the folder of a decision has the whole sample of a live table, with the workload that names it.
fn has_sample(source: &Source, dir: &Path) -> bool {
    source.is_live() && dir.join(WORKLOAD).exists()
}
