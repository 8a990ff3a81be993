//! `bakeoff forecast`: what a saved run says about another number of rows.

mod amount;
mod factors;
mod machines;
mod slower_disk;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::growth;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::ledger::{self, Entry};
use bakeoff_stats::sweep::SweepRun;
use bakeoff_stats::{Run, ScanQuestion, Summary, UsersForecast};
use clap::Args;

use crate::cmd::history::run_folders;
use crate::cmd::options::choice::{parse_rate, parse_rows};
use crate::exit::{Exit, Misuse};
use crate::terminal::{json, stdout};
use machines::MachineOptions;
use slower_disk::parse_disk_rate;

/// Options that say what is asked of a forecast from one run of `bakeoff run`; checks of forecasts and loads have none
/// of them.
const OF_A_RUN: [&str; 12] = [
    "rows",
    "records",
    "copies",
    "users",
    "cores",
    "machine_cores",
    "disk",
    "questions",
    "inserts",
    "nodes",
    "prices",
    "factors_of",
];

/// Options that say nothing about a question of some records, nor about the factors of an earlier run.
const NOT_WITH_RECORDS: [&str; 8] = [
    "rows",
    "copies",
    "machine_cores",
    "disk",
    "questions",
    "inserts",
    "nodes",
    "prices",
];

/// Forecast storage and times at another number of rows, from the tables of several sizes that a
/// run measured, and what several users get, machines and their cost; the time of a question by the records that it
/// reads; or how fast the load of `bakeoff drive` would be on a slower disk, and what a rate of reads needs from it.
///
/// Each figure has its 90% interval and says what it rests on; where the run supports none, it says
/// what to measure instead.
#[derive(Args)]
pub struct Forecast {
    /// The folder that `bakeoff run` wrote to, or with --disk-read or --reads that of `bakeoff drive`; with
    /// --ledger one that holds such folders
    dir: PathBuf,

    /// Rows to forecast, for example 4.16M [default: the workload's full scale, and for --users alone those measured]
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    rows: Option<u64>,

    /// Records that a question reads, for example 4.16M: its time by the scan speed of one core, checked by the run's
    /// other times
    #[arg(long, value_name = "N", value_parser = parse_rows, conflicts_with_all = NOT_WITH_RECORDS, allow_negative_numbers = true)]
    records: Option<u64>,

    /// Estimate the designs of an earlier run, such as one on another machine, by a design that both measured: its
    /// times here, multiplied by that run's factors; with --records the time of such a question
    #[arg(long, value_name = "DIR", conflicts_with_all = NOT_WITH_RECORDS)]
    factors_of: Option<PathBuf>,

    /// Design that both runs of --factors-of measured [default: the only one]
    #[arg(long, value_name = "DESIGN", requires = "factors_of")]
    base: Option<String>,

    /// Copies of each row [default: as the workload says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    copies: Option<u32>,

    /// Users who ask at the same time, one question after another
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    users: Option<u32>,

    /// Cores that serve them, or that read --records [default: those of the machine that measured]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    cores: Option<u32>,

    #[command(flatten)]
    machines: MachineOptions,

    /// Predict the larger tables of the run from its smaller ones, and the clients of a run from single
    /// answers, compare with what was measured, and add it to the ledger in the run's folder
    #[arg(long, conflicts_with_all = OF_A_RUN)]
    validate: bool,

    /// Say how often the forecasts in the ledgers of all runs below the folder held
    #[arg(long, conflicts_with_all = OF_A_RUN, conflicts_with = "validate")]
    ledger: bool,

    /// Forecast what another, larger run of the workload measured, compare, and add it to the ledger; of a
    /// load what the same load measured with `disk_read` in its [server]
    #[arg(long, value_name = "DIR", conflicts_with_all = OF_A_RUN, conflicts_with_all = ["validate", "ledger"])]
    validate_at: Option<PathBuf>,

    /// Bytes that a disk gives in a second, for example 50MB/s: what it leaves of a load that went as fast
    /// as it could
    #[arg(long, value_name = "RATE", value_parser = parse_disk_rate, conflicts_with_all = OF_A_RUN, conflicts_with_all = ["validate", "ledger", "validate_at"])]
    disk_read: Option<f64>,

    /// Reads a second, for example 10k: the bytes a second that a load's designs need from their disk for them, by what
    /// each read took from it, and by the length of a chunk
    #[arg(long, value_name = "RATE", value_parser = parse_rate, allow_negative_numbers = true, conflicts_with_all = OF_A_RUN, conflicts_with_all = ["validate", "ledger", "validate_at", "disk_read"])]
    reads: Option<f64>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Forecast {
    pub fn run(self) -> Result<Exit> {
        let text = if self.ledger {
            self.of_ledgers()?
        } else if DriveRun::is_one(&self.dir) && !self.validate {
            self.of_load()?
        } else {
            self.of_run(&read(&self.dir)?)?
        };
        let text = if self.json { json(&text) } else { text };
        writeln!(stdout(), "{text}")?;
        Ok(Exit::Complete)
    }

    fn of_load(&self) -> Result<String> {
        if let Some(reads) = self.reads {
            return slower_disk::render_for_reads(&self.dir, reads, self.json);
        }
        let bounded = self.validate_at.as_deref();
        slower_disk::render(&self.dir, self.disk_read, bounded, self.json)
    }

    fn of_run(&self, summary: &Summary) -> Result<String> {
        let of_load = [
            ("--disk-read", self.disk_read.is_some()),
            ("--reads", self.reads.is_some()),
        ];
        if let Some((option, _)) = of_load.into_iter().find(|(_, is_given)| *is_given) {
            let of_run = anyhow!(
                "{option} is for a load: name the folder of `bakeoff drive` in place of {}",
                self.dir.display()
            );
            return Err(Misuse::new(of_run).into());
        }
        if let Some(other) = &self.validate_at {
            return self.validated_at(summary, other);
        }
        if self.validate {
            return self.validated(summary);
        }
        if let Some(earlier) = &self.factors_of {
            return self.by_factors(summary, earlier);
        }
        if let Some(records) = self.records {
            return self.of_records(summary, records);
        }
        if self.cores.is_some() && self.users.is_none() {
            let told =
                anyhow!("--cores needs --users, who share them, or --records, which they read");
            return Err(Misuse::new(told).into());
        }
        match (self.users, self.machines.are_asked()) {
            (Some(users), true) => self.under_load_and_machines(summary, users),
            (Some(users), false) => self.under_load(summary, users),
            (None, true) => self.of_machines(summary),
            (None, false) => self.at_rows(summary),
        }
    }

    /// Returns the rows to forecast, by default those of the full scale, and the copies of each.
    fn size(&self, summary: &Summary) -> (u64, u32) {
        let scale = &summary.header.scale;
        let copies = self.copies.unwrap_or(scale.replication.max(1));
        (self.rows.unwrap_or(summary.full_rows()), copies)
    }

    fn at_rows(&self, summary: &Summary) -> Result<String> {
        let (rows, copies) = self.size(summary);
        Ok(if self.json {
            growth::json(summary, rows, copies)?
        } else {
            growth::render(summary, rows, copies)
        })
    }

    /// Returns the question that reads so many records, of one user unless more are asked for.
    fn question(&self, summary: &Summary, records: u64) -> ScanQuestion {
        ScanQuestion {
            records,
            users: self.users.unwrap_or(1),
            cores: self.cores.unwrap_or(summary.header.machine.cores),
        }
    }

    /// Returns the designs of an earlier run, as estimated by its factors.
    fn by_factors(&self, summary: &Summary, earlier: &Path) -> Result<String> {
        if self.records.is_none() && (self.users.is_some() || self.cores.is_some()) {
            let told = anyhow!(
                "--users and --cores say nothing about --factors-of alone; add --records, or leave them out"
            );
            return Err(Misuse::new(told).into());
        }
        let question = self.records.map(|records| self.question(summary, records));
        let other = read(earlier)?;
        let runs = factors::Runs {
            run: (self.dir.as_path(), summary),
            earlier: (earlier, &other),
        };
        runs.render(self.base.as_deref(), question, self.json)
    }

    /// Returns the time of a question that reads so many records.
    fn of_records(&self, summary: &Summary, records: u64) -> Result<String> {
        let found = summary.by_scan_speed(self.question(summary, records));
        Ok(if self.json {
            growth::by_scan_speed_json(&found)?
        } else {
            growth::render_by_scan_speed(&found)
        })
    }

    fn of_machines(&self, summary: &Summary) -> Result<String> {
        let (rows, copies) = self.size(summary);
        self.machines.render(summary, rows, copies, self.json)
    }

    fn under_load(&self, summary: &Summary, users: u32) -> Result<String> {
        if self.copies.is_some() {
            let ignored = anyhow!(
                "--copies says nothing about users, whose questions read one copy; leave it out, or ask for \
                 machines, too, with --questions or --prices"
            );
            return Err(Misuse::new(ignored).into());
        }
        let rows = self.rows.unwrap_or(summary.rows);
        let found = self.users_of(summary, users, rows);
        Ok(if self.json {
            growth::users_json(&found)?
        } else {
            growth::render_users(&found)
        })
    }

    fn users_of(&self, summary: &Summary, users: u32, rows: u64) -> UsersForecast {
        let cores = self.cores.unwrap_or(summary.header.machine.cores);
        summary.under_load(users, cores, rows)
    }

    /// Returns what users get and the machines, both for the same rows.
    fn under_load_and_machines(&self, summary: &Summary, users: u32) -> Result<String> {
        let (rows, _) = self.size(summary);
        let found = self.users_of(summary, users, rows);
        let machines = self.of_machines(summary)?;
        if self.json {
            return Ok(growth::users_and_machines_json(&found, &machines)?);
        }
        Ok([growth::render_users(&found), machines].join("\n"))
    }

    fn validated_at(&self, summary: &Summary, other: &Path) -> Result<String> {
        let measured = read(other)?;
        let (validation, entries) = growth::validate_at(summary, &measured).map_err(|why| {
            let (own, other) = (self.dir.display(), other.display());
            Misuse::new(anyhow!(
                "the forecast of {own} cannot be checked by {other}: {why}"
            ))
        })?;
        let added = self.add_to_ledger(&entries)?;
        Ok(if self.json {
            validation.json()?
        } else {
            [validation.render(), added].join("\n")
        })
    }

    /// Adds predictions to the ledger of the run, and says how many were not there yet.
    fn add_to_ledger(&self, entries: &[Entry]) -> Result<String> {
        let added = ledger::append(&self.dir, entries)
            .with_context(|| format!("the ledger of {} cannot be written", self.dir.display()))?;
        Ok(format!(
            "{added} of {} predictions were added to {}; the others are in it.\n",
            entries.len(),
            self.dir.join(ledger::FILE).display()
        ))
    }

    fn validated(&self, summary: &Summary) -> Result<String> {
        let added = self.add_to_ledger(&ledger::held_out(summary))?;
        let validation = growth::validate(summary);
        if self.json {
            return Ok(validation.json()?);
        }
        Ok([validation.render(), added].join("\n"))
    }

    fn of_ledgers(&self) -> Result<String> {
        let folders = run_folders(&self.dir)?;
        let mut entries: Vec<Entry> = Vec::new();
        for folder in &folders {
            entries.extend(ledger::read(folder)?);
        }
        let entries = ledger::distinct(entries);
        if self.json {
            return Ok(growth::ledger_json(&entries)?);
        }
        let runs = folders.iter().filter(|dir| dir.join(ledger::FILE).exists());
        Ok(growth::render_ledger(&entries, runs.count()))
    }
}

/// Reads a run that loaded rows.
fn read(dir: &Path) -> Result<Summary> {
    if DriveRun::is_one(dir) || SweepRun::is_one(dir) {
        let of_load = anyhow!(
            "{} is the folder of a load, which has no forecast; name that of `bakeoff run`",
            dir.display()
        );
        return Err(Misuse::new(of_load).into());
    }
    let summary = Run::open(dir)?.summary()?;
    if summary.rows == 0 {
        return Err(anyhow!(
            "the run in {} loaded no rows, so there is nothing to forecast from",
            dir.display()
        ));
    }
    Ok(summary)
}
