//! Guesses at the rows of a table of which only columns and key are known: a generator for each column.

use std::ops::Range;

use super::declared::{DeclaredColumn, DeclaredForm};
use crate::ColumnType;

/// Number of rows that are made unless the user says more.
pub const ROWS: u64 = 100_000;
/// Different values of the first column of a key.
const SERIES: u64 = 100;
/// Different values of each further column of a key that does not go on without end.
const FURTHER: u64 = 4;
/// Different values of the first columns of a key together, from which on its further ones have a single value.
const MOST_COMBINED: u64 = 1_000;
/// Different values of a text outside of the key.
const TEXTS: u64 = 1_000;
/// Different addresses.
const ADDRESSES: u64 = 250;
/// Most characters of a text that is a code rather than a name.
const MOST_OF_A_CODE: u64 = 8;
/// First time, and the same in milliseconds since 1970.
const START: (&str, i64) = ("2026-01-01T00:00:00Z", 1_767_225_600_000);
/// Milliseconds from a row of a series to its next one.
const MINUTE: i64 = 60_000;
/// Rows of a series within a day.
const MINUTES_OF_A_DAY: u64 = 1_440;

/// A generator for a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    /// As the workload writes it.
    pub generator: String,
    pub distinct: u64,
    /// A number that about a tenth of its values exceed.
    pub high_value: Option<f64>,
}

/// Generators for the columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Guesses {
    /// In the order of the columns.
    pub columns: Vec<Guess>,
    /// Place of the column with the times of the rows, if there is one.
    pub time: Option<usize>,
    /// First time and the end after the last one, in milliseconds since 1970.
    pub span: Option<Range<i64>>,
    /// Different values of the first column of the partition key; 1 if that is the time.
    pub series: u64,
}

/// A column with its name in the workload.
pub struct Named<'a> {
    pub name: &'a str,
    pub column: &'a DeclaredColumn,
}

impl Guesses {
    /// Guesses at the rows of a table. Rows have different keys if any column of its key can be counted. `partition`
    /// and `order` are places of columns.
    pub fn new(columns: &[Named<'_>], partition: &[usize], order: &[usize]) -> Guesses {
        let endless = endless(columns, partition, order);
        let mut of_key: Vec<Option<Guess>> = columns.iter().map(|_| None).collect();
        // Rows until the values of the columns so far begin again.
        let mut every = 1;
        let mut cycle = SERIES;
        let key = partition.iter().chain(order).copied();
        for place in key.clone().filter(|place| Some(*place) != endless) {
            if is_counted(columns[place].column) && !is_time(columns[place].column) {
                of_key[place] = Some(columns[place].counted(every, Some(cycle)));
                every *= cycle;
                // Of a long key the other columns have one value, so that all rows of it are different ones.
                cycle = if every < MOST_COMBINED { FURTHER } else { 1 };
            }
        }
        if let Some(place) = endless {
            of_key[place] = Some(columns[place].counted(every, None));
        }
        for place in key {
            if of_key[place].is_none() && is_time(columns[place].column) {
                of_key[place] = Some(days(every * MINUTES_OF_A_DAY));
            }
        }
        let guesses = of_key.into_iter().zip(columns);
        let guesses: Vec<Guess> = guesses
            .map(|(guess, column)| guess.unwrap_or_else(|| column.measured()))
            .collect();
        let time_of_key = endless.filter(|place| is_time(columns[*place].column));
        let any_time = || (0..columns.len()).find(|place| is_time(columns[*place].column));
        let time = time_of_key.or_else(any_time);
        let steps = match (time, time == endless) {
            (Some(_), true) => (ROWS / every).max(1),
            _ => ROWS / SERIES,
        };
        let first = partition.first().copied();
        let series = first.filter(|place| Some(*place) != time);
        Guesses {
            time,
            span: time.map(|_| START.1..START.1 + steps as i64 * MINUTE),
            series: series.map_or(1, |place| guesses[place].distinct.max(1)),
            columns: guesses,
        }
    }
}

/// Returns the place of the column of a key that goes on without end: a time that orders rows, another time, or else
/// the last column that can be counted.
fn endless(columns: &[Named<'_>], partition: &[usize], order: &[usize]) -> Option<usize> {
    let key = || order.iter().chain(partition).copied();
    let is_moment = |place: &usize| {
        let column = columns[*place].column;
        is_time(column) && column.form != DeclaredForm::Day
    };
    let last = |of: &[usize]| {
        let mut counted = of.iter().copied();
        counted.rfind(|place| is_counted(columns[*place].column))
    };
    key()
        .find(is_moment)
        .or_else(|| key().find(|place| is_time(columns[*place].column)))
        .or_else(|| last(order))
        .or_else(|| last(partition))
}

fn is_time(column: &DeclaredColumn) -> bool {
    column.kind == ColumnType::Timestamp
}

/// Returns whether values can be made by counting, so that each differs from those before.
fn is_counted(column: &DeclaredColumn) -> bool {
    use ColumnType::{Bigint, Int, Text, Timestamp, Uuid};
    matches!(column.kind, Int | Bigint | Timestamp | Text | Uuid)
}

/// Returns a generator of days, each of which that many rows have.
fn days(every: u64) -> Guess {
    let start = START.0;
    Guess {
        generator: format!(
            "{{ sequence = {{ start = \"{start}\", step = \"1d\", every = {every} }} }}"
        ),
        distinct: (ROWS / every).max(1),
        high_value: None,
    }
}

impl Named<'_> {
    /// Returns a generator that counts: the next value after `every` rows, and from the start again after `cycle` of
    /// them.
    fn counted(&self, every: u64, cycle: Option<u64>) -> Guess {
        let (mut parts, mut prefix) = (Vec::new(), None);
        match (self.column.kind, &self.column.form) {
            (ColumnType::Timestamp, _) => {
                parts.push(format!("start = \"{}\"", START.0));
                parts.push("step = \"1m\"".to_owned());
            }
            (ColumnType::Text, DeclaredForm::Uuid) => {
                // Eight digits make it as long as a UUID.
                parts.push("start = 10000000".to_owned());
                prefix = Some("00000000-0000-4000-8000-0000".to_owned());
            }
            (ColumnType::Text, DeclaredForm::Address) => prefix = Some("10.0.0.".to_owned()),
            (ColumnType::Text, _) => prefix = Some(format!("{}_", self.name)),
            _ => {}
        }
        if every > 1 {
            parts.push(format!("every = {every}"));
        }
        if let Some(cycle) = cycle {
            parts.push(format!("cycle = {cycle}"));
        }
        let sequence = if parts.is_empty() {
            "{ }".to_owned()
        } else {
            format!("{{ {} }}", parts.join(", "))
        };
        Guess {
            generator: with_prefix(&format!("sequence = {sequence}"), prefix.as_deref()),
            distinct: cycle.unwrap_or(ROWS / every).max(1),
            high_value: None,
        }
    }

    /// Returns a generator for values that name no row.
    fn measured(&self) -> Guess {
        let zipf = |items: u64, prefix: &str| {
            let generator = with_prefix(&format!("zipf = {{ items = {items} }}"), Some(prefix));
            (generator, items, None)
        };
        let characters = |number: u64| {
            (
                format!("{{ characters = [{number}, {number}] }}"),
                ROWS,
                None,
            )
        };
        let (generator, distinct, high_value) = match (self.column.kind, &self.column.form) {
            (ColumnType::Int | ColumnType::Bigint, DeclaredForm::Between(low, high)) => {
                let width = high.abs_diff(*low);
                let highest = low.saturating_add_unsigned(width / 10 * 9);
                (
                    format!("{{ uniform = [{low}, {high}] }}"),
                    width.saturating_add(1).min(ROWS),
                    (width > 1).then_some(highest as f64),
                )
            }
            (ColumnType::Float | ColumnType::Double, DeclaredForm::Between(low, high)) => {
                let (middle, width) = (
                    (*low as f64 + *high as f64) / 2.0,
                    high.abs_diff(*low) as f64,
                );
                let generator = format!(
                    "{{ normal = {{ mean = {middle:?}, deviation = {:?} }} }}",
                    (width / 10.0).max(0.1)
                );
                (generator, ROWS, Some(middle + width / 8.0))
            }
            (ColumnType::Text, DeclaredForm::OneOf(values)) => {
                let listed: Vec<String> = { values.iter() }
                    .map(|value| toml::Value::from(value.as_str()).to_string())
                    .collect();
                let number = u64::try_from(values.len()).unwrap_or(ROWS);
                (
                    format!("{{ choice = [{}] }}", listed.join(", ")),
                    number,
                    None,
                )
            }
            (ColumnType::Boolean, _) => ("{ choice = [true, false] }".to_owned(), 2, None),
            (ColumnType::Int, _) => ("{ uniform = [0, 1000] }".to_owned(), 1_001, Some(900.0)),
            (ColumnType::Bigint, _) => (
                "{ uniform = [0, 1000000] }".to_owned(),
                ROWS,
                Some(900_000.0),
            ),
            (ColumnType::Float | ColumnType::Double, _) => {
                let normal = "{ normal = { mean = 100.0, deviation = 15.0 } }".to_owned();
                (normal, ROWS, Some(119.0))
            }
            (ColumnType::Timestamp, DeclaredForm::Day) => return days(MINUTES_OF_A_DAY),
            (ColumnType::Timestamp, _) => return self.counted(SERIES, None),
            (ColumnType::Blob, _) => ("{ bytes = { length = [16, 64] } }".to_owned(), ROWS, None),
            (ColumnType::Uuid, _) => return self.counted(1, None),
            (ColumnType::Text, DeclaredForm::Uuid) => characters(36),
            (ColumnType::Text, DeclaredForm::Address) => zipf(ADDRESSES, "10.0.0."),
            (ColumnType::Text, DeclaredForm::Clock) => {
                let choice = "{ choice = [\"06:00:00\", \"12:00:00\", \"18:00:00\"] }".to_owned();
                (choice, 3, None)
            }
            (ColumnType::Text, DeclaredForm::Characters(most)) if *most <= MOST_OF_A_CODE => {
                characters((*most).max(1))
            }
            (ColumnType::Text, _) => zipf(TEXTS, &format!("{}_", self.name)),
        };
        Guess {
            generator,
            distinct,
            high_value,
        }
    }
}

fn with_prefix(generator: &str, prefix: Option<&str>) -> String {
    match prefix {
        Some(prefix) => format!("{{ {generator}, prefix = \"{prefix}\" }}"),
        None => format!("{{ {generator} }}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guesses(
        columns: &[(&str, ColumnType, DeclaredForm)],
        partition: &[usize],
        order: &[usize],
    ) -> Guesses {
        let declared: Vec<DeclaredColumn> = { columns.iter() }
            .map(|(name, kind, form)| DeclaredColumn {
                name: (*name).to_owned(),
                kind: *kind,
                form: form.clone(),
            })
            .collect();
        let named: Vec<Named<'_>> = { declared.iter() }
            .map(|column| Named {
                name: &column.name,
                column,
            })
            .collect();
        Guesses::new(&named, partition, order)
    }

    #[test]
    fn the_time_of_a_key_goes_on_after_all_series() {
        let all = guesses(
            &[
                ("day", ColumnType::Timestamp, DeclaredForm::Day),
                ("room", ColumnType::Text, DeclaredForm::Plain),
                ("time", ColumnType::Timestamp, DeclaredForm::Plain),
                ("heat", ColumnType::Double, DeclaredForm::Plain),
            ],
            &[1, 0],
            &[2],
        );
        let written: Vec<&str> = all
            .columns
            .iter()
            .map(|guess| guess.generator.as_str())
            .collect();
        assert_eq!(
            written,
            [
                "{ sequence = { start = \"2026-01-01T00:00:00Z\", step = \"1d\", every = 144000 } }",
                "{ sequence = { cycle = 100 }, prefix = \"room_\" }",
                "{ sequence = { start = \"2026-01-01T00:00:00Z\", step = \"1m\", every = 100 } }",
                "{ normal = { mean = 100.0, deviation = 15.0 } }",
            ]
        );
        assert_eq!((all.time, all.series), (Some(2), 100));
        assert_eq!(all.span, Some(START.1..START.1 + 1_000 * MINUTE));
    }

    #[test]
    fn values_are_those_that_are_declared() {
        let all = guesses(
            &[
                ("id", ColumnType::Int, DeclaredForm::Plain),
                ("done", ColumnType::Int, DeclaredForm::Between(0, 1)),
                ("level", ColumnType::Bigint, DeclaredForm::Between(-50, 50)),
                ("heat", ColumnType::Double, DeclaredForm::Between(0, 100)),
                (
                    "mood",
                    ColumnType::Text,
                    DeclaredForm::OneOf(vec!["So \"so\"".to_owned(), "fine".to_owned()]),
                ),
            ],
            &[0],
            &[],
        );
        let written: Vec<&str> = { all.columns.iter().skip(1) }
            .map(|guess| guess.generator.as_str())
            .collect();
        assert_eq!(
            written[..3],
            [
                "{ uniform = [0, 1] }",
                "{ uniform = [-50, 50] }",
                "{ normal = { mean = 50.0, deviation = 10.0 } }",
            ]
        );
        assert!(written[3].ends_with("\"fine\"] }"), "{}", written[3]);
        assert_eq!(all.columns[2].high_value, Some(40.0));
        assert_eq!(all.columns[4].distinct, 2);
    }

    #[test]
    fn without_a_time_the_last_column_of_the_key_is_counted_without_end() {
        let all = guesses(
            &[
                ("id", ColumnType::Text, DeclaredForm::Uuid),
                ("kind", ColumnType::Int, DeclaredForm::Plain),
                ("place", ColumnType::Bigint, DeclaredForm::Plain),
                ("done", ColumnType::Boolean, DeclaredForm::Plain),
            ],
            &[0],
            &[1, 2, 3],
        );
        assert_eq!(
            all.columns[0].generator,
            "{ sequence = { start = 10000000, cycle = 100 }, prefix = \"00000000-0000-4000-8000-0000\" }"
        );
        assert_eq!(
            all.columns[1].generator,
            "{ sequence = { every = 100, cycle = 4 } }"
        );
        assert_eq!(all.columns[2].generator, "{ sequence = { every = 400 } }");
        assert_eq!(all.columns[3].generator, "{ choice = [true, false] }");
        assert_eq!((all.time, all.series), (None, 100));
        let one = guesses(&[("id", ColumnType::Int, DeclaredForm::Plain)], &[0], &[]);
        assert_eq!(
            (one.columns[0].generator.as_str(), one.series),
            ("{ sequence = { } }", ROWS)
        );
    }
}
