//! The engines of one command: each is started when the first design needs it, and ended once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, anyhow};
use bakeoff_driver::Observer;
use bakeoff_engines::registry::engine;
use bakeoff_engines::servers::{Home, list, stop_orphans};
use bakeoff_engines::{Context, Running};
use bakeoff_stats::EngineInfo;
use bakeoff_workload::DesignId;

use crate::progress::Progress;
use crate::stderr::tell;

/// Engines that run, and why others are not available.
#[derive(Default)]
pub struct Engines {
    running: BTreeMap<String, Box<dyn Running>>,
    missing: BTreeMap<String, String>,
}

/// An engine that a design asked for.
pub struct Found<'a> {
    pub engine: &'a dyn Running,
    /// What it is, when this was the call that started it.
    pub started: Option<EngineInfo>,
}

impl Engines {
    /// None started yet. Those that cannot be started here are known and reported before the first one
    /// is.
    ///
    /// # Errors
    /// If none of the designs can run here.
    pub async fn checked(
        designs: &[DesignId],
        context: &Context,
        progress: &Progress,
    ) -> Result<Engines> {
        progress.phase("checking engines");
        let mut engines = Engines::default();
        let mut present = BTreeSet::new();
        for id in designs {
            let name = id.engine.as_str();
            if present.contains(name) || engines.missing.contains_key(name) {
                continue;
            }
            match engine(id)?.check(context).await {
                Ok(()) => {
                    present.insert(name);
                }
                Err(reason) => {
                    engines.missing.insert(name.to_owned(), reason.to_string());
                }
            }
        }
        if present.is_empty() {
            return Err(none_left(&engines.missing));
        }
        for (name, reason) in &engines.missing {
            progress.say(&format!("{name}: {reason}"));
        }
        Ok(engines)
    }

    /// The engine of a design, started if it was not yet. One that is not available is tried once,
    /// and the reason is the same for every design on it.
    pub async fn get(
        &mut self,
        id: &DesignId,
        context: &Context,
        progress: &Progress,
    ) -> Result<Found<'_>, String> {
        let name = id.engine.as_str();
        let mut started = None;
        if !self.running.contains_key(name) && !self.missing.contains_key(name) {
            match start(id, context, progress).await {
                Ok(running) => {
                    started = Some(running.info());
                    self.running.insert(name.to_owned(), running);
                }
                Err(reason) => {
                    progress.say(&format!("{name}: {reason}"));
                    self.missing.insert(name.to_owned(), reason);
                }
            }
        }
        match self.running.get(name) {
            Some(engine) => Ok(Found {
                engine: engine.as_ref(),
                started,
            }),
            None => Err(self.missing.get(name).cloned().unwrap_or_default()),
        }
    }

    /// Ends all engines, keeping what they hold if asked; what went wrong, in words.
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

fn none_left(missing: &BTreeMap<String, String>) -> anyhow::Error {
    let reasons = missing
        .iter()
        .map(|(name, reason)| format!("{name}: {reason}"));
    let reasons: Vec<String> = reasons.collect();
    anyhow!(
        "none of the designs can run here, and nothing was started; {}",
        reasons.join("; ")
    )
}

async fn start(
    id: &DesignId,
    context: &Context,
    progress: &Progress,
) -> Result<Box<dyn Running>, String> {
    let engine = engine(id).map_err(|e| e.to_string())?;
    let name = engine.name();
    let fetched = engine.fetches_first(context);
    if let Some(what) = fetched {
        progress.say(&format!("fetching {what}"));
    }
    let first = fetched.map_or(String::new(), |what| format!("fetching {what}, then "));
    progress.phase(&format!("{first}starting {name}"));
    let began = Instant::now();
    let running = engine.start(context).await.map_err(|e| e.to_string())?;
    if running.info().start_seconds.is_some() {
        progress.done(&format!("started {name}"), began.elapsed());
    }
    Ok(running)
}

/// The warnings of [`clear_the_place`] and the engines of [`Engines::checked`]; `None`, and a line
/// that says so, if `interruption` comes before.
///
/// # Errors
/// Those of both.
pub async fn clear_and_check(
    designs: &[DesignId],
    context: &Context,
    progress: &Progress,
    interruption: impl Future<Output = ()>,
) -> Result<Option<(Vec<String>, Engines)>> {
    let checking = async {
        let cleared = clear_the_place(progress).await?;
        let engines = Engines::checked(designs, context, progress).await?;
        Ok(Some((cleared, engines)))
    };
    tokio::select! {
        checked = checking => checked,
        () = interruption => {
            progress.finish();
            tell("interrupted: nothing was started");
            Ok(None)
        }
    }
}

/// Stops what killed commands left behind, and warns of others that are going on: two at once on
/// one machine disturb each other's times.
async fn clear_the_place(progress: &Progress) -> Result<Vec<String>> {
    // Without a home no server has ever been started.
    let Ok(home) = Home::from_env() else {
        return Ok(Vec::new());
    };
    for line in stop_orphans(&home).await? {
        progress.say(&line);
    }
    let others = list(&home)?
        .into_iter()
        .filter(|server| server.alive && server.owner_alive == Some(true));
    // A command has a server for each of its engines, and is one disturbance.
    let folders: BTreeMap<Option<u32>, PathBuf> =
        others.map(|other| (other.owner, other.dir)).collect();
    let warnings: Vec<String> = folders
        .values()
        .map(|folder| {
            format!(
                "another run was going on on this machine when this one began (data of it are in \
                 {}): both disturb each other's times",
                folder.display()
            )
        })
        .collect();
    for warning in &warnings {
        progress.say(warning);
    }
    Ok(warnings)
}
