//! `bakeoff decide`: from a file of rows, or a workload, to a recommended design, in one command.

mod adopt;
mod conclude;
mod dry_run;
mod prepare;
mod record;
mod source;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_engines::{EngineOptions, Language};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::{Record as Recorded, Run as SavedRun};
use clap::Args;

use self::record::Record;
use self::source::Source;
use crate::cmd::measure::folder;
use crate::cmd::measurement::Measurement;
use crate::cmd::options::choice::parse_duration;
use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::postgres::PostgresOptions;
use crate::cmd::options::prices::PriceOptions;
use crate::cmd::options::rate_limit::RateLimitOptions;
use crate::cmd::options::table_file::TableFileOptions;
use crate::cmd::run;
use crate::exit::{Exit, Misuse};

/// Name of the workload in the folder of a decision.
const WORKLOAD: &str = "workload.toml";
/// Name of the run's folder in it.
const RUN: &str = "run";

/// Recommend a design for a file of rows or a workload: propose designs, measure them, and say which one to take
///
/// It does what `init`, `propose` and `run --race` do, and ends with the design to take, the storage to buy, how long
/// questions take, and the statements that make and fill its tables. The same command goes on where it was stopped, and
/// prints the recommendation again once it has ended.
#[derive(Args, Debug)]
pub struct Decide {
    /// Data file as of `bakeoff init`, or a workload: a file that ends in .toml, or a name out of `bakeoff list`
    from: PathBuf,

    #[command(flatten)]
    asked: TableFileOptions,

    /// Time for measuring, for example 15m: chooses rows and rounds so that it fits
    #[arg(long, value_name = "DURATION", default_value = "15m", value_parser = parse_duration)]
    budget: Duration,

    /// Folder for the workload and the run [default: runs/NAME-decide]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// New folder for the statements that make the recommended design, a script that fills it with all rows, and one
    /// that does both on a server of yours
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
        let questions = self.asked.questions(Language::Sql)?;
        let record = Record::new(&self, &source, &questions)?;
        let dir = self.folder(&source, &record)?;
        record.check(&dir)?;
        if self.dry_run {
            return dry_run::print(&self, &source, &dir);
        }
        let ended = if has_ended(&dir.join(RUN)) {
            None
        } else {
            // The files of a decision that has ended may be there already.
            if let Some(folder) = &self.adopt {
                adopt::check_folder(folder)?;
            }
            prepare::prepare(&self, &source, &record, &dir)?;
            Some(self.measure(&dir)?)
        };
        if ended == Some(Exit::Interrupted) {
            return Ok(Exit::Interrupted);
        }
        let concluded = conclude::conclude(&self, &dir)?;
        Ok(ended.unwrap_or(concluded))
    }

    /// Checks the options before anything is read.
    ///
    /// # Errors
    /// Fails with a misuse for an option that would be ignored, and for what it names if that cannot be used.
    fn check(&self, source: &Source) -> Result<()> {
        let given = self.asked.first_given();
        if let (Source::Workload, Some(option)) = (source, given) {
            let told = anyhow!(
                "{option} is for a data file, and {} is a workload: say it there",
                self.from.display()
            );
            return Err(Misuse::new(told).into());
        }
        self.wanted()?;
        // Before the command is kept in a file, since a URL may have a password in it, which is refused.
        self.postgres.put_into(&mut EngineOptions::default())?;
        self.rate_limit.limit(&self.cluster, self.postgres.url())?;
        Ok(())
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
        let name = format!("{}-decide", source.name(&self.from));
        let is_free = |dir: &Path| match Record::read(dir) {
            Ok(Some(there)) => there.is_same(record),
            Ok(None) => !dir.exists(),
            Err(_) => false,
        };
        folder::choose(self.out.as_deref(), &name, is_free)
    }

    /// Measures the designs of the workload in the folder, by the command that does so.
    fn measure(&self, dir: &Path) -> Result<Exit> {
        self.measurement(dir)?.run()
    }

    /// Returns the run that measures the designs of the workload in the folder, as the command line reads it.
    fn measurement(&self, dir: &Path) -> Result<run::Run> {
        let mut words: Vec<OsString> = vec!["run".into()];
        words.push(dir.join(WORKLOAD).into_os_string());
        words.extend(source::data_words(&self.from)?);
        words.extend(["--race", "--budget"].map(OsString::from));
        words.push(format!("{}ms", self.budget.as_millis().max(1)).into());
        words.extend(["--out".into(), dir.join(RUN).into_os_string()]);
        if let Some(list) = self.prices.list() {
            words.extend(["--prices".into(), list.as_os_str().to_owned()]);
        }
        let run = match Measurement::read(words) {
            Ok(Measurement::Run(run)) => run,
            Ok(_) => return Err(anyhow!("cannot begin the run")),
            Err(why) => return Err(anyhow!("cannot begin the run: {why}")),
        };
        Ok(run.on_servers(run::Servers {
            cluster: self.cluster.clone(),
            postgres: self.postgres.clone(),
            rate_limit: self.rate_limit.clone(),
        }))
    }
}

/// Returns whether a folder holds a run that came to its end.
fn has_ended(dir: &Path) -> bool {
    let run = SavedRun::open(dir).ok();
    run.is_some_and(|run| matches!(run.records().last(), Some(Recorded::Finished { .. })))
}
