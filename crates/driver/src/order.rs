//! Random orders that a run can repeat.

use bakeoff_workload::Stream;

/// Puts items into an order that is a pure function of `keys` (Fisher-Yates).
pub fn shuffled<T>(mut items: Vec<T>, keys: &[u64]) -> Vec<T> {
    let mut stream = Stream::new(keys);
    for last in (1..items.len()).rev() {
        items.swap(last, stream.below(last as u64 + 1) as usize);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::shuffled;

    #[test]
    fn an_order_is_repeatable_complete_and_differs_by_round() {
        let orders: Vec<Vec<u32>> = (0..20)
            .map(|round| shuffled((0..10).collect(), &[1, round]))
            .collect();
        assert_eq!(orders[3], shuffled((0..10).collect(), &[1, 3]));
        assert!(orders.windows(2).any(|pair| pair[0] != pair[1]));
        for mut order in orders {
            order.sort_unstable();
            assert_eq!(order, (0..10).collect::<Vec<_>>());
        }
    }
}
