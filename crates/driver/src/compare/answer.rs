//! Whether two answers are the same.

mod cell;
mod order;

use std::cmp::Ordering;
use std::collections::HashSet;

use arrow::record_batch::RecordBatch;
use bakeoff_workload::Query;

use crate::Expected;
use crate::answer::{Answer, too_large};
use crate::digest::Digest;
pub use cell::{Cell, Row, Rows};
use cell::{describe, exact_order};
use order::Order;

/// Two floats are equal when they differ by no more than this share of the larger one...
const RELATIVE_TOLERANCE: f64 = 1e-9;
/// ...or by this share of the largest value in their column: sums in another order may cancel to
/// almost nothing.
const CANCELLATION_TOLERANCE: f64 = 1e-13;
/// Rows with equal exact cells among which partners are searched one by one.
const GROUP_LIMIT: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// The answers are the same and have this many rows.
    Same { rows: u64 },
    /// Different: how, in words.
    Different(String),
}

/// Distance beyond rounding that floats of an answer may have from the right ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Leeway {
    /// The share of the larger value.
    pub relative: f64,
    /// For each column the absolute difference; columns that are not here have none.
    pub absolute: Vec<f64>,
}

impl Leeway {
    /// Returns how far an answer to a query may be from the right one.
    pub fn of(query: &Query) -> Leeway {
        Leeway {
            relative: query.tolerance.unwrap_or(0.0),
            absolute: Vec::new(),
        }
    }

    /// Returns how far two answers to a query may be from each other, each of which may be that far from the right one.
    pub fn between_two(query: &Query) -> Leeway {
        let Leeway { relative, absolute } = Leeway::of(query);
        Leeway {
            relative: 2.0 * relative,
            absolute,
        }
    }

    /// Returns the larger distance of two for each column.
    pub fn joined(self, other: Leeway) -> Leeway {
        let columns = self.absolute.len().max(other.absolute.len());
        let of =
            |leeway: &Leeway, column: usize| leeway.absolute.get(column).copied().unwrap_or(0.0);
        Leeway {
            relative: self.relative.max(other.relative),
            absolute: (0..columns)
                .map(|column| of(&self, column).max(of(&other, column)))
                .collect(),
        }
    }
}

/// Compares an answer with the right one.
///
/// Rows may come in any order unless the query orders them; then the ordering columns have to
/// agree position by position, and rows that tie may come in any order. Rows tie also if they differ by
/// no more than the floats of two right answers may. Floats may differ by a
/// relative 1e-9; everything else is compared exactly. NaN equals NaN, null equals null.
pub fn compare(expected: &Expected, actual: &[RecordBatch]) -> Comparison {
    compare_with(expected, actual, &Leeway::default())
}

/// Compares as [`compare`] does, but floats may differ by more.
pub fn compare_with(expected: &Expected, actual: &[RecordBatch], leeway: &Leeway) -> Comparison {
    match differ(expected, actual, leeway) {
        Ok(rows) => Comparison::Same { rows },
        Err(difference) => Comparison::Different(difference),
    }
}

/// Compares as [`compare_with`] does, or by digests if either answer is too large to be held: then exactly.
///
/// # Errors
/// They are too large, and a digest says nothing: not all values are only read, or some are of a type that has
/// none.
pub fn compare_answer(
    expected: &Expected,
    actual: &Answer,
    leeway: &Leeway,
) -> Result<Comparison, String> {
    if expected.digest.is_none() && actual.digest.is_none() {
        return Ok(compare_with(expected, &actual.batches, leeway));
    }
    if !expected.only_reads {
        return Err(too_large());
    }
    let digest = |kept: &Option<Digest>, batches: &[RecordBatch]| match kept {
        Some(digest) => Ok(digest.clone()),
        None => Digest::of(batches),
    };
    let right = digest(&expected.digest, &expected.batches)?;
    let ours = digest(&actual.digest, &actual.batches)?;
    Ok(match right.difference(&ours, &expected.order_by) {
        None => Comparison::Same { rows: ours.rows() },
        Some(difference) => Comparison::Different(difference),
    })
}

/// Compares an answer with one written down as text, in order; says how they differ.
pub fn same_text(actual: &Expected, expected: &[Vec<String>]) -> Result<(), String> {
    if actual.digest.is_some() {
        return Err("more rows than can be written down".to_owned());
    }
    let ours = Rows::new(&actual.batches)?;
    let tolerance = Tolerance::of(&ours, &Leeway::default());
    let cell = |text: &String| match text.as_str() {
        "NULL" => Cell::Null,
        text => Cell::Exact(text.to_owned()),
    };
    let right: Vec<Row> = expected
        .iter()
        .map(|row| row.iter().map(cell).collect())
        .collect();
    let equal = |a: &Row, b: &Row| a.len() == b.len() && tolerance.equal_rows(a, b);
    if right.len() != ours.rows.len() {
        return Err(format!(
            "{} rows instead of {}",
            ours.rows.len(),
            right.len()
        ));
    }
    match right.iter().zip(&ours.rows).find(|(a, b)| !equal(a, b)) {
        Some((a, b)) => Err(format!("{} instead of {}", describe(b), describe(a))),
        None => Ok(()),
    }
}

fn differ(expected: &Expected, actual: &[RecordBatch], leeway: &Leeway) -> Result<u64, String> {
    let mut right = Rows::new(&expected.batches)?;
    let mut ours = Rows::new(actual)?;
    let rows = ours.rows.len();
    if right.rows.is_empty() && rows == 0 {
        return Ok(0);
    }
    if right.rows.len() != rows {
        return Err(format!("{rows} rows instead of {}", right.rows.len()));
    }
    if right.width != ours.width {
        return Err(format!("{} columns instead of {}", ours.width, right.width));
    }
    let beyond = Rows::new(expected.beyond.as_slice())?;
    right.rows.extend(beyond.rows);
    align_numbers(&mut right, &mut ours);
    let tolerance = Tolerance::of(&right, leeway);
    let order = Order {
        right: &right.rows,
        ours: &ours.rows,
        columns: &expected.order_by,
        tolerance: &tolerance,
    };
    let last_ties = order.last_ties().map_err(|row| {
        let (a, b) = (describe(&right.rows[row]), describe(&ours.rows[row]));
        format!("row {} in order is {b} instead of {a}", row + 1)
    })?;
    // Which of the rows that tie at the limit are shown is open.
    let settled = match expected.beyond {
        Some(_) => last_ties.min(rows),
        None => rows,
    };
    let right_set = right.rows[..settled].iter().collect();
    same_set(right_set, ours.rows[..settled].iter().collect(), &tolerance)?;
    Ok(rows as u64)
}

/// Distances by which the floats of each column may be apart.
struct Tolerance {
    relative: f64,
    absolute: Vec<f64>,
}

impl Tolerance {
    fn of(right: &Rows, leeway: &Leeway) -> Tolerance {
        let absolute = |column: usize| {
            let more = leeway.absolute.get(column).copied().unwrap_or(0.0);
            more.max(right.largest(column) * CANCELLATION_TOLERANCE)
        };
        Tolerance {
            relative: leeway.relative.max(RELATIVE_TOLERANCE),
            absolute: (0..right.width).map(absolute).collect(),
        }
    }

    fn equal(&self, column: usize, a: &Row, b: &Row) -> bool {
        a[column].equals(&b[column], self.relative, self.absolute[column])
    }

    fn equal_rows(&self, a: &Row, b: &Row) -> bool {
        (0..a.len()).all(|column| self.equal(column, a, b))
    }
}

/// Makes whole numbers floats where the other side has floats, or the two would sort differently.
fn align_numbers(right: &mut Rows, ours: &mut Rows) {
    for column in 0..right.width {
        match (right.has_floats(column), ours.has_floats(column)) {
            (true, false) => ours.make_floats(column),
            (false, true) => right.make_floats(column),
            _ => {}
        }
    }
}

/// Returns whether both hold the same rows in any order.
fn same_set(
    mut right: Vec<&Row>,
    mut ours: Vec<&Row>,
    tolerance: &Tolerance,
) -> Result<(), String> {
    let by_cells = |a: &&Row, b: &&Row| {
        exact_order(a, b).then_with(|| {
            a.iter()
                .zip(b.iter())
                .map(|(x, y)| x.total_order(y))
                .fold(Ordering::Equal, Ordering::then)
        })
    };
    right.sort_by(by_cells);
    ours.sort_by(by_cells);
    let mut start = 0;
    while start < right.len() {
        let group = right[start..]
            .iter()
            .take_while(|row| exact_order(row, right[start]) == Ordering::Equal)
            .count();
        let end = (start + group).min(ours.len());
        same_group(&right[start..start + group], &ours[start..end], tolerance)?;
        start += group;
    }
    Ok(())
}

/// Rows whose exact cells are all equal on the right side: each needs its own partner.
fn same_group(right: &[&Row], ours: &[&Row], tolerance: &Tolerance) -> Result<(), String> {
    let equal = |a: &Row, b: &Row| tolerance.equal_rows(a, b);
    if right.len() == ours.len() && right.iter().zip(ours).all(|(a, b)| equal(a, b)) {
        return Ok(());
    }
    // Floats that differ in their last digits may have been sorted differently.
    let mut taken = HashSet::new();
    for row in right.iter().take(GROUP_LIMIT) {
        let partner = ours
            .iter()
            .take(GROUP_LIMIT)
            .enumerate()
            .position(|(i, other)| !taken.contains(&i) && equal(row, other));
        match partner {
            Some(i) => taken.insert(i),
            None => {
                let near = ours.iter().enumerate().find(|(i, _)| !taken.contains(i));
                return Err(match near {
                    Some((_, other)) => {
                        format!("{} instead of {}", describe(other), describe(row))
                    }
                    None => format!("{} is missing", describe(row)),
                });
            }
        };
    }
    if right.len() > GROUP_LIMIT {
        return Err(format!(
            "more than {GROUP_LIMIT} rows differ only in floats and cannot be matched; \
             add a column that tells them apart"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
