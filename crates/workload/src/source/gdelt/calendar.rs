//! Month and day of an event.

use crate::Stream;

const FIRST_YEAR: i32 = 1979;
/// Number of months, from 1979-01 on.
pub const MONTHS: usize = 72;

/// Mean number of events per month in each year, in thousands; 4.16 million in all.
const YEARS: [f64; 6] = [41.8, 42.9, 44.7, 60.0, 72.0, 85.5];

/// Ratios of the months to their year's mean.
const SEASONS: [f64; 12] = [
    1.01, 0.93, 1.03, 1.0, 1.02, 0.99, 0.98, 0.97, 1.01, 1.04, 1.0083, 1.0117,
];

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Date {
    pub year: i32,
    /// Month, 1..=12.
    pub month: i32,
    /// Day, 1..=31.
    pub day: i32,
}

impl Date {
    /// Returns the date as a number such as 19801231.
    pub fn number(self) -> i32 {
        self.month_year() * 100 + self.day
    }

    /// Returns year and month as a number such as 198012.
    pub fn month_year(self) -> i32 {
        self.year * 100 + self.month
    }

    /// Returns the date as a fraction such as 1980.989: months count 30 days and years 365, to four
    /// decimals.
    pub fn fraction(self) -> f64 {
        let days = f64::from((self.month - 1) * 30 + self.day);
        ((f64::from(self.year) + days / 365.0) * 1e4).round() / 1e4
    }
}

/// The months' shares of all events, laid end to end over 0..2^64.
#[derive(Debug)]
pub struct Calendar {
    month_ends: [u64; MONTHS],
}

impl Calendar {
    pub fn new() -> Self {
        let events = |month: usize| YEARS[month / 12] * SEASONS[month % 12];
        let total: f64 = (0..MONTHS).map(events).sum();
        let mut sum = 0.0;
        let month_ends = std::array::from_fn(|month| {
            sum += events(month);
            (sum / total * 2.0_f64.powi(64)) as u64
        });
        Calendar { month_ends }
    }

    /// Draws the date of story `story`. The golden-ratio sequence visits every month in proportion
    /// to its share in any stretch of stories; the day is random.
    pub fn date(&self, seed: u64, story: u64, stream: &mut Stream) -> Date {
        let offset = Stream::new(&[seed]).next_u64();
        let point = story
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(offset);
        let months = self
            .month_ends
            .partition_point(|end| *end <= point)
            .min(MONTHS - 1) as i32;
        let (year, month) = (FIRST_YEAR + months / 12, months % 12 + 1);
        Date {
            year,
            month,
            day: 1 + stream.below(days(year, month)) as i32,
        }
    }
}

fn days(year: i32, month: i32) -> u64 {
    match month {
        2 if year % 4 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn numbers_of_a_date_are_those_of_gdelt() {
        let date = Date {
            year: 1982,
            month: 12,
            day: 31,
        };
        assert_eq!(
            (date.number(), date.month_year(), date.fraction()),
            (19821231, 198212, 1982.989)
        );
        assert_eq!(
            Date {
                year: 1982,
                month: 1,
                day: 2
            }
            .fraction(),
            1982.0055
        );
    }

    #[test]
    fn any_stretch_of_stories_has_every_month_in_proportion() {
        let calendar = Calendar::new();
        for first in [0, 1_000_000, u64::MAX - 2_000] {
            let mut months = HashMap::new();
            for story in first..first + 2_000 {
                let date = calendar.date(7, story, &mut Stream::new(&[story]));
                *months.entry(date.month_year()).or_insert(0) += 1;
            }
            assert_eq!(months.len(), MONTHS);
            // 43.4 thousand of 4.16 million events are 20.9 stories; the sequence strays by two.
            assert!((19..=23).contains(&months[&198012]), "{months:?}");
        }
    }
}
