//! Times of two tables, paired by the rounds that both have.

/// Logarithms of the ratios of two tables' times, one for each round that both have. Whatever slowed down
/// both times of a round cancels out.
pub struct Paired {
    logarithms: Vec<f64>,
}

impl Paired {
    /// Pairs the times of rounds, which have to be in order. A time of 0 is below the resolution of the
    /// clock and has no logarithm, so its round is left out.
    pub fn new(one: &[(u32, f64)], other: &[(u32, f64)]) -> Paired {
        let of_round = |(round, seconds): &(u32, f64)| {
            let found = other.binary_search_by_key(round, |(round, _)| *round);
            let ratio = seconds / other[found.ok()?].1;
            Some(ratio.ln()).filter(|ln| ln.is_finite())
        };
        Paired {
            logarithms: one.iter().filter_map(of_round).collect(),
        }
    }

    /// Takes the times of one table alone, as if paired with one second in each round.
    pub fn of_one(times: &[(u32, f64)]) -> Paired {
        let logarithms = times.iter().map(|(_, seconds)| seconds.ln());
        Paired {
            logarithms: logarithms.filter(|ln| ln.is_finite()).collect(),
        }
    }

    /// Returns the number of rounds.
    pub fn rounds(&self) -> usize {
        self.logarithms.len()
    }

    /// Returns the median of the means of all pairs of logarithms, each with itself included, which
    /// hardly depends on single rounds (Hodges, Lehmann: Estimates of location based on rank tests,
    /// 1963). Returns `None` without a round.
    pub fn centre(&self) -> Option<f64> {
        let all = self.logarithms.iter().enumerate();
        let mut means: Vec<f64> = all
            .flat_map(|(index, one)| self.logarithms[index..].iter().map(|x| one.midpoint(*x)))
            .collect();
        means.sort_by(f64::total_cmp);
        (!means.is_empty()).then(|| crate::estimate::median(&means))
    }

    /// Returns the variance of the mean, for independent rounds. The variance of the centre is at most a
    /// sixth larger for any symmetric distribution of the logarithms, and smaller if single rounds are far
    /// off (Hodges, Lehmann: The efficiency of some nonparametric competitors of the t-test, 1956).
    /// Returns `None` for fewer than two rounds.
    pub fn variance(&self) -> Option<f64> {
        let rounds = self.logarithms.len() as f64;
        let squares: f64 = self.deviations().iter().map(|d| d * d).sum();
        (rounds > 1.0).then(|| squares / (rounds - 1.0) / rounds)
    }

    /// Returns the correlation of one round with the next, corrected for its bias of
    /// `(1 + 3 correlation) / rounds` (Marriott, Pope: Bias in the estimation of autocorrelations,
    /// 1954). Returns `None` for fewer than five rounds, or if all are equal.
    pub fn correlation(&self) -> Option<f64> {
        let deviations = self.deviations();
        let rounds = deviations.len() as f64;
        let squares: f64 = deviations.iter().map(|d| d * d).sum();
        let products: f64 = deviations.windows(2).map(|d| d[0] * d[1]).sum();
        let is_known = rounds >= 5.0 && squares > 0.0;
        is_known.then(|| (rounds * products / squares + 1.0) / (rounds - 3.0))
    }

    fn deviations(&self) -> Vec<f64> {
        let mean = self.logarithms.iter().sum::<f64>() / self.logarithms.len().max(1) as f64;
        self.logarithms.iter().map(|ln| ln - mean).collect()
    }
}
