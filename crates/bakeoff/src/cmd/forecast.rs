//! `bakeoff forecast`: what a saved run says about another number of rows.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use bakeoff_report::growth;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::sweep::SweepRun;
use bakeoff_stats::{Run, Summary};
use clap::Args;

use crate::cmd::options::choice::parse_rows;
use crate::exit::{Exit, Misuse};

/// Forecast storage and times at another number of rows, from the tables of several sizes that a
/// run measured.
///
/// Each figure has its 90% interval and says what it rests on; where the run supports none, it says
/// what to measure instead.
#[derive(Args)]
pub struct Forecast {
    /// The folder that `bakeoff run` wrote to
    dir: PathBuf,

    /// Rows to forecast, for example 4.16M [default: the workload's full scale]
    #[arg(long, value_name = "N", value_parser = parse_rows, allow_negative_numbers = true)]
    rows: Option<u64>,

    /// Copies of each row [default: as the workload says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    copies: Option<u32>,

    /// Users who ask at the same time, one question after another, with the measured rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), conflicts_with_all = ["rows", "copies", "json"])]
    users: Option<u32>,

    /// Cores that serve them [default: those of the machine that measured]
    #[arg(long, value_name = "N", requires = "users", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    cores: Option<u32>,

    /// Predict the largest tables of the run from its smaller ones, and the clients of a run from single
    /// answers, and compare with what was measured
    #[arg(long, conflicts_with_all = ["rows", "copies", "users"])]
    validate: bool,

    /// Forecast the series and the time that another run of the workload measured, and compare
    #[arg(long, value_name = "DIR", conflicts_with_all = ["rows", "copies", "users", "validate"])]
    validate_at: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Forecast {
    pub fn run(self) -> Result<Exit> {
        if DriveRun::is_one(&self.dir) || SweepRun::is_one(&self.dir) {
            let of_load = anyhow!(
                "{} is the folder of a load, which has no forecast; name that of `bakeoff run`",
                self.dir.display()
            );
            return Err(Misuse::of(of_load).into());
        }
        let summary = Run::open(&self.dir)?.summary()?;
        if summary.rows == 0 {
            return Err(anyhow!(
                "the run in {} loaded no rows, so there is nothing to forecast from",
                self.dir.display()
            ));
        }
        let text = match self.users {
            _ if self.validate_at.is_some() => self.validated_at(&summary)?,
            Some(users) => self.under_load(&summary, users),
            None if self.validate => self.validated(&summary)?,
            None => self.projected(&summary)?,
        };
        writeln!(std::io::stdout().lock(), "{text}")?;
        Ok(Exit::Complete)
    }

    fn projected(&self, summary: &Summary) -> Result<String> {
        let scale = &summary.header.scale;
        let rows = self.rows.unwrap_or(scale.full_rows);
        let copies = self.copies.unwrap_or(scale.replication.max(1));
        Ok(if self.json {
            growth::json(summary, rows, copies)?
        } else {
            growth::render(summary, rows, copies)
        })
    }

    fn under_load(&self, summary: &Summary, users: u32) -> String {
        let cores = self.cores.unwrap_or(summary.header.machine.cores);
        growth::render_users(summary, users, cores)
    }

    fn validated_at(&self, summary: &Summary) -> Result<String> {
        let other = self.validate_at.as_deref().unwrap_or(&self.dir);
        let measured = Run::open(other)?.summary()?;
        let validation = growth::validate_at(summary, &measured).map_err(|why| {
            let (own, other) = (self.dir.display(), other.display());
            anyhow!("the forecast of {own} cannot be checked by {other}: {why}")
        })?;
        Ok(if self.json {
            validation.json()?
        } else {
            validation.render()
        })
    }

    fn validated(&self, summary: &Summary) -> Result<String> {
        let validation = growth::validate(summary);
        if self.json {
            return Ok(validation.json()?);
        }
        let users = growth::render_checked_users(summary);
        let parts = [Some(validation.render()), users];
        Ok(parts.into_iter().flatten().collect::<Vec<_>>().join("\n"))
    }
}
