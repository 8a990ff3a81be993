//! Says what a decision would measure, by which rules, on which rows and for how long, and touches nothing.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_driver::Budget;
use bakeoff_engines::{Context, OptionGroup};
use bakeoff_report::COLUMNS;
use bakeoff_report::propose::render;
use bakeoff_report::units::{self, plural};
use bakeoff_stats::propose::Proposals;
use bakeoff_workload::{DesignId, Workload};

use super::final_plan::Noted;
use super::final_run::in_words;
use super::loads::{Loads, Plan};
use super::prepare::{Prepared, tell_missing};
use super::source::Source;
use super::state::{By, has_ended, is_final_due, run_has_ended};
use super::{Decide, RUN, WORKLOAD, folders};
use crate::cmd::drive::Drive;
use crate::cmd::measure::preview::{Preview, row_bytes};
use crate::cmd::measure::would_touch;
use crate::cmd::options::data::DataOptions;
use crate::cmd::run::race;
use crate::exit::{Exit, Misuse};
use crate::progress::time;
use crate::terminal::stdout;

/// What would be measured.
struct Planned {
    /// The workload that finds its rows.
    workload: Workload,
    designs: Vec<DesignId>,
    /// The designs with their rules; `None` if the decision has begun, whose workload has them.
    proposals: Option<Proposals>,
}

/// Prints what the command would do in this folder.
///
/// # Errors
/// Fails as the command would before it starts anything.
pub fn print(options: &Decide, source: &Source, dir: &Path) -> Result<Exit> {
    let mut out = stdout();
    if has_ended(dir) {
        writeln!(
            out,
            "Nothing is touched. The decision in {} has ended: without --dry-run it is printed again",
            dir.display()
        )?;
        return Ok(Exit::Complete);
    }
    folders::check(dir, options.adopt.as_deref())?;
    let path = dir.join(WORKLOAD);
    let planned = if path.exists() {
        Planned::begun(options, source, &path)?
    } else {
        Planned::new(options, source, &path)?
    };
    let measuring = planned.measuring(options, dir)?;
    let context = options.context(&planned.workload, dir.join(RUN))?;
    let would = match planned.proposals {
        Some(_) => format!("The decision would write to {}", dir.display()),
        None => format!("The decision in {} would go on", dir.display()),
    };
    writeln!(out, "Nothing is touched. {would}")?;
    let has_designs = |engine: &str| planned.designs.iter().any(|id| id.engine == engine);
    for what in would_touch(has_designs, &context) {
        writeln!(out, "and {what}.")?;
    }
    writeln!(out, "\n{}", planned.designs_in_words())?;
    writeln!(out, "\nHow they would be measured")?;
    for (heading, text) in planned.lines(&measuring, options, dir)? {
        writeln!(out, "  {heading:<8}{text}")?;
    }
    for line in planned.on_servers(options, &measuring, &context)? {
        writeln!(out, "{line}")?;
    }
    Ok(Exit::Complete)
}

impl Planned {
    fn new(options: &Decide, source: &Source, path: &Path) -> Result<Planned> {
        if source.is_live() {
            return Err(Misuse::new(anyhow!(
                "--dry-run: the designs for a live table rest on a sample of its rows, and nothing is read here: write \
                 its workload with `bakeoff init ADDRESS --out FILE.toml`, and name FILE.toml instead"
            ))
            .into());
        }
        let prepared = Prepared::of(options, source, path)?;
        let prepared = prepared.ok_or_else(|| anyhow!("stopped before the rows were known"))?;
        let designs = prepared.designs(path)?;
        let mut proposals = prepared.proposals;
        tell_missing(&proposals);
        let is_measured = |design: &str| {
            designs
                .iter()
                .any(|measured| measured.to_string() == design)
        };
        proposals.designs.retain(|d| is_measured(&d.design));
        // `bakeoff propose` tells all else that the rules know.
        let proposals = Proposals {
            workload: source.name(&options.from, options.of_table.table()),
            facts: proposals.facts,
            designs: proposals.designs,
            ..Proposals::default()
        };
        Ok(Planned {
            workload: prepared.workload,
            designs,
            proposals: Some(proposals),
        })
    }

    /// Reads what a decision that was stopped goes on with.
    fn begun(options: &Decide, source: &Source, path: &Path) -> Result<Planned> {
        let written = Workload::read(path)?;
        let designs = written.designs.clone();
        let workload = match source {
            Source::Rows | Source::Statements | Source::Live => written,
            Source::Workload => DataOptions::default().workload(&options.from)?,
        };
        Ok(Planned {
            workload,
            designs,
            proposals: None,
        })
    }

    /// Lists the designs, with the rules that name them.
    fn designs_in_words(&self) -> String {
        if let Some(proposals) = &self.proposals {
            return render(proposals, false, COLUMNS);
        }
        let number = self.designs.len() as u64;
        let ids = self.designs.iter().map(|id| format!("\n  {id}"));
        let ids: String = ids.collect();
        format!(
            "{} of its workload, which says by which rules{ids}",
            plural(number, "design is that", "designs are those")
        )
    }

    /// Checks the commands that would measure the designs, and returns what they would do.
    fn measuring(&self, options: &Decide, dir: &Path) -> Result<Measuring> {
        let by = By::of(&self.workload);
        if by != By::Operations {
            let budget = options.budget_of_run(by);
            options.run_of(dir, budget)?.check_use(&self.designs)?;
        }
        if by == By::Questions {
            return Ok(Measuring { by, loads: None });
        }
        let loads = Loads::of(dir);
        let plan = options.plan(&self.workload, by.driven(self.designs.len()));
        let drive = options.loads_of(dir, &loads.next, plan, None)?;
        drive.check_use(&self.designs)?;
        let loads = PlannedLoads {
            drive: Box::new(drive),
            stopped: loads.stopped,
            have_ended: loads.ended.is_some(),
            plan,
            is_warmed_up: options.is_warmed_up(&self.workload),
        };
        Ok(Measuring {
            by,
            loads: Some(loads),
        })
    }

    /// Says how many rows there are, and how the time is shared out, each with its heading.
    fn lines(
        &self,
        measuring: &Measuring,
        options: &Decide,
        dir: &Path,
    ) -> Result<Vec<(&'static str, String)>> {
        let by = measuring.by;
        let mut lines = Vec::new();
        if by != By::Operations && run_has_ended(dir) {
            lines.extend(self.rest_of_questions(by, options, dir)?);
        } else if by != By::Operations {
            let few = options.too_few_rows(&self.workload, &self.designs, dir.join(RUN));
            let budget = options.budget_of_race(dir, by, few.is_some());
            lines.extend(by_questions(&self.workload, budget));
            let rest = options.budget_of_run(by).saturating_sub(budget);
            if !rest.is_zero() {
                lines.push(("final", of_final(rest)));
            }
            lines.extend(few.map(|few| ("note", format!("{few}."))));
        }
        if let Some(loads) = &measuring.loads {
            let rows = options.rows_of_loads(&self.workload);
            lines.extend(loads.lines(by, rows, options));
            let long = options.long_filling(&self.workload, self.designs.len());
            lines.extend(long.map(|long| ("note", format!("{long}."))));
        }
        Ok(lines)
    }

    /// Says which final would be measured behind a race that has ended, with its heading; `None` if it was, or if the
    /// note of it says that there is none.
    fn rest_of_questions(
        &self,
        by: By,
        options: &Decide,
        dir: &Path,
    ) -> Result<Option<(&'static str, String)>> {
        let noted = Noted::read(dir)?;
        if !is_final_due(dir) {
            return Ok(None);
        }
        let plan = match noted {
            Some(noted) => noted.plan(),
            None => options.final_within(dir, &self.workload, options.budget_of_final(by))?,
        };
        let none = "none: the race forecasts all rows or recommends nothing, or no final fits into what is left of the \
                    budget";
        Ok(Some((
            "final",
            plan.map_or_else(|| none.to_owned(), |plan| in_words(&plan)),
        )))
    }

    /// Says what servers of the user's would get.
    fn on_servers(
        &self,
        options: &Decide,
        measuring: &Measuring,
        context: &Context,
    ) -> Result<Vec<String>> {
        let source = DataOptions::default().open(&self.workload)?;
        if let (By::Operations, Some(loads)) = (measuring.by, &measuring.loads) {
            let workload = Workload {
                designs: self.designs.clone(),
                ..self.workload.clone()
            };
            let filled = (&self.designs[..], options.rows_of_loads(&workload));
            return loads
                .drive
                .preview(&workload, filled, source.as_ref(), context);
        }
        let servers = vec![
            (options.cluster.option(), OptionGroup::Cassandra),
            (options.postgres.option(), OptionGroup::Postgres),
        ];
        let columns = self.workload.table.columns.len();
        let again =
            "tables of two to four of these designs once more, if there is a final".to_owned();
        let mut then = vec![
            ("then", "questions, which only read".to_owned()),
            ("then", again),
        ];
        if measuring.by == By::Both {
            then.push(("then", "operations, on two of these designs".to_owned()));
        }
        let preview = Preview {
            row_bytes: row_bytes(&servers, source.as_ref(), columns)?,
            servers,
            designs: &self.designs,
            rows: None,
            work: 1.0,
            context,
            then,
        };
        Ok(preview.lines())
    }
}

/// How designs would be measured.
struct Measuring {
    by: By,
    /// The loads, if the workload has operations.
    loads: Option<PlannedLoads>,
}

/// Loads that would drive designs.
struct PlannedLoads {
    drive: Box<Drive>,
    /// Folder of loads that were stopped, which would begin anew.
    stopped: Option<PathBuf>,
    /// Whether loads have ended: those beside questions are not repeated for the same designs.
    have_ended: bool,
    plan: Plan,
    is_warmed_up: bool,
}

/// Says what follows the race in the rest of the budget.
fn of_final(rest: Duration) -> String {
    format!(
        "{} and what the race leaves of its time: the best two to four designs once more, with all rows or with as many as a \
         forecast takes, if they fit",
        time(rest)
    )
}

fn by_questions(workload: &Workload, budget: Duration) -> Vec<(&'static str, String)> {
    let rows = plural(workload.scale.full_rows, "row", "rows");
    let shares = Budget::shares(budget, workload.concurrent.is_some());
    let clients = if shares.clients.is_zero() {
        String::new()
    } else {
        format!(
            ", then clients ask at the same time for {} at most",
            time(shares.clients)
        )
    };
    let shared = format!(
        "{}: rows are loaded until {}, warm-up ends by {}, and rounds of questions by {}{clients}",
        time(budget),
        time(shares.loaded_by),
        time(shares.warm_by),
        time(shares.measured_by)
    );
    vec![
        (
            "rows",
            format!("as many of {rows} as every design loads in the time for that"),
        ),
        ("budget", shared),
        ("race", race::WHAT.to_owned()),
        (
            "",
            "What the budget has left after that is shared out in the same way.".to_owned(),
        ),
    ]
}

impl PlannedLoads {
    fn lines(&self, by: By, rows: u64, options: &Decide) -> Vec<(&'static str, String)> {
        let Plan { rounds, load, fits } = self.plan;
        let rows = plural(rows, "row", "rows");
        let which = match by {
            By::Both => "the design that the questions lead to, and the next one",
            By::Questions | By::Operations => "every design",
        };
        let warm = if self.is_warmed_up {
            ", after a warm-up"
        } else {
            ", without a warm-up"
        };
        let longer = if fits {
            ""
        } else {
            ", although that takes longer"
        };
        let how = match options.load.rate {
            Some(rate) => format!(
                "{} operations/s, compared by the p99 of the slowest operation",
                units::rate(rate)
            ),
            None => "as fast as they go, compared by operations a second".to_owned(),
        };
        let filled = format!("{rows} are loaded first; that comes on top of the budget");
        let shared = format!(
            "{}: {rounds} rounds of loads of {} each on {which}{warm}{longer}",
            time(options.budget_of_loads(by)),
            time(load)
        );
        let mut lines = vec![("rows", filled), ("budget", shared), ("load", how)];
        if by == By::Both {
            lines.insert(0, ("then", "operations, with what is left:".to_owned()));
        }
        if self.have_ended {
            let kept = "Loads that have ended stay, unless the final leads to other designs.";
            lines.push(("", kept.to_owned()));
        } else if let Some(stopped) = &self.stopped {
            let anew = format!(
                "Loads begin anew; what was measured until they were stopped stays in {}.",
                stopped.display()
            );
            lines.push(("", anew));
        }
        lines
    }
}
