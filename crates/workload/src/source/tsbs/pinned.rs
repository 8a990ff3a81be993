//! Tests that rows stay what they have always been, since saved answers and published figures
//! depend on them.

use arrow::util::pretty::pretty_format_batches;
use xxhash_rust::xxh3::xxh3_64;

use super::tests::{all, open, rows};

#[test]
fn the_first_rows_of_a_host() {
    let source = open("generator = \"devops\"\nhosts = 2");
    let first = pretty_format_batches(&[rows(&*source, 0, 4, 4)]).unwrap();
    assert_eq!(first.to_string(), include_str!("pinned/cpu.txt").trim_end());
}

#[test]
fn the_first_rows_of_trucks() {
    for measurement in ["readings", "diagnostics"] {
        let data = format!("generator = \"iot\"\ntrucks = 3\nmeasurement = \"{measurement}\"");
        let first = pretty_format_batches(&[rows(&*open(&data), 0, 12, 12)]).unwrap();
        let expected = match measurement {
            "readings" => include_str!("pinned/readings.txt"),
            _ => include_str!("pinned/diagnostics.txt"),
        };
        assert_eq!(first.to_string(), expected.trim_end());
    }
}

/// Tests 1,000 rows at the start and 1,000 rows far from it for each measurement, as printed.
#[test]
fn rows_of_all_measurements() {
    let printed = all().into_iter().map(|(_, source)| {
        let near = rows(&*source, 0, 1000, 1000);
        let far = rows(&*source, 5_000_000_000, 1000, 1000);
        xxh3_64(
            pretty_format_batches(&[near, far])
                .unwrap()
                .to_string()
                .as_bytes(),
        )
    });
    assert_eq!(printed.collect::<Vec<_>>(), EXPECTED);
}

const EXPECTED: [u64; 11] = [
    7_607_087_099_212_091_785,
    15_540_499_670_112_394_375,
    4_472_432_187_667_025_542,
    8_854_649_081_084_000_625,
    7_663_519_426_858_757_632,
    69_451_687_826_745_683,
    10_114_858_870_040_920_212,
    9_453_252_625_294_882_926,
    13_964_569_060_943_734_820,
    14_655_727_202_074_636_557,
    5_489_379_924_761_892_538,
];
