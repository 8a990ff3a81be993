//! Says which run was probably meant where a folder has none.

use std::path::{Path, PathBuf};

use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::sweep::SweepRun;
use bakeoff_stats::{JournalError, Run};

/// Folder that runs are written to unless told otherwise.
const RUNS: &str = "runs";
/// Most runs that are named.
const NAMED: usize = 5;
/// How far below a folder runs are looked for: those of a study are in folders of its own.
const DEPTH: u32 = 2;

/// Returns the end of a message about a folder without a run: the runs in it, or those of its name in [`RUNS`]. It is
/// empty if there are none, and for other errors.
pub fn run_instead(error: &anyhow::Error) -> String {
    let missing = error.chain().find_map(|cause| match cause.downcast_ref() {
        Some(JournalError::Missing { dir, .. }) => Some(dir),
        _ => None,
    });
    missing.map_or(String::new(), |dir| {
        words(&candidates(dir, Path::new(RUNS)))
    })
}

fn candidates(dir: &Path, runs: &Path) -> Vec<PathBuf> {
    let within = runs_below(dir, DEPTH);
    if !within.is_empty() {
        return within;
    }
    let of_name = runs.join(dir);
    if is_run(&of_name) {
        return vec![of_name];
    }
    runs_below(&of_name, DEPTH)
}

fn words(candidates: &[PathBuf]) -> String {
    let shown = candidates.iter().take(NAMED);
    let names: Vec<String> = shown.map(|dir| dir.display().to_string()).collect();
    match (names.as_slice(), candidates.len()) {
        ([], _) => String::new(),
        ([only], 1) => format!("; did you mean {only}?"),
        (names, all) if all > names.len() => format!(
            "; did you mean one of {} or {} more?",
            names.join(", "),
            all - names.len()
        ),
        (names, _) => format!("; did you mean one of {}?", names.join(", ")),
    }
}

fn is_run(dir: &Path) -> bool {
    Run::is_one(dir) || DriveRun::is_one(dir) || SweepRun::is_one(dir)
}

/// Returns the folders of runs below a folder, in the order of their names; none if it cannot be read. Links to folders
/// are not followed.
fn runs_below(dir: &Path, depth: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    let runs = folders.into_iter().flat_map(|folder| match depth {
        _ if is_run(&folder) => vec![folder],
        0 | 1 => Vec::new(),
        depth => runs_below(&folder, depth - 1),
    });
    runs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(path: PathBuf, file: &str) {
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join(file), "").unwrap();
    }

    #[test]
    fn the_runs_of_a_folder_are_named_up_to_five() {
        let dir = tempfile::tempdir().unwrap();
        let told = || words(&candidates(dir.path(), Path::new("/nowhere")));
        assert_eq!(told(), "");
        make(dir.path().join("study/1-files"), "journal.jsonl");
        let root = dir.path().display();
        assert_eq!(told(), format!("; did you mean {root}/study/1-files?"));
        make(dir.path().join("load"), "drive.jsonl");
        let both = format!("; did you mean one of {root}/load, {root}/study/1-files?");
        assert_eq!(told(), both);
        for number in 1..6 {
            make(dir.path().join(format!("a{number}")), "sweep.jsonl");
        }
        assert!(
            told().ends_with(&format!("{root}/a5 or 2 more?")),
            "{}",
            told()
        );
    }

    #[test]
    fn a_run_of_that_name_among_the_others_is_meant() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path().join("formats"), "journal.jsonl");
        make(dir.path().join("s1/1-files"), "journal.jsonl");
        let told = |name: &str| words(&candidates(Path::new(name), dir.path()));
        let root = dir.path().display();
        assert_eq!(told("formats"), format!("; did you mean {root}/formats?"));
        assert_eq!(told("s1"), format!("; did you mean {root}/s1/1-files?"));
        assert_eq!(told("none"), "");
    }
}
