//! Check of the figures of several users by those that as many clients measured.

use std::fmt;

use serde::Serialize;

use super::UnderLoad;
use crate::compare::summary::{ConcurrentSummary, DesignSummary, FEWEST_ANSWERS, Summary};

/// Designs of a run whose figures under several users are predicted from single answers and were measured by
/// several clients.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct UsersChecked {
    /// Each with what was measured.
    pub checked: Vec<(UnderLoad, MeasuredLoad)>,
    /// Designs that clients asked, and that cannot be checked.
    pub left_out: Vec<NotChecked>,
}

/// Figures that several clients measured, with every question as often as any other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredLoad {
    pub per_second: f64,
    /// Mean over the questions of their mean times, in seconds.
    pub mean: f64,
}

/// Design that clients asked, and of which nothing can be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    pub design: String,
    #[serde(flatten)]
    pub why: WhyNotChecked,
}

/// Reason why a design cannot be checked by what clients measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum WhyNotChecked {
    /// A question has too few answers for a mean.
    FewAnswers { query: String, answers: u64 },
    /// The CPU time of single answers is not known, so nothing is predicted.
    NoPrediction,
}

impl Summary {
    /// Predicts what as many users as there were clients get from each design that may be recommended, and
    /// compares with what these measured. Designs that no clients asked are left out.
    pub fn check_users(&self) -> UsersChecked {
        let mut found = UsersChecked::default();
        for design in self.contenders() {
            // What one query gets that is asked alone says nothing about users who ask all of them.
            let asked = { design.concurrent.as_ref() }.filter(|asked| !asked.one_query_at_a_time);
            let Some(asked) = asked else {
                continue;
            };
            match self.check_design(design, asked) {
                Ok(pair) => found.checked.push(pair),
                Err(why) => found.left_out.push(NotChecked {
                    design: design.info.id.clone(),
                    why,
                }),
            }
        }
        found
    }

    fn check_design(
        &self,
        design: &DesignSummary,
        asked: &ConcurrentSummary,
    ) -> Result<(UnderLoad, MeasuredLoad), WhyNotChecked> {
        let measured = measured(design, asked, &self.queries_at_fault())?;
        let cores = self.header.machine.cores;
        let predicted = self.design_under_load(design, asked.clients, cores, None);
        Ok((
            predicted.map_err(|_| WhyNotChecked::NoPrediction)?,
            measured,
        ))
    }
}

/// Returns what clients get that ask every question equally often. If time ran out, they asked some questions
/// more often than others, so the mean is taken of the means of the questions. Those that failed with every design do
/// not count. Clients ask without a pause of
/// their own, so their answers a second are the clients by the mean time of an answer (Little: A proof for the queuing formula
/// L = λW, 1961).
fn measured(
    design: &DesignSummary,
    asked: &ConcurrentSummary,
    at_fault: &[&str],
) -> Result<MeasuredLoad, WhyNotChecked> {
    let queries = design.queries.iter().map(|query| &query.query);
    let queries: Vec<&String> = queries
        .filter(|q| !at_fault.contains(&q.as_str()))
        .collect();
    let mut sum = 0.0;
    for query in &queries {
        let figures = asked.query(query);
        let answers = figures.map_or(0, |figures| figures.answered);
        let enough = figures.filter(|_| answers >= FEWEST_ANSWERS);
        let mean = enough.and_then(|figures| figures.mean);
        sum += mean.ok_or_else(|| WhyNotChecked::FewAnswers {
            query: query.to_string(),
            answers,
        })?;
    }
    let mean = sum / queries.len() as f64;
    let per_second = f64::from(asked.clients) / mean;
    let figures = MeasuredLoad { per_second, mean };
    per_second
        .is_finite()
        .then_some(figures)
        .ok_or(WhyNotChecked::NoPrediction)
}

impl fmt::Display for WhyNotChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WhyNotChecked::FewAnswers { query, answers } => write!(
                f,
                "{query} has {answers} of the {FEWEST_ANSWERS} answers that a mean needs; let clients ask for \
                 longer (--concurrent-for)"
            ),
            WhyNotChecked::NoPrediction => {
                f.write_str("the CPU time of its single answers is not known")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuSeconds;
    use crate::compare::testing::*;
    use crate::compare::{Concurrent, ConcurrentQuery, Record};

    const MS: u64 = 1_000_000;

    /// A run of one design whose answers take 100 ms and as much CPU alone, on two cores, which four clients
    /// asked with these times of each question.
    fn summary(scan: &[u64], key: &[u64]) -> Summary {
        let mut records = vec![
            created("a/x"),
            loaded("a/x", 0, 1.0),
            footprint("a/x", 90_000),
        ];
        for query in ["scan", "key"] {
            for round in 0..5 {
                let Record::Timed(mut timing) = timed("a/x", query, 0.1) else {
                    unreachable!()
                };
                timing.round = round;
                timing.cpu = CpuSeconds {
                    client: 0.100_001,
                    server: None,
                    in_ticks: false,
                };
                records.push(Record::Timed(timing));
            }
        }
        records.push(Record::Rounds { rounds: 5 });
        let asked = [("scan", scan), ("key", key)].map(|(query, nanoseconds)| ConcurrentQuery {
            query: query.to_owned(),
            nanoseconds: nanoseconds.to_vec(),
            seconds: None,
            agreed: None,
        });
        records.push(Record::Concurrent(Box::new(Concurrent {
            design: "a/x".to_owned(),
            turn: None,
            clients: 4,
            permutations: 5,
            seconds: 2.0,
            cpu: CpuSeconds::default(),
            queries: asked.to_vec(),
            bad: Vec::new(),
            unfinished: Vec::new(),
        })));
        Summary::from_records(&run(records)).unwrap()
    }

    #[test]
    fn questions_count_alike_however_often_they_were_asked() {
        // 5 answers of 300 ms and 15 of 100 ms: 200 ms in the mean of both questions, not 150.
        let found = summary(&[300 * MS; 5], &[100 * MS; 15]).check_users();
        assert_eq!(found.left_out, []);
        let (predicted, measured) = &found.checked[0];
        assert_eq!(predicted.users, 4);
        assert!((measured.mean - 0.2).abs() < 1e-12, "{measured:?}");
        assert!((measured.per_second - 20.0).abs() < 1e-9, "{measured:?}");
        let rate = predicted.per_second * predicted.mean;
        assert!(
            (rate - 4.0).abs() < 1e-9,
            "Little's law holds of the prediction: {rate}"
        );
    }

    #[test]
    fn a_question_of_few_answers_leaves_the_design_out() {
        let found = summary(&[300 * MS; 5], &[100 * MS; 4]).check_users();
        assert!(found.checked.is_empty());
        let why = found.left_out[0].why.to_string();
        assert!(why.contains("key has 4 of the 5 answers"), "{why}");
    }
}
