use bakeoff_stats::FailureKind;

use super::*;

const MIX: [&str; 3] = ["read", "write", "a.b"];

fn parse(text: &str) -> Result<Objective, ObjectiveError> {
    Objective::parse(text, &MIX)
}

/// Responses of 1, 2, ... 1000 microseconds, each ten times.
fn tally() -> Tally {
    let mut tally = Tally::default();
    let micros = (1..=1000).flat_map(|micros| [micros; 10]);
    micros.for_each(|micros| tally.record(micros * 1_000, 1_000));
    tally
}

#[test]
fn statistics_are_judged_on_response_times() {
    let operations = [tally(), Tally::default(), Tally::default()];
    let holds = |text: &str| parse(text).unwrap().judge(&operations, 0).holds();
    assert!(holds("p99<1ms") && !holds("p99<980us"));
    assert!(holds("p50<510 us") && !holds("p50<490us"));
    assert!(holds("mean<0.51ms") && !holds("mean<0.49ms"));
    assert!(holds("max<2ms") && !holds("max<999us"));
    assert!(holds("read.p99.9<1.1ms") && !holds("read.p99.9<990us"));
    assert!(holds("p99<1s, mean<1s") && !holds("p99<1s,mean<1us"));
    assert!(!holds("write.p99<1s"), "none succeeded");
}

#[test]
fn errors_count_unless_they_are_allowed() {
    let mut failing = tally();
    failing.failures[FailureKind::TimedOut as usize] = 100;
    let operations = [failing];
    let judge = |text: &str| parse(text).unwrap().judge(&operations, 0);
    let judgement = judge("p95<1s");
    assert_eq!(judgement.missed, ["errors<0.1%: 0.990 % failed"]);
    assert!(judge("p95<1s,errors<1%").holds());
    assert!(!judge("p95<1s,errors<0.99%").holds());
}

#[test]
fn what_failed_or_was_never_sent_is_infinitely_slow() {
    let mut failing = tally();
    failing.failures[FailureKind::TimedOut as usize] = 101;
    let judge = |text: &str, unsent| parse(text).unwrap().judge(&[failing.clone()], unsent);
    let slow = judge("p99.9<1s,errors<5%", 0);
    let missed = "p99.9<1s: 101 operations failed or were never sent";
    assert_eq!(slow.missed, [missed]);
    assert_eq!(slow.measured, [("p99.9<1s".to_owned(), None)]);
    assert!(!slow.has_too_few);
    // The slowest 1% are failures, but for the fastest of them.
    assert!(judge("p98.9<1s,errors<5%", 0).holds());
    assert!(
        !judge("p98.9<1s,errors<5%", 20).holds(),
        "unsent count, too"
    );
    assert!(!judge("max<1s,errors<5%", 0).holds());
    assert!(
        judge("mean<1s,errors<5%", 0).holds(),
        "of those that succeeded"
    );
    // At 98% it is no longer the slowest of those that succeeded: 9,898 of 10,000 + 101.
    let p98 = judge("p98<1s,errors<5%", 0).measured[0].1.unwrap();
    assert!((p98 / 990e3 - 1.0).abs() < 2e-3, "{p98}");
}

#[test]
fn a_quantile_needs_ten_operations_that_are_slower() {
    let judge = |text: &str, count: u64| {
        let mut tally = Tally::default();
        (0..count).for_each(|_| tally.record(1_000, 1_000));
        parse(text).unwrap().judge(&[tally], 0)
    };
    for (text, fewest) in [("p50<1s", 20), ("p99<1s", 1_000), ("p99.9<1s", 10_000)] {
        assert!(judge(text, fewest).holds(), "{text}");
        let few = judge(text, fewest - 1);
        assert!(few.has_too_few && !few.holds(), "{text}");
        assert!(!few.is_missed, "{text}");
        assert_eq!(few.measured[0].1, None);
    }
    let expected = "p99.9<1s: too few operations for p99.9 (500; 10000 are needed)";
    assert_eq!(judge("p99.9<1s", 500).missed, [expected]);
    assert!(judge("p99.9<1s,mean<1ns", 500).is_missed);
    assert!(judge("max<1s,p100<1s,mean<1s", 1).holds());
}

#[test]
fn objectives_that_mean_nothing_are_refused_with_advice() {
    use ObjectiveError as E;
    let error = |text: &str| parse(text).unwrap_err();
    for text in ["", "p99", "p99<", "<10ms", "p99>10ms", "p99<1ms,"] {
        assert!(matches!(error(text), E::Unreadable(_)), "{text}");
    }
    for text in [
        "p100.1<1ms",
        "p0<1ms",
        "p<1ms",
        "p-5<1ms",
        "median<1ms",
        "read.q<1s",
    ] {
        assert!(matches!(error(text), E::Statistic(_)), "{text}");
    }
    for text in [
        "p99<10",
        "p99<fast",
        "p99<-1ms",
        "p99<NaNms",
        "p99<10min",
        "p99<infs",
    ] {
        assert!(matches!(error(text), E::Time(_)), "{text}");
    }
    for text in ["errors<0%", "errors<0.1", "errors<101%", "errors<x%"] {
        assert!(matches!(error(text), E::Errors(_)), "{text}");
    }
    assert!(matches!(error("p99<0ms"), E::Zero(_)));
    assert_eq!(error("errors<1%"), E::NoTime);
    let unknown = error("scan.p99.9<1ms").to_string();
    assert_eq!(
        unknown,
        "the mix has no operation \"scan\"; it has read, write, a.b"
    );
}

#[test]
fn names_may_contain_dots_and_all_is_written_out() {
    let objective = parse("a.b.p99.9<10ms, max<1s").unwrap();
    assert_eq!(objective.limits[0].operation, Some(2));
    assert_eq!(objective.to_string(), "a.b.p99.9<10ms, max<1s, errors<0.1%");
}

#[test]
fn an_operation_may_be_named_like_the_beginning_of_another() {
    let operations = ["read", "read.hot", "read.p99"];
    let operation = |text: &str| {
        let objective = Objective::parse(text, &operations).unwrap();
        objective.limits[0].operation
    };
    assert_eq!(operation("read.p99<1ms"), Some(0));
    assert_eq!(operation("read.p99.9<1ms"), Some(0));
    assert_eq!(operation("read.hot.p99<1ms"), Some(1));
    assert_eq!(operation("read.p99.max<1ms"), Some(2));
    let error = Objective::parse("read.hot.p0<1ms", &operations).unwrap_err();
    assert_eq!(error, ObjectiveError::Statistic("p0".to_owned()));
}
