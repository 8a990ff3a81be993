//! Smaller tables along the axes of growth: a share of the series each, a part of the time each, and one
//! that is smaller along both.

use bakeoff_stats::Ladder;
use bakeoff_workload::Growth;

/// Growth along an axis below which it stays as it is.
const SAME: f64 = 1.01;

/// Scales along each axis that grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Star {
    series: Ladder,
    time: Ladder,
    /// Divisors of series and time of the table that is smaller along both.
    corner: Option<(u32, u32)>,
}

impl Star {
    /// Chooses the scales of a run of this many rows that grows like this. `asked` are those along each
    /// axis; otherwise they reach as far as the growth, with no table smaller than the designs need
    /// that can be forecast from this number of rows at all.
    pub fn chosen(asked: Option<Ladder>, growth: Growth, rows: u64, fewest: &[u64]) -> Star {
        let halvings = 2u64.pow(Ladder::FEWEST - 1);
        let possible = fewest.iter().filter(|fewest| **fewest * halvings <= rows);
        let fewest = possible.max().copied().unwrap_or(0);
        let along = |times: f64| {
            if times < SAME {
                return Ladder::ONE;
            }
            asked.unwrap_or_else(|| {
                let full_rows = (rows as f64 * times).ceil() as u64;
                Ladder::chosen(rows, full_rows, fewest)
            })
        };
        let (series, time) = (along(growth.series), along(growth.time));
        Star {
            series,
            time,
            corner: corner(series, time, rows, fewest),
        }
    }

    /// Returns what series and time are divided by in each table, the largest share first.
    pub fn divided(&self) -> Vec<(u32, u32)> {
        let series = self.series.divided().map(|by| (by, 1));
        let time = self.time.divided().map(|by| (1, by));
        series.chain(time).chain(self.corner).collect()
    }

    /// Returns the rows of all tables together, as a multiple of those of the largest.
    pub fn work(&self) -> f64 {
        let share = |(series, time): &(u32, u32)| 1.0 / f64::from(*series) / f64::from(*time);
        1.0 + self.divided().iter().map(share).sum::<f64>()
    }
}

/// Goes down both axes in turn as long as enough rows are left: the further the table is from both, the
/// more it tells about what grows with both.
fn corner(series: Ladder, time: Ladder, rows: u64, fewest: u64) -> Option<(u32, u32)> {
    let of_series: Vec<u32> = series.divided().collect();
    let of_time: Vec<u32> = time.divided().collect();
    let steps = 0..of_series.len() + of_time.len();
    let mut corners = steps.filter_map(|step| {
        let (series, time) = (*of_series.get(step.div_ceil(2))?, *of_time.get(step / 2)?);
        let left = rows / u64::from(series) / u64::from(time);
        (step == 0 || left >= fewest.max(Ladder::FEWEST_ROWS)).then_some((series, time))
    });
    corners.next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(series: f64, time: f64) -> Growth {
        Growth { series, time }
    }

    #[test]
    fn each_axis_that_grows_has_scales_that_reach_as_far() {
        let star = Star::chosen(None, growth(40.0, 3.0), 10_000_000, &[]);
        assert_eq!((star.series.count, star.series.ratio), (5, 3));
        assert_eq!((star.time.count, star.time.ratio), (5, 2));
        let series = Star::chosen(None, growth(40.0, 1.0), 10_000_000, &[]);
        assert_eq!(series.divided(), [(3, 1), (9, 1), (27, 1), (81, 1)]);
        let time = Star::chosen(None, growth(0.5, 2.0), 10_000_000, &[]);
        assert_eq!(time.divided(), [(1, 2), (1, 4), (1, 8), (1, 16)]);
    }

    #[test]
    fn a_design_that_can_be_forecast_decides_how_small_the_tables_are() {
        // 65,536 rows fit into an eighth of the rows, 262,144 do not.
        let star = Star::chosen(None, growth(40.0, 3.0), 864_000, &[0, 65_536, 262_144]);
        let divided = star.divided();
        let along = [(2, 1), (4, 1), (8, 1), (1, 2), (1, 4), (1, 8), (4, 2)];
        assert_eq!(divided, along);
        assert!((star.work() - 2.875).abs() < 1e-12, "{}", star.work());
    }

    #[test]
    fn scales_that_are_asked_for_are_those_of_both_axes() {
        let asked = Ladder { count: 3, ratio: 4 };
        let star = Star::chosen(Some(asked), growth(40.0, 3.0), 1_000, &[]);
        assert_eq!(
            star.divided(),
            [(4, 1), (16, 1), (1, 4), (1, 16), (4, 4)],
            "the corner has few rows, but there is one"
        );
    }

    #[test]
    fn what_does_not_grow_or_has_few_rows_has_no_tables() {
        let none = Star::chosen(None, growth(1.0, 1.0), 1_000_000, &[]);
        assert!(none.divided().is_empty());
        assert_eq!(none.work(), 1.0);
        let few = Star::chosen(None, growth(40.0, 3.0), 7_000, &[]);
        assert!(few.divided().is_empty());
    }
}
