//! What the load driver costs by itself: a session that does nothing, in a closed loop and at
//! rates, on each of 1 and 2 threads.
//!
//! `cargo run --release -p bakeoff-driver --example harness`

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bakeoff_driver::drive::{
    Call, Done, DriveObserver, Failure, Plan, Schedule, Second, Session, Shard, Stop, Target,
    Worker, drive,
};
use bakeoff_driver::{Design, DesignError};
use bakeoff_stats::{DesignInfo, ServerSample};
use bakeoff_workload::{Action, Keys, Mix, Operation};

struct Nothing(DesignInfo);

struct NothingSession;

impl Session for NothingSession {
    type Request = u64;
    type Reply = u64;

    fn request(&self, call: &Call) -> u64 {
        call.row
    }

    async fn send(&self, request: &u64) -> Result<u64, Failure> {
        Ok(std::hint::black_box(*request))
    }

    fn check(&self, _: &u64, _: u64) -> Result<Done, Failure> {
        Ok(Done::default())
    }
}

#[async_trait]
impl Target for Nothing {
    fn info(&self) -> &DesignInfo {
        &self.0
    }

    fn design(&self) -> Option<&dyn Design> {
        None
    }

    async fn prepare(&self) -> Result<(), DesignError> {
        Ok(())
    }

    fn work<'a>(
        &'a self,
        worker: Worker,
    ) -> Pin<Box<dyn Future<Output = Result<(), DesignError>> + 'a>> {
        Box::pin(async move {
            worker.run(&NothingSession).await;
            Ok(())
        })
    }

    async fn sample(&self) -> ServerSample {
        ServerSample::default()
    }

    async fn execute(&self, _: &str) -> Result<(), DesignError> {
        Ok(())
    }
}

struct Unwatched;

impl DriveObserver for Unwatched {
    fn second(&mut self, _: Second) {}
}

fn mix() -> Mix {
    let operation = |name: &str, action, keys| Operation {
        name: name.to_owned(),
        weight: 0.5,
        action,
        keys,
        consistency: None,
        ttl_seconds: None,
        batch: 1,
    };
    Mix {
        operations: vec![
            operation("read", Action::ReadRow, Keys::Uniform),
            operation("insert", Action::Insert, Keys::New),
        ],
        schema: Vec::new(),
        populate: Vec::new(),
        background: Vec::new(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let info = DesignInfo {
        id: "nothing".to_owned(),
        engine: "nothing".to_owned(),
        settings: Vec::new(),
        statements: Vec::new(),
    };
    let target = Arc::new(Nothing(info));
    println!("threads  schedule             reached/s    CPU ns/op   late p50     p99     max us");
    for threads in [1, 2] {
        for rate in [
            None,
            Some(5e3),
            Some(100e3),
            Some(1e6),
            Some(2e6),
            Some(3e6),
            Some(5e6),
        ] {
            let schedule = match rate {
                None => Schedule::ClosedLoop,
                Some(rate) => Schedule::constant(rate * f64::from(threads))?,
            };
            let plan = Plan {
                mix: Arc::new(mix()),
                seed: 1,
                ordinal: 0,
                rows: 1_000_000,
                new_rows: Vec::new(),
                shard: Shard::WHOLE,
                threads,
                in_flight: 1024 * threads,
                schedule,
                duration: Duration::from_secs(4),
                drain_limit: Duration::from_secs(1),
                retries: 0,
                start_at: None,
            };
            let driven = drive(target.clone(), &plan, &Stop::new(), &mut Unwatched).await?;
            let late = |quantile| driven.lateness.value_at_quantile(quantile) as f64 / 1e3;
            println!(
                "{threads:7}  {:20} {:9.0} {:12.0} {:10.1} {:7.1} {:7.1}",
                plan.schedule.to_string(),
                driven.rate_reached,
                driven.cpu.client * 1e9 / driven.sent as f64,
                late(0.5),
                late(0.99),
                late(1.0),
            );
        }
    }
    Ok(())
}
