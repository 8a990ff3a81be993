//! Tests of what is said of the storage of designs that are not recommended.

use bakeoff_report::decide::terminal::{render, render_whole};
use bakeoff_stats::decide::{Decision, DecisionInput};

use super::fixture;

/// The text for a file, in one line.
fn whole(input: &DecisionInput) -> String {
    let text = render_whole(&Decision::of(input), None, 100);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn others_have_their_storage_where_it_fits() {
    let input = fixture::events();
    let text = render(&Decision::of(&input), 100, false);
    for line in [
        "Others    cassandra/columnar?profile=compact: choose it if storage matters more (1.2× smaller)\n",
        "          parquet?codec=zstd: choose it if loading matters more (1.9× faster), forecast 2.01 GiB\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let text = render(&Decision::of(&input), 60, false);
    assert!(!text.contains("2.01 GiB"), "{text}");
    let text = whole(&input);
    for words in [
        "storage matters more (1.2× smaller), forecast 1.80 GiB to buy",
        "tone_by_actor matters more (1.3× faster, not settled), forecast 2.01 GiB to buy",
    ] {
        assert!(text.contains(words), "{text}");
    }
    // Its line is among the others already.
    assert!(!text.contains("the runner-up: "), "{text}");
}

#[test]
fn what_is_no_forecast_is_an_estimate_or_of_all_rows() {
    let mut input = fixture::events();
    input.measured_rows = input.rows;
    let text = whole(&input);
    let begin = "tone_by_actor matters more (1.3× faster, not settled), ";
    let expected = format!("{begin}2.01 GiB to buy");
    assert!(text.contains(&expected), "{text}");
    input.measured_rows = 100_000;
    input.rows = 100_000;
    input.no_forecast = Some("100,000 rows are too few".to_owned());
    let text = whole(&input);
    let expected = format!("{begin}estimate 2.01 GiB to buy");
    assert!(text.contains(&expected), "{text}");
    // Nothing is said of what is not known.
    input.designs[5].storage = None;
    let text = whole(&input);
    assert!(!text.contains("2.01 GiB"), "{text}");
}

#[test]
fn a_runner_up_that_is_not_listed_has_its_storage_behind_what_to_buy() {
    let mut decision = Decision::of(&fixture::events());
    decision.front.retain(|choice| choice.is_recommended);
    let text = render_whole(&decision, None, 100);
    let words: Vec<&str> = text.split_whitespace().collect();
    let told = "; parquet?codec=zstd, the runner-up: forecast 2.01 GiB to buy";
    assert!(words.join(" ").contains(told), "{text}");
}
