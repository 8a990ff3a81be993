//! Draws the rate of a design by the number of nodes, with a dashed line for what is in proportion to the smallest
//! cluster.

use bakeoff_stats::DesignInfo;
use bakeoff_stats::per_node::{AtNodes, Scaling};

use super::log_lines::LogLines;
use crate::units;

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
        below: "nodes, both axes logarithmic",
        most: None,
        number: nodes,
        figure: units::rate,
        lines: vec![(
            info,
            points.map(|at| (f64::from(at.nodes), at.rate)).collect(),
        )],
        expected: [
            (f64::from(first.nodes), first.rate),
            (f64::from(last.nodes), last.rate / last.of_linear),
        ],
    };
    chart.svg()
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
