//! Starting the designs of a sweep of several processes, which agree first about what they sweep.

use std::sync::Arc;

use bakeoff_stats::JournalError;

use super::super::measure::check_inserts;
use super::super::over_any::{OverAny, over_any_id};
use super::{Sharing, notes};
use crate::candidates::start_engine;
use crate::{Design, DesignError};

/// A design that takes part in the schedule, whether it could be started or not.
pub struct Started {
    pub id: String,
    /// `None` if it failed, which is on record.
    pub ready: Option<Arc<dyn Design>>,
}

impl Sharing<'_> {
    /// Starts the designs, each once for what its batches hold, in an order that is the same in all processes.
    pub(super) async fn start_designs(&mut self) -> Result<Vec<Started>, JournalError> {
        let mut engines = Vec::new();
        for index in 0..self.candidates.ids().len() {
            engines.push(start_engine(&mut *self.candidates, index, self.log).await?);
        }
        let started = engines.iter().position(Result::is_ok);
        self.place = started.unwrap_or_default();
        let agreed = if self.shard().index == 0 || started.is_none() {
            Ok(())
        } else {
            self.agree().await
        };
        let mut designs = Vec::new();
        for (index, engine) in engines.into_iter().enumerate() {
            let made = match (engine, &agreed) {
                (Err(error), _) => Err(error),
                (Ok(()), Err(why)) => Err(DesignError(why.clone())),
                (Ok(()), Ok(())) => self.candidates.make(index).await,
            };
            self.start_all_of(index, made, &mut designs).await?;
        }
        if self.shard().index == 0
            && started.is_some()
            && let Err(why) = self.announce().await
        {
            for design in designs.iter_mut().filter(|design| design.ready.is_some()) {
                design.ready = None;
                self.fail(&design.id, why.clone())?;
            }
        }
        Ok(designs)
    }

    /// Adds a design, once for each kind of batches that it is swept with. The first process looks whether its
    /// table can be made and takes inserts.
    async fn start_all_of(
        &mut self,
        index: usize,
        made: Result<Box<dyn Design>, DesignError>,
        designs: &mut Vec<Started>,
    ) -> Result<(), JournalError> {
        let id = self.candidates.ids().swap_remove(index);
        let made = made.map(|design| -> Arc<dyn Design> { Arc::from(design) });
        let mut variants = Vec::new();
        if self.plan.is_over_partition(&id) {
            variants.push((id.clone(), made.clone()));
        }
        if let Some(info) = self.plan.over_any(&id) {
            let with_info =
                |design| -> Arc<dyn Design> { Arc::new(OverAny::new(design, info.clone())) };
            variants.push((over_any_id(&id), made.map(with_info)));
        }
        for (id, made) in variants {
            let checked = match made {
                Ok(design) if self.shard().index == 0 => {
                    check_inserts(design.as_ref()).await.map(|()| design)
                }
                Ok(design) => Ok(design),
                Err(error) => Err(error.0),
            };
            let ready = match checked {
                Ok(design) => Some(design),
                Err(reason) => {
                    self.fail(&id, reason)?;
                    None
                }
            };
            designs.push(Started { id, ready });
        }
        Ok(())
    }

    /// Says to the other processes what is swept, once the place for notes is there.
    async fn announce(&mut self) -> Result<(), String> {
        let agreement = self.together.header.agreement();
        let agreement =
            agreement.map_err(|error| format!("writing down what is swept failed: {error}"))?;
        self.say(notes::PLAN, &agreement).await
    }

    /// Waits until the first process has made the place for the tables, and compares what it sweeps.
    ///
    /// # Errors
    /// If it has not come until the start, or sweeps something else, in words.
    async fn agree(&mut self) -> Result<(), String> {
        self.observer
            .phase("waiting for shard 1 to make the tables");
        let start_at = self.together.start_at;
        let found = self.wait_for(notes::PLAN, start_at).await;
        let found = found.map_err(|why| {
            format!(
                "shard 1 had not made its tables when the sweep was to begin: start it with the same --start-at \
                 and --keyspace, and leave it enough time before{why}"
            )
        })?;
        match self.together.header.difference_from(&found.text) {
            None => Ok(()),
            Some(what) => Err(format!(
                "shard 1 and this one differ in {what}: start all shards with the same workload, options and number \
                 of shards"
            )),
        }
    }
}
