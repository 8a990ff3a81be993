//! Answers per second that several clients had, for rates per node.

use super::{ConcurrentSummary, DesignSummary, Summary};
use crate::per_node::{Cluster, MeasuredRate, PerNode, Wanted};

impl Summary {
    /// Returns the answers per second that several clients had of each design that may be recommended: of an equal mix
    /// of all queries or, where one query was asked at a time, of each query. Designs that left clients without an
    /// answer have none, and neither have those whose rows are on nodes of another engine.
    pub fn node_rates(&self) -> Vec<MeasuredRate> {
        let of_design = |design: &DesignSummary| -> Vec<MeasuredRate> {
            if Cluster::is_of_executors(&design.info, &self.engines) {
                return Vec::new();
            }
            let rates = design.concurrent.as_ref().map(rates).unwrap_or_default();
            let rate = |(query, rate)| MeasuredRate {
                design: design.info.id.clone(),
                query,
                rate,
                cluster: Cluster::of(&design.info, &self.engines, &self.header.machine),
            };
            rates.into_iter().map(rate).collect()
        };
        let has_rate = |design: &&DesignSummary| {
            !design.left_clients_unanswered() && design.info.stored_by.is_none()
        };
        let designs = self.choosable().filter(has_rate);
        let mut rates: Vec<MeasuredRate> = designs.flat_map(of_design).collect();
        rates.sort_by(|one, other| {
            let place = |of: &MeasuredRate| {
                let mut queries = self.header.queries.iter();
                queries.position(|query| Some(&query.name) == of.query.as_ref())
            };
            let by_rate = || other.rate.total_cmp(&one.rate);
            place(one).cmp(&place(other)).then_with(by_rate)
        });
        rates
    }

    /// Computes the answers per second and node again, with prices, a rate that is needed, and rates of the same run on
    /// clusters of other sizes.
    #[must_use]
    pub fn per_node(mut self, wanted: &Wanted, others: &[Vec<MeasuredRate>]) -> Summary {
        self.per_node = PerNode::new(self.node_rates(), wanted, others);
        self
    }
}

/// Returns the rates of a design, each with the query that it is of.
fn rates(asked: &ConcurrentSummary) -> Vec<(Option<String>, f64)> {
    if !asked.one_query_at_a_time {
        return asked
            .equal_mix
            .map(|rate| (None, rate))
            .into_iter()
            .collect();
    }
    let queries = asked.queries.iter();
    let rates = queries.map(|(query, figures)| {
        let of_turns = figures.rate_of_turns.map(|rate| rate.median);
        (Some(query.clone()), of_turns.unwrap_or(figures.per_second))
    });
    rates.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuSeconds;
    use crate::compare::testing::{footprint, loaded, run, timed};
    use crate::compare::{BadQuestions, Concurrent, ConcurrentQuery, Outcome, Record};

    /// Makes a turn of four clients in which each query has ten answers of 0.1 s, all in 2 s; where one query is
    /// asked at a time, each of them in half a second.
    fn asked(design: &str, is_one_query_at_a_time: bool) -> Record {
        let query = |query: &str| ConcurrentQuery {
            query: query.to_owned(),
            nanoseconds: vec![100_000_000; 10],
            seconds: is_one_query_at_a_time.then_some(0.5),
            agreed: None,
        };
        Record::Concurrent(Box::new(Concurrent {
            design: design.to_owned(),
            turn: Some(0),
            clients: 4,
            permutations: 10,
            seconds: 2.0,
            cpu: CpuSeconds {
                client: 1.0,
                server: None,
                in_ticks: false,
            },
            queries: ["scan", "key"].map(query).to_vec(),
            bad: Vec::new(),
            unfinished: Vec::new(),
        }))
    }

    fn summary(is_one_query_at_a_time: bool) -> Summary {
        Summary::from_records(&records(is_one_query_at_a_time)).unwrap()
    }

    fn records(is_one_query_at_a_time: bool) -> Vec<Record> {
        let records = ["a/x", "memory"].into_iter().flat_map(|design| {
            [
                loaded(design, 0, 2.0),
                footprint(design, 1 << 20),
                timed(design, "scan", 0.2),
                timed(design, "key", 0.1),
                asked(design, is_one_query_at_a_time),
            ]
        });
        run(records)
    }

    #[test]
    fn several_clients_have_the_rate_of_an_equal_mix_and_yardsticks_have_none() {
        let summary = summary(false);
        let rates = summary.per_node.as_ref().unwrap();
        let rates: Vec<_> = { rates.rates.iter() }
            .map(|rate| (rate.design.as_str(), rate.query.as_deref(), rate.per_node))
            .collect();
        // Four clients by 0.1 s for an answer.
        assert_eq!(rates.len(), 1);
        assert_eq!((rates[0].0, rates[0].1), ("a/x", None));
        assert!((rates[0].2 - 40.0).abs() < 1e-9, "{rates:?}");
    }

    #[test]
    fn queries_that_were_asked_alone_have_rates_of_their_own() {
        let rates = summary(true).node_rates();
        let rates: Vec<_> = { rates.iter() }
            .map(|rate| (rate.query.as_deref(), rate.rate))
            .collect();
        assert_eq!(rates, [(Some("scan"), 20.0), (Some("key"), 20.0)]);
    }

    #[test]
    fn a_design_that_left_a_client_without_an_answer_has_no_rate() {
        let mut records = records(false);
        for record in &mut records {
            if let Record::Concurrent(turn) = record
                && turn.design == "a/x"
            {
                turn.bad.push(BadQuestions {
                    query: "key".to_owned(),
                    questions: 1,
                    permutation: 0,
                    outcome: Outcome::Error {
                        reason: "time-out".to_owned(),
                    },
                });
            }
        }
        let summary = Summary::from_records(&records).unwrap();
        assert!(summary.choosable().any(|design| design.info.id == "a/x"));
        assert!(summary.node_rates().is_empty());
    }

    #[test]
    fn a_design_whose_rows_another_engine_stores_has_no_rate() {
        let mut summary = summary(false);
        let design = { summary.designs.iter_mut() }.find(|design| design.info.id == "a/x");
        design.unwrap().info.stored_by = Some("b".to_owned());
        assert!(summary.node_rates().is_empty());
    }

    #[test]
    fn without_several_clients_there_is_no_rate() {
        let records = run([loaded("a/x", 0, 2.0), timed("a/x", "scan", 0.2)]);
        let summary = Summary::from_records(&records).unwrap();
        assert_eq!(summary.per_node, None);
        let wanted = Wanted {
            prices: None,
            need: Some(5.0),
        };
        assert_eq!(summary.per_node(&wanted, &[]).per_node, None);
    }

    #[test]
    fn an_engine_whose_answers_come_from_executors_has_no_rate_per_node() {
        use crate::EngineInfo;

        let mut summary = summary(false);
        let engine = |settings: &[(&str, &str)]| EngineInfo {
            engine: "a".to_owned(),
            version: "1".to_owned(),
            start_seconds: None,
            settings: { settings.iter() }
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        summary.engines = vec![engine(&[("cluster", "a://db1:7077")])];
        assert_eq!(summary.node_rates().len(), 1);
        for executors in ["4", "not told"] {
            summary.engines = vec![engine(&[(EngineInfo::EXECUTORS, executors)])];
            assert!(summary.node_rates().is_empty());
        }
    }
}
