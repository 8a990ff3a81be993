//! Renders the runs that the tests use: `cargo run -p bakeoff-report --example fixture -- html`,
//! `-- json` or `-- terminal 80`; with smaller tables, `-- scales html`, `-- scales forecast` or
//! `-- scales validate`; with designs that differ in one setting, `-- paged html`; of a race, `-- race html`; of
//! a load, `-- comparison html`, `-- search html`, `-- rate html`, `-- ramp html`, `-- passes html`,
//! `-- questions html`, `-- several html` or `-- stall html`, or `-- stall folder` to keep its folder and print its
//! path; of an insert sweep, `-- sweep html`, or `-- sweep rounds` of one in several rounds; of two runs side by side
//! `-- pair`, and of two loads `-- pair load`.
//! `-- hour` prints the bytes of the pages of an hour on three nodes, and how long it takes to make them from what is
//! on record, as `--follow` does; build it with `--release`.

use std::io::Write;
use std::time::Instant;

use bakeoff_report::between::page::{Figures, Folder, Page, render};
use bakeoff_report::{drive as load_report, growth, html, json, sweep as sweep_report, terminal};
use bakeoff_stats::between::{Between, Measured};
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::{Record, Summary};

#[path = "../tests/all/drive/fixture.rs"]
mod drive;
#[path = "../tests/all/compare/fixture.rs"]
mod fixture;
#[path = "../tests/all/compare/hour.rs"]
mod hour;
#[path = "../tests/all/compare/paged.rs"]
mod paged;
#[path = "../tests/all/sweep/fixture.rs"]
mod sweep;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = match arguments.first().map(String::as_str) {
        Some("comparison") => load(drive::comparison()?, &arguments[1..])?,
        Some("search") => load(drive::search()?, &arguments[1..])?,
        Some("rate") => load(drive::at_a_rate()?, &arguments[1..])?,
        Some("ramp") => load(drive::ramp()?, &arguments[1..])?,
        Some("passes") => load(drive::passes()?, &arguments[1..])?,
        Some("questions") => load(drive::questions()?, &arguments[1..])?,
        Some("several") => load(drive::answered_by_several()?, &arguments[1..])?,
        Some("stall") => load(drive::stall()?, &arguments[1..])?,
        Some("sweep") => sweep(&arguments[1..])?,
        Some("paged") => paged(&arguments[1..])?,
        Some("race") => race(&arguments[1..])?,
        Some("scales") => scales(&arguments[1..])?,
        Some("hour") => an_hour()?,
        Some("pair") => pair(&arguments[1..])?,
        _ => run(&arguments)?,
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

fn run(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let summary = fixture::summary()?;
    Ok(match arguments.first().map(String::as_str) {
        Some("html") => html::render(&summary),
        Some("json") => json::render(&summary, &fixture::records())?,
        _ => terminal::render(&summary, width(arguments)?, true),
    })
}

fn paged(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let summary = paged::summary()?;
    Ok(match arguments.first().map(String::as_str) {
        Some("html") => html::render(&summary),
        _ => terminal::render(&summary, width(arguments)?, true),
    })
}

fn race(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let summary = fixture::raced()?;
    Ok(match arguments.first().map(String::as_str) {
        Some("html") => html::render(&summary),
        Some("json") => json::render(&summary, &fixture::raced_records())?,
        _ => terminal::render(&summary, width(arguments)?, true),
    })
}

fn scales(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let summary = fixture::scaled()?;
    let rows = summary.header.scale.full_rows;
    Ok(match arguments.first().map(String::as_str) {
        Some("html") => html::render(&summary),
        Some("json") => json::render(&summary, &fixture::scaled_records())?,
        Some("forecast") => growth::render(&summary, rows, 3),
        Some("validate") => growth::validate(&summary).render(),
        _ => terminal::render(&summary, width(arguments)?, true),
    })
}

/// Says how large the pages of a run and of a load of an hour are, and how long it takes to make them.
fn an_hour() -> Result<String, Box<dyn std::error::Error>> {
    let records = hour::records();
    let journal: Vec<String> = { records.iter() }
        .map(serde_json::to_string)
        .collect::<Result<_, _>>()?;
    let began = Instant::now();
    let records: Vec<Record> = { journal.iter() }
        .map(|line| serde_json::from_str(line))
        .collect::<Result<_, _>>()?;
    let page = html::render(&Summary::from_records(&records)?);
    let run = told("run", &page, began);
    let folder = drive::on_three_nodes(3_600)?;
    let began = Instant::now();
    let page = load_report::html::render(&DriveRun::open(folder.path())?.summary()?);
    Ok(run + &told("load", &page, began))
}

fn told(what: &str, page: &str, began: Instant) -> String {
    let milliseconds = began.elapsed().as_secs_f64() * 1e3;
    let bytes = page.len();
    format!("{what} of an hour: a page of {bytes} bytes in {milliseconds:.0} ms\n")
}

fn load(load: drive::Load, arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    Ok(match arguments.first().map(String::as_str) {
        Some("html") => load_report::html::render(&load.summary),
        Some("json") => load_report::json::render(&load.summary, &load.records)?,
        Some("folder") => {
            let path = load.path().display().to_string();
            let _kept = load.dir.keep();
            path
        }
        _ => load_report::terminal::render(&load.summary, width(arguments)?, true),
    })
}

fn sweep(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let summary = sweep::summary();
    Ok(match arguments.first().map(String::as_str) {
        Some("rounds") => sweep_report::html::render(&sweep::several_rounds(7)),
        Some("html") => sweep_report::html::render(&summary),
        Some("json") => sweep_report::json::render(&summary, &sweep::records())?,
        _ => sweep_report::terminal::render(&summary, width(arguments)?, true),
    })
}

fn pair(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let is_of_loads = arguments.first().is_some_and(|kind| kind == "load");
    let load = drive::comparison()?.summary;
    let run = fixture::summary()?;
    let between = if is_of_loads {
        let [one, two] = ["runs/one", "runs/two"].map(|name| Measured::of_load(name, &load));
        Between::of_measured(&one, &two, None)
    } else {
        Between::of(("runs/one", &run), ("runs/two", &run))
    };
    let folder = |name: &str| Folder {
        name: name.to_owned(),
        figures: if is_of_loads {
            Figures::Load(Box::new(load.clone()))
        } else {
            Figures::Run(Box::new(run.clone()))
        },
    };
    let folders = ["runs/one", "runs/two"].map(folder);
    Ok(render(&Page {
        folders: &folders,
        between: Some(&between),
        judged: None,
        sizes: &[],
        counts: "operations",
        command: "bakeoff compare runs/one runs/two --page page.html",
        version: "0.1.0",
    }))
}

fn width(arguments: &[String]) -> Result<usize, std::num::ParseIntError> {
    arguments.get(1).map_or(Ok(120), |w| w.parse())
}
