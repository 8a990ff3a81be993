//! Tests that parameters are pure functions of seed, query, parameter and round.

use std::io::Write;
use std::path::Path;

use bakeoff_workload::{Workload, source};

fn workload(parameter: &str) -> Workload {
    let text = format!(
        "title = 'x'\nseed = 5\n[data]\nfile = 'x.csv'\n[table]\nname = 't'\npartition_key = ['k']\n\
         [table.columns]\nk = 'int'\nword = 'text'\n[[queries]]\nname = 'q'\n\
         sql = 'SELECT ${{p}}, ${{p}}'\nengine_sql = {{ cassandra = 'CQL ${{p}}' }}\n\
         parameters = {{ p = {parameter} }}\n"
    );
    Workload::parse(&text, Path::new("x.toml")).unwrap()
}

fn csv(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

/// Draws the literals of some rounds.
fn draw(parameter: &str, data: &str, rows: u64) -> Result<Vec<String>, String> {
    let workload = workload(parameter);
    let file = csv(data);
    let source = source::open(&workload, Some(file.path().to_owned())).unwrap();
    let drawn = workload.draw_all(&workload.queries[0], 0..50, rows, &*source);
    Ok(drawn
        .map_err(|e| e.to_string())?
        .into_iter()
        .map(|mut d| d.remove(0).1)
        .collect())
}

const DATA: &str = "k,word\n1,it's\n2,\n3,\n4,b\n";

#[test]
fn uniform_takes_both_ends() {
    let mut drawn = draw("{ uniform = [-1, 1] }", DATA, 4).unwrap();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn, ["-1", "0", "1"]);
    let whole = draw(
        "{ uniform = [-9223372036854775808, 9223372036854775807] }",
        DATA,
        4,
    )
    .unwrap();
    assert!(whole.iter().any(|v| v.starts_with('-')) && whole.iter().any(|v| !v.starts_with('-')));
}

#[test]
fn numbers_with_a_fraction_are_between_two_bounds() {
    for (bounds, from, to) in [("[0.05, 0.15]", 0.05, 0.15), ("[-1, 0.5]", -1.0, 0.5)] {
        let drawn = draw(&format!("{{ uniform = {bounds} }}"), DATA, 4).unwrap();
        let numbers: Vec<f64> = drawn.iter().map(|number| number.parse().unwrap()).collect();
        let are_within = numbers.iter().all(|number| (from..=to).contains(number));
        assert!(are_within, "{numbers:?}");
        let middle = (from + to) / 2.0;
        let low = numbers.iter().filter(|number| **number < middle).count();
        assert!(low > 5 && low < numbers.len() - 5, "{numbers:?}");
    }
}

#[test]
fn choices_become_literals() {
    let mut drawn = draw("{ choice = [1, 1.5, true, \"it's\"] }", DATA, 4).unwrap();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn, ["'it''s'", "1", "1.5", "true"]);
    let times =
        "{ choice = [2020-01-01T02:00:00+02:00, 2020-01-01T02:00:00Z, 2020-01-01T04:00:00] }";
    let mut drawn = draw(times, DATA, 4).unwrap();
    drawn.sort();
    drawn.dedup();
    assert_eq!(
        drawn,
        [
            "TIMESTAMP '2020-01-01T00:00:00.000'",
            "TIMESTAMP '2020-01-01T02:00:00.000'",
            "TIMESTAMP '2020-01-01T04:00:00'",
        ]
    );
}

#[test]
fn a_null_is_drawn_again_and_only_nulls_are_an_error() {
    let drawn = draw("{ column = 'word' }", DATA, 4).unwrap();
    assert!(
        drawn.iter().all(|v| v == "'it''s'" || v == "'b'"),
        "{drawn:?}"
    );
    assert_eq!(
        draw("{ column = 'word' }", "k,word\n1,\n2,\n", 2).unwrap_err(),
        "cannot draw a value of column `word` from 2 rows: almost all of them are null there"
    );
}

#[test]
fn only_loaded_rows_are_drawn_from() {
    assert_eq!(draw("{ column = 'k' }", DATA, 1).unwrap(), vec!["1"; 50]);
    let error = draw("{ column = 'k' }", DATA, 4000).unwrap_err();
    assert!(error.contains("but the data end before it"), "{error}");
}

#[test]
fn rounds_do_not_depend_on_each_other() {
    let workload = workload("{ uniform = [0, 1000000] }");
    let file = csv(DATA);
    let source = source::open(&workload, Some(file.path().to_owned())).unwrap();
    let query = &workload.queries[0];
    let all = workload.draw_all(query, 0..9, 4, &*source).unwrap();
    assert_eq!(all[7], workload.draw(query, 7, 4, &*source).unwrap());
    assert_ne!(all[7], all[8]);
}

#[test]
fn binding_replaces_every_place_once() {
    let workload = workload("{ uniform = [0, 9] }");
    let query = &workload.queries[0];
    let values = [("p".to_owned(), "'${p}'".to_owned())];
    assert_eq!(query.bind("memory", &values), "SELECT '${p}', '${p}'");
    assert_eq!(query.bind("cassandra", &values), "CQL '${p}'");
    assert_eq!(query.sql_for("cassandra"), "CQL ${p}");
}

#[test]
fn a_layout_may_have_sql_of_its_own() {
    let mut query = workload("{ uniform = [0, 9] }").queries.remove(0);
    query
        .engine_sql
        .insert("cassandra/wide".to_owned(), "wide".to_owned());
    assert_eq!(query.sql_for("cassandra/wide?bucket=1d"), "wide");
    assert_eq!(query.sql_for("cassandra/narrow"), "CQL ${p}");
    assert_eq!(query.sql_for("local/columnar"), query.sql);
}
