//! Finds what comes with Bakeoff: workloads, studies, price lists and scripts of the repository. Their texts are
//! part of the program, so that they can be named in any folder.

mod list;

use std::io::ErrorKind;
use std::path::Path;

use bakeoff_workload::nearest;

pub use list::{PRICES, SCRIPTS, STUDIES, WORKLOADS};

/// Shortest word for which a similar name is suggested; shorter ones resemble almost any other.
const LEAST_LETTERS: usize = 4;

/// A file that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Path in the repository's folder of such files, without extension: `ycsb/a`.
    pub name: &'static str,
    pub text: &'static str,
}

/// All files of a kind that are part of the program.
pub struct Shelf {
    /// Word for one of them in messages.
    pub what: &'static str,
    /// Folder of the repository that holds them.
    pub folder: &'static str,
    /// Files in the order of their names.
    pub files: &'static [Shipped],
}

/// The source of a workload's, study's or price list's text.
#[derive(Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A file that comes with Bakeoff.
    Shipped(Shipped),
    /// The named file. The hint completes the error message if it cannot be read.
    File { hint: String },
}

impl Shelf {
    pub fn get(&self, name: &str) -> Option<Shipped> {
        self.files.iter().find(|file| file.name == name).copied()
    }

    /// Finds what a user means: a file, or else what comes with Bakeoff under that name. Adds a note if
    /// both could be meant. A folder is no file, so it hides no name.
    ///
    /// # Errors
    /// Fails if it is neither, and not written like a path; the message says what was probably meant.
    pub fn choose(&self, asked: &Path) -> Result<(Chosen, Option<String>), String> {
        let shipped = asked.to_str().and_then(|name| self.get(name));
        let file = |hint| Chosen::File { hint };
        match shipped {
            Some(shipped) if is_file(asked) => {
                Ok((file(String::new()), Some(self.hidden_note(shipped))))
            }
            Some(shipped) => Ok((Chosen::Shipped(shipped), self.copy_note(shipped))),
            None if is_file(asked) => Ok((file(String::new()), None)),
            None if is_path(asked) && !asked.is_dir() => {
                let hint = self.hint(&asked.to_string_lossy());
                Ok((file(hint.unwrap_or_default()), None))
            }
            None => Err(self.unknown(asked)),
        }
    }

    fn hidden_note(&self, Shipped { name, .. }: Shipped) -> String {
        format!(
            "{name} is a file here, and is taken instead of the {} of that name that comes with \
             Bakeoff",
            self.what
        )
    }

    /// Notes that a file `NAME.toml` exists, for users who changed a copy and left the extension out.
    fn copy_note(&self, Shipped { name, .. }: Shipped) -> Option<String> {
        let copy = format!("{name}.toml");
        is_file(Path::new(&copy)).then(|| {
            format!(
                "{name} is the {} that comes with Bakeoff; the file here is {copy}",
                self.what
            )
        })
    }

    fn unknown(&self, asked: &Path) -> String {
        let (text, what) = (asked.display(), self.what);
        let hint = self.hint(&asked.to_string_lossy());
        if asked.is_dir() {
            let hint = hint.unwrap_or_else(|| format!("; name a {what} file in it"));
            return format!("{text} is a folder, not a {what}{hint}");
        }
        format!(
            "there is no {what} `{text}`, neither as a file nor in `bakeoff list`{}",
            hint.unwrap_or_default()
        )
    }

    /// Suggests what was probably meant, as the end of a message.
    pub fn hint(&self, asked: &str) -> Option<String> {
        let group: Vec<&str> = self.group(asked).collect();
        if !group.is_empty() {
            return Some(format!("; Bakeoff ships {}", group.join(", ")));
        }
        let name = self.meant(asked)?;
        Some(format!("; did you mean `{name}` (it comes with Bakeoff)?"))
    }

    /// Returns the names that begin with this word and a slash.
    fn group<'a>(&'a self, asked: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let prefix = asked.trim_end_matches('/');
        let within = move |name: &&'static str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.files.iter().map(|file| file.name).filter(within)
    }

    /// Finds the name that is nearest to a word, to a path in the repository, or to its last part.
    fn meant(&self, asked: &str) -> Option<&'static str> {
        let path = asked.strip_suffix(".toml").unwrap_or(asked);
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let word = path
            .rsplit_once(&format!("{}/", self.folder))
            .map_or(path, |(_, rest)| rest);
        let names = || self.files.iter().map(|file| file.name);
        let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
        let by_last = || names().find(|&name| last(name) == word);
        if let Some(name) = names().find(|name| *name == word).or_else(by_last) {
            return Some(name);
        }
        if word.chars().count() < LEAST_LETTERS {
            return None;
        }
        nearest(word, names()).or_else(|| {
            let near = nearest(word, names().map(last))?;
            names().find(|&name| last(name) == near)
        })
    }
}

/// Returns whether a path names a file. One that cannot be examined, in a folder without permission, counts
/// as a file, so that reading it reports why.
fn is_file(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => !matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
        ),
    }
}

/// Returns whether the text is written as only paths are.
fn is_path(asked: &Path) -> bool {
    asked.extension().is_some()
        || asked.is_absolute()
        || asked.starts_with(".")
        || asked.starts_with("..")
}

#[cfg(test)]
mod tests;
