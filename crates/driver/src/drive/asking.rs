//! The questions of a drive, with the designs that answer them and their first answers.

use std::collections::HashMap;
use std::sync::Arc;

use bakeoff_stats::drive::DriveLog;

use super::Target;
use super::beside::{AnsweredBy, Answering, BesideFor};
use super::client::{Client, FirstAnswer, ToAsk};
use super::context::{RecordError, Trouble, answering_ended};
use crate::{Design, Leeway, Observer};

/// A design that answers in place of the driven ones.
pub struct Answerer {
    pub id: String,
    /// The design, or why it cannot answer.
    pub design: Result<Arc<dyn Design>, String>,
}

/// Says why no design is left to answer the questions; `None` if there is one, or each driven design answers itself.
pub fn none_left(asked: Option<&BesideFor>, answerers: &[Answerer]) -> Option<String> {
    if asked.is_some_and(|asked| asked.driven) {
        return None;
    }
    let mut reasons = Vec::new();
    for Answerer { id, design } in answerers {
        match design {
            Ok(_) => return None,
            Err(why) => reasons.push(format!("{id} cannot answer the questions: {why}")),
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The questions of a drive, with the first answer to each.
pub struct Asking<'a> {
    pub asked: &'a BesideFor,
    /// The designs that answer, in the order of their names; empty if each driven design alone answers itself. At the
    /// place after the last of them is each driven design, if it answers.
    answerers: Vec<Answerer>,
    /// The first answer to each question, by the design that gave it, or by an empty name if all designs give the same.
    first: HashMap<String, Vec<Option<FirstAnswer>>>,
}

impl<'a> Asking<'a> {
    pub fn new(asked: &'a BesideFor, answerers: Vec<Answerer>) -> Asking<'a> {
        Asking {
            first: HashMap::new(),
            asked,
            answerers,
        }
    }

    /// Records which designs that answer in place of the driven ones can no longer, since their engines have ended.
    ///
    /// # Errors
    /// If a record cannot be written.
    pub fn note_ended(
        &mut self,
        log: &mut DriveLog,
        observer: &dyn Observer,
    ) -> Result<(), RecordError> {
        for Answerer { id, design } in &mut self.answerers {
            if let Some(why) = design.as_ref().ok().and_then(|design| design.dead()) {
                answering_ended(log, observer, id, &why)?;
                *design = Err(why);
            }
        }
        Ok(())
    }

    /// Checks that there is a design that can answer. The end of a driven design's own engine ends its load anyway.
    ///
    /// # Errors
    /// The engines of all that answer have ended.
    pub fn check(&self) -> Result<(), Trouble> {
        match none_left(Some(self.asked), &self.answerers) {
            Some(why) => Err(why.into()),
            None => Ok(()),
        }
    }

    /// Returns the places of the designs that can answer.
    pub fn places(&self) -> Vec<usize> {
        let places = 0..self.asked.answerers();
        places.filter(|place| self.can_answer(*place)).collect()
    }

    /// Returns whether the design at this place of those that answer can still: its engine has not ended.
    pub fn can_answer(&self, place: usize) -> bool {
        let can = |design: &Arc<dyn Design>| design.dead().is_none();
        let answerer = self.answerers.get(place);
        answerer.is_none_or(|answerer| answerer.design.as_ref().is_ok_and(can))
    }

    /// Returns who answers at this place.
    pub fn answered_by(&self, place: usize) -> AnsweredBy {
        match self.answerers.get(place) {
            Some(answerer) => AnsweredBy::Another(answerer.id.clone()),
            None => AnsweredBy::Driven,
        }
    }

    /// Makes the client of a load on a design in a round, whose questions the design at this place answers.
    pub fn client(&self, target: &Arc<dyn Target>, place: usize, round: u32) -> Client {
        let another = self.answerers.get(place);
        let rows_stay = self.asked.rows_stay || another.is_some();
        let answering = match another.and_then(|answerer| answerer.design.as_ref().ok()) {
            Some(design) => Answering::Another(design.clone()),
            None => Answering::Driven(target.clone()),
        };
        let id = { answering.design() }.map_or(&target.info().id, |design| &design.info().id);
        let questions = self.asked.questions.iter().map(|question| ToAsk {
            name: question.query.name.clone(),
            sql: question.sql(id, round),
            compared_by: question.compared_by(id, round),
            leeway: Leeway::between_two(&question.query),
            is_compared: rows_stay && question.has_one_answer,
        });
        let questions = questions.collect();
        // A copy, since a load that fails gives none back.
        let none = || vec![None; self.asked.questions.len()];
        let first = self.first.get(&self.compared_by(target, place));
        let first = first.cloned().unwrap_or_else(none);
        Client::new(answering, questions, first)
    }

    /// Takes the first answers back from a client of a load on a design that has ended.
    pub fn keep(&mut self, target: &Arc<dyn Target>, place: usize, client: Client) {
        let by = self.compared_by(target, place);
        self.first.insert(by, client.into_first());
    }

    /// Returns the name under which the first answers are kept with which the next ones are compared.
    fn compared_by(&self, target: &Arc<dyn Target>, place: usize) -> String {
        if self.asked.designs_agree {
            return String::new();
        }
        let answerer = self.answerers.get(place);
        answerer.map_or_else(|| target.info().id.clone(), |answerer| answerer.id.clone())
    }
}
