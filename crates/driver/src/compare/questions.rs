//! What is asked in which round, and what is right: computed before any clock starts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bakeoff_stats::{InstanceKind, Outcome};
use bakeoff_workload::{Drawn, Expectation, Query, RowSource, Workload};

use super::answer::same_text;
use super::context::RunError;
use super::{Comparison, Leeway, compare_answer, compare_with, interpolated, marking, summands};
use crate::{Answer, Design, DesignError, Expected, Oracle};

/// Parameters of the complete answers that are compared before anything is timed.
pub const VERIFY_ROUND: u32 = u32::MAX;
/// Parameters of warm-up passes: this and the numbers after it.
pub const WARM_UP_ROUND: u32 = 1 << 24;

/// Parameters of concurrent questions: this and the numbers after it, one for each set.
pub const CONCURRENT_ROUND: u32 = 1 << 25;

/// Rounds for which parameters are drawn at a time.
const ROUNDS_AT_ONCE: u32 = 64;

/// Draws parameters as a pure function of seed, query, round and rows, and keeps right answers.
pub struct Questions<'a> {
    workload: &'a Workload,
    /// The rows of the designs' own tables.
    source: Arc<dyn RowSource>,
    rows: u64,
    oracle: &'a dyn Oracle,
    /// The rows of smaller tables, by what they are called in `scale_of`.
    smaller: Vec<SmallerRows>,
    /// Which of the smaller rows a table has, by its id.
    scale_of: HashMap<String, usize>,
    /// Parameters by query, round and scale.
    drawn: BTreeMap<(String, u32, Scale), Drawn>,
    expected: HashMap<Asked, Arc<Expected>>,
}

/// Which rows: those of the smaller tables with this number, or those of the designs' own tables.
type Scale = Option<usize>;

/// Rows that smaller tables hold, and who knows the right answers over them.
struct SmallerRows {
    kind: InstanceKind,
    source: Arc<dyn RowSource>,
    rows: u64,
    oracle: Box<dyn Oracle>,
}

/// Key of a right answer: everything that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Asked {
    sql: String,
    scale: Scale,
    keeps_all: bool,
}

impl<'a> Questions<'a> {
    pub fn new(
        workload: &'a Workload,
        source: Arc<dyn RowSource>,
        rows: u64,
        oracle: &'a dyn Oracle,
    ) -> Self {
        Questions {
            workload,
            source,
            rows,
            oracle,
            smaller: Vec::new(),
            scale_of: HashMap::new(),
            drawn: BTreeMap::new(),
            expected: HashMap::new(),
        }
    }

    pub fn has_scale(&self, kind: InstanceKind) -> bool {
        self.smaller.iter().any(|smaller| smaller.kind == kind)
    }

    /// Adds the first `rows` rows of a source, and who knows the right answers over them.
    pub fn add_scale(
        &mut self,
        kind: InstanceKind,
        (source, rows): (Arc<dyn RowSource>, u64),
        oracle: Box<dyn Oracle>,
    ) {
        self.smaller.push(SmallerRows {
            kind,
            source,
            rows,
            oracle,
        });
    }

    /// Adds a table that has only the rows of a scale that was added.
    pub fn add_smaller_table(&mut self, id: &str, kind: InstanceKind) {
        let found = { self.smaller.iter() }.position(|smaller| smaller.kind == kind);
        self.scale_of
            .extend(found.map(|scale| (id.to_owned(), scale)));
    }

    fn scale_of(&self, design: &dyn Design) -> Scale {
        self.scale_of.get(design.info().id.as_str()).copied()
    }

    fn smaller(&self, scale: Scale) -> Option<&SmallerRows> {
        scale.and_then(|scale| self.smaller.get(scale))
    }

    fn oracle_of(&self, scale: Scale) -> &dyn Oracle {
        self.smaller(scale)
            .map_or(self.oracle, |smaller| smaller.oracle.as_ref())
    }

    fn rows_of(&self, scale: Scale) -> u64 {
        self.smaller(scale)
            .map_or(self.rows, |smaller| smaller.rows)
    }

    /// The query as this design is asked it in this round.
    pub fn sql(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<String, RunError> {
        let scale = self.scale_of(design);
        Ok(query.bind(&design.info().id, self.values(query, round, scale)?))
    }

    /// The query with the parameters of each of the first rounds, over the rows of the designs' own tables; once
    /// if it has no parameters.
    pub fn of_first_rounds(&mut self, query: &Query, rounds: u32) -> Result<Vec<String>, RunError> {
        let rounds = if query.parameters.is_empty() {
            1
        } else {
            rounds
        };
        let mut all = Vec::new();
        for round in 0..rounds {
            all.push(query.bind("", self.values(query, round, None)?));
        }
        Ok(all)
    }

    /// Returns whether the right answers of a design are over all rows of a key. Where no key repeats, those
    /// over the last one are the same, so that one answer is enough.
    pub fn keeps_all(&self, design: &dyn Design) -> bool {
        design.keeps_duplicates() || !self.source.may_repeat_keys()
    }

    /// Returns the parameters of a query in rounds that follow each other, for designs' own tables. They are
    /// not kept: where rows come from a file, it is read once for all of them.
    pub fn draw(&self, query: &Query, first: u32, rounds: u32) -> Result<Vec<Drawn>, RunError> {
        let rounds = u64::from(first)..u64::from(first) + u64::from(rounds);
        let source = self.source.as_ref();
        Ok(self.workload.draw_all(query, rounds, self.rows, source)?)
    }

    /// The right answer for this design in this round.
    pub async fn expect(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<Arc<Expected>, RunError> {
        let keeps_all = self.keeps_all(design);
        let scale = self.scale_of(design);
        let asked = Asked {
            sql: query.bind("", self.values(query, round, scale)?),
            scale,
            keeps_all,
        };
        if let Some(expected) = self.expected.get(&asked) {
            return Ok(expected.clone());
        }
        let answer = self.oracle_of(scale).answer(&asked.sql, keeps_all).await?;
        let expected = Arc::new(answer);
        self.expected.insert(asked, expected.clone());
        Ok(expected)
    }

    /// Compares an answer with the right one.
    pub async fn judge(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
        answer: Result<Answer, DesignError>,
    ) -> Result<Outcome, RunError> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Ok(Outcome::Error { reason: error.0 }),
        };
        let expected = match self.expect(design, query, round).await {
            Ok(expected) => expected,
            Err(RunError::Oracle(error)) => {
                let reason = format!("the right answer could not be computed: {error}");
                return Ok(Outcome::Error { reason });
            }
            Err(error) => return Err(error),
        };
        let mut compared = match compare_answer(&expected, &answer, &Leeway::of(query)) {
            Ok(compared) => compared,
            Err(reason) => return Ok(Outcome::Error { reason }),
        };
        // A digest is of values that are only read: there are neither sums nor percentiles.
        let is_held = expected.digest.is_none() && answer.digest.is_none();
        if let Comparison::Different(_) = compared
            && is_held
            && let Some(leeway) = self.leeway_of_rounding(design, query, round).await?
        {
            compared = compare_with(&expected, &answer.batches, &leeway);
        }
        Ok(match compared {
            Comparison::Same { rows } => Outcome::Right { rows },
            Comparison::Different(difference) => Outcome::Wrong { difference },
        })
    }

    /// Returns how far sums and percentiles may be from the right ones, which is asked only where an answer differs;
    /// `None` for a question without any.
    async fn leeway_of_rounding(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<Option<Leeway>, RunError> {
        let scale = self.scale_of(design);
        let sql = query.bind("", self.values(query, round, scale)?);
        let keeps_all = self.keeps_all(design);
        let kinds = [
            (summands::marked(&sql), summands::share(self.rows_of(scale))),
            (interpolated::marked(&sql), interpolated::SHARE),
        ];
        let mut all: Option<Leeway> = None;
        for (marked, share) in kinds {
            let Some(marked) = marked else {
                continue;
            };
            // Not every question can be asked in this form: then nothing is allowed.
            let answer = self.oracle_of(scale).answer(&marked, keeps_all).await;
            let leeway = answer.map(|answer| marking::leeway(query, &answer, share));
            if let Some(leeway) = leeway.ok().and_then(Result::ok) {
                all = Some(match all {
                    Some(others) => others.joined(leeway),
                    None => leeway,
                });
            }
        }
        Ok(all)
    }

    /// Memory that the right answers take which are kept at the moment.
    pub fn held_bytes(&self) -> usize {
        let batches = self.expected.values().flat_map(|e| &e.batches);
        batches.map(|batch| batch.get_array_memory_size()).sum()
    }

    /// Drops what only this round needed, so that memory does not grow with the rounds.
    pub fn forget(&mut self, round: u32) {
        let scales = (0..self.smaller.len()).map(Some).chain([None]);
        let scales: Vec<Scale> = scales.collect();
        let queries = self.workload.queries.iter();
        for query in queries.filter(|query| !query.parameters.is_empty()) {
            for scale in &scales {
                let Some(values) = self.drawn.remove(&(query.name.clone(), round, *scale)) else {
                    continue;
                };
                let sql = query.bind("", &values);
                self.expected
                    .retain(|asked, _| asked.sql != sql || asked.scale != *scale);
            }
        }
    }

    fn values(&mut self, query: &Query, round: u32, scale: Scale) -> Result<&Drawn, RunError> {
        use std::collections::btree_map::Entry;
        let place = (query.name.clone(), round, scale);
        if !self.drawn.contains_key(&place) {
            self.draw_ahead(query, round, scale);
        }
        let (source, rows) = (self.source_of(scale), self.rows_of(scale));
        Ok(match self.drawn.entry(place) {
            Entry::Occupied(drawn) => drawn.into_mut(),
            Entry::Vacant(place) => {
                place.insert(
                    self.workload
                        .draw(query, u64::from(round), rows, source.as_ref())?,
                )
            }
        })
    }

    fn source_of(&self, scale: Scale) -> Arc<dyn RowSource> {
        let smaller = self.smaller(scale);
        smaller
            .map_or(&self.source, |smaller| &smaller.source)
            .clone()
    }

    /// Draws for a round and those after it: where rows come from a file, it is read once for all.
    /// Where that fails, each round is drawn when it comes: not all of them may.
    fn draw_ahead(&mut self, query: &Query, round: u32, scale: Scale) {
        let Some(end) = round.checked_add(ROUNDS_AT_ONCE) else {
            return;
        };
        let rounds = u64::from(round)..u64::from(end);
        let (source, rows) = (self.source_of(scale), self.rows_of(scale));
        let drawn = self.workload.draw_all(query, rounds, rows, source.as_ref());
        for (round, values) in (round..end).zip(drawn.unwrap_or_default()) {
            let place = (query.name.clone(), round, scale);
            self.drawn.entry(place).or_insert(values);
        }
    }
}

/// Checks the answers that the workload file expects over the first `rows` rows.
pub async fn check_expectation(
    query: &Query,
    expectation: &Expectation,
    oracle: &dyn Oracle,
) -> Result<(), RunError> {
    let right = oracle.answer(&query.bind("", &[]), true).await?;
    same_text(&right, &expectation.answer).map_err(|difference| {
        let over = match expectation.rows {
            Some(rows) => format!("the first {rows} rows"),
            None => "all rows".to_owned(),
        };
        RunError::Expectation(format!(
            "query {}: over {over} the workload file expects another answer: {difference}; \
             either the data is not what the file was written for, or the expectation is wrong",
            query.name
        ))
    })
}
