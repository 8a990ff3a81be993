//! Ends a decision: prints the recommendation with what it takes to have it, and writes the files that do so.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{
    AdoptedRows, Adoption, Context, EngineOptions, in_shell, plain_queries, translate_queries,
};
use bakeoff_report::drive;
use bakeoff_report::recommendation::{
    HowTo, LongerBudget, render, render_with_operations, with_basis,
};
use bakeoff_stats::Summary;
use bakeoff_stats::drive::{DriveRun, DriveSummary};
use bakeoff_workload::{Data, DesignId, Workload};

use super::adopt::{self, Place, Questions, RowsTold, Sample, TakeFile, Taken};
use super::basis::Asked;
use super::loads::Loads;
use super::source::{Source, data_files};
use super::state::By;
use super::{Decide, RUN, WORKLOAD};
use crate::cmd::report::{DATA, PAGE, Shown, exit_of_drive, summary_of_load, width};
use crate::exit::Exit;
use crate::machine;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// What was measured for a decision.
enum Measured {
    Questions(Box<Asked>),
    Operations(Box<DriveSummary>),
    /// Questions, and operations on the designs that they lead to.
    Both(Box<(Asked, DriveSummary)>),
}

/// Prints the recommendation of what was measured in a decision's folder, and writes the files that were asked for.
/// Returns how complete the measurement is.
///
/// # Errors
/// Fails if the measurement or the workload cannot be read, if files were asked for and no design is recommended, or if
/// they cannot be written; with a misuse if their folder has something else in it.
pub fn conclude(options: &Decide, dir: &Path) -> Result<Exit> {
    let measured = Measured::read(options, dir)?;
    let filled = match measured.design() {
        Some(design) => Some(Filled::new(options, design, dir)?),
        None => None,
    };
    let how_to = filled.as_ref().map_or_else(HowTo::default, Filled::how_to);
    let mut out = stdout();
    writeln!(out, "{}", measured.render(options, dir, &how_to))?;
    writeln!(out, "\nIts workload: {}", dir.join(WORKLOAD).display())?;
    for folder in measured.folders(dir) {
        writeln!(out, "{}", report_of(&folder, options.prices.list()))?;
    }
    match (&options.adopt, filled) {
        (None, _) => {}
        (Some(folder), Some(filled)) => {
            let decision = measured.basis().and_then(|asked| asked.decision.as_ref());
            let caution = decision.and_then(adopt::caution);
            let taken = Taken {
                design: &filled.design,
                caution: caution.as_deref(),
                rows: &filled.rows,
                place: &filled.place,
                questions: &questions(filled.workload, &filled.design)?,
            };
            write_files(folder, &adopt::files(taken, &filled.adoption))?;
            if let Some(note) = filled.rows.note {
                print_line(format_args!("note: {note}"));
            }
        }
        (Some(folder), None) => {
            return Err(anyhow!(
                "no design is recommended, so that nothing was written to {}: the report says why",
                folder.display()
            ));
        }
    }
    Ok(measured.exit())
}

impl Measured {
    fn read(options: &Decide, dir: &Path) -> Result<Measured> {
        let shown = Shown::from(options.wanted()?);
        let asked = || Asked::read(dir, &shown);
        let Some(loads) = Loads::of(dir).ended else {
            return Ok(Measured::Questions(Box::new(asked()?)));
        };
        let driven = summary_of_load(&DriveRun::open(&loads)?, &shown)?;
        if dir.join(RUN).exists() {
            Ok(Measured::Both(Box::new((asked()?, driven))))
        } else {
            Ok(Measured::Operations(Box::new(driven)))
        }
    }

    /// Returns what was measured of questions.
    fn asked(&self) -> Option<&Asked> {
        match self {
            Measured::Questions(asked) => Some(asked),
            Measured::Both(both) => Some(&both.0),
            Measured::Operations(_) => None,
        }
    }

    /// Returns the measurement of questions that the answer rests on.
    fn basis(&self) -> Option<&Summary> {
        self.asked().map(Asked::basis)
    }

    /// Returns the design that is recommended, or is ahead at the rows that were measured.
    fn design(&self) -> Option<&str> {
        if let Measured::Operations(driven) = self {
            let choice = driven.choice()?;
            return Some(&choice.design.info.id);
        }
        let decision = self.basis()?.decision.as_ref()?;
        Some(&decision.recommendation.as_ref()?.design)
    }

    fn render(&self, options: &Decide, dir: &Path, how_to: &HowTo) -> String {
        let (asked, driven) = match self {
            Measured::Operations(driven) => {
                let budget = options.budget;
                return drive::recommendation::render(driven, budget, how_to, width());
            }
            Measured::Questions(asked) => (&**asked, None),
            Measured::Both(both) => (&both.0, Some(&both.1)),
        };
        let basis = asked.basis();
        let longer = longer_budget(options, asked, dir);
        let rendered = match driven.zip(self.design()) {
            Some((driven, design)) => {
                let operations = drive::recommendation::beside_questions(driven, design);
                render_with_operations(basis, longer, &operations, how_to, width())
            }
            None => render(basis, longer, how_to, width()),
        };
        match asked.rests_on() {
            Some(told) => with_basis(&rendered, &told, width()),
            None => rendered,
        }
    }

    /// Returns the folders of what was measured in that of a decision, which have a report each. That of the answer
    /// comes first.
    fn folders(&self, dir: &Path) -> Vec<PathBuf> {
        let asked = self.asked().map_or(&[][..], Asked::folders);
        let asked = asked.iter().map(|name| dir.join(name));
        // A final that could not begin has none.
        let there = asked.filter(|folder| folder.exists());
        there.chain(Loads::of(dir).ended).collect()
    }

    /// Returns how complete the measurements are.
    fn exit(&self) -> Exit {
        match self {
            Measured::Questions(asked) => asked.exit(),
            Measured::Operations(driven) => exit_of_drive(driven),
            Measured::Both(both) => match (both.0.exit(), exit_of_drive(&both.1)) {
                (asked, driven) if asked == driven => asked,
                _ => Exit::Partial,
            },
        }
    }
}

/// Returns the budget with which there would be a forecast, where the answer has none.
fn longer_budget(options: &Decide, asked: &Asked, dir: &Path) -> LongerBudget {
    // What is wrong with it was said where it was needed.
    let Ok(workload) = Workload::read(&dir.join(WORKLOAD)) else {
        return LongerBudget::InProportionTo(options.budget);
    };
    let summary = asked.basis();
    // One that there was lacked something else than time.
    let enough = options.enough_for_final(summary, &workload);
    if let Some(enough) = enough.filter(|_| asked.rests_on().is_none()) {
        return LongerBudget::ForFinal(enough);
    }
    // The race had all of the time for questions, or a part of it.
    let of_questions = options.budget_of_run(By::of(&workload)).as_secs_f64();
    let share = match summary.header.budget_seconds {
        Some(of_race) if of_questions > 0.0 => of_race / of_questions,
        _ => 1.0,
    };
    LongerBudget::InProportionTo(options.budget.mul_f64(share))
}

/// Says where the report in a folder is, and which command prints its tables, with these prices if there are some.
fn report_of(folder: &Path, prices: Option<&Path>) -> String {
    let mut command = format!("bakeoff report {}", in_shell(&folder.to_string_lossy()));
    if let Some(prices) = prices {
        command += &format!(" --prices {}", in_shell(&prices.to_string_lossy()));
    }
    format!(
        "Report: {}\nData:   {}\nTables: {command}",
        folder.join(PAGE).display(),
        folder.join(DATA).display()
    )
}

/// Says what a design is, in the words of `bakeoff list`.
fn in_words(design: &DesignId) -> Option<String> {
    let name = match &design.layout {
        Some(layout) => format!("{}/{layout}", design.engine),
        None => design.engine.clone(),
    };
    let mut layouts = engine(design).ok()?.layouts().iter();
    let layout = layouts.find(|layout| layout.name == name)?;
    Some(layout.what.to_owned())
}

/// Returns the questions of a workload in the SQL that a design is asked.
fn questions(mut workload: Workload, design: &DesignId) -> Result<Questions> {
    let engine = engine(design)?;
    if !engine.answers_sql(design) {
        return Ok(Questions::default());
    }
    plain_queries(&mut workload);
    translate_queries(&mut workload, std::slice::from_ref(design), None)?;
    let id = design.to_string();
    let queries = workload.queries.iter();
    Ok(Questions {
        all: queries
            .map(|query| (query.name.clone(), query.sql_for(&id).to_owned()))
            .collect(),
        are_of_engine: engine.speaks_sql(),
    })
}

/// Says which rows of the user's, or in place of them, the script has, if these are not all that there are.
fn rows_of_script(options: &Decide) -> Result<Option<&'static str>> {
    Ok(match Source::of(&options.from)? {
        Source::Live => Some("the sample of the table"),
        Source::Statements if options.data.is_some() => Some("the sample of --data"),
        Source::Statements => Some("rows that are made by guesses"),
        Source::Rows | Source::Workload => None,
    })
}

/// Writes files into a folder that is new, and says so; one that has exactly these keeps them.
fn write_files(folder: &Path, files: &[TakeFile]) -> Result<()> {
    if adopt::has_them(folder, files)? {
        print_line(format_args!("{} has them already", folder.display()));
        return Ok(());
    }
    for path in adopt::write(folder, files)? {
        print_line(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// A design, and what it takes to make it and fill it with rows.
struct Filled {
    workload: Workload,
    design: DesignId,
    /// The workload with the options that say which rows it has, as a shell takes them.
    from: String,
    rows: RowsTold,
    place: Place,
    adoption: Adoption,
}

impl Filled {
    /// Asks the engine of a design how that is made and filled, with the rows of the workload in the folder.
    fn new(options: &Decide, design: &str, dir: &Path) -> Result<Filled> {
        let path = dir.join(WORKLOAD);
        let workload = Workload::read(&path)?;
        let named = data_files(&options.from)?;
        let sample = Sample::of(&workload, &named)?;
        let rows = RowsTold::new(rows_of_script(options)?, sample);
        let mut from = in_shell(&path.display().to_string());
        for file in &named {
            from += &format!(" --data {}", in_shell(&file.to_string_lossy()));
        }
        let script = options.adopt.as_deref().unwrap_or(dir);
        let place = Place::new(script, &path, &files_elsewhere(named, &workload, dir));
        let design: DesignId = design.parse().map_err(|why: String| anyhow!(why))?;
        let context = Context {
            run_dir: dir.join(RUN),
            token: None,
            threads: machine::cores(),
            keys_repeat: false,
            options: EngineOptions::default(),
        };
        let adopted = AdoptedRows {
            from: &from,
            from_in_script: &place.words,
            usual: &rows.usual,
        };
        let adoption = engine(&design)?.adoption(&design, &workload, &context, &adopted);
        let adoption = adoption.with_context(|| format!("cannot say how {design} is made"))?;
        Ok(Filled {
            workload,
            design,
            from,
            rows,
            place,
            adoption,
        })
    }

    /// Returns what to print of it.
    fn how_to(&self) -> HowTo {
        let adoption = &self.adoption;
        let tables = adoption
            .schema
            .as_ref()
            .map(|schema| schema.statements.clone());
        let (commands, why_not) = match &adoption.load {
            Ok(load) => (load.statements.clone(), None),
            Err(why) => (Vec::new(), Some(why.clone())),
        };
        let mut filling = Vec::new();
        if let Ok(load) = &adoption.load {
            let beside = self.rows.beside.iter();
            filling.extend(beside.map(|beside| format!("# {beside}")));
            if load.takes_csv {
                let (from, rows) = (&self.from, &self.rows.usual);
                filling.push(format!(
                    "bakeoff generate {from} --rows {rows} --out rows.csv"
                ));
            }
        }
        filling.extend(commands);
        HowTo {
            what: in_words(&self.design),
            tables: tables.unwrap_or_default(),
            filling,
            why_not,
        }
    }
}

/// Returns the files of rows that are not in the folder of the decision: those that are named beside its workload, or
/// those that this names.
fn files_elsewhere(named: Vec<PathBuf>, workload: &Workload, dir: &Path) -> Vec<PathBuf> {
    match &workload.data {
        _ if !named.is_empty() => named,
        Data::Files(files) if !files.iter().all(|file| file.starts_with(dir)) => files.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
