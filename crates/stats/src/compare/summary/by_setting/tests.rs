use super::super::Difference;
use super::*;
use crate::compare::Record;
use crate::compare::testing::*;
use crate::{NotAsked, Role, Timing};

/// Design of a test: its id, a setting in force, and the seconds of `scan` in seven rounds whose own noise is a
/// hundredth.
struct Made {
    id: String,
    in_force: (&'static str, String),
    seconds: f64,
}

fn made(id: &str, in_force: &'static str, text: &str, seconds: f64) -> Made {
    Made {
        id: id.to_owned(),
        in_force: (in_force, text.to_owned()),
        seconds,
    }
}

/// Makes a design whose compressed chunks have this size in force.
fn chunk(id: &str, kib: u32, seconds: f64) -> Made {
    let text = format!("{{'class': 'LZ4Compressor', 'chunk_length_in_kb': {kib}}}");
    made(id, "compression", &text, seconds)
}

fn plain(id: &str) -> Made {
    made(id, "key", "(id)", 1.0)
}

fn summary(designs: &[Made]) -> Summary {
    let rounds = |(made, shift): (&Made, usize)| {
        let steps = [0.0, 0.01, -0.01, 0.005, -0.005, 0.008, -0.008];
        let in_round = |round: u32| {
            let factor = 1.0 + steps[(round as usize * 3 + shift) % 7];
            match timed(&made.id, "scan", made.seconds * factor) {
                Record::Timed(timing) => Record::Timed(Timing { round, ..timing }),
                record => record,
            }
        };
        (0..7).map(in_round).collect::<Vec<_>>()
    };
    let mut records = run(designs.iter().zip(0..).flat_map(rounds));
    let Record::Started(header) = &mut records[0] else {
        unreachable!()
    };
    let info = header.designs[0].clone();
    header.designs = { designs.iter() }
        .map(|made| DesignInfo {
            id: made.id.clone(),
            settings: vec![(made.in_force.0.to_owned(), made.in_force.1.clone())],
            ..info.clone()
        })
        .collect();
    Summary::from_records(&records).unwrap()
}

/// The values of a group, as text.
fn texts(group: &BySetting) -> Vec<&str> {
    group.designs.iter().map(|at| at.text.as_str()).collect()
}

#[test]
fn designs_of_one_setting_come_by_its_value_with_the_default_in_force() {
    let summary = summary(&[
        chunk("a/x?chunk=64KiB", 64, 1.0),
        chunk("a/x", 16, 1.0),
        chunk("a/x?chunk=4KiB", 4, 1.0),
        plain("a/y?chunk=8KiB"),
        plain("b/x?chunk=8KiB"),
    ]);
    let groups = summary.by_setting();
    let [group] = groups.as_slice() else {
        panic!("{groups:?}")
    };
    assert_eq!(
        (group.setting.as_str(), group.others.as_str()),
        ("chunk", "a/x")
    );
    assert_eq!(texts(group), ["4KiB", "16KiB", "64KiB"]);
    let values: Vec<f64> = group.designs.iter().map(|at| at.value).collect();
    assert_eq!(values, [4096.0, 16_384.0, 65_536.0]);
    let defaults: Vec<bool> = group.designs.iter().map(|at| at.is_default).collect();
    assert_eq!(defaults, [false, true, false]);
    assert_eq!(group.value_of("a/x"), Some("16KiB"));
    assert_eq!(group.value_of("a/y?chunk=8KiB"), None);
}

#[test]
fn a_default_that_is_not_shown_is_left_out() {
    let of = |default: Made| {
        let all = [
            chunk("a/x?chunk=4KiB", 4, 1.0),
            chunk("a/x?chunk=64KiB", 64, 1.0),
            default,
        ];
        summary(&all).by_setting().len()
    };
    assert_eq!(of(chunk("a/x", 16, 1.0)), 1);
    // Another name, another text, another number elsewhere, and the value of another design.
    assert_eq!(of(plain("a/x")), 0);
    assert_eq!(of(made("a/x", "compression", "none", 1.0)), 0);
    let zstd = "{'class': 'ZstdCompressor', 'chunk_length_in_kb': 16}";
    assert_eq!(of(made("a/x", "compression", zstd, 1.0)), 0);
    let lz5 = "{'class': 'LZ5Compressor', 'chunk_length_in_kb': 16}";
    assert_eq!(of(made("a/x", "compression", lz5, 1.0)), 0);
    assert_eq!(of(chunk("a/x", 64, 1.0)), 0);
}

#[test]
fn what_is_not_in_proportion_to_the_values_is_no_default() {
    let all = [
        made("a/x?page=100", "buffer", "200 rows", 1.0),
        made("a/x?page=500", "buffer", "600 rows", 1.0),
        made("a/x", "buffer", "1000 rows", 1.0),
    ];
    assert!(summary(&all).by_setting().is_empty());
}

#[test]
fn a_value_of_zero_is_in_proportion() {
    let all = [
        made("a/x", "cache", "0 MiB", 1.0),
        made("a/x?cache=64", "cache", "64 MiB", 1.0),
        made("a/x?cache=128", "cache", "128 MiB", 1.0),
    ];
    assert_eq!(texts(&summary(&all).by_setting()[0]), ["0", "64", "128"]);
    let mut named = all;
    named[0].id = "a/x?cache=0".to_owned();
    let summary = summary(&named);
    assert_eq!(texts(&summary.by_setting()[0]), ["0", "64", "128"]);
}

#[test]
fn all_other_settings_have_to_be_the_same() {
    let ids = |ids: &[&str]| {
        let all: Vec<Made> = ids.iter().map(|id| plain(id)).collect();
        let groups = summary(&all).by_setting().into_iter();
        let names = groups.map(|group| format!("{} of {}", group.setting, group.others));
        names.collect::<Vec<_>>()
    };
    let none: [String; 0] = [];
    assert_eq!(ids(&["a/x?c=1&k=1", "a/x?c=1&k=2", "a/x?c=2&k=3"]), none);
    assert_eq!(ids(&["a/x?k=1", "a/x?k=2", "a/y?k=3"]), none);
    assert_eq!(ids(&["a/x?k=1", "a/x?k=2", "a/x?k=on", "a/x?k=3h"]), none);
    assert_eq!(ids(&["a/x?k=1", "a/x?k=2", "a/x?k=3"]), ["k of a/x"]);
    let grid: Vec<String> = (0..9)
        .map(|n| format!("a/x?c={}&k={}&z=on", n / 3, n % 3))
        .collect();
    let grid: Vec<&str> = grid.iter().map(String::as_str).collect();
    assert_eq!(
        ids(&grid),
        [
            "c of a/x?k=0&z=on",
            "k of a/x?c=0&z=on",
            "c of a/x?k=1&z=on",
            "c of a/x?k=2&z=on",
            "k of a/x?c=1&z=on",
            "k of a/x?c=2&z=on"
        ]
    );
}

#[test]
fn equal_values_come_once_and_yardsticks_not_at_all() {
    let mut summary = summary(&[
        plain("a/x?bucket=1d"),
        plain("a/x?bucket=24h"),
        plain("a/x?bucket=7d"),
        plain("a/x?bucket=1h30m"),
    ]);
    let groups = summary.by_setting();
    assert_eq!(texts(&groups[0]), ["1h30m", "1d", "7d"]);
    summary.designs[3].info.role = Role::Volatile;
    assert!(summary.by_setting().is_empty());
}

#[test]
fn tables_of_some_columns_are_compared_with_that_of_all() {
    let mut summary = summary(&[
        plain("a/x"),
        made("a/x?columns=5", "key", "(id)", 0.25),
        made("a/x?columns=10", "key", "(id)", 0.5),
        plain("a/y?columns=5"),
    ]);
    summary.header.columns = 57;
    for design in &mut summary.designs[1..] {
        design.info.role = Role::SomeColumns;
    }
    let groups = summary.by_setting();
    let [group] = groups.as_slice() else {
        panic!("{groups:?}")
    };
    assert!(group.is_of_columns());
    assert_eq!(texts(group), ["5", "10", "57"]);
    let default = &group.designs[2];
    assert_eq!((default.design.as_str(), default.is_default), ("a/x", true));
    let query = group.comparison.query("scan").unwrap();
    assert_eq!(query.best.as_deref(), Some("a/x?columns=5"));
    // Among all designs none of them may be chosen.
    let all = PairedComparison::of(&summary, |_| true);
    let query = all.query("scan").unwrap();
    assert_eq!(query.best.as_deref(), Some("a/x"));

    assert!(group.is_asked(&summary, "scan"));
    summary.designs[1].info.not_asked = vec![NotAsked {
        query: "scan".to_owned(),
        why: "needs the column v".to_owned(),
    }];
    assert!(!group.is_asked(&summary, "scan"));
    assert!(group.is_asked(&summary, "other"));
}

#[test]
fn tables_of_some_columns_are_compared_by_their_number_only() {
    let mut summary = summary(&[
        plain("a/x?columns=5&page=100"),
        plain("a/x?columns=5&page=200"),
        plain("a/x?columns=5&page=300"),
        plain("a/x?columns=6&page=300"),
        plain("a/x?columns=7&page=300"),
    ]);
    for design in &mut summary.designs {
        design.info.role = Role::SomeColumns;
    }
    let groups = summary.by_setting().into_iter();
    let names = groups.map(|group| format!("{} of {}", group.setting, group.others));
    assert_eq!(names.collect::<Vec<_>>(), ["columns of a/x?page=300"]);
}

#[test]
fn the_designs_are_compared_with_each_other_and_not_with_the_best_of_the_run() {
    let summary = summary(&[
        made("a/x?page=100", "page", "100 rows", 4.0),
        made("a/x?page=10000", "page", "10000 rows", 1.02),
        made("a/x?page=50000", "page", "50000 rows", 1.0),
        made("a/x", "page", "5000 rows", 1.5),
        plain("a/fastest"),
    ]);
    let group = &summary.by_setting()[0];
    let query = group.comparison.query("scan").unwrap();
    assert_eq!(query.best.as_deref(), Some("a/x?page=50000"));
    let difference = |design: &str| query.design(design).map(|design| design.difference);
    assert_eq!(difference("a/x?page=50000"), Some(Difference::Best));
    assert_eq!(difference("a/x?page=10000"), Some(Difference::Same));
    assert_eq!(difference("a/x"), Some(Difference::Slower));
    assert_eq!(difference("a/x?page=100"), Some(Difference::Slower));
    assert_eq!(difference("a/fastest"), None);
    assert_eq!((query.same_within, group.same_within), (0.05, 0.05));
}

#[test]
fn ids_that_nobody_would_write_are_in_no_group() {
    let many: Vec<String> = (0..5000).map(|n| format!("k{n}=1")).collect();
    let many = format!("a/x?{}", many.join("&"));
    let digits = format!("a/x?k={}", "9".repeat(500));
    let ids = [
        "a/x?", "a/x?k", "a/x?=", "?k=1", "a/x?&&", &many, &digits, "",
    ];
    let all: Vec<Made> = ids.iter().map(|id| plain(id)).collect();
    assert!(summary(&all).by_setting().is_empty());
    let zeros = |n: usize| plain(&format!("a/x?k={}{n}", "0".repeat(50)));
    let all: Vec<Made> = (1..4).map(zeros).collect();
    assert_eq!(texts(&summary(&all).by_setting()[0]), ["1", "2", "3"]);
}
