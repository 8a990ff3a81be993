//! Draws the speed-ups of selective queries over a full scan by the share of the rows that they select, with a line
//! for each design and one for what reading only these rows would bring.

use bakeoff_stats::SpeedUps;

use super::log_lines::{LogLines, of_designs};
use crate::units;

/// Draws the chart of these designs, or returns `None` if there are none.
pub fn speed_up_lines(designs: &[&SpeedUps<'_>]) -> Option<String> {
    let shares = { designs.iter() }.flat_map(|design| design.queries.iter().map(|q| q.share));
    let least = shares.min_by(f64::total_cmp)?;
    let points = |of: &SpeedUps<'_>| -> Vec<(f64, f64)> {
        let queries = of.queries.iter();
        queries.map(|query| (query.share, query.times)).collect()
    };
    let description: Vec<String> = designs.iter().map(|of| in_words(of)).collect();
    let chart = LogLines {
        title: "Speed-up over a full scan by the share of the rows that a query selects, a line for each design",
        description: description.join(" "),
        below: "share of rows selected, both axes logarithmic",
        most: Some(1.0),
        number: percent,
        figure: factor,
        lines: of_designs(designs.iter().map(|of| (&of.design.info, points(of)))),
        // The rule of thumb, which is a straight line where both axes are logarithmic.
        expected: Some([(least, 1.0 / least), (1.0, 1.0)]),
    };
    chart.svg()
}

/// Says the speed-up of each query of a design.
fn in_words(of: &SpeedUps<'_>) -> String {
    let queries: Vec<String> = { of.queries.iter() }
        .map(|query| {
            let (times, share) = (units::factor(query.times), percent(query.share));
            format!("{} {times} at {share}", query.query)
        })
        .collect();
    format!("{}: {}.", of.design.info.id, queries.join(", "))
}

/// Writes a factor for the axis, without the zeros behind a round one.
fn factor(times: f64) -> String {
    format!("{}×", units::trimmed(&units::amount(times)))
}

/// Writes a share in per cent with two digits that count: `9.1%`, `0.12%`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = if percent >= 10.0 {
        0
    } else {
        (1.0 - percent.log10().floor()).clamp(0.0, 9.0) as usize
    };
    let text = format!("{percent:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text.as_str()
    };
    format!("{text}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_two_digits_that_count() {
        for (share, text) in [
            (1.0, "100%"),
            (0.5, "50%"),
            (0.09144, "9.1%"),
            (0.01, "1%"),
            (0.0012, "0.12%"),
            (0.000_001, "0.0001%"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn factors_on_the_axis_have_no_zeros_behind() {
        for (times, text) in [
            (0.1, "0.1×"),
            (1.0, "1×"),
            (20.0, "20×"),
            (1_000.0, "1,000×"),
        ] {
            assert_eq!(factor(times), text);
        }
    }
}
