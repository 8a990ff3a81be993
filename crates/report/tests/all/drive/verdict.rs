//! What the paragraph says of loads in which something is missing or fell short.

use bakeoff_report::drive::html;
use bakeoff_report::drive::terminal::render;
use bakeoff_stats::drive::{DriveDesign, DriveSummary, FailureKind};
use bakeoff_stats::{Estimate, PublishedFigure, Role};

use super::fixture;
use super::read::{COMPARISON, PASSES, RATE, SEARCH, STALL, verdict};

/// As a load of which every operation timed out.
fn fail_all(design: &mut DriveDesign) {
    for operation in &mut design.figures.as_mut().unwrap().operations {
        operation.failures = vec![(FailureKind::TimedOut, operation.count)];
        (operation.count, operation.ops_per_second) = (0, 0.0);
        (operation.response, operation.service) = (None, None);
        operation.curve.clear();
    }
    design.rate = Estimate::from_samples(&[0.0; 3]);
    design.response_p99.fill(None);
}

fn fail(design: &mut DriveDesign, operations: u64) {
    let figures = design.figures.as_mut().unwrap();
    figures.operations[0].failures = vec![(FailureKind::Overloaded, operations)];
}

fn nothing_absurd(summary: &DriveSummary) {
    for text in [render(summary, 120, false), html::render(summary)] {
        for absurd in ["NaN", "18,446,744", "inf ", "– less", "does 0 ops/s"] {
            assert!(!text.contains(absurd), "{absurd}\n{text}");
        }
    }
}

#[test]
fn a_load_of_which_all_failed_has_no_headline() {
    for original in [&*COMPARISON, &*STALL] {
        let mut summary = original.clone();
        summary.designs.iter_mut().for_each(fail_all);
        let verdict = verdict(&summary);
        assert!(
            verdict.starts_with("No operation has succeeded"),
            "{verdict}"
        );
        assert!(verdict.contains("timed out"), "{verdict}");
        assert!(!html::render(&summary).contains("class=\"answers\""));
        nothing_absurd(&summary);
    }
}

#[test]
fn a_design_of_which_all_failed_is_left_out_by_name() {
    for original in [&*COMPARISON, &*RATE] {
        for failed in 0..2 {
            let mut summary = original.clone();
            fail_all(&mut summary.designs[failed]);
            let (out, best) = (fixture::DESIGNS[failed], fixture::DESIGNS[1 - failed]);
            let verdict = verdict(&summary);
            let expected = format!("Without a result: {out} (no operation succeeded).");
            assert!(verdict.contains(&expected), "{verdict}");
            assert!(!verdict.contains("cannot show"), "{verdict}");
            assert!(verdict.split('.').next().unwrap().contains(&best[..20]));
            nothing_absurd(&summary);
        }
    }
}

#[test]
fn two_designs_at_a_rate_are_compared_by_their_p99() {
    let verdict = verdict(&RATE);
    let expected = "At 500 ops/s, cassandra/wide?chunk=4KiB is ahead, not settled: 99% of its slowest \
                    operation, read, within 2.77 ms (2.75–2.78 over 2 rounds); 2 rounds in common \
                    cannot show a difference: repeat it with --rounds 7. Response times";
    assert!(verdict.starts_with(expected), "{verdict}");
    assert!(!verdict.contains(", but it"), "{verdict}");
}

#[test]
fn a_best_design_that_fell_short_says_so_in_the_headline() {
    let mut summary = RATE.clone();
    let [best, _] = fixture::DESIGNS;
    for trial in &mut summary.trials {
        if trial.start.design == best {
            let end = trial.end.as_mut().unwrap();
            (end.rate_reached, end.unsent) = (400.0, 60);
        }
    }
    fail(&mut summary.designs[0], 500);
    // Alone, so that it is the best one whatever the order of those that fell short.
    summary.designs.truncate(1);
    let verdict = verdict(&summary);
    let shortfalls =
        ", but it reached only 400 of 500 ops/s, left 120 operations unsent and failed";
    let headline = verdict.split("Response times").next().unwrap();
    assert!(headline.contains(shortfalls), "{verdict}");
    assert!(
        html::render(&summary).contains(shortfalls),
        "beside its figure"
    );
}

#[test]
fn another_design_that_fell_short_is_named() {
    let mut summary = RATE.clone();
    fail(&mut summary.designs[1], 500);
    let verdict = verdict(&summary);
    assert!(
        verdict.contains("cassandra/wide?chunk=64KiB failed 2.0"),
        "{verdict}"
    );
}

#[test]
fn a_better_figure_with_failures_is_not_the_best_and_not_hidden() {
    let mut summary = COMPARISON.clone();
    let figures = summary.designs[1].figures.as_mut().unwrap();
    figures.operations[1].failures.clear();
    let closed_loop = verdict(&summary);
    let better = "cassandra/wide?chunk=4KiB does 528 ops/s (1.66× ?), but it failed 0.03% of its operations.";
    let alone = "cassandra/wide?chunk=64KiB alone did all that was asked: ";
    assert!(closed_loop.starts_with(&format!("{alone}318 ops/s")));
    assert!(closed_loop.contains(better), "{closed_loop}");
    nothing_absurd(&summary);

    let mut summary = RATE.clone();
    fail(&mut summary.designs[0], 500);
    let at_a_rate = verdict(&summary);
    let better = "cassandra/wide?chunk=4KiB has a p99 of 2.77 ms (0.51× ?), but it failed 2.0";
    assert!(at_a_rate.contains(&format!("{alone}99% of")));
    assert!(at_a_rate.contains(better), "{at_a_rate}");
}

#[test]
fn failures_of_one_design_alone_are_in_its_headline() {
    let mut summary = COMPARISON.clone();
    summary.designs.truncate(1);
    fail(&mut summary.designs[0], 9_000);
    let verdict = verdict(&summary);
    let headline = verdict.split(". Response times").next().unwrap();
    assert!(headline.contains(", but it failed "), "{verdict}");
    // A few are told, and are no reason for doubt.
    fail(&mut summary.designs[0], 9);
    assert!(!self::verdict(&summary).contains(", but it"));
}

#[test]
fn a_ramp_has_no_warm_up_and_is_compared_by_p99() {
    let summary = fixture::ramp().unwrap().summary;
    let text = render(&summary, 200, false);
    assert!(text.contains("no warm-up is told from it"), "{text}");
    assert!(
        verdict(&summary).starts_with("At 100 to 900 ops/s, cassandra/wide?chunk=4KiB is ahead"),
        "{text}"
    );
    nothing_absurd(&summary);
}

#[test]
fn a_yardstick_is_neither_best_nor_tied_nor_a_cost() {
    let mut summary = COMPARISON.clone();
    let dry = &mut summary.designs[0];
    (dry.info.id, dry.info.role) = ("dry".to_owned(), Role::Sink);
    dry.rate = Estimate::from_samples(&[1e6; 3]);
    let sentences = verdict(&summary);
    assert!(
        sentences.starts_with("cassandra/wide?chunk=64KiB does 318 ops/s"),
        "{sentences}"
    );
    let (before, _) = sentences.split_once("operations failed").unwrap();
    assert!(!before.contains("dry"), "{sentences}");
    let text = render(&summary, 200, false);
    assert!(text.contains("dry is a yardstick, not a choice"), "{text}");
    // Alone it is what was asked about.
    summary.designs.truncate(1);
    assert!(verdict(&summary).starts_with("dry does 1.00 M ops/s"));
    assert!(!render(&summary, 200, false).contains("yardstick"));
}

#[test]
fn a_search_each_shows_no_difference_and_says_that_repeats_differ() {
    let text = render(&SEARCH, 300, false);
    assert!(
        text.contains(
            "; 1 search of a design cannot show a difference: repeat it with --rounds 7."
        ),
        "{text}"
    );
    assert!(text.contains("! one search each"), "{text}");
    assert!(
        text.contains("search of the highest rate within p99<10ms"),
        "{text}"
    );
    let facts = text.lines().nth(1).unwrap();
    assert!(!facts.contains("as fast as it goes"), "{facts}");
    let mut repeated = SEARCH.clone();
    for design in &mut repeated.designs {
        let median = design.highest_rate.unwrap().median;
        design.highest_rate = Estimate::from_samples(&[median, median * 1.01]);
    }
    let text = render(&repeated, 300, false);
    assert!(!text.contains("one search each"), "{text}");
    assert!(
        text.contains("! 2 searches cannot show a difference"),
        "{text}"
    );
    assert!(
        text.contains("; 2 searches of a design cannot show"),
        "{text}"
    );
}

#[test]
fn several_searches_are_compared_by_their_intervals() {
    let searched = |rates: [f64; 2]| {
        let mut summary = SEARCH.clone();
        for (design, rate) in summary.designs.iter_mut().zip(rates) {
            let rates = [0.97, 0.98, 1.0, 1.02, 1.03].map(|share| share * rate);
            design.highest_rate = Estimate::from_samples(&rates);
            design.found[0].failed_at = Some(rates[4]);
        }
        verdict(&summary)
    };
    let lower = searched([600.0, 500.0]);
    let expected = "up to 600 ops/s (582–618 over 5 searches); lower: cassandra/wide?chunk=64KiB up to \
                    500 ops/s (485–515 over 5 searches).";
    assert!(lower.contains(expected), "{lower}");
    let open = searched([600.0, 580.0]);
    assert!(
        open.contains("; not settled: cassandra/wide?chunk=64KiB up to 580"),
        "{open}"
    );
}

#[test]
fn a_search_that_was_interrupted_says_what_is_known() {
    let mut summary = SEARCH.clone();
    (summary.finished, summary.interrupted) = (false, true);
    for design in &mut summary.designs {
        design.found.clear();
        (design.highest_rate, design.figures, design.rate) = (None, None, None);
        design.trials.clear();
        design.probes.truncate(2);
    }
    let expected = "No search has finished, so the highest rate within p99<10ms, errors<0.1% is not \
                    known. Until then cassandra/wide?chunk=4KiB held it at 480 ops/s and \
                    cassandra/wide?chunk=64KiB held it at 160 ops/s.";
    assert_eq!(verdict(&summary), expected);
    nothing_absurd(&summary);
}

#[test]
fn a_search_of_which_one_was_interrupted_leaves_it_out() {
    let mut summary = SEARCH.clone();
    let design = &mut summary.designs[1];
    design.found.clear();
    (design.highest_rate, design.figures, design.rate) = (None, None, None);
    let verdict = verdict(&summary);
    let expected = "Without a result: cassandra/wide?chunk=64KiB (its search has not finished).";
    assert!(verdict.contains(expected), "{verdict}");
}

#[test]
fn published_figures_are_shown_and_escaped() {
    let mut summary = COMPARISON.clone();
    let text =
        r#"{"source": "A study of 2018", "figures": [], "notes": ["44,000 <b>to</b> 62,000"]}"#;
    summary.header.published = Some(serde_json::from_str(text).unwrap());
    let published = summary.header.published.as_mut().unwrap();
    published.figures.push(PublishedFigure {
        design: "theirs".to_owned(),
        what: "storage".to_owned(),
        figure: "650 bytes/row".to_owned(),
    });
    let page = html::render(&summary);
    assert!(page.contains("Published figures") && page.contains("A study of 2018"));
    assert!(page.contains("44,000 &lt;b&gt;to&lt;/b&gt; 62,000"));
    assert!(page.contains("theirs: 650 bytes/row"));
    assert!(page.contains("1910.5 bytes/row"), "ours beside it");
    let text = render(&summary, 80, false);
    assert!(text.contains("- 44,000 <b>to</b> 62,000"), "{text}");
    assert!(text.contains("- theirs, storage: 650 bytes/row"), "{text}");
    assert!(!render(&COMPARISON, 80, false).contains("Published"));
}

#[test]
fn a_published_operation_has_its_rate_and_times_beside_it() {
    let page = html::render(&published(&COMPARISON, "read", "44,000 ops/s"));
    let row = row_of(&page, "read");
    assert!(row.contains("theirs: 44,000 ops/s"), "{row}");
    for design in fixture::DESIGNS {
        assert!(row.contains(&format!("{design}: ")), "{row}");
    }
    let rate = COMPARISON.designs[0].figures.as_ref().unwrap().operations[0].ops_per_second;
    let rate = format!("{rate:.0} ops/s, p50 ");
    assert!(
        row.contains(&rate) && row.contains(" ms, p99 "),
        "{rate}: {row}"
    );
}

#[test]
fn a_published_pass_has_its_real_time_beside_it() {
    let page = html::render(&published(&PASSES, "write", "171.5 s in all"));
    let row = row_of(&page, "write");
    assert!(row.contains("theirs: 171.5 s in all"), "{row}");
    assert!(row.contains("4KiB: 2.15 s in all"), "{row}");
    // Two passes have this operation.
    let row = row_of(
        &html::render(&published(&PASSES, "read", "47.9 s in all")),
        "read",
    );
    assert!(row.contains("4.15 s in all; 3.10 s in all"), "{row}");
}

#[test]
fn a_published_operation_that_never_succeeded_has_nothing_beside_it() {
    let mut summary = published(&COMPARISON, "read", "44,000 ops/s");
    summary.designs.iter_mut().for_each(fail_all);
    let row = row_of(&html::render(&summary), "read");
    assert!(!row.contains("cassandra/wide"), "{row}");
}

/// A load with one published figure.
fn published(of: &DriveSummary, what: &str, figure: &str) -> DriveSummary {
    let mut summary = of.clone();
    let text = r#"{"source": "A study of 2015", "figures": [], "notes": []}"#;
    summary.header.published = Some(serde_json::from_str(text).unwrap());
    let published = summary.header.published.as_mut().unwrap();
    published.figures.push(PublishedFigure {
        design: "theirs".to_owned(),
        what: what.to_owned(),
        figure: figure.to_owned(),
    });
    summary
}

/// The line of a published figure in the page.
fn row_of(page: &str, what: &str) -> String {
    let (_, section) = page.split_once("Published figures</h2>").unwrap();
    let mut rows = section.split("<tr>").skip(2);
    let row = rows.next().and_then(|row| row.split("</tr>").next());
    let row = row.unwrap().to_owned();
    assert!(row.contains(what), "{row}");
    row
}

#[test]
fn a_search_by_all_loads_has_an_interval_and_says_when_it_is_wide() {
    let mut summary = SEARCH.clone();
    summary.designs[0].found[0].estimate = Some(bakeoff_stats::drive::RateEstimate {
        rate: 600.0,
        low: 500.0,
        high: 700.0,
    });
    let text = render(&summary, 300, false);
    let interval = "between 500 and 700 with 95% certainty, by all its loads";
    assert!(text.contains(interval), "{text}");
    assert!(text.contains("the answer is between 500 and 700"), "{text}");
}

#[test]
fn warm_ups_are_told() {
    let mut summary = COMPARISON.clone();
    summary.trials[0].start.warm_up = true;
    let text = render(&summary, 300, false);
    assert!(
        text.contains("servers were warmed up before: 1 load"),
        "{text}"
    );
}
