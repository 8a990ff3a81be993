//! What is named in place of a workload and is none: rows, statements, a live table. `bakeoff init` makes one of it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_engines::{StatementsFile, in_shell};
use bakeoff_workload::source::DataFileName;

use crate::exit::Misuse;
use crate::shipped::WORKLOADS;

/// Ending of the name of a workload file.
const ENDING: &str = "toml";
/// What stands between the scheme and the host of the address of a live table.
const OF_ADDRESS: &str = "://";
/// Bytes at the beginning of a file that tell whether it is TOML.
const BEGIN: u64 = 64 << 10;

/// Refuses what is named as a workload and is something else of which one can be made.
///
/// # Errors
/// Fails with a misuse that says what it is, with the command that makes a workload of it.
pub fn refuse(asked: &Path) -> Result<()> {
    match complaint(asked) {
        Some(told) => Err(Misuse::new(anyhow!(told)).into()),
        None => Ok(()),
    }
}

/// Says what a path is if it is no workload; `None` if it may be one, or is not there.
fn complaint(asked: &Path) -> Option<String> {
    let text = asked.to_string_lossy();
    if asked.is_file() {
        let what = of_file(asked)?;
        return Some(format!(
            "{text} {what}: {} writes one for it",
            init_command(&text)
        ));
    }
    // A folder hides no name.
    if WORKLOADS.get(&text).is_some() {
        return None;
    }
    if text.contains(OF_ADDRESS) {
        // It may have a password in it.
        return Some(
            "the address of a live table is no workload: `bakeoff init ADDRESS --out NEW.toml` writes one for it"
                .to_owned(),
        );
    }
    (asked.is_dir() && has_data(asked)).then(|| {
        format!(
            "{text} is a folder of data files, no workload: {} writes one for them",
            init_command(&text)
        )
    })
}

/// Writes the command that makes a workload.
fn init_command(name: &str) -> String {
    format!("`bakeoff init {} --out NEW.toml`", in_shell(name))
}

/// Says what a file is, as the middle of a sentence; `None` if it may be a workload.
fn of_file(path: &Path) -> Option<&'static str> {
    if has_rows(path) {
        return Some("is a file of rows, no workload");
    }
    if StatementsFile::language_of(path).is_some() {
        return Some("is a file of statements, no workload");
    }
    let ending = path.extension().unwrap_or_default();
    if ending.eq_ignore_ascii_case(ENDING) || may_be_toml(path) {
        return None;
    }
    Some("is not TOML, and so not a workload; if it has rows")
}

/// Returns whether the name of a file says that it has rows.
fn has_rows(path: &Path) -> bool {
    let name = DataFileName::of(path);
    name.format.is_some() || name.packed.is_some()
}

/// Returns whether a folder has a file whose name says that it has rows.
fn has_data(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| has_rows(&entry.path()))
}

/// Returns whether a file begins as TOML does. One that cannot be read may be TOML: reading it reports why.
fn may_be_toml(path: &Path) -> bool {
    let mut begin = Vec::new();
    let Ok(file) = File::open(path) else {
        return true;
    };
    if file.take(BEGIN).read_to_end(&mut begin).is_err() {
        return true;
    }
    if begin.contains(&0) {
        return false;
    }
    let text = String::from_utf8_lossy(&begin);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_none_or(may_begin_toml)
}

/// Returns whether a line may be the first one of TOML: `[section]`, or a key and its value.
fn may_begin_toml(line: &str) -> bool {
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || " -_.\"'".contains(c);
    if let Some(section) = line.strip_prefix('[') {
        let name = section.trim_start_matches('[');
        return { name.trim_start_matches(is_of_key) }.starts_with(']');
    }
    // In quotes a key may have any characters.
    if line.starts_with(['"', '\'']) {
        return line.contains('=');
    }
    let behind = line.trim_start_matches(is_of_key);
    behind.len() < line.len() && behind.starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a file with this name and text, without the folder that it is in.
    fn said(name: &str, bytes: &[u8]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let within = format!("{}/", folder.path().display());
        complaint(&path).map(|told| told.replace(&within, ""))
    }

    #[test]
    fn what_a_file_is_and_the_command_for_it_are_said() {
        for (name, text, expected) in [
            (
                "a.csv",
                "room,time\n",
                "a.csv is a file of rows, no workload: `bakeoff init a.csv --out NEW.toml` writes one for it",
            ),
            ("a.parquet", "PAR1", "a.parquet is a file of rows"),
            ("a.txt.gz", "\u{1f}", "a.txt.gz is a file of rows"),
            (
                "green house's.jsonl",
                "{}\n",
                "`bakeoff init 'green house'\\''s.jsonl' --out NEW.toml`",
            ),
            (
                "a.sql",
                "CREATE TABLE t (a int);\n",
                "a.sql is a file of statements, no workload: `bakeoff init a.sql",
            ),
            ("a.CQL", "", "a.CQL is a file of statements"),
            (
                "a.txt",
                "# of May\n\nroom time\nfern 5\n",
                "a.txt is not TOML, and so not a workload; if it has rows: `bakeoff init a.txt --out NEW.toml` writes",
            ),
            ("data", "a,b = c\n", "data is not TOML"),
            ("a.dat", "[1, 2]\n", "a.dat is not TOML"),
            ("a.bin", "title = \0", "a.bin is not TOML"),
        ] {
            let told = said(name, text.as_bytes()).unwrap_or_default();
            assert!(told.contains(expected), "{name}: {told}");
        }
    }

    #[test]
    fn what_may_be_a_workload_is_left_to_the_one_who_reads_it() {
        for (name, text) in [
            ("a.toml", "room,time\n"),
            ("a.TOML", ""),
            ("a.txt", "# mine\n\n title = \"t\"\n"),
            ("a.old", "\u{feff}\"title\" = 5\n"),
            ("a", "[table]\n"),
            ("b", "[[queries]] # one\n"),
            ("c", "scale.rows = 5\n"),
            ("empty.txt", ""),
        ] {
            assert_eq!(said(name, text.as_bytes()), None, "{name}");
        }
        assert_eq!(complaint(Path::new("nowhere.csv")), None);
        assert_eq!(complaint(Path::new("formats")), None);
    }

    #[test]
    fn folders_of_data_and_addresses_are_no_workloads() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(complaint(folder.path()), None, "it is empty");
        std::fs::write(folder.path().join("a.csv"), "").unwrap();
        let told = complaint(folder.path()).unwrap();
        assert!(
            told.contains("is a folder of data files, no workload: `bakeoff init "),
            "{told}"
        );
        let told = complaint(Path::new("postgres://me:hunter2@db1/shop")).unwrap();
        assert!(
            told.contains("bakeoff init ADDRESS") && !told.contains("hunter2"),
            "{told}"
        );
    }
}
