//! Draws the speed-ups of selective queries over a full scan by the share of the rows that they select, with a line
//! for each design and one for what reading only these rows would bring.

use bakeoff_stats::SpeedUps;

use super::axis;
use super::line::{Line, Stroke, mark_at};
use super::palette::Palette;
use super::placement::Rectangle;
use super::scale::Scale;
use crate::units;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 260.0;
const PLOT: Rectangle = Rectangle {
    left: 62.0,
    top: 10.0,
    right: WIDTH - 14.0,
    bottom: HEIGHT - 42.0,
};

/// Draws the chart of these designs, or returns `None` if there are none.
pub fn speed_up_lines(designs: &[&SpeedUps<'_>]) -> Option<String> {
    let points = { designs.iter() }.flat_map(|design| &design.queries);
    let (mut shares, mut factors): (Vec<f64>, Vec<f64>) =
        points.map(|query| (query.share, query.times)).unzip();
    let least = shares.iter().copied().min_by(f64::total_cmp)?;
    // The rule of thumb, which is a straight line where both axes are logarithmic.
    let rule = [(least, 1.0 / least), (1.0, 1.0)];
    shares.push(1.0);
    factors.extend(rule.map(|(_, times)| times));
    let x = Scale::scatter(&shares, PLOT.left, PLOT.right)?;
    let y = Scale::scatter(&factors, PLOT.bottom, PLOT.top)?;
    let ticks: Vec<(f64, String)> = { x.ticks().into_iter() }
        .filter(|&tick| tick <= 1.0)
        .map(|tick| (x.at(tick), percent(tick)))
        .collect();
    let palette = Palette::by_design(designs.iter().map(|of| &of.design.info));
    let lines = designs.iter().map(|of| line_of(of, &palette, &x, &y));
    let content = axis::left_side(&y, PLOT.left, PLOT.right, factor)
        + &axis::below(&ticks, &PLOT, WIDTH)
        + &axis::frame(&PLOT, "share of rows selected, both axes logarithmic")
        + &line("yardstick", Stroke::Dashed, &rule).svg(&x, &y)
        + &lines.collect::<String>();
    let description: Vec<String> = designs.iter().map(|of| in_words(of)).collect();
    Some(super::svg(
        WIDTH,
        HEIGHT,
        "Speed-up over a full scan by the share of the rows that a query selects, a line for each design",
        &description.join(" "),
        &content,
    ))
}

fn line(class: &str, stroke: Stroke, points: &[(f64, f64)]) -> Line {
    Line {
        class: class.to_owned(),
        stroke,
        mark: None,
        points: { points.iter() }
            .map(|(share, times)| (*share, Some(*times)))
            .collect(),
    }
}

fn line_of(of: &SpeedUps<'_>, palette: &Palette<'_>, x: &Scale, y: &Scale) -> String {
    let info = &of.design.info;
    let class = palette.class(info);
    let points: Vec<(f64, f64)> = { of.queries.iter() }
        .map(|query| (query.share, query.times))
        .collect();
    let marks = { points.iter() }
        .map(|(share, times)| mark_at(palette.marker(info), x.at(*share), y.at(*times)));
    let marks: String = marks.collect();
    line(&class, Stroke::Strong, &points).svg(x, y) + &format!("<g class=\"{class}\">{marks}</g>\n")
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
fn percent(share: f64) -> String {
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
