//! Draws what the servers of several designs did on one time axis, each from the first of its sampled steps on.

use bakeoff_stats::{ServerSample, ServerWindow};

use super::super::growth::{self, Moment};
use super::super::{AXIS, LEFT, RIGHT, most_points, number, stacked, time_axis, width_of};
use super::{Laid, laid_in_parts, moments};
use crate::chart::Size;
use crate::chart::line::{Line, Stroke};
use crate::chart::palette::nth_class;
use crate::chart::panel::{GAP, Panel};
use crate::chart::scale::Scale;
use crate::units;

const PANEL_HEIGHT: f64 = 92.0;
/// Name of the time axis.
const SINCE_THE_FIRST: &str = "seconds of a design's sampled steps, end to end";

/// A design with the steps in which its server was sampled.
pub struct StepsOf<'a> {
    pub name: &'a str,
    pub windows: &'a [&'a ServerWindow],
}

impl StepsOf<'_> {
    /// Returns whether some of what is drawn of several designs is known of its server, at least once.
    pub fn has_figures(&self) -> bool {
        let panels = panels(&[moments(&laid_in_parts(self.windows))], 1);
        panels.iter().any(Panel::has_values)
    }
}

/// Draws the chart, or returns `None` if nothing of it is known. Colours and marks are those of the designs' places.
/// Lines have half as many points as in the chart of one design, since there are several.
pub fn steps_together(title: &str, designs: &[StepsOf], size: Size) -> Option<String> {
    let laid: Vec<Vec<Laid>> = { designs.iter() }
        .map(|design| laid_in_parts(design.windows))
        .collect();
    let ends = laid.iter().filter_map(|steps| steps.last());
    let end = ends.map(|last| last.to).reduce(f64::max)?;
    let moments: Vec<Vec<Moment>> = laid.iter().map(|steps| moments(steps)).collect();
    let panels: Vec<Panel> = panels(&moments, most_points(size) / 2)
        .into_iter()
        .filter(Panel::has_values)
        .collect();
    if panels.is_empty() {
        return None;
    }
    let width = width_of(size);
    let x = Scale::up_to(end.max(1.0), LEFT, width - RIGHT);
    let (mut content, bottom) = stacked(&panels, &x, width, |_| String::new());
    content += &time_axis(&x, bottom - GAP, width, SINCE_THE_FIRST);
    Some(crate::chart::svg(
        width,
        bottom - GAP + AXIS,
        title,
        &description(designs, &laid, &panels),
        &content,
    ))
}

fn panels(designs: &[Vec<Moment>], most: usize) -> Vec<Panel> {
    let panel = |heading: &str, lines: Vec<Line>| Panel {
        heading: heading.to_owned(),
        height: PANEL_HEIGHT,
        logarithmic: false,
        lines,
        tick: number,
    };
    let grown = |stroke, value: fn(&ServerSample) -> Option<f64>| -> Vec<Line> {
        let lines = designs.iter().enumerate();
        lines
            .filter_map(|(place, moments)| {
                let line = growth::line(moments, most, stroke, value)?;
                Some(Line {
                    class: nth_class(place),
                    mark: Some(place),
                    ..line
                })
            })
            .collect()
    };
    let written = grown(Stroke::Dashed, |s| Some(s.disk_written_bytes? as f64 / 1e6));
    let read = grown(Stroke::Strong, |s| Some(s.disk_read_bytes? as f64 / 1e6));
    vec![
        panel(
            "Server CPU, cores in use",
            grown(Stroke::Strong, |s| s.cpu_seconds),
        ),
        panel(
            "Server disk, MB/s: read, written dashed",
            [written, read].into_iter().flatten().collect(),
        ),
        panel(
            "Garbage collection pauses, ms/s",
            grown(Stroke::Strong, |s| Some(s.gc_seconds? * 1e3)),
        ),
    ]
}

fn description(designs: &[StepsOf], laid: &[Vec<Laid>], panels: &[Panel]) -> String {
    let lasted = |laid: &[Laid]| laid.last().map_or(0.0, |last| last.to);
    let designs: Vec<String> = { designs.iter().zip(laid) }
        .map(|(design, laid)| format!("{} for {}", design.name, units::duration(lasted(laid))))
        .collect();
    let panels: Vec<&str> = panels.iter().map(|p| p.heading.as_str()).collect();
    format!(
        "{}. From top to bottom: {}.",
        designs.join("; "),
        panels.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::During;

    use super::super::tests::window;
    use super::*;

    #[test]
    fn each_design_has_a_line_from_its_own_first_step_on() {
        let load = || During::Load { slice: 0, rows: 9 };
        let one = [
            window(load(), 2.0, [0.0, 2.0]),
            window(During::Settle, 4.0, [9.0, 11.0]),
        ];
        let two = [window(load(), 8.0, [0.0, 4.0])];
        let [one, two] = [&one[..], &two[..]].map(|all| all.iter().collect::<Vec<_>>());
        let designs = [("<a>", &one), ("b", &two)].map(|(name, windows)| StepsOf { name, windows });
        let moments: Vec<Vec<Moment>> = { designs.iter() }
            .map(|design| moments(&laid_in_parts(design.windows)))
            .collect();
        let panels = panels(&moments, 120);
        let lines = &panels[0].lines;
        let gap = (2.0, None);
        assert_eq!(lines[0].points, [(1.0, Some(1.0)), gap, (4.0, Some(0.5))]);
        assert_eq!(lines[1].points, [(4.0, Some(0.5))]);
        assert_ne!(lines[0].class, lines[1].class);
        let chart = steps_together("both", &designs, Size::Wide).unwrap();
        assert!(
            chart.contains("&lt;a&gt; for 6.00 s; b for 8.00 s."),
            "{chart}"
        );
        assert!(!chart.contains("Server disk"), "{chart}");
    }

    #[test]
    fn without_a_figure_there_is_no_chart() {
        let mut unknown = window(During::Settle, 2.0, [0.0, 1.0]);
        for sample in &mut unknown.samples {
            sample.server = ServerSample {
                pending_compactions: Some(1),
                ..ServerSample::default()
            };
        }
        let windows = [&unknown];
        let design = StepsOf {
            name: "a",
            windows: &windows,
        };
        assert!(!design.has_figures());
        assert_eq!(steps_together("none", &[design], Size::Wide), None);
        let mut once = window(During::Settle, 2.0, [0.0, 1.0]);
        once.samples.pop();
        let design = StepsOf {
            name: "a",
            windows: &[&once],
        };
        assert!(!design.has_figures(), "one sample tells no growth");
        assert_eq!(steps_together("none", &[], Size::Wide), None);
    }
}
