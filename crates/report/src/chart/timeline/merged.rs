//! Puts the panels of several charts over each other.

use crate::chart::line::Line;
use crate::chart::palette::nth_class;
use crate::chart::panel::Panel;

/// Returns the panels with the lines of all charts, which have the same panels in the same order. Colours and marks are
/// those of the charts' places. Lines and panels without a value are left out.
pub fn merged(charts: impl IntoIterator<Item = Vec<Panel>>) -> Vec<Panel> {
    let mut merged: Vec<Panel> = Vec::new();
    for (place, panels) in charts.into_iter().enumerate() {
        for (number, panel) in panels.into_iter().enumerate() {
            let known = panel.lines.into_iter().filter(has_value);
            let lines: Vec<Line> = known.map(|line| at_place(place, line)).collect();
            match merged.get_mut(number) {
                Some(of_all) => of_all.lines.extend(lines),
                None => merged.push(Panel { lines, ..panel }),
            }
        }
    }
    merged.retain(Panel::has_values);
    merged
}

fn has_value(line: &Line) -> bool {
    line.points.iter().any(|(_, value)| value.is_some())
}

fn at_place(place: usize, line: Line) -> Line {
    Line {
        class: nth_class(place),
        mark: Some(place),
        ..line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::line::Stroke;
    use crate::chart::timeline::panels::tests::panel;

    #[test]
    fn lines_of_all_charts_have_their_places_and_what_nobody_knows_is_left_out() {
        let merged = merged([
            vec![
                panel("a", &[None]),
                panel("b", &[None]),
                panel("c", &[Some(1.0)]),
            ],
            vec![
                panel("a", &[Some(2.0), None]),
                panel("b", &[]),
                panel("c", &[Some(3.0)]),
            ],
        ]);
        let headings: Vec<&str> = merged.iter().map(|panel| panel.heading.as_str()).collect();
        assert_eq!(headings, ["a", "c"]);
        let places = |panel: &Panel| -> Vec<Option<usize>> {
            panel.lines.iter().map(|line| line.mark).collect()
        };
        assert_eq!(places(&merged[0]), [Some(1)]);
        assert_eq!(places(&merged[1]), [Some(0), Some(1)]);
        assert_eq!(merged[1].lines[1].class, nth_class(1));
        assert_eq!(merged[1].lines[1].points, [(1.0, Some(3.0))]);
        assert_eq!(merged[1].lines[1].stroke, Stroke::Dashed);
    }
}
