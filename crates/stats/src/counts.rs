//! Sums of counts that were read from files, and whole numbers of machines. No run has counted beyond 64 bits, but a
//! damaged file may say so.

/// Returns the sum of counts, or the greatest number if it does not fit.
pub fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Adds a count, up to the greatest number.
pub(crate) fn add(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}

/// Rounds a number of machines up, but not for an error of rounding.
pub(crate) fn whole(count: f64) -> f64 {
    (count - 1e-9).ceil()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_begin_again_at_nothing() {
        assert_eq!(total([1, 2, 3]), 6);
        assert_eq!(total([u64::MAX, 1]), u64::MAX);
        let mut sum = u64::MAX - 1;
        add(&mut sum, 5);
        assert_eq!(sum, u64::MAX);
    }
}
