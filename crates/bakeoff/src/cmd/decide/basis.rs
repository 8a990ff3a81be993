//! What a decision rests on where questions were asked: the final, if it recommends a design, and else the run.

use std::path::Path;

use anyhow::Result;
use bakeoff_report::units::{count, plural};
use bakeoff_stats::decide::Decision;
use bakeoff_stats::{Run, Summary};

use super::RUN;
use super::final_plan::{FINAL, Noted};
use crate::cmd::report::{Shown, exit_of_run, summary_of_run};
use crate::exit::Exit;

/// Why a final is nothing to rest on that has no folder: what kept it from its beginning was told then.
const NOT_BEGUN: &str = "it could not begin; the same command tries it again";

/// What was measured by questions.
pub struct Asked {
    run: Summary,
    /// The final after it, if there was one.
    last: Option<Last>,
}

/// A final, which has more rows than the run.
enum Last {
    Answers(Box<Summary>),
    /// It is nothing to rest on.
    Fails {
        why: String,
        exit: Exit,
    },
}

impl Asked {
    /// Reads what is in the folder of a decision.
    ///
    /// # Errors
    /// Fails if the run cannot be read, or which final was planned.
    pub fn read(dir: &Path, shown: &Shown) -> Result<Asked> {
        let run = summary_of_run(&Run::open(&dir.join(RUN))?, shown)?;
        let plan = Noted::read(dir)?.and_then(Noted::plan);
        let last = plan.map(|_| Last::read(&dir.join(FINAL), shown));
        Ok(Asked { run, last })
    }

    /// Returns the measurement that the decision rests on.
    pub fn basis(&self) -> &Summary {
        match &self.last {
            Some(Last::Answers(last)) => last,
            Some(Last::Fails { .. }) | None => &self.run,
        }
    }

    /// Returns the recommended design, and the next one.
    pub fn best_two(&self) -> Vec<String> {
        let decision = self.basis().decision.as_ref();
        decision.map_or_else(Vec::new, best_two)
    }

    /// Says what the answer rests on, if there was a final.
    pub fn rests_on(&self) -> Option<String> {
        match self.last.as_ref()? {
            Last::Fails { why, .. } => Some(stands(why)),
            Last::Answers(last) => {
                let words = turned(
                    (self.run.decision.as_ref()?, stores(&self.run)),
                    (last.decision.as_ref()?, stores(last)),
                );
                Some(match first_failure(last) {
                    Some(failed) => format!("{words} {failed}."),
                    None => words,
                })
            }
        }
    }

    /// Returns the folders of what was measured in that of a decision, that of the answer first.
    pub fn folders(&self) -> &'static [&'static str] {
        match self.last {
            Some(Last::Answers(_)) => &[FINAL, RUN],
            Some(Last::Fails { .. }) => &[RUN, FINAL],
            None => &[RUN],
        }
    }

    /// Returns how complete the measurements are.
    pub fn exit(&self) -> Exit {
        let run = exit_of_run(&self.run);
        let last = match &self.last {
            Some(Last::Answers(last)) => exit_of_run(last),
            Some(Last::Fails { exit, .. }) => *exit,
            None => run,
        };
        if last == run { run } else { Exit::Partial }
    }
}

impl Last {
    fn read(dir: &Path, shown: &Shown) -> Last {
        if !dir.exists() {
            return Last::Fails {
                why: NOT_BEGUN.to_owned(),
                exit: Exit::Partial,
            };
        }
        let opened = Run::open(dir).map_err(anyhow::Error::from);
        let summary = match opened.and_then(|run| summary_of_run(&run, shown)) {
            Ok(summary) => summary,
            Err(error) => {
                return Last::Fails {
                    why: format!("{error:#}"),
                    exit: Exit::Partial,
                };
            }
        };
        match why_none(summary.finished, summary.decision.as_ref()) {
            None => Last::Answers(Box::new(summary)),
            Some(why) => Last::Fails {
                why: first_failure(&summary).unwrap_or(why),
                exit: exit_of_run(&summary),
            },
        }
    }
}

/// Returns the design that a decision recommends, and the next one.
pub fn best_two(decision: &Decision) -> Vec<String> {
    let Some(recommended) = &decision.recommendation else {
        return Vec::new();
    };
    let next = recommended.runner_up.iter().map(|next| &next.design);
    std::iter::once(&recommended.design)
        .chain(next)
        .cloned()
        .collect()
}

/// Returns how many designs with rows were compared.
fn stores(summary: &Summary) -> u64 {
    let designs = summary.designs.iter();
    designs.filter(|design| !design.info.is_yardstick()).count() as u64
}

/// Says which design of a final failed first, if any did.
fn first_failure(summary: &Summary) -> Option<String> {
    let (table, failure) = summary.failures().next()?;
    Some(format!(
        "{} failed in the final: {}",
        table.info.id, failure.reason
    ))
}

/// Says why a final is nothing to rest on, by its end and what it decides; `None` if it is. Designs that failed in it are
/// not recommended, and leave the others to answer.
fn why_none(has_ended: bool, decision: Option<&Decision>) -> Option<String> {
    if !has_ended {
        return Some("it did not come to its end; the same command goes on with it".to_owned());
    }
    let recommends = decision.is_some_and(|decision| decision.recommendation.is_some());
    (!recommends).then(|| "it recommends no design".to_owned())
}

/// Says that the answer of the run stands.
fn stands(why: &str) -> String {
    format!("The final has no answer, so that this is that of the race: {why}.")
}

/// Says how many designs the race and the final compared, at how many rows each, and whether the final recommends another
/// design than the race. Each side is a decision with the number of its designs.
fn turned(run: (&Decision, u64), last: (&Decision, u64)) -> String {
    let ((run, designs), (last, finalists)) = (run, last);
    let best = match finalists {
        1 => "the best one".to_owned(),
        2 => "the two best".to_owned(),
        several => format!("the {several} best"),
    };
    let all = count(last.full_rows);
    let at = if last.no_forecast.is_some() {
        plural(last.measured_rows, "row", "rows")
    } else if last.measured_rows < last.full_rows {
        let measured = count(last.measured_rows);
        format!("{measured}, from which all {all} are forecast")
    } else {
        format!("all {all}")
    };
    let designs = plural(designs, "design", "designs");
    let rows = plural(run.measured_rows, "row", "rows");
    let words = format!("Compared at up to {rows}: {designs}; {best} then at {at}.");
    match (best_two(run).first(), best_two(last).first()) {
        (Some(before), Some(now)) if before != now => format!(
            "{words} The final turned it: at {rows} {before} was ahead, and with more rows {now} is."
        ),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::decide::RunnerUp;

    use super::*;
    use crate::cmd::decide::fixture::decision;

    /// Returns the decision of a final that measured this many rows.
    fn by_final(rows: u64) -> Decision {
        Decision {
            rows: 7_324_550,
            measured_rows: rows,
            no_forecast: None,
            ..decision()
        }
    }

    #[test]
    fn a_final_is_rested_on_only_if_it_ended_and_recommends_a_design() {
        let last = by_final(7_324_550);
        assert_eq!(why_none(true, Some(&last)), None);
        let stopped = why_none(false, Some(&last)).unwrap();
        assert_eq!(
            stopped,
            "it did not come to its end; the same command goes on with it"
        );
        // More rows than the race had say more, also without a forecast.
        assert_eq!(why_none(true, Some(&decision())), None);
        let mut none = by_final(7_324_550);
        none.recommendation = None;
        for decision in [Some(&none), None] {
            assert_eq!(why_none(true, decision).unwrap(), "it recommends no design");
        }
        assert!(stands(&stopped).ends_with("; the same command goes on with it."));
    }

    #[test]
    fn what_the_answer_rests_on_is_said_in_a_line() {
        let said = |last: &Decision, finalists: u64| turned((&decision(), 8), (last, finalists));
        assert_eq!(
            said(&by_final(7_324_550), 2),
            "Compared at up to 205,000 rows: 8 designs; the two best then at all 7,324,550."
        );
        assert_eq!(
            said(&by_final(1_100_000), 1),
            "Compared at up to 205,000 rows: 8 designs; the best one then at 1,100,000, from which all 7,324,550 are forecast."
        );
        assert_eq!(
            said(&decision(), 2),
            "Compared at up to 205,000 rows: 8 designs; the two best then at 205,000 rows."
        );
        let of_four = said(&by_final(7_324_550), 4);
        assert!(
            of_four.ends_with("; the 4 best then at all 7,324,550."),
            "{of_four}"
        );
        let mut other = by_final(7_324_550);
        if let Some(taken) = &mut other.recommendation {
            taken.design = "duckdb/table".to_owned();
        }
        let turned = said(&other, 2);
        let end = "7,324,550. The final turned it: at 205,000 rows local/columnar was ahead, and with more rows \
                   duckdb/table is.";
        assert!(turned.ends_with(end), "{turned}");
    }

    #[test]
    fn the_best_two_are_the_recommended_design_and_the_next_one() {
        let mut decision = decision();
        assert_eq!(best_two(&decision), ["local/columnar"]);
        if let Some(taken) = &mut decision.recommendation {
            taken.runner_up = Some(RunnerUp {
                design: "duckdb/table".to_owned(),
                won: 0.1,
                times: 1.2,
            });
        }
        assert_eq!(best_two(&decision), ["local/columnar", "duckdb/table"]);
        decision.recommendation = None;
        assert!(best_two(&decision).is_empty());
    }

    #[test]
    fn a_final_that_has_not_begun_is_nothing_to_rest_on() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| match Last::read(&folder.path().join(name), &Shown::default()) {
            Last::Fails { why, exit } => (why, exit),
            Last::Answers(_) => panic!("nothing was measured in {name}"),
        };
        assert_eq!(read(FINAL), (NOT_BEGUN.to_owned(), Exit::Partial));
        std::fs::create_dir(folder.path().join("empty")).unwrap();
        let (why, exit) = read("empty");
        assert!(why != NOT_BEGUN && exit == Exit::Partial, "{why}");
    }
}
