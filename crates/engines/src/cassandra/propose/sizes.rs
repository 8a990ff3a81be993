//! How large a partition may be, and the bucket that keeps it so.

use bakeoff_workload::ColumnType;

use crate::advice::{Facts, Width, at_least, at_most};

pub const MIB: f64 = (1 << 20) as f64;
/// Bytes of a partition from which on it is a problem.
pub const LARGE: f64 = 100.0 * MIB;
/// Bytes up to which a partition is comfortable.
pub const COMFORTABLE: f64 = 10.0 * MIB;
/// Rows of a partition from which on it is a problem.
pub const MANY_ROWS: f64 = 100_000.0;

/// Returns whether a partition of the whole table would be too large, as far as that is known.
pub fn is_too_large(facts: &Facts) -> bool {
    let is_over = |figure: Option<f64>, most| figure.is_some_and(|figure| figure > most);
    is_over(facts.partition_bytes(), LARGE) || is_over(facts.partition_rows(), MANY_ROWS)
}

/// Returns the widest round bucket with which partitions have at most so many bytes and [`MANY_ROWS`]; `None` if the
/// order key cannot be divided, or nothing is known of the rows.
pub fn bucket(facts: &Facts, bytes: f64) -> Option<Width> {
    let column = facts.divided_column()?;
    let rows = facts.rows.as_ref()?;
    let most = (bytes / rows.row_bytes.max(1.0)).min(MANY_ROWS);
    at_most(column.kind, most * rows.step?)
}

/// Returns the widest round bucket in which one series has at most [`MANY_ROWS`], by the milliseconds from one row to
/// the next, or the narrowest one if rows are too dense for any.
pub fn bucket_of_one_series(step: f64) -> Option<String> {
    let widest = at_most(ColumnType::Timestamp, MANY_ROWS * step);
    let bucket = widest.or_else(|| at_least(ColumnType::Timestamp, 0.0));
    bucket.map(|width| width.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_series_has_buckets_of_few_rows() {
        let bucket = bucket_of_one_series;
        assert_eq!(bucket(1_000.0).as_deref(), Some("1d"));
        assert_eq!(bucket(60_000.0).as_deref(), Some("30d"));
        assert_eq!(bucket(86_400_000.0).as_deref(), Some("365d"));
        assert_eq!(bucket(0.1).as_deref(), Some("1m"));
    }
}
