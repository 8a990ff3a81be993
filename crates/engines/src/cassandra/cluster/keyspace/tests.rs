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
    let three = keyspace.clone().with_copies("w", keyspace.copies + 2);
    assert_ne!(three.name, two.name);
    let another_run = Context {
        token: Some("b".to_owned()),
        ..Context::of_test("/data/run")
    };
    let another_run = Keyspace::new("w", &another_run).unwrap();
    assert_ne!(another_run.with_copies("w", two.copies).name, two.name);
    let marker = keyspace.owner.name();
    assert!(is_named_by(&keyspace.name, &marker) && is_named_by(&two.name, &marker));
    let shorter = keyspace.name.trim_start_matches("bakeoff_");
    for other in ["bakeoff_w_0badcafe", "bakeoff", "shop", shorter] {
        assert!(!is_named_by(other, &marker), "{other}");
    }
}

#[test]
fn a_keyspace_that_is_named_is_shared_and_is_not_dropped() {
    let named = |name: &str, owns_tables: bool| {
        let mut context = Context::of_test("/data/run");
        context.options.cassandra.keyspace = Some(name.to_owned());
        context.options.cassandra.owns_tables = owns_tables;
        Keyspace::new("w", &context)
    };
    let (shared, of_user) = (
        named("bench", false).unwrap(),
        named("bench", true).unwrap(),
    );
    assert_eq!(shared, Keyspace::found("bench", Owner::Shared));
    let tables_of = Some(run_name(Path::new("/data/run")));
    assert_eq!(
        of_user,
        Keyspace {
            tables_of,
            ..shared
        }
    );
    let error = of_user.check_not_shared().unwrap_err().0;
    assert!(error.contains("keyspace bench is shared"), "{error}");
    let error = named("Bench", true).unwrap_err().0;
    assert!(error.contains("not a valid keyspace name"), "{error}");
    let of_run = Keyspace::found("bakeoff_w_1", Owner::Run("a run".to_owned()));
    of_run.check_not_shared().unwrap();
    assert_eq!(of_run.drop_statement(), "DROP KEYSPACE bakeoff_w_1");
}

#[test]
fn a_name_that_needs_quotes_is_none_of_ours() {
    let longest = "x".repeat(NAME_LENGTH);
    for name in ["a", "bench_2", "bakeoff_w_0badcafe", longest.as_str()] {
        assert!(is_valid_name(name), "{name}");
    }
    let longer = "x".repeat(NAME_LENGTH + 1);
    let quoted = ["", "Bench", "benCh", "_bench", "2bench", "be-nch", "bä"];
    for name in quoted.into_iter().chain([longer.as_str()]) {
        assert!(!is_valid_name(name), "{name}");
    }
}

#[test]
fn an_existing_keyspace_is_used_only_if_its_marker_allows_it() {
    let of_run = Keyspace::found("ks", Owner::Run("a run".to_owned()));
    let shared = Keyspace::found("ks", Owner::Shared);
    // The text of the refusal is empty where there is none.
    let told = |keyspace: &Keyspace, marked: Option<bool>, waited: Duration| {
        let decided = keyspace.decide(marked, waited)?;
        Some(decided.err().map(|error| error.0).unwrap_or_default())
    };
    for keyspace in [&of_run, &shared] {
        let allowed = told(keyspace, Some(true), Duration::ZERO);
        assert_eq!(allowed.as_deref(), Some(""));
    }
    for (marked, why) in [
        (Some(false), "belongs to another run"),
        (None, "does not carry Bakeoff's marker"),
    ] {
        let refused = told(&of_run, marked, Duration::ZERO).unwrap();
        let end = "if it is not needed, or choose another --out folder";
        assert!(refused.contains(why) && refused.ends_with(end), "{refused}");
        // The process that made it may be about to mark it.
        assert_eq!(told(&shared, marked, MARKER_WAIT / 2), None);
        let refused = told(&shared, marked, MARKER_WAIT).unwrap();
        let how = "choose another --keyspace; or mark it as one in which tables may be made: CREATE TABLE \
                   ks.bakeoff_marker";
        assert!(refused.contains(why) && refused.contains(how), "{refused}");
        assert!(refused.ends_with(&shared.statements()[2]), "{refused}");
    }
}

#[test]
fn only_an_empty_keyspace_with_a_random_name_is_taken_without_a_marker() {
    let of_run = |has_random_name: bool| Keyspace {
        has_random_name,
        ..Keyspace::found("ks", Owner::Run("a run".to_owned()))
    };
    assert!(of_run(true).needs_no_marker(true));
    assert!(!of_run(true).needs_no_marker(false));
    assert!(!of_run(false).needs_no_marker(true));
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
