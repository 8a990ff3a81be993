//! Statements that are asked as the questions of a workload: those that can be, up to a number.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_engines::{AskedTable, Candidate, LoggedMix, QueryLog};
use bakeoff_workload::infer::{AskedQuestion, Inferred};

use super::checked::{complaint, designs, write_usual_uuids};
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
    /// Makes questions of the statements of a log about a table, and a mix of those that find rows by its key if
    /// `performs`, and notes what else is in it. `option` names the log.
    ///
    /// # Errors
    /// Fails with a misuse if none can be one.
    pub fn of_log(
        log: &QueryLog,
        table: &AskedTable,
        option: &str,
        found: &mut Inferred,
        performs: bool,
    ) -> Result<Picked> {
        let known: &Inferred = found;
        let mixed = performs.then(|| log.mix(table, known));
        let with_mix = mixed.as_ref().filter(|mixed| mixed.mix.is_some());
        let tried = |mix: Option<&LoggedMix>| -> Vec<(u64, Candidate)> {
            let candidates = log.candidates(table, known, mix);
            candidates.take(MOST_OF_LOG * MOST_TRIED).collect()
        };
        let mut picked = Picked::of(tried(with_mix), MOST_OF_LOG, known)?;
        let mut performed = with_mix.map_or(0, |mixed| mixed.asked);
        if picked.questions.is_empty() && performed > 0 {
            // Nothing heavier can be a question, and a run is to ask what the log asks.
            picked = Picked::of(tried(None), MOST_OF_LOG, known)?;
            performed = performed.saturating_sub(picked.number);
        }
        let questions = picked.questions.len();
        if questions == 0 && with_mix.is_none() {
            let why = match picked.left_out.first() {
                Some(why) => format!(
                    "none of the statements that ask {table} can be a question of a workload; the most frequent one: \
                     {why}"
                ),
                None => {
                    let writes = mixed.as_ref().and_then(|mixed| mixed.notes.first());
                    let writes = writes.map_or(String::new(), |note| format!("; {note}"));
                    format!("no statement in it asks {table} alone{writes}")
                }
            };
            return Err(Misuse::new(anyhow!("{option}: {why}")).into());
        }
        found
            .notes
            .extend(log.notes(table, picked.number, questions, performed));
        if let Some(mixed) = mixed {
            found.notes.extend(mixed.notes);
            found.mix = mixed.mix;
        }
        if questions == 0 {
            let note = "no SELECT of the log is a question of the workload: its questions are made of its columns";
            found.notes.push(note.to_owned());
        }
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
                Ok(mut question) => {
                    write_usual_uuids(found, std::slice::from_mut(&mut question));
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
