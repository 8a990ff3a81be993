//! Links between the pages, and from them to files.

use std::collections::HashSet;
use std::path::Path;

use super::markdown::{Page, pages, root};

#[test]
fn every_relative_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut links = 0;
    for page in pages() {
        for target in targets(&page) {
            links += 1;
            if let Err(why) = follow(&page, &target) {
                broken.push(format!("{}: {target}: {why}", page.name));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(links > 50, "{links}");
}

#[test]
fn every_source_file_that_a_page_names_is_there() {
    let mut missing = Vec::new();
    let mut found = 0;
    for page in pages() {
        let code = page.code_in_text();
        for path in code.iter().filter(|code| is_source(code)) {
            if root().join(path).exists() {
                found += 1;
            } else {
                missing.push(format!("{}: {path}", page.name));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(found > 50, "{found}");
}

/// Whether it is the path of a file or folder in `crates/`, with no name to be filled in.
fn is_source(code: &str) -> bool {
    code.starts_with("crates/") && !code.contains("NAME") && !code.contains(' ')
}

#[test]
fn every_page_of_the_documentation_is_linked_from_another_one() {
    let mut linked = HashSet::new();
    for page in pages() {
        for target in targets(&page) {
            let file = target.split('#').next().unwrap_or_default();
            let folder = Path::new(&page.name).parent().unwrap();
            if let Ok(path) = root().join(folder).join(file).canonicalize() {
                linked.insert(path);
            }
        }
    }
    for page in pages() {
        let is_first = page.name == "README.md";
        let path = root().join(&page.name).canonicalize().unwrap();
        assert!(is_first || linked.contains(&path), "{}", page.name);
    }
}

#[test]
fn a_link_to_nothing_is_noticed() {
    let page = Page::read("docs/running.md");
    for target in ["nothing.md", "#nothing", "install.md#nothing"] {
        assert!(follow(&page, target).is_err(), "{target}");
    }
    assert_eq!(follow(&page, "#exit-codes"), Ok(()));
}

/// What the links and pictures of a page lead to, other sites left out.
fn targets(page: &Page) -> Vec<String> {
    let mut targets = Vec::new();
    for (_, line) in page.lines_outside_scripts() {
        for part in line.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if !target.contains("://") {
                targets.push(target.to_owned());
            }
        }
    }
    targets
}

fn follow(page: &Page, target: &str) -> Result<(), String> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(&page.name).parent().unwrap();
    let name = match file {
        "" => page.name.clone(),
        file => folder.join(file).to_str().unwrap().to_owned(),
    };
    if !root().join(&name).exists() {
        return Err("there is no such file".to_owned());
    }
    if anchor.is_empty() || anchors(&Page::read(&name)).contains(anchor) {
        return Ok(());
    }
    Err("there is no such heading".to_owned())
}

/// The anchors that GitHub gives to the headings of a page.
fn anchors(page: &Page) -> HashSet<String> {
    let mut anchors = HashSet::new();
    for (_, line) in page.lines_outside_scripts() {
        if let Some(heading) = line.strip_prefix('#') {
            anchors.insert(anchor(heading.trim_start_matches('#').trim()));
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
    let lower = heading.to_lowercase();
    lower
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}
