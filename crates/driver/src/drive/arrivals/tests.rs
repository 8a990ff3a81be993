use proptest::prelude::*;

use super::*;

const WHOLE: Share = Share {
    thread: 0,
    threads: 1,
    shard: 0,
    shards: 1,
};

fn dues(schedule: &str, duration: Duration, share: Share) -> Vec<u64> {
    let schedule = match schedule.strip_prefix("random ") {
        Some(rate) => Schedule::parse(rate).unwrap().at_random().unwrap(),
        None => Schedule::parse(schedule).unwrap(),
    };
    let mut arrivals = Arrivals::new(&schedule, duration, share, [7, 0]).unwrap();
    let mut dues = Vec::new();
    while let Some(due) = arrivals.next() {
        dues.push(due);
        arrivals.advance();
    }
    dues
}

fn shares(threads: u64, shards: u64) -> impl Iterator<Item = Share> {
    let pairs = (0..threads).flat_map(move |t| (0..shards).map(move |s| (t, s)));
    pairs.map(move |(thread, shard)| Share {
        thread,
        threads,
        shard,
        shards,
    })
}

#[test]
fn constant_arrivals_are_exact_and_do_not_drift() {
    let second = Duration::from_secs(1);
    let fives = dues("5k", second, WHOLE);
    assert_eq!(fives.len(), 5_000);
    assert!(
        fives
            .iter()
            .enumerate()
            .all(|(n, due)| *due == n as u64 * 200_000)
    );
    // Thirds of a second cannot be represented, and still do not add up to an error.
    let thirds = dues("3", Duration::from_secs(100_000), WHOLE);
    assert_eq!(thirds.len(), 300_000);
    for (n, due) in thirds.iter().enumerate() {
        assert_eq!(*due, n as u64 * 1_000_000_000 / 3);
    }
}

#[test]
fn steps_follow_each_other_and_each_has_its_rate() {
    let dues = dues("10,20,5", Duration::from_secs(6), WHOLE);
    let in_step = |from: u64| {
        let span = from * 1_000_000_000..(from + 2) * 1_000_000_000;
        dues.iter().filter(|due| span.contains(due)).count()
    };
    assert_eq!((in_step(0), in_step(2), in_step(4)), (20, 40, 10));
    assert!(dues.is_sorted());
    assert_eq!(dues[20], 2_000_000_000);
    assert_eq!(dues[21], 2_050_000_000);
}

#[test]
fn a_ramp_has_its_rate_at_every_moment() {
    for (text, first, last) in [
        ("0..1k", 50, 950),
        ("1k..0", 950, 50),
        ("500..500", 500, 500),
    ] {
        let dues = dues(text, Duration::from_secs(10), WHOLE);
        assert!(dues.len().abs_diff(5_000) <= 1, "{text}: {}", dues.len());
        assert!(dues.is_sorted());
        let in_second = |s: u64| dues.iter().filter(|due| **due / 1_000_000_000 == s).count();
        assert!(
            in_second(0).abs_diff(first) <= 1,
            "{text}: {}",
            in_second(0)
        );
        assert!(in_second(9).abs_diff(last) <= 1, "{text}: {}", in_second(9));
    }
}

#[test]
fn random_arrivals_have_exponential_distances() {
    let dues = dues("random 1k", Duration::from_secs(100), WHOLE);
    // Poisson with a mean of 100,000: standard deviation 316; five of them either way.
    assert!(dues.len().abs_diff(100_000) < 1_600, "{}", dues.len());
    let gaps: Vec<f64> = dues.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    let coefficient = variance.sqrt() / mean;
    assert!((coefficient - 1.0).abs() < 0.02, "{coefficient}");
    // And of them 1 - 1/e are shorter than the mean.
    let shorter = gaps.iter().filter(|g| **g < mean).count() as f64 / gaps.len() as f64;
    assert!((shorter - 0.632).abs() < 0.01, "{shorter}");
}

#[test]
fn random_arrivals_of_several_workers_have_the_whole_rate() {
    let duration = Duration::from_secs(100);
    let each: Vec<_> = shares(2, 2)
        .map(|s| dues("random 1k", duration, s))
        .collect();
    let all: usize = each.iter().map(Vec::len).sum();
    assert!(all.abs_diff(100_000) < 1_600, "{all}");
    assert!(each.windows(2).all(|w| w[0] != w[1]), "workers differ");
}

#[test]
fn what_is_left_is_counted() {
    let schedule = Schedule::parse("1k").unwrap();
    let arrivals = |duration| Arrivals::new(&schedule, duration, WHOLE, [1, 0]).unwrap();
    let ten = Duration::from_secs(10);
    assert_eq!(arrivals(ten).count_until(u64::MAX), 10_000);
    assert_eq!(arrivals(ten).count_until(2_000_000_000), 2_000);
    let mut late = arrivals(ten);
    (0..9_000).for_each(|_| late.advance());
    assert_eq!(late.count_until(u64::MAX), 1_000);
    let many = arrivals(Duration::from_secs(100_000)).count_until(u64::MAX);
    assert!(many.abs_diff(100_000_000) <= 1, "{many}");
}

proptest! {
    /// The shares of all workers together are the schedule of one, whatever their number.
    #[test]
    fn shares_add_up_to_the_whole(
        text in prop_oneof![
            Just("1k"), Just("333.25"), Just("7"), Just("10..500"), Just("500..10"),
            Just("100,30,250"),
        ],
        millis in 1u64..5_000,
        threads in 1u64..5,
        shards in 1u64..4,
    ) {
        let duration = Duration::from_millis(millis);
        let whole = dues(text, duration, WHOLE);
        let mut parts: Vec<u64> = shares(threads, shards)
            .flat_map(|share| dues(text, duration, share))
            .collect();
        parts.sort_unstable();
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn numbers_of_all_workers_are_all_numbers(threads in 1u64..6, shards in 1u64..6) {
        let mut numbers: Vec<u64> = shares(threads, shards)
            .flat_map(|share| (0..10).map(move |count| share.number(count)))
            .collect();
        numbers.sort_unstable();
        let all: Vec<u64> = (0..10 * threads * shards).collect();
        prop_assert_eq!(numbers, all);
    }
}

#[test]
fn random_arrivals_of_each_load_differ_and_repeat() {
    let schedule = Schedule::parse("1k").unwrap().at_random().unwrap();
    let first = |ordinal| {
        let duration = Duration::from_secs(1);
        let arrivals = Arrivals::new(&schedule, duration, WHOLE, [7, ordinal]).unwrap();
        arrivals.next()
    };
    assert_eq!(first(1), first(1));
    assert_ne!(first(0), first(1));
}
