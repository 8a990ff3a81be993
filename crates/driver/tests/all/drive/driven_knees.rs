//! The search and the driver together find the knees of servers with so many places.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::drive::{
    Done, Failure, Objective, Probe, ProbeError, Probed, Rate, Schedule, Stop, WhyStopped,
    drive_here,
};
use bakeoff_stats::FailureKind;
use bakeoff_testing::times;
use tokio::sync::Semaphore;

use super::fake::{Fake, MILLISECOND, Seconds, plan};
use super::knees::{OPERATIONS, find, told};

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
