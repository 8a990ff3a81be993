//! Sets of parameters with which several clients ask, and the right answers to some of them.
//!
//! Sets are a pure function of seed, query and number. Unless a workload asks for more, there are a few, all with
//! a right answer. Of many sets the first ones have one, as many as there is room and time for.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use bakeoff_stats::{QuerySets, Record};
use bakeoff_workload::{Concurrent, Drawn, Query};

use super::open;
use crate::compare::context::{Context, RunError};
use crate::compare::questions::{CONCURRENT_ROUND, Questions};

/// Sets of a query if neither the workload nor the command line says how many.
const SETS_AT_MOST: u32 = 10;
/// No right answers to a further set are computed when they take more memory than this with it.
pub const EXPECTED_BYTES: usize = 64 << 20;
/// Memory that the parameters of all sets may take.
const PARAMETER_BYTES: usize = 32 << 20;

/// Sets of parameters of all queries.
pub struct Sets {
    queries: Vec<OfQuery>,
    /// Number of the first sets of each query that have a right answer.
    right: u32,
    /// Whether the workload or the command line says how many there are.
    are_chosen: bool,
}

struct OfQuery {
    query: Query,
    /// Never empty: a query without parameters has one set of none.
    drawn: Vec<Drawn>,
}

impl Sets {
    /// Returns the number of the set with which a question is asked; each is used in turn.
    pub fn of_question(&self, query: usize, number: u32) -> u32 {
        let sets = self.queries[query].drawn.len().max(1) as u32;
        number % sets
    }

    /// Returns a query as a design is asked it with one of its sets.
    pub fn sql(&self, design: &str, query: usize, set: u32) -> String {
        let OfQuery { query, drawn } = &self.queries[query];
        let none = Drawn::new();
        query.bind(design, drawn.get(set as usize).unwrap_or(&none))
    }

    /// Returns whether the right answer to a set was computed before clients asked.
    pub fn has_right_answer(&self, set: u32) -> bool {
        set < self.right
    }

    /// Returns whether some sets may have no right answer, so that answers are compared among designs.
    pub fn are_chosen(&self) -> bool {
        self.are_chosen
    }
}

/// Draws the sets, and computes the right answers to as many of them as there is room and time for; as many
/// as before in a run that goes on.
pub async fn prepare(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    plan: &Concurrent,
) -> Result<Arc<Sets>, RunError> {
    run.observer
        .phase("computing right answers for concurrent questions");
    let queries = run.workload.queries.iter();
    let are_chosen = { queries.clone() }.any(|query| plan.sets_of(query).is_some());
    let wanted = |query: &Query| match plan.sets_of(query) {
        _ if query.parameters.is_empty() => 1,
        Some(sets) => sets.min(plan.questions_of(query)),
        None => SETS_AT_MOST.min(plan.permutations),
    };
    let wanted: Vec<u32> = queries.map(wanted).collect();
    let right = compute(run, questions, &wanted).await?;
    let mut sets = Sets {
        queries: Vec::new(),
        right,
        are_chosen,
    };
    let mut room = PARAMETER_BYTES;
    for (query, wanted) in run.workload.queries.iter().zip(wanted) {
        // Few sets all have a right answer.
        let number = match plan.sets_of(query) {
            Some(_) => wanted,
            None => wanted.min(right),
        };
        let of_query = draw(run, questions, query, number, &mut room)?;
        sets.queries.push(of_query);
    }
    if run.log.state().parameter_sets.is_none() {
        let queries = sets.queries.iter().filter(|_| are_chosen);
        let queries = queries.map(|of_query| of_query.record(right)).collect();
        run.log.record(Record::ParameterSets {
            sets: right,
            queries,
        })?;
    }
    Ok(Arc::new(sets))
}

/// Draws the sets of a query, as many as there is room for.
fn draw(
    run: &mut Context<'_>,
    questions: &Questions<'_>,
    query: &Query,
    number: u32,
    room: &mut usize,
) -> Result<OfQuery, RunError> {
    let mut drawn = questions.draw(query, CONCURRENT_ROUND, number)?;
    let bytes = |set: &Drawn| -> usize {
        let texts = set.iter().map(|(name, value)| name.len() + value.len());
        texts.sum::<usize>() + size_of::<Drawn>() + set.len() * size_of::<(String, String)>()
    };
    let mut fitting = 0;
    for set in &drawn {
        let Some(left) = room.checked_sub(bytes(set)) else {
            break;
        };
        *room = left;
        fitting += 1;
    }
    if fitting < drawn.len() {
        // One is needed in any case.
        drawn.truncate(fitting.max(1));
        run.warn(format!(
            "{}: asked with {} sets of parameters instead of {number}, since those of all queries would take \
             more than {} MiB",
            query.name,
            drawn.len(),
            PARAMETER_BYTES >> 20
        ))?;
    }
    Ok(OfQuery {
        query: query.clone(),
        drawn,
    })
}

impl OfQuery {
    fn record(&self, right: u32) -> QuerySets {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let distinct: HashSet<&Drawn> = self.drawn.iter().collect();
        let drawn = small(self.drawn.len());
        QuerySets {
            query: self.query.name.clone(),
            drawn,
            distinct: small(distinct.len()),
            right: right.min(drawn),
        }
    }
}

/// Computes right answers to the first sets of all queries, to at least one and at most all that are wanted of
/// each. Returns their number.
async fn compute(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    wanted: &[u32],
) -> Result<u32, RunError> {
    let (began, known) = (Instant::now(), run.log.state().parameter_sets);
    let most = wanted.iter().copied().max().unwrap_or(1);
    let before = questions.held_bytes();
    let mut sets = 0;
    loop {
        expect_set(run, questions, sets, wanted).await?;
        sets += 1;
        let bytes = questions.held_bytes() - before;
        let next_fits = bytes + bytes / sets as usize <= EXPECTED_BYTES;
        let is_time = began.elapsed() < run.settings.right_answers_within;
        let goes_on = match known {
            Some(known) => sets < known,
            None => sets < most && next_fits && is_time,
        };
        if !goes_on {
            return Ok(sets);
        }
    }
}

async fn expect_set(
    run: &Context<'_>,
    questions: &mut Questions<'_>,
    set: u32,
    wanted: &[u32],
) -> Result<(), RunError> {
    let queries = run.workload.queries.iter().zip(wanted);
    let having = queries.filter(|(_, wanted)| set < **wanted);
    let having: Vec<&Query> = having.map(|(query, _)| query).collect();
    for design in open(run) {
        for query in &having {
            match questions
                .expect(design.as_ref(), query, CONCURRENT_ROUND + set)
                .await
            {
                // Judging the answer will tell.
                Ok(_) | Err(RunError::Oracle(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
