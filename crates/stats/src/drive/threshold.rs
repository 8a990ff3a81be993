//! The highest rate within an objective, from all loads of a search together.
//!
//! Whether a load holds is random near the threshold: a pause or a compaction that falls into it
//! decides. So no single load is taken for the truth. The model is a logistic curve of the
//! probability of holding against the logarithm of the rate, with unknown threshold and width, as in
//! Kontsevich and Tyler: Bayesian adaptive estimation of psychometric slope and threshold, Vision
//! Research 39(16), 1999. Both are weighted by the likelihood on a grid.

/// Widths of the curve, in logarithms of the rate, which are taken for equally likely at first: a
/// server on which the same rate always does the same, up to one whose knee varies by a fifth.
const WIDTHS: [f64; 6] = [0.003, 0.006, 0.013, 0.028, 0.058, 0.12];
/// Share of loads that hold or fail by accident, whatever their rate: half of each.
const ACCIDENTS: f64 = 0.1;
/// Number of thresholds on the grid.
const THRESHOLDS: usize = 240;
/// The grid reaches this much beyond the loads that contradict each other, in logarithms of the rate.
const MARGIN: f64 = 0.4;
/// Share of the thresholds, by their weight, that the interval leaves out on each side.
const TAIL: f64 = 0.025;

/// A load of a search: its rate, and whether it held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    pub rate: f64,
    pub held: bool,
}

/// The rate at which half of all loads hold, as weights of the rates that come into question.
#[derive(Debug, Clone)]
pub struct Threshold {
    /// Logarithms of rates, ascending, each with the weight of all up to it.
    cumulative: Vec<(f64, f64)>,
}

impl Threshold {
    /// Estimates the threshold. Returns `None` unless some load held and some other failed.
    pub fn of(loads: &[Judged]) -> Option<Threshold> {
        let of = |wanted: bool| loads.iter().filter(move |load| load.held == wanted);
        let held = of(true).map(|load| load.rate.ln()).reduce(f64::max)?;
        let failed = of(false).map(|load| load.rate.ln()).reduce(f64::min)?;
        let (low, high) = (held.min(failed) - MARGIN, held.max(failed) + MARGIN);
        let mut sum = 0.0;
        let mut cumulative: Vec<(f64, f64)> = (0..THRESHOLDS)
            .map(|n| {
                let at = low + (high - low) * (n as f64 + 0.5) / THRESHOLDS as f64;
                sum += weight(loads, at);
                (at, sum)
            })
            .collect();
        cumulative.iter_mut().for_each(|(_, weight)| *weight /= sum);
        Some(Threshold { cumulative })
    }

    /// Returns the rate that this share of the weight lies below.
    pub fn quantile(&self, share: f64) -> f64 {
        let after = self.cumulative.partition_point(|(_, below)| *below < share);
        let last = self.cumulative.len() - 1;
        self.cumulative[after.min(last)].0.exp()
    }

    /// Returns the rate itself, which is as likely too high as too low.
    pub fn rate(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the 95% interval of the rate.
    pub fn interval(&self) -> (f64, f64) {
        (self.quantile(TAIL), self.quantile(1.0 - TAIL))
    }
}

/// Returns the likelihood of the loads with this threshold, over all widths.
fn weight(loads: &[Judged], threshold: f64) -> f64 {
    let of_width = |width: &f64| -> f64 {
        let of_load = |load: &Judged| likelihood(load, threshold, *width);
        loads.iter().map(of_load).product()
    };
    WIDTHS.iter().map(of_width).sum()
}

fn likelihood(load: &Judged, threshold: f64, width: f64) -> f64 {
    let above = (load.rate.ln() - threshold) / width;
    let holds = ACCIDENTS / 2.0 + (1.0 - ACCIDENTS) / (1.0 + above.exp());
    if load.held { holds } else { 1.0 - holds }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loads(rates: &[(f64, bool)]) -> Vec<Judged> {
        let judged = |&(rate, held)| Judged { rate, held };
        rates.iter().map(judged).collect()
    }

    #[test]
    fn there_is_no_threshold_before_loads_held_and_failed() {
        assert!(Threshold::of(&[]).is_none());
        assert!(Threshold::of(&loads(&[(100.0, true), (200.0, true)])).is_none());
        assert!(Threshold::of(&loads(&[(100.0, false)])).is_none());
    }

    #[test]
    fn it_lies_between_what_held_and_what_failed() {
        let one_each = Threshold::of(&loads(&[(100.0, true), (136.0, false)])).unwrap();
        assert!((100.0..136.0).contains(&one_each.rate()));
        let (low, high) = one_each.interval();
        assert!(low < 100.0 && high > 136.0, "{low} {high}");
    }

    #[test]
    fn repeated_loads_make_it_narrow_and_one_accident_does_not_move_it() {
        let mut rates: Vec<(f64, bool)> = (0..10)
            .flat_map(|_| [(98.0, true), (102.0, false)])
            .collect();
        let narrow = Threshold::of(&loads(&rates)).unwrap();
        let (low, high) = narrow.interval();
        assert!(low > 96.0 && high < 104.0, "{low} {high}");
        rates.push((60.0, false));
        let disturbed = Threshold::of(&loads(&rates)).unwrap();
        assert!((disturbed.rate() / narrow.rate() - 1.0).abs() < 0.01);
    }
}
