//! `bakeoff history`: shows what changed for good over many saved runs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::between::history;
use bakeoff_stats::between::History as Compared;
use bakeoff_stats::{LogRecord, Record, Run, Summary};
use clap::Args;

use crate::exit::Exit;
use crate::stderr::print_line;
use crate::terminal::{json, stdout};

/// Compare all runs below a folder in the order of their start: what became slower or faster for good, and
/// since which run.
#[derive(Args)]
pub struct History {
    /// Folder that holds the run folders
    dir: PathBuf,

    /// Also show the figures that did not change
    #[arg(long)]
    all: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl History {
    pub fn run(self) -> Result<Exit> {
        let folders = run_folders(&self.dir)?;
        if folders.is_empty() {
            return Err(anyhow!(
                "there is no run in or below {}; name the folder that holds those of `bakeoff run`",
                self.dir.display()
            ));
        }
        let read: Vec<(String, Summary)> = folders.iter().filter_map(|dir| read(dir)).collect();
        let exit = match read.len() {
            0 => Exit::Failed,
            some if some < folders.len() => Exit::Partial,
            _ => Exit::Complete,
        };
        let compared = Compared::of(read);
        let text = if self.json {
            json(&history::json(&compared)?)
        } else {
            history::render(&compared, self.all)
        };
        writeln!(stdout(), "{}", text.trim_end())?;
        Ok(exit)
    }
}

/// Reads a run. One that cannot be read is reported and left out.
fn read(dir: &Path) -> Option<(String, Summary)> {
    let summary = || anyhow::Ok(Run::open(dir)?.summary()?);
    match summary() {
        Ok(summary) => Some((dir.display().to_string(), summary)),
        Err(error) => {
            let why = crate::exit::explain(&error);
            print_line(format_args!("note: {} is left out: {why}", dir.display()));
            None
        }
    }
}

/// Finds the folders of runs in a folder and below, in the order of their names. Links to folders are
/// not followed, since they may lead around in a circle.
pub fn run_folders(dir: &Path) -> Result<Vec<PathBuf>> {
    if dir.join(<Record as LogRecord>::FILE).is_file() {
        return Ok(vec![dir.to_owned()]);
    }
    let mut found = Vec::new();
    for folder in folders_in(dir)? {
        found.extend(run_folders(&folder)?);
    }
    Ok(found)
}

fn folders_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("cannot read {}; name a folder of runs", dir.display());
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let is_folder = entry.file_type().with_context(unreadable)?.is_dir();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if is_folder && !is_hidden {
            folders.push(entry.path());
        }
    }
    folders.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_below_and_not_within_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let folder = dir.path().join(path);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("journal.jsonl"), "").unwrap();
        };
        for path in ["b", "a/deep/run", "b/within", ".hidden"] {
            make(path);
        }
        std::fs::create_dir(dir.path().join("empty")).unwrap();
        let found = run_folders(dir.path()).unwrap();
        let expected = ["a/deep/run", "b"].map(|path| dir.path().join(path));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_and_an_empty_one_has_no_runs() {
        let dir = tempfile::tempdir().unwrap();
        assert!(run_folders(dir.path()).unwrap().is_empty());
        let error = run_folders(&dir.path().join("none")).unwrap_err();
        assert!(error.to_string().contains("name a folder of runs"));
    }
}
