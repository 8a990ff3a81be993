//! The mix of operations that a log has: the shares of statements about a table that find rows by its key.

use std::cmp::Reverse;
use std::collections::HashSet;

use bakeoff_workload::infer::{AskedMix, AskedOperation, Inferred};

use super::{Operation, operation};
use crate::statements::asked_table::AskedTable;
use crate::statements::log::QueryLog;
use crate::statements::log::forms::Form;
use crate::statements::log::sent::Rate;
use crate::statements::without_values;
use crate::statements::words::{is, words};

/// Most operations of a mix.
const MOST_OPERATIONS: usize = 12;
/// Most statements that are no operations which the workload tells one by one, and a command.
const MOST_WRITTEN: usize = 8;
const MOST_TOLD: usize = 3;
/// Most rows that an operation of a mix inserts.
const MOST_ROWS: u64 = 1_000;
/// Parts of a percent in which shares are written.
const PARTS: u64 = 1_000;

/// The operations that a log has of a table.
#[derive(Debug, Clone)]
pub struct LoggedMix {
    /// The mix; `None` if no statement can be an operation.
    pub mix: Option<AskedMix>,
    /// What is said of it, sentence by sentence.
    pub notes: Vec<String>,
    /// Number of the statements that ask the table and are operations.
    pub asked: u64,
    /// Places of the forms that are operations.
    places: HashSet<usize>,
}

impl LoggedMix {
    /// Returns whether statements of a form are an operation of the mix.
    pub(crate) fn has(&self, form: &Form) -> bool {
        self.places.contains(&form.place)
    }
}

/// Forms that are the same operation, the most frequent one first.
struct Group<'a> {
    operation: Operation,
    forms: Vec<&'a Form>,
}

impl Group<'_> {
    fn number(&self) -> u64 {
        self.forms.iter().map(|form| form.number).sum()
    }

    /// Returns the rows that a statement inserts, on average, but no more than there are.
    fn rows(&self, found: &Inferred) -> u64 {
        let rows: u64 = self.forms.iter().map(|form| form.rows).sum();
        let number = self.number().max(1);
        let there = found.rows_that_fit();
        ((rows + number / 2) / number).min(MOST_ROWS).min(there)
    }
}

/// The statements about a table, by what becomes of them.
#[derive(Default)]
struct Sorted<'a> {
    groups: Vec<Group<'a>>,
    /// Statements that write and are no operation, with the reasons.
    refused: Vec<(&'a Form, String)>,
    /// Number of the statements that ask and are no operation.
    heavier: u64,
}

impl<'a> Sorted<'a> {
    fn add(&mut self, operation: Operation, form: &'a Form) {
        let mut groups = self.groups.iter_mut();
        match groups.find(|group| group.operation == operation) {
            Some(group) => group.forms.push(form),
            None => self.groups.push(Group {
                operation,
                forms: vec![form],
            }),
        }
    }

    /// Keeps as many operations as a mix may have, the most frequent ones.
    fn keep_most(&mut self) {
        self.groups.sort_by_key(|group| Reverse(group.number()));
        let kept = self.groups.len().min(MOST_OPERATIONS);
        for group in self.groups.split_off(kept) {
            for form in group.forms {
                if form.asks() {
                    self.heavier += form.number;
                } else {
                    let why = format!("the mix has the {MOST_OPERATIONS} most frequent operations");
                    self.refused.push((form, why));
                }
            }
        }
    }

    fn forms(&self) -> impl Iterator<Item = &'a Form> {
        self.groups.iter().flat_map(|group| &group.forms).copied()
    }

    /// Says which statements that write are no operation, and why, up to a number of forms.
    fn told(&self, most: usize) -> Vec<String> {
        let told = self.refused.iter().take(most).map(|(form, why)| {
            format!(
                "no operation: {} × `{}`: {why}",
                form.number,
                without_values(&form.example)
            )
        });
        let mut told: Vec<String> = told.collect();
        let further: u64 = { self.refused.iter().skip(most) }
            .map(|(form, _)| form.number)
            .sum();
        if further > 0 {
            told.push(format!(
                "no operation: {further} further statements that write"
            ));
        }
        told
    }
}

impl QueryLog {
    /// Makes a mix of the statements that find rows of a table by its key.
    pub fn mix(&self, table: &AskedTable, found: &Inferred) -> LoggedMix {
        let asking = self.asking(table, found);
        let mut sorted = Sorted::default();
        for form in self.about(table) {
            let Some(words) = words(&form.example) else {
                continue;
            };
            match operation(form, &words, &asking) {
                Ok(Some(operation)) => sorted.add(operation, form),
                Ok(None) => sorted.heavier += form.number,
                Err(why) => sorted.refused.push((form, why)),
            }
        }
        sorted.keep_most();
        let places: HashSet<usize> = sorted.forms().map(|form| form.place).collect();
        let rate = self.forms.sent.rate(&places);
        let all: u64 = sorted.forms().map(|form| form.number).sum();
        let mut notes = Vec::new();
        if !sorted.groups.is_empty() {
            notes.push(format!(
                "operations of the mix for `bakeoff drive`: {}, which stand for {all} statements about `{table}`",
                sorted.groups.len()
            ));
            notes.extend(rate.map(|rate| rate.in_words()));
        }
        notes.extend(sorted.told(MOST_TOLD));
        let asked = sorted.forms().filter(|form| form.asks());
        LoggedMix {
            mix: (!sorted.groups.is_empty()).then(|| asked_mix(&sorted, all, rate, found)),
            notes,
            asked: asked.map(|form| form.number).sum(),
            places,
        }
    }
}

fn asked_mix(sorted: &Sorted<'_>, all: u64, rate: Option<Rate>, found: &Inferred) -> AskedMix {
    let mut about = vec![format!(
        "Operations of the log for `bakeoff drive THIS.toml`, with their shares of {all} statements."
    )];
    about.extend(rate.map(|rate| {
        let whole = rate.busiest.ceil().max(1.0);
        format!("Rate: {} (--rate {whole})", rate.in_words())
    }));
    about.push(
        "Rows are drawn evenly: write keys = { zipf = 0.99 } where some are asked for more often."
            .to_owned(),
    );
    if sorted.heavier > 0 {
        about.push(format!(
            "Other SELECTs of the log: {}. A question can be asked beside this load: --beside-query NAME",
            sorted.heavier
        ));
    }
    about.extend(sorted.told(MOST_WRITTEN));
    let numbers: Vec<u64> = sorted.groups.iter().map(Group::number).collect();
    let mut names: Vec<String> = Vec::new();
    let mut operations = Vec::with_capacity(numbers.len());
    for (group, share) in sorted.groups.iter().zip(shares(&numbers)) {
        let name = free_name(name_of(&group.operation), &names);
        names.push(name.clone());
        let mut settings = settings(group, found);
        settings.push(format!("weight = {}", percent(share)));
        operations.push(AskedOperation {
            about: about_group(group, all),
            name,
            settings,
        });
    }
    AskedMix {
        about,
        operations,
        most_rows: None,
    }
}

/// Returns the shares of these numbers, of which the first is the greatest, in thousandths of a percent. They add up to
/// all, and none is 0.
fn shares(numbers: &[u64]) -> Vec<u64> {
    let whole = 100 * PARTS;
    let all: u128 = numbers.iter().map(|number| u128::from(*number)).sum();
    let share = |number: &u64| {
        let share = u128::from(*number) * u128::from(whole) / all.max(1);
        u64::try_from(share).unwrap_or(whole).max(1)
    };
    let mut shares: Vec<u64> = numbers.iter().map(share).collect();
    let others: u64 = shares.iter().skip(1).sum();
    if let Some(first) = shares.first_mut() {
        *first = whole.saturating_sub(others);
    }
    shares
}

/// Writes a share as a percentage.
fn percent(share: u64) -> String {
    let written = format!("{}.{:03}", share / PARTS, share % PARTS);
    written
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

fn name_of(operation: &Operation) -> &'static str {
    match operation {
        Operation::Insert => "insert",
        Operation::InsertSeveral => "insert-several",
        Operation::Update { .. } => "update",
        Operation::DeleteRow => "delete-row",
        Operation::DeletePartition => "delete-partition",
        Operation::ReadRow => "read-row",
        Operation::ReadPartition { .. } => "read-partition",
        Operation::ReadRange(_) => "read-range",
    }
}

/// Returns a name that no other operation has.
fn free_name(wanted: &str, taken: &[String]) -> String {
    let mut free = wanted.to_owned();
    let mut number = 1;
    while taken.contains(&free) {
        number += 1;
        free = format!("{wanted}-{number}");
    }
    free
}

/// Returns the settings of an operation as a workload writes them.
fn settings(group: &Group<'_>, found: &Inferred) -> Vec<String> {
    let action = |name: &str| format!("action = \"{name}\"");
    let keys = match found.made {
        Some(_) => AskedMix::NEW_ROWS.to_owned(),
        None => format!(
            "{} # over rows that are there: those of a file do not go on",
            AskedMix::SAME_ROWS
        ),
    };
    let rows = |key: &str, rows: super::Rows| {
        let about = rows
            .about()
            .map_or(String::new(), |about| format!(" # {about}"));
        format!("{key} = {}{about}", rows.number())
    };
    match &group.operation {
        Operation::Insert => vec![action("insert"), keys],
        Operation::InsertSeveral => {
            let rows = group.rows(found);
            let batch = format!("batch = {rows} # rows of a statement, on average");
            vec![action("insert"), batch, keys]
        }
        Operation::Update { columns } => {
            let columns: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
            let columns = format!("columns = [{}]", columns.join(", "));
            vec![action("update"), columns]
        }
        Operation::ReadPartition {
            limit,
            newest_first,
        } => {
            let mut settings = vec![action("read-partition")];
            settings.extend(limit.map(|limit| rows("limit", limit)));
            settings.extend(newest_first.then(|| "newest_first = true".to_owned()));
            settings
        }
        Operation::ReadRange(number) => vec![action("read-range"), rows("rows", *number)],
        other => vec![action(name_of(other))],
    }
}

/// Says which statements an operation stands for.
fn about_group(group: &Group<'_>, all: u64) -> Vec<String> {
    let Some(first) = group.forms.first() else {
        return Vec::new();
    };
    let others = match group.forms.len() - 1 {
        0 => String::new(),
        1 => " and another form".to_owned(),
        others => format!(" and {others} other forms"),
    };
    let mut about = vec![format!(
        "{} of {all}: `{}`{others}",
        group.number(),
        without_values(&first.example)
    )];
    let lives = |form: &&Form| {
        let words = words(&form.example).unwrap_or_default();
        !form.asks() && words.iter().any(|token| is(Some(token), "ttl"))
    };
    if group.forms.iter().any(lives) {
        about.push(
            "USING TTL is left out, since rows of PostgreSQL have none: ttl = \"30d\" is for designs of Cassandra."
                .to_owned(),
        );
    }
    about
}

#[cfg(test)]
mod tests;
