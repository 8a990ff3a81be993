//! Recordings of the methods that a design's server runs during a load.

use std::time::{Duration, Instant};

use bakeoff_stats::drive::{DriveLog, DriveRecord};
use bakeoff_stats::{JournalError, Profile, Stacks};

use super::Target;
use crate::call::within;

/// Longest time that a recording may take to begin, or to be read.
const LIMIT: Duration = Duration::from_secs(900);

/// A recording that is under way.
pub struct Recording {
    began: Instant,
}

/// Begins to record which methods the server of a design runs; returns `None` where it does not. Why not is a warning,
/// if somebody asked for it.
pub async fn begin(
    target: &dyn Target,
    log: &mut DriveLog,
) -> Result<Option<Recording>, JournalError> {
    let Some(design) = target.design() else {
        return Ok(None);
    };
    match within(LIMIT, design.begin_profile()).await {
        Ok(true) => Ok(Some(Recording {
            began: Instant::now(),
        })),
        Ok(false) => Ok(None),
        Err(error) => {
            warn(log, &design.info().id, &error.0)?;
            Ok(None)
        }
    }
}

impl Recording {
    /// Ends the recording, and puts on record which methods ran in a load; `None` for one that did not begin.
    pub async fn end(
        self,
        target: &dyn Target,
        log: &mut DriveLog,
        trial: Option<u32>,
    ) -> Result<(), JournalError> {
        let seconds = self.began.elapsed().as_secs_f64();
        let Some(design) = target.design() else {
            return Ok(());
        };
        let id = &design.info().id;
        let stacks = within(LIMIT, design.end_profile()).await;
        let Some(trial) = trial else {
            return Ok(());
        };
        let kept = match stacks {
            Ok(stacks) => keep(&stacks, id, trial, seconds, log),
            Err(error) => Err(error.0),
        };
        match kept {
            Ok(profile) => log.append(&DriveRecord::Profile(profile)),
            Err(reason) => warn(log, id, &reason),
        }
    }
}

/// Writes stacks into a file of the folder.
fn keep(
    stacks: &Stacks,
    id: &str,
    trial: u32,
    seconds: f64,
    log: &DriveLog,
) -> Result<Profile, String> {
    if stacks.samples() == 0 {
        return Err("nothing of its server ran during the load".to_owned());
    }
    let file = stacks.write(log.dir(), trial, id);
    let file = file.map_err(|error| format!("its file cannot be written: {error}"))?;
    Ok(Profile::new(id, Some(trial), seconds, stacks, file))
}

fn warn(log: &mut DriveLog, id: &str, reason: &str) -> Result<(), JournalError> {
    log.append(&DriveRecord::Warning {
        message: format!("there is no profile of a load on {id}: {reason}"),
    })
}
