use std::sync::atomic::{AtomicU64, Ordering};

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_stats::{DesignInfo, Footprint, Role};

use super::*;
use crate::{Answer, DesignError};

/// What the server of a design tells.
#[derive(Clone, Copy, PartialEq)]
enum Tells {
    /// The number of the sample as CPU seconds.
    Numbers,
    /// There is no server.
    Nothing,
    /// Nothing at the moment.
    NoFigures,
    Panics,
    Hangs,
}

struct Served {
    info: DesignInfo,
    tells: Tells,
    /// Time that the first sample takes, and that of all others.
    takes: Duration,
    takes_later: Duration,
    asked: AtomicU64,
    /// Time of all samples, of those that were broken off as well.
    spent: Mutex<Duration>,
    is_dead: bool,
    /// Whether Bakeoff started the server.
    is_own: bool,
    /// Number of nodes, if there are several.
    nodes: Option<u32>,
}

/// A sample under way.
struct Spending<'a>(&'a Mutex<Duration>, Instant);

impl Drop for Spending<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += self.1.elapsed();
    }
}

impl Served {
    fn new(tells: Tells, takes: Duration) -> Served {
        Served {
            info: DesignInfo {
                id: "a".to_owned(),
                engine: "fake".to_owned(),
                role: Role::Store,
                server: true,
                settings: Vec::new(),
                statements: Vec::new(),
                unit_rows: None,
                not_asked: Vec::new(),
                stored_by: None,
                table_of: None,
            },
            tells,
            takes,
            takes_later: takes,
            asked: AtomicU64::new(0),
            spent: Mutex::default(),
            is_dead: false,
            is_own: true,
            nodes: None,
        }
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

#[async_trait]
impl Design for Served {
    fn info(&self) -> &DesignInfo {
        &self.info
    }
    fn keeps_duplicates(&self) -> bool {
        true
    }
    async fn create(&self) -> Result<(), DesignError> {
        Ok(())
    }
    async fn survives(&self) -> bool {
        true
    }
    async fn load(&self, _: u64, _: &RecordBatch) -> Result<(), DesignError> {
        Ok(())
    }
    async fn settle(&self) -> Result<String, DesignError> {
        Ok(String::new())
    }
    async fn footprint(&self) -> Result<Footprint, DesignError> {
        Err(DesignError::new("it stores nothing"))
    }
    async fn answer(&self, _: &str) -> Result<Answer, DesignError> {
        Ok(Answer::default())
    }
    async fn server_sample(&self) -> Option<ServerSample> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let _spending = Spending(&self.spent, Instant::now());
        let takes = if number == 0 {
            self.takes
        } else {
            self.takes_later
        };
        tokio::time::sleep(takes).await;
        match self.tells {
            Tells::Numbers => {}
            Tells::Nothing => return None,
            Tells::NoFigures => return Some(ServerSample::default()),
            Tells::Panics => panic!("a bug in a sample"),
            Tells::Hangs => std::future::pending().await,
        }
        Some(ServerSample {
            cpu_seconds: Some(number as f64),
            nodes: self.nodes,
            ..ServerSample::default()
        })
    }
    fn server_cpu_seconds(&self) -> Option<f64> {
        self.is_own.then_some(0.0)
    }
    fn dead(&self) -> Option<String> {
        self.is_dead.then(|| "its engine is gone".to_owned())
    }
}

/// Performs a step of this length.
async fn step(watch: &ServerWatch, design: &Served, length: Duration) -> Option<ServerWindow> {
    let mut watched = watch.begin(design).await;
    let sleeping = tokio::time::sleep(length);
    watch.during(design, &mut watched, sleeping).await;
    let seconds = length.as_secs_f64();
    watch.end(design, watched, During::Settle, seconds).await
}

fn moments(window: &ServerWindow) -> Vec<f64> {
    let moments = window.samples.iter();
    moments.map(|s| (s.seconds * 10.0).round() / 10.0).collect()
}

const TEN_MS: Duration = Duration::from_millis(10);

#[tokio::test(start_paused = true)]
async fn a_step_is_sampled_at_its_beginning_each_second_and_at_its_end() {
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Numbers, TEN_MS));
    let window = step(&watch, &design, Duration::from_millis(3_500)).await;
    let window = window.unwrap();
    assert_eq!(moments(&window), [0.0, 1.0, 2.0, 3.0, 3.5]);
    let cpu = window.samples.iter().map(|s| s.server.cpu_seconds.unwrap());
    assert_eq!(cpu.collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!((window.design.as_str(), window.seconds), ("a", 3.5));
}

#[tokio::test(start_paused = true)]
async fn several_nodes_and_servers_of_others_are_sampled_every_two_seconds() {
    let own = || Served::new(Tells::Numbers, TEN_MS);
    let several = Served {
        nodes: Some(3),
        ..own()
    };
    let of_others = Served {
        is_own: false,
        ..own()
    };
    for design in [several, of_others] {
        let watch = ServerWatch::default();
        let window = step(&watch, &design, Duration::from_millis(5_500)).await;
        assert_eq!(moments(&window.unwrap()), [0.0, 2.0, 4.0, 5.5]);
        let soon = step(&watch, &design, Duration::from_millis(1_500)).await;
        assert_eq!(soon, None, "nothing was due");
    }
}

#[tokio::test(start_paused = true)]
async fn samples_take_no_more_than_two_percent() {
    let slow = Duration::from_millis(200);
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Numbers, slow));
    let began = Instant::now();
    let mut windows = 0;
    while began.elapsed() < Duration::from_secs(600) {
        let window = step(&watch, &design, Duration::from_millis(300)).await;
        windows += u32::from(window.is_some());
    }
    let spent = *design.spent.lock().unwrap();
    // The last ones may have no rest behind them yet.
    assert!(spent <= began.elapsed() / 50 + 2 * slow, "{spent:?}");
    assert!(windows >= 5, "{windows}");
}

#[tokio::test(start_paused = true)]
async fn a_sample_beside_a_step_may_wait_for_a_busy_server() {
    let watch = ServerWatch::default();
    let busy = Served {
        takes_later: Duration::from_millis(400),
        ..Served::new(Tells::Numbers, TEN_MS)
    };
    let window = step(&watch, &busy, Duration::from_millis(6_200)).await;
    assert_eq!(moments(&window.unwrap()), [0.0, 1.0, 2.4, 3.8, 5.2, 6.2]);
    // The last one held up what comes next, and is followed by a rest of 49 times as long.
    let pause = watch.pause(&busy).unwrap();
    assert!(pause > Duration::from_secs(19), "{pause:?}");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_begins_before_a_sample_is_due_is_sampled_from_then_on() {
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Numbers, TEN_MS));
    step(&watch, &design, Duration::from_millis(100)).await;
    let short = step(&watch, &design, Duration::from_millis(100)).await;
    assert_eq!(short, None, "nothing was due");
    assert_eq!(design.asked(), 2);
    let long = step(&watch, &design, Duration::from_secs(2)).await.unwrap();
    assert!(long.samples[0].seconds > 0.5, "{long:?}");
}

#[tokio::test(start_paused = true)]
async fn a_design_without_a_server_is_asked_once() {
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Nothing, TEN_MS));
    for _ in 0..3 {
        let window = step(&watch, &design, Duration::from_secs(5)).await;
        assert_eq!(window, None);
    }
    assert_eq!(design.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_sample_that_fails_or_hangs_ends_no_step() {
    for tells in [Tells::NoFigures, Tells::Panics, Tells::Hangs] {
        let (watch, design) = (ServerWatch::default(), Served::new(tells, TEN_MS));
        let began = Instant::now();
        let window = step(&watch, &design, Duration::from_secs(5)).await;
        assert_eq!(window, None);
        // The one before the step may take its limit; those alongside take nothing from it.
        assert!(began.elapsed() < Duration::from_secs(5) + SAMPLE_LIMIT + EVERY);
    }
}

#[tokio::test(start_paused = true)]
async fn a_design_that_never_tells_a_figure_is_given_up_and_one_that_did_is_not() {
    for tells in [Tells::NoFigures, Tells::Panics, Tells::Hangs] {
        let (watch, design) = (ServerWatch::default(), Served::new(tells, TEN_MS));
        for _ in 0..10 {
            step(&watch, &design, Duration::from_secs(120)).await;
        }
        assert_eq!(design.asked(), u64::from(MOST_WITHOUT_A_FIGURE));
    }
    let watch = ServerWatch::default();
    let mut design = Served::new(Tells::Numbers, TEN_MS);
    step(&watch, &design, Duration::from_secs(2)).await;
    design.tells = Tells::NoFigures;
    let asked = design.asked();
    step(&watch, &design, Duration::from_secs(20)).await;
    let more = design.asked() - asked;
    assert!(more > u64::from(MOST_WITHOUT_A_FIGURE), "{more}");
}

#[tokio::test(start_paused = true)]
async fn samples_of_a_long_run_are_further_and_further_apart() {
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Numbers, TEN_MS));
    let window = step(&watch, &design, Duration::from_secs(10_000)).await;
    let samples = window.unwrap().samples;
    // A thousand in the first thousand seconds, and as many for each further multiple of e.
    assert!((2_500..3_500).contains(&samples.len()), "{}", samples.len());
    let (before, last) = (&samples[samples.len() - 3], &samples[samples.len() - 2]);
    assert!(last.seconds - before.seconds > 9.0, "{before:?} {last:?}");
    let short = step(&watch, &design, Duration::from_secs(5)).await;
    assert_eq!(short, None, "the last one was less than 10 s ago");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_waits_for_its_moment_is_not_late_by_a_sample() {
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Hangs, TEN_MS));
    let began = Instant::now();
    let limit = Duration::from_millis(300);
    let watched = watch.begin_within(limit, &design).await;
    assert!(began.elapsed() <= limit + TEN_MS, "{:?}", began.elapsed());
    assert!(watched.samples.is_empty());
    let (watch, design) = (ServerWatch::default(), Served::new(Tells::Numbers, TEN_MS));
    watch.begin_within(Duration::ZERO, &design).await;
    assert_eq!(design.asked(), 0, "there was no time for it");
    let watched = watch.begin_within(limit, &design).await;
    assert_eq!((watched.samples.len(), design.asked()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_dead_server_is_not_asked_any_more_and_other_tables_never() {
    let watch = ServerWatch::default();
    let mut design = Served::new(Tells::Numbers, TEN_MS);
    let watched = watch.begin(&design).await;
    design.is_dead = true;
    let window = watch.end(&design, watched, During::Settle, 1.0).await;
    assert_eq!((window, design.asked()), (None, 1));
    let mut unsampled = Watched::unsampled();
    let sleeping = tokio::time::sleep(Duration::from_secs(9));
    watch.during(&design, &mut unsampled, sleeping).await;
    assert_eq!(design.asked(), 1);
}
