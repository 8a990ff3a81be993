//! The page of guarantees: every promise names tests, and every test that it names exists.

use std::fs;
use std::path::{Path, PathBuf};

use super::markdown::{Page, root};

#[test]
fn every_promise_names_tests_that_there_are() {
    let page = Page::read("docs/guarantees.md");
    let mut wrong = Vec::new();
    let mut found = 0;
    for code in page.code_in_text() {
        match check(&code) {
            None => {}
            Some(Ok(())) => found += 1,
            Some(Err(why)) => wrong.push(format!("{code}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 60, "{found}");
    assert_eq!(promises_without_tests(&page.text), [""; 0]);
}

#[test]
fn a_test_that_there_is_not_is_noticed() {
    let wrong = [
        "columnar::directory::kills::nothing",
        "columnar::directory::nothing::kills_at_random_times_lose_nothing",
        // It is there, and neither a test nor a part of one.
        "columnar::store::directory::files::sync_folder",
    ];
    for name in wrong {
        assert!(check(name).is_some_and(|found| found.is_err()), "{name}");
    }
    for other in ["Table::insert", "kill -9", "nothing::of::ours"] {
        assert_eq!(check(other), None, "{other}");
    }
    let promise = "| promise | tests |\n|---|---|\n| all is well | |\n";
    assert_eq!(promises_without_tests(promise), ["| all is well | |"]);
}

/// Returns whether there is a test of this name, or nothing if it is not the name of one.
fn check(name: &str) -> Option<Result<(), String>> {
    let parts: Vec<&str> = name.split("::").collect();
    let [crate_name, files @ .., function] = &parts[..] else {
        return None;
    };
    let folder = root().join("crates").join(crate_name);
    if files.is_empty() || !folder.is_dir() {
        return None;
    }
    let below = files.iter().collect::<PathBuf>();
    let of_tests = texts(&folder.join("tests/all").join(&below));
    let of_sources = texts(&folder.join("src").join(&below));
    let is_there = of_tests
        .iter()
        .chain(&of_sources)
        .any(|text| is_test(text, function));
    let is_called = || is_part(&folder.join("tests"), function);
    Some(if of_tests.is_empty() && of_sources.is_empty() {
        Err("there is no such file".to_owned())
    } else if is_there || of_tests.iter().any(|text| defines(text, function)) && is_called() {
        Ok(())
    } else {
        Err("there is no such test".to_owned())
    })
}

/// Returns the text of the file of a module, or nothing if there is none.
fn texts(module: &Path) -> Vec<String> {
    let files = [module.with_extension("rs"), module.join("mod.rs")];
    let texts = files.iter().map(fs::read_to_string);
    texts.filter_map(Result::ok).collect()
}

fn defines(text: &str, function: &str) -> bool {
    text.lines().any(|line| is_beginning(line, function))
}

/// Whether a line is the first one of a function.
fn is_beginning(line: &str, function: &str) -> bool {
    let after = line.split_once("fn ").map(|(_, after)| after);
    let rest = after.and_then(|after| after.strip_prefix(function));
    rest.is_some_and(|rest| rest.starts_with('('))
}

/// Whether a function has the attribute of a test.
fn is_test(text: &str, function: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let begins = |number: &usize| is_beginning(lines[*number], function);
    (0..lines.len()).filter(begins).any(|number| {
        let before = lines[..number].iter().rev();
        before
            .take_while(|line| !line.is_empty() && **line != "}")
            .any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"))
    })
}

/// Whether a function of the tests in a folder is called by others of them: tests with a real server are
/// divided like this.
fn is_part(tests: &Path, function: &str) -> bool {
    let mut calls = 0;
    let mut folders = vec![tests.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let call = format!("{function}(");
                let lines = text.lines().filter(|line| line.contains(&call));
                calls += lines.filter(|line| !is_beginning(line, function)).count();
            }
        }
    }
    calls > 0
}

/// Returns the rows of tables of promises that name no test.
fn promises_without_tests(text: &str) -> Vec<&str> {
    let mut is_promise = false;
    let mut without = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("| ") {
            None if line.starts_with("|---") => {}
            None => is_promise = false,
            Some(row) if row.starts_with("promise |") => is_promise = true,
            Some(row) if is_promise && !row.contains("::") => without.push(line),
            Some(_) => {}
        }
    }
    without
}
