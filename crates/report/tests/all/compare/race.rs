use bakeoff_report::{html, json, terminal};
use bakeoff_stats::{Record, Step, Stopped, Summary, WhyStopped};

use super::fixture;

fn raced() -> Summary {
    fixture::raced().unwrap()
}

fn verdict(summary: &Summary, width: usize) -> String {
    let text = terminal::render(summary, width, false);
    text.split_once("Verdict\n").unwrap().1.to_owned()
}

fn section(page: &str) -> Option<&str> {
    let section = page.split("<h2>Race</h2>").nth(1)?;
    section.split("</section>").next()
}

#[test]
fn the_verdict_says_what_was_dropped_and_why_it_ended() {
    insta::assert_snapshot!(verdict(&raced(), 100));
}

#[test]
fn the_verdict_of_a_race_has_no_more_than_25_lines() {
    for width in [60, 80, 100, 140] {
        let verdict = verdict(&raced(), width);
        assert!(verdict.lines().count() <= 25, "{verdict}");
        assert!(
            verdict.contains("\nRace      2 of 9 designs were dropped"),
            "{verdict}"
        );
    }
}

#[test]
fn the_page_has_each_dropped_design_with_what_it_was_beaten_by() {
    let page = html::render(&raced());
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    insta::assert_snapshot!(section(&page).unwrap());
}

#[test]
fn runs_without_a_race_have_no_part_of_it() {
    let summary = fixture::summary().unwrap();
    assert_eq!(section(&html::render(&summary)), None);
    assert!(!verdict(&summary, 100).contains("\nRace"));
}

#[test]
fn each_end_of_a_race_has_its_words() {
    let ended = |why| {
        let mut records = fixture::raced_records();
        for record in &mut records {
            if let Record::Stopped(stopped) = record {
                *stopped = Stopped { rounds: 12, why };
            }
        }
        html::render(&Summary::from_records(&records).unwrap())
    };
    for (why, words) in [
        (
            WhyStopped::Settled,
            "The rounds ended after 12: every other design is shown",
        ),
        (
            WhyStopped::ForecastDecides,
            "The rounds ended after 12: figures at full scale",
        ),
        (
            WhyStopped::Rounds,
            "The rounds ended after 12: no more were asked for",
        ),
    ] {
        let page = ended(why);
        assert!(section(&page).unwrap().contains(words), "{words}");
    }
}

#[test]
fn a_drop_by_open_questions_says_which_figures_are_of_smaller_tables() {
    let mut records = fixture::raced_records();
    for record in &mut records {
        if let Record::Dropped(dropped) = record
            && dropped.rounds.is_some()
            && !dropped.is_control
        {
            dropped.beaten[0].rows = Some(6_250);
        }
    }
    let page = html::render(&Summary::from_records(&records).unwrap());
    let section = section(&page).unwrap();
    assert!(
        section.contains(", 1 after 5 rounds of open questions."),
        "{section}"
    );
    assert!(section.contains(" rows: storage 8.1× (8.1×)"), "{section}");
}

#[test]
fn a_race_that_dropped_nothing_says_so() {
    let mut records = fixture::raced_records();
    records.retain(|record| !matches!(record, Record::Dropped(_) | Record::Race { .. }));
    let page = html::render(&Summary::from_records(&records).unwrap());
    let section = section(&page).unwrap();
    assert!(
        section.contains("No design was dropped: none of 9 designs was shown to be worse"),
        "{section}"
    );
    assert!(!section.contains("<table"), "{section}");
}

#[test]
fn designs_whose_winner_failed_later_are_said_to_be_perhaps_better() {
    let mut records = fixture::raced_records();
    let last = records.len() - 1;
    for winner in ["parquet?codec=snappy", "parquet?codec=zstd"] {
        let failed = Record::Failed {
            design: winner.to_owned(),
            step: Step::Measure,
            query: None,
            reason: "it ended".to_owned(),
        };
        records.insert(last, failed);
    }
    let page = html::render(&Summary::from_records(&records).unwrap());
    let section = section(&page).unwrap();
    assert!(!section.contains("all stayed"), "{section}");
    let expected = "were dropped for parquet?codec=snappy and parquet?codec=zstd, which failed later, so they \
                    may be better";
    assert!(section.contains(expected), "{section}");
}

#[test]
fn the_json_has_the_race() {
    let summary = raced();
    let text = json::render(&summary, &fixture::raced_records()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let race = &value["summary"]["race"];
    assert_eq!(race["dropped"][1]["rounds"], 5);
    assert_eq!(race["stopped"]["why"]["why"], "little-to-gain");
}
