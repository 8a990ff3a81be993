//! Reads the questions that are asked beside loads, `--beside 'SELECT ...'`, and which designs answer them.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow, bail};
use bakeoff_driver::drive::{BesideFor, MOST_ANSWERING, Question};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{check_question, plain_query, translate_query};
use bakeoff_stats::DesignInfo;
use bakeoff_stats::drive::{Beside, BesideQuestion};
use bakeoff_workload::{DesignId, Mix, Query, RowSource, Workload};
use clap::Args;

use crate::cmd::options::choice::{is_pattern, matching};
use crate::cmd::options::data::to_cli_error;

/// Rounds of a drive with questions: enough for an interval of each ratio.
pub const ROUNDS: u32 = 5;
/// Stands for each driven design itself among those of `--beside-design`.
const DRIVEN: &str = "driven";
/// Characters of a question that a message about it shows at most.
const MOST_SHOWN: usize = 200;

#[derive(Args, Debug)]
pub struct BesideOptions {
    /// SQL that a separate client asks beside some of the loads, over and over; the report says what that cost
    /// them (repeat for several questions)
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

    /// Designs that answer these questions in place of each driven one, loaded with the same rows: several take
    /// turns, each beside a load of its own, and the report says which one costs the load least; `driven` is each
    /// driven design itself, over its own rows
    #[arg(
        long,
        value_name = "GLOB,...",
        value_delimiter = ',',
        conflicts_with_all = ["keyspace", "no_load"]
    )]
    beside_design: Vec<String>,
}

/// The questions of a drive, checked as far as they can be before anything is started.
#[derive(Debug)]
pub struct Asked {
    questions: Vec<Question>,
    /// The designs that answer in turn; none if each driven design alone answers itself.
    pub designs: Vec<DesignId>,
    /// Whether each driven design answers in turn with these.
    with_driven: bool,
}

impl BesideOptions {
    /// Returns whether there are questions.
    pub fn is_given(&self) -> bool {
        !(self.beside.is_empty() && self.beside_query.is_empty())
    }

    /// Returns the designs that answer in turn while these are driven, which a pattern leaves out; none if each driven
    /// design alone answers itself.
    ///
    /// # Errors
    /// A pattern is none or matches no other design, an id is none, or there are too many designs.
    pub fn designs(&self, workload: &Workload, driven: &[DesignId]) -> Result<Vec<DesignId>> {
        let mut designs: Vec<DesignId> = Vec::new();
        for text in self.beside_design.iter().filter(|text| *text != DRIVEN) {
            let mut found = matching("--beside-design", workload, std::slice::from_ref(text))?;
            if is_pattern(text) {
                found.retain(|id| !driven.contains(id));
                if found.is_empty() {
                    bail!(
                        "--beside-design {text}: all designs that match it are driven: name others, or drive fewer \
                         with --designs"
                    );
                }
            }
            found.retain(|id| !designs.contains(id));
            designs.extend(found);
        }
        let answering = designs.len() + usize::from(self.names_driven());
        if answering > MOST_ANSWERING {
            bail!(
                "--beside-design: {answering} designs would answer in turn: name no more than {MOST_ANSWERING}"
            );
        }
        Ok(designs)
    }

    /// Returns whether the driven designs are among those that are to answer.
    fn names_driven(&self) -> bool {
        self.beside_design.iter().any(|text| text == DRIVEN)
    }

    /// Returns how many loads a design has in each round, of which those have questions beside which this many other
    /// designs answer, or the driven one itself.
    pub fn loads_of_a_round(&self, others: usize) -> u32 {
        if self.is_given() {
            let answering = others + usize::from(self.names_driven());
            1 + answering.max(1) as u32
        } else {
            1
        }
    }

    /// Reads and plans the questions. Returns `None` if there are none.
    ///
    /// # Errors
    /// Fails for a question that cannot be planned, a query that the workload does not have, and a design that
    /// cannot answer.
    pub async fn read(&self, workload: &Workload, driven: &[DesignId]) -> Result<Option<Asked>> {
        if !self.is_given() {
            if !self.beside_design.is_empty() {
                bail!(
                    "--beside-design {}: it is asked nothing; add --beside 'SELECT ...' or --beside-query",
                    self.beside_design.join(",")
                );
            }
            return Ok(None);
        }
        let designs = self.designs(workload, driven)?;
        let with_driven = self.names_driven() && !designs.is_empty();
        check_designs(&designs, with_driven, driven)?;
        let mut questions = Vec::new();
        let mut answering = designs.clone();
        if with_driven || designs.is_empty() {
            answering.extend_from_slice(driven);
        }
        for (mut query, option) in self.queries(workload)? {
            plain_query(&mut query, &workload.table);
            let checked = check_question(workload, &query).await;
            let has_one_answer = checked.map_err(|why| anyhow!("{option}: {why}"))?;
            translate_query(&mut query, &workload.table, &answering, None)
                .map_err(|(_, why)| anyhow!("{option}: {why}"))?;
            questions.push(Question {
                query,
                values: Vec::new(),
                has_one_answer,
            });
        }
        Ok(Some(Asked {
            questions,
            designs,
            with_driven,
        }))
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

/// Checks that the designs that answer can: these and, if they answer, too, or there are no others, the driven ones.
fn check_designs(designs: &[DesignId], with_driven: bool, driven: &[DesignId]) -> Result<()> {
    for other in designs {
        if driven.contains(other) {
            bail!(
                "--beside-design {other} is driven itself: write {DRIVEN} in its place, for its own rows, or drive \
                 others with --designs"
            );
        }
        if !engine(other)?.answers_sql(other) {
            bail!("--beside-design {other} answers no SQL: name another one");
        }
    }
    if !designs.is_empty() && !with_driven {
        return Ok(());
    }
    for id in driven {
        if !engine(id)?.answers_sql(id) {
            if with_driven {
                bail!(
                    "--beside-design {DRIVEN}: {id} answers no SQL: leave {DRIVEN} out, or drive others with \
                     --designs"
                );
            }
            bail!(
                "--beside: {id} answers no SQL: name a design that does with --beside-design, such as \
                 parquet"
            );
        }
    }
    Ok(())
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
    /// Returns the descriptions of the designs that answer, of those of the driven ones and of the others.
    pub fn answering(&self, driven: &[DesignInfo], others: &[DesignInfo]) -> Vec<DesignInfo> {
        if self.driven_answer() {
            [others, driven].concat()
        } else {
            others.to_vec()
        }
    }

    /// Returns whether each driven design answers itself.
    fn driven_answer(&self) -> bool {
        self.with_driven || self.designs.is_empty()
    }

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
            answering: self.designs.iter().map(DesignId::to_string).collect(),
            driven: self.with_driven,
            rows_stay: self.rows_stay(mix),
            designs_agree: !source.may_repeat_keys(),
        })
    }

    /// Returns whether no load changes the rows that are asked about.
    fn rows_stay(&self, mix: &Mix) -> bool {
        let writes = mix.operations.iter().any(|o| o.action.writes());
        !self.driven_answer() || (!writes && mix.background.is_empty())
    }

    /// Describes the questions for the record of the drive.
    pub fn described(&self, mix: &Mix, designs: Vec<DesignInfo>) -> Beside {
        let questions = self.questions.iter().map(|question| BesideQuestion {
            name: question.query.name.clone(),
            sql: question.query.sql.trim().to_owned(),
        });
        Beside {
            designs,
            driven: self.with_driven,
            questions: questions.collect(),
            compared: self.rows_stay(mix),
        }
    }

    /// Writes the lines that a dry run shows of the questions.
    pub fn lines(&self) -> Vec<String> {
        let mut names: Vec<String> = self.designs.iter().map(DesignId::to_string).collect();
        if self.with_driven {
            names.push("the driven design itself".to_owned());
        }
        let heading = match names.as_slice() {
            [] => "Asked beside every second load, over and over, answered by the driven design itself:".to_owned(),
            [one] => format!("Asked beside every second load, over and over, answered by {one}:"),
            several => format!(
                "Asked beside {} of {} loads in each round, over and over, answered in turn by {}:",
                several.len(),
                several.len() + 1,
                several.join(", ")
            ),
        };
        let heading = format!("\n{heading}");
        let questions = self.questions.iter().map(|question| {
            let query = &question.query;
            format!("  {}: {}", query.name, query.sql.trim())
        });
        std::iter::once(heading).chain(questions).collect()
    }
}

#[cfg(test)]
mod tests;
