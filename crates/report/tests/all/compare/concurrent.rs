use bakeoff_report::{growth, html, json, terminal};
use bakeoff_stats::{
    Agreed, BadQuestions, Concurrent, ConcurrentQuery, CpuSeconds, Outcome, QuerySets, Record,
    Summary,
};

use super::fixture;

fn query(query: &str, milliseconds: impl Iterator<Item = u64>) -> ConcurrentQuery {
    ConcurrentQuery {
        query: query.to_owned(),
        nanoseconds: milliseconds.map(|ms| ms * 1_000_000).collect(),
        seconds: None,
        agreed: None,
    }
}

/// 150 scans of 1 to 150 ms and 20 questions of a month, of which two more were refused.
fn asked() -> Record {
    Record::Concurrent(Box::new(Concurrent {
        design: "parquet?codec=zstd".to_owned(),
        turn: None,
        clients: 4,
        permutations: 150,
        seconds: 2.0,
        cpu: CpuSeconds {
            client: 1.7,
            server: None,
            in_ticks: false,
        },
        queries: vec![query("scan", 1..=150), query("month", 1..=20)],
        bad: vec![BadQuestions {
            query: "month".to_owned(),
            questions: 2,
            permutation: 7,
            outcome: Outcome::Error {
                reason: "too many <clients>".to_owned(),
            },
        }],
        unfinished: Vec::new(),
    }))
}

/// Seven turns of two designs, of which the second one takes three times as long for a month.
pub fn turns() -> Vec<Record> {
    let turn = |design: &str, turn: u32, month: u64| {
        let jitter = u64::from(turn % 3);
        Record::Concurrent(Box::new(Concurrent {
            design: design.to_owned(),
            turn: Some(turn),
            clients: 4,
            permutations: 2,
            seconds: 0.3,
            cpu: CpuSeconds {
                client: 0.02,
                server: Some(0.04),
                in_ticks: false,
            },
            queries: vec![
                query("scan", (0..2).map(|_| 100 + jitter)),
                query("month", (0..2).map(|_| month + jitter)),
            ],
            bad: Vec::new(),
            unfinished: Vec::new(),
        }))
    };
    let both = |number| {
        let slow = turn("cassandra/wide", number, 300);
        [turn("cassandra/blob", number, 100), slow]
    };
    (0..7).flat_map(both).collect()
}

fn records() -> Vec<Record> {
    with(vec![asked()])
}

pub fn with(asked: Vec<Record>) -> Vec<Record> {
    let mut records = fixture::records();
    let last = records.len() - 1;
    records.splice(last..last, asked);
    records
}

/// The cells of a design's row in the table with this title.
fn row(text: &str, title: &str, design: &str) -> String {
    let section = text.split("Several clients at a time").nth(1).unwrap();
    let table = section.split(title).nth(1).unwrap();
    let row = table.lines().find(|line| line.contains(design)).unwrap();
    row.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_terminal_has_the_figures_over_all_and_of_each_query() {
    let text = terminal::render(&Summary::from_records(&records()).unwrap(), 100, false);
    let design = "parquet?codec=zstd";
    // 4 clients by the mean of 75.5 and 10.5 ms; there is nothing to compare with.
    assert_eq!(
        row(&text, " All queries", design),
        "parquet?codec=zstd 170 93.0 – – 10.0 ms 0 2"
    );
    assert_eq!(
        row(&text, " month", design),
        "parquet?codec=zstd 20 10.5 ms – 10.0 ms – 0 2"
    );
    let words = words(&text);
    assert!(words.contains("there is no p99"), "{words}");
    assert!(text.contains("querying from several clients at once, query month"));
    assert!(!text.contains("p99 <"));
}

#[test]
fn designs_are_compared_within_their_turns() {
    let summary = Summary::from_records(&with(turns())).unwrap();
    let text = terminal::render(&summary, 110, false);
    let of = |title: &str, design: &str| row(&text, title, design);
    let month = of(" month", "cassandra/wide");
    // A ratio without a question mark is one that is shown.
    assert!(month.contains(" 3.0× ") && !month.contains('?'), "{month}");
    assert!(of(" month", "cassandra/blob").contains(" best "));
    // Twice as long in the mean of both queries.
    let mixed = of(" All queries", "cassandra/wide");
    assert!(mixed.contains("28 19.9 0.50× (0.50–0.51)"), "{mixed}");
    let best = of(" All queries", "cassandra/blob");
    assert!(best.contains("28 39.7 best 10.0 ms 5.00 ms 0 0"), "{best}");
    assert!(!words(&text).contains("--concurrent-for"));
}

/// The same turns, in which both queries were asked alone by two clients that never waited.
fn turns_of_one_query() -> Vec<Record> {
    let mut turns = turns();
    for record in &mut turns {
        if let Record::Concurrent(asked) = record {
            for query in &mut asked.queries {
                let seconds = query.nanoseconds.iter().sum::<u64>() as f64 / 1e9;
                query.seconds = Some(seconds / 2.0);
            }
        }
    }
    turns
}

#[test]
fn queries_that_are_asked_alone_have_a_rate_and_are_compared_by_it() {
    let summary = Summary::from_records(&with(turns_of_one_query())).unwrap();
    let text = terminal::render(&summary, 110, false);
    let slow = row(&text, " month", "cassandra/wide");
    assert!(slow.starts_with("cassandra/wide 301 ms 3.0× "), "{slow}");
    assert!(slow.contains(" 6.65 0.34× "), "{slow}");
    let best = row(&text, " month", "cassandra/blob");
    assert!(
        best.starts_with("cassandra/blob 101 ms best 19.8 best "),
        "{best}"
    );
    let all = row(&text, " All queries", "cassandra/wide");
    assert!(all.starts_with("cassandra/wide 4 28 "), "{all}");
    assert!(words(&text).contains("all of them the same query"));
}

#[test]
fn a_query_that_is_answered_in_too_few_turns_is_pointed_out() {
    let mut records = turns_of_one_query();
    // The slow design answers a month in its first turns only.
    for record in records.iter_mut().skip(4) {
        if let Record::Concurrent(asked) = record
            && asked.design == "cassandra/wide"
        {
            asked.queries[1].nanoseconds.clear();
        }
    }
    let summary = Summary::from_records(&with(records)).unwrap();
    let words = words(&terminal::render(&summary, 110, false));
    let expected = "A design answered a query in 2 turns only";
    assert!(words.contains(expected), "{words}");
}

#[test]
fn the_page_shows_two_charts_of_each_query_that_is_asked_alone() {
    let summary = Summary::from_records(&with(turns_of_one_query())).unwrap();
    let page = html::render(&summary);
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    let section = page
        .split("<h2>Several clients at a time</h2>")
        .nth(1)
        .unwrap();
    let visible = section.split("<details>").next().unwrap();
    assert_eq!(visible.matches("<svg").count(), 4);
    for chart in ["scan", "month"].map(|query| format!("<h3>{query}: answers a second</h3>")) {
        assert!(visible.contains(&chart), "{chart}");
    }
    assert!(
        visible.contains("301 ms") && visible.contains("6.6"),
        "{visible}"
    );
    // Permutations have no charts.
    let page = html::render(&Summary::from_records(&with(turns())).unwrap());
    assert!(!page.contains(": answers a second</h3>"));
}

/// Turns of one query with 40 sets of parameters of a month, of which 2 have a right answer: 14 questions of
/// each design are verified but for `alone` answers.
fn turns_with_sets(alone: u32) -> Vec<Record> {
    let mut records = vec![Record::ParameterSets {
        sets: 2,
        queries: vec![QuerySets {
            query: "month".to_owned(),
            drawn: 40,
            distinct: 39,
            right: 2,
        }],
    }];
    records.extend(turns_of_one_query());
    let turns = records.iter_mut().filter_map(|record| match record {
        Record::Concurrent(asked) => Some(asked),
        _ => None,
    });
    for (number, asked) in turns.enumerate() {
        // The two designs take turns.
        let agreed = match number {
            0 => (12, 0),
            1 => (0, 12 - alone),
            _ => (0, 0),
        };
        asked.queries[1].agreed = Some(Agreed {
            alone: agreed.0,
            confirmed: agreed.1,
            sets: agreed.1,
        });
    }
    records
}

#[test]
fn the_report_says_how_sets_of_parameters_were_verified() {
    let summary = Summary::from_records(&with(turns_with_sets(0))).unwrap();
    let text = terminal::render(&summary, 110, false);
    let cells = row(&text, " Sets of parameters", "month");
    assert_eq!(cells, "month 40 39 14 2 12 0");
    assert!(!words(&text).contains("compared with nothing"));
}

#[test]
fn sets_that_were_not_verified_are_pointed_out() {
    let summary = Summary::from_records(&with(turns_with_sets(5))).unwrap();
    let text = terminal::render(&summary, 110, false);
    let cells = row(&text, " Sets of parameters", "month");
    assert_eq!(cells, "month 40 39 14 2 7 5");
    assert!(words(&text).contains("5 answers were compared with nothing"));
    let page = html::render(&summary);
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<h3>Sets of parameters</h3>"));
    assert!(page.contains("<span class=\"failed\">5</span>"));
}

#[test]
fn too_few_turns_and_answers_are_said_to_show_nothing() {
    let four = turns().into_iter().take(2 * 2).collect();
    let summary = Summary::from_records(&with(four)).unwrap();
    let text = terminal::render(&summary, 110, false);
    // 4 answers to each query.
    let mixed = row(&text, " All queries", "cassandra/wide");
    assert!(mixed.starts_with("cassandra/wide 8 ? – "), "{mixed}");
    assert!(row(&text, " month", "cassandra/wide").contains("3.0× ?"));
    let words = words(&text);
    assert!(words.contains("answered in 2 turns only"), "{words}");
    assert!(
        words.contains("give the clients longer (--concurrent-for)"),
        "{words}"
    );
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
    assert_eq!(concurrent["cpu_per_answer"]["client"], 0.01);
    let compared = &value["summary"]["concurrent"];
    assert_eq!(compared["queries"][0]["query"], "scan");
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
            seconds: None,
            agreed: None,
        });
        Record::Concurrent(Box::new(Concurrent {
            design: design.to_owned(),
            turn: None,
            clients: 4,
            permutations: 6,
            seconds: 1.0,
            cpu: CpuSeconds::default(),
            queries: queries.collect(),
            bad: Vec::new(),
            unfinished: Vec::new(),
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
