//! Statements that are asked as the questions of a workload: those that can be, up to a number.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_engines::{AskedTable, Candidate, QueryLog};
use bakeoff_workload::infer::{AskedQuestion, Inferred};

use super::checked::{complaint, designs};
use super::statements::{Found, Statements};
use crate::exit::Misuse;

/// Most questions that are made of a log.
const MOST_OF_LOG: usize = 8;
/// Most questions that are made of the queries of a file.
const MOST_OF_FILE: usize = 20;
/// Most statements that are tried for each question that is made.
const MOST_TRIED: usize = 3;
/// Most statements that cannot be questions which are told one by one.
const MOST_TOLD: usize = 3;

/// Statements that became questions.
#[derive(Debug, Default)]
pub struct Picked {
    pub questions: Vec<AskedQuestion>,
    /// Number of statements that they stand for.
    number: u64,
    /// Statements that cannot be questions, with the reasons.
    left_out: Vec<String>,
}

impl Picked {
    /// Makes questions of the statements of a log about a table, and notes what else is in it. `option` names the log.
    ///
    /// # Errors
    /// Fails with a misuse if none can be one.
    pub fn of_log(
        log: &QueryLog,
        table: &AskedTable,
        option: &str,
        found: &mut Inferred,
    ) -> Result<Picked> {
        let candidates = log.candidates(table, found);
        let tried: Vec<(u64, Candidate)> = candidates.take(MOST_OF_LOG * MOST_TRIED).collect();
        let picked = Picked::of(tried, MOST_OF_LOG, found)?;
        let questions = picked.questions.len();
        if questions == 0 {
            let why = picked.left_out.first().map_or("", String::as_str);
            let told = anyhow!(
                "{option}: none of the statements that ask {table} can be a question of a workload; the most frequent \
                 one: {why}"
            );
            return Err(Misuse::new(told).into());
        }
        found
            .notes
            .extend(log.notes(table, picked.number, questions));
        if picked
            .questions
            .iter()
            .any(|question| question.sql.contains('\''))
        {
            let note = "questions have texts of the log, which may be secrets: read the workload before you pass it on";
            found.notes.push(note.to_owned());
        }
        picked.tell(found);
        Ok(picked)
    }

    /// Makes questions of the queries of a file of statements about a table, and notes which cannot be one. There may
    /// be none.
    ///
    /// # Errors
    /// The workload that is being written has a fault.
    pub fn of_file(statements: &Statements, of: &mut Found) -> Result<Picked> {
        let (candidates, others) = statements.candidates(of);
        let all = candidates.len();
        let tried = candidates.into_iter().map(|candidate| (1, candidate));
        let picked = Picked::of(tried.collect(), MOST_OF_FILE, &of.found)?;
        if others > 0 {
            let note = format!("queries of the file that ask another table, or several: {others}");
            of.found.notes.push(note);
        }
        let further = all - picked.questions.len() - picked.left_out.len();
        if further > 0 {
            of.found.notes.push(format!(
                "further queries of the file, which are no questions of the workload: {further}"
            ));
        }
        picked.tell(&mut of.found);
        Ok(picked)
    }

    /// Makes questions of the first statements that can be one.
    fn of(candidates: Vec<(u64, Candidate)>, most: usize, found: &Inferred) -> Result<Picked> {
        let mut picked = Picked::default();
        for (number, candidate) in candidates {
            if picked.questions.len() == most {
                break;
            }
            let why = match candidate.question {
                Err(why) => Some(why),
                Ok(question) => {
                    let why = fault(&question, found)?;
                    if why.is_none() {
                        picked.questions.push(question);
                        picked.number += number;
                    }
                    why
                }
            };
            if let Some(why) = why {
                picked
                    .left_out
                    .push(format!("`{}`: {why}", candidate.shown));
            }
        }
        Ok(picked)
    }

    /// Notes the statements that cannot be questions.
    fn tell(&self, found: &mut Inferred) {
        let told = self.left_out.iter().take(MOST_TOLD);
        found
            .notes
            .extend(told.map(|left_out| format!("no question: {left_out}")));
        if self.left_out.len() > MOST_TOLD {
            let others = self.left_out.len() - MOST_TOLD;
            found
                .notes
                .push(format!("no question: {others} more of the statements"));
        }
    }
}

/// Says why a workload cannot have a question; `None` if it can.
fn fault(question: &AskedQuestion, found: &Inferred) -> Result<Option<String>> {
    // Where it is written does not matter here.
    let alone = AskedQuestion {
        name: None,
        ..question.clone()
    };
    let text = found.workload("init.csv", &designs(found), &[alone]);
    let complaint = complaint(&text, Path::new("init.toml"))?;
    Ok(complaint.map(|error| match error {
        bakeoff_workload::Error::Workload { message, .. } => {
            let told = message
                .strip_prefix("query question_1: ")
                .map(str::to_owned);
            told.unwrap_or(message)
        }
        error => error.to_string(),
    }))
}
