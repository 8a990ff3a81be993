//! The final of a decision: where the race leaves no forecast for all rows, the design that it recommends and the next
//! ones are measured once more, alone, with as many rows as fit into what is left of the budget for questions.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use bakeoff_driver::{FurtherTables, rows_to_forecast};
use bakeoff_report::listing::list;
use bakeoff_report::units::plural;
use bakeoff_stats::decide::{Decision, DesignStanding, Minimise, Span};
use bakeoff_stats::{Run as SavedRun, Summary};
use bakeoff_workload::Workload;

use super::basis::best_two;
use super::final_plan::{FINAL, FinalPlan, Noted};
use super::foresee::{FURTHER, rows_of_forecast};
use super::paces::{Paces, Size};
use super::state::{By, is_final_due};
use super::{Decide, RUN};
use crate::cmd::report::{Shown, summary_of_run};
use crate::cmd::run::Run;
use crate::exit::Exit;
use crate::progress::time;
use crate::stderr::print_line;

/// Share of the budget for questions that a final has where it is foreseen, as its inverse.
const SHARE: u32 = 2;
/// Designs of a final, if there are as many: at few rows the best one may be among the next.
const FEWEST: usize = 2;
const MOST: usize = 4;
/// Further tables of a final: smaller ones where a forecast needs them. Twins would be a third of its rows or more.
const FURTHER_OF_FINAL: FurtherTables = FurtherTables {
    twins: false,
    ..FURTHER
};

impl Decide {
    /// Returns the time that the final has at least where it is foreseen.
    pub fn budget_of_final(&self, by: By) -> Duration {
        self.budget_of_run(by) / SHARE
    }

    /// Returns the time for the race: all that questions have, unless that is foreseen to be too short. A race that has
    /// begun keeps the budget that it began with, since no other run goes on with it.
    pub fn budget_of_race(&self, dir: &Path, by: By, is_too_short: bool) -> Duration {
        let begun = SavedRun::open(&dir.join(RUN)).ok();
        let seconds = begun.and_then(|run| run.header().budget_seconds);
        let milliseconds = seconds.map(|seconds| (1e3 * seconds).round() as u64);
        let all = self.budget_of_run(by);
        match milliseconds {
            Some(milliseconds) => Duration::from_millis(milliseconds),
            None if is_too_short => all - self.budget_of_final(by),
            None => all,
        }
    }

    /// Writes down which final follows the run in the folder, which has ended, or that none does.
    ///
    /// # Errors
    /// Fails if the run cannot be read, or the folder cannot be written to.
    pub fn plan_final(&self, dir: &Path, workload: &Workload, left: Duration) -> Result<()> {
        let plan = self.final_within(dir, workload, left)?;
        plan.map_or(Noted::NoFinal, Noted::Final).write(dir)
    }

    /// Returns the final that follows the run in the folder, if it needs one and one fits into the time that is left.
    ///
    /// # Errors
    /// Fails if the run cannot be read.
    pub fn final_within(
        &self,
        dir: &Path,
        workload: &Workload,
        left: Duration,
    ) -> Result<Option<FinalPlan>> {
        let shown = Shown::from(self.wanted()?);
        let summary = summary_of_run(&SavedRun::open(&dir.join(RUN))?, &shown)?;
        Ok(Final::of(&summary, workload).and_then(|of| of.within(left)))
    }

    /// Measures the final that is planned in the folder. Where that fails, the answer of the run stands, and the next
    /// call tries it again: what it lacked, such as a server, may be there then.
    ///
    /// # Errors
    /// Fails if it cannot be read which one is planned.
    pub fn carry_out_final(&self, dir: &Path) -> Result<Exit> {
        let Some(plan) = Noted::read(dir)?.and_then(Noted::plan) else {
            return Ok(Exit::Complete);
        };
        print_line(format_args!("note: the final: {}", in_words(&plan)));
        match self.final_of(dir, &plan).and_then(Run::run) {
            Ok(ended) => Ok(ended),
            // Its page alone could not be written.
            Err(error) if !is_final_due(dir) => {
                print_line(format_args!("note: the final: {error:#}"));
                Ok(Exit::Complete)
            }
            Err(error) => {
                print_line(format_args!("note: {}", self.ended_early(&error)));
                Ok(Exit::Complete)
            }
        }
    }

    /// Says why a final has no end, and what to do.
    fn ended_early(&self, error: &anyhow::Error) -> String {
        let elsewhere = match self.adopt {
            // The files of the race's design are there by then.
            Some(_) => " with another folder for --adopt",
            None => "",
        };
        format!(
            "the final did not come to its end, so that the answer of the race stands; once that is mended, the same \
             command{elsewhere} tries it again: {error:#}"
        )
    }

    /// Returns the run that is the final in the folder.
    fn final_of(&self, dir: &Path, plan: &FinalPlan) -> Result<Run> {
        let (designs, rows) = (plan.designs.join(","), plan.rows.to_string());
        let options = [
            "--designs",
            designs.as_str(),
            "--rows",
            rows.as_str(),
            "--no-twins",
        ];
        let run = self.run_with(&options, dir, FINAL, plan.budget)?;
        Ok(run.of_some())
    }

    /// Returns about the budget with which a final would follow a run that has no forecast, by the paces of that run;
    /// `None` if they are not known, or if the race would have all of such a budget.
    pub fn enough_for_final(&self, summary: &Summary, workload: &Workload) -> Option<Duration> {
        let least = Final::of(summary, workload)?.least()?;
        // A race that begins with few rows of many designs may take longer than its share.
        let race = Duration::try_from_secs_f64(summary.seconds.unwrap_or(0.0)).ok()?;
        let needed = least.max(race).saturating_mul(SHARE);
        // The questions have the same share of every budget.
        let whole = self
            .budget
            .div_duration_f64(self.budget_of_run(By::of(workload)));
        let seconds = needed.as_secs_f64() * whole;
        let budget = Duration::try_from_secs_f64(seconds).ok()?;
        let least = summary.header.scale.grows_from();
        let foreseen = self.foreseen(workload, &summary.header.designs, least)?;
        (budget > self.budget && foreseen.is_longer_than(budget)).then_some(budget)
    }
}

/// Says what is measured, for how long at most.
pub fn in_words(plan: &FinalPlan) -> String {
    let designs: Vec<&str> = plan.designs.iter().map(String::as_str).collect();
    format!(
        "{} once more, at {}, within {}",
        list(&designs, designs.len()),
        plural(plan.rows, "row", "rows"),
        time(plan.budget)
    )
}

/// Finals that could follow a run.
struct Final {
    /// The best one first: with all rows before fewer, and of more designs before fewer.
    possible: Vec<Possible>,
    clients_follow: bool,
}

/// A final that could follow a run.
struct Possible {
    designs: Vec<String>,
    paces: Paces,
    size: Size,
}

impl Final {
    /// Returns the finals that could follow a run; `None` if it forecasts all rows, or recommends nothing.
    fn of(summary: &Summary, workload: &Workload) -> Option<Final> {
        let decision = summary.decision.as_ref()?;
        let ranked = finalists(decision)?;
        let scale = &workload.scale;
        // Of rows whose number is not known, as many are loaded as are asked for.
        let there = summary.rows_there().unwrap_or(u64::MAX);
        let (mut with_all, mut with_fewer) = (Vec::new(), Vec::new());
        for count in (ranked.len().min(FEWEST)..=ranked.len()).rev() {
            let designs = ranked[..count].to_vec();
            let infos = summary.header.designs.iter();
            let fewest = rows_to_forecast(infos.filter(|info| designs.contains(&info.id)));
            let possible = |rows: u64| {
                let size = Size {
                    rows,
                    work: FURTHER_OF_FINAL.work(scale, rows, &fewest),
                };
                Some(Possible {
                    paces: Paces::of(summary, &designs)?,
                    designs: designs.clone(),
                    size,
                })
            };
            let all = summary.full_rows_of(there);
            if all <= there {
                with_all.extend(possible(all));
            }
            // Nothing but rows is missing for a forecast.
            if summary.rows_to_forecast().is_some() {
                let least = rows_of_forecast(scale, fewest.iter().copied().max()?);
                let rows = least
                    .max(summary.rows)
                    .max(summary.header.scale.grows_from());
                if rows <= there {
                    with_fewer.extend(possible(rows));
                }
            }
        }
        with_all.append(&mut with_fewer);
        Some(Final {
            possible: with_all,
            clients_follow: workload.concurrent.is_some(),
        })
    }

    /// Returns the best final that fits into a time.
    fn within(self, left: Duration) -> Option<FinalPlan> {
        let clients_follow = self.clients_follow;
        let mut possible = self.possible.into_iter();
        let best = possible.find(|one| one.takes(clients_follow) <= left)?;
        Some(FinalPlan {
            designs: best.designs,
            rows: best.size.rows,
            budget: left,
        })
    }

    /// Returns the shortest time into which one fits.
    fn least(&self) -> Option<Duration> {
        let possible = self.possible.iter();
        possible.map(|one| one.takes(self.clients_follow)).min()
    }
}

impl Possible {
    fn takes(&self, clients_follow: bool) -> Duration {
        self.paces.takes(self.size, clients_follow)
    }
}

/// Returns the designs that may be in a final, the best one first, if a decision is without a forecast for all rows.
fn finalists(decision: &Decision) -> Option<Vec<String>> {
    decision.no_forecast.as_ref()?;
    let mut finalists = best_two(decision);
    if finalists.is_empty() {
        return None;
    }
    let cost = |standing: &DesignStanding| {
        let point = |figure: Option<Span>| figure.map(|figure| figure.point);
        match decision.minimised() {
            Minimise::Month => point(standing.month),
            Minimise::Storage => point(standing.storage),
            Minimise::Time => point(standing.time),
            // Rows a second, of which more are better.
            Minimise::Load => point(standing.load).map(|rate| -rate),
        }
    };
    let others = decision.designs.iter();
    let others = others.filter(|other| other.out.is_none() && !finalists.contains(&other.id));
    let mut others: Vec<(f64, &str)> = others
        .filter_map(|other| Some((cost(other)?, other.id.as_str())))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let further = others.into_iter().map(|(_, id)| id.to_owned());
    let further: Vec<String> = further.take(MOST - finalists.len()).collect();
    finalists.extend(further);
    Some(finalists)
}

#[cfg(test)]
mod tests;
