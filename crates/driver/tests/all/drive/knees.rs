//! The search finds the knees of simulated servers.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::drive::{
    Done, Failure, Found, Objective, Probe, ProbeError, ProbeResult, Probed, Rate, Schedule,
    SearchSettings, Stop, WhyStopped, drive_here, search,
};
use bakeoff_stats::{FailureKind, Tally};
use bakeoff_testing::times;
use bakeoff_workload::Stream;
use tokio::sync::Semaphore;

use super::fake::{Fake, MILLISECOND, Seconds, plan};

const OPERATIONS: [&str; 1] = ["read"];

fn settings() -> SearchSettings {
    SearchSettings::new(Rate::new(1.0).unwrap())
}

/// The loads of a search in short.
fn told(found: &Found) -> String {
    let probes = found.probes.iter().map(|probe| {
        let rate = probe.rate.map_or(0.0, Rate::per_second);
        format!(
            "{rate:.1} {}",
            if probe.holds() { "held" } else { "failed" }
        )
    });
    format!(
        "{:?}: {}",
        found.why_stopped,
        probes.collect::<Vec<_>>().join(", ")
    )
}

async fn find(objective: &str, probe: &mut dyn Probe) -> Found {
    let objective = Objective::parse(objective, &OPERATIONS).unwrap();
    search(&objective, probe, settings()).await.unwrap()
}

/// A server with one queue, exponential service times and random arrivals (M/M/1), operation by
/// operation: Lindley's recursion gives each one's waiting time.
struct Queue {
    /// Operations per second that it can serve.
    capacity: f64,
    operations: u64,
    stream: Stream,
}

impl Queue {
    fn new(capacity: f64, seed: u64) -> Queue {
        Queue {
            capacity,
            operations: 100_000,
            stream: Stream::new(&[seed]),
        }
    }

    fn exponential(&mut self, rate: f64) -> f64 {
        -(1.0 - self.stream.unit()).ln() / rate
    }

    /// Response times are exponential with the rate capacity - arrivals, so their quantile q is
    /// below a limit up to this rate (Kleinrock: "Queueing systems", 1975, section 3.2).
    fn knee(&self, quantile: f64, limit_seconds: f64) -> f64 {
        self.capacity + (1.0 - quantile).ln() / limit_seconds
    }
}

#[async_trait]
impl Probe for Queue {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let arrivals = rate.map_or(self.capacity, Rate::per_second);
        let mut tally = Tally::default();
        let mut waiting = 0.0f64;
        for _ in 0..self.operations {
            let service = self.exponential(self.capacity);
            let response = waiting + service;
            tally.record((response * 1e9) as u64, (service * 1e9) as u64);
            waiting = (response - self.exponential(arrivals)).max(0.0);
        }
        Ok(Probed {
            operations: vec![tally],
            scheduled_rate: arrivals,
            rate_reached: arrivals.min(self.capacity),
            unsent: 0,
            least_climb: None,
        })
    }
}

#[tokio::test]
async fn knees_of_a_queue_are_found_within_five_percent() {
    let mut most = 0;
    for seed in 0..times(2, 8) {
        for limit_milliseconds in [10.0, 20.0] {
            let capacity = 1_000.0 * (1.0 + seed as f64 * 1.83);
            let mut queue = Queue::new(capacity, seed);
            let knee = queue.knee(0.99, limit_milliseconds / 1_000.0);
            let found = find(&format!("p99<{limit_milliseconds}ms"), &mut queue).await;
            let rate = found.estimate.unwrap().rate;
            let off = rate / knee - 1.0;
            assert!(
                off.abs() < 0.05,
                "{seed} {limit_milliseconds}: {rate} for {knee}: {}",
                told(&found)
            );
            assert!(found.probes.len() <= 25);
            most = most.max(found.probes.len());
        }
    }
    assert!(most > 5, "the hardest took {most}");
}

/// A server whose response times rise steeply at a knee, with noise of so many percent of the rate on
/// each load as a whole.
struct Knee {
    knee: f64,
    capacity: f64,
    noise: f64,
    /// Share of loads into which a pause falls, most of them short and a few very long.
    pauses: f64,
    stream: Stream,
    probes: usize,
    /// The number of a load that is disturbed, so that it fails whatever its rate.
    disturbed: Option<usize>,
}

impl Knee {
    fn new(knee: f64, capacity: f64, seed: u64) -> Knee {
        Knee {
            knee,
            capacity,
            noise: 0.0,
            pauses: 0.0,
            stream: Stream::new(&[seed]),
            probes: 0,
            disturbed: None,
        }
    }

    /// As much of the rate as a pause costs: by a Pareto distribution, whose variance is infinite.
    fn pause(&mut self) -> f64 {
        let (comes, length) = (self.stream.unit() < self.pauses, self.stream.unit());
        if comes {
            0.1 * ((1.0 - length).powf(-1.0 / 1.5) - 1.0)
        } else {
            0.0
        }
    }
}

#[async_trait]
impl Probe for Knee {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let rate = rate.map_or(self.capacity, Rate::per_second);
        // 10 ms at the knee, and a tenth more for each percent of rate around it.
        let noise = 1.0 + self.noise * (2.0 * self.stream.unit() - 1.0) + self.pause();
        let mut milliseconds = 10.0 * (rate / self.knee * noise).powi(10);
        if self.disturbed == Some(self.probes) {
            milliseconds = 500.0;
        }
        self.probes += 1;
        let mut tally = Tally::default();
        let nanoseconds = (milliseconds.clamp(0.01, 1e6) * 1e6) as u64;
        (0..1_000).for_each(|_| tally.record(nanoseconds, nanoseconds));
        Ok(Probed {
            operations: vec![tally],
            scheduled_rate: rate,
            rate_reached: rate.min(self.capacity),
            unsent: 0,
            least_climb: None,
        })
    }
}

#[tokio::test]
async fn knees_anywhere_below_and_above_the_capacity_of_the_closed_loop_are_found() {
    for percent in [
        4, 5, 11, 20, 26, 40, 54, 55, 70, 79, 81, 90, 100, 117, 118, 150, 250,
    ] {
        let knee = 20_000.0 * f64::from(percent) / 100.0;
        let mut server = Knee::new(knee, 20_000.0, 1);
        // What a few in flight reach is not the most that it can take.
        if percent > 100 {
            server.capacity = 1e9;
        }
        let mut probe = ClosedLoopOf(20_000.0, server);
        let found = find("p99<10ms", &mut probe).await;
        let rate = found.estimate.unwrap().rate;
        assert!(
            (rate / knee - 1.0).abs() < 0.05,
            "{percent}: {rate} for {knee}: {}",
            told(&found)
        );
        assert_eq!(
            found.why_stopped,
            WhyStopped::Narrow,
            "{percent}: {}",
            told(&found)
        );
        assert!(
            found.probes.len() <= 25,
            "{percent}: {}",
            found.probes.len()
        );
        let estimate = found.estimate.unwrap();
        assert!(estimate.low <= knee && knee <= estimate.high);
        assert!(estimate.high / estimate.low <= 1.1);
        let (held, failed) = (found.rate.unwrap(), found.failed_at.unwrap());
        assert!(held.per_second() <= rate && rate <= failed.per_second() * 1.01);
    }
}

/// Another server, but for what its closed loop reaches.
struct ClosedLoopOf(f64, Knee);

#[async_trait]
impl Probe for ClosedLoopOf {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let probed = self.1.drive(rate).await?;
        Ok(match rate {
            None => Probed {
                rate_reached: self.0,
                ..probed
            },
            Some(_) => probed,
        })
    }
}

/// Two searches on a server with this noise: whether they agree within 10%, and in how many of them the
/// interval holds the truth.
async fn pair(noise: f64, pauses: f64, seed: u64) -> (bool, usize) {
    let (mut rates, mut covered) = (Vec::new(), 0);
    for nth in 0..2 {
        let seed = 2 * seed + nth;
        // The first load may be anywhere around the knee.
        let mut server = Knee::new(7_000.0, 7_000.0 + 50.0 * (seed % 60) as f64, seed);
        (server.noise, server.pauses) = (noise, pauses);
        let estimate = find("p50<10ms", &mut server).await.estimate.unwrap();
        // The rate at which half of all loads hold: half of them have more noise than this.
        let mut noises: Vec<f64> = (0..2_001)
            .map(|_| 1.0 + noise * (2.0 * server.stream.unit() - 1.0) + server.pause())
            .collect();
        noises.sort_by(f64::total_cmp);
        let truth = 7_000.0 / noises[1_000];
        covered += usize::from(estimate.low <= truth && truth <= estimate.high);
        rates.push(estimate.rate);
    }
    ((rates[0] / rates[1]).ln().abs() < 1.1f64.ln(), covered)
}

#[tokio::test]
async fn two_searches_agree_and_their_intervals_hold_the_truth() {
    let pairs = times(20, 300);
    for (noise, pauses) in [(0.015, 0.0), (0.05, 0.0), (0.15, 0.0), (0.05, 0.15)] {
        let (mut agreed, mut covered) = (0, 0);
        for seed in 0..pairs {
            let (agree, holding) = pair(noise, pauses, seed as u64).await;
            agreed += usize::from(agree);
            covered += holding;
        }
        let told = format!("noise {noise}, pauses {pauses}: {agreed} and {covered} of {pairs}");
        println!("{told}");
        assert!(10 * agreed >= 9 * pairs, "{told} pairs agree");
        assert!(20 * covered >= 9 * 2 * pairs, "{told}: too few intervals");
    }
}

#[tokio::test]
async fn a_load_whose_response_times_climb_does_not_hold() {
    /// Gets 3% more than it can serve above its knee, and is within the limit all the same.
    struct Climbing(Knee);
    #[async_trait]
    impl Probe for Climbing {
        async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
            let above = rate.is_some_and(|rate| rate.per_second() > self.0.knee);
            Ok(Probed {
                least_climb: Some(if above { 0.03 } else { 0.0 }),
                ..self.0.drive(rate).await?
            })
        }
    }
    let mut server = Climbing(Knee::new(7_000.0, 10_000.0, 1));
    let found = find("p99<60s", &mut server).await;
    let rate = found.estimate.unwrap().rate;
    assert!((rate / 7_000.0 - 1.0).abs() < 0.05, "{}", told(&found));
    let missed: Vec<&String> = found.probes.iter().flat_map(|p| &p.missed).collect();
    let why = "response times still climbed at the end, by 30 ms each second or more";
    assert!(missed.iter().any(|m| *m == why), "{missed:?}");
}

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
async fn one_disturbed_load_does_not_decide() {
    for disturbed in 1..8 {
        let mut server = Knee::new(9_000.0, 10_000.0, 1);
        server.disturbed = Some(disturbed);
        let found = find("p99<10ms", &mut server).await;
        let rate = found.estimate.unwrap().rate;
        let off = (rate / 9_000.0 - 1.0).abs();
        assert!(off < 0.1, "{disturbed}: {rate}: {}", told(&found));
        assert!(found.probes.len() <= 25);
    }
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

/// A server with so many places, each busy for the service time: driven by the real driver.
struct Served {
    places: usize,
    service: Duration,
    duration: Duration,
}

#[async_trait]
impl Probe for Served {
    async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
        let places = Arc::new(Semaphore::new(self.places));
        let service = self.service;
        let fake = Fake::new(move |_| {
            let places = places.clone();
            Box::pin(async move {
                let _place = places
                    .acquire()
                    .await
                    .map_err(|e| Failure::new(FailureKind::Connection, e.to_string()))?;
                tokio::time::sleep(service).await;
                Ok(Done::default())
            })
        });
        let mut plan = plan("closed", 1);
        plan.duration = self.duration;
        plan.drain_limit = Duration::from_secs(1);
        plan.in_flight = 32;
        if let Some(rate) = rate {
            plan.schedule = Schedule::Constant { rate };
            plan.in_flight = 1_024;
        }
        let mut seconds = Seconds::default();
        // Its futures are not `Send`, which those of a probe have to be.
        let driven = on_paused_clock(fake, plan, &mut seconds)?;
        Ok(Probed::new(&driven, vec![seconds.total()]))
    }
}

fn on_paused_clock(
    fake: Fake,
    plan: bakeoff_driver::drive::Plan,
    seconds: &mut Seconds,
) -> Result<bakeoff_driver::drive::Driven, ProbeError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()?;
            let stop = Stop::new();
            let load = drive_here(Arc::new(fake), &plan, &stop, seconds);
            runtime.block_on(load).map_err(ProbeError::from)
        });
        thread.join().unwrap()
    })
}

#[tokio::test]
async fn the_driver_itself_finds_the_knee_of_a_queue() {
    let servers = [(4, 10), (8, 4), (3, 7)];
    for &(places, milliseconds) in &servers[..times(1, servers.len())] {
        let mut server = Served {
            places,
            service: milliseconds * MILLISECOND,
            duration: Duration::from_secs(5),
        };
        // Constant arrivals wait for nothing until there are more than can be served; then the
        // queue grows for 5 s, and 50 ms of it are missed by less than 2 % more.
        let knee = places as f64 * 1_000.0 / f64::from(milliseconds);
        let found = find("p99<50ms", &mut server).await;
        let rate = found.estimate.unwrap().rate;
        assert!(
            (rate / knee - 1.0).abs() < 0.05,
            "{rate} for {knee}: {}",
            told(&found)
        );
        assert!(found.probes.len() <= 25);
        assert_eq!(found.why_stopped, WhyStopped::Narrow);
    }
}

#[tokio::test]
async fn random_arrivals_are_judged_by_those_that_came() {
    let objective = Objective::parse("p95<50ms", &OPERATIONS).unwrap();
    let mut fewer_than_asked = 0;
    for ordinal in 0..20 {
        let mut plan = plan("100", 10);
        plan.schedule = plan.schedule.at_random().unwrap();
        plan.ordinal = ordinal;
        let mut seconds = Seconds::default();
        let driven = on_paused_clock(Fake::taking(MILLISECOND), plan, &mut seconds).unwrap();
        // Of 1000 arrivals at random, give or take 32.
        fewer_than_asked += u32::from(driven.rate_reached < 98.0);
        let probed = Probed::new(&driven, vec![seconds.total()]);
        assert!(objective.judge(&probed.operations, 0).holds());
        assert!(probed.rate_reached >= 0.98 * probed.scheduled_rate);
    }
    assert!(fewer_than_asked > 0, "else nothing was shown");
}

#[tokio::test]
async fn each_load_is_told_as_soon_as_it_is_judged() {
    /// Cannot be driven any more after so many loads.
    struct Ends {
        server: Knee,
        loads: usize,
        told: Vec<Option<Rate>>,
    }
    #[async_trait]
    impl Probe for Ends {
        async fn drive(&mut self, rate: Option<Rate>) -> Result<Probed, ProbeError> {
            assert_eq!(self.told.len(), self.server.probes);
            if self.server.probes < self.loads {
                self.server.drive(rate).await
            } else {
                Err("stopped".into())
            }
        }
        fn judged(&mut self, result: &ProbeResult) -> Result<(), ProbeError> {
            self.told.push(result.rate);
            Ok(())
        }
    }
    let mut probe = Ends {
        server: Knee::new(9_000.0, 10_000.0, 1),
        loads: 3,
        told: Vec::new(),
    };
    let objective = Objective::parse("p99<10ms", &OPERATIONS).unwrap();
    let error = search(&objective, &mut probe, settings())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "stopped");
    assert_eq!(probe.told.len(), 3);
    assert_eq!(probe.told[0], None);
    assert!(probe.told[1..].iter().all(Option::is_some));
}
