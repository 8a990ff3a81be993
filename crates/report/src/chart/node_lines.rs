//! Draws rates, times of a node and rates for money by the number of nodes, with a dashed line for what is in
//! proportion to the smallest cluster.

use bakeoff_stats::DesignInfo;
use bakeoff_stats::per_node::{AtNodes, Scaling};

use super::log_lines::{LogLines, of_designs};
use crate::units;

/// What is on the axis below.
const BELOW: &str = "nodes, both axes logarithmic";

/// Draws the chart of a design, whose rates count `what`, such as `rows`; returns `None` without two sizes.
pub fn node_lines(info: &DesignInfo, scaling: &Scaling, what: &str) -> Option<String> {
    let (first, last) = match scaling.points.as_slice() {
        [first, .., last] => (first, last),
        _ => return None,
    };
    let points = scaling.points.iter();
    let in_words: Vec<String> = points.clone().map(|at| in_words(at, what)).collect();
    let chart = LogLines {
        title: &format!(
            "{} per second by nodes, next to what is in proportion to them",
            info.id
        ),
        description: format!("{}: {}.", info.id, in_words.join(", ")),
        below: BELOW,
        most: None,
        number: nodes,
        figure: units::rate,
        lines: of_designs(std::iter::once((
            info,
            points.map(|at| (f64::from(at.nodes), at.rate)).collect(),
        ))),
        expected: Some([
            (f64::from(first.nodes), first.rate),
            (f64::from(last.nodes), last.rate / last.of_linear),
        ]),
    };
    chart.svg()
}

/// Draws the seconds of a node that each of `what` takes, such as each row, by the number of nodes; returns `None`
/// without two sizes. Of a rate in proportion to the nodes they are the same on every size.
pub fn node_time_lines(info: &DesignInfo, scaling: &Scaling, what: &str) -> Option<String> {
    let points = { scaling.points.iter() }
        .map(|at| (at.nodes, f64::from(at.nodes.max(1)) / at.rate))
        .collect();
    Level {
        title: &format!(
            "Time of a node for each of the {what} of {} by nodes",
            info.id
        ),
        figure: units::duration,
        unit: "of a node each",
        points,
    }
    .svg(info)
}

/// Draws the rate for one unit of the currency a month by the number of nodes, of points in the order of their nodes;
/// returns `None` without two of them. Of a rate in proportion to the nodes it is the same on every size.
pub fn money_lines(
    info: &DesignInfo,
    points: Vec<(u32, f64)>,
    what: &str,
    currency: &str,
) -> Option<String> {
    Level {
        title: &format!(
            "{} per second for each {currency} a month of {} by nodes",
            what, info.id
        ),
        figure: units::rate,
        unit: &format!("{what}/s per {currency}/month"),
        points,
    }
    .svg(info)
}

/// Draws the times of a question by the number of nodes, a line for each design; returns `None` if no design has two
/// sizes. The dashed line begins at the fastest design on the smallest cluster, and is a time in inverse proportion to
/// the nodes.
pub fn question_lines(
    question: &str,
    designs: &[(&DesignInfo, Vec<(u32, f64)>)],
) -> Option<String> {
    let all = || designs.iter().flat_map(|(_, points)| points);
    let sizes = || all().map(|(nodes, _)| *nodes);
    let (fewest, most) = (sizes().min()?, sizes().max()?);
    if fewest == most {
        return None;
    }
    let of_fewest = all().filter(|(nodes, _)| *nodes == fewest);
    let fastest = { of_fewest.map(|(_, seconds)| *seconds) }.min_by(f64::total_cmp)?;
    let in_words = |(info, points): &(&DesignInfo, Vec<(u32, f64)>)| {
        let times = points.iter().map(|(nodes, seconds)| {
            let nodes = units::plural(u64::from(*nodes), "node", "nodes");
            format!("{} on {nodes}", units::duration(*seconds))
        });
        format!("{}: {}.", info.id, times.collect::<Vec<_>>().join(", "))
    };
    let (from, to) = (f64::from(fewest.max(1)), f64::from(most));
    let chart = LogLines {
        title: &format!("Median time of {question} by nodes, a line for each design"),
        description: designs.iter().map(in_words).collect::<Vec<_>>().join(" "),
        below: BELOW,
        most: None,
        number: nodes,
        figure: units::duration,
        lines: of_designs(designs.iter().map(|(info, points)| (*info, placed(points)))),
        expected: Some([(from, fastest), (to, fastest * from / to)]),
    };
    chart.svg()
}

/// A figure by the number of nodes that is level where a rate is in proportion to them.
struct Level<'a> {
    title: &'a str,
    figure: fn(f64) -> String,
    /// What stands behind a figure in words.
    unit: &'a str,
    points: Vec<(u32, f64)>,
}

impl Level<'_> {
    fn svg(&self, info: &DesignInfo) -> Option<String> {
        let (first, last) = match self.points.as_slice() {
            [first, .., last] => (first, last),
            _ => return None,
        };
        let in_words = self.points.iter().map(|(nodes, figure)| {
            let nodes = units::plural(u64::from(*nodes), "node", "nodes");
            format!("{} {} on {nodes}", (self.figure)(*figure), self.unit)
        });
        let in_words: Vec<String> = in_words.collect();
        let chart = LogLines {
            title: self.title,
            description: format!("{}: {}.", info.id, in_words.join(", ")),
            below: BELOW,
            most: None,
            number: nodes,
            figure: self.figure,
            lines: of_designs(std::iter::once((info, placed(&self.points)))),
            expected: Some([(f64::from(first.0), first.1), (f64::from(last.0), first.1)]),
        };
        chart.svg()
    }
}

fn placed(points: &[(u32, f64)]) -> Vec<(f64, f64)> {
    let points = points.iter();
    points
        .map(|(nodes, figure)| (f64::from(*nodes), *figure))
        .collect()
}

/// Says the rate of a cluster: `9.00 k rows/s on 3 nodes, 90% of linear`.
fn in_words(at: &AtNodes, what: &str) -> String {
    let nodes = units::plural(u64::from(at.nodes), "node", "nodes");
    let share = 100.0 * at.of_linear;
    format!(
        "{} {what}/s on {nodes}, {share:.0}% of linear",
        units::rate(at.rate)
    )
}

/// Writes a number of nodes for the axis; between none and one there is nothing to say.
fn nodes(number: f64) -> String {
    if number < 1.0 {
        String::new()
    } else {
        units::count(number.round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_names_whole_nodes() {
        assert_eq!([0.5, 1.0, 5.0, 1000.0].map(nodes), ["", "1", "5", "1,000"]);
    }
}
