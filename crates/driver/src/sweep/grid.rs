//! Batch sizes and numbers of workers.

use super::Setting;

/// Batch sizes and numbers of workers, each ascending and without repetitions, which are all combined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Numbers of rows in a batch.
    pub batches: Vec<u32>,
    /// Numbers of workers.
    pub workers: Vec<u32>,
}

impl Grid {
    /// Sorts the numbers and removes repetitions.
    pub fn new(batches: &[u32], workers: &[u32]) -> Grid {
        Grid {
            batches: sorted(batches),
            workers: sorted(workers),
        }
    }

    /// Returns every batch size with every number of workers.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = Vec::with_capacity(self.batches.len() * self.workers.len());
        for batch in &self.batches {
            for workers in &self.workers {
                settings.push(Setting {
                    batch_rows: u64::from(*batch),
                    workers: *workers,
                });
            }
        }
        settings
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
