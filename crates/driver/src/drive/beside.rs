//! The questions that a drive asks beside its loads, and who answers them.

use std::sync::Arc;

use bakeoff_workload::{Drawn, Query};

use super::Target;
use crate::Design;

/// Questions that a separate client asks during every second load, one after the other, over and over.
#[derive(Debug, Clone)]
pub struct BesideFor {
    pub questions: Vec<Question>,
    /// Whether a design that is not driven answers them. Otherwise each driven design answers itself.
    pub by_another: bool,
    /// Whether no load changes the rows that are asked about, so that equal questions have equal answers.
    pub rows_stay: bool,
}

/// A question, as it is asked in each round.
#[derive(Debug, Clone)]
pub struct Question {
    pub query: Query,
    /// Parameters of each round; empty for a question without parameters.
    pub values: Vec<Drawn>,
    /// Whether all right answers are the same. Where a LIMIT may cut off one of two rows that tie, they are not.
    pub has_one_answer: bool,
}

impl Question {
    /// Returns the SQL for a design in a round, counted from 1.
    pub(super) fn sql(&self, design: &str, round: u32) -> String {
        let place = round.saturating_sub(1) as usize;
        let values = self.values.get(place).or(self.values.last());
        self.query
            .bind(design, values.map_or(&[][..], Vec::as_slice))
    }
}

/// Who answers the questions.
#[derive(Clone)]
pub(super) enum Answering {
    /// The driven design.
    Driven(Arc<dyn Target>),
    Another(Arc<dyn Design>),
}

impl Answering {
    /// Returns the design that answers; `None` for one that stores nothing.
    pub(super) fn design(&self) -> Option<&dyn Design> {
        match self {
            Answering::Driven(target) => target.design(),
            Answering::Another(design) => Some(design.as_ref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn question(values: &[&str]) -> Question {
        let drawn = |value: &&str| vec![("room".to_owned(), (*value).to_owned())];
        Question {
            query: Query {
                name: "one_room".to_owned(),
                sql: "SELECT max(t) FROM r WHERE room = ${room}".to_owned(),
                engine_sql: BTreeMap::from([(
                    "parquet".to_owned(),
                    "SELECT ${room} AS own".to_owned(),
                )]),
                parameters: Vec::new(),
                parameter_sets: None,
                tolerance: None,
                expect: None,
                position: (1, 1),
            },
            values: values.iter().map(drawn).collect(),
            has_one_answer: true,
        }
    }

    #[test]
    fn each_round_has_its_own_parameters_and_each_engine_its_own_sql() {
        let question = question(&["'fern'", "'palm'"]);
        let sql = |round| question.sql("cassandra/wide", round);
        assert_eq!(sql(1), "SELECT max(t) FROM r WHERE room = 'fern'");
        assert_eq!(sql(2), "SELECT max(t) FROM r WHERE room = 'palm'");
        assert_eq!(sql(3), sql(2), "the last ones again");
        assert_eq!(
            question.sql("parquet?codec=zstd", 1),
            "SELECT 'fern' AS own"
        );
    }

    #[test]
    fn a_question_without_parameters_is_asked_as_it_is() {
        let question = question(&[]);
        assert_eq!(question.sql("dry", 9), question.query.sql);
    }
}
