//! Compares a design's figure with the best one's, in a word or as a ratio, for runs and loads alike.

use bakeoff_stats::{
    AgainstBaseline, AgainstBest, DesignSummary, Difference, Estimate, PairedComparison,
    QuerySummary, Summary,
};

use crate::units;

/// Word for the ratio of the best design to itself.
pub const BEST: &str = "best";
/// Word for a difference that is shown to be none.
const SAME: &str = "same";
/// Explains the question mark, for captions.
pub const LEGEND: &str = "“?” means not settled";

/// Explains the question mark of these comparisons, for captions: shortly if none is open.
pub fn legend(rounds: u32, compared: &PairedComparison) -> String {
    let mut designs = compared.queries.iter().flat_map(|query| &query.designs);
    if designs.any(|design| design.difference == Difference::NotSettled) {
        format!("“?” means {}", what_is_open(rounds, compared))
    } else {
        LEGEND.to_owned()
    }
}

/// Says what is open where a difference is not settled. That may be where intervals of times are far apart: these hold
/// one by one, and the test for all ratios at once.
pub fn what_is_open(rounds: u32, compared: &PairedComparison) -> String {
    let rounds = units::plural(u64::from(rounds), "round", "rounds");
    let queries = compared.queries.iter();
    let comparisons: usize = queries.map(|q| q.designs.len().saturating_sub(1)).sum();
    let open = format!("not settled: after {rounds} it is open which design is faster");
    match comparisons {
        0 | 1 => open,
        n => format!(
            "{open}, by a test that holds for all {} comparisons at once, even where intervals are far apart",
            units::count(n as u64)
        ),
    }
}

/// Writes a time's ratio to the fastest one, as short as it can be: `best`, `same`, `1.31×`, `1.1× ?`.
pub fn short(summary: &Summary, design: &DesignSummary, query: &QuerySummary) -> Option<String> {
    match summary.comparison.design(&query.query, &design.info.id) {
        Some(compared) => Some(in_short(compared)),
        None => query.times_fastest.map(number),
    }
}

/// Writes a time's ratio to the fastest one, with its interval where a difference is shown:
/// `1.31× (1.2–1.4)`.
pub fn with_interval(
    summary: &Summary,
    design: &DesignSummary,
    query: &QuerySummary,
) -> Option<String> {
    match summary.comparison.design(&query.query, &design.info.id) {
        Some(compared) => Some(in_full(compared)),
        None => query.times_fastest.map(number),
    }
}

/// Writes the ratio of a design's bytes to the smallest ones; bytes have no error.
pub fn bytes_ratio(design: &DesignSummary) -> Option<String> {
    design.times_smallest.map(ratio)
}

/// Names intervals by their least coverage: `95% interval`, or `75% interval` after three rounds.
pub fn interval_heading<'a>(estimates: impl Iterator<Item = &'a Estimate>) -> String {
    let covered = estimates.map(|estimate| estimate.coverage);
    let least = covered.filter(|coverage| *coverage > 0.0).reduce(f64::min);
    match least {
        Some(least) => format!("{:.0}% interval", (100.0 * least).floor().min(95.0)),
        None => "Interval".to_owned(),
    }
}

/// Writes a time's ratio to the one of the design that is in use today: `0.48× today's`.
pub fn to_baseline(
    summary: &Summary,
    design: &DesignSummary,
    query: &QuerySummary,
) -> Option<String> {
    let compared = summary.comparison.design(&query.query, &design.info.id)?;
    compared.to_baseline.as_ref().map(to_todays)
}

/// Writes a ratio to the design that is in use today: `0.48× today's`.
pub fn to_todays(baseline: &AgainstBaseline) -> String {
    match baseline.difference {
        Difference::Best | Difference::Same => "same as today's".to_owned(),
        Difference::Slower | Difference::Faster => format!("{} today's", number(baseline.ratio)),
        Difference::NotSettled => format!("{} today's ?", number(baseline.ratio)),
    }
}

/// Writes a ratio to the design that is in use today for a column that names it: `same`, `0.48×`,
/// `0.48× ?`.
pub fn to_todays_in_short(baseline: &AgainstBaseline) -> String {
    match baseline.difference {
        Difference::Best | Difference::Same => SAME.to_owned(),
        Difference::Slower | Difference::Faster => number(baseline.ratio),
        Difference::NotSettled => format!("{} ?", number(baseline.ratio)),
    }
}

/// Writes how a design compares with the best one, as the comparison within rounds shows it.
pub fn in_short(compared: &AgainstBest) -> String {
    match compared.difference {
        Difference::Best => BEST.to_owned(),
        Difference::Same => SAME.to_owned(),
        Difference::Slower | Difference::Faster => number(compared.ratio),
        Difference::NotSettled if compared.ratio == 1.0 => format!("{BEST} ?"),
        Difference::NotSettled => format!("{} ?", number(compared.ratio)),
    }
}

/// Writes how a design compares with the best one, with the interval where a difference is shown:
/// `1.31× (1.20–1.40)`.
pub fn in_full(compared: &AgainstBest) -> String {
    let short = in_short(compared);
    let shown = Some(compared).filter(|c| is_different(c.difference));
    match shown.and_then(interval) {
        Some(interval) => format!("{short} ({interval})"),
        None => short,
    }
}

fn is_different(difference: Difference) -> bool {
    matches!(difference, Difference::Slower | Difference::Faster)
}

/// Writes an interval as `1.2–1.4`; `None` if both ends are the same to the digits that are shown.
fn interval(compared: &AgainstBest) -> Option<String> {
    let (low, high) = compared.interval?;
    let low = number(low).replace('×', "");
    let high = number(high).replace('×', "");
    (low != high).then(|| format!("{low}–{high}"))
}

/// Writes a ratio by estimates alone: `best`, `1.31×`, `2.4×`, `545×`, `0.14×`.
pub fn ratio(times: f64) -> String {
    match times {
        1.0 => BEST.to_owned(),
        times => number(times),
    }
}

fn number(times: f64) -> String {
    match times {
        t if t < 0.0995 => format!("{t:.3}×"),
        t if t < 1.995 => format!("{t:.2}×"),
        t => units::factor(t),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::QueryComparison;

    use super::*;

    fn compared(ratio: f64, interval: Option<(f64, f64)>, difference: Difference) -> AgainstBest {
        AgainstBest {
            design: "a/x".to_owned(),
            ratio,
            interval,
            difference,
            rounds: 7,
            to_baseline: None,
        }
    }

    #[test]
    fn a_word_or_a_ratio_stands_for_a_difference() {
        let short = |ratio, difference| in_short(&compared(ratio, None, difference));
        assert_eq!(short(1.0, Difference::Best), "best");
        assert_eq!(short(1.02, Difference::Same), "same");
        assert_eq!(short(1.314, Difference::Slower), "1.31×");
        assert_eq!(short(0.14, Difference::Faster), "0.14×");
        assert_eq!(short(1.1, Difference::NotSettled), "1.10× ?");
        assert_eq!(short(1.0, Difference::NotSettled), "best ?");
    }

    #[test]
    fn a_question_mark_is_explained_in_full_where_there_is_one() {
        let of = |differences: &[Difference]| {
            let designs = differences.iter().map(|of| compared(126.0, None, *of));
            let query = QueryComparison {
                query: "scan".to_owned(),
                best: None,
                same_within: 0.05,
                table_deviation: None,
                smallest_difference: None,
                designs: designs.collect(),
            };
            let compared = PairedComparison {
                twins: None,
                queries: vec![query],
            };
            legend(5, &compared)
        };
        assert_eq!(of(&[Difference::Best, Difference::Slower]), LEGEND);
        assert_eq!(
            of(&[Difference::Best, Difference::NotSettled]),
            "“?” means not settled: after 5 rounds it is open which design is faster"
        );
        let several = of(&[
            Difference::Best,
            Difference::NotSettled,
            Difference::NotSettled,
        ]);
        let told = ", by a test that holds for all 2 comparisons at once, even where intervals are far apart";
        assert!(several.ends_with(told), "{several}");
    }

    #[test]
    fn only_the_best_itself_has_no_ratio() {
        let ratios = [1.0, 1.004, 0.031, 12.4].map(ratio);
        assert_eq!(ratios, ["best", "1.00×", "0.031×", "12×"]);
    }

    #[test]
    fn an_interval_has_the_digits_of_its_ends() {
        let shown = |low, high| interval(&compared(1.0, Some((low, high)), Difference::Slower));
        assert_eq!(shown(1.2, 1.4).unwrap(), "1.20–1.40");
        assert_eq!(shown(480.2, 620.4).unwrap(), "480–620");
        assert_eq!(shown(1.2, 1.2001), None);
        assert_eq!(interval(&compared(9.0, None, Difference::NotSettled)), None);
    }

    #[test]
    fn a_heading_does_not_promise_more_than_the_intervals_cover() {
        let of = |samples: &[&[f64]]| {
            let estimates: Vec<Estimate> = { samples.iter() }
                .filter_map(|samples| Estimate::from_samples(samples))
                .collect();
            interval_heading(estimates.iter())
        };
        assert_eq!(of(&[&[1.0; 7]]), "95% interval");
        assert_eq!(of(&[&[1.0; 7], &[1.0; 3]]), "75% interval");
        assert_eq!(of(&[&[1.0; 7], &[1.0]]), "95% interval");
        assert_eq!(of(&[&[1.0]]), "Interval");
        assert_eq!(of(&[]), "Interval");
    }
}
