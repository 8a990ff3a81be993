//! Some numbers of a column, for a condition that a part of them meets.

/// Numbers that are kept.
const KEPT_VALUES: usize = 256;

/// Some numbers, which are spread over the whole column, and of how many they are.
pub struct Kept {
    numbers: Vec<f64>,
    of: u64,
}

impl Kept {
    /// Begins with none.
    pub fn new() -> Kept {
        Kept {
            numbers: Vec::new(),
            of: 0,
        }
    }

    /// Adds a number, and keeps it or not. One that is not finite is none.
    pub fn add(&mut self, number: f64) {
        if !number.is_finite() {
            return;
        }
        self.of += 1;
        if self.numbers.len() < KEPT_VALUES {
            self.numbers.push(number);
        } else if self.of.is_power_of_two() || self.of.is_multiple_of(997) {
            let place = self.of as usize % KEPT_VALUES;
            self.numbers[place] = number;
        }
    }

    /// Returns a number that about a tenth of them exceed or, if the highest one is more frequent than that, the next
    /// lower one; `None` if all are the same.
    pub fn high_value(&self) -> Option<f64> {
        let mut kept = self.numbers.clone();
        kept.sort_by(f64::total_cmp);
        let most = *kept.last()?;
        let below = kept.iter().filter(|value| **value < most).count();
        let place = (kept.len() * 9 / 10).min(below.checked_sub(1)?);
        kept.get(place).copied()
    }
}
