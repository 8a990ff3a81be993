//! Writes the files by which a user takes a recommended design: its statements, the questions, a script that fills it,
//! and one that makes and fills it. None of them has a password, and none replaces a file.

mod caution;
mod place;
mod rows;

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engines::{Adoption, PROGRAM_IN_SHELL, QUESTIONS_FILE, ROWS_IN_SHELL, in_shell};
use bakeoff_workload::DesignId;

use self::place::HERE;
use crate::cmd::measure::folder::is_empty;

pub use caution::caution;
pub use place::Place;
pub use rows::{RowsTold, Sample};

const LOAD: &str = "load.sh";
const APPLY: &str = "apply.sh";
/// Permissions of a script and of a file to read, of which the umask takes some away.
const SCRIPT: u32 = 0o777;
const FILE: u32 = 0o666;

/// The design that files are of.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    pub design: &'a DesignId,
    /// What is said of it if it is not recommended for all rows; `None` if it is.
    pub caution: Option<&'a str>,
    /// Which rows the script fills it with, and where it finds them.
    pub rows: &'a RowsTold,
    pub place: &'a Place,
    pub questions: &'a Questions,
}

/// The questions that a design answers.
#[derive(Debug, Default)]
pub struct Questions {
    /// Each with its name, in the SQL that is asked.
    pub all: Vec<(String, String)>,
    /// Whether the engine of the design understands that SQL itself.
    pub are_of_engine: bool,
}

impl Taken<'_> {
    /// Returns what a comment says of it: the sentence, and a caution if it is not recommended.
    fn comment(self, sentence: &str) -> String {
        match self.caution {
            None => sentence.to_owned(),
            Some(caution) => format!("{sentence}\n# {caution}"),
        }
    }
}

/// A file by which a design is taken.
#[derive(Debug)]
pub struct TakeFile {
    name: &'static str,
    text: String,
    mode: u32,
}

/// Checks that nothing is in the folder for the files.
///
/// # Errors
/// Fails if something is.
pub fn check_folder(dir: &Path) -> Result<()> {
    if is_empty(dir) {
        return Ok(());
    }
    bail!(
        "--adopt {}: there is something in it, and nothing is overwritten: name a new folder",
        dir.display()
    )
}

/// Returns the files of a design.
pub fn files(taken: Taken<'_>, adoption: &Adoption) -> Vec<TakeFile> {
    let mut files = Vec::new();
    if let Some(schema) = &adoption.schema {
        let statements = schema.statements.iter();
        let statements: String = statements.map(|s| format!("{s};\n")).collect();
        let design = taken.design;
        let first = match taken.caution {
            None => format!("-- The tables of {design}, as `bakeoff decide` recommends.\n"),
            Some(caution) => format!("-- The tables of {design}.\n-- {caution}\n"),
        };
        files.push(TakeFile {
            name: schema.file,
            text: first + &statements,
            mode: FILE,
        });
    }
    if !taken.questions.all.is_empty() {
        files.push(TakeFile {
            name: QUESTIONS_FILE,
            text: questions(taken, adoption),
            mode: FILE,
        });
    }
    files.push(TakeFile {
        name: LOAD,
        text: load_script(taken, adoption),
        mode: SCRIPT,
    });
    files.push(TakeFile {
        name: APPLY,
        text: apply_script(taken, adoption),
        mode: SCRIPT,
    });
    files
}

/// Returns whether the folder has exactly these files already; `false` if nothing is in it.
///
/// # Errors
/// Fails with a misuse if something else is in it.
pub fn has_them(dir: &Path, files: &[TakeFile]) -> Result<bool> {
    let is_there = |file: &TakeFile| {
        let found = std::fs::read(dir.join(file.name));
        found.is_ok_and(|found| found == file.text.as_bytes())
    };
    let entries = std::fs::read_dir(dir).map_or(0, Iterator::count);
    if entries == files.len() && files.iter().all(is_there) {
        return Ok(true);
    }
    check_folder(dir)?;
    Ok(false)
}

/// Writes the files, and returns their paths.
///
/// # Errors
/// Fails if a file is there already, or cannot be written.
pub fn write(dir: &Path, files: &[TakeFile]) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let written = files.iter().map(|TakeFile { name, text, mode }| {
        let path = dir.join(name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(*mode)
            .open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<PathBuf, anyhow::Error>(path)
    });
    written.collect()
}

/// Returns the questions in the SQL that the design is asked, behind what gives it its meaning.
fn questions(taken: Taken<'_>, adoption: &Adoption) -> String {
    let Questions { all, are_of_engine } = taken.questions;
    let design = taken.design;
    let mut text = if *are_of_engine {
        format!("-- The questions, as {design} is asked them.\n")
    } else {
        let asked_by = adoption.asked_by.as_deref();
        let asked_by = asked_by.unwrap_or("Outside of a run no command of Bakeoff asks them.");
        format!(
            "-- The questions in the SQL of Bakeoff, as a run asks them of {design}.\n-- {asked_by}\n"
        )
    };
    if all.iter().any(|(_, sql)| sql.contains("${")) {
        text += "-- ${NAME} is a parameter: put a value in its place.\n";
    }
    text.extend(adoption.asked_with.iter().map(|s| format!("{s};\n")));
    for (name, sql) in all {
        let sql = sql.trim().trim_end_matches(';').trim_end();
        let last = sql.lines().next_back().unwrap_or_default();
        // A comment goes on to the end of its line.
        let end = if last.contains("--") { "\n;" } else { ";" };
        text += &format!("\n-- name: {name}\n{sql}{end}\n");
    }
    text
}

/// Returns the script that fills the tables with the rows of the workload.
fn load_script(taken: Taken<'_>, adoption: &Adoption) -> String {
    let mut what = match applied(adoption) {
        Some(_) => format!("Fills the tables of {}.", taken.design),
        None => format!("Makes and fills {}.", taken.design),
    };
    let Taken { rows, place, .. } = taken;
    let load = adoption.load.as_ref().ok();
    let takes_csv = load.is_some_and(|load| load.takes_csv);
    let written = rows.written.as_ref().filter(|_| takes_csv);
    if load.is_some() {
        let told = written.map(|written| {
            format!("ROWS=all writes {written}, below TMPDIR before the tables are filled.")
        });
        let lines = rows.lines.iter().chain(&told).chain([&place.comment]);
        what.extend(lines.map(|line| format!("\n# {line}")));
    }
    let mut text = head(&taken.comment(&what), LOAD, adoption);
    match &adoption.load {
        Err(why) => {
            text += &format!(
                "printf '%s\\n' {} >&2\nexit 1\n",
                in_shell(&format!("not filled: {why}"))
            );
        }
        Ok(load) => {
            for line in &place.lines {
                text += line;
                text.push('\n');
            }
            for line in &load.checks {
                text += line;
                text.push('\n');
            }
            text += &format!("ROWS=${{ROWS:-{}}}\n", rows.usual);
            if let Some(written) = written {
                text += &format!(
                    "if [ \"$ROWS\" = all ]; then\n  printf 'writing %s, below %s first\\n' {} \
                     \"${{TMPDIR:-/tmp}}\" >&2\nfi\n",
                    in_shell(written)
                );
            }
            if load.takes_csv {
                text += "rows=$(mktemp -d)\ntrap 'rm -rf \"$rows\"' EXIT\ntrap 'exit 130' HUP INT TERM\n";
                text += &format!(
                    "{PROGRAM_IN_SHELL} generate {} --rows {ROWS_IN_SHELL} --out \"$rows/rows.csv\"\n",
                    place.words
                );
            }
            for line in &load.lines {
                text += line;
                text.push('\n');
            }
        }
    }
    text
}

/// Returns the script that makes the tables on a server of the user's and fills them.
fn apply_script(taken: Taken<'_>, adoption: &Adoption) -> String {
    let design = taken.design;
    let apply = applied(adoption);
    let what = match apply {
        Some(_) => format!("Makes the tables of {design} on a server of yours, and fills them."),
        None => format!("Makes and fills {design}, which {LOAD} does at once."),
    };
    let mut text = head(&taken.comment(&what), APPLY, adoption);
    text += &format!("{HERE}\n");
    if let Some(apply) = apply {
        text += &format!("{apply}\n");
    }
    text + &format!("sh \"$here/{LOAD}\" \"$@\"\n")
}

/// Returns the line of a script that makes the tables; `None` if filling them does.
fn applied(adoption: &Adoption) -> Option<&str> {
    adoption.schema.as_ref()?.apply.as_deref()
}

/// Returns the beginning of a script, which says what it is called with, and ends if it is called with nothing or if
/// there is no program of Bakeoff that fills the tables.
fn head(what: &str, name: &str, adoption: &Adoption) -> String {
    let usage = format!("sh {name} {}", adoption.called_with);
    let usage_in_shell = in_shell(&format!("usage: {usage}"));
    let (named, program) = match adoption.load {
        Ok(_) => (
            "# BAKEOFF=PATH in the environment names the program of Bakeoff if it is not on PATH.\n",
            program(&usage),
        ),
        Err(_) => ("", String::new()),
    };
    format!(
        "#!/bin/sh\n# {what}\n#   {usage}\n{named}# Passwords are in no file of this folder: the tools that it calls \
         ask for them, or have files of their own.\nset -eu\nif [ $# -eq 0 ]; then\n  printf '%s\\n' {usage_in_shell} \
         >&2\n  exit 2\nfi\n{program}"
    )
}

/// Returns lines that set `bakeoff` to the program of Bakeoff, and end as a shell does that finds none.
fn program(usage: &str) -> String {
    let named = in_shell(&format!("BAKEOFF=/path/to/bakeoff {usage}"));
    format!(
        "bakeoff=${{BAKEOFF:-bakeoff}}\nif ! command -v {PROGRAM_IN_SHELL} >/dev/null; then\n  printf '%s cannot be \
         found: put it on PATH, or name the program of Bakeoff, as in %s\\n' {PROGRAM_IN_SHELL} {named} >&2\n  \
         exit 127\nfi\n"
    )
}

#[cfg(test)]
mod tests;
