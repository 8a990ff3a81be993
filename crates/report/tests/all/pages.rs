//! What holds of the pages of all measurements, so that they can be read on a phone.

use bakeoff_report::between::page::{Figures, Folder, Page, render};
use bakeoff_report::study::{self, html as study_html};
use bakeoff_report::{PageLink, drive, html, sweep};
use bakeoff_stats::between::Between;

use crate::compare::fixture as runs;
use crate::drive::fixture as loads;
use crate::study::fixture as studies;
use crate::sweep::fixture as sweeps;

/// Opens the box in which a table scrolls.
const BOX: &str = "<div class=\"scroll\" tabindex=\"0\">";

/// Returns a page of each kind, with its name.
fn pages() -> Vec<(&'static str, String)> {
    let load = |load: loads::Load| drive::html::render(&load.summary);
    vec![
        ("run", html::render(&runs::summary().unwrap())),
        ("race", html::render(&runs::raced().unwrap())),
        (
            "run at several scales",
            html::render(&runs::scaled().unwrap()),
        ),
        ("load", load(loads::comparison().unwrap())),
        ("search", load(loads::search().unwrap())),
        ("passes", load(loads::passes().unwrap())),
        ("load beside questions", load(loads::questions().unwrap())),
        ("sweep", sweep::html::render(&sweeps::summary())),
        ("two runs", of_two_runs()),
        ("study", of_a_study()),
    ]
}

fn of_two_runs() -> String {
    let summary = runs::summary().unwrap();
    let found = Between::of(("one", &summary), ("two", &summary));
    let folders = ["one", "two"].map(|name| Folder {
        name: name.to_owned(),
        figures: Figures::Run(Box::new(summary.clone())),
    });
    render(&Page {
        folders: &folders,
        between: Some(&found),
        judged: None,
        sizes: &[],
        counts: "rows",
        command: "bakeoff compare one two --page page.html",
        version: "0.1.0",
    })
}

fn of_a_study() -> String {
    let (study, steps) = (studies::study(), studies::results().unwrap());
    study_html(&study::Page {
        study: &study,
        size: "in full".to_owned(),
        command: "bakeoff study s9 --full".to_owned(),
        version: "0.1.0",
        steps: &steps,
    })
}

/// Returns the declarations of a rule for all screens.
fn rule<'a>(style: &'a str, selector: &str) -> &'a str {
    let begin = format!("\n{selector} {{");
    let (_, rule) = { style.split_once(&begin) }.unwrap_or_else(|| panic!("no {selector}"));
    rule.split('}').next().unwrap()
}

#[test]
fn every_table_is_in_a_box_in_which_it_scrolls() {
    for (name, page) in pages() {
        let mut parts: Vec<&str> = page.split("<table").collect();
        let last = parts.pop();
        assert!(last.is_some() && !parts.is_empty(), "{name} has no table");
        for (place, before) in parts.iter().enumerate() {
            assert!(
                before.ends_with(BOX),
                "table {place} of the page of a {name}"
            );
        }
    }
}

#[test]
fn neither_tables_nor_long_names_make_a_page_wider_than_the_screen() {
    for (name, page) in pages() {
        let (_, style) = page.split_once("<style>").unwrap();
        let (style, _) = style.split_once("</style>").unwrap();
        for (selector, declaration) in [
            ("body", "overflow-wrap: anywhere;"),
            (".scroll", "overflow-x: auto;"),
            (".option", "white-space: nowrap;"),
            (".scroll th:first-child", "position: sticky; left: 0;"),
        ] {
            let rule = rule(style, selector);
            assert!(rule.contains(declaration), "{name}: {selector} {{{rule}}}");
        }
        // Paper does not scroll.
        assert_eq!(style.matches("overflow: visible").count(), 1, "{name}");
    }
}

#[test]
fn the_first_line_of_a_page_leads_to_the_one_beside_it() {
    let summary = runs::summary().unwrap();
    let link = PageLink {
        before: "The final of <these>: ".to_owned(),
        title: "its report".to_owned(),
        url: "../final/report.html".to_owned(),
    };
    let page = html::render_beside(&summary, &link);
    let link = "<a href=\"../final/report.html\">its report</a>";
    let line = format!("<header>\n<p class=\"so-far\">The final of &lt;these&gt;: {link}</p>\n");
    assert!(page.contains(&line), "{page}");
    assert_eq!(page.replace(&line, "<header>\n"), html::render(&summary));
}
