//! The checker finds each kind of violation in histories that are made by hand.

use super::{History, Moment, Read, Violation, Write};

/// A version, `+` for a row or `-` for a deletion, and the moments at which it was begun and acknowledged.
type Written = (i64, char, Moment, Option<Moment>);

/// Writes of key 1, and answers.
fn history(writes: &[Written], reads: &[Read]) -> History {
    let write = |(version, kind, began, acknowledged): &Written| Write {
        key: 1,
        version: *version,
        deleted: *kind == '-',
        began: *began,
        acknowledged: *acknowledged,
    };
    History {
        writes: writes.iter().map(write).collect(),
        reads: reads.to_vec(),
    }
}

/// An answer to a question about key 1 with these versions.
fn read(began: Moment, ended: Moment, versions: &[i64]) -> Read {
    Read {
        began,
        ended,
        asked: vec![1],
        rows: versions.iter().map(|version| (1, *version)).collect(),
    }
}

fn found(writes: &[Written], reads: &[Read]) -> Vec<Violation> {
    let violations = history(writes, reads).violations();
    violations.into_iter().map(|(_, wrong)| wrong).collect()
}

#[test]
fn a_history_in_which_all_is_well_has_no_violations() {
    let writes = [
        (10, '+', 0, Some(5)),
        (20, '+', 6, Some(15)),
        (30, '-', 16, Some(20)),
        (40, '+', 21, Some(30)),
    ];
    let reads = [
        read(0, 1, &[]),
        read(1, 4, &[10]),
        read(6, 7, &[10]),
        // While a write goes on, both are right, in any order.
        read(7, 8, &[20]),
        read(9, 10, &[10]),
        read(16, 17, &[20]),
        read(17, 18, &[]),
        read(21, 25, &[]),
        read(22, 25, &[40]),
        read(31, 32, &[40]),
    ];
    assert_eq!(found(&writes, &reads), []);
}

#[test]
fn a_lost_row_is_found() {
    let lost = [Violation::Lost {
        key: 1,
        acknowledged: 10,
    }];
    let one = (10, '+', 0, Some(5));
    assert_eq!(found(&[one], &[read(6, 7, &[])]), lost);
    // It may have been read before it was there.
    assert_eq!(found(&[one], &[read(4, 9, &[])]), []);
    // A deletion that is older, or was begun after the answer, does not explain it.
    let older = (5, '-', 0, Some(1));
    assert_eq!(found(&[older, one], &[read(6, 7, &[])]), lost);
    let later = (20, '-', 8, Some(9));
    assert_eq!(found(&[one, later], &[read(6, 7, &[])]), lost);
    // One that was never acknowledged does, since it may be there.
    let maybe = (20, '-', 1, None);
    assert_eq!(found(&[one, maybe], &[read(6, 7, &[])]), []);
}

#[test]
fn a_doubled_row_is_found() {
    let writes = [(10, '+', 0, Some(5)), (20, '+', 6, None)];
    let doubled = Violation::Doubled { key: 1 };
    assert_eq!(found(&writes, &[read(6, 7, &[10, 10])]), [doubled]);
    assert_eq!(found(&writes, &[read(6, 7, &[10, 20])]), [doubled]);
}

#[test]
fn a_row_that_is_older_than_an_acknowledged_one_is_found() {
    let writes = [
        (10, '+', 0, Some(1)),
        (20, '+', 2, Some(5)),
        (30, '+', 6, None),
    ];
    let stale = Violation::Stale {
        key: 1,
        found: 10,
        acknowledged: 20,
    };
    assert_eq!(found(&writes, &[read(8, 9, &[10])]), [stale]);
    // So is an answer that goes back.
    let back = [read(6, 7, &[20]), read(8, 9, &[10])];
    assert_eq!(found(&writes, &back), [stale]);
    // What was not acknowledged may be there, and then not.
    let maybe = [read(7, 8, &[30]), read(9, 10, &[20]), read(11, 12, &[30])];
    assert_eq!(found(&writes, &maybe), []);
    // A clock that is behind loses: 10 was acknowledged last.
    let behind = [(20, '+', 0, Some(1)), (10, '+', 2, Some(3))];
    assert_eq!(found(&behind, &[read(4, 5, &[20])]), []);
    assert_eq!(found(&behind, &[read(4, 5, &[10])]), [stale]);
}

#[test]
fn a_deleted_row_that_is_back_is_found() {
    let writes = [(10, '+', 0, Some(1)), (20, '-', 2, Some(5))];
    let back = Violation::Resurrected {
        key: 1,
        found: 10,
        deleted: 20,
    };
    assert_eq!(found(&writes, &[read(6, 7, &[10])]), [back]);
    assert_eq!(found(&writes, &[read(4, 7, &[10])]), []);
    let maybe = [(10, '+', 0, Some(1)), (20, '-', 2, None)];
    assert_eq!(found(&maybe, &[read(6, 7, &[10])]), []);
}

#[test]
fn a_row_that_nobody_wrote_is_found() {
    let writes = [(10, '+', 5, Some(6)), (20, '-', 7, None)];
    let invented = |found| [Violation::Invented { key: 1, found }];
    assert_eq!(found(&writes, &[read(8, 9, &[11])]), invented(11));
    // Nor can it be there before its write began, or be the value of a deletion.
    assert_eq!(found(&writes, &[read(1, 4, &[10])]), invented(10));
    assert_eq!(found(&writes, &[read(8, 9, &[20])]), invented(20));
    // Another key's value is not this one's.
    let mut other = read(8, 9, &[10]);
    other.rows[0].0 = 2;
    let lost = Violation::Lost {
        key: 1,
        acknowledged: 10,
    };
    let of_other = Violation::Invented { key: 2, found: 10 };
    let written = [(10, '+', 5, Some(6))];
    assert_eq!(found(&written, &[other]), [of_other, lost]);
}

#[test]
fn a_violation_is_explained_by_the_versions_of_its_key() {
    let history = history(&[(10, '+', 0, Some(5))], &[read(6, 7, &[])]);
    let text = history.explained(&history.violations());
    assert!(
        text.contains("key 1 is lost: 10 was acknowledged"),
        "{text}"
    );
    assert!(text.contains("version: 10"), "{text}");
}
