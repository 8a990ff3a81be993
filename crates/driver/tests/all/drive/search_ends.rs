//! What ends a search for the highest rate without one, and what must not.

use async_trait::async_trait;
use bakeoff_driver::drive::{Objective, Probe, ProbeError, Probed, Rate, WhyStopped, search};
use bakeoff_stats::{FailureKind, Tally};

use super::knees::{Knee, OPERATIONS, Queue, find, settings, told};

#[tokio::test]
async fn too_few_operations_end_the_search_at_once() {
    let mut server = Knee::new(7_000.0, 10_000.0, 1);
    let found = find("p99.9<10s", &mut server).await;
    assert_eq!(
        (found.rate, found.why_stopped),
        (None, WhyStopped::TooFewOperations)
    );
    assert_eq!(found.probes.len(), 2);
}

/// A server that is driven for this many seconds, so that lower rates have fewer operations.
struct For(f64, Knee);

#[async_trait]
impl Probe for For {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let probed = self.1.drive(rate).await?;
        let nanoseconds = probed.operations[0].response.max();
        let mut tally = Tally::default();
        let operations = (self.0 * probed.scheduled_rate) as u64;
        (0..operations).for_each(|_| tally.record(nanoseconds, nanoseconds));
        Ok(Probed {
            operations: vec![tally],
            ..probed
        })
    }
}

#[tokio::test]
async fn loads_with_too_few_operations_count_neither_way() {
    // Below 8,000 operations/s there are fewer than the 10,000 that the quantile needs.
    let mut server = For(1.2501, Knee::new(8_200.0, 10_000.0, 1));
    let found = find("p99.9<10ms", &mut server).await;
    let rate = found.estimate.unwrap().rate;
    assert!(
        (rate / 8_200.0 - 1.0).abs() < 0.05,
        "{rate}: {}",
        told(&found)
    );
    assert_eq!(found.why_stopped, WhyStopped::Narrow);
    assert!(found.failed_at.unwrap() > found.rate.unwrap());
    let silent: Vec<Rate> = { found.probes.iter() }
        .filter(|probe| probe.undecided)
        .map(|probe| probe.rate.unwrap())
        .collect();
    assert!(!silent.is_empty(), "the search came near: {}", told(&found));
    let is_higher = |two: &[Rate]| two[1] > two[0];
    assert!(
        silent.windows(2).all(is_higher),
        "lower ones are not tried again"
    );
    // Where the threshold lies below, the search says that its loads are too short.
    let mut server = For(1.2501, Knee::new(8_001.0, 10_000.0, 1));
    let found = find("p99.9<10ms", &mut server).await;
    assert_eq!(found.why_stopped, WhyStopped::TooFewOperations);
    assert!(found.estimate.is_some(), "{}", told(&found));
}

#[tokio::test]
async fn a_load_that_has_too_few_operations_by_chance_does_not_end_the_search() {
    /// The fourth load, above rates that hold, has few operations of a rare kind.
    struct Rare(Knee, usize);
    #[async_trait]
    impl Probe for Rare {
        async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
            let mut probed = self.0.drive(rate).await?;
            self.1 += 1;
            if self.1 == 4 {
                let mut few = Tally::default();
                few.record(1_000, 1_000);
                probed.operations = vec![few];
            }
            Ok(probed)
        }
    }
    let mut server = Rare(Knee::new(8_200.0, 10_000.0, 1), 0);
    let found = find("p99<10ms", &mut server).await;
    let by_chance = &found.probes[3];
    assert!(
        by_chance.undecided && by_chance.rate > found.rate,
        "{}",
        told(&found)
    );
    assert_eq!(found.why_stopped, WhyStopped::Narrow, "{}", told(&found));
    let rate = found.estimate.unwrap().rate;
    assert!((rate / 8_200.0 - 1.0).abs() < 0.05, "{}", told(&found));
}

#[tokio::test]
async fn an_objective_that_cannot_be_met_is_said_to_be_impossible() {
    let mut server = Queue::new(100.0, 1);
    // No operation takes less than its service time, 10 ms in the mean.
    let found = find("mean<1ms", &mut server).await;
    assert_eq!(
        (found.rate, found.why_stopped),
        (None, WhyStopped::Impossible)
    );
    assert!(found.probes.len() <= 25);
    let best = found
        .probes
        .iter()
        .filter_map(|p| p.measured[0].1)
        .fold(f64::MAX, f64::min);
    assert!(
        best > 5e6,
        "the best that was seen is in the probes: {best}"
    );
}

#[tokio::test]
async fn a_rate_that_is_not_reached_does_not_hold() {
    /// Fast, but not above 1000 operations per second.
    struct Capped;
    #[async_trait]
    impl Probe for Capped {
        async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
            let rate = rate.map_or(1_000.0, Rate::per_second);
            let mut tally = Tally::default();
            (0..1_000).for_each(|_| tally.record(1_000, 1_000));
            Ok(Probed {
                operations: vec![tally],
                scheduled_rate: rate,
                rate_reached: rate.min(1_000.0),
                unsent: u64::from(rate > 1_060.0),
                least_climb: None,
            })
        }
    }
    let found = find("p99<10ms", &mut Capped).await;
    let rate = found.estimate.unwrap().rate;
    assert!((970.0..=1_060.0).contains(&rate), "{rate}");
    let missed: Vec<&String> = found.probes.iter().flat_map(|p| &p.missed).collect();
    assert!(
        missed.iter().any(|m| m.contains("could not be sent")),
        "{missed:?}"
    );
    assert!(
        missed
            .iter()
            .any(|m| m.contains("operations/s were reached")),
        "{missed:?}"
    );
}

#[tokio::test]
async fn failing_operations_and_failing_loads_end_the_search() {
    struct AllFail;
    #[async_trait]
    impl Probe for AllFail {
        async fn drive(&mut self, _: Option<Rate>) -> Result<Probed, ProbeError> {
            let mut tally = Tally::default();
            tally.failures[FailureKind::Rejected as usize] = 9;
            Ok(Probed {
                operations: vec![tally],
                scheduled_rate: 9.0,
                rate_reached: 9.0,
                unsent: 0,
                least_climb: None,
            })
        }
    }
    let found = find("p99<10ms", &mut AllFail).await;
    assert_eq!(found.why_stopped, WhyStopped::NothingSucceeded);
    assert_eq!((found.rate, found.probes.len()), (None, 1));

    struct Broken;
    #[async_trait]
    impl Probe for Broken {
        async fn drive(&mut self, _: Option<Rate>) -> Result<Probed, ProbeError> {
            Err("the server is gone".into())
        }
    }
    let objective = Objective::parse("p99<10ms", &OPERATIONS).unwrap();
    let error = search(&objective, &mut Broken, settings())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "the server is gone");
}
