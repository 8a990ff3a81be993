//! Draws what a server did in the steps of a run, or in the settings of a sweep, laid end to end on one time axis.

mod together;

use std::fmt::Write;

use bakeoff_stats::{During, ServerWindow};

use super::growth::{self, Moment, Span};
use super::panels::Panels;
use super::server::ServerSeries;
use super::{LEFT, RIGHT, most_points, number, stacked, width_of};
use crate::chart::Size;
use crate::chart::line::{Line, Points, Stroke};
use crate::chart::panel::Panel;
use crate::chart::placement::Rectangle;
use crate::chart::scale::Scale;
use crate::units;
pub use together::{StepsOf, steps_together};

const CLIENT_HEIGHT: f64 = 92.0;
/// Name of the time axis.
const END_TO_END: &str = "seconds of sampled steps, end to end";
/// Longest time of a step, in seconds, about three years: a damaged record makes no axis without an end.
const LONGEST: f64 = 1e8;
/// More parts than this have neither lines nor gaps between them: the chart has no room for them all.
const MOST_BOUNDARIES: usize = 60;

/// Steps of the same kind that follow each other on the time axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartOfSteps<'a> {
    /// The first step.
    pub first: &'a During,
    /// Second of the time axis at which it begins.
    pub from: f64,
}

/// A step with its place on the time axis.
struct Laid<'a> {
    window: &'a ServerWindow,
    from: f64,
    to: f64,
    part: usize,
}

/// Returns the parts of the time axis of a chart of these steps.
pub fn parts_of_steps<'a>(windows: &[&'a ServerWindow]) -> Vec<PartOfSteps<'a>> {
    parts(&laid(windows))
}

/// Draws the chart, or returns `None` if nothing is known of the server.
pub fn steps(design: &str, windows: &[&ServerWindow], size: Size) -> Option<String> {
    let laid = laid_in_parts(windows);
    let end = laid.last()?.to;
    let parts = parts_of_steps(windows);
    let most = most_points(size);
    let width = width_of(size);
    let x = Scale::up_to(end.max(1.0), LEFT, width - RIGHT);
    let server = ServerSeries::new(moments(&laid), most).panels();
    if !server.iter().any(Panel::has_values) {
        return None;
    }
    let panels = Panels::new(client(&laid, most), server);
    let (content, height) = stacked(&panels, &x, width, END_TO_END, |plot| {
        boundaries(&parts, &x, plot)
    });
    Some(crate::chart::svg(
        width,
        height,
        &format!("{design}: what its server did"),
        &description(end, &parts, &panels),
        &content,
    ))
}

/// Lays steps end to end, in one part if there is no room for the gaps between all parts.
fn laid_in_parts<'a>(windows: &[&'a ServerWindow]) -> Vec<Laid<'a>> {
    let mut laid = laid(windows);
    if laid.last().is_some_and(|last| last.part >= MOST_BOUNDARIES) {
        laid.iter_mut().for_each(|step| step.part = 0);
    }
    laid
}

fn laid<'a>(windows: &[&'a ServerWindow]) -> Vec<Laid<'a>> {
    let mut laid: Vec<Laid<'a>> = Vec::with_capacity(windows.len());
    for window in windows.iter().copied() {
        let (from, part) = match laid.last() {
            None => (0.0, 0),
            Some(last) if last.window.during.is_like(&window.during) => (last.to, last.part),
            Some(last) => (last.to, last.part + 1),
        };
        laid.push(Laid {
            window,
            from,
            to: from + window.seconds.clamp(0.0, LONGEST),
            part,
        });
    }
    laid
}

fn parts<'a>(laid: &[Laid<'a>]) -> Vec<PartOfSteps<'a>> {
    let parts = laid.chunk_by(|a, b| a.part == b.part);
    let parts = parts.map(|part| PartOfSteps {
        first: &part[0].window.during,
        from: part[0].from,
    });
    parts.collect()
}

fn moments<'a>(laid: &[Laid<'a>]) -> Vec<Moment<'a>> {
    let mut moments = Vec::new();
    for (number, step) in laid.iter().enumerate() {
        let mut from = step.from;
        for sample in &step.window.samples {
            let at = (step.from + sample.seconds).clamp(from, step.to);
            moments.push(Moment {
                from,
                at,
                window: number,
                part: step.part,
                sample: &sample.server,
            });
            from = at;
        }
    }
    moments
}

/// Makes the panels of what the client saw of the same steps, in lines of no more than `most` points.
fn client(laid: &[Laid], most: usize) -> Vec<Panel> {
    let panel = |heading: &str, points| Panel {
        heading: heading.to_owned(),
        height: CLIENT_HEIGHT,
        logarithmic: false,
        lines: vec![Line {
            class: "plain".to_owned(),
            stroke: Stroke::Strong,
            mark: None,
            points,
        }],
        tick: number,
    };
    vec![
        panel("Rows a second, by the client", rows_a_second(laid, most)),
        Panel {
            logarithmic: true,
            tick: |seconds| units::trimmed(&units::duration(seconds)),
            ..panel("Time of an answer, by the client", answers(laid, most))
        },
    ]
}

fn rows_a_second(laid: &[Laid], most: usize) -> Points {
    let spans = laid.iter().filter_map(|step| {
        let rows = step.window.during.rows().filter(|rows| *rows > 0)?;
        Some(Span {
            from: step.from,
            to: step.to,
            part: step.part,
            grown: rows as f64,
            seconds: step.window.seconds,
        })
    });
    let spans: Vec<Span> = spans.filter(|span| span.seconds > 0.0).collect();
    if spans.len() > most / 2 {
        return growth::points(&spans, most);
    }
    let mut points = Vec::with_capacity(2 * spans.len());
    for part in spans.chunk_by(|a, b| a.part == b.part) {
        if !points.is_empty() {
            points.push((part[0].from, None));
        }
        for span in part {
            let rate = Some(span.grown / span.seconds);
            points.extend([(span.from, rate), (span.to, rate)]);
        }
    }
    points
}

/// Returns the longest of the answers that share a point.
fn answers(laid: &[Laid], most: usize) -> Points {
    let is_answer = |step: &&Laid| matches!(step.window.during, During::Answer { .. });
    let answers: Vec<&Laid> = laid.iter().filter(is_answer).collect();
    let each = answers.len().div_ceil(most).max(1);
    let point = |group: &[&Laid]| {
        let seconds = group.iter().map(|step| step.window.seconds);
        let middle = (group[0].from + group[group.len() - 1].to) / 2.0;
        (middle, seconds.reduce(f64::max))
    };
    answers.chunks(each).map(point).collect()
}

/// Draws a line where a part begins, but the first one.
fn boundaries(parts: &[PartOfSteps], x: &Scale, plot: &Rectangle) -> String {
    let mut lines = String::new();
    if parts.len() > MOST_BOUNDARIES {
        return lines;
    }
    for part in parts.iter().skip(1) {
        let at = x.at(part.from);
        let _ = writeln!(
            lines,
            "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/>",
            plot.top, plot.bottom
        );
    }
    lines
}

fn description(end: f64, parts: &[PartOfSteps], panels: &Panels) -> String {
    format!(
        "{} in {} parts. {}",
        units::duration(end),
        parts.len(),
        panels.described()
    )
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{SampleAt, ServerSample};

    use super::*;

    /// A step that was sampled when it began and when it ended.
    pub(super) fn window(during: During, seconds: f64, cpu: [f64; 2]) -> ServerWindow {
        let sample = |seconds, cpu| SampleAt {
            seconds,
            server: ServerSample {
                cpu_seconds: Some(cpu),
                ..ServerSample::default()
            },
        };
        ServerWindow {
            design: "a".to_owned(),
            during,
            began_at_ns: 0,
            seconds,
            samples: vec![sample(0.0, cpu[0]), sample(seconds, cpu[1])],
        }
    }

    fn slice(slice: u64, seconds: f64, cpu: [f64; 2]) -> ServerWindow {
        window(During::Load { slice, rows: 1_000 }, seconds, cpu)
    }

    #[test]
    fn steps_lie_end_to_end_and_those_of_a_kind_are_a_part() {
        let all = [
            slice(0, 2.0, [0.0, 1.0]),
            slice(5, 3.0, [7.0, 8.0]),
            window(During::Settle, 1.5, [9.0, 9.0]),
        ];
        let windows: Vec<&ServerWindow> = all.iter().collect();
        let parts = parts_of_steps(&windows);
        let begins: Vec<f64> = parts.iter().map(|part| part.from).collect();
        assert_eq!(begins, [0.0, 5.0]);
        assert_eq!(parts[1].first, &During::Settle);
        let laid = laid(&windows);
        let at: Vec<(f64, usize)> = moments(&laid).iter().map(|m| (m.at, m.window)).collect();
        let expected = [(0.0, 0), (2.0, 0), (2.0, 1), (5.0, 1), (5.0, 2), (6.5, 2)];
        assert_eq!(at, expected);
        let rate = |seconds: f64| Some(1_000.0 / seconds);
        let expected = [
            (0.0, rate(2.0)),
            (2.0, rate(2.0)),
            (2.0, rate(3.0)),
            (5.0, rate(3.0)),
        ];
        assert_eq!(rows_a_second(&laid, 240), expected);
    }

    #[test]
    fn answers_have_their_times_and_many_share_points() {
        let answer = |round| During::Answer {
            query: "q".to_owned(),
            round,
        };
        let all: Vec<ServerWindow> = (1..=480)
            .map(|round| window(answer(round), f64::from(round), [0.0, 1.0]))
            .collect();
        let windows: Vec<&ServerWindow> = all.iter().collect();
        let points = answers(&laid(&windows), 240);
        assert_eq!((points.len(), points[0]), (240, (1.5, Some(2.0))));
        assert!(rows_a_second(&laid(&windows), 240).is_empty());
    }

    /// An hour of settings of five seconds, each of which is a part.
    #[test]
    fn a_line_has_no_more_points_than_its_chart_has_room_for() {
        let setting = |number: u32| {
            let during = During::Setting {
                batch_rows: u64::from(number),
                workers: 1,
                round: 1,
                rows: 100,
            };
            window(during, 5.0, [f64::from(number), f64::from(number) + 4.0])
        };
        let all: Vec<ServerWindow> = (0..720).map(setting).collect();
        let windows: Vec<&ServerWindow> = all.iter().collect();
        for (size, most) in [(Size::Wide, 240), (Size::Phone, 120)] {
            let chart = steps("a", &windows, size).unwrap();
            let paths = chart.split(" d=\"").skip(1);
            let points =
                paths.map(|path| path.split('"').next().unwrap().matches(['M', 'L']).count());
            assert_eq!(points.max(), Some(most));
        }
        assert_eq!(parts_of_steps(&windows).len(), 720);
    }

    #[test]
    fn a_chart_has_what_is_known_and_none_without_a_figure() {
        let all = [slice(0, 2.0, [0.0, 1.0])];
        let windows: Vec<&ServerWindow> = all.iter().collect();
        let chart = steps("<a>", &windows, Size::Wide).unwrap();
        assert!(chart.contains("Server CPU, cores in use"), "{chart}");
        assert!(chart.contains("Rows a second, by the client"), "{chart}");
        assert!(!chart.contains("Time of an answer") && !chart.contains("Server disk"));
        assert!(chart.contains("&lt;a&gt;: what its server did"), "{chart}");
        let mut unknown = slice(0, 2.0, [0.0, 1.0]);
        unknown.samples.clear();
        assert_eq!(steps("a", &[&unknown], Size::Wide), None);
        assert_eq!(steps("a", &[], Size::Phone), None);
    }
}
