//! Batch sizes and numbers of workers.

use super::Setting;

/// Every batch size with every number of workers, each ascending and once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    pub batches: Vec<u32>,
    pub workers: Vec<u32>,
}

impl Grid {
    pub fn new(batches: &[u32], workers: &[u32]) -> Grid {
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

    /// Returns the setting that a design warms up with: batches of a medium size, and about as many
    /// workers as keep it busy.
    pub fn middle(&self) -> Option<Setting> {
        Some(Setting {
            batch_rows: u64::from(middle(&self.batches)?),
            workers: middle(&self.workers)?,
        })
    }
}

fn sorted(numbers: &[u32]) -> Vec<u32> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn middle(numbers: &[u32]) -> Option<u32> {
    numbers.get(numbers.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

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
