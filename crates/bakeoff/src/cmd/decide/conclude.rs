//! Ends a decision: prints the recommendation with what it takes to have it, and writes the files that do so.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{
    Adoption, Context, EngineOptions, in_shell, plain_queries, translate_queries,
};
use bakeoff_report::drive;
use bakeoff_report::recommendation::{HowTo, render, render_with_operations};
use bakeoff_stats::drive::{DriveRun, DriveSummary};
use bakeoff_stats::{Run, Summary};
use bakeoff_workload::{DesignId, Workload, source};

use super::adopt::{self, Questions, TakeFile, Taken};
use super::loads::Loads;
use super::source::{Source, data_words};
use super::{Decide, RUN, WORKLOAD};
use crate::cmd::report::{
    Shown, exit_of_drive, exit_of_run, summary_of_load, summary_of_run, width,
};
use crate::exit::Exit;
use crate::machine;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// What was measured for a decision.
enum Measured {
    Questions(Box<Summary>),
    Operations(Box<DriveSummary>),
    /// Questions, and operations on the designs that they lead to.
    Both(Box<(Summary, DriveSummary)>),
}

/// Prints the recommendation of what was measured in a decision's folder, and writes the files that were asked for.
/// Returns how complete the measurement is.
///
/// # Errors
/// Fails if the measurement or the workload cannot be read, if files were asked for and no design is recommended, or if
/// they cannot be written; with a misuse if their folder has something else in it.
pub fn conclude(options: &Decide, dir: &Path) -> Result<Exit> {
    let measured = Measured::read(options, dir)?;
    let from = from(options, dir)?;
    let adoption = match measured.design() {
        Some(design) => Some(adoption(design, &from, dir)?),
        None => None,
    };
    let how_to = adoption
        .as_ref()
        .map_or_else(HowTo::default, |(_, adoption)| how_to(adoption, &from));
    let mut out = stdout();
    writeln!(out, "\n{}", measured.render(options.budget, &how_to))?;
    writeln!(out, "\nIts workload: {}", dir.join(WORKLOAD).display())?;
    match (&options.adopt, &adoption) {
        (None, _) => {}
        (Some(folder), Some((design, adoption))) => {
            let workload = Workload::read(&dir.join(WORKLOAD))?;
            let own = options.asked.grow().and_then(|_| own_rows(&workload));
            let rows = RowsTold::new(rows_of_script(options)?, own);
            let taken = Taken {
                design,
                is_recommended: measured.is_recommended(),
                rows: &rows.lines,
                questions: &questions(workload, design)?,
            };
            write_files(folder, &adopt::files(taken, adoption, &from))?;
            if let Some(note) = rows.note {
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
        let run = dir.join(RUN);
        let asked = || summary_of_run(&Run::open(&run)?, &shown);
        let Some(loads) = Loads::of(dir).ended else {
            return Ok(Measured::Questions(Box::new(asked()?)));
        };
        let driven = summary_of_load(&DriveRun::open(&loads)?, &shown)?;
        if run.exists() {
            Ok(Measured::Both(Box::new((asked()?, driven))))
        } else {
            Ok(Measured::Operations(Box::new(driven)))
        }
    }

    /// Returns what was measured of questions.
    fn asked(&self) -> Option<&Summary> {
        match self {
            Measured::Questions(asked) => Some(asked),
            Measured::Both(both) => Some(&both.0),
            Measured::Operations(_) => None,
        }
    }

    /// Returns the design that is recommended, or is ahead at the rows that were measured.
    fn design(&self) -> Option<&str> {
        if let Measured::Operations(driven) = self {
            let choice = driven.choice()?;
            return Some(&choice.design.info.id);
        }
        let decision = self.asked()?.decision.as_ref()?;
        Some(&decision.recommendation.as_ref()?.design)
    }

    /// Returns whether that design is recommended, and not only ahead at the rows that were measured.
    fn is_recommended(&self) -> bool {
        let decision = self.asked().and_then(|asked| asked.decision.as_ref());
        match self {
            Measured::Operations(_) => true,
            _ => decision.is_some_and(|decision| decision.no_forecast.is_none()),
        }
    }

    fn render(&self, budget: Duration, how_to: &HowTo) -> String {
        match self {
            Measured::Questions(asked) => render(asked, budget, how_to, width()),
            Measured::Operations(driven) => {
                drive::recommendation::render(driven, budget, how_to, width())
            }
            Measured::Both(both) => {
                let (asked, driven) = both.as_ref();
                let Some(design) = self.design() else {
                    return render(asked, budget, how_to, width());
                };
                let operations = drive::recommendation::beside_questions(driven, design);
                render_with_operations(asked, budget, &operations, how_to, width())
            }
        }
    }

    /// Returns how complete the measurements are.
    fn exit(&self) -> Exit {
        match self {
            Measured::Questions(asked) => exit_of_run(asked),
            Measured::Operations(driven) => exit_of_drive(driven),
            Measured::Both(both) => match (exit_of_run(&both.0), exit_of_drive(&both.1)) {
                (asked, driven) if asked == driven => asked,
                _ => Exit::Partial,
            },
        }
    }
}

/// What is said of the rows that the script fills a design with.
#[derive(Debug)]
struct RowsTold {
    /// Lines of a comment in the script.
    lines: Vec<String>,
    /// A note, if these are not all rows that there are, or more.
    note: Option<String>,
}

impl RowsTold {
    /// Says that the script has these rows, if not all of the workload, the first of which are `own` rows of the user's.
    fn new(rows: Option<String>, own: Option<u64>) -> RowsTold {
        let all = rows.as_deref().unwrap_or("all rows of the workload");
        let fewer = match own {
            Some(own) => format!(
                "With ROWS={own} in the environment it takes the first {own} only, which are those of the file alone."
            ),
            None => "With ROWS=N in the environment it takes the first N only.".to_owned(),
        };
        let lines = vec![format!("Rows: {all}."), fewer];
        let note = rows.map(|rows| {
            let alone = own.map_or(String::new(), |own| {
                format!(", and with ROWS={own} in the environment with those of the file alone")
            });
            format!(
                "the script fills it with {rows}{alone}; move all rows of yours with a tool of the database"
            )
        });
        RowsTold { lines, note }
    }
}

/// Returns how many of the first rows of a workload are those of its file, if others continue them; `None` also if they
/// cannot be read any more.
fn own_rows(workload: &Workload) -> Option<u64> {
    let source = source::open(workload, None).ok()?;
    source.grown_from().map(|sample| sample.rows)
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

/// Says which rows the script has, if these are not all that there are, or more than there are.
fn rows_of_script(options: &Decide) -> Result<Option<String>> {
    let grown = options.asked.grow();
    let own = match Source::of(&options.from)? {
        Source::Live => "the sample of the table",
        Source::Statements if options.data.is_some() => "the sample of --data",
        Source::Statements => "rows that are made by guesses",
        Source::Rows if grown.is_some() => "the rows of the file",
        Source::Rows | Source::Workload => return Ok(None),
    };
    let made = grown.map_or("", |_| " with what --grow adds");
    Ok(Some(format!("{own}{made}")))
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

/// Returns the workload with the options that say which rows it has, as a shell takes them.
fn from(options: &Decide, dir: &Path) -> Result<String> {
    let mut words = vec![in_shell(&dir.join(WORKLOAD).display().to_string())];
    let data = data_words(&options.from)?.into_iter();
    words.extend(data.map(|word| in_shell(&word.to_string_lossy())));
    Ok(words.join(" "))
}

/// Asks the engine of a design how that is made and filled.
fn adoption(design: &str, from: &str, dir: &Path) -> Result<(DesignId, Adoption)> {
    let path = dir.join(WORKLOAD);
    let workload = Workload::read(&path)?;
    let id: DesignId = design.parse().map_err(|why: String| anyhow!(why))?;
    let context = Context {
        run_dir: dir.join(RUN),
        token: None,
        threads: machine::cores(),
        keys_repeat: false,
        options: EngineOptions::default(),
    };
    let adoption = engine(&id)?.adoption(&id, &workload, &context, from);
    let adoption = adoption.with_context(|| format!("cannot say how {design} is made"))?;
    Ok((id, adoption))
}

/// Returns what to print of it.
fn how_to(adoption: &Adoption, from: &str) -> HowTo {
    let tables = adoption
        .schema
        .as_ref()
        .map(|schema| schema.statements.clone());
    let (mut filling, why_not) = match &adoption.load {
        Ok(load) => (load.statements.clone(), None),
        Err(why) => (Vec::new(), Some(why.clone())),
    };
    if adoption.load.as_ref().is_ok_and(|load| load.takes_csv) {
        filling.insert(
            0,
            format!("bakeoff generate {from} --rows all --out rows.csv"),
        );
    }
    HowTo {
        tables: tables.unwrap_or_default(),
        filling,
        why_not,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        decide: Decide,
    }

    #[test]
    fn the_script_says_how_the_rows_of_the_file_alone_are_loaded() {
        let told = RowsTold::new(None, None);
        let expected = [
            "Rows: all rows of the workload.",
            "With ROWS=N in the environment it takes the first N only.",
        ];
        assert_eq!(told.lines, expected);
        assert_eq!(told.note, None);
        let grown = "the rows of the file with what --grow adds".to_owned();
        let told = RowsTold::new(Some(grown), Some(600));
        let expected = "With ROWS=600 in the environment it takes the first 600 only, ";
        assert!(told.lines[1].starts_with(expected), "{:?}", told.lines);
        let expected = "the script fills it with the rows of the file with what --grow adds, and with ROWS=600 in the \
                        environment with those of the file alone; move all rows of yours with a tool of the database";
        assert_eq!(told.note.as_deref(), Some(expected));
    }

    #[test]
    fn questions_are_in_the_sql_of_the_design() {
        let text = r#"
            title = "t"
            designs = ["memory"]
            [table]
            name = "readings"
            columns = { room = "text", time = "timestamp", value = "double" }
            partition_key = ["room"]
            order_key = ["time"]
            [data]
            file = "none.csv"
            [[queries]]
            name = "days"
            sql = "SELECT date_bin(INTERVAL '1 day', time) AS day, avg(value) AS mean FROM readings GROUP BY day"
            [scale]
            rows = 10
            full_rows = 10
        "#;
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        assert_eq!(own_rows(&workload), None, "there is no such file");
        let asked = |design: &str| {
            let asked = questions(workload.clone(), &design.parse().unwrap()).unwrap();
            assert_eq!(asked.all[0].0, "days");
            (asked.all[0].1.contains("date_bin("), asked.are_of_engine)
        };
        assert_eq!(asked("parquet?codec=zstd"), (true, false));
        assert!(asked("duckdb/table").1);
    }

    #[test]
    fn rows_that_are_not_all_or_are_made_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path.display().to_string()
        };
        let (rows, statements) = (path("a.csv"), path("s.sql"));
        let grow = ["--grow", "three years"];
        let cases: [(&str, &[&str], Option<&str>); 6] = [
            (&rows, &[], None),
            (
                &rows,
                &grow,
                Some("the rows of the file with what --grow adds"),
            ),
            (&statements, &[], Some("rows that are made by guesses")),
            (
                &statements,
                &["--data", &rows],
                Some("the sample of --data"),
            ),
            ("cassandra://db1/ks.t", &[], Some("the sample of the table")),
            ("formats", &[], None),
        ];
        for (from, options, expected) in cases {
            let words = [&["decide", from][..], options].concat();
            let line = Line::try_parse_from(words).unwrap();
            let told = rows_of_script(&line.decide).unwrap();
            assert_eq!(told.as_deref(), expected, "{from} {options:?}");
        }
    }
}
