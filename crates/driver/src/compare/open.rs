//! Open questions first: a design that the rungs show to be beaten in all but a few questions is asked these
//! alone, with those that beat it, before everything is asked of all.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::race::{OPEN_ROUND, claims, open_drops};
use bakeoff_stats::{Claim, Record};

use super::context::{Context, RunError};
use super::duplicates::duplicates_within;
use super::look::drop_new;
use super::measure::{ask_rounds, is_asked, verify};
use super::questions::Questions;
use super::race::{RUNG_SHARE, sizes};
use super::tables::{read_footprints, settle};
use super::warm_up::warm_up;
use crate::Oracle;

/// Asks the open questions at the designs' own tables, which are loaded, and drops the designs that another one
/// is shown to beat there, too. A run that goes on and has asked everything since then has this behind it.
pub async fn drop_by_open_questions(
    run: &mut Context<'_>,
    rows: u64,
    oracle: &dyn Oracle,
) -> Result<(), RunError> {
    let state = run.log.state();
    let is_over = state.latest_round.is_some() || state.is_stopped;
    if !run.settings.race || is_over {
        return Ok(());
    }
    let claims = choose(run)?;
    if claims.is_empty() {
        return Ok(());
    }
    // Other tables would disturb the times by coming to rest.
    settle(run).await?;
    read_footprints(run).await?;
    run.confined_to = Some(pairs_of(&claims));
    let asked = ask(run, rows, oracle).await;
    run.confined_to = None;
    asked?;
    let found = open_drops(run.log.records())?;
    drop_new(run, found)
}

/// Returns the claims that the rungs left open, unless an earlier process did. Designs that failed since then
/// are in none.
fn choose(run: &mut Context<'_>) -> Result<Vec<Claim>, RunError> {
    let state = run.log.state();
    if let Some(known) = &state.claims {
        return Ok(known.clone());
    }
    let sizes = sizes(state.rungs.as_deref().unwrap_or_default());
    let mut open = claims(run.log.records(), &sizes)?;
    let takes_part = |id: &str| run.log.state().design(id).takes_part();
    open.retain(|claim| takes_part(&claim.design) && takes_part(&claim.by));
    run.log.record(Record::OpenQuestions {
        claims: open.clone(),
    })?;
    Ok(open)
}

/// Returns the designs of the claims with the questions that are open.
fn pairs_of(claims: &[Claim]) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    for claim in claims {
        for design in [&claim.design, &claim.by] {
            let questions = claim.questions.iter().cloned();
            pairs.extend(questions.map(|question| (design.clone(), question)));
        }
    }
    pairs
}

/// Verifies and times the questions to which the run is confined.
async fn ask(run: &mut Context<'_>, rows: u64, oracle: &dyn Oracle) -> Result<(), RunError> {
    let what = "asking open questions first";
    let began = Instant::now();
    let mut own = oracle.over(run.source.clone());
    let duplicates = duplicates_within(run, run.source.clone(), rows).await?;
    own.prepare(rows, Arc::new(duplicates)).await?;
    let mut questions = Questions::new(run.workload, run.source.clone(), rows, own.as_ref());
    verify(run, &mut questions).await?;
    if !is_asked(run, OPEN_ROUND) {
        let budget = run.settings.budget.map(|budget| budget.part(RUNG_SHARE));
        warm_up(run, &mut questions, budget).await?;
        run.observer.phase(what);
        ask_rounds(run, &mut questions, OPEN_ROUND).await?;
    }
    run.observer.done(what, began.elapsed());
    Ok(())
}
