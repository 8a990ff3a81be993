//! The questions that a drive asks beside its loads, and who answers them.

use std::sync::Arc;

use bakeoff_workload::{Drawn, Query};

use super::Target;
use crate::Design;
use crate::compare::asks_percentile;

/// Most designs that answer questions in turn, so that the loads of a turn stay far below those that it has room for.
pub const MOST_ANSWERING: usize = 16;

/// Questions that a separate client asks during loads, one after the other, over and over.
#[derive(Debug, Clone)]
pub struct BesideFor {
    pub questions: Vec<Question>,
    /// Ids of the designs that answer them in turn, each beside a load of its own in every round; none of them is
    /// driven. If there are none, each driven design answers itself.
    pub answering: Vec<String>,
    /// Whether each driven design answers in turn with these designs, after the last of them.
    pub driven: bool,
    /// Whether no load changes the rows that are asked about, so that equal questions have equal answers. Only those of
    /// driven designs can change: answers of other ones are always compared.
    pub rows_stay: bool,
    /// Whether all designs give the same answers, since no two rows have equal keys, of which some designs keep one and
    /// some both.
    pub designs_agree: bool,
}

impl BesideFor {
    /// Returns how many designs answer in turn, of which each driven one is the last if it answers itself.
    pub fn answerers(&self) -> usize {
        let others = self.answering.len();
        others + usize::from(self.driven || others == 0)
    }
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
        self.query.bind(design, self.values_of(round))
    }

    /// Returns by what the answers of a design in a round are compared.
    pub(super) fn compared_by(&self, design: &str, round: u32) -> ComparedBy {
        ComparedBy {
            values: self.values_of(round).to_vec(),
            sql: asks_percentile(&self.query.sql).then(|| self.sql(design, round)),
        }
    }

    /// Returns the parameters of a round, counted from 1: the last ones where there are fewer.
    fn values_of(&self, round: u32) -> &[(String, String)] {
        let place = round.saturating_sub(1) as usize;
        let values = self.values.get(place).or(self.values.last());
        values.map_or(&[][..], Vec::as_slice)
    }
}

/// Answers to a question are compared with each other where these are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedBy {
    /// The parameters: whatever SQL designs are asked in, their answers are to be the same.
    values: Drawn,
    /// The SQL of a question for percentiles, which engines that are asked in other SQL may interpolate otherwise.
    sql: Option<String>,
}

/// Who answers the questions.
#[derive(Clone)]
pub enum Answering {
    /// The driven design.
    Driven(Arc<dyn Target>),
    Another(Arc<dyn Design>),
}

impl Answering {
    /// Returns the design that answers; `None` for one that stores nothing.
    pub fn design(&self) -> Option<&dyn Design> {
        match self {
            Answering::Driven(target) => target.design(),
            Answering::Another(design) => Some(design.as_ref()),
        }
    }
}

/// Who answers questions beside a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The driven design.
    Driven,
    /// Another design, by its id.
    Another(String),
}

impl AnsweredBy {
    /// Returns the id of the design that answers in place of the driven one.
    pub fn another(&self) -> Option<&str> {
        match self {
            AnsweredBy::Driven => None,
            AnsweredBy::Another(id) => Some(id),
        }
    }
}

/// Adds to the description of a load that questions are asked beside it, if they are, and who answers them.
pub fn marked(load: String, by: Option<&AnsweredBy>) -> String {
    match by {
        None => load,
        Some(AnsweredBy::Driven) => format!("{load}, questions beside"),
        Some(AnsweredBy::Another(id)) => format!("{load}, questions beside, answered by {id}"),
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
    fn answers_are_compared_by_parameters_and_those_of_percentiles_also_by_sql() {
        let mut question = question(&["'fern'", "'palm'"]);
        let (rows, files) = ("cassandra/wide", "parquet?codec=zstd");
        assert_eq!(
            question.compared_by(rows, 1),
            question.compared_by(files, 1)
        );
        assert_ne!(question.compared_by(rows, 1), question.compared_by(rows, 2));
        question.query.sql =
            "SELECT percentile_cont(t, 0.9) FROM r WHERE room = ${room}".to_owned();
        assert_ne!(
            question.compared_by(rows, 1),
            question.compared_by(files, 1)
        );
        let columns = question.compared_by("cassandra/columnar", 1);
        assert_eq!(question.compared_by(rows, 1), columns);
    }

    #[test]
    fn a_question_without_parameters_is_asked_as_it_is() {
        let question = question(&[]);
        assert_eq!(question.sql("dry", 9), question.query.sql);
    }
}
