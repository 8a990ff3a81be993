//! Two loads, and their text.

use bakeoff_report::between;
use bakeoff_stats::between::{Between, Measured};
use bakeoff_stats::drive::DriveSummary;

use crate::drive::fixture;

fn text(one: &DriveSummary, other: &DriveSummary) -> String {
    let (a, b) = (
        Measured::of_load("loads/one", one),
        Measured::of_load("loads/two", other),
    );
    let found = Between::of_measured(&a, &b, None);
    let text = between::render(&found, None);
    assert!(
        text.lines().all(|line| line.chars().count() <= 110),
        "{text}"
    );
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn conditions_come_before_figures_and_failures_are_listed() {
    let one = fixture::comparison().unwrap().summary;
    let mut other = one.clone();
    other.header.rows += 1_000;
    other.header.started_at = "2030-01-01T00:00:00Z".to_owned();
    let design = &mut other.designs[0];
    let figures = design.figures.as_mut().unwrap();
    figures.disk_read_per_op = Some(1e6);
    let text = text(&one, &other);
    let place = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words}: {text}"))
    };
    // Three rounds are too few to say anything.
    assert!(text.starts_with("Cannot tell whether B is slower or faster in any of"));
    assert!(place("A is loads/one:") < place("Other differences"));
    assert!(place("! rows: A has") < place("operations, /s"));
    assert!(place("Without an interval") < place("read from disk each"));
    assert!(text.contains("Intervals are of rounds, or of the loads of one search"));
}

#[test]
fn loads_at_different_rates_are_not_a_search() {
    let one = fixture::comparison().unwrap().summary;
    let other = fixture::search().unwrap().summary;
    let text = text(&one, &other);
    assert!(text.starts_with("These loads cannot be compared: A is a load as fast as it goes"));
    assert!(text.contains("Repeat one of them with the workload and options of the other."));
}

#[test]
fn questions_beside_loads_are_among_the_figures() {
    let one = fixture::questions().unwrap().summary;
    let mut other = one.clone();
    let question = &mut other.beside[0].questions[0];
    question.differing = 3;
    question.compared = 15;
    for asked in &mut question.rounds {
        asked.p50 = asked.p50.map(|seconds| 3.0 * seconds);
    }
    let text = text(&one, &other);
    assert!(text.starts_with("B is slower in 1 of 16"), "{text}");
    for figure in ["1.70 s", "5.10 s", "3.00×", "20.000%"] {
        assert!(text.contains(figure), "{figure}: {text}");
    }
    let beside = other.header.beside.as_mut().unwrap();
    beside.questions[0].sql = "SELECT count(*) AS n FROM keyvalue".to_owned();
    let text = self::text(&one, &other);
    let told = "! the questions beside the loads are others in B, so that no figure with them is compared.";
    assert!(text.contains(told), "{text}");
    assert!(!text.contains("5.10 s"), "{text}");
}
