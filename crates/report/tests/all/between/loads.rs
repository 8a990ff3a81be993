//! Two loads, and their text.

use bakeoff_report::between;
use bakeoff_report::between::page::{self, Figures, Folder, Page};
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

/// Two loads whose rounds have these seconds in all figures, in words of the terminal and of the page.
fn rendered(a: &[f64], b: &[f64]) -> [String; 2] {
    let summary = fixture::comparison().unwrap().summary;
    let with = |name: &str, seconds: &[f64]| {
        let mut measured = Measured::of_load(name, &summary);
        for figure in measured.designs.iter_mut().flat_map(|d| &mut d.figures) {
            figure.rounds = (1..).zip(seconds.iter().copied()).collect();
        }
        measured
    };
    let found = Between::of_measured(&with("one", a), &with("two", b), None);
    let folder = |name: &str| Folder {
        name: name.to_owned(),
        figures: Figures::Load(Box::new(summary.clone())),
    };
    let page = page::render(&Page {
        folders: &[folder("one"), folder("two")],
        between: Some(&found),
        judged: None,
        sizes: &[],
        counts: "operations",
        command: "bakeoff compare one two",
        version: "0.1.0",
    });
    [between::render(&found, None), page]
}

#[test]
fn the_ratio_agrees_with_the_figures_beside_it() {
    // The medians of the rounds are 0.1 s and 0.15 s, although the median of the differences of two rounds is none.
    let a = [0.1, 0.1, 0.1, 0.1, 0.15, 0.15, 0.15];
    let b = [0.1, 0.1, 0.1, 0.15, 0.15, 0.15, 0.15];
    let [text, _] = rendered(&a, &b);
    let line = |text: &str, figure: &str| {
        let mut lines = text.lines();
        let line = lines.find(|line| line.contains(figure)).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let found = line(&text, " operations, /s ");
    assert!(found.contains(" 8.16 8.16 1.00× "), "{found}");
    assert!(found.ends_with(" ?"), "{found}");
    let found = line(&text, " read p50 ");
    assert!(found.contains(" 122 ms 122 ms 1.00× "), "{found}");
}

#[test]
fn a_rate_that_halves_has_a_ratio_of_a_half_and_is_slower() {
    let [text, page] = rendered(&[0.1; 7], &[0.2; 7]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let rate = "operations, /s 10.0 5.00 0.50× 0.50–0.50 slower";
    assert!(words.contains(rate), "{text}");
    let time = "read p50 100 ms 200 ms 2.00× 2.00–2.00 slower";
    assert!(words.contains(time), "{text}");
    assert!(
        words.contains("of times, above 1 is slower, and of rates, below 1"),
        "{text}"
    );
    let (_, changes) = page.split_once("<h2>What changed</h2>").unwrap();
    assert!(changes.contains("<div>0.50×</div>"), "{changes}");
    // Bars have the figures of the table.
    let (_, figures) = page.split_once("<h2>Figures side by side</h2>").unwrap();
    let chart = |heading: &str| {
        let chart = figures.split(&format!("<h3>{heading}</h3>")).nth(1);
        chart.unwrap().split("</figure>").next().unwrap()
    };
    let (rates, times) = (chart("operations, /s"), chart("read p50"));
    assert!(
        rates.contains(">10.0") && rates.contains(">5.00"),
        "{rates}"
    );
    assert!(
        times.contains(">100 ms<") && times.contains(">200 ms<"),
        "{times}"
    );
    assert!(
        page.contains("A and B are centres of their rounds"),
        "{page}"
    );
}
