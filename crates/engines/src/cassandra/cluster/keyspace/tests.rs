use std::path::Path;

use super::*;
use crate::owner::run_name;

#[test]
fn a_run_has_one_keyspace_and_another_run_another() {
    let a = name("formats", "vm /runs/a");
    assert_eq!(a, name("formats", "vm /runs/a"));
    assert_ne!(a, name("formats", "vm /runs/b"));
    assert!(name(&"x".repeat(60), "vm /runs/b").len() <= 48);
}

#[test]
fn clones_of_a_machine_have_keyspaces_of_their_own() {
    let of_run = |token: Option<&str>| {
        let context = Context {
            token: token.map(str::to_owned),
            ..Context::of_test("/data/run")
        };
        Keyspace::new("w", &context).unwrap()
    };
    let (one, other, earlier) = (of_run(Some("a")), of_run(Some("b")), of_run(None));
    assert_ne!(one.name, other.name);
    assert_ne!(one.owner.name(), other.owner.name());
    assert_eq!(one.name, of_run(Some("a")).name, "a resumed run finds it");
    assert!(one.has_random_name && !earlier.has_random_name);
    assert_eq!(earlier.owner.name(), run_name(Path::new("/data/run")));
}

#[test]
fn other_copies_have_a_keyspace_of_their_own_in_the_same_run() {
    let context = Context {
        token: Some("a".to_owned()),
        ..Context::of_test("/data/run")
    };
    let keyspace = Keyspace::new("w", &context).unwrap();
    let (same, two) = (
        keyspace.clone().with_copies("w", keyspace.copies),
        keyspace.clone().with_copies("w", keyspace.copies + 1),
    );
    assert_eq!(same, keyspace);
    assert_ne!(two.name, keyspace.name);
    assert_eq!(
        (two.copies, &two.owner),
        (keyspace.copies + 1, &keyspace.owner)
    );
    assert!(two.name.len() <= NAME_LENGTH);
    let marker = keyspace.owner.name();
    assert!(is_named_by(&keyspace.name, &marker) && is_named_by(&two.name, &marker));
    let shorter = keyspace.name.trim_start_matches("bakeoff_");
    for other in ["bakeoff_w_0badcafe", "bakeoff", "shop", shorter] {
        assert!(!is_named_by(other, &marker), "{other}");
    }
}

#[test]
fn copies_of_all_datacenters_are_added_up() {
    let of = |pairs: &[(&str, &str)]| {
        let class = (
            "class",
            "org.apache.cassandra.locator.NetworkTopologyStrategy",
        );
        let pairs = pairs.iter().chain([&class]);
        let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        copies_of(&pairs.collect())
    };
    assert_eq!(of(&[("dc1", "3"), ("dc2", "2")]), Some(5));
    assert_eq!(of(&[("replication_factor", "1")]), Some(1));
    assert_eq!(of(&[("dc1", "3/1")]), Some(3));
    assert_eq!(of(&[("dc1", "many")]), None);
    assert_eq!(of(&[]), None);
}

#[test]
fn a_quote_in_a_folder_name_stays_inside_its_literal() {
    let keyspace = Keyspace {
        name: "ks".to_owned(),
        owner: Owner::Run("host /it's".to_owned()),
        has_random_name: false,
        copies: 3,
        tables_of: None,
    };
    let [create, .., insert] = keyspace.statements();
    let replication = "{'class': 'NetworkTopologyStrategy', 'replication_factor': 3}";
    assert!(create.ends_with(replication), "{create}");
    assert!(insert.ends_with("/it''s')"), "{insert}");
}
