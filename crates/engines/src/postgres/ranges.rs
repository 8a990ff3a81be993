//! Ranges of the order key in the SQL of PostgreSQL and TimescaleDB.

use std::fmt;

use bakeoff_workload::ColumnType;

use super::layout::{qualified, quoted};
use crate::ranges::Ranges;

impl Ranges {
    /// Returns the statement that creates the partition of a range unless it exists.
    pub fn partition_statement(&self, schema: &str, table: &str, number: i64) -> String {
        let begin = number.checked_mul(self.width);
        let end = (number.checked_add(1)).and_then(|next| next.checked_mul(self.width));
        let sign = if number < 0 { "before" } else { "from" };
        let name = format!("{sign}_{}", number.unsigned_abs());
        format!(
            "CREATE TABLE IF NOT EXISTS {} PARTITION OF {} FOR VALUES FROM ({}) TO ({})",
            qualified(schema, &name),
            qualified(schema, table),
            self.bound(begin, "MINVALUE"),
            self.bound(end, "MAXVALUE")
        )
    }

    /// Returns the width in the form that TimescaleDB takes.
    pub fn interval(&self) -> String {
        match self.kind {
            ColumnType::Timestamp => format!("INTERVAL '{} milliseconds'", self.width),
            _ => self.width.to_string(),
        }
    }

    /// Returns a bound of a range, or `without` if the bound is beyond the values of the column's type.
    fn bound(&self, value: Option<i64>, without: &str) -> String {
        let held = value.filter(|v| self.kind != ColumnType::Int || i32::try_from(*v).is_ok());
        match (held, self.kind) {
            (None, _) => without.to_owned(),
            (Some(value), ColumnType::Timestamp) => {
                format!("TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * {value}")
            }
            (Some(value), _) => value.to_string(),
        }
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "floor({} / {})", quoted(&self.column), self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(kind: ColumnType, width: i64) -> Ranges {
        Ranges {
            column: "t".to_owned(),
            kind,
            width,
            setting: "width=".to_owned(),
        }
    }

    #[test]
    fn partitions_have_names_and_bounds() {
        let bounds = |kind, width, number| {
            let statement = ranges(kind, width).partition_statement("s", "t", number);
            statement.split_once(" FOR VALUES ").unwrap().1.to_owned()
        };
        assert_eq!(
            ranges(ColumnType::Bigint, 10).partition_statement("s", "t", -2),
            "CREATE TABLE IF NOT EXISTS \"s\".\"before_2\" PARTITION OF \"s\".\"t\" \
             FOR VALUES FROM (-20) TO (-10)"
        );
        assert_eq!(
            bounds(ColumnType::Timestamp, 5, 1),
            "FROM (TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * 5) \
             TO (TIMESTAMP 'epoch' + INTERVAL '1 millisecond' * 10)"
        );
        let last = i64::from(i32::MAX) / 1_000;
        let from_last = bounds(ColumnType::Int, 1_000, last);
        assert_eq!(from_last, "FROM (2147483000) TO (MAXVALUE)");
        let first = i64::MIN.div_euclid(1_000);
        assert!(bounds(ColumnType::Bigint, 1_000, first).starts_with("FROM (MINVALUE) TO (-"));
    }
}
