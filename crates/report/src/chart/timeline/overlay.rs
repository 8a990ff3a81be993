//! Draws several trials over one time axis: alternatives from their starts on, or one after the other.

use bakeoff_stats::drive::{OperationCounts, SecondCounts, ServerSample, TrialSummary};

use super::growth::{self, Moment};
use super::{AXIS, FROM_THE_START, LEFT, RIGHT, most_points, stacked, time_axis, width_of};
use crate::chart::Size;
use crate::chart::line::{Line, Stroke};
use crate::chart::palette::nth_class;
use crate::chart::panel::{GAP, Panel};
use crate::chart::scale::Scale;
use crate::units;

const LATENCY_HEIGHT: f64 = 130.0;
const PANEL_HEIGHT: f64 = 92.0;
/// Shortest part of a last second whose rate is drawn: that of less would hang on a few operations.
const SHORTEST_PART: f64 = 0.1;

/// A trial as one of several.
pub struct Overlaid<'a> {
    pub name: &'a str,
    pub trial: &'a TrialSummary,
    /// Seconds from the start of the axis to that of the trial.
    pub begins: f64,
}

/// Draws the chart, or returns `None` if no trial has a second. Colours and marks are those of the trials'
/// places. Response times are those of `operation`, by its place and name, or of the slowest one of each second.
pub fn overlay(
    title: &str,
    trials: &[Overlaid],
    operation: Option<(usize, &str)>,
    size: Size,
) -> Option<String> {
    let ends = trials.iter().filter(|t| !t.trial.seconds.is_empty());
    let end = ends.map(|t| t.begins + t.trial.duration).reduce(f64::max)?;
    let width = width_of(size);
    // The axis has whole seconds.
    let x = Scale::up_to(end.ceil().max(1.0), LEFT, width - RIGHT);
    let panels: Vec<Panel> = panels(trials, operation, most_points(size))
        .into_iter()
        .filter(Panel::has_values)
        .collect();
    let (mut content, bottom) = stacked(&panels, &x, width, |_| String::new());
    content += &time_axis(&x, bottom - GAP, width, FROM_THE_START);
    Some(crate::chart::svg(
        width,
        bottom - GAP + AXIS,
        title,
        &description(trials, &panels),
        &content,
    ))
}

fn panels(trials: &[Overlaid], operation: Option<(usize, &str)>, most: usize) -> Vec<Panel> {
    let (place_drawn, name_drawn) = operation.unzip();
    let name_drawn = name_drawn.unwrap_or("the slowest operation");
    let all = |line: &dyn Fn(usize, &Overlaid) -> Vec<Line>| -> Vec<Line> {
        let lines = trials.iter().enumerate();
        lines
            .flat_map(|(place, trial)| line(place, trial))
            .collect()
    };
    let panel = |heading: &str, lines: Vec<Line>| Panel {
        heading: heading.to_owned(),
        height: PANEL_HEIGHT,
        logarithmic: false,
        lines,
        tick: |number| units::trimmed(&units::rate(number)),
    };
    vec![
        Panel {
            height: LATENCY_HEIGHT,
            logarithmic: true,
            tick: |seconds| units::trimmed(&units::duration(seconds)),
            ..panel(
                &format!("Response time p99 of {name_drawn}"),
                all(&|place, trial| {
                    vec![line(place, grouped(&response(trial, place_drawn), most))]
                }),
            )
        },
        panel(
            "Operations a second",
            all(&|place, trial| vec![line(place, grouped(&rates(trial), most))]),
        ),
        panel(
            "Server CPU, cores in use",
            all(&|place, trial| grown(place, trial, most, Stroke::Strong, |s| s.cpu_seconds)),
        ),
        panel(
            "Server disk, MB/s: read, written dashed",
            all(&|place, trial| {
                let megabytes = |bytes: Option<u64>| bytes.map(|b| b as f64 / 1e6);
                let written = grown(place, trial, most, Stroke::Dashed, |s| {
                    megabytes(s.disk_written_bytes)
                });
                let read = grown(place, trial, most, Stroke::Strong, |s| {
                    megabytes(s.disk_read_bytes)
                });
                written.into_iter().chain(read).collect()
            }),
        ),
        panel(
            "Garbage collection pauses, ms/s",
            all(&|place, trial| {
                grown(place, trial, most, Stroke::Strong, |s| {
                    s.gc_seconds.map(|seconds| seconds * 1e3)
                })
            }),
        ),
    ]
}

fn line(place: usize, points: Vec<(f64, Option<f64>)>) -> Line {
    Line {
        class: nth_class(place),
        stroke: Stroke::Strong,
        mark: Some(place),
        points,
    }
}

/// Makes the line of the growth of a counter, or none if it is known less than twice.
fn grown(
    place: usize,
    trial: &Overlaid,
    most: usize,
    stroke: Stroke,
    value: impl Fn(&ServerSample) -> Option<f64>,
) -> Vec<Line> {
    let moments = Moment::of_seconds(&trial.trial.seconds);
    let line = growth::line(&moments, most, stroke, value);
    let moved = line.map(|line| Line {
        class: nth_class(place),
        mark: Some(place),
        points: { line.points.iter() }
            .map(|(at, value)| (trial.begins + at, *value))
            .collect(),
        ..line
    });
    moved.into_iter().collect()
}

/// Returns the seconds in which operations became due, with the part of each, from 0 to 1.
fn parts<'a>(trial: &'a Overlaid<'_>) -> impl Iterator<Item = (&'a SecondCounts, f64)> {
    let duration = trial.trial.duration;
    let seconds = trial.trial.seconds.iter();
    let parts = seconds.map(move |counts| (counts, (duration - f64::from(counts.second)).min(1.0)));
    parts.filter(|(_, part)| *part >= SHORTEST_PART)
}

fn rates(trial: &Overlaid) -> Vec<(f64, Option<f64>)> {
    let rate = |(counts, part): (&SecondCounts, f64)| {
        let middle = f64::from(counts.second) + part / 2.0;
        (
            trial.begins + middle,
            Some(counts.successes() as f64 / part),
        )
    };
    parts(trial).map(rate).collect()
}

/// Returns the p99 of each second: of the operation at a place, or of the slowest one.
fn response(trial: &Overlaid, place: Option<usize>) -> Vec<(f64, Option<f64>)> {
    let is_drawn = |(of, counts): &(usize, &OperationCounts)| {
        counts.successes > 0 && place.is_none_or(|place| place == *of)
    };
    let p99 = |counts: &OperationCounts| counts.response_p99_ns as f64 / 1e9;
    let of_second = |(counts, part): (&SecondCounts, f64)| {
        let some = counts.operations.iter().enumerate().filter(is_drawn);
        let middle = f64::from(counts.second) + part / 2.0;
        let times = some.map(|(_, counts)| p99(counts));
        (trial.begins + middle, times.reduce(f64::max))
    };
    parts(trial).map(of_second).collect()
}

/// Joins consecutive points to no more than `most`, with the mean of each group.
fn grouped(points: &[(f64, Option<f64>)], most: usize) -> Vec<(f64, Option<f64>)> {
    let each = points.len().div_ceil(most).max(1);
    let mean = |group: &[(f64, Option<f64>)]| {
        let at = group.iter().map(|(at, _)| at).sum::<f64>() / group.len() as f64;
        let known: Vec<f64> = group.iter().filter_map(|(_, value)| *value).collect();
        let value = known.iter().sum::<f64>() / known.len() as f64;
        (at, value.is_finite().then_some(value))
    };
    points.chunks(each).map(mean).collect()
}

fn description(trials: &[Overlaid], panels: &[Panel]) -> String {
    let names: Vec<String> = trials
        .iter()
        .map(|t| {
            format!(
                "{} from second {:.0} on for {}",
                t.name,
                t.begins,
                units::duration(t.trial.duration)
            )
        })
        .collect();
    let panels: Vec<&str> = panels.iter().map(|p| p.heading.as_str()).collect();
    format!(
        "{}. From top to bottom: {}.",
        names.join("; "),
        panels.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_are_joined_and_gaps_stay() {
        let points: Vec<(f64, Option<f64>)> = (0..480)
            .map(|n| (f64::from(n), Some(f64::from(n))))
            .collect();
        let joined = grouped(&points, 240);
        assert_eq!((joined.len(), joined[0]), (240, (0.5, Some(0.5))));
        assert_eq!(grouped(&[(1.0, None)], 240), [(1.0, None)]);
        assert!(grouped(&[], 240).is_empty());
    }
}
