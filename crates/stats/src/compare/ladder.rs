//! Numbers of rows at which the designs of a run are measured, and how many rows such a run needs for a forecast.

use std::fmt;

use serde::Serialize;

/// Number of scales that are chosen, the design's own table included.
const COUNT: u32 = 5;
/// Growth along an axis below which a table stays as it is.
const GROWS: f64 = 1.01;
/// Ratios of neighbouring scales that are chosen.
const RATIOS: [u32; 3] = [2, 3, 4];

/// Number of scales and the ratio of rows between neighbouring ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Ladder {
    /// Number of scales, that of the designs' own tables included.
    pub count: u32,
    /// How many times the rows of the next smaller one each scale has.
    pub ratio: u32,
}

impl Ladder {
    /// Fewest rows of the smallest table that is chosen: below, only fixed costs are seen.
    pub const FEWEST_ROWS: u64 = 1_000;
    /// Fewest scales through which curves of different shape can be distinguished.
    pub const FEWEST: u32 = 4;

    /// The scale of the designs' own tables alone.
    pub const ONE: Ladder = Ladder { count: 1, ratio: 2 };

    /// Chooses scales for a run of this many rows, whose smallest table has at least `fewest` rows and
    /// never less than 1,000. A run that has all rows needs no others, and in one of few rows others
    /// would show nothing.
    ///
    /// A forecast reaches as far beyond the largest scale as that is from the smallest, so the ratio
    /// is the least that reaches the full number of rows with five scales, and at most 4.
    pub fn chosen(rows: u64, full_rows: u64, fewest: u64) -> Ladder {
        if full_rows <= rows {
            return Ladder::ONE;
        }
        let fewest = fewest.max(Ladder::FEWEST_ROWS);
        let growth = full_rows.div_ceil(rows.max(1));
        let reaches = |ratio: &&u32| u64::from(**ratio).pow(COUNT - 1) >= growth;
        let widest = RATIOS
            .iter()
            .find(reaches)
            .unwrap_or(&RATIOS[RATIOS.len() - 1]);
        let narrower = RATIOS.iter().rev().filter(|ratio| *ratio <= widest);
        let mut fitting = narrower.filter_map(|ratio| {
            let count = (Ladder::FEWEST..=COUNT)
                .rev()
                .find(|count| rows / u64::from(*ratio).pow(count - 1) >= fewest)?;
            let ratio = *ratio;
            Some(Ladder { count, ratio })
        });
        fitting.next().unwrap_or(Ladder::ONE)
    }

    /// Returns the rows of the smaller tables in a run of this many rows, the smallest first.
    pub fn smaller_than(self, rows: u64) -> Vec<u64> {
        let powers = (1..self.count)
            .rev()
            .map(|step| u64::from(self.ratio).checked_pow(step));
        let sizes = powers.map(|power| power.map_or(0, |power| rows / power));
        sizes.filter(|size| *size > 0 && *size < rows).collect()
    }

    /// Returns what the largest table is divided by in the smaller ones, the largest first.
    pub fn divided(self) -> impl Iterator<Item = u32> {
        (1..self.count).map_while(move |step| self.ratio.checked_pow(step))
    }

    /// Returns whether a run of this many rows, with these scales, shows how figures grow up to `target` rows, if
    /// only tables of at least `fewest` rows count.
    fn reaches(self, rows: u64, target: u64, fewest: u64) -> bool {
        let mut counted = self.smaller_than(rows);
        counted.retain(|size| *size >= fewest);
        counted.push(rows);
        let span = rows as f64 / counted[0].max(1) as f64;
        counted.len() >= Ladder::FEWEST as usize && target as f64 <= rows as f64 * span
    }

    /// Returns the fewest rows, in two digits, from which a run that chooses its scales by itself shows how figures grow
    /// to `full_rows`, and no more than these, if only tables of at least `fewest` rows count. `growth` returns by how
    /// many times each axis of the table grows from a number of rows, if the smaller tables are along the axes.
    pub fn rows_to_forecast(
        full_rows: u64,
        fewest: u64,
        growth: impl Fn(u64) -> Option<[f64; 2]>,
    ) -> u64 {
        let reaches = |rows: u64, target: u64| {
            Ladder::chosen(rows, target, fewest).reaches(rows, target, fewest)
        };
        let along = |rows: u64, times: f64| (rows as f64 * times).ceil() as u64;
        let are_enough = |rows: &u64| match growth(*rows) {
            None => reaches(*rows, full_rows),
            Some(axes) => axes
                .into_iter()
                .all(|times| times < GROWS || reaches(*rows, along(*rows, times))),
        };
        let mut fewer = two_digits().take_while(|rows| *rows < full_rows);
        fewer.find(are_enough).unwrap_or(full_rows)
    }

    /// Returns the rows of all scales together, as a multiple of those of the largest.
    pub fn work(self) -> f64 {
        let shares = (0..self.count).map(|step| f64::from(self.ratio).powf(-f64::from(step)));
        shares.sum()
    }
}

/// Rows to load so that there is a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ToLoad {
    pub rows: u64,
    /// Scales to ask for; `None` if a run chooses them by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Ladder>,
    /// Rows of the data, if they are known and too few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<u64>,
}

/// What a run has to have so that there are forecasts.
#[derive(Debug, Clone, Copy)]
pub struct ForecastNeeds {
    /// Rows of the workload at full scale, by which a run chooses its scales.
    pub full_rows: u64,
    /// Rows that the smallest table of a run must have, for the design that needs the most.
    pub fewest_of_run: u64,
    /// Rows below which a table shows nothing of the figure to forecast.
    pub fewest: u64,
    /// Rows that a run must have, whatever it forecasts.
    pub least: u64,
    /// Rows of the data, if it is known where they end.
    pub there: Option<u64>,
}

impl ForecastNeeds {
    /// Returns the fewest rows, in two digits, from which `target` rows can be forecast, and no more than these.
    pub fn to_load(self, target: u64) -> ToLoad {
        let fewest = self.fewest.max(self.fewest_of_run);
        let reaches = |rows: &u64| self.widest(*rows, target).reaches(*rows, target, fewest);
        let rows = two_digits().take_while(|rows| *rows < target);
        let rows = { rows.filter(|rows| *rows >= self.least) }.find(reaches);
        let rows = rows.unwrap_or(target);
        let by_itself = Ladder::chosen(rows, self.full_rows, self.fewest_of_run);
        let asked = self.widest(rows, target);
        let ladder = Some(asked).filter(|asked| rows < target && *asked != by_itself);
        ToLoad {
            rows,
            ladder,
            there: self.there.filter(|there| *there < rows),
        }
    }

    /// Returns the scales with which a run of this many rows reaches as far as possible, to be asked for.
    pub fn widest(self, rows: u64, target: u64) -> Ladder {
        Ladder::chosen(rows, target.max(self.full_rows), self.fewest_of_run)
    }
}

/// Numbers with two digits and then zeros, from 1,000.
fn two_digits() -> impl Iterator<Item = u64> {
    let steps = (2..18).map(|zeros| 10u64.pow(zeros));
    steps.flat_map(|step| (10..100).map(move |digits| digits * step))
}

impl fmt::Display for Ladder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.count, self.ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(count: u32, ratio: u32) -> Ladder {
        Ladder { count, ratio }
    }

    #[test]
    fn five_scales_reach_the_full_number_of_rows_where_they_can() {
        assert_eq!(Ladder::chosen(1_000_000, 2_000_000, 0), ladder(5, 2));
        assert_eq!(Ladder::chosen(1_000_000, 16_000_000, 0), ladder(5, 2));
        assert_eq!(Ladder::chosen(1_000_000, 17_000_000, 0), ladder(5, 3));
        assert_eq!(Ladder::chosen(1_000_000, 100_000_000, 0), ladder(5, 4));
        assert_eq!(Ladder::chosen(1_000_000, u64::MAX, 0), ladder(5, 4));
    }

    #[test]
    fn few_rows_make_fewer_and_closer_scales_and_then_none() {
        assert_eq!(Ladder::chosen(64_000, u64::MAX, 0), ladder(4, 4));
        assert_eq!(Ladder::chosen(63_000, u64::MAX, 0), ladder(4, 3));
        assert_eq!(Ladder::chosen(16_000, u64::MAX, 0), ladder(5, 2));
        assert_eq!(Ladder::chosen(8_000, u64::MAX, 0), ladder(4, 2));
        assert_eq!(Ladder::chosen(7_999, u64::MAX, 0), Ladder::ONE);
        assert_eq!(Ladder::chosen(0, u64::MAX, 0), Ladder::ONE);
    }

    #[test]
    fn the_smallest_table_is_as_large_as_it_has_to_be() {
        assert_eq!(Ladder::chosen(800_000, u64::MAX, 100_000), ladder(4, 2));
        assert_eq!(Ladder::chosen(799_999, u64::MAX, 100_000), Ladder::ONE);
    }

    #[test]
    fn a_run_of_all_rows_needs_no_smaller_tables() {
        assert_eq!(Ladder::chosen(100_000, 100_000, 0), Ladder::ONE);
        assert!(Ladder::ONE.smaller_than(100_000).is_empty());
    }

    #[test]
    fn smaller_tables_have_the_first_rows_and_no_table_is_empty() {
        assert_eq!(ladder(4, 2).smaller_than(100), [12, 25, 50]);
        assert_eq!(ladder(5, 4).smaller_than(20), [1, 5]);
        assert_eq!(ladder(100, 1_000).smaller_than(5_000), [5]);
    }

    #[test]
    fn the_work_of_all_scales_is_a_geometric_sum() {
        assert_eq!(Ladder::ONE.work(), 1.0);
        assert_eq!(ladder(3, 2).work(), 1.75);
    }

    #[test]
    fn the_rows_to_load_are_enough_and_hardly_fewer_would_be() {
        for (full_rows, fewest_of_run, fewest, rows) in [
            (4_160_000, 0, 0, 81_000),
            (4_160_000, 131_072, 131_072, 1_100_000),
            (4_160_000, 131_072, 500_000, 4_000_000),
            (1_000_000_000, 0, 0, 4_000_000),
            (9_000, 0, 0, 8_000),
        ] {
            let needs = ForecastNeeds {
                full_rows,
                fewest_of_run,
                fewest,
                least: 0,
                there: None,
            };
            let found = needs.to_load(full_rows);
            assert_eq!(
                found,
                ToLoad {
                    rows,
                    ladder: None,
                    there: None
                },
                "{needs:?}"
            );
        }
    }

    #[test]
    fn more_series_take_as_many_rows_as_their_smaller_tables_reach() {
        let first = |full_rows, fewest| Ladder::rows_to_forecast(full_rows, fewest, |_| None);
        assert_eq!(first(4_160_000, 131_072), 1_100_000);
        assert_eq!(first(1_000_000_000, 0), 4_000_000);
        assert_eq!(first(9_000, 0), 8_000);
        assert_eq!(first(900, 0), 900);
        let full_rows = 655_000_000_u64;
        let along = |series: f64| {
            let growth = |rows: u64| Some([series, full_rows as f64 / rows as f64 / series]);
            Ladder::rows_to_forecast(full_rows, 131_072, growth)
        };
        // A 27th of these rows is enough for a table, and shows 20 times the series.
        assert_eq!(along(20.0), 3_600_000);
        // Nothing shows that many.
        assert_eq!(along(1_000.0), full_rows);
    }

    #[test]
    fn the_tables_of_a_run_of_the_rows_to_load_reach_the_target() {
        let needs = |full_rows, fewest| ForecastNeeds {
            full_rows,
            fewest_of_run: fewest,
            fewest,
            least: 0,
            there: None,
        };
        for full_rows in [50_000, 777_777, 4_160_000, 90_000_000] {
            for fewest in [0, 3_000, 131_072] {
                let needs = needs(full_rows, fewest);
                let load = needs.to_load(full_rows);
                let ladder = Ladder::chosen(load.rows, full_rows, fewest);
                let is_enough = ladder.reaches(load.rows, full_rows, fewest);
                assert!(is_enough || load.rows == full_rows, "{needs:?}: {load:?}");
            }
        }
    }

    #[test]
    fn scales_that_a_run_would_not_choose_are_named() {
        let needs = ForecastNeeds {
            full_rows: 1_000_000,
            fewest_of_run: 0,
            fewest: 0,
            least: 0,
            there: None,
        };
        // By itself a run chooses scales for its workload's million rows.
        let load = needs.to_load(250_000_000);
        let ladder = Some(ladder(5, 4));
        assert_eq!(
            load,
            ToLoad {
                rows: 980_000,
                ladder,
                there: None
            }
        );
        assert_eq!(needs.to_load(1_000_000).ladder, None);
    }

    #[test]
    fn more_rows_than_the_data_has_are_said_to_be_missing() {
        let needs = ForecastNeeds {
            full_rows: 4_160_000,
            fewest_of_run: 0,
            fewest: 0,
            least: 0,
            there: Some(6),
        };
        assert_eq!(needs.to_load(4_160_000).there, Some(6));
        let there = Some(90_000);
        assert_eq!(
            ForecastNeeds { there, ..needs }.to_load(4_160_000).there,
            None
        );
    }
}
