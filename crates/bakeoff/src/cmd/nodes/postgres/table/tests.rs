use bakeoff_engines::nodes::Missing;
use bakeoff_engines::postgres_figures::{Checkpoints, Wal};

use super::*;

fn server(address: &str) -> ServerFigures {
    ServerFigures {
        address: address.to_owned(),
        version: Some("17.2".to_owned()),
        is_standby: Some(false),
        ..ServerFigures::default()
    }
}

fn database(name: &str, bytes: Option<u64>) -> DatabaseFigures {
    DatabaseFigures {
        name: name.to_owned(),
        bytes,
        ..DatabaseFigures::default()
    }
}

/// The line with this label, without it.
fn line<'a>(text: &'a str, label: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| line.starts_with(label));
    line.unwrap_or_else(|| panic!("no {label} in {text}"))[label.len()..].trim()
}

#[test]
fn a_primary_and_its_standby_are_columns() {
    let mut primary = server("db1:5432");
    primary.databases = Some(vec![database("metrics", Some(3 << 20))]);
    primary.replicas = Some(vec![Replica {
        name: "standby1".to_owned(),
        address: Some("10.0.0.2".to_owned()),
        state: Some("streaming".to_owned()),
        sync_state: Some("async".to_owned()),
        lag_bytes: Some(1 << 10),
        lag_seconds: Some(0.0),
    }]);
    let mut standby = server("db2:5432");
    standby.is_standby = Some(true);
    standby.databases = Some(vec![database("metrics", Some(3 << 20))]);
    standby.following = Some(Following {
        status: Some("streaming".to_owned()),
        primary: Some("db1:5432".to_owned()),
        behind_bytes: Some(0),
        behind_seconds: Some(0.0),
    });
    let text = render(&[primary, standby], true);
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "2 servers of PostgreSQL 17.2: databases have 6.00 MiB together, with every copy"
    );
    let roles: Vec<&str> = line(&text, "role").split_whitespace().collect();
    assert_eq!(roles, ["primary", "standby"]);
    let replica = line(&text, "standby1 at 10.0.0.2");
    assert!(
        replica.starts_with("streaming, async, 1.00 KiB behind, 0 s"),
        "{text}"
    );
    assert!(line(&text, "follows").ends_with("db1:5432, streaming"));
    assert!(line(&text, "behind").ends_with(", 0 s"), "{text}");
    assert!(!text.contains("Not available") && !text.contains("More of it"));
}

#[test]
fn figures_are_in_words_that_need_no_manual() {
    let mut one = server("db1:5432");
    one.sessions = Some(Sessions {
        open: Some(7),
        limit: Some(100),
        active: Some(2),
        ..Sessions::default()
    });
    one.checkpoints = Some(Checkpoints {
        timed: Some(12),
        requested: Some(3),
        ..Checkpoints::default()
    });
    one.wal = Some(Wal {
        bytes: Some(5 << 20),
        ..Wal::default()
    });
    one.io = Some(Io {
        reads: Some(9),
        read_bytes: Some(72 << 10),
        ..Io::default()
    });
    one.long_transactions = Some(Vec::new());
    one.tables = Some(vec![TableFigures {
        schema: "public".to_owned(),
        name: "t".to_owned(),
        bytes: Some(2 << 20),
        index_bytes: Some(1 << 20),
        live_tuples: Some(75),
        dead_tuples: Some(25),
        ..TableFigures::default()
    }]);
    one.indexes = Some(vec![IndexFigures {
        schema: "public".to_owned(),
        table: "t".to_owned(),
        name: "t_key".to_owned(),
        bytes: Some(1 << 20),
        scans: Some(0),
    }]);
    one.hypertables = Some(vec![Hypertable {
        schema: "public".to_owned(),
        name: "h".to_owned(),
        bytes: Some(4 << 20),
        chunks: Some(3),
        compressed_chunks: Some(2),
        uncompressed_bytes: Some(100),
        compressed_bytes: Some(10),
    }]);
    one.slots = Some(vec![Slot {
        name: "old".to_owned(),
        active: Some(false),
        kept_bytes: Some(1 << 30),
    }]);
    let text = render(&[one], false);
    for (label, words) in [
        ("sessions", "7 of 100, 2 active"),
        ("checkpoints", "12 timed, 3 requested"),
        ("written to the log", "5.00 MiB"),
        ("reads", "9, 72.0 KiB"),
        ("longest transaction", "none above 60 s"),
        (
            "public.t ",
            "2.00 MiB, 1.00 MiB of it indexes, 25.0% dead, never vacuumed",
        ),
        ("public.t_key of t", "1.00 MiB, 0 scans"),
        ("public.h", "4.00 MiB in 3 chunks, 2 compressed to 10.0%"),
        ("old", "not active, keeps 1.00 GiB of the log"),
    ] {
        assert_eq!(line(&text, label), words, "{text}");
    }
    assert!(text.contains("--metrics"), "{text}");
}

#[test]
fn what_is_missing_is_named_with_what_brings_it() {
    let mut known = server("db1:5432");
    known.databases = Some(vec![database("metrics", Some(1)), database("other", None)]);
    let mut silent = server("db2:5432");
    silent.version = None;
    silent.missing.push(Missing {
        figure: "all figures".to_owned(),
        reason: "cannot connect\u{1b}[2J".to_owned(),
    });
    let text = render(&[known, silent], true);
    assert!(
        text.starts_with("2 servers of PostgreSQL 17.2, of which 1 did not answer\n"),
        "{text}"
    );
    assert!(
        text.contains("  all figures of db2:5432: cannot connect"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(line(&text, "other").starts_with('–'), "{text}");
}
