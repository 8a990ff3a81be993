//! Number of rows that figures at full scale are for.

use super::Summary;
use crate::thousands;

/// The full scale of a workload is that of its data if the data ends no further below it than this share. A file has
/// fewer rows than lines where some are set aside, and nobody can load what is not there.
const MOST_MISSING: f64 = 0.05;

impl Summary {
    /// Returns the rows at full scale: those of the workload, or those that were loaded where these are all that the
    /// data has, and a few less than the workload says.
    pub fn full_rows(&self) -> u64 {
        if self.has_all_rows {
            self.full_rows_of(self.rows)
        } else {
            self.header.scale.full_rows
        }
    }

    /// Returns the rows at full scale of data that has so many rows in all: those of the workload, or these if they are a
    /// few less.
    pub fn full_rows_of(&self, there: u64) -> u64 {
        let stated = self.header.scale.full_rows;
        let missing = stated.saturating_sub(there);
        if missing as f64 <= MOST_MISSING * stated as f64 {
            stated.min(there)
        } else {
            stated
        }
    }

    /// Returns the rows of the data, if it is known where they end.
    pub fn rows_there(&self) -> Option<u64> {
        match self.rows_left {
            _ if self.has_all_rows => Some(self.rows),
            Some(left) => left.of.filter(|_| left.counted),
            None => None,
        }
    }

    /// Says that the rows at full scale are those of the data, where the workload names a few more.
    pub fn full_rows_in_words(&self) -> Option<String> {
        self.lacks_few_rows().then(|| {
            format!(
                "all {} rows of the data were loaded and count as the full scale: `full_rows` of the workload is {}",
                thousands(self.rows),
                thousands(self.header.scale.full_rows)
            )
        })
    }

    fn lacks_few_rows(&self) -> bool {
        self.full_rows() < self.header.scale.full_rows
    }
}

#[cfg(test)]
mod tests {
    use crate::RowsLeft;
    use crate::compare::summary::growth::tests::{Ladder, ROWS};
    use crate::compare::{Record, Summary};

    /// Run of all rows that the data has, which says that its full scale is this many.
    fn run(full_rows: u64, is_all: bool) -> Summary {
        let mut ladder = Ladder::of(&ROWS);
        ladder.scans("a/x", |rows, _| 1e-6 * rows as f64);
        ladder.scans("a/y", |rows, _| 2e-6 * rows as f64);
        ladder.unit_rows = Some(1_000_000);
        ladder.full_rows = full_rows;
        ladder.add(Record::LoadingDone {
            rows: ROWS[4],
            left: None,
            is_all,
        });
        ladder.summary()
    }

    #[test]
    fn data_that_lacks_a_few_rows_of_the_full_scale_is_the_full_scale() {
        let summary = run(ROWS[4] + 4, true);
        assert_eq!(summary.full_rows(), ROWS[4]);
        let decision = summary.decision.as_ref().unwrap();
        assert_eq!(decision.no_forecast, None);
        assert_eq!(decision.full_rows, ROWS[4]);
        assert_eq!(decision.recommended().unwrap().id, "a/x");
        assert_eq!(summary.forecast.as_ref().unwrap().rows, ROWS[4]);
        assert_eq!(
            summary.full_rows_in_words().unwrap(),
            "all 1,024,000 rows of the data were loaded and count as the full scale: `full_rows` of the workload is \
             1,024,004"
        );
    }

    #[test]
    fn data_that_ends_far_below_the_full_scale_or_goes_on_is_not() {
        for (full_rows, is_all) in [(ROWS[4] + 4, false), (ROWS[4] / 10 * 11, true)] {
            let summary = run(full_rows, is_all);
            assert_eq!(summary.full_rows(), full_rows);
            assert_eq!(summary.full_rows_in_words(), None);
            let reason = summary.decision.unwrap().no_forecast.unwrap();
            assert!(reason.contains("are too few to forecast"), "{reason}");
        }
        // Data that was not loaded as a whole may be known to end there.
        let mut part = run(2_000_000, false);
        let of = |there: u64| part.full_rows_of(there);
        assert_eq!([of(1_800_000), of(1_900_000)], [2_000_000, 1_900_000]);
        assert_eq!([of(2_000_000), of(3_000_000)], [2_000_000, 2_000_000]);
        assert_eq!(part.rows_there(), None);
        for (counted, there) in [(true, Some(1_900_000)), (false, None)] {
            part.rows_left = Some(RowsLeft {
                of: Some(1_900_000),
                counted,
                by_budget: true,
            });
            assert_eq!(part.rows_there(), there);
        }
        let whole = run(ROWS[4], true);
        assert_eq!(whole.rows_there(), Some(ROWS[4]));
        assert_eq!(whole.full_rows(), ROWS[4]);
        assert_eq!(whole.full_rows_in_words(), None);
    }
}
