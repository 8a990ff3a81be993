//! The page of several runs, loads or sweeps.

use bakeoff_report::between::page::{Figures, Folder, Page, render};
use bakeoff_stats::between::{Between, Measured};
use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::per_node::{PerNode, Wanted};
use bakeoff_stats::sweep::{SweepRecord, SweepSummary};
use bakeoff_stats::{EngineInfo, Prices, Summary};

use super::{SLOWER, first, later, other_rows};
use crate::compare::html::open_elements;
use crate::drive::fixture as loads;
use crate::sweep::fixture as sweeps;

fn folder(name: &str, figures: Figures) -> Folder {
    Folder {
        name: name.to_owned(),
        figures,
    }
}

fn run(name: &str, summary: Summary) -> Folder {
    folder(name, Figures::Run(Box::new(summary)))
}

fn load(name: &str, summary: &DriveSummary) -> Folder {
    folder(name, Figures::Load(Box::new(summary.clone())))
}

fn page(folders: &[Folder], between: Option<&Between>, sizes: &[(String, PerNode)]) -> String {
    let page = render(&Page {
        folders,
        between,
        judged: None,
        sizes,
        counts: "rows",
        command: "bakeoff compare a b --page <page>",
        version: "0.1.0",
    });
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    for forbidden in ["<page>", "http://", "https://", "<script", "<link", "src="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    page
}

/// Returns a section by its title.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let begin = format!("<h2>{title}</h2>");
    let section = page.split(&begin).nth(1);
    let section = section.unwrap_or_else(|| panic!("no {title} in {page}"));
    section.split("</section>").next().unwrap()
}

fn of_runs(b: Summary, only: Option<Vec<String>>) -> String {
    let a = first();
    let found = Between::of_figures(("runs/one", &a), ("runs/<two>", &b), only);
    let folders = [run("runs/one", a), run("runs/<two>", b)];
    page(&folders, Some(&found), &[])
}

#[test]
fn each_question_has_a_bar_for_each_design_in_each_run() {
    let page = of_runs(later(4, 2.0), None);
    let figures = section(&page, "Figures side by side");
    // Five questions, loading and storage.
    assert_eq!(figures.matches("<svg ").count(), 7);
    assert!(figures.contains("<h3>usa</h3>") && figures.contains("Rows loaded a second"));
    let chart = figures.split("<h3>month</h3>").nth(1).unwrap();
    let chart = chart.split("</figure>").next().unwrap();
    for label in [
        format!("{SLOWER} · A<"),
        format!("{SLOWER} · B<"),
        "cassandra/wide · A<".to_owned(),
    ] {
        assert!(chart.contains(&label), "{label} is not in {chart}");
    }
    assert!(chart.contains("class=\"whisker\""), "{chart}");
    assert!(page.contains("A: runs/one") && page.contains("B: runs/&lt;two&gt;"));
    let changes = section(&page, "What changed");
    let slower = "class=\"whole\" data-heading=\"B is\"><div>slower</div>";
    assert!(changes.contains(slower), "{changes}");
    // On a narrow screen each row is a card, which names its figures.
    assert!(changes.contains("data-heading=\"95% interval\"><div>"));
    assert!(changes.contains("A ? means not settled") && changes.contains("What would settle"));
    let compared = section(&page, "What is compared");
    assert!(compared.contains("data-heading=\"Started, UTC\"><div>2026-03-04 10:02</div>"));
    assert!(page.contains(" · 2026-03-04 10:02 UTC</p>"), "{page}");
    assert!(page.contains("<p class=\"verdict\">B is slower in 5 of "));
    assert!(!page.contains("nodes, both axes logarithmic"));
}

#[test]
fn only_what_is_asked_for_is_drawn_and_nothing_of_runs_that_may_not_be_compared() {
    let page = of_runs(later(4, 1.0), Some(vec!["usa".to_owned()]));
    let figures = section(&page, "Figures side by side");
    assert!(figures.contains("<h3>usa</h3>") && !figures.contains("<h3>month</h3>"));
    assert!(!figures.contains("Rows loaded a second"));
    let page = of_runs(other_rows(), None);
    assert!(page.contains("These runs cannot be compared"), "{page}");
    assert!(!page.contains("<svg "), "{page}");
}

#[test]
fn the_date_of_the_page_is_that_of_the_latest_folder() {
    let (a, b) = (later(9, 1.0), first());
    let found = Between::of_figures(("new", &a), ("old", &b), None);
    let page = page(&[run("new", a), run("old", b)], Some(&found), &[]);
    assert!(page.contains(" · 2026-03-09 10:02 UTC</p>"), "{page}");
}

#[test]
fn where_nothing_is_settled_the_heading_says_so() {
    let page = of_runs(later(4, 1.0), None);
    section(&page, "No change is settled");
    assert!(!page.contains("<h2>What changed</h2>"));
}

#[test]
fn bars_of_very_different_lengths_begin_at_zero() {
    let page = of_runs(later(4, 1.0), None);
    let figures = section(&page, "Figures side by side");
    assert!(!figures.to_lowercase().contains("logarithmic"), "{figures}");
}

#[test]
fn that_times_mean_nothing_is_said_once() {
    let debug = "0.2.0, built without optimisation: its times mean nothing";
    let (mut a, mut b) = (first(), later(4, 1.0));
    for run in [&mut a, &mut b] {
        run.header.bakeoff_version = debug.to_owned();
    }
    let found = Between::of_figures(("one", &a), ("two", &b), None);
    let page = page(&[run("one", a), run("two", b)], Some(&found), &[]);
    assert_eq!(page.matches("mean nothing").count(), 1, "{page}");
    assert!(page.contains("<li>A and B were run by programs built without optimisation"));
}

#[test]
fn what_only_one_has_is_in_one_line_where_nothing_is_compared() {
    let mut other = other_rows();
    other.designs.retain(|design| design.info.id == SLOWER);
    other.header.queries[0].sql += " -- of another table";
    let page = of_runs(other, None);
    let notes = page.split("<ul class=\"notes\">").nth(1).unwrap();
    let notes = notes.split("</ul>").next().unwrap();
    assert_eq!(notes.matches("only A has ").count(), 1, "{notes}");
    assert!(notes.contains("cassandra/wide, "), "{notes}");
    assert!(!notes.contains("another question"), "{notes}");
}

#[test]
fn a_question_with_another_text_is_not_drawn() {
    let mut other = later(4, 1.0);
    other.header.queries[0].sql += " -- of another table";
    let name = other.header.queries[0].name.clone();
    let page = of_runs(other, None);
    let figures = section(&page, "Figures side by side");
    assert_eq!(figures.matches("<svg ").count(), 6);
    assert!(!figures.contains(&format!("<h3>{name}</h3>")));
}

/// The run on this many nodes of Cassandra.
fn on_nodes(nodes: &str) -> Summary {
    let mut summary = later(4, 1.0);
    for engine in &mut summary.engines {
        if engine.engine == "cassandra" {
            let setting = (EngineInfo::NODES.to_owned(), nodes.to_owned());
            engine.settings.insert(0, setting);
        }
    }
    summary
}

#[test]
fn questions_are_drawn_by_the_number_of_nodes() {
    let folders = ["5", "10", "30"].map(|nodes| run(&format!("runs/{nodes}"), on_nodes(nodes)));
    let page = page(&folders, None, &[]);
    let questions = section(&page, "Questions by number of nodes");
    assert_eq!(questions.matches("<svg ").count(), 5);
    assert_eq!(questions.matches("class=\"line dashed\"").count(), 5);
    assert!(questions.contains(" on 30 nodes"), "{questions}");
    // A file has no nodes, and so no line.
    assert!(!questions.contains("parquet"), "{questions}");
    assert!(page.contains("C: runs/30, 30 nodes"), "{page}");
    assert!(section(&page, "Figures side by side").contains("cassandra/wide · C<"));
}

#[test]
fn loads_have_curves_over_each_other() {
    let one = loads::comparison().unwrap().summary;
    let (a, b) = (
        Measured::of_load("one", &one),
        Measured::of_load("two", &one),
    );
    let found = Between::of_measured(&a, &b, None);
    let folders = [load("one", &one), load("two", &one)];
    let page = page(&folders, Some(&found), &[]);
    let figures = section(&page, "Figures side by side");
    assert!(figures.contains("<h3>operations, /s</h3>"), "{figures}");
    assert!(!figures.contains(" mean</h3>"), "{figures}");
    let percentiles = section(&page, "Response time by percentile");
    let charts = loads::DESIGNS.len() * one.header.operations.len();
    assert_eq!(percentiles.matches("<svg ").count(), charts);
    // A line of each load in each chart.
    assert_eq!(
        percentiles.matches("<path class=\"line\"").count(),
        2 * charts
    );
    let seconds = section(&page, "On one time axis");
    assert_eq!(
        seconds.matches("class=\"phone\"").count(),
        loads::DESIGNS.len()
    );
    assert_eq!(
        seconds.matches("class=\"legend\"").count(),
        loads::DESIGNS.len()
    );
}

#[test]
fn loads_with_questions_have_bars_of_the_load_meanwhile_and_of_the_answers() {
    let one = loads::questions().unwrap().summary;
    let mut other = one.clone();
    let drawn = |other: &DriveSummary| {
        let (a, b) = (
            Measured::of_load("one", &one),
            Measured::of_load("two", other),
        );
        let found = Between::of_measured(&a, &b, None);
        page(&[load("one", &one), load("two", other)], Some(&found), &[])
    };
    let page = drawn(&other);
    let figures = section(&page, "Figures side by side");
    for heading in [
        "operations with questions, /s",
        "read p99 with questions",
        "question 1 answers, /s",
        "question 1 answer p50",
    ] {
        let heading = format!("<h3>{heading}</h3>");
        assert!(figures.contains(&heading), "{heading}: {figures}");
    }
    let beside = other.header.beside.as_mut().unwrap();
    beside.questions[0].sql = "SELECT 2".to_owned();
    let page = drawn(&other);
    let figures = section(&page, "Figures side by side");
    assert!(figures.contains("<h3>read p99</h3>"), "{figures}");
    assert!(!figures.contains("questions</h3>") && !figures.contains("question 1"));
    assert!(page.contains("the questions beside the loads are others in B"));
}

#[test]
fn searches_have_the_times_of_their_loads_over_each_other() {
    let one = loads::search().unwrap().summary;
    let (a, b) = (
        Measured::of_load("one", &one),
        Measured::of_load("two", &one),
    );
    let found = Between::of_measured(&a, &b, None);
    let page = page(&[load("one", &one), load("two", &one)], Some(&found), &[]);
    let searches = section(&page, "Searches");
    assert!(searches.contains("operations a second asked for, both axes logarithmic"));
    assert!(!page.contains("Response time by percentile"));
    assert!(section(&page, "Figures side by side").contains("<h3>highest rate, /s</h3>"));
}

/// A sweep on this many nodes of Cassandra elsewhere.
fn sweep(nodes: u32, rate: f64) -> SweepSummary {
    let engine = EngineInfo {
        engine: "cassandra".to_owned(),
        version: "5.0".to_owned(),
        start_seconds: None,
        settings: vec![
            (EngineInfo::CLUSTER.to_owned(), "cass-0:9042".to_owned()),
            (EngineInfo::NODES.to_owned(), nodes.to_string()),
        ],
    };
    let cell = |workers, share| sweeps::cell(sweeps::SERIES, 100, workers, rate * share);
    let records = [
        SweepRecord::Engine(engine),
        SweepRecord::Cell(cell(1, 0.3)),
        SweepRecord::Cell(cell(8, 1.0)),
    ];
    SweepSummary::new(&sweeps::header(), &records)
}

#[test]
fn sweeps_on_several_numbers_of_nodes_have_rates_times_and_money_with_the_linear_line() {
    let all = [(5, 50_000.0), (10, 90_000.0), (30, 210_000.0)]
        .map(|(nodes, rate)| (format!("runs/{nodes}"), sweep(nodes, rate)));
    let wanted = Wanted {
        prices: Some(Prices {
            title: "Ours".to_owned(),
            currency: "EUR".to_owned(),
            machine_cores: 8,
            machine_month: 500.0,
            storage_gib_month: 0.12,
        }),
        need: None,
    };
    let sizes: Vec<(String, PerNode)> = { all.iter() }
        .map(|(name, own)| {
            let others = all.iter().filter(|(other, _)| other != name);
            let others: Vec<_> = others.map(|(_, sweep)| sweep.node_rates()).collect();
            let own = PerNode::new(own.node_rates(), &wanted, &others).unwrap();
            (name.clone(), own)
        })
        .collect();
    let folders = all.map(|(name, sweep)| folder(&name, Figures::Sweep(Box::new(sweep))));
    let page = page(&folders, None, &sizes);
    assert!(
        page.contains("4.20× the rows a second on 30 nodes as on 5, 70% of what is in proportion.")
    );
    let nodes = section(&page, "By number of nodes");
    assert_eq!(nodes.matches("<svg ").count(), 3);
    assert_eq!(nodes.matches("class=\"line dashed\"").count(), 3);
    for words in [
        "210 k rows/s on 30 nodes, 70% of linear",
        "100 µs of a node each on 5 nodes",
        "20.0 rows/s per EUR/month on 5 nodes",
        "14.0 rows/s per EUR/month on 30 nodes",
        "Per EUR/month",
    ] {
        assert!(nodes.contains(words), "`{words}` is not in {nodes}");
    }
    let workers = section(&page, "By workers");
    assert_eq!(workers.matches("<path class=\"line\"").count() % 3, 0);
    assert!(
        workers.contains("batches of 100 rows: rows a second"),
        "{workers}"
    );
    assert!(workers.contains("workers, both axes logarithmic"));
}
