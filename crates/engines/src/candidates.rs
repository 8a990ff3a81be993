//! The designs of a command, in the form that the measurement protocols take.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bakeoff_driver::drive::{DriveCandidates, Target};
use bakeoff_driver::sweep::SharedCandidates;
use bakeoff_driver::{Candidates, Design, DesignError, Instances, Observer};
use bakeoff_stats::{EngineInfo, Instance};
use bakeoff_workload::{DesignId, Workload};

use crate::registry::engine;
use crate::{Context, EngineError, Engines, Running, TargetOptions};

/// The longest that making a design's table may take, with the start of several nodes for it.
const MAKING_LIMIT: Duration = Duration::from_secs(20 * 60);

/// The designs of a command, each of which holds a table.
pub struct DesignCandidates<'a> {
    pub engines: &'a mut Engines,
    pub designs: &'a [DesignId],
    pub workload: &'a Workload,
    pub context: &'a Context,
    pub observer: &'a dyn Observer,
}

impl DesignCandidates<'_> {
    fn engine(&self, design: usize) -> Result<&dyn Running, DesignError> {
        self.engines
            .get(&self.designs[design])
            .map_err(DesignError::from)
    }
}

#[async_trait]
impl Candidates for DesignCandidates<'_> {
    type Ready = Box<dyn Design>;

    fn ids(&self) -> Vec<String> {
        self.designs.iter().map(DesignId::to_string).collect()
    }

    async fn start_engine(&mut self, design: usize) -> Result<Option<EngineInfo>, DesignError> {
        let (id, context) = (&self.designs[design], self.context);
        let started = self.engines.start(id, context, self.observer).await;
        started.map_err(DesignError::from)
    }

    async fn make(&mut self, design: usize) -> Result<Box<dyn Design>, DesignError> {
        let id = &self.designs[design];
        let engine = self.engine(design)?;
        within_limit(engine.design(id, self.workload, self.context)).await
    }
}

#[async_trait]
impl SharedCandidates for DesignCandidates<'_> {
    async fn leave_note(
        &mut self,
        design: usize,
        name: &str,
        text: &str,
    ) -> Result<(), DesignError> {
        let engine = self.engine(design)?;
        let left = engine.leave_note(self.workload, self.context, name, text);
        left.await.map_err(DesignError::from)
    }

    async fn find_note(
        &mut self,
        design: usize,
        name: &str,
    ) -> Result<Option<String>, DesignError> {
        let engine = self.engine(design)?;
        let found = engine.find_note(self.workload, self.context, name);
        found.await.map_err(DesignError::from)
    }
}

/// Waits until a design's table is made, but no longer than [`MAKING_LIMIT`].
async fn within_limit<T>(
    making: impl Future<Output = Result<T, EngineError>>,
) -> Result<T, DesignError> {
    match tokio::time::timeout(MAKING_LIMIT, making).await {
        Ok(made) => made.map_err(DesignError::from),
        Err(_) => Err(DesignError(format!(
            "making its table took longer than {} minutes: look whether its server answers, and repeat the command",
            MAKING_LIMIT.as_secs() / 60
        ))),
    }
}

/// Further tables of the same designs, on running engines.
pub struct DesignInstances<'a> {
    pub engines: &'a Engines,
    pub designs: &'a [DesignId],
    pub workload: &'a Workload,
    pub context: &'a Context,
}

impl DesignInstances<'_> {
    fn id(&self, design: &str) -> Option<&DesignId> {
        self.designs.iter().find(|id| id.to_string() == design)
    }

    /// Returns the design id with the tag of a further table, which is the end of the table's id.
    fn tagged(&self, instance: &Instance) -> Option<DesignId> {
        let tag = instance.id.strip_prefix(&instance.design)?;
        Some(DesignId {
            tag: Some(tag.strip_prefix('#')?.to_owned()),
            ..self.id(&instance.design)?.clone()
        })
    }
}

#[async_trait]
impl Instances for DesignInstances<'_> {
    fn can_have(&self, design: &str) -> bool {
        let takes = |id| engine(id).is_ok_and(|engine| engine.takes_instances(id));
        self.id(design).is_some_and(takes)
    }

    async fn make(&mut self, instance: &Instance) -> Result<Arc<dyn Design>, DesignError> {
        let Some(id) = self.tagged(instance) else {
            let problem = format!("the run has no design {}", instance.design);
            return Err(DesignError(problem));
        };
        let engine = self.engines.get(&id).map_err(DesignError::from)?;
        let made = within_limit(engine.design(&id, self.workload, self.context)).await;
        made.map(Arc::from)
    }
}

/// The same designs as targets of a mix's operations.
pub struct TargetCandidates<'a> {
    pub designs: DesignCandidates<'a>,
    pub options: TargetOptions,
    /// The moment at which all shards begin, by which they recognize each other.
    pub start_at: Option<SystemTime>,
    /// The designs that answer questions beside the loads in place of the driven ones.
    pub beside: &'a [DesignId],
}

impl TargetCandidates<'_> {
    /// Returns the name that all shards use for this start.
    fn start_name(&self) -> Option<String> {
        let at = self.start_at?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(at.as_millis().to_string())
    }
}

#[async_trait]
impl Candidates for TargetCandidates<'_> {
    type Ready = Box<dyn Target>;

    fn ids(&self) -> Vec<String> {
        self.designs.ids()
    }

    async fn start_engine(&mut self, design: usize) -> Result<Option<EngineInfo>, DesignError> {
        self.designs.start_engine(design).await
    }

    async fn make(&mut self, design: usize) -> Result<Box<dyn Target>, DesignError> {
        let given = &self.designs;
        let (id, engine) = (&given.designs[design], given.engine(design)?);
        let made = engine.target(id, given.workload, given.context, &self.options);
        made.await.map_err(DesignError::from)
    }
}

#[async_trait]
impl DriveCandidates for TargetCandidates<'_> {
    async fn wait_for_table(
        &mut self,
        design: usize,
        patience: Duration,
    ) -> Result<(), DesignError> {
        let Some(start) = self.start_name() else {
            return Ok(());
        };
        let given = &self.designs;
        let engine = given.engine(design)?;
        let made = engine.wait_for_tables(given.workload, given.context, &start, patience);
        made.await.map_err(DesignError::from)
    }

    async fn announce_table(&mut self, design: usize) -> Result<(), DesignError> {
        let Some(start) = self.start_name() else {
            return Ok(());
        };
        let given = &self.designs;
        let engine = given.engine(design)?;
        let announced = engine.announce_tables(given.workload, given.context, &start);
        announced.await.map_err(DesignError::from)
    }

    async fn make_beside(
        &mut self,
        place: usize,
    ) -> Result<(Option<EngineInfo>, Box<dyn Design>), DesignError> {
        let Some(id) = self.beside.get(place) else {
            return Err(DesignError::new(
                "no design was named to answer the questions: name one with --beside-design",
            ));
        };
        let given = &mut self.designs;
        let started = given.engines.start(id, given.context, given.observer).await;
        let started = started.map_err(DesignError::from)?;
        let engine = given.engines.get(id).map_err(DesignError::from)?;
        let made = within_limit(engine.design(id, given.workload, given.context)).await?;
        Ok((started, made))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_does_not_answer_makes_no_table() {
        let error = within_limit(std::future::pending::<Result<(), _>>()).await;
        let why = error.unwrap_err().0;
        assert!(
            why.starts_with("making its table took longer than 20 minutes"),
            "{why}"
        );
        let refused = async { Err::<(), _>(EngineError("no such layout".to_owned())) };
        assert!(
            within_limit(refused)
                .await
                .unwrap_err()
                .0
                .contains("no such layout")
        );
        let made = async { Ok::<_, EngineError>(3) };
        assert_eq!(within_limit(made).await.unwrap(), 3);
    }
}
