//! Checks `[mix]`: operations, their shares and the rows that they are for.

mod action;
mod cql;
mod items;
mod keys;
mod names;
mod partition;
pub mod select;
mod statement;
pub mod tokens;

use std::time::Duration;

use toml::Spanned;

use super::number;
use super::text::{Text, suggestion};
use crate::source::KeyDigits;
use crate::{
    Action, Background, Consistency, Data, Error, Generator, Mix, Operation, Query, Result, Table,
    wire,
};

/// Longest time to live that Cassandra accepts: 20 years.
const MOST_TTL_SECONDS: u64 = 20 * 365 * 24 * 3600;
/// Largest number of rows that one operation writes.
const MOST_ROWS_OF_A_BATCH: u32 = 1000;
/// Deviation of the weights from 100 percent that is tolerated, for thirds and the like.
const TOLERANCE_PERCENT: f64 = 1e-6;

/// The parts of a workload that its operations are checked against.
pub struct About<'a> {
    pub document: Text<'a>,
    pub table: &'a Table,
    pub data: &'a Data,
    pub queries: &'a [Query],
    /// Number of rows that are loaded by default.
    pub rows: u64,
}

impl About<'_> {
    /// Checks the mix.
    pub fn check(&self, wire: &Spanned<wire::Mix>) -> Result<Mix> {
        let mix = wire.get_ref();
        if mix.operations.is_empty() {
            let message = "a mix has operations: add [[mix.operations]] with action and weight";
            return Err(self.document.error(wire.span(), message));
        }
        let mut operations: Vec<Operation> = Vec::with_capacity(mix.operations.len());
        for written in &mix.operations {
            let operation = self.operation(mix, written)?;
            if operations.iter().any(|o| o.name == operation.name) {
                let message = format!(
                    "there is another operation `{}`; give each a different `name`",
                    operation.name
                );
                return Err(self.document.error(name_span(written), message));
            }
            operations.push(operation);
        }
        self.weights_to_shares(wire, &mut operations)?;
        self.used_ttl(mix, &operations)?;
        Ok(Mix {
            schema: self.plain_statements(&mix.schema, &[names::KEYSPACE])?,
            populate: self.populate(mix)?,
            background: mix
                .background
                .iter()
                .map(|background| self.background(background))
                .collect::<Result<_>>()?,
            operations,
        })
    }

    fn operation(&self, mix: &wire::Mix, wire: &Spanned<wire::Operation>) -> Result<Operation> {
        let written = wire.get_ref();
        let weight = number::positive(
            self.document,
            *written.weight.get_ref(),
            written.weight.span(),
            "weight",
        )?;
        let action = self.action(mix, wire)?;
        let keys = self.keys(&action, written)?;
        self.rows_have_keys(&action, written)?;
        let consistency = written.consistency.as_ref().or(mix.consistency.as_ref());
        let ttl = written
            .ttl
            .as_ref()
            .or(mix.ttl.as_ref().filter(|_| takes_ttl(&action)));
        Ok(Operation {
            name: self.name(written)?,
            weight,
            keys,
            consistency: consistency.map(|c| self.consistency(c)).transpose()?,
            ttl_seconds: ttl.map(|ttl| self.ttl(ttl)).transpose()?,
            batch: self.batch(written.batch.as_ref())?,
            action,
        })
    }

    /// Returns the operation's name, or its action's. It becomes a tag in logs, so it has to be one
    /// word.
    fn name(&self, written: &wire::Operation) -> Result<String> {
        let name = written.name.as_ref().unwrap_or(&written.action);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.get_ref().is_empty() && name.get_ref().chars().all(is_word) {
            Ok(name.get_ref().clone())
        } else {
            Err(self.document.error(
                name.span(),
                format!("operation name `{name}` has to be of letters, digits, _ and -"),
            ))
        }
    }

    /// Converts weights in percent to shares of 1.
    fn weights_to_shares(
        &self,
        wire: &Spanned<wire::Mix>,
        operations: &mut [Operation],
    ) -> Result<()> {
        let sum: f64 = operations.iter().map(|o| o.weight).sum();
        if (sum - 100.0).abs() > TOLERANCE_PERCENT {
            let shown = (sum * 1e6).round() / 1e6;
            let message = format!(
                "the weights of the operations are percentages and have to add up to 100, but these \
                 add up to {shown}"
            );
            return Err(self.document.error(wire.span(), message));
        }
        for operation in operations {
            operation.weight /= sum;
        }
        Ok(())
    }

    fn consistency(&self, written: &Spanned<String>) -> Result<Consistency> {
        let names = Consistency::ALL.map(|(name, _)| name);
        let found = Consistency::ALL
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(written.get_ref()));
        found.map(|(_, level)| *level).ok_or_else(|| {
            let hint = suggestion(written.get_ref(), names);
            let message = format!("unknown consistency level `{written}`{hint}");
            self.document.error(written.span(), message)
        })
    }

    fn ttl(&self, written: &Spanned<String>) -> Result<u32> {
        let error = |message: String| self.document.error(written.span(), message);
        let duration = self.duration(written, "ttl")?;
        let seconds = duration.as_secs();
        if duration.is_zero() {
            return Err(error(
                "`ttl` is 0, which would keep rows forever; leave it out".to_owned(),
            ));
        }
        u32::try_from(seconds)
            .ok()
            .filter(|_| duration.subsec_nanos() == 0 && seconds <= MOST_TTL_SECONDS)
            .ok_or_else(|| {
                error(format!(
                    "`ttl` is `{written}`, but has to be whole seconds up to 20 years"
                ))
            })
    }

    fn duration(&self, written: &Spanned<String>, key: &str) -> Result<Duration> {
        humantime::parse_duration(written.get_ref()).map_err(|error| {
            let message = format!(
                "`{key}` is `{written}`, which is not a duration ({error}): {key} = \"1h\""
            );
            self.document.error(written.span(), message)
        })
    }

    /// Checks that a common time to live applies to at least one operation that inserts or updates.
    fn used_ttl(&self, mix: &wire::Mix, operations: &[Operation]) -> Result<()> {
        match &mix.ttl {
            Some(ttl) if !operations.iter().any(|o| takes_ttl(&o.action)) => Err(self.document.error(
                ttl.span(),
                "no operation here takes a `ttl`: only insert and update do, and statements say \
                 USING TTL",
            )),
            _ => Ok(()),
        }
    }

    fn batch(&self, written: Option<&Spanned<i64>>) -> Result<u32> {
        let Some(written) = written else { return Ok(1) };
        u32::try_from(*written.get_ref())
            .ok()
            .filter(|rows| (1..=MOST_ROWS_OF_A_BATCH).contains(rows))
            .ok_or_else(|| {
                let message = format!(
                    "`batch` is {written}, but has to be from 1 to {MOST_ROWS_OF_A_BATCH} rows"
                );
                self.document.error(written.span(), message)
            })
    }

    /// Checks that all loaded rows have unique keys, since replies could not be checked otherwise.
    fn rows_have_keys(&self, action: &Action, written: &wire::Operation) -> Result<()> {
        let Data::Generator(Generator::Columns(generators)) = self.data else {
            return Ok(());
        };
        let unique = KeyDigits::find(self.table, generators).unique_rows();
        match (action, unique) {
            (Action::Query { .. } | Action::Cql(_), _) | (_, None) => Ok(()),
            (_, Some(unique)) if unique >= self.rows => Ok(()),
            (_, Some(unique)) => {
                let message = format!(
                    "the key is unique for {unique} of the {} rows only, so that an operation \
                     would read another row's values; make the key columns sequences that count the \
                     rows: the first with `every = 1`, each next one with `every` times `cycle` of \
                     the one before, the last one without `cycle`",
                    self.rows
                );
                Err(self.document.error(written.action.span(), message))
            }
        }
    }

    fn background(&self, wire: &wire::Background) -> Result<Background> {
        let every = self.duration(&wire.every, "every")?;
        if every.is_zero() {
            return Err(self.document.error(wire.every.span(), "`every` is 0"));
        }
        let known = [names::KEYSPACE, "number"];
        if wire.statements.get_ref().is_empty() {
            return Err(self.no_statements(wire.statements.span()));
        }
        Ok(Background {
            every,
            statements: self.plain_statements(wire.statements.get_ref(), &known)?,
            cycle: number::at_least(self.document, wire.cycle.as_ref(), "cycle", 1)?.unwrap_or(1),
        })
    }

    fn no_statements(&self, span: std::ops::Range<usize>) -> Error {
        self.document.error(span, "`statements` is empty")
    }
}

fn name_span(written: &Spanned<wire::Operation>) -> std::ops::Range<usize> {
    let written = written.get_ref();
    written.name.as_ref().unwrap_or(&written.action).span()
}

fn takes_ttl(action: &Action) -> bool {
    matches!(action, Action::Insert | Action::Update { .. })
}
