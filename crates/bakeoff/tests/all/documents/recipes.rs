//! The recipes of the justfile, and what other machines run: the scripts, examples, packages and tests that they name
//! are there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::markdown::root;

const FILES: [&str; 4] = [
    "justfile",
    ".ci/run",
    ".github/workflows/nightly.yml",
    ".github/workflows/release.yml",
];

/// The folders of scripts.
const SCRIPTS: [&str; 3] = ["scripts/", "benches/", ".ci/"];

#[test]
fn what_recipes_name_is_there() {
    let tests = all_tests();
    assert!(tests.len() > 1_000, "{}", tests.len());
    for file in FILES {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(missing(&text, &tests), [""; 0], "{file}");
    }
}

#[test]
fn what_recipes_name_and_is_not_there_is_noticed() {
    let tests = ["three_nodes::faults_lose_and_double_no_acknowledged_row".to_owned()];
    let good = "cargo test -p bakeoff-columnar -- --skip faults_lose \\\n --skip three_nodes\n\
                run: sudo \"$(scripts/circles)\" # as .ci/run.\n  - bakeoff\n\
                cargo run --release --example series -- 1\nmkdir -p folder";
    assert_eq!(missing(good, &tests), [""; 0]);
    let wrong = "cargo test -p bakeoff-nothing -- --skip faults_win \\\n --skip four_nodes\n\
                 run: sudo \"$(scripts/squares)\" # as .ci/jog.\n  - bakeoff-none\n\
                 cargo run --release --example films -- 1";
    let mut named = missing(wrong, &tests);
    named.sort();
    let all = [
        ".ci/jog",
        "bakeoff-none",
        "bakeoff-nothing",
        "faults_win",
        "films",
        "four_nodes",
        "scripts/squares",
    ];
    assert_eq!(named, all);
}

/// Returns what a text names as something that it is not.
fn missing(text: &str, tests: &[String]) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words.windows(2).map(|pair| (pair[0], pair[1]));
    let wrong = pairs.filter(|(option, value)| match *option {
        "--skip" => !tests.iter().any(|test| test.contains(*value)),
        "--example" => !is_example(value),
        // Packages stand in a list, too.
        "--package" | "-p" | "-" => value.starts_with("bakeoff") && !is_package(value),
        _ => false,
    });
    let mut missing: Vec<String> = wrong.map(|(_, value)| value.to_owned()).collect();
    for folder in SCRIPTS {
        for (at, _) in text.match_indices(folder) {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
            let end = text[at..].find(|c: char| !is_of_name(c));
            let path = end.map_or(&text[at..], |end| &text[at..at + end]);
            let path = path.trim_end_matches('.');
            if !is_script(path) {
                missing.push(path.to_owned());
            }
        }
    }
    missing
}

/// Whether it can be run.
fn is_script(path: &str) -> bool {
    let found = fs::metadata(root().join(path));
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn is_example(name: &str) -> bool {
    crates().any(|folder| {
        let examples = folder.join("examples");
        let files = [format!("{name}.rs"), format!("{name}/main.rs")];
        files.iter().any(|file| examples.join(file).is_file())
    })
}

fn is_package(name: &str) -> bool {
    let line = format!("name = \"{name}\"");
    crates().any(|folder| {
        let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        text.lines().any(|other| other == line)
    })
}

fn crates() -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    entries.map(|entry| entry.unwrap().path())
}

/// Returns the names of all tests, with the files that they are in as modules.
fn all_tests() -> Vec<String> {
    let mut tests = Vec::new();
    for folder in crates() {
        for (below, name) in [("src", "src"), ("tests", "tests/all")] {
            let start = folder.join(name);
            let mut folders = vec![folder.join(below)];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(folder).into_iter().flatten() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                    } else if path.extension().is_some_and(|extension| extension == "rs") {
                        tests.extend(tests_in(&path, &start));
                    }
                }
            }
        }
    }
    tests
}

/// Returns the names of the tests in a file.
fn tests_in(path: &Path, start: &Path) -> Vec<String> {
    let module = path.strip_prefix(start).unwrap_or(path).with_extension("");
    let module = module.to_string_lossy().replace('/', "::");
    let text = fs::read_to_string(path).unwrap();
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line == "#[test]" || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some((_, after)) = line.split_once("fn ") {
            if is_test {
                let name = after.split('(').next().unwrap_or_default();
                names.push(format!("{module}::{name}"));
            }
            is_test = false;
        }
    }
    names
}
