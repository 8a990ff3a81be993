//! Draws several runs, loads or sweeps of one workload side by side, in one HTML file that needs no network and no
//! scripts.

mod curves;
mod figures;
mod folder;
mod nodes;

use bakeoff_stats::between::{Between, Change, Shown};
use bakeoff_stats::per_node::PerNode;

use super::{SETTLING, cautions, counted, ranked, remedies, sizes, words};
use crate::chart::{Marker, nth_class};
use crate::markup::{Escaped, design_id};
use crate::page::cards::Cards;
use crate::page::table::{self, Heading, Table};
use crate::page::{self, Frame, section};
use crate::units;

pub use folder::{Figures, Folder};

/// Says what a question mark means in the table of changes.
const OPEN: &str =
    "A ? means not settled: by its interval B may be slower or faster, or it has no interval.";

/// What a page shows.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// What was measured, all by one command.
    pub folders: &'a [Folder],
    /// How the second folder compares with the first one, of two folders.
    pub between: Option<&'a Between>,
    /// What was asked of that comparison and answered, such as whether anything is slower by more than a limit.
    pub judged: Option<&'a str>,
    /// Rates per node of each folder, by its name, where they are on other numbers of nodes.
    pub sizes: &'a [(String, PerNode)],
    /// What these rates count: rows, answers or operations.
    pub counts: &'a str,
    /// The command line that made the page.
    pub command: &'a str,
    /// Version of the program that made the page.
    pub version: &'a str,
}

/// Renders the whole page. Everything that came from outside is escaped.
pub fn render(page: &Page<'_>) -> String {
    // The page is as old as what was measured last.
    let latest =
        { page.folders.iter() }.max_by(|a, b| a.about().started_at.cmp(b.about().started_at));
    let about = latest.map(Folder::about).unwrap_or_default();
    let frame = Frame {
        subject: "comparison of workload",
        workload: about.workload,
        title: about.title,
        started_at: about.started_at,
        facts: facts(page),
        answers: Vec::new(),
        verdict: page::verdict(&verdict(page)),
        style: "",
        notes: notes(page),
        failures: Vec::new(),
        version: page.version,
        state: "comparison".to_owned(),
        command: page.command,
        so_far: None,
        beside: None,
    };
    frame.around(&[
        measurements(page),
        changes(page),
        figures::section_of(page),
        nodes::sections(page),
        curves::sections(page),
        without_interval(page),
    ])
}

impl Page<'_> {
    /// Returns whether figures of the folders may be put next to each other.
    fn is_comparable(&self) -> bool {
        self.between.is_none_or(|found| found.obstacles.is_empty())
    }

    /// Returns whether a figure with this name is asked for.
    fn is_asked_for(&self, name: &str) -> bool {
        let only = self.between.and_then(|found| found.only.as_ref());
        only.is_none_or(|only| only.iter().any(|asked| asked == name))
    }

    /// Returns the ids of all designs, each once.
    fn designs(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for info in self.folders.iter().flat_map(Folder::designs) {
            if !ids.contains(&info.id.as_str()) {
                ids.push(&info.id);
            }
        }
        ids
    }
}

/// Names the measurement at a place: `A` to `Z`, then by its number.
fn letter(place: usize) -> String {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let letter = LETTERS.chars().nth(place);
    letter.map_or_else(|| place.saturating_add(1).to_string(), String::from)
}

fn facts(page: &Page<'_>) -> String {
    let names = page.folders.iter().enumerate();
    let names = names.map(|(place, folder)| format!("{} is {}", letter(place), folder.name));
    names.collect::<Vec<_>>().join(", ")
}

fn verdict(page: &Page<'_>) -> String {
    let judged = page.judged.map(str::to_owned);
    let found = match page.between {
        Some(between) => vec![words::headline(between)],
        None => sizes::answers(page.sizes, page.counts),
    };
    let sentences: Vec<String> = judged.into_iter().chain(found).collect();
    sentences.join(" ")
}

fn notes(page: &Page<'_>) -> Vec<String> {
    let Some(between) = page.between else {
        let is_debug = |folder: &Folder| folder.about().version.contains("without optimisation");
        let note =
            "Some were run by a program built without optimisation: their times mean nothing";
        let is_any = page.folders.iter().any(is_debug);
        return is_any.then(|| note.to_owned()).into_iter().collect();
    };
    let cautions = cautions::clauses(between).into_iter();
    words::only(between).into_iter().chain(cautions).collect()
}

/// Renders colours and marks of the measurements.
fn legend(page: &Page<'_>) -> String {
    let names: Vec<String> = { page.folders.iter().enumerate() }
        .map(|(place, folder)| {
            let nodes = folder.nodes().map(|nodes| format!(", {nodes}"));
            format!(
                "{}: {}{}",
                letter(place),
                folder.name,
                nodes.unwrap_or_default()
            )
        })
        .collect();
    page::legend(names.iter().enumerate().map(|(place, name)| {
        let mark = Marker::nth(place).character();
        (nth_class(place), mark, name.as_str())
    }))
}

/// Renders a section of charts with the legend of the measurements; empty without a chart.
fn drawn(page: &Page<'_>, title: &str, hint: &str, charts: &str) -> String {
    if charts.is_empty() {
        return String::new();
    }
    let content = format!(
        "<p class=\"hint-text\">{}</p>\n{}<div class=\"charts\">\n{charts}</div>\n",
        Escaped(hint),
        legend(page)
    );
    section(title, &content)
}

/// Lists what is compared.
fn measurements(page: &Page<'_>) -> String {
    let row = |(place, folder): (usize, &Folder)| {
        let about = folder.about();
        let rows = folder.rows().map(units::count);
        let nodes = folder.nodes();
        let machine = folder.machine();
        let machine = format!("{}, {} cores", machine.cpu, machine.cores);
        // That its times mean nothing is among the notes.
        let version = about.version.split(", built").next().unwrap_or_default();
        let cells = [
            format!("{}: {}", letter(place), folder.name),
            units::moment(about.started_at),
            rows.unwrap_or_else(|| table::NONE.to_owned()),
            nodes.unwrap_or_else(|| table::NONE.to_owned()),
            machine,
            version.to_owned(),
        ];
        cells.map(|cell| Escaped(cell).to_string()).to_vec()
    };
    let head = [
        ("Folder", ""),
        ("Started, UTC", "whole"),
        ("Rows", "number"),
        ("Nodes", "whole"),
        ("Machine of the client", ""),
        ("Bakeoff", "whole"),
    ];
    let table = Cards {
        caption: "",
        head: head.map(|(text, class)| (text.to_owned(), class)).to_vec(),
        rows: page.folders.iter().enumerate().map(row).collect(),
    };
    section("What is compared", &(legend(page) + &table.html()))
}

/// Lists what became slower, faster or stayed the same, of two folders, and what would settle the others.
fn changes(page: &Page<'_>) -> String {
    let Some(between) = page.between.filter(|found| !found.changes.is_empty()) else {
        return String::new();
    };
    let is_settled = [Shown::Slower, Shown::Faster].map(|shown| between.count(shown)) != [0, 0];
    let title = if is_settled {
        "What changed"
    } else {
        "No change is settled"
    };
    let head = [
        ("Design", ""),
        ("Figure", "whole"),
        ("A", "number"),
        ("B", "number"),
        ("B/A", "number"),
        ("95% interval", "number"),
        ("B is", "whole"),
    ];
    let table = Cards {
        caption: "",
        head: head.map(|(text, class)| (text.to_owned(), class)).to_vec(),
        rows: ranked(between).into_iter().map(cells).collect(),
    };
    let hint = format!(
        "<p class=\"hint-text\">{} {OPEN}</p>\n",
        Escaped(super::legend(between))
    );
    section(title, &(hint + &table.html() + &settling(between)))
}

/// Lists what would settle the figures that are not settled.
fn settling(between: &Between) -> String {
    let lines = remedies(between, None);
    if lines.is_empty() {
        return String::new();
    }
    let items = lines
        .iter()
        .map(|line| format!("<li>{}</li>\n", Escaped(line)));
    let items: String = items.collect();
    format!("<h3>{SETTLING}</h3>\n<ul class=\"notes\">\n{items}</ul>\n")
}

fn cells(change: &Change) -> Vec<String> {
    let first = [
        design_id(&change.design),
        Escaped(words::what(&change.what)).to_string(),
    ];
    first.into_iter().chain(super::figures(change)).collect()
}

/// Lists the figures of two loads or sweeps that have no interval and differ.
fn without_interval(page: &Page<'_>) -> String {
    let differing = page.between.map(counted::differing).unwrap_or_default();
    if differing.is_empty() {
        return String::new();
    }
    let rows = differing.into_iter().map(|counted| {
        let values = [counted.a, counted.b].map(words::value);
        let first = [
            design_id(&counted.design),
            Escaped(&counted.what).to_string(),
        ];
        first.into_iter().chain(values).collect()
    });
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Design"),
            Heading::text("Figure"),
            Heading::number("A"),
            Heading::number("B"),
        ],
        rows: rows.collect(),
    };
    let hint = "<p class=\"hint-text\">Those that differ by more than 1%.</p>\n";
    section("Without an interval", &(hint.to_owned() + &table.html()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_have_letters_and_then_numbers() {
        assert_eq!([0, 1, 25, 26].map(letter), ["A", "B", "Z", "27"]);
    }
}
