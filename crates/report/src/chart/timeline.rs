//! A trial second by second: the client's latency and rate, and the server under the same axis.

use std::fmt::Write;

use bakeoff_stats::drive::{
    DriveHeader, OperationCounts, SecondCounts, ServerSample, TrialSummary,
};

use super::Size;
use super::line::{Line, Stroke};
use super::palette::nth_class;
use super::panel::{GAP, HEADING, Panel};
use super::placement::Rectangle;
use super::scale::Scale;
use crate::units;

const LATENCY_HEIGHT: f64 = 150.0;
const PANEL_HEIGHT: f64 = 62.0;
const AXIS: f64 = 38.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
/// Points of a line; of longer trials each point is the worst of several seconds.
const MOST_POINTS: usize = 240;

/// `None` for a trial without a second.
pub fn timeline(header: &DriveHeader, trial: &TrialSummary, size: Size) -> Option<String> {
    let end = f64::from(trial.seconds.last()?.second + 1);
    let width = match size {
        Size::Wide => 760.0,
        Size::Phone => 360.0,
    };
    let x = Scale::up_to(end, LEFT, width - RIGHT);
    let series = Series::of(header, trial);
    let panels: Vec<Panel> = series
        .panels()
        .into_iter()
        .filter(Panel::has_values)
        .collect();
    let mut content = String::new();
    let mut top = 0.0;
    for panel in &panels {
        let plot = Rectangle {
            left: LEFT,
            top: top + HEADING,
            right: width - RIGHT,
            bottom: top + HEADING + panel.height,
        };
        content += &left_out(trial, &x, &plot);
        content += &panel.svg(&x, &plot);
        top = plot.bottom + GAP;
    }
    content += &time_axis(&x, top - GAP, width);
    let title = format!(
        "{}, {}, second by second",
        trial.start.design, trial.start.schedule
    );
    let height = top - GAP + AXIS;
    Some(super::svg(
        width,
        height,
        &title,
        &description(trial, &panels),
        &content,
    ))
}

/// Shades the warm-up, and what ended after the last operation was due.
fn left_out(trial: &TrialSummary, x: &Scale, plot: &Rectangle) -> String {
    let shade = |from: f64, to: f64| {
        format!(
            "<rect class=\"left-out\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
             height=\"{:.1}\"/>\n",
            plot.top,
            (to - from).max(0.0),
            plot.bottom - plot.top
        )
    };
    let mut shades = String::new();
    if trial.warm_up_seconds > 0 {
        shades += &shade(plot.left, x.at(f64::from(trial.warm_up_seconds)));
    }
    if x.at(trial.duration) < plot.right - 1.0 {
        shades += &shade(x.at(trial.duration), plot.right);
    }
    shades
}

fn time_axis(x: &Scale, bottom: f64, width: f64) -> String {
    let mut axis = String::new();
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(
            axis,
            "<path class=\"axis\" d=\"M{at:.1} {bottom:.1}v4\"/><text class=\"tick\" \
             x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            units::trimmed(&units::count(tick as u64))
        );
    }
    let _ = writeln!(
        axis,
        "<path class=\"axis\" d=\"M{LEFT} {bottom:.1}H{:.1}\"/><text class=\"name\" x=\"{:.1}\" \
         y=\"{:.1}\" text-anchor=\"middle\">seconds from the start</text>",
        width - RIGHT,
        (LEFT + width - RIGHT) / 2.0,
        bottom + 33.0
    );
    axis
}

fn description(trial: &TrialSummary, panels: &[Panel]) -> String {
    let names: Vec<&str> = panels.iter().map(|p| p.heading.as_str()).collect();
    format!(
        "{:.0} s, of which the first {} are left out as warm-up; {} operations a second after that. \
         From top to bottom: {}.",
        trial.duration,
        trial.warm_up_seconds,
        units::rate(trial.figures.ops_per_second),
        names.join("; ")
    )
}

/// The seconds of a trial, a few of them in each point where there are many.
struct Series<'a> {
    header: &'a DriveHeader,
    /// Neighbours that share a point.
    points: Vec<&'a [SecondCounts]>,
    seconds: &'a [SecondCounts],
}

impl<'a> Series<'a> {
    fn of(header: &'a DriveHeader, trial: &'a TrialSummary) -> Series<'a> {
        let seconds = trial.seconds.as_slice();
        Series {
            header,
            points: seconds
                .chunks(seconds.len().div_ceil(MOST_POINTS))
                .collect(),
            seconds,
        }
    }

    fn panels(&self) -> Vec<Panel> {
        let panel = |heading: &str, lines, tick| Panel {
            heading: heading.to_owned(),
            height: PANEL_HEIGHT,
            logarithmic: false,
            lines,
            tick,
        };
        vec![
            Panel {
                heading: "Response time: p99 strong, p50 light".to_owned(),
                height: LATENCY_HEIGHT,
                logarithmic: true,
                lines: self.latency(),
                tick: |seconds| units::trimmed(&units::duration(seconds)),
            },
            panel("Operations a second", vec![self.rate()], number),
            panel("Failed operations a second", self.failures(), number),
            panel(
                "Server CPU, cores in use",
                self.grown(|s| s.cpu_seconds),
                number,
            ),
            panel(
                "Server disk, MB/s: read, written dashed",
                self.disk(),
                number,
            ),
            panel(
                "Garbage collection pauses, ms/s",
                self.grown(|s| s.gc_seconds.map(|seconds| seconds * 1e3)),
                number,
            ),
            panel(
                "Compactions that wait or run",
                vec![self.standing(Stroke::Strong, |s| s.pending_compactions.map(|n| n as f64))],
                whole_number,
            ),
            panel(
                "Server's own p99, ms: read, write dashed",
                self.own_latency(),
                number,
            ),
        ]
    }

    /// The value of a point in the middle of its seconds.
    fn line(
        &self,
        class: &str,
        stroke: Stroke,
        value: impl Fn(&[SecondCounts]) -> Option<f64>,
    ) -> Line {
        let middle = |seconds: &[SecondCounts]| {
            let first = seconds.first().map_or(0, |s| s.second);
            f64::from(first) + seconds.len() as f64 / 2.0
        };
        let points = self.points.iter();
        Line {
            class: class.to_owned(),
            stroke,
            mark: None,
            points: points.map(|s| (middle(s), value(s))).collect(),
        }
    }

    fn latency(&self) -> Vec<Line> {
        let several = self.header.operations.len() > 1;
        let worst = |operation: usize, ns: fn(&OperationCounts) -> u64| {
            move |seconds: &[SecondCounts]| {
                let counts = seconds.iter().map(|s| &s.operations[operation]);
                let times = counts.filter(|c| c.successes > 0).map(ns);
                times.max().map(|ns| ns as f64 / 1e9)
            }
        };
        let operations = 0..self.header.operations.len();
        operations
            .flat_map(|place| {
                let class = nth_class(place);
                let p50 = self.line(&class, Stroke::Light, worst(place, |c| c.response_p50_ns));
                let p99 = self.line(&class, Stroke::Strong, worst(place, |c| c.response_p99_ns));
                let p99 = Line {
                    mark: several.then_some(place),
                    ..p99
                };
                [p50, p99]
            })
            .collect()
    }

    fn rate(&self) -> Line {
        self.line("plain", Stroke::Strong, |seconds| {
            let done: u64 = seconds.iter().map(SecondCounts::successes).sum();
            Some(done as f64 / seconds.len() as f64)
        })
    }

    /// Nothing where nothing failed.
    fn failures(&self) -> Vec<Line> {
        let failed = self.line("missed", Stroke::Strong, |seconds| {
            let failed: u64 = seconds.iter().map(SecondCounts::failed).sum();
            Some(failed as f64 / seconds.len() as f64)
        });
        let any = self.seconds.iter().any(|s| s.failed() > 0);
        any.then_some(failed).into_iter().collect()
    }

    /// Growth of a counter in a second.
    fn growth(&self, stroke: Stroke, value: impl Fn(&ServerSample) -> Option<f64>) -> Option<Line> {
        let known = self
            .seconds
            .iter()
            .filter_map(|s| Some((s.second, value(&s.server)?)));
        let known: Vec<(u32, f64)> = known.collect();
        let rates: Vec<(f64, f64)> = known
            .windows(2)
            .map(|pair| {
                let ((then, before), (now, value)) = (pair[0], pair[1]);
                let seconds = f64::from(now - then);
                let middle = f64::from(then + 1) + seconds / 2.0;
                (middle, (value - before).max(0.0) / seconds)
            })
            .collect();
        let each = rates.len().div_ceil(MOST_POINTS).max(1);
        let mean = |points: &[(f64, f64)]| {
            let count = points.len() as f64;
            let sum = points
                .iter()
                .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            (sum.0 / count, Some(sum.1 / count))
        };
        (!rates.is_empty()).then(|| Line {
            class: "plain".to_owned(),
            stroke,
            mark: None,
            points: rates.chunks(each).map(mean).collect(),
        })
    }

    fn grown(&self, value: impl Fn(&ServerSample) -> Option<f64>) -> Vec<Line> {
        self.growth(Stroke::Strong, value).into_iter().collect()
    }

    fn disk(&self) -> Vec<Line> {
        let megabytes = |bytes: Option<u64>| bytes.map(|b| b as f64 / 1e6);
        let written = self.growth(Stroke::Dashed, |s| megabytes(s.disk_written_bytes));
        let read = self.growth(Stroke::Strong, |s| megabytes(s.disk_read_bytes));
        written.into_iter().chain(read).collect()
    }

    /// A value that is not a counter.
    fn standing(&self, stroke: Stroke, value: impl Fn(&ServerSample) -> Option<f64>) -> Line {
        self.line("plain", stroke, |seconds| {
            let values = seconds.iter().filter_map(|s| value(&s.server));
            values.max_by(f64::total_cmp)
        })
    }

    fn own_latency(&self) -> Vec<Line> {
        let ms = |micros: Option<f64>| micros.map(|m| m / 1e3);
        vec![
            self.standing(Stroke::Dashed, |s| ms(s.write_p99_micros)),
            self.standing(Stroke::Strong, |s| ms(s.read_p99_micros)),
        ]
    }
}

/// Nothing between two whole numbers.
fn whole_number(value: f64) -> String {
    match value.fract() {
        0.0 => number(value),
        _ => String::new(),
    }
}

fn number(value: f64) -> String {
    units::trimmed(&units::rate(value))
}
