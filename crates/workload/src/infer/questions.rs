//! Natural questions about a table, in SQL that all engines understand.

use super::names::is_like_group;
use super::{Inferred, InferredColumn};
use crate::ColumnType;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Lengths of windows, with their names in a workload.
const WINDOWS: [(&str, i64); 6] = [
    ("1h", HOUR),
    ("12h", 12 * HOUR),
    ("1d", DAY),
    ("7d", 7 * DAY),
    ("30d", 30 * DAY),
    ("365d", 365 * DAY),
];

/// Rows of a series that a window for one of them has at least, if any window has.
const ROWS_OF_A_WINDOW: f64 = 10.0;

/// Groups of an answer at most.
const MOST_GROUPS: u64 = 10_000;

/// A question of a workload.
pub struct Question {
    pub name: String,
    pub sql: String,
    /// Its parameters as the workload writes them; none if it is empty.
    pub parameters: Vec<String>,
}

/// Returns the questions that fit what was found.
pub fn questions(table: &Inferred) -> Vec<Question> {
    let about = About { table };
    let all = [
        Some(about.count()),
        about.newest(),
        about.window_of_one_series(),
        about.one_row(),
        about.by_group(),
        about.filter(),
    ];
    all.into_iter().flatten().collect()
}

struct About<'a> {
    table: &'a Inferred,
}

impl About<'_> {
    fn count(&self) -> Question {
        Question {
            name: "count_rows".to_owned(),
            sql: format!("SELECT count(*) AS n FROM {}", self.table.table),
            parameters: Vec::new(),
        }
    }

    /// The newest time of one series, or of all rows.
    fn newest(&self) -> Option<Question> {
        let time = self.table.time.as_ref()?;
        let (condition, parameters) = self.likely_series();
        Some(Question {
            name: "newest".to_owned(),
            sql: format!(
                "SELECT max({time}) AS newest FROM {}{}",
                self.table.table,
                condition.map_or(String::new(), |condition| format!(" WHERE {condition}"))
            ),
            parameters,
        })
    }

    /// All rows of one series, or of all if each has few, in a window of time.
    fn window_of_one_series(&self) -> Option<Question> {
        let time = self.table.time.as_ref()?;
        let series = self.table.series as f64;
        // A series of a few rows has none in most windows.
        let (condition, mut parameters) = if self.table.rows as f64 / series < ROWS_OF_A_WINDOW {
            (None, Vec::new())
        } else {
            self.likely_series()
        };
        let series = condition.as_ref().map_or(1.0, |_| series);
        let rows = ROWS_OF_A_WINDOW * series;
        let (within, parameter) = self.within(time, rows);
        parameters.push(parameter);
        let condition = condition.map_or(String::new(), |condition| format!("{condition} AND "));
        Some(Question {
            name: "rows_of_a_time".to_owned(),
            sql: format!(
                "SELECT {} FROM {} WHERE {condition}{within}",
                self.shown(),
                self.table.table
            ),
            parameters,
        })
    }

    /// The row or rows with one key, where there are no times.
    fn one_row(&self) -> Option<Question> {
        if self.table.time.is_some() {
            return None;
        }
        let (mut condition, mut parameters) = self.one_series();
        // A series that no column names is the whole table.
        let partition = &self.table.partition_key;
        if partition.iter().all(|name| self.is_constant(name)) {
            for name in &self.table.order_key {
                condition = condition.map(|known| format!("{known} AND {name} = ${{{name}}}"));
                parameters.push(format!("{name} = {{ column = \"{name}\" }}"));
            }
        }
        Some(Question {
            name: "one_key".to_owned(),
            sql: format!(
                "SELECT {} FROM {} WHERE {}",
                self.shown(),
                self.table.table,
                condition?
            ),
            parameters,
        })
    }

    /// An aggregate for each series or, where there are too many, of all rows, over a longer time.
    fn by_group(&self) -> Option<Question> {
        let group = self.group();
        let aggregate = self.number().map_or(String::new(), |column| {
            let (name, of) = (&column.name, aggregate(column.kind));
            format!(", {of}({name}) AS {of}_{name}")
        });
        let (condition, parameters) = match &self.table.time {
            Some(time) => {
                let (within, parameter) = self.within(time, self.table.rows as f64 / 4.0);
                (format!(" WHERE {within}"), vec![parameter])
            }
            None => (String::new(), Vec::new()),
        };
        let table = &self.table.table;
        let sql = match group {
            Some(group) => {
                let count = if group == "n" { "number" } else { "n" };
                format!(
                    "SELECT {group}, count(*) AS {count}{aggregate} FROM {table}{condition} GROUP BY {group} \
                     ORDER BY {group}"
                )
            }
            // Without groups and times it would be the first question again.
            None if condition.is_empty() && aggregate.is_empty() => return None,
            None => format!("SELECT count(*) AS n{aggregate} FROM {table}{condition}"),
        };
        Some(Question {
            name: "aggregate".to_owned(),
            sql,
            parameters,
        })
    }

    /// The number of rows with high values in a column.
    fn filter(&self) -> Option<Question> {
        let column = self.number()?;
        let value = column.high_value?;
        let value = match column.kind {
            ColumnType::Float | ColumnType::Double => format!("{value:?}"),
            _ => format!("{value:.0}"),
        };
        // Not all engines take an exponent.
        let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
        value.chars().all(is_plain).then(|| Question {
            name: "high_values".to_owned(),
            sql: format!(
                "SELECT count(*) AS n FROM {} WHERE {} > {value}",
                self.table.table, column.name
            ),
            parameters: Vec::new(),
        })
    }

    /// Returns the condition for one series and its parameters, unless one that is drawn hardly ever has rows.
    fn likely_series(&self) -> (Option<String>, Vec<String>) {
        // Values are drawn of each column alone, so that those of many columns are hardly ever in one row.
        let key = &self.table.partition_key;
        let columns = self.table.columns.iter();
        let different = columns
            .filter(|column| key.contains(&column.name))
            .map(|column| column.distinct.max(1) as f64);
        let is_likely = key.len() == 1 || self.table.rows as f64 >= different.product::<f64>();
        if is_likely {
            self.one_series()
        } else {
            (None, Vec::new())
        }
    }

    /// Returns the condition for one series and its parameters, unless the time is a part of it. It names all columns
    /// of the partition key, since engines that divide rows by it find none by a part of it.
    fn one_series(&self) -> (Option<String>, Vec<String>) {
        let key = &self.table.partition_key;
        if key
            .iter()
            .any(|column| Some(column) == self.table.time.as_ref())
        {
            return (None, Vec::new());
        }
        let conditions: Vec<String> = { key.iter() }
            .map(|column| format!("{column} = ${{{column}}}"))
            .collect();
        let parameters = key
            .iter()
            .map(|column| format!("{column} = {{ column = \"{column}\" }}"));
        (Some(conditions.join(" AND ")), parameters.collect())
    }

    /// Returns the column by which rows are grouped, if its groups are not too many.
    fn group(&self) -> Option<&str> {
        let table = self.table;
        let key = table.partition_key.first()?;
        let names_series = table.time.as_ref() != Some(key) && !self.is_constant(key);
        if names_series && table.time.is_some() && table.series <= MOST_GROUPS {
            return Some(key);
        }
        let few = |column: &&InferredColumn| {
            matches!(column.kind, ColumnType::Text | ColumnType::Uuid)
                && column.distinct > 1
                && column.distinct * 2 <= table.rows.min(MOST_GROUPS)
        };
        let found = table.columns.iter().find(few);
        found.map(|column| column.name.as_str())
    }

    /// Returns a column with different numbers outside the key: one that was probably measured rather than one of years
    /// or groups, floating-point numbers first, and of whole numbers the one with the most values.
    fn number(&self) -> Option<&InferredColumn> {
        let table = self.table;
        let is_key = |column: &InferredColumn| {
            let mut key = table.partition_key.iter().chain(&table.order_key);
            key.any(|name| *name == column.name)
        };
        let is_floating = |column: &InferredColumn| column.kind.is_floating();
        let is_number = |column: &InferredColumn| column.kind.is_number();
        let columns = table.columns.iter();
        let numbers =
            columns.filter(|column| is_number(column) && column.distinct > 1 && !is_key(column));
        // Of equal ones the first.
        numbers.min_by_key(|column| {
            let many = if is_floating(column) {
                0
            } else {
                column.distinct
            };
            (
                is_like_group(&column.name),
                !is_floating(column),
                u64::MAX - many,
            )
        })
    }

    /// Returns the columns that an answer with rows shows: the key and a few others.
    fn shown(&self) -> String {
        const OTHERS: usize = 4;
        let table = self.table;
        let key: Vec<&str> = { table.partition_key.iter().chain(&table.order_key) }
            .map(String::as_str)
            .filter(|name| !self.is_constant(name))
            .collect();
        let names = table.columns.iter().map(|column| column.name.as_str());
        let is_other = |name: &&str| !key.contains(name) && !self.is_constant(name);
        let others = names.filter(is_other).take(OTHERS);
        let shown: Vec<&str> = key.iter().copied().chain(others).collect();
        shown.join(", ")
    }

    /// Returns whether a column is the same in all rows, since the file does not have it.
    fn is_constant(&self, name: &str) -> bool {
        let mut columns = self.table.columns.iter();
        columns.any(|column| column.name == name && column.constant.is_some())
    }

    /// Returns the condition for a window of time with about so many rows, and its parameter.
    fn within(&self, time: &str, rows: f64) -> (String, String) {
        let is_taken = self
            .table
            .partition_key
            .iter()
            .any(|column| column == "span");
        let name = if is_taken { "period" } else { "span" };
        let window = self.window(rows);
        (
            format!("{time} >= ${{{name}.begin}} AND {time} < ${{{name}.end}}"),
            format!("{name} = {{ window = \"{window}\", column = \"{time}\" }}"),
        )
    }

    /// Returns the shortest window in which there are about so many rows, or the longest within the time of all.
    fn window(&self, rows: f64) -> &'static str {
        let Some(span) = &self.table.span else {
            return "1d";
        };
        let length = span.end.saturating_sub(span.start).max(1) as f64;
        let rows_of = |window: i64| self.table.rows as f64 * (window as f64 / length);
        let mut within = WINDOWS
            .iter()
            .filter(|(_, window)| *window as f64 <= length);
        let enough = within.clone().find(|(_, window)| rows_of(*window) >= rows);
        let longest = within.next_back();
        enough.or(longest).map_or("1h", |(name, _)| *name)
    }
}

/// Returns a function whose answer has the type of its column in every engine.
fn aggregate(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Float | ColumnType::Double => "avg",
        _ => "max",
    }
}
