//! Draws what the servers of several designs did on one time axis, each from the first of its sampled steps on.

use bakeoff_stats::ServerWindow;

use super::super::merged::merged;
use super::super::panels::Panels;
use super::super::server::ServerSeries;
use super::super::{LEFT, RIGHT, few_points, stacked, width_of};
use super::{Laid, client, laid_in_parts, moments};
use crate::chart::Size;
use crate::chart::panel::Panel;
use crate::chart::scale::Scale;
use crate::units;

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
        !server(&[laid_in_parts(self.windows)], 1).is_empty()
    }
}

/// Draws the chart, or returns `None` if nothing is known of the servers. Colours and marks are those of the designs'
/// places.
pub fn steps_together(title: &str, designs: &[StepsOf], size: Size) -> Option<String> {
    let laid: Vec<Vec<Laid>> = { designs.iter() }
        .map(|design| laid_in_parts(design.windows))
        .collect();
    let ends = laid.iter().filter_map(|steps| steps.last());
    let end = ends.map(|last| last.to).reduce(f64::max)?;
    let most = few_points(size);
    let server = server(&laid, most);
    if server.is_empty() {
        return None;
    }
    let client = merged(laid.iter().map(|steps| client(steps, most)));
    let panels = Panels::new(client, server);
    let width = width_of(size);
    let x = Scale::up_to(end.max(1.0), LEFT, width - RIGHT);
    let (content, height) = stacked(&panels, &x, width, SINCE_THE_FIRST, |_| String::new());
    Some(crate::chart::svg(
        width,
        height,
        title,
        &description(designs, &laid, &panels),
        &content,
    ))
}

/// Makes the panels of what is known of the servers.
fn server(designs: &[Vec<Laid>], most: usize) -> Vec<Panel> {
    let panels = designs.iter().map(|steps| {
        let series = ServerSeries::new(moments(steps), most);
        let further = series.further_figures();
        series.main_figures().into_iter().chain(further).collect()
    });
    merged(panels)
}

fn description(designs: &[StepsOf], laid: &[Vec<Laid>], panels: &Panels) -> String {
    let lasted = |laid: &[Laid]| laid.last().map_or(0.0, |last| last.to);
    let designs: Vec<String> = { designs.iter().zip(laid) }
        .map(|(design, laid)| format!("{} for {}", design.name, units::duration(lasted(laid))))
        .collect();
    format!("{}. {}", designs.join("; "), panels.described())
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{During, ServerSample};

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
        let laid: Vec<Vec<Laid>> = { designs.iter() }
            .map(|design| laid_in_parts(design.windows))
            .collect();
        let panels = server(&laid, 120);
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
        // What the client saw in these steps is above it, on the same axis.
        let seen = chart.find("Rows a second, by the client</text>").unwrap();
        assert!(seen < chart.find("Server CPU, cores in use</text>").unwrap());
        assert!(!chart.contains("Time of an answer"), "{chart}");
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
