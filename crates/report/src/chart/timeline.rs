//! Draws what client and server did on one time axis: of a trial second by second, and of the steps of a run or sweep.

mod growth;
mod merged;
mod overlay;
mod panels;
mod series;
mod server;
mod steps;

use std::fmt::Write;

use bakeoff_stats::drive::{DriveHeader, NodeAdded, TrialSummary};

use super::Size;
use super::panel::GAP;
use super::placement::Rectangle;
use super::scale::Scale;
use crate::units;
pub use overlay::{Overlaid, overlay, overlay_of_servers};
use panels::Panels;
use series::Series;
pub use steps::{StepsOf, parts_of_steps, steps, steps_together};

const AXIS: f64 = 38.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
/// Name of the time axis of a load.
const FROM_THE_START: &str = "seconds from the start";
/// Most points of a line; in longer trials, each point covers several seconds. In a chart of [`Size::Phone`] half as
/// many are as near to each other.
pub const MOST_POINTS: usize = 240;

/// Draws the chart, with lines where the joining of a node began and ended, if one was added. Returns `None` for a
/// trial without a second.
pub fn timeline(
    header: &DriveHeader,
    trial: &TrialSummary,
    node: Option<&NodeAdded>,
    size: Size,
) -> Option<String> {
    let end = f64::from(trial.seconds.last()?.second) + 1.0;
    let width = width_of(size);
    let x = Scale::up_to(end, LEFT, width - RIGHT);
    let series = Series::new(header, trial, most_points(size));
    let panels = Panels::new(series.client(), series.server());
    let (content, height) = stacked(&panels, &x, width, FROM_THE_START, |plot| {
        left_out(trial, &x, plot) + &joining(node, &x, plot)
    });
    let title = format!(
        "{}, {}, second by second",
        trial.start.design, trial.start.schedule
    );
    Some(super::svg(
        width,
        height,
        &title,
        &description(trial, &panels),
        &content,
    ))
}

fn width_of(size: Size) -> f64 {
    match size {
        Size::Wide => 760.0,
        Size::Phone => 360.0,
    }
}

/// Returns the most points of a line that a chart of this size has room for.
fn most_points(size: Size) -> usize {
    match size {
        Size::Wide => MOST_POINTS,
        Size::Phone => MOST_POINTS / 2,
    }
}

/// Returns the most points of a line where several servers have many lines.
fn few_points(size: Size) -> usize {
    most_points(size) / 4
}

/// Draws panels below one another, each over what `behind` draws into its plot; below them the time axis with its name,
/// and which figures stayed 0. Returns the height of the chart, too.
fn stacked(
    panels: &Panels,
    x: &Scale,
    width: f64,
    name: &str,
    behind: impl Fn(&Rectangle) -> String,
) -> (String, f64) {
    let mut content = String::new();
    let mut top = 0.0;
    for panel in &panels.drawn {
        let top_of_plot = top + panel.above(width - RIGHT - LEFT);
        let plot = Rectangle {
            left: LEFT,
            top: top_of_plot,
            right: width - RIGHT,
            bottom: top_of_plot + panel.height,
        };
        content += &behind(&plot);
        content += &panel.svg(x, &plot);
        top = plot.bottom + GAP;
    }
    let bottom = top - GAP;
    content += &time_axis(x, bottom, width, name);
    let (zero, height) = panels.zero_svg(LEFT, bottom + AXIS, width - RIGHT - LEFT);
    (content + &zero, bottom + AXIS + height)
}

/// Shades the warm-up, and the seconds after the last operation was due.
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

/// Draws lines where the joining of a node began and where it ended.
fn joining(node: Option<&NodeAdded>, x: &Scale, plot: &Rectangle) -> String {
    let moments = node.map(|node| [Some((node.began, "a node was started")), ended(node)]);
    let lines = moments.into_iter().flatten().flatten().map(|(at, what)| {
        format!(
            "<path class=\"limit\" d=\"M{:.1} {:.1}V{:.1}\"><title>{what} {at:.0} s from the start</title></path>\n",
            x.at(at).min(plot.right),
            plot.top,
            plot.bottom
        )
    });
    lines.collect()
}

fn ended(node: &NodeAdded) -> Option<(f64, &'static str)> {
    let what = if node.failed.is_some() {
        "the node could not join"
    } else {
        "the node had joined"
    };
    Some((node.ended?, what))
}

fn time_axis(x: &Scale, bottom: f64, width: f64, name: &str) -> String {
    let mut axis = String::new();
    // Values are per second, so labels between seconds would promise too much.
    for tick in x.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
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
         y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
        width - RIGHT,
        (LEFT + width - RIGHT) / 2.0,
        bottom + 33.0
    );
    axis
}

/// Writes the value of a tick.
fn number(value: f64) -> String {
    units::trimmed(&units::rate(value))
}

fn description(trial: &TrialSummary, panels: &Panels) -> String {
    format!(
        "{:.0} s, of which the first {} are left out as warm-up; {} operations a second after that. {}",
        trial.duration,
        trial.warm_up_seconds,
        units::rate(trial.figures.ops_per_second),
        panels.described()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_whole_seconds_and_none_comes_twice() {
        let labels = |seconds: f64| {
            let x = Scale::up_to(seconds, LEFT, 700.0);
            let axis = time_axis(&x, 0.0, 714.0, FROM_THE_START);
            let labels = axis.split("\"middle\">").skip(1);
            let labels = labels.map(|rest| rest.split('<').next().unwrap().to_owned());
            labels.collect::<Vec<_>>()
        };
        let name = FROM_THE_START;
        assert_eq!(labels(1.0), ["0", "1", name]);
        assert_eq!(labels(2.0), ["0", "1", "2", name]);
        assert_eq!(labels(60.0), ["0", "20", "40", "60", name]);
    }
}
