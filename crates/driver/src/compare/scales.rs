//! Numbers of rows at which the designs of a run are measured.

/// Number of scales that are chosen, the design's own table included.
const COUNT: u32 = 5;
/// Ratios of neighbouring scales that are chosen.
const RATIOS: [u32; 3] = [2, 3, 4];

/// Number of scales and the ratio of rows between neighbouring ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scales {
    /// Number of scales, that of the designs' own tables included.
    pub count: u32,
    /// How many times the rows of the next smaller one each scale has.
    pub ratio: u32,
}

impl Scales {
    /// Fewest rows of the smallest table that is chosen: below, only fixed costs are seen.
    pub(super) const FEWEST_ROWS: u64 = 1_000;
    /// Fewest scales through which curves of different shape can be distinguished.
    pub(super) const FEWEST: u32 = 4;

    /// The scale of the designs' own tables alone.
    pub const ONE: Scales = Scales { count: 1, ratio: 2 };

    /// Chooses scales for a run of this many rows, whose smallest table has at least `fewest` rows and
    /// never less than 1,000. A run that has all rows needs no others, and in one of few rows others
    /// would show nothing.
    ///
    /// A forecast reaches as far beyond the largest scale as that is from the smallest, so the ratio
    /// is the least that reaches the full number of rows with five scales, and at most 4.
    pub fn chosen(rows: u64, full_rows: u64, fewest: u64) -> Scales {
        if full_rows <= rows {
            return Scales::ONE;
        }
        let fewest = fewest.max(Scales::FEWEST_ROWS);
        let growth = full_rows.div_ceil(rows.max(1));
        let reaches = |ratio: &&u32| u64::from(**ratio).pow(COUNT - 1) >= growth;
        let widest = RATIOS
            .iter()
            .find(reaches)
            .unwrap_or(&RATIOS[RATIOS.len() - 1]);
        let narrower = RATIOS.iter().rev().filter(|ratio| *ratio <= widest);
        let mut fitting = narrower.filter_map(|ratio| {
            let count = (Scales::FEWEST..=COUNT)
                .rev()
                .find(|count| rows / u64::from(*ratio).pow(count - 1) >= fewest)?;
            let ratio = *ratio;
            Some(Scales { count, ratio })
        });
        fitting.next().unwrap_or(Scales::ONE)
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
    pub(super) fn divided(self) -> impl Iterator<Item = u32> {
        (1..self.count).map_while(move |step| self.ratio.checked_pow(step))
    }

    /// Returns the rows of all scales together, as a multiple of those of the largest.
    pub fn work(self) -> f64 {
        let shares = (0..self.count).map(|step| f64::from(self.ratio).powf(-f64::from(step)));
        shares.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scales(count: u32, ratio: u32) -> Scales {
        Scales { count, ratio }
    }

    #[test]
    fn five_scales_reach_the_full_number_of_rows_where_they_can() {
        assert_eq!(Scales::chosen(1_000_000, 2_000_000, 0), scales(5, 2));
        assert_eq!(Scales::chosen(1_000_000, 16_000_000, 0), scales(5, 2));
        assert_eq!(Scales::chosen(1_000_000, 17_000_000, 0), scales(5, 3));
        assert_eq!(Scales::chosen(1_000_000, 100_000_000, 0), scales(5, 4));
        assert_eq!(Scales::chosen(1_000_000, u64::MAX, 0), scales(5, 4));
    }

    #[test]
    fn few_rows_make_fewer_and_closer_scales_and_then_none() {
        assert_eq!(Scales::chosen(64_000, u64::MAX, 0), scales(4, 4));
        assert_eq!(Scales::chosen(63_000, u64::MAX, 0), scales(4, 3));
        assert_eq!(Scales::chosen(16_000, u64::MAX, 0), scales(5, 2));
        assert_eq!(Scales::chosen(8_000, u64::MAX, 0), scales(4, 2));
        assert_eq!(Scales::chosen(7_999, u64::MAX, 0), Scales::ONE);
        assert_eq!(Scales::chosen(0, u64::MAX, 0), Scales::ONE);
    }

    #[test]
    fn the_smallest_table_is_as_large_as_it_has_to_be() {
        assert_eq!(Scales::chosen(800_000, u64::MAX, 100_000), scales(4, 2));
        assert_eq!(Scales::chosen(799_999, u64::MAX, 100_000), Scales::ONE);
    }

    #[test]
    fn a_run_of_all_rows_needs_no_smaller_tables() {
        assert_eq!(Scales::chosen(100_000, 100_000, 0), Scales::ONE);
        assert!(Scales::ONE.smaller_than(100_000).is_empty());
    }

    #[test]
    fn smaller_tables_have_the_first_rows_and_no_table_is_empty() {
        assert_eq!(scales(4, 2).smaller_than(100), [12, 25, 50]);
        assert_eq!(scales(5, 4).smaller_than(20), [1, 5]);
        assert_eq!(scales(100, 1_000).smaller_than(5_000), [5]);
    }

    #[test]
    fn the_work_of_all_scales_is_a_geometric_sum() {
        assert_eq!(Scales::ONE.work(), 1.0);
        assert_eq!(scales(3, 2).work(), 1.75);
    }
}
