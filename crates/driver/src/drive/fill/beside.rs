//! Filling the tables of the designs that answer questions beside the loads in place of the driven ones.

use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::drive::DriveRecord;

use super::Filling;
use crate::drive::asking::Answerer;
use crate::drive::context::{DriveCandidates, RecordError, Trouble, answering_ended, server_ended};
use crate::{Design, explain};

impl Filling<'_> {
    /// Makes the designs that answer questions beside the loads, fills their tables with the same rows and brings them
    /// to rest. Returns none if each driven design answers itself. Those that fail are recorded, and returned with the
    /// reason.
    ///
    /// # Errors
    /// If a record cannot be written.
    pub async fn fill_beside(
        &mut self,
        candidates: &mut dyn DriveCandidates,
    ) -> Result<Vec<Answerer>, RecordError> {
        let mut filled = Vec::new();
        let settings = self.settings;
        let answering = settings.beside.iter().flat_map(|asked| &asked.answering);
        for (place, id) in answering.enumerate() {
            let design = match self.make_and_fill(candidates, place).await? {
                Ok(design) => Ok(design),
                Err(trouble) => {
                    let why = explain(trouble.as_ref());
                    answering_ended(self.log, self.observer, id, &why)?;
                    Err(why)
                }
            };
            self.between_steps();
            filled.push(Answerer {
                id: id.clone(),
                design,
            });
        }
        Ok(filled)
    }

    /// Makes and fills one of them. The inner error is the design's own.
    async fn make_and_fill(
        &mut self,
        candidates: &mut dyn DriveCandidates,
        place: usize,
    ) -> Result<Result<Arc<dyn Design>, Trouble>, RecordError> {
        let (engine, design) = match candidates.make_beside(place).await {
            Ok(made) => made,
            Err(error) => return Ok(Err(error.into())),
        };
        if let Some(engine) = engine {
            self.log.append(&DriveRecord::Engine(engine))?;
        }
        let filled = self.fill_other(design.as_ref()).await;
        let filled = filled.map_err(|trouble| match design.dead() {
            Some(why) => server_ended(&why),
            None => trouble,
        });
        Ok(filled.map(|()| Arc::from(design)))
    }

    async fn fill_other(&self, design: &dyn Design) -> Result<(), Trouble> {
        let id = &design.info().id;
        let began = Instant::now();
        design.create().await?;
        self.insert(id, design).await?;
        self.observer.phase(&format!("settling {id}"));
        self.bring_to_rest(design, began.elapsed()).await?;
        Ok(())
    }
}
