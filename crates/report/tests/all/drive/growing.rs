//! Pages of loads that go on, and of those that were long.

use bakeoff_report::drive::html::{render, render_so_far};
use bakeoff_stats::drive::{DriveSummary, SecondCounts, TrialSummary};

use super::fixture;
use super::read::STALL;
use crate::compare::hour;
use crate::compare::html::open_elements;

/// Most bytes of a page.
const LARGEST: usize = 2_000_000;

/// The load of [`STALL`] as one of an hour on three nodes that tell everything.
fn an_hour() -> TrialSummary {
    let mut trial = STALL.trials[0].clone();
    let seconds = std::mem::take(&mut trial.seconds);
    let later = |second: u32| SecondCounts {
        second,
        server: hour::sample(u64::from(second)),
        ..seconds[second as usize % seconds.len()].clone()
    };
    trial.seconds = (0..3_600).map(later).collect();
    trial.duration = 3_600.0;
    trial
}

#[test]
fn a_load_of_an_hour_is_drawn_with_some_hundred_points_a_line() {
    let summary = DriveSummary {
        trials: vec![an_hour()],
        ..STALL.clone()
    };
    let page = render(&summary);
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    assert!(page.contains("Messages between all 3 nodes, MiB/s"));
    let lines = page.split(" d=\"").skip(1);
    let lines = lines.map(|path| path.split('"').next().unwrap());
    let points = lines.map(|path| path.matches(['M', 'L']).count());
    assert_eq!(points.max(), Some(240));
}

#[test]
fn a_load_on_three_nodes_is_read_from_its_folder_and_drawn() {
    let summary = fixture::on_three_nodes(250).unwrap().summary;
    assert_eq!(summary.trials[0].seconds.len(), 250);
    let page = render(&summary);
    assert!(page.contains("Messages between all 3 nodes, MiB/s"));
    assert!(page.contains("Of a load of more than 240 s each point is of several seconds"));
}

/// Of the loads that are not drawn the table has some, and the file has all.
#[test]
fn of_thousands_of_loads_the_table_has_the_last_ones() {
    let numbered = |number| {
        let mut trial = STALL.trials[0].clone();
        trial.start.trial = number;
        trial.seconds.truncate(1);
        trial
    };
    let summary = DriveSummary {
        trials: (1..=3_600).map(numbered).collect(),
        ..STALL.clone()
    };
    let page = render(&summary);
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    assert!(page.contains("The last 500 loads; drive.jsonl has the earlier ones, too."));
    assert!(!render(&STALL).contains("The last 500 loads"));
}

#[test]
fn of_hundreds_of_loads_the_last_ones_are_drawn_and_the_others_counted() {
    let numbered = |number| {
        let mut trial = STALL.trials[0].clone();
        trial.start.trial = number;
        trial.start.round = number;
        trial
    };
    let summary = DriveSummary {
        trials: (1..=150).map(numbered).collect(),
        ..STALL.clone()
    };
    let page = render(&summary);
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    assert!(page.contains(" earlier loads are not drawn, since the page would be too large."));
    // The best design's first load is drawn whatever its number, and there is room for the last ones.
    let (_, drawn) = page.split_once("<h2>Second by second</h2>").unwrap();
    assert!(drawn.contains("round 1</h3>"), "the first one is missing");
    assert!(
        drawn.contains("round 150</summary>"),
        "the last one is missing"
    );
    assert!(!drawn.contains("round 2</summary>"));
    assert!(!render(&STALL).contains("not drawn"));
}

#[test]
fn a_page_of_a_load_that_goes_on_loads_itself_and_one_that_stays_does_not() {
    let mut summary = STALL.clone();
    summary.finished = false;
    let page = render_so_far(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let reload = "<meta http-equiv=\"refresh\" content=\"5\">";
    assert!(page.contains(reload) && !page.contains("<script"));
    assert!(page.contains("Measured so far: 1 load of "));
    assert!(page.contains("; reloads itself every 5 s."));
    assert!(!page.contains("has not finished"), "it says so by itself");
    let stays = render(&summary);
    assert!(!stays.contains("http-equiv") && !stays.contains("so far:"));
    assert!(stays.contains("has not finished"));
    summary.trials.clear();
    assert!(render_so_far(&summary).contains("Measured so far: no load yet;"));
}
