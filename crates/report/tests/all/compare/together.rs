//! Two designs of a run that are kept together, in the terminal, on the page and in JSON.

use bakeoff_report::{html, json, terminal};
use bakeoff_stats::{Prices, Summary};

use super::fixture;

const PAIR: [&str; 2] = ["cassandra/narrow", "parquet?codec=snappy"];

fn together(summary: Summary) -> Summary {
    summary.kept_together(PAIR).unwrap()
}

fn priced() -> Summary {
    together(fixture::summary().unwrap().priced(Prices {
        title: "ours".to_owned(),
        currency: "EUR".to_owned(),
        machine_cores: 8,
        machine_month: 616.85,
        storage_gib_month: 0.12,
    }))
}

fn section(summary: &Summary) -> String {
    let text = terminal::render(summary, 120, false);
    let section = text.split("Two designs together").nth(1).unwrap();
    section.to_owned()
}

#[test]
fn the_terminal_says_what_both_take_and_who_answers_what() {
    for width in [60, 80, 120] {
        let text = terminal::render(&priced(), width, false);
        let too_long = text.lines().find(|line| line.chars().count() > width);
        assert_eq!(too_long, None);
    }
    let words = section(&priced());
    let words: Vec<&str> = words.split_whitespace().collect();
    let words = words.join(" ");
    for told in [
        "cassandra/narrow and parquet?codec=snappy together take ",
        "cassandra/narrow answers 0 questions faster, parquet?codec=snappy 5.",
        "Together every row is loaded into both, one after the other",
        "Bytes/row 238.4 ",
        "Machines 3 3 6",
        "A month, EUR",
    ] {
        assert!(words.contains(told), "{told} is not in {words}");
    }
}

#[test]
fn without_prices_there_are_no_machines_and_without_a_pair_nothing() {
    let summary = together(fixture::summary().unwrap());
    let words = section(&summary);
    assert!(
        words.contains("Rows/s loaded") && !words.contains("A month"),
        "{words}"
    );
    let alone = fixture::summary().unwrap();
    assert!(!terminal::render(&alone, 100, false).contains("Two designs together"));
    assert!(!html::render(&alone).contains("Two designs together"));
}

#[test]
fn the_page_and_the_json_have_them_too() {
    let page = html::render(&priced());
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<h2>Two designs together</h2>"));
    let json = json::render(&priced(), &fixture::records()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let together = &value["summary"]["together"];
    assert_eq!(together["designs"][0], PAIR[0]);
    let bytes = |figures: &serde_json::Value| figures["bytes_per_row"].as_f64().unwrap();
    let sum = bytes(&together["each"][0]) + bytes(&together["each"][1]);
    assert!((bytes(&together["both"]) - sum).abs() < 1e-9);
}
