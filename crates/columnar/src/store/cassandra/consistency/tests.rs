//! Tests of what reads see of the writes of others.

use std::cell::Cell;

use scylla::statement::Consistency::{
    All, Any, EachQuorum, LocalOne, LocalQuorum, One, Quorum, Two,
};

use super::*;

#[tokio::test]
async fn it_is_looked_up_again_after_a_while_and_not_before() {
    let of_age = |age| MayWrite::looked_up(Moment::ago(age), None);
    let weak = || async { Ok(Some("too few copies".to_owned())) };
    let recent = of_age(LOOKED_UP_AGAIN_AFTER / 2);
    recent.check_by(weak).await.unwrap();
    let old = of_age(LOOKED_UP_AGAIN_AFTER);
    for _ in 0..2 {
        let error = old.check_by(weak).await.unwrap_err();
        assert_eq!(error.to_string(), "too few copies");
    }
    // It was looked up just now.
    old.check_by(|| async { Ok(None) }).await.unwrap_err();
}

#[tokio::test]
async fn nothing_is_written_while_it_cannot_be_looked_up() {
    let may_write = MayWrite::looked_up(Moment::ago(LOOKED_UP_AGAIN_AFTER), None);
    let fails = || async { Err(server(&"looking", "no answer")) };
    may_write.check_by(fails).await.unwrap_err();
    may_write.check_by(|| async { Ok(None) }).await.unwrap();
}

#[tokio::test]
async fn all_that_wait_for_a_look_up_fail_with_it() {
    let may_write = MayWrite::looked_up(Moment::ago(LOOKED_UP_AGAIN_AFTER), None);
    let looked_up = Cell::new(0);
    let fails = || {
        looked_up.set(looked_up.get() + 1);
        async { Err(server(&"looking", "no answer")) }
    };
    let held = may_write.0.lock().await;
    // Both wait before the first of them may look it up.
    let (one, other, ()) = futures::join!(
        may_write.check_by(fails),
        may_write.check_by(fails),
        async { drop(held) }
    );
    assert_eq!(looked_up.get(), 1);
    for failed in [one, other] {
        assert_eq!(failed.unwrap_err().to_string(), "looking: no answer");
    }
    // Who comes later asks again.
    may_write.check_by(fails).await.unwrap_err();
    assert_eq!(looked_up.get(), 2);
}

fn copies(each: &[u64]) -> Copies {
    let datacenter = |(at, copies): (usize, &u64)| (format!("dc{at}"), *copies);
    each.iter().enumerate().map(datacenter).collect()
}

#[test]
fn reads_and_writes_overlap_in_one_datacenter() {
    let is_safe = |level, number| overlap(level, level, &copies(&[number]));
    for level in [One, LocalOne, LocalQuorum, Quorum, EachQuorum, All] {
        assert!(is_safe(level, 1), "{level:?}");
    }
    assert!(!is_safe(Any, 1));
    for number in 2..6 {
        assert!(!is_safe(One, number) && !is_safe(LocalOne, number));
        assert!(is_safe(LocalQuorum, number) && is_safe(Quorum, number));
        assert!(is_safe(EachQuorum, number) && is_safe(All, number));
        assert!(overlap(One, All, &copies(&[number])));
        assert!(overlap(All, One, &copies(&[number])));
    }
    assert!(is_safe(Two, 3) && !is_safe(Two, 4));
}

#[test]
fn a_local_quorum_does_not_overlap_with_that_of_another_datacenter() {
    for each in [[1, 1], [3, 3], [3, 1]] {
        let copies = copies(&each);
        assert!(!overlap(LocalQuorum, LocalQuorum, &copies), "{each:?}");
        assert!(!overlap(LocalOne, EachQuorum, &copies) || each == [1, 1]);
        assert!(overlap(LocalQuorum, EachQuorum, &copies));
        assert!(overlap(EachQuorum, LocalQuorum, &copies));
        assert!(overlap(Quorum, Quorum, &copies));
        assert!(overlap(EachQuorum, EachQuorum, &copies));
        assert!(overlap(LocalOne, All, &copies));
    }
    assert!(!overlap(LocalQuorum, Quorum, &copies(&[3, 3])));
}

#[test]
fn what_is_seen_depends_on_both_levels() {
    assert!(reads_see_writes(One, All, &[3]));
    assert!(!reads_see_writes(One, Quorum, &[3]));
    assert!(reads_see_writes(Quorum, Quorum, &[3]));
    assert!(!reads_see_writes(LocalQuorum, LocalQuorum, &[3, 3]));
}

#[test]
fn reads_that_may_miss_rows_of_others_are_told() {
    let told = |read, each: &[u64]| missed("ks.readings", read, &copies(each));
    for (read, each) in [
        (One, &[1][..]),
        (LocalOne, &[1]),
        // A quorum of two is both.
        (LocalOne, &[2]),
        (Two, &[3]),
        (LocalQuorum, &[3]),
        (Quorum, &[3, 3]),
        (EachQuorum, &[3, 3]),
        (All, &[3]),
        (One, &[]),
    ] {
        assert_eq!(told(read, each), None, "{read:?} {each:?}");
    }
    for (read, each) in [
        (One, &[3][..]),
        (LocalOne, &[3]),
        (LocalQuorum, &[3, 3]),
        (One, &[3, 1]),
    ] {
        let told = told(read, each).unwrap();
        assert!(
            told.starts_with("rows of ks.readings that others"),
            "{told}"
        );
    }
    let told = told(One, &[3]).unwrap();
    assert!(
        told.contains("it is read at ONE, and of each row there are 3 in datacenter dc0;"),
        "{told}"
    );
}

#[test]
fn copies_are_where_the_replication_says() {
    let of = |pairs: &[(&str, &str)]| {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        copies_of(pairs.iter().map(owned).collect())
    };
    let simple = "org.apache.cassandra.locator.SimpleStrategy";
    assert_eq!(
        of(&[("class", simple), ("replication_factor", "3")]),
        [(String::new(), 3)]
    );
    let network = "org.apache.cassandra.locator.NetworkTopologyStrategy";
    let two = of(&[("class", network), ("b", "3/1"), ("a", "2"), ("c", "0")]);
    assert_eq!(two, [("a".to_owned(), 2), ("b".to_owned(), 3)]);
    assert!(of(&[("class", "org.apache.cassandra.locator.LocalStrategy")]).is_empty());
    assert!(overlap(One, One, &of(&[])));
}
