//! The final of a decision: where the race leaves no forecast for all rows, the design that it recommends and the next
//! ones are measured once more, alone, with as many rows as fit into what is left of the budget for questions.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use bakeoff_driver::{FurtherTables, rows_to_forecast};
use bakeoff_report::listing::list;
use bakeoff_report::units::plural;
use bakeoff_stats::decide::{Decision, DesignStanding, Minimise};
use bakeoff_stats::{Run as SavedRun, Summary};
use bakeoff_workload::Workload;

use super::basis::best_two;
use super::final_plan::{FINAL, FinalPlan};
use super::foresee::rows_of_forecast;
use super::paces::{Paces, Size};
use super::state::By;
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
const FURTHER: FurtherTables = FurtherTables {
    scales: None,
    star: false,
    twins: false,
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

    /// Writes down which final follows the run in the folder, if one fits into the time that is left.
    ///
    /// # Errors
    /// Fails if the run cannot be read, or the folder cannot be written to.
    pub fn plan_final(&self, dir: &Path, workload: &Workload, left: Duration) -> Result<()> {
        let shown = Shown::from(self.wanted()?);
        let summary = summary_of_run(&SavedRun::open(&dir.join(RUN))?, &shown)?;
        let plan = Final::of(&summary, workload).and_then(|of| of.within(left));
        plan.map_or(Ok(()), |plan| plan.write(dir))
    }

    /// Measures the final that is planned in the folder. Where that fails, the answer of the run stands.
    ///
    /// # Errors
    /// Fails if it cannot be read which one is planned.
    pub fn carry_out_final(&self, dir: &Path) -> Result<Exit> {
        let Some(plan) = FinalPlan::read(dir)? else {
            return Ok(Exit::Complete);
        };
        print_line(format_args!("note: the final: {}", in_words(&plan)));
        match self.final_of(dir, &plan).and_then(Run::run) {
            Ok(ended) => Ok(ended),
            Err(error) => {
                print_line(format_args!("note: the final ended early: {error:#}"));
                Ok(Exit::Complete)
            }
        }
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
        let foreseen = self.foreseen(workload, &summary.header.designs)?;
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
        let (scale, there) = (&workload.scale, rows_there(summary));
        let (mut with_all, mut with_fewer) = (Vec::new(), Vec::new());
        for count in (ranked.len().min(FEWEST)..=ranked.len()).rev() {
            let designs = ranked[..count].to_vec();
            let infos = summary.header.designs.iter();
            let fewest = rows_to_forecast(infos.filter(|info| designs.contains(&info.id)));
            let possible = |rows: u64| {
                let size = Size {
                    rows,
                    work: FURTHER.work(scale, rows, &fewest),
                };
                Some(Possible {
                    paces: Paces::of(summary, &designs)?,
                    designs: designs.clone(),
                    size,
                })
            };
            if decision.full_rows <= there {
                with_all.extend(possible(decision.full_rows));
            }
            // Nothing but rows is missing for a forecast.
            if summary.rows_to_forecast().is_some() {
                let least = rows_of_forecast(scale, fewest.iter().copied().max()?);
                let rows = least.max(summary.rows);
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
    let figure = |standing: &DesignStanding| {
        let figure = match decision.rule.minimise {
            Minimise::Month => standing.month,
            Minimise::Storage => standing.storage,
            Minimise::Time => standing.time,
            Minimise::Load => standing.load,
        };
        figure.map(|figure| figure.point)
    };
    let others = decision.designs.iter();
    let others = others.filter(|other| other.out.is_none() && !finalists.contains(&other.id));
    let mut others: Vec<(f64, &str)> = others
        .filter_map(|other| Some((figure(other)?, other.id.as_str())))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let further = others.into_iter().map(|(_, id)| id.to_owned());
    let further: Vec<String> = further.take(MOST - finalists.len()).collect();
    finalists.extend(further);
    Some(finalists)
}

/// Returns how many rows can be loaded, as far as a run found that out.
fn rows_there(summary: &Summary) -> u64 {
    if summary.has_all_rows {
        return summary.rows;
    }
    let counted = summary.rows_left.filter(|left| left.counted);
    counted.and_then(|left| left.of).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::decide::{RunnerUp, Span};
    use clap::Parser;

    use super::*;
    use crate::cmd::decide::fixture::decision;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        decide: Decide,
    }

    fn decide(words: &[&str]) -> Decide {
        let line = ["decide"].iter().chain(words);
        Line::try_parse_from(line).unwrap().decide
    }

    #[test]
    fn the_race_has_all_of_a_budget_or_shares_it_with_the_final() {
        let decide = decide(&["readings", "--budget", "20m"]);
        let dir = Path::new("no such folder");
        let minutes = |by: By, is_too_short: bool| {
            let race = decide.budget_of_race(dir, by, is_too_short);
            (
                race.as_secs_f64() / 60.0,
                decide.budget_of_final(by).as_secs_f64() / 60.0,
            )
        };
        assert_eq!(minutes(By::Questions, false), (20.0, 10.0));
        assert_eq!(minutes(By::Questions, true), (10.0, 10.0));
        // A quarter is for the operations.
        assert_eq!(minutes(By::Both, true), (7.5, 7.5));
    }

    fn standing(id: &str, time: Option<f64>) -> DesignStanding {
        DesignStanding {
            id: id.to_owned(),
            out: None,
            is_recommended: false,
            is_on_front: false,
            won: None,
            storage: None,
            settled: None,
            load: None,
            month: None,
            is_month_least: false,
            time: time.map(|point| Span {
                point,
                interval: None,
            }),
            ratios: Vec::new(),
            cells: Vec::new(),
            limits: Vec::new(),
            quantiles: Vec::new(),
        }
    }

    #[test]
    fn a_final_is_of_the_best_designs_where_there_is_no_forecast() {
        let mut decision = decision();
        assert_eq!(finalists(&decision).unwrap(), ["local/columnar"]);
        if let Some(taken) = &mut decision.recommendation {
            taken.runner_up = Some(RunnerUp {
                design: "duckdb/table".to_owned(),
                won: 0.1,
                times: 1.2,
            });
        }
        let both = ["local/columnar", "duckdb/table"];
        assert_eq!(finalists(&decision).unwrap(), both);
        // Further ones by what the rule minimises, if they have it.
        let standings = [
            ("a", Some(3.0)),
            ("b", None),
            ("c", Some(2.0)),
            ("d", Some(4.0)),
        ];
        decision.designs = { standings.iter() }
            .map(|(id, time)| standing(id, *time))
            .chain([standing("local/columnar", Some(1.0))])
            .collect();
        assert_eq!(finalists(&decision).unwrap()[2..], ["c", "a"]);
        decision.rule.minimise = Minimise::Storage;
        assert_eq!(finalists(&decision).unwrap(), both);
        decision.no_forecast = None;
        assert_eq!(finalists(&decision), None, "all rows are forecast");
        decision.no_forecast = Some("few".to_owned());
        decision.recommendation = None;
        assert_eq!(finalists(&decision), None);
    }

    /// Finals of all rows, which take 1,000 s for both designs and 500 s for one, or of those of a forecast, which takes
    /// 75 s.
    fn possible() -> Final {
        let one = |designs: &[&str], rows: u64, work: f64| {
            let times = designs.len() as f64;
            Possible {
                designs: designs.iter().map(|id| (*id).to_owned()).collect(),
                paces: Paces {
                    load: times * 2e-5,
                    round: times * 2e-6,
                },
                size: Size { rows, work },
            }
        };
        let both = ["local/columnar", "duckdb/table"];
        Final {
            possible: vec![
                one(&both, 10_000_000, 1.0),
                one(&both[..1], 10_000_000, 1.0),
                one(&both[..1], 1_000_000, 1.5),
            ],
            clients_follow: false,
        }
    }

    #[test]
    fn a_final_takes_all_that_is_left_for_the_designs_and_rows_that_fit() {
        let planned = |seconds: u64| {
            let plan = possible().within(Duration::from_secs(seconds))?;
            assert_eq!(plan.budget.as_secs(), seconds);
            Some((plan.designs.len(), plan.rows))
        };
        assert_eq!(planned(1_001), Some((2, 10_000_000)));
        assert_eq!(planned(600), Some((1, 10_000_000)));
        assert_eq!(planned(80), Some((1, 1_000_000)));
        assert_eq!(planned(60), None);
        let least = possible().least().unwrap();
        assert_eq!(least.as_secs_f64().round(), 75.0);
        let few = possible().within(Duration::from_secs(80)).unwrap();
        assert_eq!(
            in_words(&few),
            "local/columnar once more, at 1,000,000 rows, within 1m 20s"
        );
    }

    #[test]
    fn the_final_is_a_run_of_its_designs_and_rows_without_twins() {
        let decide = decide(&["readings", "--budget", "20m"]);
        let plan = FinalPlan {
            designs: vec!["local/columnar".to_owned(), "parquet?codec=zstd".to_owned()],
            rows: 7_324_550,
            budget: Duration::from_secs(360),
        };
        let run = decide.final_of(Path::new("out"), &plan).unwrap();
        let run = format!("{run:?}");
        for words in [
            "\"local/columnar\", \"parquet?codec=zstd\"",
            "rows: Some(Number(7324550))",
            "budget: Some(360s)",
            "no_twins: true",
            "race: false",
            "is_of_some: true",
            "out/final",
        ] {
            assert!(run.contains(words), "`{words}` is not in {run}");
        }
    }
}
