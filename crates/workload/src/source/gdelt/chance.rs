//! Distributions that values are drawn from.

use crate::Stream;

/// Chooses an index with a probability proportional to its weight.
#[derive(Debug)]
pub struct Weighted {
    cumulative: Vec<f64>,
}

impl Weighted {
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let cumulative = weights
            .into_iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        Weighted { cumulative }
    }

    /// Draws an index below the number of weights; 0 if there are none.
    pub fn draw(&self, stream: &mut Stream) -> usize {
        let Some(total) = self.cumulative.last() else {
            return 0;
        };
        let point = stream.unit() * total;
        self.cumulative
            .partition_point(|sum| *sum <= point)
            .min(self.cumulative.len() - 1)
    }
}

/// Ranks 0, 1, 2, ... with a probability that falls as a power of the rank: a bounded Pareto
/// law, rounded down.
#[derive(Debug)]
pub struct Zipf {
    items: usize,
    /// Value of 1 - exponent.
    power: f64,
    span: f64,
}

impl Zipf {
    /// Makes the law; `exponent` must not be 1, for which it has another form.
    pub fn new(items: usize, exponent: f64) -> Self {
        let power = 1.0 - exponent;
        Zipf {
            items,
            power,
            span: ((items + 1) as f64).powf(power) - 1.0,
        }
    }

    /// Draws a rank below `items`.
    pub fn draw(&self, stream: &mut Stream) -> usize {
        let rank = (self.span * stream.unit() + 1.0).powf(1.0 / self.power) as usize;
        rank.saturating_sub(1).min(self.items.saturating_sub(1))
    }
}

/// Draws a number that is nearly standard normal: the sum of four uniform numbers, scaled.
pub fn normal(stream: &mut Stream) -> f64 {
    let sum: f64 = (0..4).map(|_| stream.unit()).sum();
    (sum - 2.0) * 3.0_f64.sqrt()
}

/// Draws one element, all equally likely. `items` must not be empty.
pub fn any<'a, T>(items: &'a [T], stream: &mut Stream) -> &'a T {
    &items[stream.below(items.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(items: usize, draw: impl Fn(&mut Stream) -> usize) -> Vec<usize> {
        let mut stream = Stream::new(&[1]);
        let mut counts = vec![0; items];
        for _ in 0..100_000 {
            counts[draw(&mut stream)] += 1;
        }
        counts
    }

    #[test]
    fn weights_are_shares() {
        let law = Weighted::new([1.0, 0.0, 3.0]);
        let counts = counts(3, |stream| law.draw(stream));
        assert_eq!(counts[1], 0);
        // Binomial(100000, 0.25): standard deviation 137.
        assert!(counts[0].abs_diff(25_000) < 700, "{counts:?}");
    }

    #[test]
    fn ranks_fall_and_stay_in_range() {
        let law = Zipf::new(50, 0.8);
        let counts = counts(50, |stream| law.draw(stream));
        assert!(counts[0] > 2 * counts[4] && counts[4] > 2 * counts[30] && counts[49] > 0);
        assert_eq!(Zipf::new(1, 0.8).draw(&mut Stream::new(&[2])), 0);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut stream = Stream::new(&[3]);
        let numbers: Vec<f64> = (0..100_000).map(|_| normal(&mut stream)).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|x| x * x).sum::<f64>() / 1e5;
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03,
            "{mean} {variance}"
        );
    }
}
