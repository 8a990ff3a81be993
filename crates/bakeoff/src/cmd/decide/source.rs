//! What a decision is for, as the command line names it, and where its rows are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use bakeoff_workload::{Data, RowSource, Workload, source};

use crate::cmd::init::{is_address, is_of_statements};
use crate::cmd::options::data::{DataOptions, choose};
use crate::exit::Misuse;
use crate::shipped::{Chosen, WORKLOADS};

/// Ending of the name of a workload file.
const ENDING: &str = "toml";

/// What a decision is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A file of rows.
    Rows,
    /// A file of statements that make a table.
    Statements,
    /// A table of a running server.
    Live,
    /// A workload file, or a shipped one.
    Workload,
}

impl Source {
    /// Tells what the command line names.
    ///
    /// # Errors
    /// Fails with a misuse if there is neither such a file nor such a workload, and says what was probably meant.
    pub fn of(from: &Path) -> Result<Source> {
        // A table may be called so, too, and an address is not repeated as the name of a file is.
        if is_address(from) {
            return Ok(Source::Live);
        }
        let is_workload = from
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(ENDING));
        if is_workload {
            return Ok(Source::Workload);
        }
        let text = from.to_string_lossy();
        // A folder hides no name, as elsewhere.
        let is_hidden = from.is_dir() && WORKLOADS.get(&text).is_some();
        if from.exists() && !is_hidden {
            let is_made = is_of_statements(from);
            return Ok(if is_made {
                Source::Statements
            } else {
                Source::Rows
            });
        }
        match choose(&WORKLOADS, from)? {
            Chosen::Shipped(_) => Ok(Source::Workload),
            Chosen::File { hint } => Err(Misuse::new(anyhow!(
                "there is no file {}{hint}: name a file of rows or of statements, a live table, or a workload that \
                 ends in .{ENDING} or is in `bakeoff list`",
                from.display()
            ))
            .into()),
        }
    }

    /// Returns whether it is a table of a running server.
    pub fn is_live(self) -> bool {
        self == Source::Live
    }

    /// Describes which version it is of what the command line names: the text of a workload with its small tables, and
    /// of each file, `data` and those in folders too, its name, its length and the time of its last change. A live
    /// table has none, since its sample stays what it is.
    ///
    /// # Errors
    /// Fails with a misuse if a workload cannot be read or is invalid.
    pub fn version(self, from: &Path, data: Option<&Path>) -> Result<String> {
        let (text, files) = match self {
            Source::Live => return Ok(String::new()),
            Source::Rows | Source::Statements => {
                let files = std::iter::once(from).chain(data);
                (String::new(), files.map(Path::to_owned).collect())
            }
            Source::Workload => {
                let read = DataOptions::default();
                let workload = read.workload(from)?;
                let files = read.files(&workload).to_vec();
                // Small tables are in files of their own, which may change while the text does not.
                let mut text = format!("{}{:?}", workload.text, workload.small_tables);
                // Earlier builds measured other designs for such a workload, and drove none.
                if workload.mix.is_some() {
                    text += "driven";
                }
                (text, files)
            }
        };
        // What cannot be read is said where it is opened.
        let files = source::data_files(&files).unwrap_or(files);
        let versions = files.iter().map(|file| {
            let found = std::fs::metadata(file).ok();
            let version = found.map(|found| (found.len(), found.modified().ok()));
            (file.file_name(), version)
        });
        let versions: Vec<_> = versions.collect();
        Ok(format!("{text}{versions:?}"))
    }

    /// Returns a name for the folder of the decision: that of the file, or of the live table, which `table` names if
    /// the address does not.
    pub fn name(self, from: &Path, table: Option<&str>) -> String {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let stem = match self {
            Source::Live => table.unwrap_or(&name).rsplit('.').next(),
            _ => name.split('.').next(),
        };
        let stem = stem.unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let plain: String = stem
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        let kind = match self {
            Source::Rows | Source::Statements => "rows",
            Source::Live => "table",
            Source::Workload => "workload",
        };
        if plain.is_empty() {
            kind.to_owned()
        } else {
            plain
        }
    }
}

/// Returns the options with which a run of the workload in the folder finds the rows: a workload file names those from
/// its own folder.
///
/// # Errors
/// Fails if the workload cannot be read any more, or the current folder is not known.
pub fn data_words(from: &Path) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    for file in data_files(from)? {
        words.extend(["--data".into(), file.into_os_string()]);
    }
    Ok(words)
}

/// Returns the files of rows of a workload, from the root on; none for all else, whose workload names them so.
pub fn data_files(from: &Path) -> Result<Vec<PathBuf>> {
    if Source::of(from)? != Source::Workload {
        return Ok(Vec::new());
    }
    let workload = DataOptions::default().workload(from)?;
    let Data::Files(files) = &workload.data else {
        return Ok(Vec::new());
    };
    let absolute = files.iter().map(std::path::absolute);
    let absolute: std::io::Result<Vec<PathBuf>> = absolute.collect();
    absolute.context("cannot find the current folder")
}

/// Opens the rows of a workload. `files` are read in place of those that it names, if there are some.
///
/// # Errors
/// Fails if a file is missing, cannot be read or does not fit the table.
pub fn open_rows(
    workload: &Workload,
    files: &[PathBuf],
) -> bakeoff_workload::Result<Box<dyn RowSource>> {
    if files.is_empty() {
        source::open(workload, None)
    } else {
        source::open_data(workload, files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_is_known_by_its_ending_or_its_name_and_all_else_is_rows() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("readings.csv");
        std::fs::write(&file, "a\n1\n").unwrap();
        let of = |from: &Path| Source::of(from).unwrap();
        assert_eq!(of(&file), Source::Rows);
        assert_eq!(of(folder.path()), Source::Rows);
        for live in [
            "cassandra://db1/ks.t",
            "postgres://me@db1/d",
            "ks://host/table",
            "cassandra://db1/ks.toml",
        ] {
            assert_eq!(of(Path::new(live)), Source::Live, "{live}");
        }
        let statements = folder.path().join("schema.cql");
        std::fs::write(&statements, "").unwrap();
        assert_eq!(of(&statements), Source::Statements);
        for workload in ["formats", "ycsb/a", "nowhere.toml", "mine.TOML"] {
            assert_eq!(of(Path::new(workload)), Source::Workload, "{workload}");
        }
        let error = Source::of(Path::new("nowhere.csv"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("there is no file nowhere.csv"), "{error}");
    }

    #[test]
    fn a_file_or_a_workload_that_changes_has_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let rows = folder.path().join("readings.csv");
        std::fs::write(&rows, "a\n1\n").unwrap();
        let version = |source: Source, from: &Path| source.version(from, None).unwrap();
        let before = version(Source::Rows, &rows);
        assert_eq!(before, version(Source::Rows, &rows));
        std::fs::write(&rows, "a\n1\n2\n").unwrap();
        assert_ne!(before, version(Source::Rows, &rows));
        let of_folder = version(Source::Rows, folder.path());
        std::fs::write(&rows, "a\n1\n2\n3\n").unwrap();
        assert_ne!(of_folder, version(Source::Rows, folder.path()));
        let shipped = version(Source::Workload, Path::new("formats"));
        let copy = folder.path().join("formats.toml");
        let text = WORKLOADS.get("formats").unwrap().text;
        std::fs::write(&copy, text).unwrap();
        assert_eq!(shipped, version(Source::Workload, &copy));
        std::fs::write(&copy, format!("{text}# More.\n")).unwrap();
        assert_ne!(shipped, version(Source::Workload, &copy));
        assert!(
            Source::Workload
                .version(Path::new("nowhere.toml"), None)
                .is_err()
        );
        // Of statements the sample counts, too.
        let statements = folder.path().join("schema.sql");
        std::fs::write(&statements, "").unwrap();
        let with_rows = || {
            Source::Statements
                .version(&statements, Some(&rows))
                .unwrap()
        };
        let before = with_rows();
        assert_ne!(before, version(Source::Statements, &statements));
        std::fs::write(&rows, "a\n1\n2\n3\n4\n").unwrap();
        assert_ne!(before, with_rows());
    }

    #[test]
    fn folders_have_plain_names() {
        let name = |from: &str| Source::Rows.name(Path::new(from), None);
        assert_eq!(name("data/green house.csv.gz"), "green_house");
        assert_eq!(name("ycsb/a"), "a");
        assert_eq!(name(".csv"), "rows");
        let live = |from: &str, table: Option<&str>| Source::Live.name(Path::new(from), table);
        assert_eq!(live("cassandra://me@db1:9042/shop.orders", None), "orders");
        assert_eq!(
            live("postgres://me@db1/shop", Some("public.orders")),
            "orders"
        );
    }
}
