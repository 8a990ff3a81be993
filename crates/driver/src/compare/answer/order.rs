//! Order: which rows tie, and whether the ordering columns agree.

use std::ops::Range;

use super::Tolerance;
use super::cell::Row;

/// Two answers of the same length that are ordered by the same columns. The right one may have a row
/// more, which a LIMIT cut off.
pub struct Order<'a> {
    pub right: &'a [Row],
    pub ours: &'a [Row],
    pub columns: &'a [usize],
    pub tolerance: &'a Tolerance,
}

impl Order<'_> {
    /// Returns where the rows begin that tie with the last one of the right answer.
    ///
    /// # Errors
    /// The row of our answer that is not in its place.
    pub fn last_ties(&self) -> Result<usize, usize> {
        self.ties(0..self.right.len(), self.columns)
    }

    /// Returns where the last tie begins among rows that tie in the columns before these.
    ///
    /// An engine that sums in another order sees other last digits, and so another order: rows whose
    /// floats are nearly equal, and not exactly, tie whatever the columns after that one say.
    fn ties(&self, rows: Range<usize>, columns: &[usize]) -> Result<usize, usize> {
        let Some((column, others)) = columns.split_first() else {
            return Ok(rows.start);
        };
        let (mut begin, mut last) = (rows.start, rows.start);
        while begin < rows.end {
            let run = begin..self.end_of_run(begin, rows.end, *column);
            self.agree(run.clone(), *column)?;
            last = begin;
            if self.is_exact(run.clone(), *column) {
                last = self.ties(run.clone(), others)?;
            }
            begin = run.end;
        }
        Ok(last)
    }

    /// Returns the end of the rows from `begin` of which each nearly equals the one before it.
    fn end_of_run(&self, begin: usize, end: usize, column: usize) -> usize {
        let pairs = self.right[begin..end].windows(2);
        let near = pairs.take_while(|pair| self.tolerance.equal(column, &pair[0], &pair[1]));
        begin + near.count() + 1
    }

    fn agree(&self, rows: Range<usize>, column: usize) -> Result<(), usize> {
        let mut ours = rows.start..rows.end.min(self.ours.len());
        let is_other = |row: &usize| {
            let (right, ours) = (&self.right[*row], &self.ours[*row]);
            !self.tolerance.equal(column, right, ours)
        };
        ours.find(is_other).map_or(Ok(()), Err)
    }

    /// Returns whether each answer has one and the same value in these rows, to the last digit.
    fn is_exact(&self, rows: Range<usize>, column: usize) -> bool {
        let all_same = |rows: &[Row]| {
            let mut pairs = rows.windows(2);
            pairs.all(|pair| pair[0][column].is_exactly(&pair[1][column]))
        };
        let ours = rows.start.min(self.ours.len())..rows.end.min(self.ours.len());
        all_same(&self.right[rows]) && all_same(&self.ours[ours])
    }
}
