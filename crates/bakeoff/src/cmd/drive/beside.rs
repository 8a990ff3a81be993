//! Reads the questions that are asked beside every second load: `--beside 'SELECT ...'`.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use bakeoff_driver::drive::{BesideFor, Question};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{check_question, plain_query, translate_query};
use bakeoff_stats::DesignInfo;
use bakeoff_stats::drive::{Beside, BesideQuestion};
use bakeoff_workload::{DesignId, Mix, Query, RowSource, Workload};
use clap::Args;

use crate::cmd::options::data::to_cli_error;

/// Rounds of a drive with questions: enough for an interval of each ratio.
pub const ROUNDS: u32 = 5;
/// Characters of a question that a message about it shows at most.
const MOST_SHOWN: usize = 200;

#[derive(Args, Debug)]
pub struct BesideOptions {
    /// SQL that a separate client asks during every second load, over and over; the report says what that cost
    /// the load (repeat for several questions)
    #[arg(
        long,
        value_name = "SQL",
        conflicts_with_all = ["within", "passes", "start_at"]
    )]
    beside: Vec<String>,

    /// A query of the workload to be asked in this way, with other parameters in each round (repeat for several)
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["within", "passes", "start_at"]
    )]
    beside_query: Vec<String>,

    /// Design that answers these questions in place of each driven one, loaded with the same rows
    #[arg(long, value_name = "DESIGN", conflicts_with_all = ["keyspace", "no_load"])]
    beside_design: Option<DesignId>,
}

/// The questions of a drive, checked as far as they can be before anything is started.
#[derive(Debug)]
pub struct Asked {
    questions: Vec<Question>,
    /// The design that answers where it is none of the driven ones.
    pub design: Option<DesignId>,
}

impl BesideOptions {
    /// Returns whether there are questions.
    pub fn is_given(&self) -> bool {
        !(self.beside.is_empty() && self.beside_query.is_empty())
    }

    /// Returns the design that answers where it is none of the driven ones.
    pub fn design(&self) -> Option<&DesignId> {
        self.beside_design.as_ref()
    }

    /// Reads and plans the questions. Returns `None` if there are none.
    ///
    /// # Errors
    /// Fails for a question that cannot be planned, a query that the workload does not have, and a design that
    /// cannot answer.
    pub async fn read(&self, workload: &Workload, driven: &[DesignId]) -> Result<Option<Asked>> {
        if !self.is_given() {
            return match &self.beside_design {
                Some(design) => bail!(
                    "--beside-design {design}: it is asked nothing; add --beside 'SELECT ...' or --beside-query"
                ),
                None => Ok(None),
            };
        }
        self.check_design(driven)?;
        let mut questions = Vec::new();
        let answering = match &self.beside_design {
            Some(design) => std::slice::from_ref(design),
            None => driven,
        };
        for (mut query, option) in self.queries(workload)? {
            plain_query(&mut query);
            let checked = check_question(workload, &query).await;
            let has_one_answer = checked.map_err(|why| anyhow!("{option}: {why}"))?;
            translate_query(&mut query, &workload.table, answering, None)
                .map_err(|(_, why)| anyhow!("{option}: {why}"))?;
            questions.push(Question {
                query,
                values: Vec::new(),
                has_one_answer,
            });
        }
        Ok(Some(Asked {
            questions,
            design: self.beside_design.clone(),
        }))
    }

    fn check_design(&self, driven: &[DesignId]) -> Result<()> {
        match &self.beside_design {
            Some(other) if driven.contains(other) => bail!(
                "--beside-design {other} is driven itself: leave it out, since driven designs answer by default, \
                 or drive others with --designs"
            ),
            Some(other) if !engine(other)?.answers_sql(other) => {
                bail!("--beside-design {other} answers no SQL: name another one")
            }
            Some(_) => Ok(()),
            None => {
                for id in driven {
                    if !engine(id)?.answers_sql(id) {
                        bail!(
                            "--beside: {id} answers no SQL: name a design that does with --beside-design, such as \
                             parquet"
                        );
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns the questions of the command line and then those of the workload, each with its option.
    fn queries(&self, workload: &Workload) -> Result<Vec<(Query, String)>> {
        let given = (1..).zip(&self.beside);
        let given = given.map(|(number, sql)| {
            let name = format!("question {number}");
            (of_sql(&name, sql), format!("--beside {:?}", begin(sql)))
        });
        let mut queries: Vec<(Query, String)> = given.collect();
        for (place, name) in self.beside_query.iter().enumerate() {
            if self.beside_query[..place].contains(name) {
                bail!(
                    "--beside-query {name} is given twice: each question is asked over and over anyway"
                );
            }
            let known = workload.queries.iter();
            let Some(query) = known.clone().find(|query| query.name == *name) else {
                let names: Vec<&str> = known.map(|query| query.name.as_str()).collect();
                let names = match names.as_slice() {
                    [] => "none".to_owned(),
                    names => names.join(", "),
                };
                bail!(
                    "--beside-query {name}: {} has no such query; it has {names}",
                    workload.name
                );
            };
            queries.push((query.clone(), format!("--beside-query {name}")));
        }
        Ok(queries)
    }
}

/// Returns the beginning of a question, for messages about it.
fn begin(sql: &str) -> &str {
    let end = sql.char_indices().nth(MOST_SHOWN);
    end.map_or(sql, |(end, _)| &sql[..end])
}

fn of_sql(name: &str, sql: &str) -> Query {
    Query {
        name: name.to_owned(),
        sql: sql.to_owned(),
        engine_sql: BTreeMap::new(),
        parameters: Vec::new(),
        parameter_sets: None,
        tolerance: None,
        expect: None,
        position: (1, 1),
    }
}

impl Asked {
    /// Checks that the designs that answer, by their descriptions, are asked each of the questions.
    ///
    /// # Errors
    /// Fails with the first question that one of them cannot answer.
    pub fn check_asked(&self, answering: &[DesignInfo]) -> Result<()> {
        for question in &self.questions {
            let name = &question.query.name;
            for info in answering {
                let refused = info.not_asked.iter().find(|left| left.query == *name);
                if let Some(refused) = refused {
                    bail!(
                        "--beside-query {name} is not asked of {}, since it {}",
                        info.id,
                        refused.why
                    );
                }
            }
        }
        Ok(())
    }

    /// Draws the parameters of all rounds, and returns what the driver asks.
    ///
    /// # Errors
    /// Fails if the rows that parameters are drawn from cannot be read.
    pub fn plan(
        &self,
        workload: &Workload,
        mix: &Mix,
        (source, rows): (&dyn RowSource, u64),
        rounds: u32,
    ) -> Result<BesideFor> {
        let mut questions = self.questions.clone();
        for question in &mut questions {
            if !question.query.parameters.is_empty() {
                let drawn = 0..u64::from(rounds);
                let values = workload.draw_all(&question.query, drawn, rows, source);
                question.values = values.map_err(to_cli_error)?;
            }
        }
        Ok(BesideFor {
            questions,
            by_another: self.design.is_some(),
            rows_stay: self.rows_stay(mix),
        })
    }

    /// Returns whether no load changes the rows that are asked about.
    fn rows_stay(&self, mix: &Mix) -> bool {
        let writes = mix.operations.iter().any(|o| o.action.writes());
        self.design.is_some() || (!writes && mix.background.is_empty())
    }

    /// Describes the questions for the record of the drive.
    pub fn described(&self, mix: &Mix, design: Option<DesignInfo>) -> Beside {
        let questions = self.questions.iter().map(|question| BesideQuestion {
            name: question.query.name.clone(),
            sql: question.query.sql.trim().to_owned(),
        });
        Beside {
            design,
            questions: questions.collect(),
            compared: self.rows_stay(mix),
        }
    }

    /// Writes the lines that a dry run shows of the questions.
    pub fn lines(&self) -> Vec<String> {
        let by = match &self.design {
            Some(design) => format!("by {design}"),
            None => "by the driven design itself".to_owned(),
        };
        let heading = format!("\nAsked beside every second load, over and over, answered {by}:");
        let questions = self.questions.iter().map(|question| {
            let query = &question.query;
            format!("  {}: {}", query.name, query.sql.trim())
        });
        std::iter::once(heading).chain(questions).collect()
    }
}

#[cfg(test)]
mod tests;
