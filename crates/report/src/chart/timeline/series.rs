//! Makes the panels of a trial's chart, one for each quantity, all over the same seconds: of its operations, and of
//! the server below them.

use bakeoff_stats::drive::{DriveHeader, OperationCounts, SecondCounts, TrialSummary};

use super::growth::Moment;
use super::number;
use super::server::ServerSeries;
use crate::chart::line::{Line, Stroke};
use crate::chart::palette::nth_class;
use crate::chart::panel::Panel;
use crate::units;

const LATENCY_HEIGHT: f64 = 150.0;
const RATE_HEIGHT: f64 = 92.0;
const PANEL_HEIGHT: f64 = 62.0;

/// The seconds of a trial, grouped into points.
pub struct Series<'a> {
    header: &'a DriveHeader,
    /// Consecutive seconds that share a point.
    points: Vec<&'a [SecondCounts]>,
    seconds: &'a [SecondCounts],
    /// Most points of a line.
    most: usize,
}

impl<'a> Series<'a> {
    pub fn new(header: &'a DriveHeader, trial: &'a TrialSummary, most: usize) -> Series<'a> {
        let seconds = trial.seconds.as_slice();
        Series {
            header,
            points: seconds
                .chunks(seconds.len().div_ceil(most).max(1))
                .collect(),
            seconds,
            most,
        }
    }

    /// Makes the panels of what the client saw.
    pub fn client(&self) -> Vec<Panel> {
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
            Panel {
                height: RATE_HEIGHT,
                ..panel(self.rate_heading(), self.rates(), number)
            },
            panel("Failed operations a second", self.failures(), number),
        ]
    }

    /// Makes the panels of what the server did.
    pub fn server(&self) -> Vec<Panel> {
        let moments = Moment::of_seconds(self.seconds);
        ServerSeries::new(moments, self.most).panels()
    }

    /// Makes a line whose points are in the middle of their seconds.
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

    fn has_several_operations(&self) -> bool {
        self.header.operations.len() > 1
    }

    /// Makes the strong line of an operation, with a mark if there are several operations.
    fn operation_line(&self, place: usize, value: impl Fn(&[SecondCounts]) -> Option<f64>) -> Line {
        Line {
            mark: self.has_several_operations().then_some(place),
            ..self.line(&nth_class(place), Stroke::Strong, value)
        }
    }

    fn latency(&self) -> Vec<Line> {
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
                [
                    p50,
                    self.operation_line(place, worst(place, |c| c.response_p99_ns)),
                ]
            })
            .collect()
    }

    fn rate_heading(&self) -> &'static str {
        if self.has_several_operations() {
            "Operations a second: each, all dashed"
        } else {
            "Operations a second"
        }
    }

    /// Makes a line for each operation, and one for their sum if there are several.
    fn rates(&self) -> Vec<Line> {
        let all = self.has_several_operations().then(|| {
            self.line("plain", Stroke::Dashed, |seconds| {
                mean(seconds, SecondCounts::successes)
            })
        });
        let each = (0..self.header.operations.len()).map(|place| {
            self.operation_line(place, |seconds| {
                mean(seconds, |s| s.operations[place].successes)
            })
        });
        all.into_iter().chain(each).collect()
    }

    /// Makes the line of failures, or none if nothing failed.
    fn failures(&self) -> Vec<Line> {
        let failed = self.line("missed", Stroke::Strong, |seconds| {
            mean(seconds, SecondCounts::failed)
        });
        let any = self.seconds.iter().any(|s| s.failed() > 0);
        any.then_some(failed).into_iter().collect()
    }
}

/// Returns the mean per second over several seconds.
fn mean(seconds: &[SecondCounts], done: impl Fn(&SecondCounts) -> u64) -> Option<f64> {
    let done: u64 = seconds.iter().map(done).sum();
    Some(done as f64 / seconds.len() as f64)
}
