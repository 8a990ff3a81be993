//! Batch sizes and numbers of workers.

use bakeoff_driver::sweep::Setting;

use crate::cmd::choice::parse_rows;

/// Every batch size with every number of workers, each ascending and once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub batches: Vec<u32>,
    pub workers: Vec<u32>,
}

impl Grid {
    pub fn new(batches: &[u32], workers: &[u32]) -> Grid {
        let sorted = |numbers: &[u32]| {
            let mut numbers = numbers.to_vec();
            numbers.sort_unstable();
            numbers.dedup();
            numbers
        };
        Grid {
            batches: sorted(batches),
            workers: sorted(workers),
        }
    }

    pub fn settings(&self) -> Vec<Setting> {
        let of_batch = |batch: &u32| {
            let batch_rows = u64::from(*batch);
            let setting = move |workers: &u32| Setting {
                batch_rows,
                workers: *workers,
            };
            self.workers.iter().map(setting).collect::<Vec<_>>()
        };
        self.batches.iter().flat_map(of_batch).collect()
    }

    /// What a design warms up with: middling batches, and about the workers that keep it busy.
    pub fn middle(&self) -> Option<Setting> {
        let middle = |numbers: &[u32]| numbers.get(numbers.len() / 2).copied();
        Some(Setting {
            batch_rows: u64::from(middle(&self.batches)?),
            workers: middle(&self.workers)?,
        })
    }
}

/// A number from 1 on, such as `100` or `10k`.
pub fn parse_number(text: &str, most: u32) -> Result<u32, String> {
    let number = parse_rows(text.trim()).ok();
    let number = number.and_then(|n| u32::try_from(n).ok());
    number
        .filter(|n| *n <= most)
        .ok_or_else(|| format!("not a number from 1 to {most}, such as 100 or 10k"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_a_unit_and_are_limited() {
        assert_eq!(parse_number("10k", 10_000), Ok(10_000));
        assert_eq!(parse_number(" 8", 10_000), Ok(8));
        for bad in ["", "0", "-1", "10001", "1e99", "many"] {
            assert!(parse_number(bad, 10_000).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_grid_has_each_setting_once_in_order() {
        let grid = Grid::new(&[100, 1, 100], &[8, 1]);
        let settings = grid.settings().into_iter();
        let settings: Vec<(u64, u32)> = settings.map(|s| (s.batch_rows, s.workers)).collect();
        assert_eq!(settings, [(1, 1), (1, 8), (100, 1), (100, 8)]);
        let middle = Grid::new(&[1, 10, 100], &[1, 8, 64, 256]).middle().unwrap();
        assert_eq!((middle.batch_rows, middle.workers), (10, 64));
    }
}
