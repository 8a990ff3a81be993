//! What is said of a log of queries.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::QueryLog;
use super::forms::{Form, MOST_FORMS, MOST_HELD};
use crate::statements::asked_table::AskedTable;

/// Most other tables that a note names.
const MOST_LISTED: usize = 5;

impl QueryLog {
    /// Says what is in the log, sentence by sentence. `asked` is the number of statements whose forms became questions
    /// about the table, `questions` that of these, and `performed` the number of further statements that ask it and are
    /// operations of a mix.
    pub fn notes(
        &self,
        table: &AskedTable,
        asked: u64,
        questions: usize,
        performed: u64,
    ) -> Vec<String> {
        let own = self.of(table);
        let all: u64 = own.iter().map(|form| form.number).sum();
        let of_mix = match performed {
            0 => String::new(),
            _ => format!("; operations of the mix: {performed}"),
        };
        let left_out = match all.saturating_sub(asked.saturating_add(performed)) {
            0 => String::new(),
            left_out => format!("; left out: {left_out}"),
        };
        let mut notes = vec![
            format!("the log has {}", self.in_words()),
            format!(
                "statements that ask `{table}` alone: {all}; forms of these: {}; questions: {questions}, which stand \
                 for {asked} of the statements{of_mix}{left_out}",
                own.len()
            ),
        ];
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        let is_other = |form: &&Form| form.own().is_none_or(|own| !own.may_be(table));
        let asking = self.forms.all().filter(|form| form.asks());
        for other in asking.filter(is_other) {
            let names = other.tables.iter().map(|table| format!("`{table}`"));
            let names: Vec<String> = names.collect();
            let name = if names.is_empty() {
                "no table".to_owned()
            } else {
                names.join(" with ")
            };
            *others.entry(name).or_default() += other.number;
        }
        let mut others: Vec<(String, u64)> = others.into_iter().collect();
        others.sort_by_key(|(_, number)| Reverse(*number));
        if !others.is_empty() {
            let listed = others.iter().take(MOST_LISTED);
            let listed: Vec<String> = listed
                .map(|(name, number)| format!("{name} ({number})"))
                .collect();
            let more = if others.len() > MOST_LISTED {
                ", ..."
            } else {
                ""
            };
            notes.push(format!("others ask {}{more}", listed.join(", ")));
        }
        if self.databases.len() > 1 {
            let names: Vec<&str> = self.databases.iter().map(String::as_str).collect();
            notes.push(format!(
                "the log is of several databases, {}, whose tables are not told apart: give it the lines of one",
                names.join(", ")
            ));
        }
        if self.forms.beyond > 0 {
            notes.push(format!(
                "{} have forms beyond those that are told apart, at most {MOST_FORMS} or {} MiB",
                self.forms.beyond,
                MOST_HELD >> 20
            ));
        }
        notes
    }

    /// Lists the kinds of statements with their numbers.
    pub(super) fn in_words(&self) -> String {
        let all: u64 = self.kinds.values().sum();
        let mut kinds: Vec<(&&str, &u64)> = self.kinds.iter().collect();
        kinds.sort_by_key(|(_, number)| Reverse(**number));
        let mut parts: Vec<String> = { kinds.iter() }
            .map(|(kind, number)| format!("{number} {kind}"))
            .collect();
        if self.unreadable > 0 {
            parts.push(format!("{} too long or without end", self.unreadable));
        }
        if parts.is_empty() {
            return "no statement".to_owned();
        }
        let number = all + self.unreadable;
        let noun = if number == 1 {
            "statement"
        } else {
            "statements"
        };
        format!("{number} {noun}: {}", parts.join(", "))
    }
}
