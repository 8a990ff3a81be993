use std::path::Path;

use super::*;

fn workload(title: &str, kind: &str) -> Workload {
    let text = format!(
        "title = \"{title}\"\n[table]\nname = \"t\"\ncolumns = {{ id = \"{kind}\" }}\n\
         partition_key = [\"id\"]\n[data]\nfile = \"rows.csv\"\n\
         [[queries]]\nname = \"all\"\nsql = \"SELECT * FROM t\"\n"
    );
    Workload::parse(&text, Path::new("t.toml")).unwrap()
}

#[test]
fn another_workload_has_another_title_or_another_table() {
    let one = maker(&workload("One", "int"));
    assert_eq!(one, maker(&workload("One", "int")));
    assert_ne!(one, maker(&workload("Two", "int")));
    assert_ne!(one, maker(&workload("One", "text")));
}

#[test]
fn only_a_table_of_the_same_workload_is_replaced() {
    check_maker("ks", "wide", Some("one"), "one").unwrap();
    let other = check_maker("ks", "wide", Some("two"), "one").unwrap_err();
    assert!(other.0.contains("\"two\""), "{other}");
    let unknown = check_maker("ks", "wide", None, "one").unwrap_err();
    assert!(unknown.0.contains("another --keyspace"), "{unknown}");
}

#[test]
fn a_table_that_another_command_claims_meanwhile_is_not_written() {
    check_claim("ks", "wide", Some("one"), "one").unwrap();
    let other = check_claim("ks", "wide", Some("two"), "one").unwrap_err();
    assert!(other.0.contains("belongs to \"two\" now"), "{other}");
    // The node that was asked may not have it yet.
    check_claim("ks", "wide", None, "one").unwrap();
}

#[test]
fn only_tables_of_a_run_in_a_keyspace_that_stays_are_dropped_one_by_one() {
    let view = Relation {
        name: "by_city".to_owned(),
        is_view: true,
    };
    let relations = [Relation::table("wide"), view];
    let stays = Keyspace {
        name: "ks".to_owned(),
        owner: Owner::Shared,
        has_random_name: false,
        copies: 1,
        tables_of: Some("run".to_owned()),
    };
    assert_eq!(
        stays.drops_of_tables(&relations),
        [
            "DROP MATERIALIZED VIEW IF EXISTS ks.by_city",
            "DROP TABLE IF EXISTS ks.wide"
        ]
    );
    let shared = Keyspace {
        tables_of: None,
        ..stays
    };
    assert!(shared.drops_of_tables(&relations).is_empty());
}

#[test]
fn an_error_names_only_the_first_existing_tables() {
    let names: Vec<String> = ('a'..='g').map(String::from).collect();
    let error = not_empty("ks", &names).0;
    assert!(error.contains("holds a, b, c, d, e, ..., and"), "{error}");
}

#[test]
fn quotes_stay_inside_their_literal() {
    let keyspace = Keyspace {
        name: "ks".to_owned(),
        owner: Owner::Shared,
        has_random_name: false,
        copies: 1,
        tables_of: None,
    };
    let statement = keyspace.table_statement("wide", "it's").unwrap();
    assert!(
        statement.ends_with("('table wide', 'it''s')"),
        "{statement}"
    );
    let owner = Owner::Run("run".to_owned());
    assert_eq!(
        Keyspace { owner, ..keyspace }.table_statement("wide", "x"),
        None
    );
}
