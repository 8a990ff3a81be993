//! Methods that the servers of designs run while their questions are asked. They are recorded after all that is timed,
//! so that recording costs no figure anything.

use std::path::Path;
use std::time::{Duration, Instant};

use bakeoff_stats::{Profile, Record, Stacks};
use bakeoff_workload::Query;

use super::ask::{ask, may_time};
use super::context::{Context, Profiles, RunError};
use super::questions::{Questions, WARM_UP_ROUND};
use crate::{Design, DesignError};

/// Sets of parameters with which the questions are asked in turn.
const PARAMETER_SETS: u32 = 8;

/// Records the profile of each design that has a server which can record, but for those in the journal, where that is
/// asked for. What cannot be recorded is a warning, and nothing fails.
pub async fn record_profiles(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
) -> Result<(), RunError> {
    let Some(Profiles { dir, lasts }) = run.settings.profiles.clone() else {
        return Ok(());
    };
    run.observer.phase("recording profiles");
    let designs = run.designs;
    for (number, design) in (1..).zip(designs) {
        if !is_open(run, design.as_ref()) {
            continue;
        }
        let id = &design.info().id;
        match record(run, questions, design.as_ref(), lasts).await? {
            Ok(None) => {}
            Ok(Some(recorded)) => match recorded.keep(&dir, number, id) {
                Ok(profile) => run.log.record(Record::Profile(profile))?,
                Err(error) => run.warn(no_profile(id, &error.to_string()))?,
            },
            Err(error) => run.warn(no_profile(id, &error.0))?,
        }
        run.observer.between_steps();
    }
    Ok(())
}

/// Returns whether a design takes part with a table of its own, and has no profile yet.
fn is_open(run: &Context<'_>, design: &dyn Design) -> bool {
    let id = &design.info().id;
    let state = run.log.state();
    state.design(id).takes_part()
        && !state.has_profile(id)
        && run.is_own_table(design)
        && design.dead().is_none()
}

fn no_profile(id: &str, reason: &str) -> String {
    format!("there is no profile of {id}: {reason}")
}

/// Stacks of a recording that lasted so long.
struct Recorded {
    stacks: Stacks,
    seconds: f64,
}

impl Recorded {
    /// Writes the stacks into a file of the run folder.
    fn keep(self, dir: &Path, number: u32, id: &str) -> std::io::Result<Profile> {
        let file = self.stacks.write(dir, number, id)?;
        Ok(Profile::new(id, None, self.seconds, &self.stacks, file))
    }
}

/// Asks the questions of a design while its server records. Returns `None` for a design whose server cannot.
async fn record(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    design: &dyn Design,
    lasts: Duration,
) -> Result<Result<Option<Recorded>, DesignError>, RunError> {
    let queries = run.workload.queries.iter();
    let queries = queries.filter(|query| may_time(run, design, query) && run.has(design, query));
    let queries: Vec<&Query> = queries.collect();
    if queries.is_empty() {
        return Ok(Ok(None));
    }
    match run.limited(design.begin_profile()).await {
        Ok(true) => {}
        Ok(false) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(error)),
    }
    let began = Instant::now();
    let asked = ask_all(run, questions, (design, &queries), run.explaining(lasts)).await;
    let seconds = began.elapsed().as_secs_f64();
    let stacks = run.limited(design.end_profile()).await;
    Ok(asked?.and(stacks).and_then(|stacks| {
        if stacks.samples() == 0 {
            return Err(DesignError::new("nothing of its server ran meanwhile"));
        }
        Ok(Some(Recorded { stacks, seconds }))
    }))
}

/// Asks all questions of a design in turn, each of them at least once, until the time is over.
async fn ask_all(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    (design, queries): (&dyn Design, &[&Query]),
    time: Duration,
) -> Result<Result<(), DesignError>, RunError> {
    let began = Instant::now();
    for set in (0..PARAMETER_SETS).cycle() {
        for query in queries {
            let sql = questions.sql(design, query, WARM_UP_ROUND + set)?;
            if let Err(error) = ask(run, design, &sql).await.answer {
                return Ok(Err(error));
            }
        }
        if began.elapsed() >= time {
            break;
        }
    }
    for set in 0..PARAMETER_SETS {
        questions.forget(WARM_UP_ROUND + set);
    }
    Ok(Ok(()))
}
