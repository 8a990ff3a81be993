//! How many sets of parameters several clients asked about, and how their answers were verified.

use super::super::Summary;
use crate::compare::QuerySets;

/// Sets of parameters of a query, by how their answers were verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedSets<'a> {
    pub query: &'a str,
    /// Number of sets that were drawn.
    pub drawn: u64,
    /// Number of sets that differ from each other.
    pub distinct: u64,
    /// Number of sets that any design was asked about.
    pub asked: u64,
    /// Number of these whose right answers were computed before.
    pub right: u64,
    /// Number of these of which designs gave the same answer; where they differed, the right one was
    /// computed.
    pub agreed: u64,
    /// Number of answers that were compared with nothing.
    pub unverified_answers: u64,
}

impl CheckedSets<'_> {
    /// Returns the number of sets whose answers were compared with nothing.
    pub fn unverified(&self) -> u64 {
        self.asked - self.right - self.agreed
    }
}

impl Summary {
    /// Returns the sets of each query, in the workload's order; nothing where there are a few that all have a
    /// right answer.
    pub fn checked_sets(&self) -> Vec<CheckedSets<'_>> {
        let sets = self.parameter_sets.iter();
        sets.map(|sets| self.checked(sets)).collect()
    }

    fn checked<'a>(&self, sets: &'a QuerySets) -> CheckedSets<'a> {
        let designs = || {
            let asked = self.designs.iter().filter_map(|d| d.concurrent.as_ref());
            asked.filter_map(move |asked| asked.query(&sets.query))
        };
        let drawn = u64::from(sets.drawn);
        // Each design is asked about the sets in their order.
        let questions = designs().map(|figures| figures.answered + figures.wrong + figures.failed);
        let asked = questions.max().unwrap_or(0).min(drawn);
        let right = u64::from(sets.right).min(asked);
        let agreed = || designs().filter_map(|figures| figures.agreed);
        let sum = |of: fn(crate::compare::Agreed) -> u32| -> u64 {
            agreed().map(|agreed| u64::from(of(agreed))).sum()
        };
        // A set may be confirmed anew in a run that goes on, and where all rows of a key count for one design.
        let confirmed = sum(|agreed| agreed.sets).min(asked - right);
        CheckedSets {
            query: &sets.query,
            drawn,
            distinct: u64::from(sets.distinct),
            asked,
            right,
            agreed: confirmed,
            unverified_answers: sum(|agreed| agreed.alone)
                .saturating_sub(sum(|agreed| agreed.confirmed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuSeconds;
    use crate::compare::testing::run;
    use crate::compare::{Agreed, Concurrent, ConcurrentQuery, Record};

    /// Makes a turn in which a design answered this often and these answers were compared among designs.
    fn asked(design: &str, turn: u32, answers: usize, agreed: Agreed) -> Record {
        Record::Concurrent(Box::new(Concurrent {
            design: design.to_owned(),
            turn: Some(turn),
            clients: 2,
            permutations: 0,
            seconds: 1.0,
            cpu: CpuSeconds::default(),
            queries: vec![ConcurrentQuery {
                query: "key".to_owned(),
                nanoseconds: vec![1_000_000; answers],
                seconds: Some(1.0),
                agreed: Some(agreed),
            }],
            bad: Vec::new(),
            unfinished: Vec::new(),
        }))
    }

    fn agreed(alone: u32, confirmed: u32, sets: u32) -> Agreed {
        Agreed {
            alone,
            confirmed,
            sets,
        }
    }

    fn summary(turns: impl IntoIterator<Item = Record>) -> Summary {
        let sets = Record::ParameterSets {
            sets: 3,
            queries: vec![QuerySets {
                query: "key".to_owned(),
                drawn: 100,
                distinct: 98,
                right: 3,
            }],
        };
        let turns = std::iter::once(sets).chain(turns);
        Summary::from_records(&run(turns)).unwrap()
    }

    #[test]
    fn sets_are_told_apart_by_how_their_answers_were_verified() {
        let summary = summary([
            asked("a/x", 0, 20, agreed(17, 0, 0)),
            asked("a/y", 0, 10, agreed(0, 7, 7)),
            asked("a/x", 1, 20, agreed(20, 0, 0)),
            asked("a/y", 1, 5, agreed(0, 5, 5)),
        ]);
        let sets = summary.checked_sets();
        assert_eq!(sets.len(), 1);
        let key = sets[0];
        assert_eq!((key.drawn, key.distinct, key.asked), (100, 98, 40));
        assert_eq!((key.right, key.agreed, key.unverified()), (3, 12, 25));
        assert_eq!(key.unverified_answers, 25);
    }

    #[test]
    fn no_more_sets_are_asked_than_drawn_or_verified_than_asked() {
        let summary = summary([asked("a/x", 0, 2, agreed(0, 0, 9))]);
        let key = summary.checked_sets()[0];
        assert_eq!((key.asked, key.right, key.agreed), (2, 2, 0));
        assert_eq!(key.unverified(), 0);
        let many = self::summary([asked("a/x", 0, 500, agreed(97, 0, 0))]);
        assert_eq!(many.checked_sets()[0].asked, 100);
        assert_eq!(many.checked_sets()[0].unverified(), 97);
    }

    #[test]
    fn a_few_sets_that_all_have_a_right_answer_are_not_listed() {
        let sets = Record::ParameterSets {
            sets: 10,
            queries: Vec::new(),
        };
        assert!(
            Summary::from_records(&run([sets]))
                .unwrap()
                .checked_sets()
                .is_empty()
        );
    }
}
