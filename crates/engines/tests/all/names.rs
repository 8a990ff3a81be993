//! Engines describe themselves: nothing outside of this crate depends on what one is called.

use std::path::{Path, PathBuf};

use bakeoff_engines::registry::ENGINES;

/// Crates whose code knows no engine by its name.
const CRATES: [&str; 5] = ["bakeoff", "driver", "report", "stats", "workload"];

/// Files that may have such a word all the same, and why.
const ALLOWED: [(&str, &str); 9] = [
    (
        "bakeoff/src/cmd/doctor.rs",
        "the engine of the documentation's first command",
    ),
    (
        "bakeoff/src/cmd/drive/added_node.rs",
        "an option that it does not go together with",
    ),
    (
        "bakeoff/src/cmd/engines.rs",
        "the folder of the server that stays",
    ),
    ("bakeoff/src/cmd/init/live/mod.rs", "a file format"),
    ("bakeoff/src/cmd/sql/output/mod.rs", "a file format"),
    (
        "stats/src/design/earlier.rs",
        "records of versions whose engines did not describe themselves",
    ),
    (
        "stats/src/diagnose/gather.rs",
        "designs that a diagnosis, which is of Cassandra alone, proposes to measure",
    ),
    ("workload/src/check/server.rs", "a key of [server]"),
    (
        "workload/src/infer/split_times.rs",
        "a word in names of columns",
    ),
];

#[test]
fn nothing_but_an_engine_knows_its_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for name in CRATES {
        for path in sources(&crates.join(name).join("src")) {
            let file = path.strip_prefix(&crates).unwrap().display().to_string();
            if has_name(&std::fs::read_to_string(&path).unwrap()) {
                found.push(file);
            }
        }
    }
    found.sort();
    let allowed = ALLOWED.map(|(file, _)| file);
    assert_eq!(
        found, allowed,
        "ask the engine instead, for example with a method of `Engine` or a field of `DesignInfo`"
    );
}

/// The Rust files of a folder, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_of_tests = ["tests", "tests.rs", "testing.rs"]
            .iter()
            .any(|name| path.ends_with(name))
            || path.to_string_lossy().ends_with("_tests.rs");
        if path.is_dir() && !is_of_tests {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") && !is_of_tests {
            found.push(path);
        }
    }
    found
}

/// Whether a name is a literal of its own before the tests of a file. In attributes it is an option
/// of the command line.
fn has_name(text: &str) -> bool {
    let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let mut lines = code.lines().filter(|l| !l.trim_start().starts_with("#["));
    lines.any(|line| {
        let is_in = |name: &str| line.contains(&format!("\"{name}\""));
        ENGINES.iter().any(|engine| is_in(engine.name()))
    })
}
