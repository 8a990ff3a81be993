//! Draws the loads of a search: the requested rate against the measured time, with the limit.

use std::fmt::Write;

use bakeoff_stats::drive::ProbeRecord;

use super::axis;
use super::palette::Marker;
use super::scale::Scale;
use crate::markup::Escaped;
use crate::units;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 54.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = HEIGHT - 40.0;

struct Point<'a> {
    probe: &'a ProbeRecord,
    rate: f64,
    /// Measured time in seconds; `None` if no operation succeeded.
    seconds: Option<f64>,
}

/// Draws one limit of an objective, such as `p99<10ms`, on one design, or returns `None` if nothing was
/// measured. Loads of which nothing can be said are left out.
pub fn probes(design: &str, limit: &str, probes: &[ProbeRecord]) -> Option<String> {
    let points: Vec<Point> = probes.iter().filter_map(|p| point(p, limit)).collect();
    let bound = limit_seconds(limit);
    let times = points.iter().filter_map(|p| p.seconds);
    let times: Vec<f64> = times.chain(bound).collect();
    let rates: Vec<f64> = points.iter().map(|p| p.rate).collect();
    let x = Scale::scatter(&rates, LEFT, RIGHT)?;
    let y = Scale::scatter(&times, BOTTOM, TOP)?;
    let mut content = axes(&x, &y);
    content += &bound
        .map(|b| limit_line(limit, y.at(b)))
        .unwrap_or_default();
    content += &points.iter().map(|p| mark(p, &x, &y)).collect::<String>();
    let title = format!("Rates that were tried on {design}, by {limit}");
    Some(super::svg(
        WIDTH,
        HEIGHT,
        &title,
        &description(&points),
        &content,
    ))
}

fn point<'a>(probe: &'a ProbeRecord, limit: &str) -> Option<Point<'a>> {
    let (_, measured) = probe.measured.iter().find(|(text, _)| text == limit)?;
    if probe.undecided {
        return None;
    }
    Some(Point {
        probe,
        rate: probe.rate?,
        seconds: measured.map(|ns| ns / 1e9),
    })
}

/// Reads the time after the `<` of a limit.
fn limit_seconds(limit: &str) -> Option<f64> {
    let bound = limit.split_once('<')?.1.trim();
    let units = [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
    ];
    units.iter().find_map(|(unit, seconds)| {
        let number: f64 = bound.strip_suffix(unit)?.trim().parse().ok()?;
        Some(number * seconds)
    })
}

fn axes(x: &Scale, y: &Scale) -> String {
    let mut axes = axis::times(y, LEFT, RIGHT);
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(
            axes,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/><text class=\"tick\" \
             x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 16.0,
            units::trimmed(&units::rate(tick))
        );
    }
    let _ = writeln!(
        axes,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">operations a second \
         asked for</text>",
        (LEFT + RIGHT) / 2.0,
        BOTTOM + 33.0
    );
    axes
}

fn limit_line(limit: &str, at: f64) -> String {
    format!(
        "<path class=\"limit\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/><text class=\"label\" x=\"{:.1}\" \
         y=\"{:.1}\">{}</text>\n",
        LEFT + 6.0,
        at - 5.0,
        Escaped(limit)
    )
}

/// Draws the mark of a load; one in which nothing succeeded is drawn above all times.
fn mark(point: &Point, x: &Scale, y: &Scale) -> String {
    let (marker, class) = if point.probe.held() {
        (Marker::Circle, "e2")
    } else {
        (Marker::Cross, "missed")
    };
    let at = x.at(point.rate);
    let path = marker.path(at, point.seconds.map_or(TOP, |seconds| y.at(seconds)));
    let label = match point.seconds {
        Some(_) => String::new(),
        None => format!(
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">no success</text>",
            at - 9.0,
            TOP + 4.0
        ),
    };
    format!("<g class=\"{class}\"><path class=\"mark\" d=\"{path}\"/>{label}</g>\n")
}

fn description(points: &[Point]) -> String {
    let sentence = |p: &Point| {
        let rate = units::rate(p.rate);
        match p.seconds.map(units::duration) {
            Some(time) if p.probe.held() => format!("{rate} ops/s: {time}, held."),
            Some(time) => format!("{rate} ops/s: {time}, missed."),
            None => format!("{rate} ops/s: no operation succeeded, missed."),
        }
    };
    let sentences: Vec<String> = points.iter().map(sentence).collect();
    format!("Logarithmic scales. {}", sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_in_which_nothing_succeeded_is_marked() {
        let probe = |rate, measured: Option<f64>| ProbeRecord {
            design: "a/x".to_owned(),
            trial: 1,
            rate: Some(rate),
            rate_reached: rate,
            measured: vec![("p99<10ms".to_owned(), measured)],
            missed: match measured {
                Some(_) => Vec::new(),
                None => vec!["p99<10ms: no operation succeeded".to_owned()],
            },
            undecided: false,
        };
        let chart = probes(
            "a/x",
            "p99<10ms",
            &[probe(500.0, Some(4e6)), probe(900.0, None)],
        );
        let chart = chart.unwrap();
        assert!(chart.contains("900 ops/s: no operation succeeded, missed."));
        assert_eq!(chart.matches("class=\"mark\"").count(), 2);
        assert!(chart.contains(">no success</text>"));
    }

    #[test]
    fn limits_are_read_as_objectives_write_them() {
        let seconds = [
            "p99<10ms",
            "read.p99.9 < 50us",
            "max<1s",
            "mean<500ns",
            "errors<1%",
        ];
        let read = seconds.map(limit_seconds);
        let expected = [Some(0.01), Some(5e-5), Some(1.0), Some(5e-7), None];
        for (read, expected) in read.iter().zip(expected) {
            let close = |e: f64| read.is_some_and(|r| (r / e - 1.0).abs() < 1e-9);
            assert!(
                expected.map_or(read.is_none(), close),
                "{read:?} {expected:?}"
            );
        }
    }
}
