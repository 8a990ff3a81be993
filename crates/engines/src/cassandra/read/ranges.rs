//! Splitting of a scan: the ring into token ranges, and requests among partitions.

/// Splits the ring of the Murmur3 partitioner into `n` ranges, each without its start.
///
/// No key has the smallest token: Cassandra maps it to the largest one.
pub fn token_ranges(n: usize) -> Vec<(i64, i64)> {
    let width = (1i128 << 64) / n.max(1) as i128;
    let bound = |i: usize| match i {
        i if i >= n.max(1) => i64::MAX,
        i => (i128::from(i64::MIN) + width * i as i128) as i64,
    };
    (0..n.max(1)).map(|i| (bound(i), bound(i + 1))).collect()
}

/// Splits items round robin into at most `n` partitions, but at least one.
pub fn split_round_robin<T: Clone>(items: Vec<T>, n: usize) -> Vec<Vec<T>> {
    let mut partitions = vec![Vec::new(); n.min(items.len()).max(1)];
    let count = partitions.len();
    for (i, item) in items.into_iter().enumerate() {
        partitions[i % count].push(item);
    }
    partitions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassandra::read::request::Request;

    #[test]
    fn token_ranges_cover_the_ring_without_gap_or_overlap() {
        for n in [1, 2, 3, 7, 64] {
            let ranges = token_ranges(n);
            assert_eq!(ranges.len(), n);
            assert_eq!(ranges[0].0, i64::MIN);
            assert_eq!(ranges[n - 1].1, i64::MAX);
            assert!(ranges.windows(2).all(|pair| pair[0].1 == pair[1].0));
            assert!(ranges.iter().all(|(after, to)| after < to));
        }
    }

    #[test]
    fn requests_are_split_evenly() {
        let requests = vec![Request(vec![]); 5];
        let sizes = |n| {
            split_round_robin(requests.clone(), n)
                .iter()
                .map(Vec::len)
                .collect::<Vec<_>>()
        };
        assert_eq!(sizes(2), [3, 2]);
        assert_eq!(sizes(9), [1; 5]);
        assert_eq!(
            split_round_robin::<Request>(Vec::new(), 4),
            vec![Vec::new()]
        );
    }
}
