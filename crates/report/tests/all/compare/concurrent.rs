use bakeoff_report::{growth, html, json, terminal};
use bakeoff_stats::{
    BadQuestions, Concurrent, ConcurrentQuery, CpuSeconds, Outcome, Record, Summary,
};

use super::fixture;

/// 150 scans of 1 to 150 ms and 20 questions of a month, of which two more were refused.
fn asked() -> Record {
    let milliseconds = |to: u64| (1..=to).map(|ms| ms * 1_000_000).collect();
    let query = |query: &str, to| ConcurrentQuery {
        query: query.to_owned(),
        nanoseconds: milliseconds(to),
    };
    Record::Concurrent(Box::new(Concurrent {
        design: "parquet?codec=zstd".to_owned(),
        clients: 4,
        permutations: 150,
        seconds: 2.0,
        cpu: CpuSeconds::default(),
        queries: vec![query("scan", 150), query("month", 20)],
        bad: vec![BadQuestions {
            query: "month".to_owned(),
            questions: 2,
            permutation: 7,
            outcome: Outcome::Error {
                reason: "too many <clients>".to_owned(),
            },
        }],
    }))
}

fn records() -> Vec<Record> {
    let mut records = fixture::records();
    let last = records.len() - 1;
    records.insert(last, asked());
    records
}

#[test]
fn the_terminal_has_the_figures_over_all_and_of_each_query() {
    let text = terminal::render(&Summary::from_records(&records()).unwrap(), 100, false);
    let section = text.split("Several clients at a time").nth(1).unwrap();
    let row = |title: &str| {
        let table = section.split(title).nth(1).unwrap();
        let row = table
            .lines()
            .find(|line| line.contains("parquet?codec=zstd"));
        row.unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        row(" All queries"),
        "parquet?codec=zstd 170 85.0 67.9 ms 65.0 ms 149 ms 0 2"
    );
    assert_eq!(
        row(" month"),
        "parquet?codec=zstd 20 10.0 10.5 ms 10.0 ms – 0 2"
    );
    let words = section.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "until all permutations are asked or the time is over; the most that a design began is 150 permutations."
        ),
        "{words}"
    );
    assert!(words.contains("there is no p99"), "{words}");
    assert!(text.contains("querying from several clients at once, query month"));
    assert!(!text.contains("p99 <"));
}

#[test]
fn the_page_and_the_json_have_them_too() {
    let (records, summary) = (records(), Summary::from_records(&records()).unwrap());
    let page = html::render(&summary);
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("parquet?codec=zstd, query by query"));
    assert!(page.contains("<span class=\"failed\">2</span>"));
    assert!(page.contains("too many &lt;clients&gt;"));
    let json = json::render(&summary, &records).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let designs = value["summary"]["designs"].as_array().unwrap();
    let design = designs
        .iter()
        .find(|d| d["info"]["id"] == "parquet?codec=zstd");
    let concurrent = &design.unwrap()["concurrent"];
    assert_eq!(concurrent["all"]["answered"], 170);
    assert_eq!(concurrent["queries"][1][1]["p99"], serde_json::Value::Null);
}

#[test]
fn without_such_clients_nothing_is_said_of_them() {
    let summary = fixture::summary().unwrap();
    assert!(!terminal::render(&summary, 100, false).contains("Several clients"));
    assert!(!html::render(&summary).contains("Several clients"));
}

/// The run in which four clients asked one design all questions, and another one only some of them.
fn predicted_and_asked() -> Summary {
    let names = ["scan", "tone_by_actor", "month", "usa", "albania"];
    let asked = |design: &str, queries: &[&str]| {
        let queries = queries.iter().map(|query| ConcurrentQuery {
            query: query.to_string(),
            nanoseconds: vec![20_000_000; 6],
        });
        Record::Concurrent(Box::new(Concurrent {
            design: design.to_owned(),
            clients: 4,
            permutations: 6,
            seconds: 1.0,
            cpu: CpuSeconds::default(),
            queries: queries.collect(),
            bad: Vec::new(),
        }))
    };
    let mut records = fixture::records();
    let last = records.len() - 1;
    let both = [
        asked("parquet?codec=zstd", &names),
        asked("parquet?codec=snappy", &names[1..]),
    ];
    records.splice(last..last, both);
    Summary::from_records(&records).unwrap()
}

#[test]
fn users_are_checked_by_clients_design_by_design() {
    let validation = growth::validate(&predicted_and_asked());
    insta::assert_snapshot!(validation.users.as_ref().unwrap().render());
    assert!(
        validation
            .render()
            .ends_with(&(validation.users.unwrap().render() + "\n"))
    );
}

#[test]
fn the_json_has_the_share_of_near_predictions_of_users() {
    let json = growth::validate(&predicted_and_asked()).json().unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let users = &json["users"];
    assert_eq!(users["clients"], 4);
    let check = &users["designs"][0];
    assert_eq!(check["measured"]["per_second"], 200.0);
    let [predicted, error] = [&check["predicted"]["per_second"], &check["error"]];
    let expected = (predicted.as_f64().unwrap() / 200.0).ln().abs();
    assert!((error.as_f64().unwrap() - expected).abs() < 1e-9);
    for (share, within) in [(0.15, "within_15"), (0.25, "within_25")] {
        let is_near = expected.exp() - 1.0 <= share;
        assert_eq!(users[within], if is_near { 1.0 } else { 0.0 }, "{within}");
    }
    let why = users["left_out"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("scan has 0 of the 5 answers"), "{why}");
}
