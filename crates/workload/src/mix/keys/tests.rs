use super::*;

const DRAWS: u64 = 200_000;

/// Counts how often each row of `rows` is drawn, on one thread of one shard.
fn counts(keys: Keys, rows: u64) -> Vec<u64> {
    let chooser = RowChooser::new(keys, 1, rows, (0, 1));
    let mut counts = vec![0; rows as usize];
    for n in 0..DRAWS {
        counts[chooser.choose(&mut Stream::new(&[1, n]), n, 0) as usize] += 1;
    }
    counts
}

/// Returns Pearson's statistic against these probabilities, in standard deviations from its mean
/// (cells - 1, variance twice that).
fn chi_square_deviations(counts: &[u64], probabilities: &[f64]) -> f64 {
    let statistic: f64 = counts
        .iter()
        .zip(probabilities)
        .map(|(n, p)| {
            let expected = p * DRAWS as f64;
            (*n as f64 - expected).powi(2) / expected
        })
        .sum();
    let degrees = (counts.len() - 1) as f64;
    (statistic - degrees) / (2.0 * degrees).sqrt()
}

fn zipf_probabilities(rows: u64, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=rows).map(|k| (k as f64).powf(-exponent)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

#[test]
fn uniform_rows_are_all_alike() {
    let deviations = chi_square_deviations(&counts(Keys::Uniform, 100), &[0.01; 100]);
    assert!(deviations.abs() < 5.0, "{deviations}");
}

#[test]
fn sequential_rows_come_in_turn_and_begin_again() {
    let chooser = RowChooser::new(Keys::Sequential, 1, 3, (0, 1));
    let rows: Vec<u64> = (0..5)
        .map(|n| chooser.choose(&mut Stream::new(&[n]), n, 0))
        .collect();
    assert_eq!(rows, [0, 1, 2, 0, 1]);
}

#[test]
fn threads_share_a_sequence() {
    let row = |thread, count| {
        let chooser = RowChooser::new(Keys::Sequential, 1, 100, (0, 1)).for_thread(thread, 2);
        chooser.choose(&mut Stream::new(&[1]), count, 0)
    };
    assert_eq!([row(0, 0), row(1, 0), row(0, 1), row(1, 1)], [0, 1, 2, 3]);
}

#[test]
fn zipf_ranks_have_their_law_and_are_scattered() {
    for exponent in [0.5, 0.99, 1.0, 1.5] {
        let by_row = counts(Keys::Zipf { exponent }, 100);
        let mut by_rank = vec![0; 100];
        let scatter = Scatter::new(100, 1);
        for rank in 0..100 {
            by_rank[rank as usize] = by_row[scatter.permuted(rank) as usize];
        }
        let deviations = chi_square_deviations(&by_rank, &zipf_probabilities(100, exponent));
        assert!(deviations.abs() < 5.0, "{exponent}: {deviations}");
        assert_ne!(by_row, by_rank);
    }
}

#[test]
fn normal_rows_are_near_the_middle_and_stay_in_the_block() {
    let counts = counts(Keys::Normal { deviation: 0.1 }, 1000);
    let mean = moment(&counts, |row| row);
    let deviation = moment(&counts, |row| (row - mean).powi(2)).sqrt();
    assert!((mean - 499.5).abs() < 2.0, "{mean}");
    assert!((deviation - 100.0).abs() < 1.0, "{deviation}");
    let wide = counts_of_ends(Keys::Normal { deviation: 10.0 });
    assert!(wide.0 > DRAWS * 2 / 5 && wide.1 > DRAWS * 2 / 5, "{wide:?}");
}

fn moment(counts: &[u64], of: impl Fn(f64) -> f64) -> f64 {
    let sum: f64 = counts
        .iter()
        .enumerate()
        .map(|(row, n)| of(row as f64) * *n as f64)
        .sum();
    sum / DRAWS as f64
}

fn counts_of_ends(keys: Keys) -> (u64, u64) {
    let counts = counts(keys, 1000);
    (counts[0], counts[999])
}

#[test]
fn latest_rows_are_the_last_ones_loaded_until_some_are_inserted() {
    let mut counts = counts(Keys::Latest { exponent: 0.99 }, 100);
    counts.reverse();
    let deviations = chi_square_deviations(&counts, &zipf_probabilities(100, 0.99));
    assert!(deviations.abs() < 5.0, "{deviations}");

    let chooser = RowChooser::new(Keys::Latest { exponent: 2.0 }, 1, 100, (1, 2)).for_thread(2, 3);
    let mut newest = 0;
    for n in 0..1000 {
        let row = chooser.choose(&mut Stream::new(&[n]), n, 4);
        // Of shard 1 of 2: 50..100; this thread's: 100 + ((0..4) * 3 + 2) * 2 + 1.
        assert!(
            (50..100).contains(&row) || [105, 111, 117, 123].contains(&row),
            "{row}"
        );
        newest += u64::from(row == 123);
    }
    assert!(newest > 500, "{newest}");
}

#[test]
fn new_rows_never_meet() {
    let mut rows = Vec::new();
    for shard in 0..3 {
        for thread in 0..2 {
            let chooser = RowChooser::new(Keys::New, 1, 10, (shard, 3)).for_thread(thread, 2);
            rows.extend((0..5).map(|n| chooser.choose(&mut Stream::new(&[n]), n, 0)));
        }
    }
    rows.sort_unstable();
    assert_eq!(rows, (10..40).collect::<Vec<_>>());
}

#[test]
fn shards_share_out_all_rows_without_overlap() {
    for (rows, shards) in [(10, 3), (7, 7), (1_000, 16)] {
        let mut drawn = Vec::new();
        for shard in 0..shards {
            let chooser = RowChooser::new(Keys::Sequential, 1, rows, (shard, shards));
            let all = (0..chooser.block).map(|n| chooser.choose(&mut Stream::new(&[n]), n, 0));
            drawn.extend(all);
        }
        assert_eq!(drawn, (0..rows).collect::<Vec<_>>());
    }
}

#[test]
fn blocks_share_out_all_rows_even_where_there_are_fewer_than_shards() {
    for (rows, of) in [(10, 3), (3, 10), (0, 2), (1_000_000_007, 16), (u64::MAX, 3)] {
        let mut next = 0;
        for shard in 0..of {
            let own = shard_rows(rows, (shard, of));
            assert_eq!(own.start, next);
            next = own.end;
        }
        assert_eq!(next, rows);
    }
    let chooser = RowChooser::new(Keys::Sequential, 1, 1000, (2, 3));
    let own = shard_rows(1000, (2, 3));
    assert_eq!(
        (chooser.first, chooser.block),
        (own.start, own.end - own.start)
    );
}

#[test]
fn every_law_stays_in_the_block_of_its_shard() {
    let laws = [
        Keys::Uniform,
        Keys::Sequential,
        Keys::Zipf { exponent: 0.99 },
        Keys::Normal { deviation: 0.4 },
        Keys::Latest { exponent: 0.99 },
    ];
    for keys in laws {
        let chooser = RowChooser::new(keys, 1, 1000, (2, 4));
        for n in 0..2000 {
            let row = chooser.choose(&mut Stream::new(&[9, n]), n, 0);
            assert!((500..750).contains(&row), "{keys:?}: {row}");
            assert_eq!(row, chooser.choose(&mut Stream::new(&[9, n]), n, 0));
        }
    }
}

#[test]
fn more_shards_than_rows_still_have_a_row() {
    for shard in 0..8 {
        let chooser = RowChooser::new(Keys::Uniform, 1, 3, (shard, 8));
        assert!(chooser.choose(&mut Stream::new(&[1]), 0, 0) < 3);
    }
}
