//! The width of a hypertable's chunks where their number is set.

use std::ops::Range;

use bakeoff_workload::{ColumnType, Table};

use crate::EngineError;
use crate::ranges::Ranges;
use crate::settings::Settings;

const SETTING: &str = "chunks";
/// The highest number of chunks, as with a width that is set.
const MOST: i64 = 1_000;

/// Takes the setting `chunks=`, a number of chunks for the time span of all rows, and returns the ranges that they
/// are; `None` if it is not set.
///
/// # Errors
/// Fails if the number cannot be, the order key does not begin with a timestamp, the time span is not known, or no
/// width gives that number.
pub fn of_number(
    settings: &mut Settings<'_>,
    table: &Table,
    time_span: Option<Range<i64>>,
) -> Result<Option<Ranges>, EngineError> {
    let form = "a number of chunks from 1 to 1000";
    let Some(number) = settings.parsed::<i64>(SETTING, form)? else {
        return Ok(None);
    };
    if !(1..=MOST).contains(&number) {
        return Err(settings.error(format!("{SETTING}={number} is not {form}")));
    }
    if settings.has("chunk") {
        return Err(settings.error(format!(
            "chunk= and {SETTING}= both set the width of chunks: leave one of them out"
        )));
    }
    let column = table.order_key.first().and_then(|name| table.column(name));
    let Some(column) = column.filter(|column| column.kind == ColumnType::Timestamp) else {
        return Err(settings.error(format!(
            "{SETTING}= needs an order key that begins with a timestamp"
        )));
    };
    let Some(time_span) = time_span else {
        return Err(settings.error(format!(
            "{SETTING}= needs the time span of the data, which only the generators devops and iot with `days` \
             state: set the width of a chunk with chunk= instead"
        )));
    };
    let Some(width) = width(&time_span, number) else {
        return Err(settings.error(format!(
            "no width divides the data into exactly {number} chunks, since one chunk has to begin at 1970-01-01: \
             set another {SETTING}=, or the width of a chunk with chunk="
        )));
    };
    Ok(Some(Ranges {
        column: column.name.clone(),
        kind: column.kind,
        width,
        setting: format!("{SETTING}="),
    }))
}

/// Returns the smallest width with which a time span touches exactly `number` ranges, of which one begins at 0; `None`
/// if there is none, or the span is empty or begins before 0.
fn width(span: &Range<i64>, number: i64) -> Option<i64> {
    if span.is_empty() || span.start < 0 {
        return None;
    }
    let least = (span.end - span.start - 1) / number + 1;
    // With `before` whole ranges before the one that the span begins in, that one begins early enough up to a width,
    // and the last range ends late enough from another one on. Fewer ranges before are wider, so the first that fits
    // is the smallest.
    (0..=span.start / least).rev().find_map(|before| {
        let begins_within = span.start / (before + 1) + 1;
        let ends_within = (span.end - 1) / (before + number) + 1;
        let width = begins_within.max(ends_within);
        (ranges_touched(span, width) == number).then_some(width)
    })
}

fn ranges_touched(span: &Range<i64>, width: i64) -> i64 {
    (span.end - 1).div_euclid(width) - span.start.div_euclid(width) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;
    /// 2016-01-01.
    const START: i64 = 16_801 * DAY;

    #[test]
    fn three_days_are_six_chunks_of_twelve_hours() {
        assert_eq!(width(&(START..START + 3 * DAY), 6), Some(12 * HOUR));
        assert_eq!(width(&(START..START + 3 * DAY), 3), Some(DAY));
    }

    #[test]
    fn widths_are_the_smallest_that_give_the_number() {
        for days in [1, 3, 10, 365] {
            let span = START..START + days * DAY;
            for number in [1, 2, 5, 7, 100, 1_000] {
                let found = width(&span, number).unwrap();
                assert_eq!(ranges_touched(&span, found), number, "{days} days");
                assert!(found >= days * DAY / number);
            }
        }
        // All widths are tried where they are few.
        for start in 0..40 {
            for number in 1..8 {
                let span = start..start + 23;
                let tried = (1..200).find(|tried| ranges_touched(&span, *tried) == number);
                assert_eq!(width(&span, number), tried, "{number} from {start}");
            }
        }
    }

    #[test]
    fn what_has_no_width_is_none() {
        // Ranges of 1 are 2, and all wider ones are 1 or 2: there are never 3.
        assert_eq!(width(&(10..12), 3), None);
        assert_eq!(width(&(10..10), 1), None);
        assert_eq!(width(&(-5..5), 1), None);
    }
}
