//! The note in a study's folder that says which study it is of, at which size, and by which commands.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use bakeoff_engines::in_shell;
use bakeoff_workload::{Study, StudySize};

use super::words::{as_option, in_words};
use crate::out_file::OutFile;

/// Name of the note.
pub const FILE: &str = "study.txt";
/// First words of its lines.
const STUDY: &str = "study ";
const SIZE: &str = "size ";
const STEP: &str = "step ";
const FULL: &str = "full";

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Name of the study.
    pub study: String,
    size: StudySize,
    /// Name of each step and its command, without the folder, as a shell takes it: it may have several lines.
    pub steps: Vec<(String, String)>,
}

impl Record {
    pub fn new(study: &Study, size: StudySize) -> Record {
        let steps = study.steps.iter().map(|step| {
            let words: Vec<String> = step.arguments(size).iter().map(|w| in_shell(w)).collect();
            (step.name.clone(), words.join(" "))
        });
        Record {
            study: study.name.clone(),
            size,
            steps: steps.collect(),
        }
    }

    /// Reads the note of a folder; `None` if it has none.
    ///
    /// # Errors
    /// Fails if the note cannot be read, or is none of this program.
    pub fn read(dir: &Path) -> Result<Option<Record>> {
        let path = dir.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        match parse(&text) {
            Some(record) => Ok(Some(record)),
            None => bail!(
                "{} does not say which study it is of; restore it, or measure again into another folder",
                path.display()
            ),
        }
    }

    /// Reads the note of a folder that has to have one.
    ///
    /// # Errors
    /// Fails if the folder has none, and as [`Record::read`] does.
    pub fn read_there(dir: &Path) -> Result<Record> {
        Record::read(dir)?.ok_or_else(|| {
            anyhow!(
                "{} is not the folder of a study: it has no {FILE}; name the one that `bakeoff study` wrote to",
                dir.display()
            )
        })
    }

    /// Writes the note; the folder has to be there.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let mut file = OutFile::replace(&path)?;
        file.write_all(self.text().as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()
    }

    fn text(&self) -> String {
        let size = match self.size {
            StudySize::Full => FULL.to_owned(),
            StudySize::Budget(budget) => budget.as_millis().to_string(),
        };
        let mut text = format!("{STUDY}{}\n{SIZE}{size}\n", self.study);
        for (name, command) in &self.steps {
            text += &format!("{STEP}{name} {command}\n");
        }
        text
    }

    /// Returns whether both are of the same study and size, with the same commands. Earlier versions wrote spaces in
    /// place of line breaks.
    pub fn is_same(&self, other: &Record) -> bool {
        let in_one_line = |record: &Record| {
            let steps = record.steps.iter();
            let steps = steps.map(|(name, command)| (name.clone(), command.replace('\n', " ")));
            Record {
                steps: steps.collect(),
                ..record.clone()
            }
        };
        in_one_line(self) == in_one_line(other)
    }

    /// Returns the options that choose the size.
    pub fn size_options(&self) -> Vec<String> {
        match self.size {
            StudySize::Full => vec!["--full".to_owned()],
            StudySize::Budget(budget) => vec!["--budget".to_owned(), as_option(budget)],
        }
    }

    /// Says at which size the study was measured.
    pub fn size_in_words(&self) -> String {
        match self.size {
            StudySize::Full => "at the authors' size".to_owned(),
            StudySize::Budget(budget) => format!("with a budget of {}", in_words(budget)),
        }
    }

    /// Returns the command of a step, without the folder.
    pub fn command_of(&self, step: &str) -> Option<&str> {
        let found = self.steps.iter().find(|(name, _)| name == step);
        found.map(|(_, command)| command.as_str())
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn parse(text: &str) -> Option<Record> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut lines = text.split('\n');
    let study = lines.next()?.strip_prefix(STUDY)?.to_owned();
    let size = match lines.next()?.strip_prefix(SIZE)? {
        FULL => StudySize::Full,
        budget => StudySize::Budget(Duration::from_millis(budget.parse().ok()?)),
    };
    Some(Record {
        study,
        size,
        steps: steps(lines)?,
    })
}

/// Reads the steps. A line in an open quote goes on with the command of the step before.
fn steps<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Vec<(String, String)>> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in lines {
        let open = steps.last_mut().filter(|(_, command)| !is_whole(command));
        if let Some((_, command)) = open {
            *command += &format!("\n{line}");
        } else {
            let (name, command) = line.strip_prefix(STEP)?.split_once(' ')?;
            steps.push((name.to_owned(), command.to_owned()));
        }
    }
    Some(steps)
}

/// Returns whether no quote of a command for a shell is open at its end.
fn is_whole(command: &str) -> bool {
    let mut characters = command.chars();
    let mut is_quoted = false;
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            // Outside of quotes, the next character means itself.
            '\\' if !is_quoted => {
                characters.next();
            }
            _ => {}
        }
    }
    !is_quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(size: StudySize) -> Record {
        Record {
            study: "s1".to_owned(),
            size,
            steps: vec![
                ("designs".to_owned(), "run formats --designs '*'".to_owned()),
                ("load".to_owned(), "drive compression".to_owned()),
            ],
        }
    }

    #[test]
    fn a_note_is_read_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Record::read(dir.path()).unwrap(), None);
        for size in [
            StudySize::Full,
            StudySize::Budget(Duration::from_millis(90_500)),
        ] {
            let record = record(size);
            record.write(dir.path()).unwrap();
            assert_eq!(Record::read(dir.path()).unwrap(), Some(record));
        }
    }

    #[test]
    fn a_command_of_several_lines_is_read_back_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = record(StudySize::Full);
        let option = in_shell("it's -- the first\nstep two\r\n");
        record.steps[0].1 = format!("run formats --set {option} --rows 5");
        record.write(dir.path()).unwrap();
        let read = Record::read(dir.path()).unwrap().unwrap();
        assert_eq!(read, record);
        assert_eq!(read.command_of("load"), Some("drive compression"));
        // An earlier version wrote spaces.
        let mut old = record.clone();
        old.steps[0].1 = record.steps[0].1.replace('\n', " ");
        old.write(dir.path()).unwrap();
        assert_eq!(Record::read(dir.path()).unwrap(), Some(old.clone()));
        assert!(old != record && old.is_same(&record) && record.is_same(&old));
        old.steps[0].1 += " --twins all";
        assert!(!old.is_same(&record));
    }

    #[test]
    fn another_file_of_that_name_is_an_error_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        for text in [
            "",
            "dear\n",
            "study s1\nsize much\n",
            "study s1\nsize full\nstep\n",
        ] {
            std::fs::write(dir.path().join(FILE), text).unwrap();
            let error = Record::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains("which study it is of"), "{text}: {error}");
        }
    }

    #[test]
    fn the_size_is_said_as_it_is_asked_for() {
        let budget = record(StudySize::Budget(Duration::from_secs(90)));
        assert_eq!(budget.size_options(), ["--budget", "90s"]);
        assert_eq!(budget.size_in_words(), "with a budget of 1m 30s");
        assert_eq!(record(StudySize::Full).size_options(), ["--full"]);
        assert_eq!(budget.command_of("load"), Some("drive compression"));
        assert_eq!(budget.command_of("other"), None);
    }
}
