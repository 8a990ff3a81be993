//! The engines of one command, each of which is started for the first design that needs it and ended
//! once; or a server for each design, where they are to have their own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use bakeoff_driver::Observer;
use bakeoff_servers::cassandra::Nodes;
use bakeoff_stats::EngineInfo;
use bakeoff_workload::DesignId;

use crate::registry::engine;
use crate::{Context, EngineError, Running};

/// The running engines, and the reasons why others are not available.
#[derive(Default)]
pub struct Engines {
    /// By the name of the engine, or by the id of the only design that it is started for.
    running: BTreeMap<String, Box<dyn Running>>,
    missing: BTreeMap<String, String>,
    /// Why single designs cannot run on engines that are available, by their ids.
    unable: BTreeMap<String, String>,
    /// Remarks of engines that were shown, each once.
    remarks: BTreeSet<String>,
}

impl Engines {
    /// Checks what each engine needs before any is started, and reports those that are not available.
    ///
    /// # Errors
    /// Fails if none of the designs can run here, and if the machine has no memory for all Cassandras that they need.
    pub async fn checked(
        designs: &[DesignId],
        context: &Context,
        observer: &dyn Observer,
    ) -> Result<Engines, EngineError> {
        observer.phase("checking engines");
        let mut engines = Engines::default();
        let mut present = BTreeSet::new();
        for id in designs {
            let name = id.engine.as_str();
            if present.contains(name) || engines.missing.contains_key(name) {
                continue;
            }
            let (_, own) = place(id, context)?;
            match engine(id)?.check(&own).await {
                Ok(()) => {
                    present.insert(name);
                }
                Err(reason) => {
                    engines.missing.insert(name.to_owned(), reason.to_string());
                }
            }
        }
        let mut can_run = false;
        for id in designs
            .iter()
            .filter(|id| present.contains(id.engine.as_str()))
        {
            match engine(id)?.check_design(id, context).await {
                Ok(()) => can_run = true,
                Err(reason) => {
                    engines.unable.insert(id.to_string(), reason.to_string());
                }
            }
        }
        let missing: BTreeMap<&String, &String> =
            engines.missing.iter().chain(&engines.unable).collect();
        if !can_run {
            return Err(none_left(&missing));
        }
        let can_run = |id: &&DesignId| {
            present.contains(id.engine.as_str()) && !engines.unable.contains_key(&id.to_string())
        };
        check_memory(designs.iter().filter(can_run), context)?;
        for (name, reason) in missing {
            observer.trouble(name, reason);
        }
        Ok(engines)
    }

    /// Starts the engine of a design unless it is running, and returns its description if this call has
    /// started it. An engine that is not available is tried only once.
    ///
    /// # Errors
    /// Fails if the engine is not available, with the same reason for every design on it.
    pub async fn start(
        &mut self,
        id: &DesignId,
        context: &Context,
        observer: &dyn Observer,
    ) -> Result<Option<EngineInfo>, EngineError> {
        let name = id.engine.as_str();
        if let Some(reason) = self.unable.get(&id.to_string()) {
            return Err(EngineError(reason.clone()));
        }
        let (place, context) = place(id, context)?;
        if self.running.contains_key(&place) {
            return Ok(None);
        }
        if let Some(reason) = self.missing.get(name) {
            return Err(EngineError(reason.clone()));
        }
        match start(id, &context, observer).await {
            Ok(running) => {
                if let Some(remark) = running.remark().filter(|it| !self.remarks.contains(it)) {
                    observer.note(&remark);
                    self.remarks.insert(remark);
                }
                let mut info = running.info();
                if place != name {
                    info.settings
                        .insert(0, (EngineInfo::SERVER_OF.to_owned(), place.clone()));
                }
                self.running.insert(place, running);
                Ok(Some(info))
            }
            Err(error) => {
                observer.trouble(name, &error.0);
                self.missing.insert(name.to_owned(), error.0.clone());
                Err(error)
            }
        }
    }

    /// Returns the engine of a design, which has to be started before.
    ///
    /// # Errors
    /// Fails if the engine was not started or is not available.
    pub fn get(&self, id: &DesignId) -> Result<&dyn Running, EngineError> {
        let name = id.engine.as_str();
        let own = self.running.get(&without_tag(id));
        match (
            own.or_else(|| self.running.get(name)),
            self.missing.get(name),
        ) {
            (Some(engine), _) => Ok(engine.as_ref()),
            (None, Some(reason)) => Err(EngineError(reason.clone())),
            (None, None) => Err(EngineError(format!("{name} was not started"))),
        }
    }

    /// Ends all engines, which keep their data if `keep` is set, and returns a message for each failure.
    pub async fn finish(self, keep: bool) -> Vec<String> {
        let mut troubles = Vec::new();
        for (name, engine) in self.running {
            if let Err(error) = engine.finish(keep).await {
                troubles.push(format!("stopping {name} failed: {error}"));
            }
        }
        troubles
    }
}

/// Returns the id of a design, and not of a further table of it.
fn without_tag(id: &DesignId) -> String {
    let design = DesignId {
        tag: None,
        ..id.clone()
    };
    design.to_string()
}

/// Returns the name under which the engine of a design runs, and the context that it is started with: the engine's
/// name, or the design's id where it has a Cassandra of its own.
fn place<'a>(
    id: &DesignId,
    context: &'a Context,
) -> Result<(String, Cow<'a, Context>), EngineError> {
    let name = id.engine.as_str();
    let shared = (name.to_owned(), Cow::Borrowed(context));
    if !context.options.cassandra.server_per_design {
        return Ok(shared);
    }
    let server = engine(id)?.own_cassandra(id, context);
    // That of another engine, such as Spark, serves its designs together.
    let is_its = server.is_some_and(|(server, _)| server.name == name);
    if !is_its {
        return Ok(shared);
    }
    let mut own = context.clone();
    own.options.cassandra.server_of = Some(id.clone());
    Ok((without_tag(id), Cow::Owned(own)))
}

/// Checks that all Cassandras which are started for these designs fit into the memory: each engine keeps its own until
/// the end.
fn check_memory<'a>(
    designs: impl Iterator<Item = &'a DesignId>,
    context: &Context,
) -> Result<(), EngineError> {
    let mut servers = BTreeMap::new();
    for id in designs {
        let (place, context) = place(id, context)?;
        if let Some(server) = engine(id)?.own_cassandra(id, &context) {
            servers.insert(place, server);
        }
    }
    let servers: Vec<_> = servers.into_values().collect();
    Ok(Nodes::check_room_together(&servers)?)
}

fn none_left(missing: &BTreeMap<&String, &String>) -> EngineError {
    let reasons = missing
        .iter()
        .map(|(name, reason)| format!("{name}: {reason}"));
    let reasons: Vec<String> = reasons.collect();
    EngineError(format!(
        "none of the designs can run here, and nothing was started; {}",
        reasons.join("; ")
    ))
}

async fn start(
    id: &DesignId,
    context: &Context,
    observer: &dyn Observer,
) -> Result<Box<dyn Running>, EngineError> {
    let engine = engine(id)?;
    let name = engine.name();
    let fetched = engine.fetches_first(context);
    if let Some(what) = fetched {
        observer.note(&format!("fetching {what}"));
    }
    let first = fetched.map_or(String::new(), |what| format!("fetching {what}, then "));
    observer.phase(&format!("{first}starting {name}"));
    let began = Instant::now();
    let running = engine.start(context).await?;
    if running.info().start_seconds.is_some() {
        observer.done(&format!("started {name}"), began.elapsed());
    }
    Ok(running)
}

#[cfg(test)]
mod tests;
