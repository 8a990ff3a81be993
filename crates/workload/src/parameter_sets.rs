//! How many sets of parameters several clients ask a query with, and how often.

use crate::{Concurrent, Query};

impl Concurrent {
    /// Returns the number of sets of parameters with which a query is asked: what it says itself, and no
    /// more than any query has. Returns `None` if neither is given.
    pub fn sets_of(&self, query: &Query) -> Option<u32> {
        match (query.parameter_sets, self.parameter_sets) {
            (Some(own), Some(most)) => Some(own.min(most)),
            (own, most) => own.or(most),
        }
    }

    /// Returns how often a query is asked of each design. Where one is asked at a time, it is asked at least
    /// once with each of its sets of parameters.
    pub fn questions_of(&self, query: &Query) -> u32 {
        let sets = self.sets_of(query).filter(|_| !query.parameters.is_empty());
        let least = sets.filter(|_| self.one_query_at_a_time).unwrap_or(0);
        self.permutations.max(least)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Workload;

    /// Returns the queries `own`, which has 300 sets of parameters, and `none`, which says nothing.
    fn queries() -> Vec<Query> {
        let query = |name: &str, keys: &str| {
            format!(
                "[[queries]]\nname = '{name}'\nsql = 'SELECT max(value) FROM t WHERE time < ${{t}}'\n\
                 parameters = {{ t = {{ column = 'time' }} }}\n{keys}\n"
            )
        };
        let text = format!(
            "[table]\nname = 't'\npartition_key = ['series']\norder_key = ['time']\n\
             [table.columns]\nseries = 'int'\ntime = 'bigint'\nvalue = 'double'\n\
             [data]\nfile = 't.csv'\n{}{}",
            query("own", "parameter_sets = 300"),
            query("none", "")
        );
        Workload::parse(&text, Path::new("t.toml")).unwrap().queries
    }

    #[test]
    fn a_query_has_its_own_sets_of_parameters_and_no_more_than_any_has() {
        let queries = queries();
        let sets = |parameter_sets: Option<u32>| {
            let plan = Concurrent {
                parameter_sets,
                ..Concurrent::default()
            };
            [plan.sets_of(&queries[0]), plan.sets_of(&queries[1])]
        };
        assert_eq!(sets(None), [Some(300), None]);
        assert_eq!(sets(Some(20)), [Some(20), Some(20)]);
        assert_eq!(sets(Some(1000)), [Some(300), Some(1000)]);
    }

    #[test]
    fn a_query_that_is_asked_alone_is_asked_with_each_of_its_sets() {
        let queries = queries();
        let questions = |plan: Concurrent| {
            [
                plan.questions_of(&queries[0]),
                plan.questions_of(&queries[1]),
            ]
        };
        assert_eq!(questions(Concurrent::default()), [100, 100]);
        let alone = Concurrent {
            one_query_at_a_time: true,
            ..Concurrent::default()
        };
        assert_eq!(questions(alone), [300, 100]);
    }
}
