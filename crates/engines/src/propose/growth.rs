//! How a table grows from its first rows to all rows, which the rules are about.

use bakeoff_workload::source::GrownFrom;
use bakeoff_workload::{Growth, Scale, Table};

use crate::advice::Sample;

/// Returns how many rows are read, of these at most: those of a sample that gets further series, which would look like
/// series that keep coming.
pub fn rows_to_read(most: u64, sample: Option<GrownFrom>) -> u64 {
    match sample {
        Some(sample) if sample.growth.series > 1.0 => most.min(sample.rows),
        _ => most,
    }
}

/// Returns whether so many first rows are a whole sample that gets further series, each of which is one of its own
/// again.
pub fn shows_all_series(read: u64, sample: Option<GrownFrom>) -> bool {
    sample.is_some_and(|sample| is_along_series(sample) && read == sample.rows)
}

/// Returns how the first rows grow to all rows, if the workload or its sample says along which axes.
pub fn of(scale: &Scale, sample: Option<GrownFrom>) -> Option<Growth> {
    let Some(sample) = sample else {
        return scale.grows;
    };
    let times = |rows: u64| rows as f64 / sample.rows.max(1) as f64;
    let full = times(scale.full_rows).max(1.0);
    let series = match scale.grows {
        // The rows that a run loads have some of the further series already.
        Some(named) => named.series * times(scale.default_rows).clamp(1.0, sample.growth.series),
        None if is_along_series(sample) => full,
        None => sample.growth.series.min(full),
    };
    Some(Growth {
        series,
        time: full / series,
    })
}

/// Returns what is known of a sample and of the whole table, which grows like this.
pub fn whole(table: &Table, sample: GrownFrom, grows: Option<Growth>) -> Sample {
    // What the table has beyond the rows that are made comes as they do.
    let further = grows.map_or(1.0, |grows| grows.time / sample.growth.time.max(1.0));
    Sample {
        length: length_of_all(table, sample).map(|length| length * further),
        partitions: sample.partitions,
    }
}

/// Returns how long all rows are that are made of a sample; `None` if the table does not grow by the first order column.
pub fn length_of_all(table: &Table, sample: GrownFrom) -> Option<f64> {
    let order = table.order_key.first();
    let order = order.and_then(|name| table.column_index(name));
    let is_in_order = order.is_some() && table.time_column() == order;
    { sample.length.filter(|_| is_in_order) }.map(|length| length as f64)
}

fn is_along_series(sample: GrownFrom) -> bool {
    sample.growth.series > 1.0 && sample.growth.time <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::facts;

    fn scale(default_rows: u64, full_rows: u64, grows: Option<(f64, f64)>) -> Scale {
        Scale {
            default_rows,
            full_rows,
            replication: 3,
            users: 1,
            cores: 8,
            questions_per_second: None,
            rows_per_second: None,
            grows: grows.map(|(series, time)| Growth { series, time }),
        }
    }

    /// A sample of a thousand rows.
    fn sample(series: f64, time: f64) -> Option<GrownFrom> {
        Some(GrownFrom {
            rows: 1_000,
            growth: Growth { series, time },
            // Its last rows are closer to each other than its first ones.
            length: Some((12_000.0 * time) as i64),
            partitions: None,
        })
    }

    /// How many times as many series, and as long a time, there are.
    fn grown(scale: &Scale, sample: Option<GrownFrom>) -> Option<(f64, f64)> {
        of(scale, sample).map(|growth| (growth.series, growth.time))
    }

    #[test]
    fn a_sample_says_how_the_table_grows_unless_the_workload_does() {
        let all = scale(40_000, 40_000, None);
        assert_eq!(grown(&all, None), None);
        assert_eq!(grown(&all, sample(40.0, 1.0)), Some((40.0, 1.0)));
        assert_eq!(grown(&all, sample(1.0, 40.0)), Some((1.0, 40.0)));
        assert_eq!(grown(&all, sample(8.0, 5.0)), Some((8.0, 5.0)));
        // What the table has beyond the rows that are made is along the same axis, or else along time.
        let more = scale(40_000, 80_000, None);
        assert_eq!(grown(&more, sample(40.0, 1.0)), Some((80.0, 1.0)));
        assert_eq!(grown(&more, sample(8.0, 5.0)), Some((8.0, 10.0)));
        // A run loads the sample ten times, which has ten times the series, and these grow four times.
        let named = scale(10_000, 40_000, Some((4.0, 1.0)));
        assert_eq!(grown(&named, None), Some((4.0, 1.0)));
        assert_eq!(grown(&named, sample(40.0, 1.0)), Some((40.0, 1.0)));
        let within = scale(500, 40_000, Some((40.0, 2.0)));
        assert_eq!(grown(&within, sample(40.0, 1.0)), Some((40.0, 1.0)));
    }

    #[test]
    fn a_table_is_as_long_as_the_times_of_its_rows_tell_in_the_order_key() {
        let mut table = facts().table;
        let sample = sample(2.0, 3.0).unwrap();
        let grows = of(&scale(6_000, 6_000, None), Some(sample));
        assert_eq!(whole(&table, sample, grows).length, Some(36_000.0));
        assert_eq!(length_of_all(&table, sample), Some(36_000.0));
        // It has twice as many rows as are made.
        let grows = of(&scale(6_000, 12_000, None), Some(sample));
        assert_eq!(whole(&table, sample, grows).length, Some(72_000.0));
        // The time by which it grows is another column.
        table.order_key = vec!["value".to_owned()];
        assert_eq!(whole(&table, sample, grows).length, None);
        table.order_key.clear();
        assert_eq!(whole(&table, sample, grows).length, None);
    }

    #[test]
    fn of_a_sample_that_gets_series_only_its_own_rows_are_read() {
        assert_eq!(rows_to_read(65_536, None), 65_536);
        assert_eq!(rows_to_read(65_536, sample(1.0, 9.0)), 65_536);
        assert_eq!(rows_to_read(65_536, sample(9.0, 2.0)), 1_000);
        assert_eq!(rows_to_read(500, sample(9.0, 1.0)), 500);
        assert!(shows_all_series(1_000, sample(9.0, 1.0)));
        assert!(!shows_all_series(500, sample(9.0, 1.0)));
        assert!(!shows_all_series(1_000, sample(9.0, 2.0)));
        assert!(!shows_all_series(1_000, None));
    }
}
