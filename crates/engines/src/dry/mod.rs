//! The engine `dry`, which stores nothing and answers at once. It shows the cost of the load driver
//! itself and the highest rate that it can reach.

use std::pin::Pin;

use async_trait::async_trait;
use bakeoff_driver::drive::{Call, Done, Failure, Session, Target, Worker};
use bakeoff_driver::{Design, DesignError};
use bakeoff_servers::survey::Survey;
use bakeoff_stats::{DesignInfo, EngineInfo, Role, ServerSample};
use bakeoff_workload::{DesignId, Workload};

use crate::settings::Settings;
use crate::{Context, Engine, EngineError, Layout, Running, TargetOptions};

pub struct Dry;

#[async_trait]
impl Engine for Dry {
    fn name(&self) -> &'static str {
        "dry"
    }

    fn layouts(&self) -> &'static [Layout] {
        &[Layout {
            name: "dry",
            what: "nothing at all: what a load costs by itself, for bakeoff drive",
            settings: "",
        }]
    }

    fn role(&self) -> Role {
        Role::Sink
    }

    fn check_operations(&self, _id: &DesignId) -> Result<(), EngineError> {
        Ok(())
    }

    fn answers_sql(&self, _id: &DesignId) -> bool {
        false
    }

    async fn survey(&self) -> Survey {
        Survey::built_in("part of Bakeoff, for bakeoff drive")
    }

    fn describe(
        &self,
        id: &DesignId,
        _: &Workload,
        _: &Context,
    ) -> Result<DesignInfo, EngineError> {
        let settings = Settings::new(id, "")?;
        if let Some(layout) = &id.layout {
            return Err(settings.error(format!("dry has no layout `{layout}`")));
        }
        settings.end()?;
        let statement = "answer every operation at once, with nothing".to_owned();
        Ok(self.info_of(id, Vec::new(), vec![statement]))
    }

    async fn start(&self, _: &Context) -> Result<Box<dyn Running>, EngineError> {
        Ok(Box::new(Dry))
    }
}

#[async_trait]
impl Running for Dry {
    fn info(&self) -> EngineInfo {
        EngineInfo {
            engine: "dry".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            start_seconds: None,
            settings: Vec::new(),
        }
    }

    async fn design(
        &self,
        id: &DesignId,
        _: &Workload,
        _: &Context,
    ) -> Result<Box<dyn Design>, EngineError> {
        Err(EngineError(format!(
            "design {id} stores nothing and answers no query: use it with bakeoff drive"
        )))
    }

    async fn target(
        &self,
        id: &DesignId,
        workload: &Workload,
        context: &Context,
        _: &TargetOptions,
    ) -> Result<Box<dyn Target>, EngineError> {
        Ok(Box::new(DryTarget(Dry.describe(id, workload, context)?)))
    }

    async fn finish(self: Box<Self>, _: bool) -> Result<(), EngineError> {
        Ok(())
    }
}

struct DryTarget(DesignInfo);

#[async_trait]
impl Target for DryTarget {
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
            worker.run(&DrySession).await;
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

struct DrySession;

impl Session for DrySession {
    type Request = ();
    type Reply = ();

    fn request(&self, _: &Call) {}

    async fn send(&self, (): &()) -> Result<(), Failure> {
        Ok(())
    }

    fn check(&self, (): &(), (): ()) -> Result<Done, Failure> {
        Ok(Done::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use bakeoff_driver::drive::{DriveObserver, Plan, Schedule, Second, Shard, Stop, drive};
    use bakeoff_workload::{Action, Keys, Mix, Operation};

    use super::*;

    struct Count(u64);

    impl DriveObserver for Count {
        fn second(&mut self, second: Second) {
            self.0 += second.operations[0].successes();
        }
    }

    fn plan() -> Plan {
        let operation = Operation {
            name: "read".to_owned(),
            weight: 1.0,
            action: Action::ReadRow,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        Plan {
            mix: Arc::new(Mix {
                operations: vec![operation],
                schema: Vec::new(),
                populate: Vec::new(),
                background: Vec::new(),
            }),
            seed: 1,
            ordinal: 0,
            rows: 10,
            new_rows: Vec::new(),
            shard: Shard { index: 0, of: 1 },
            threads: 1,
            in_flight: 4,
            schedule: Schedule::ClosedLoop,
            duration: Duration::from_millis(50),
            drain_limit: Duration::from_secs(1),
            retries: 0,
            start_at: None,
        }
    }

    #[tokio::test]
    async fn every_operation_is_answered() {
        let info = Dry.info_of(&"dry".parse().unwrap(), Vec::new(), Vec::new());
        let target = Arc::new(DryTarget(info));
        assert!(target.design().is_none());
        let mut count = Count(0);
        let driven = drive(target, &plan(), &Stop::new(), &mut count)
            .await
            .unwrap();
        assert_eq!(count.0, driven.sent);
        assert!(count.0 > 0, "{driven:?}");
        assert!(driven.failures.is_empty(), "{driven:?}");
    }
}
