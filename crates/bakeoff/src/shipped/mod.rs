//! What comes with Bakeoff: workloads, price lists and a script of the repository. Their texts are
//! part of the program, so that they can be named in any folder.

mod list;

use std::io::ErrorKind;
use std::path::Path;

use bakeoff_workload::nearest;

pub use list::{PRICES, SCRIPTS, WORKLOADS};

/// Words shorter than this are near to almost any other of their length.
const LEAST_LETTERS: usize = 4;

/// A file that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its path in the repository's folder of such files, without its ending: `ycsb/a`.
    pub name: &'static str,
    pub text: &'static str,
}

/// All files of a kind that are part of the program.
pub struct Shelf {
    /// What one of them is called in messages.
    pub what: &'static str,
    /// The folder that the repository has them in.
    pub folder: &'static str,
    /// In the order of their names.
    pub files: &'static [Shipped],
}

/// Where the text of a workload or price list is to be taken from.
#[derive(Debug, PartialEq, Eq)]
pub enum Chosen {
    /// What comes with Bakeoff.
    Shipped(Shipped),
    /// The file that was named. The hint continues the message where it cannot be read.
    File { hint: String },
}

impl Shelf {
    pub fn get(&self, name: &str) -> Option<Shipped> {
        self.files.iter().find(|file| file.name == name).copied()
    }

    /// Finds what a user means: a file, or else what comes with Bakeoff under that name, and one line
    /// where both could be meant. A folder is no file, so that it hides no name.
    ///
    /// # Errors
    /// If it is neither, nor written as a path is; the message says what was probably meant.
    pub fn choose(&self, asked: &Path) -> Result<(Chosen, Option<String>), String> {
        let shipped = asked.to_str().and_then(|name| self.get(name));
        let file = |hint| Chosen::File { hint };
        match shipped {
            Some(shipped) if is_file(asked) => {
                Ok((file(String::new()), Some(self.hidden_note(shipped))))
            }
            Some(shipped) => Ok((Chosen::Shipped(shipped), self.beside_note(shipped))),
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

    /// For someone who has changed a copy and names it without its ending.
    fn beside_note(&self, Shipped { name, .. }: Shipped) -> Option<String> {
        let beside = format!("{name}.toml");
        is_file(Path::new(&beside)).then(|| {
            format!(
                "{name} is the {} that comes with Bakeoff; the file here is {beside}",
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

    /// What was probably meant, as the end of a message.
    pub fn hint(&self, asked: &str) -> Option<String> {
        let group: Vec<&str> = self.group(asked).collect();
        if !group.is_empty() {
            return Some(format!("; Bakeoff ships {}", group.join(", ")));
        }
        let name = self.meant(asked)?;
        Some(format!("; did you mean `{name}` (it comes with Bakeoff)?"))
    }

    /// The names that begin with this word and a slash.
    fn group<'a>(&'a self, asked: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        let prefix = asked.trim_end_matches('/');
        let within = move |name: &&'static str| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.files.iter().map(|file| file.name).filter(within)
    }

    /// The name that is nearest to a word, to a path in the repository, or to its last part.
    fn meant(&self, asked: &str) -> Option<&'static str> {
        let word = asked.strip_suffix(".toml").unwrap_or(asked);
        let word = word.trim_start_matches("./").trim_end_matches('/');
        let word = word
            .rsplit_once(&format!("{}/", self.folder))
            .map_or(word, |(_, rest)| rest);
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

/// Whether there is something to be read under that path. What cannot be looked at, in a folder
/// that may not be entered, counts as one, so that reading it says why.
fn is_file(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => !matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
        ),
    }
}

/// Whether it is written as only paths are.
fn is_path(asked: &Path) -> bool {
    asked.extension().is_some()
        || asked.is_absolute()
        || asked.starts_with(".")
        || asked.starts_with("..")
}

#[cfg(test)]
mod tests;
