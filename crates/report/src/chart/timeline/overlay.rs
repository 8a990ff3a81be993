//! Draws several trials over one time axis: alternatives from their starts on, or one after the other.

use bakeoff_stats::drive::{OperationCounts, SecondCounts, TrialSummary};

use super::growth::Moment;
use super::merged::merged;
use super::panels::Panels;
use super::server::ServerSeries;
use super::{FROM_THE_START, LEFT, RIGHT, few_points, most_points, number, stacked, width_of};
use crate::chart::Size;
use crate::chart::line::{Line, Points, Stroke};
use crate::chart::palette::nth_class;
use crate::chart::panel::Panel;
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
    let most = most_points(size);
    let servers = servers(trials, most);
    let server = merged(servers.iter().map(ServerSeries::main_figures));
    let panels = Panels::new(client(trials, operation, most), server);
    drawn(title, trials, &panels, size)
}

/// Draws what else is known of the servers of these trials, or returns `None` if nothing is.
pub fn overlay_of_servers(title: &str, trials: &[Overlaid], size: Size) -> Option<String> {
    let servers = servers(trials, few_points(size));
    let server = merged(servers.iter().map(ServerSeries::further_figures));
    drawn(title, trials, &Panels::new(Vec::new(), server), size)
}

/// Draws panels that have values, or returns `None` if there are none or no trial has a second.
fn drawn(title: &str, trials: &[Overlaid], panels: &Panels, size: Size) -> Option<String> {
    let ends = trials.iter().filter(|t| !t.trial.seconds.is_empty());
    let end = ends.map(|t| t.begins + t.trial.duration).reduce(f64::max)?;
    if panels.drawn.is_empty() {
        return None;
    }
    let width = width_of(size);
    // The axis has whole seconds.
    let x = Scale::up_to(end.ceil().max(1.0), LEFT, width - RIGHT);
    let (content, height) = stacked(panels, &x, width, FROM_THE_START, |_| String::new());
    Some(crate::chart::svg(
        width,
        height,
        title,
        &description(trials, panels),
        &content,
    ))
}

/// Returns the samples of the trials' servers on the axis of the chart.
fn servers<'a>(trials: &[Overlaid<'a>], most: usize) -> Vec<ServerSeries<'a>> {
    let series = |trial: &Overlaid<'a>| {
        let moments = Moment::of_seconds(&trial.trial.seconds).into_iter();
        let moved = moments.map(|moment| Moment {
            from: trial.begins + moment.from,
            at: trial.begins + moment.at,
            ..moment
        });
        ServerSeries::new(moved.collect(), most)
    };
    trials.iter().map(series).collect()
}

/// Makes the panels of what the client saw.
fn client(trials: &[Overlaid], operation: Option<(usize, &str)>, most: usize) -> Vec<Panel> {
    let (place_drawn, name_drawn) = operation.unzip();
    let name_drawn = name_drawn.unwrap_or("the slowest operation");
    let all = |line: &dyn Fn(&Overlaid) -> Points| -> Vec<Line> {
        let lines = trials.iter().enumerate();
        let lines = lines.map(|(place, trial)| Line {
            class: nth_class(place),
            stroke: Stroke::Strong,
            mark: Some(place),
            points: grouped(&line(trial), most),
        });
        lines.collect()
    };
    vec![
        Panel {
            heading: format!("Response time p99 of {name_drawn}"),
            height: LATENCY_HEIGHT,
            logarithmic: true,
            lines: all(&|trial| response(trial, place_drawn)),
            tick: |seconds| units::trimmed(&units::duration(seconds)),
        },
        Panel {
            heading: "Operations a second".to_owned(),
            height: PANEL_HEIGHT,
            logarithmic: false,
            lines: all(&rates),
            tick: number,
        },
    ]
}

/// Returns the seconds in which operations became due, with the part of each, from 0 to 1.
fn parts<'a>(trial: &'a Overlaid<'_>) -> impl Iterator<Item = (&'a SecondCounts, f64)> {
    let duration = trial.trial.duration;
    let seconds = trial.trial.seconds.iter();
    let parts = seconds.map(move |counts| (counts, (duration - f64::from(counts.second)).min(1.0)));
    parts.filter(|(_, part)| *part >= SHORTEST_PART)
}

fn rates(trial: &Overlaid) -> Points {
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
fn response(trial: &Overlaid, place: Option<usize>) -> Points {
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
fn grouped(points: &[(f64, Option<f64>)], most: usize) -> Points {
    let each = points.len().div_ceil(most).max(1);
    let mean = |group: &[(f64, Option<f64>)]| {
        let at = group.iter().map(|(at, _)| at).sum::<f64>() / group.len() as f64;
        let known: Vec<f64> = group.iter().filter_map(|(_, value)| *value).collect();
        let value = known.iter().sum::<f64>() / known.len() as f64;
        (at, value.is_finite().then_some(value))
    };
    points.chunks(each).map(mean).collect()
}

fn description(trials: &[Overlaid], panels: &Panels) -> String {
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
    format!("{}. {}", names.join("; "), panels.described())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_points_are_joined_and_gaps_stay() {
        let points: Points = (0..480)
            .map(|n| (f64::from(n), Some(f64::from(n))))
            .collect();
        let joined = grouped(&points, 240);
        assert_eq!((joined.len(), joined[0]), (240, (0.5, Some(0.5))));
        assert_eq!(grouped(&[(1.0, None)], 240), [(1.0, None)]);
        assert!(grouped(&[], 240).is_empty());
    }
}
