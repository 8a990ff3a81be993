//! The search finds the knees of simulated servers.

use async_trait::async_trait;
use bakeoff_driver::drive::{
    Found, Objective, Probe, ProbeError, ProbeResult, Probed, Rate, SearchSettings, WhyStopped,
    search,
};
use bakeoff_stats::Tally;
use bakeoff_testing::times;
use bakeoff_workload::Stream;

pub const OPERATIONS: [&str; 1] = ["read"];

pub fn settings() -> SearchSettings {
    SearchSettings::new(Rate::new(1.0).unwrap())
}

/// The loads of a search in short.
pub fn told(found: &Found) -> String {
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

pub async fn find(objective: &str, probe: &mut dyn Probe) -> Found {
    let objective = Objective::parse(objective, &OPERATIONS).unwrap();
    search(&objective, probe, settings()).await.unwrap()
}

/// A server with one queue, exponential service times and random arrivals (M/M/1), operation by
/// operation: Lindley's recursion gives each one's waiting time.
pub struct Queue {
    /// Operations per second that it can serve.
    capacity: f64,
    operations: u64,
    stream: Stream,
}

impl Queue {
    pub fn new(capacity: f64, seed: u64) -> Queue {
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
pub struct Knee {
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
    pub fn new(knee: f64, capacity: f64, seed: u64) -> Knee {
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
