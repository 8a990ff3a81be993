//! Reasons why runs must not be compared, and cautions about those that may be.

use super::*;
use crate::Header;

const TEXT: &str = "title = \"w\"\n[table]\nname = \"t\"\n[data]\nhosts = 9\n[[queries]]\n\
    name = \"scan\"\nsql = \"SELECT scan\"\n";

fn with_text(text: &str) -> Summary {
    with_header(&DRAWN, |header| header.workload_text = text.to_owned())
}

fn obstacles(a: &Summary, b: &Summary) -> Vec<String> {
    let between = Between::of(("a", a), ("b", b));
    if !between.obstacles.is_empty() {
        assert!(between.changes.is_empty() && between.storage.is_empty());
        let gate = between.fail_if_slower(9.0);
        assert!(matches!(gate, Gate::CannotTell { open } if open.len() == 1));
    }
    between.obstacles.iter().map(ToString::to_string).collect()
}

fn obstacle(change: impl Fn(&mut Header)) -> Vec<String> {
    obstacles(&DRAWN.summary(), &with_header(&DRAWN, change))
}

fn cautions(change: impl Fn(&mut Header)) -> Vec<String> {
    let b = with_header(&DRAWN, change);
    let between = Between::of(("a", &DRAWN.summary()), ("b", &b));
    assert!(between.obstacles.is_empty(), "{:?}", between.obstacles);
    between.cautions.iter().map(ToString::to_string).collect()
}

#[test]
fn a_run_and_its_repetition_have_nothing_between_them() {
    assert!(obstacle(|_| ()).is_empty());
    assert!(cautions(|_| ()).is_empty());
}

#[test]
fn another_table_data_or_number_of_rows_is_an_obstacle() {
    assert_eq!(obstacle(|h| h.table.push('2')), ["their tables differ"]);
    assert_eq!(obstacle(|h| h.columns += 1), ["their tables differ"]);
    assert_eq!(
        obstacle(|h| h.data = "generator devops".to_owned()),
        ["A has rows from numbers, B from generator devops"]
    );
    let longer = Drawn {
        slices: 10,
        ..DRAWN
    };
    assert_eq!(
        obstacles(&DRAWN.summary(), &longer.summary()),
        ["A has 900 rows, B 1000"]
    );
}

#[test]
fn parts_of_the_workload_are_obstacles_or_none() {
    let of =
        |from: &str, to: &str| obstacles(&with_text(TEXT), &with_text(&TEXT.replace(from, to)));
    assert_eq!(of("\"t\"", "\"u\""), ["their tables differ"]);
    assert_eq!(of("= 9", "= 8"), ["[data] of their workloads differs"]);
    assert!(of("title = \"w\"", "title = \"v\"").is_empty());
}

#[test]
fn no_common_design_or_query_is_an_obstacle() {
    let mut empty = Summary::from_records(&run([])).unwrap();
    empty.rows = 900;
    empty.designs.retain(|design| design.info.id == "memory");
    let found = obstacles(&DRAWN.summary(), &empty);
    assert_eq!(found, ["they have no design in common"]);
    let renamed = |h: &mut Header| h.queries.iter_mut().for_each(|q| q.sql.push('2'));
    assert_eq!(obstacle(renamed), ["they have no query in common"]);
}

#[test]
fn a_seed_is_an_obstacle_for_a_generator_and_a_caution_for_a_file() {
    let parameters = "their seeds differ, so queries have other parameters";
    assert_eq!(cautions(|h| h.seed = 2), [parameters]);
    let of = |seed| {
        with_header(&DRAWN, |h| {
            h.data = "generator devops".to_owned();
            h.seed = seed;
        })
    };
    let texts = ["the generator has the seed 1 in A and 2 in B"];
    assert_eq!(obstacles(&of(1), &of(2)), texts);
}

#[test]
fn a_file_in_another_folder_is_the_same_file() {
    let of = |path: &str| with_header(&DRAWN, |h| h.data = path.to_owned());
    assert!(obstacles(&of("/x/data.csv"), &of("data.csv")).is_empty());
    assert_eq!(obstacles(&of("/x/data.csv"), &of("/x/other.csv")).len(), 1);
}

#[test]
fn machine_versions_and_settings_are_cautions() {
    let texts = cautions(|h| {
        h.machine.cores = 4;
        h.bakeoff_version = "0.2.0, built without optimisation: its times mean nothing".to_owned();
        h.threads = 4;
        h.started_at = "2026-01-04T00:00:00Z".to_owned();
        h.designs[0].settings = vec![("chunk".to_owned(), "4KiB".to_owned())];
    });
    assert_eq!(
        texts,
        [
            "B was run by a program built without optimisation: its times mean nothing",
            "cores: A has 2, B 4",
            "Bakeoff: A has 0.1.0, B 0.2.0, built without optimisation: its times mean nothing",
            "threads: A has 2, B 4",
            "a/x, chunk: A has none, B 4KiB",
            "3 days lie between them",
        ]
    );
}

#[test]
fn engines_are_cautions_and_places_are_not() {
    let of = |version: &str, folder: &str| {
        let mut records = DRAWN.records();
        let settings = [("heap", "1 GiB"), ("data", folder)];
        records.push(Record::Engine(crate::EngineInfo {
            engine: "a".to_owned(),
            version: version.to_owned(),
            start_seconds: None,
            settings: settings.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec(),
        }));
        Summary::from_records(&records).unwrap()
    };
    let between = Between::of(("a", &of("1", "/x")), ("b", &of("2", "/y")));
    let texts: Vec<String> = between.cautions.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["a: A has 1, B 2"]);
}

#[test]
fn what_only_one_run_has_is_reported_and_the_rest_compared() {
    let texts = cautions(|h| h.queries[1].sql.push_str(" LIMIT 1"));
    assert_eq!(texts, ["key is another question in B, and is not compared"]);
    let texts = cautions(|h| {
        let mut further = h.designs[0].clone();
        further.id = "a/z".to_owned();
        h.designs.push(further);
    });
    assert_eq!(texts, ["only B has a/z"]);
}

#[test]
fn an_unfinished_run_of_few_rounds_without_twins_says_so() {
    let poor = Drawn {
        rounds: 3,
        twins: false,
        ..DRAWN
    };
    let mut records = poor.records();
    records.pop();
    let poor = Summary::from_records(&records).unwrap();
    let between = Between::of(("a", &poor), ("b", &DRAWN.summary()));
    let texts: Vec<String> = between.cautions.iter().map(ToString::to_string).collect();
    let few = "A has 3 rounds, and a difference needs at least five";
    assert_eq!(texts, ["A is not finished", "A has no twins", few]);
}
