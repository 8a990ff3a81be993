//! Options, environment variables, layouts and settings of servers: those of the program are described, and
//! those that are described are there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use bakeoff_engines::DriverFile;
use bakeoff_engines::servers::cassandra::Release;
use bakeoff_workload::{Workload, server_keys};

use super::markdown::{Page, pages, root};

/// Options of other programs that the pages name.
const OF_OTHERS: [&str; 7] = [
    "--cap-add",
    "--no-index",
    "--show-output",
    "--help",
    "--features",
    "--no-default-features",
    "--with-connect-server",
];
/// Beginnings of variables that tests give to their own programs, and a shell to complete a command.
const NOT_OF_USERS: [&str; 3] = ["BAKEOFF_FAIL", "BAKEOFF_TEST_", "BAKEOFF_COMPLETE"];

#[test]
fn every_option_is_described_and_every_described_one_is_there() {
    let help = all_help(&[]);
    let there = options_of(&help);
    assert!(there.len() > 40, "{there:?}");
    let described = described_options();
    let missing: Vec<_> = there.difference(&described).collect();
    assert!(missing.is_empty(), "not in README or docs/: {missing:?}");
    // Other names of an option are in its help, too.
    let mut known: BTreeSet<String> = words_with("--", &help).into_iter().collect();
    known.extend(OF_OTHERS.map(str::to_owned));
    let unknown: Vec<_> = described.difference(&known).collect();
    assert!(unknown.is_empty(), "no command has {unknown:?}");
}

#[test]
fn every_variable_is_described_and_every_described_one_is_there() {
    let mut of_programs = BTreeSet::new();
    let mut anywhere = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        collect_variables(&folder.join("src"), &mut of_programs);
        collect_variables(&folder, &mut anywhere);
    }
    of_programs.retain(|name| !NOT_OF_USERS.iter().any(|begin| name.starts_with(begin)));
    let described = described_variables();
    let missing: Vec<_> = of_programs.difference(&described).collect();
    assert!(missing.is_empty(), "not in README or docs/: {missing:?}");
    let unknown: Vec<_> = described.difference(&anywhere).collect();
    assert!(unknown.is_empty(), "nothing looks at {unknown:?}");
}

#[test]
fn every_layout_is_described_and_every_described_one_is_there() {
    let list = output(&["list"]);
    let layouts = list.lines().skip_while(|line| !line.starts_with("Layouts"));
    let names = layouts.skip(1).take_while(|line| !line.is_empty());
    let there: BTreeSet<&str> = names
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let page = Page::read("docs/designs.md");
    let rows = page.text.lines();
    let described: BTreeSet<&str> = rows
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert_eq!(described, there);
}

#[test]
fn every_key_of_the_server_is_described_with_its_values() {
    let page = Page::read("docs/server.md");
    let section = page.text.split_once("\n## Keys of cassandra.yaml\n");
    let rows = section.unwrap().1.lines();
    let mut described = BTreeMap::new();
    for row in rows.filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        for key in cells[2].split(", ") {
            let name = key.trim_matches('`').to_owned();
            described.insert(name, cells[3].to_owned());
        }
    }
    let there = server_keys().map(|key| (key.name.to_owned(), key.values));
    let there: BTreeMap<String, String> = there.collect();
    assert_eq!(described, there);
}

#[test]
fn the_keys_that_cassandra_4_lacks_are_named() {
    let page = Page::read("docs/server.md");
    let mut paragraphs = page.text.split("\n\n");
    let about = paragraphs
        .find(|text| text.starts_with("Cassandra 4.1, "))
        .unwrap();
    let code = about.split('`').skip(1).step_by(2);
    let named: BTreeSet<&str> = code.filter(|code| code.contains('_')).collect();
    let keys = server_keys().map(|key| key.name);
    let lacking: BTreeSet<&str> = keys.filter(|name| !Release::Four.has_key(name)).collect();
    assert_eq!(named, lacking);
}

#[test]
fn the_example_of_the_server_is_one_that_a_workload_may_have() {
    let page = Page::read("docs/server.md");
    let example = page.blocks_of("toml").next().unwrap();
    let text = format!(
        "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
         sql = \"SELECT value FROM sensor\"\n{}",
        example.text
    );
    let workload = Workload::parse(&text, Path::new("server.toml")).unwrap();
    assert_eq!(workload.server.cassandra.len(), 4);
    assert_eq!(workload.server.young_mib, Some(1024));
}

#[test]
fn the_example_of_drivers_is_a_file_that_a_run_takes() {
    let page = Page::read("docs/designs.md");
    let example = page.block_after("a design is `adbc/` and the name of one", "toml");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drivers.toml");
    std::fs::write(&path, example).unwrap();
    let designs = ["adbc/sqlite", "adbc/server"].map(|id| id.parse().unwrap());
    let drivers = DriverFile::read(&path).unwrap();
    for design in designs {
        assert_ne!(drivers.fingerprint(&[design]), "");
    }
}

#[test]
fn every_rule_of_a_diagnosis_is_described_and_every_described_one_is_there() {
    let page = Page::read("docs/your-own-cluster.md");
    let section = page.text.split_once("\n### What is wrong with it\n");
    let section = section.unwrap().1.split("\n### ").next().unwrap();
    let table = section.split_once("\n| check |").unwrap().1;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let described: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(
        described,
        bakeoff_stats::diagnose::rules().collect::<Vec<_>>()
    );
}

#[test]
fn every_rule_of_proposals_is_described_and_every_described_one_is_there() {
    let page = Page::read("docs/propose.md");
    let rows = page
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split(" |").next());
    let names = cells.flat_map(|cell| cell.split(", "));
    let described: BTreeSet<String> = { names.map(|name| name.trim_matches('`')) }
        .filter(|name| !name.starts_with("--"))
        .map(str::to_owned)
        .collect();
    let mut there = BTreeSet::new();
    collect_rules(&root().join("crates/engines/src"), &mut there);
    assert!(there.len() > 30, "{there:?}");
    assert_eq!(described, there);
}

/// The names of rules in the sources of proposals.
fn collect_rules(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_rules(&path, into);
        } else if is_of_proposals(&path) {
            let text = std::fs::read_to_string(&path).unwrap();
            let names = text.lines().filter_map(|line| {
                let rule = line.trim_start().strip_prefix("rule: \"")?;
                Some(rule.split('"').next()?.to_owned())
            });
            into.extend(names);
        }
    }
}

/// Whether a file of the repository has to do with proposals, by its path.
fn is_of_proposals(path: &Path) -> bool {
    let own = path.strip_prefix(root()).unwrap();
    own.display().to_string().contains("propose")
}

/// The options in code that begins with one; those of whole commands are checked with them.
fn described_options() -> BTreeSet<String> {
    let mut options = BTreeSet::new();
    for page in pages().iter().filter(|page| page.name != "CHANGELOG.md") {
        let code = page.code_in_text();
        let own = code.iter().filter(|code| code.starts_with("--"));
        options.extend(own.flat_map(|code| words_with("--", code)));
    }
    options
}

fn described_variables() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for page in pages().iter().filter(|page| page.name != "CHANGELOG.md") {
        names.extend(words_with("BAKEOFF_", &page.text));
    }
    names
}

fn words_with(prefix: &str, text: &str) -> Vec<String> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let parts = text.split(is_end);
    let is_one = |part: &&str| part.starts_with(prefix) && part.len() > prefix.len();
    parts.filter(is_one).map(str::to_owned).collect()
}

/// The help of a command and of all those below it.
fn all_help(command: &[&str]) -> String {
    let mut text = help(command);
    let own = text.clone();
    let below = own.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in below.take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap_or_default();
        let is_name = line.starts_with("  ") && !line.starts_with("   ") && name != "help";
        if is_name {
            text.push_str(&all_help(&[command, &[name]].concat()));
        }
    }
    text
}

/// The first option of each line that begins with one.
fn options_of(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start);
    let of_options = lines.filter(|line| line.starts_with('-'));
    let first = of_options.filter_map(|line| words_with("--", line).into_iter().next());
    first
        .filter(|name| name != "--help" && name != "--version")
        .collect()
}

fn help(command: &[&str]) -> String {
    output(&[command, &["--help"]].concat())
}

fn output(arguments: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    let output = program.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Names of variables in the sources of a folder.
fn collect_variables(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            collect_variables(&entry.path(), into);
        } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
            into.extend(words_with("BAKEOFF_", &text));
        }
    }
}
