//! Comparison of answers to sets of parameters whose right answers were not computed beforehand.
//!
//! The first answer to a set is kept, or its digest, and those of other designs are compared with it. Where two
//! differ, the right answer is computed, and says which of them is wrong. What is kept, and the time for such
//! right answers, are bounded; an answer that was compared with nothing is counted, and reports say so.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::compute::concat_batches;
use bakeoff_stats::{Agreed, Answered, Outcome, Record};
use bakeoff_workload::Query;

use super::sets::{EXPECTED_BYTES, Sets};
use crate::compare::context::{Context, RunError};
use crate::compare::questions::{CONCURRENT_ROUND, Questions};
use crate::compare::{Comparison, Leeway, compare_answer};
use crate::{Answer, Design, DesignError, Digest, Expected, too_large};

/// Memory that the first answers may take. Answers to further sets are compared with nothing.
const FIRST_BYTES: usize = 64 << 20;
/// The longest that right answers are computed where designs differ, in all.
const DECIDED_WITHIN: Duration = Duration::from_secs(20);

/// First answers of all designs.
pub struct Agreement {
    first: HashMap<Place, First>,
    first_bytes: usize,
    /// Sets whose right answers were computed since designs differed.
    decided: HashSet<Place>,
    deciding: Duration,
    /// Bytes of right answers when nothing was decided.
    expected_bytes: usize,
}

/// What has one right answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    query: usize,
    set: u32,
    /// Whether designs that keep all rows of a key gave it.
    keeps_all: bool,
}

/// First answer to a set.
struct First {
    design: String,
    answer: Answer,
    bytes: usize,
    /// Number of answers of that design that no other one has confirmed.
    waiting: u32,
}

/// Question of a client that a design has answered.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub design: &'a dyn Design,
    /// Number of the query in the workload.
    pub query: usize,
    /// Number of the set of parameters.
    pub set: u32,
}

impl Agreement {
    pub fn new(questions: &Questions<'_>) -> Self {
        Agreement {
            first: HashMap::new(),
            first_bytes: 0,
            decided: HashSet::new(),
            deciding: Duration::ZERO,
            expected_bytes: questions.held_bytes(),
        }
    }

    /// Compares an answer with the right one if that is known, and else with that of another design. `agreed`
    /// counts what was compared.
    pub async fn judge(
        &mut self,
        run: &mut Context<'_>,
        questions: &mut Questions<'_>,
        sets: &Sets,
        asked: Question<'_>,
        answer: Result<Answer, DesignError>,
        agreed: &mut Agreed,
    ) -> Result<Outcome, RunError> {
        let workload = run.workload;
        let (query, round) = (&workload.queries[asked.query], CONCURRENT_ROUND + asked.set);
        let place = Place {
            query: asked.query,
            set: asked.set,
            keeps_all: questions.keeps_all(asked.design),
        };
        if sets.has_right_answer(asked.set) || self.decided.contains(&place) {
            return questions.judge(asked.design, query, round, answer).await;
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(Outcome::Error { reason: error.0 }),
        };
        // The form of the right answer to the first set, such as its order, is that of all.
        let form = match questions
            .expect(asked.design, query, CONCURRENT_ROUND)
            .await
        {
            Ok(form) => form,
            Err(RunError::Oracle(error)) => {
                let reason = format!("the right answer could not be computed: {error}");
                return Ok(Outcome::Error { reason });
            }
            Err(error) => return Err(error),
        };
        if answer.digest.is_some() && !form.only_reads {
            return Ok(Outcome::Error {
                reason: too_large(),
            });
        }
        let rows = answer.rows();
        let id = &asked.design.info().id;
        let Some(first) = self.first.get_mut(&place) else {
            agreed.alone += 1;
            self.keep(place, id, answer, form.only_reads);
            return Ok(Outcome::Right { rows });
        };
        let difference = match first.compare(&answer, &form, query) {
            Ok(Comparison::Same { .. }) if first.design == *id && first.waiting > 0 => {
                // The same design again confirms nothing.
                first.waiting += 1;
                agreed.alone += 1;
                return Ok(Outcome::Right { rows });
            }
            Ok(Comparison::Same { .. }) => {
                first.confirm(agreed);
                return Ok(Outcome::Right { rows });
            }
            Ok(Comparison::Different(difference)) => difference,
            Err(reason) => return Ok(Outcome::Error { reason }),
        };
        if !self.may_decide(questions) {
            let other = &self.first[&place].design;
            let reason = format!(
                "it differs from the answer of {other}, and which of the two is right was not computed, since \
                 that takes too long: {difference}"
            );
            return Ok(Outcome::Error { reason });
        }
        self.decide(run, questions, asked, place, answer, agreed)
            .await
    }

    /// Keeps the first answer to a set, if there is room.
    fn keep(&mut self, place: Place, design: &str, answer: Answer, only_reads: bool) {
        let answer = reduced(answer, only_reads);
        let batches = answer.batches.iter();
        let bytes = batches.map(|batch| batch.get_array_memory_size());
        let bytes = bytes.sum::<usize>() + answer.digest.as_ref().map_or(0, Digest::bytes);
        if self.first_bytes + bytes > FIRST_BYTES {
            return;
        }
        self.first_bytes += bytes;
        let first = First {
            design: design.to_owned(),
            answer,
            bytes,
            waiting: 1,
        };
        self.first.insert(place, first);
    }

    /// Returns whether there is time and room for another right answer.
    fn may_decide(&self, questions: &Questions<'_>) -> bool {
        let bytes = questions.held_bytes().saturating_sub(self.expected_bytes);
        self.deciding < DECIDED_WITHIN && bytes < EXPECTED_BYTES
    }

    /// Computes the right answer where two designs differ, judges both by it, and returns the outcome of the
    /// later one.
    async fn decide(
        &mut self,
        run: &mut Context<'_>,
        questions: &mut Questions<'_>,
        asked: Question<'_>,
        place: Place,
        answer: Answer,
        agreed: &mut Agreed,
    ) -> Result<Outcome, RunError> {
        let workload = run.workload;
        let (query, round) = (&workload.queries[place.query], CONCURRENT_ROUND + place.set);
        let began = Instant::now();
        let outcome = questions
            .judge(asked.design, query, round, Ok(answer))
            .await?;
        if let Some(mut first) = self.first.remove(&place) {
            self.first_bytes -= first.bytes;
            // Where the right answer could not be computed, neither answer was compared with it.
            if !matches!(outcome, Outcome::Error { .. }) {
                first.confirm(agreed);
            }
            first.correct(run, questions, query, round).await?;
        }
        self.decided.insert(place);
        self.deciding += began.elapsed();
        Ok(outcome)
    }
}

impl First {
    fn compare(
        &self,
        answer: &Answer,
        form: &Expected,
        query: &Query,
    ) -> Result<Comparison, String> {
        let expected = Expected {
            batches: self.answer.batches.clone(),
            digest: self.answer.digest.clone(),
            only_reads: form.only_reads,
            order_by: form.order_by.clone(),
            // Rows that tie at a LIMIT may make two right answers differ; then the right one is computed.
            beyond: None,
        };
        compare_answer(&expected, answer, &Leeway::of(query))
    }

    /// Notes that all of its answers were compared.
    fn confirm(&mut self, agreed: &mut Agreed) {
        agreed.confirmed += self.waiting;
        agreed.sets += u32::from(self.waiting > 0);
        self.waiting = 0;
    }

    /// Records that its answer, which was taken for right, was wrong, if it was.
    async fn correct(
        self,
        run: &mut Context<'_>,
        questions: &mut Questions<'_>,
        query: &Query,
        round: u32,
    ) -> Result<(), RunError> {
        let designs = run.designs;
        let found = designs
            .iter()
            .find(|design| design.info().id == self.design);
        let Some(design) = found.map(Arc::as_ref) else {
            return Ok(());
        };
        let sql = questions.sql(design, query, round)?;
        let outcome = questions
            .judge(design, query, round, Ok(self.answer))
            .await?;
        let Outcome::Wrong { difference } = &outcome else {
            return Ok(());
        };
        let message = format!("{}: wrong answer: {difference}", query.name);
        run.observer.trouble(&self.design, &message);
        Ok(run.log.record(Record::Answered(Answered {
            design: self.design,
            query: query.name.clone(),
            sql,
            outcome,
        }))?)
    }
}

/// Makes an answer as small as it can be compared: a digest if its values are only read, or else one batch
/// without the buffers that it may be a part of.
fn reduced(answer: Answer, only_reads: bool) -> Answer {
    if answer.digest.is_some() {
        return answer;
    }
    if only_reads && let Ok(digest) = Digest::of(&answer.batches) {
        return Answer {
            batches: Vec::new(),
            digest: Some(digest),
            ..answer
        };
    }
    let Some(first) = answer.batches.first() else {
        return answer;
    };
    match concat_batches(&first.schema(), &answer.batches) {
        Ok(batch) => Answer {
            batches: vec![batch],
            ..answer
        },
        // Batches of different columns are compared as they are.
        Err(_) => answer,
    }
}
