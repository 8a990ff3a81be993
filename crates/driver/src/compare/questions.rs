//! What is asked in which round, and what is right: computed before any clock starts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bakeoff_stats::Outcome;
use bakeoff_workload::{Expectation, Query, RowSource, Workload};

use super::answer::same_text;
use super::context::RunError;
use super::{Comparison, Leeway, compare_with, summands};
use crate::{Answer, Design, DesignError, Expected, Oracle};

/// Parameters of the complete answers that are compared before anything is timed.
pub const VERIFY_ROUND: u32 = u32::MAX;
/// Parameters of warm-up passes: this and the numbers after it.
pub const WARM_UP_ROUND: u32 = 1 << 24;

/// Parameters of concurrent questions: this and the numbers after it, one for each set.
pub const CONCURRENT_ROUND: u32 = 1 << 25;

/// Rounds for which parameters are drawn at a time.
const ROUNDS_AT_ONCE: u32 = 64;

type Values = Vec<(String, String)>;

/// Draws parameters as a pure function of seed, query, round and number of rows, and keeps right
/// answers.
pub struct Questions<'a> {
    workload: &'a Workload,
    source: Arc<dyn RowSource>,
    rows: u64,
    oracle: &'a dyn Oracle,
    /// Oracles that know the right answers over fewer rows, by their number.
    smaller: BTreeMap<u64, Box<dyn Oracle>>,
    /// Rows of the tables that have fewer, by id.
    rows_of: HashMap<String, u64>,
    /// By query, round and rows.
    drawn: BTreeMap<(String, u32, u64), Values>,
    expected: HashMap<Asked, Arc<Expected>>,
}

/// Question that a right answer is to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Asked {
    sql: String,
    rows: u64,
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
            smaller: BTreeMap::new(),
            rows_of: HashMap::new(),
            drawn: BTreeMap::new(),
            expected: HashMap::new(),
        }
    }

    pub fn has_scale(&self, rows: u64) -> bool {
        self.smaller.contains_key(&rows)
    }

    /// Adds who knows the right answers over the first `rows` rows.
    pub fn add_scale(&mut self, rows: u64, oracle: Box<dyn Oracle>) {
        self.smaller.insert(rows, oracle);
    }

    /// Adds a table that has only the first `rows` rows, a scale that was added.
    pub fn add_smaller_table(&mut self, id: &str, rows: u64) {
        self.rows_of.insert(id.to_owned(), rows);
    }

    fn rows_of(&self, design: &dyn Design) -> u64 {
        let id = design.info().id.as_str();
        self.rows_of.get(id).copied().unwrap_or(self.rows)
    }

    fn oracle_of(&self, rows: u64) -> &dyn Oracle {
        match self.smaller.get(&rows) {
            Some(smaller) => smaller.as_ref(),
            None => self.oracle,
        }
    }

    /// The query as this design is asked it in this round.
    pub fn sql(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<String, RunError> {
        let rows = self.rows_of(design);
        Ok(query.bind(&design.info().id, self.values(query, round, rows)?))
    }

    /// The right answer for this design in this round.
    pub async fn expect(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<Arc<Expected>, RunError> {
        // Where no key repeats both answers are the same, and one is enough.
        let keeps_all = design.keeps_duplicates() || !self.source.may_repeat_keys();
        let rows = self.rows_of(design);
        let asked = Asked {
            sql: query.bind("", self.values(query, round, rows)?),
            rows,
            keeps_all,
        };
        if let Some(expected) = self.expected.get(&asked) {
            return Ok(expected.clone());
        }
        let answer = self.oracle_of(rows).answer(&asked.sql, keeps_all).await?;
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
        let mut compared = compare_with(&expected, &answer.batches, &Leeway::of(query));
        if let Comparison::Different(_) = compared
            && let Some(leeway) = self.leeway_of_sums(design, query, round).await?
        {
            compared = compare_with(&expected, &answer.batches, &leeway);
        }
        Ok(match compared {
            Comparison::Same { rows } => Outcome::Right { rows },
            Comparison::Different(difference) => Outcome::Wrong { difference },
        })
    }

    /// Returns how far sums may be from the right ones, which is asked only where an answer differs; `None`
    /// for a question without sums.
    async fn leeway_of_sums(
        &mut self,
        design: &dyn Design,
        query: &Query,
        round: u32,
    ) -> Result<Option<Leeway>, RunError> {
        let rows = self.rows_of(design);
        let sql = query.bind("", self.values(query, round, rows)?);
        let Some(marked) = summands::marked(&sql) else {
            return Ok(None);
        };
        let keeps_all = design.keeps_duplicates() || !self.source.may_repeat_keys();
        // Not every question can be asked in this form: then nothing is allowed.
        let answer = self.oracle_of(rows).answer(&marked, keeps_all).await;
        let leeway = answer.map(|answer| summands::leeway(query, &answer, rows));
        Ok(leeway.ok().and_then(Result::ok))
    }

    /// Memory that the right answers take which are kept at the moment.
    pub fn held_bytes(&self) -> usize {
        let batches = self.expected.values().flat_map(|e| &e.batches);
        batches.map(|batch| batch.get_array_memory_size()).sum()
    }

    /// Drops what only this round needed, so that memory does not grow with the rounds.
    pub fn forget(&mut self, round: u32) {
        let mut rows: Vec<u64> = self.smaller.keys().copied().collect();
        rows.push(self.rows);
        let queries = self.workload.queries.iter();
        for query in queries.filter(|query| !query.parameters.is_empty()) {
            for rows in &rows {
                let Some(values) = self.drawn.remove(&(query.name.clone(), round, *rows)) else {
                    continue;
                };
                let sql = query.bind("", &values);
                self.expected
                    .retain(|asked, _| asked.sql != sql || asked.rows != *rows);
            }
        }
    }

    fn values(&mut self, query: &Query, round: u32, rows: u64) -> Result<&Values, RunError> {
        use std::collections::btree_map::Entry;
        let place = (query.name.clone(), round, rows);
        if !self.drawn.contains_key(&place) {
            self.draw_ahead(query, round, rows);
        }
        Ok(match self.drawn.entry(place) {
            Entry::Occupied(drawn) => drawn.into_mut(),
            Entry::Vacant(place) => place.insert(self.workload.draw(
                query,
                u64::from(round),
                rows,
                self.source.as_ref(),
            )?),
        })
    }

    /// Draws for a round and those after it: where rows come from a file, it is read once for all.
    /// Where that fails, each round is drawn when it comes: not all of them may.
    fn draw_ahead(&mut self, query: &Query, round: u32, rows: u64) {
        let Some(end) = round.checked_add(ROUNDS_AT_ONCE) else {
            return;
        };
        let rounds = u64::from(round)..u64::from(end);
        let source = self.source.as_ref();
        let drawn = self.workload.draw_all(query, rounds, rows, source);
        for (round, values) in (round..end).zip(drawn.unwrap_or_default()) {
            let place = (query.name.clone(), round, rows);
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
