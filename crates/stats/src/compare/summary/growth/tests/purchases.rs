use super::{Ladder, ROWS, near, space};
use crate::compare::summary::{Purchase, RoomFrom};
use crate::{Needs, Record, Space};

/// Makes the purchase of a design of 10 bytes a row for 8 times as many rows.
fn purchase(space: Option<Record>) -> Option<Purchase> {
    let mut ladder = Ladder::of(&ROWS[4..]);
    ladder.store("a/x", ROWS[4], 10 * ROWS[4]);
    space.into_iter().for_each(|record| ladder.add(record));
    let forecast = ladder.forecast();
    let storage = forecast.design("a/x").unwrap().storage.clone();
    storage.unwrap().purchase
}

fn needing(highest: Option<u64>, needs: Needs) -> Record {
    let Record::Space(space) = space("a/x", 0) else {
        unreachable!()
    };
    Record::Space(Space {
        highest,
        needs,
        ..space
    })
}

const AT_REST: f64 = 3.0 * 80.0 * ROWS[4] as f64;

#[test]
fn what_was_seen_at_most_is_bought_on_disks_that_are_not_full() {
    let bought = purchase(Some(space("a/x", 15 * ROWS[4]))).unwrap();
    assert_eq!(bought.room_from, RoomFrom::Measured);
    near(bought.room, 1.5, 1e-12);
    near(bought.bytes, AT_REST * 1.5 / 0.8, 1e-12);
}

#[test]
fn what_the_engine_needs_counts_where_less_was_seen_and_is_called_estimated() {
    let needs = Needs {
        times: Some(2.0),
        why: Some("it writes all of it anew".to_owned()),
        log_bytes: Some(1_000_000),
    };
    for highest in [None, Some(15 * ROWS[4])] {
        let bought = purchase(Some(needing(highest, needs.clone()))).unwrap();
        let words = bought.room_from.in_words();
        assert_eq!(words, "estimated: it writes all of it anew");
        near(bought.bytes, (AT_REST * 2.0 + 3e6) / 0.8, 1e-12);
    }
    let more = purchase(Some(needing(Some(25 * ROWS[4]), needs))).unwrap();
    assert_eq!((more.room_from, more.room), (RoomFrom::Measured, 2.5));
}

#[test]
fn a_log_is_no_larger_than_what_was_written() {
    let needs = Needs {
        log_bytes: Some(u64::MAX),
        ..Needs::default()
    };
    let bought = purchase(Some(needing(Some(1), needs))).unwrap();
    near(bought.log_bytes, AT_REST / 3.0, 1e-12);
    near(bought.room, 1.0, 1e-12);
}

#[test]
fn runs_that_did_not_look_have_bytes_at_rest_only() {
    assert_eq!(purchase(None), None);
    assert_eq!(purchase(Some(needing(None, Needs::default()))), None);
}
