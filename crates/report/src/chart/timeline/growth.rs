//! Computes how fast the counters of the server grew.

use bakeoff_stats::drive::{SecondCounts, ServerSample};
use bakeoff_stats::server_growth;

use crate::chart::line::{Line, Points, Stroke};

/// Least time, in seconds, over which growth is drawn: shorter spans are joined with those that follow.
const LEAST_SPAN: f64 = 0.9;
/// Least time of what remains of a part of the chart, in seconds.
const LEAST_REST: f64 = 0.05;

/// A sample of the server on the time axis of a chart.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Seconds from the start of the axis to the begin of what the sample is of, and to its moment.
    pub from: f64,
    pub at: f64,
    /// Number of the window, within which counters are compared.
    pub window: usize,
    /// Number of the part of the chart, within which points are joined by lines.
    pub part: usize,
    pub sample: &'a ServerSample,
}

impl<'a> Moment<'a> {
    /// Makes the moments of a load's seconds. A single second without a sample is none, since a cluster is sampled
    /// every other second; a further one after it is a gap.
    pub fn of_seconds(seconds: &'a [SecondCounts]) -> Vec<Moment<'a>> {
        let moment = |counts: &'a SecondCounts| Moment {
            from: f64::from(counts.second),
            at: f64::from(counts.second) + 1.0,
            window: 0,
            part: 0,
            sample: &counts.server,
        };
        let mut moments = Vec::with_capacity(seconds.len());
        let mut was_sampled = false;
        for counts in seconds {
            let is_sampled = !counts.server.is_empty();
            if is_sampled || !was_sampled {
                moments.push(moment(counts));
            }
            was_sampled = is_sampled;
        }
        moments
    }
}

/// A span of time in which a counter grew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    pub from: f64,
    pub to: f64,
    /// Number of the part of the chart.
    pub part: usize,
    pub grown: f64,
    /// Seconds in which it grew: less than from the begin to the end if not all of them were watched.
    pub seconds: f64,
}

/// Returns the growth of a counter per second, in no more points than `most` for each part; `None` if it is known less
/// than twice.
pub fn line(
    moments: &[Moment],
    most: usize,
    stroke: Stroke,
    value: impl Fn(&ServerSample) -> Option<f64>,
) -> Option<Line> {
    let points = points(&spans(moments, value), most);
    (!points.is_empty()).then(|| Line {
        class: "plain".to_owned(),
        stroke,
        mark: None,
        points,
    })
}

/// Returns the growth per second in the middle of spans, with a gap between parts of the chart. Where there are more
/// than `most`, each point is of several of a part.
pub fn points(spans: &[Span], most: usize) -> Points {
    let spans = joined(spans);
    let each = spans.len().div_ceil(most).max(1);
    let mut points = Vec::with_capacity(spans.len());
    for part in spans.chunk_by(|a, b| a.part == b.part) {
        if !points.is_empty() {
            points.push((part[0].from, None));
        }
        points.extend(part.chunks(each).map(mean));
    }
    points
}

/// Returns by how much a counter grew from each sample that knows it to the next one of the same window, where that is
/// known.
fn spans(moments: &[Moment], value: impl Fn(&ServerSample) -> Option<f64>) -> Vec<Span> {
    let mut spans = Vec::new();
    for window in moments.chunk_by(|a, b| a.window == b.window) {
        let samples: Vec<&ServerSample> = window.iter().map(|moment| moment.sample).collect();
        let known = server_growth(&samples, &value).into_iter();
        spans.extend(known.filter_map(|growth| {
            let (then, now) = (&window[growth.from], &window[growth.to]);
            let span = Span {
                from: then.at,
                to: now.at,
                part: now.part,
                grown: growth.amount?,
                seconds: now.at - then.at,
            };
            Some(span).filter(|span| span.seconds > 0.0)
        }));
    }
    spans
}

/// Joins spans of a part that are too short with those that follow.
fn joined(spans: &[Span]) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if last.part == span.part && last.seconds < LEAST_SPAN => {
                last.to = span.to;
                last.grown += span.grown;
                last.seconds += span.seconds;
            }
            _ => joined.push(*span),
        }
    }
    joined.retain(|span| span.seconds >= LEAST_REST);
    joined
}

fn mean(spans: &[Span]) -> (f64, Option<f64>) {
    let middles = spans.iter().map(|span| (span.from + span.to) / 2.0);
    let grown: f64 = spans.iter().map(|span| span.grown).sum();
    let seconds: f64 = spans.iter().map(|span| span.seconds).sum();
    (
        middles.sum::<f64>() / spans.len() as f64,
        Some(grown / seconds),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(cpu: f64) -> ServerSample {
        ServerSample {
            cpu_seconds: Some(cpu),
            ..ServerSample::default()
        }
    }

    #[test]
    fn a_restarted_server_counts_from_zero() {
        let second = |(second, cpu)| SecondCounts::new(1, second, &[], 0, sample(cpu));
        let seconds: Vec<SecondCounts> = [(0, 50.0), (1, 51.5), (3, 3.0), (4, 4.0)]
            .map(second)
            .to_vec();
        let spans = spans(&Moment::of_seconds(&seconds), |s| s.cpu_seconds);
        let expected = [(1.5, Some(1.5)), (3.0, Some(1.5)), (4.5, Some(1.0))];
        assert_eq!(points(&spans, 240), expected);
    }

    #[test]
    fn several_nodes_have_no_growth_while_one_is_restarted_or_joins() {
        let second = |(second, nodes, cpu)| {
            let server = ServerSample {
                nodes: Some(nodes),
                ..sample(cpu)
            };
            SecondCounts::new(1, second, &[], 0, server)
        };
        let seconds: Vec<SecondCounts> = [
            (0, 3, 100.0),
            (1, 3, 110.0),
            (2, 3, 70.0),
            (3, 3, 75.0),
            (4, 4, 300.0),
            (5, 4, 301.0),
        ]
        .map(second)
        .to_vec();
        let spans = spans(&Moment::of_seconds(&seconds), |s| s.cpu_seconds);
        let expected = [(1.5, Some(10.0)), (3.5, Some(5.0)), (5.5, Some(1.0))];
        assert_eq!(points(&spans, 240), expected);
    }

    #[test]
    fn a_restart_that_the_sum_over_nodes_does_not_show_has_no_point() {
        let second = |(second, generations, cpu)| {
            let server = ServerSample {
                nodes: Some(3),
                generations: Some(generations),
                ..sample(cpu)
            };
            SecondCounts::new(1, second, &[], 0, server)
        };
        let seconds = [
            (0, 30, 100.0),
            (1, 30, 110.0),
            (2, 37, 111.0),
            (3, 37, 116.0),
        ];
        let seconds: Vec<SecondCounts> = seconds.map(second).to_vec();
        let spans = spans(&Moment::of_seconds(&seconds), |s| s.cpu_seconds);
        assert_eq!(points(&spans, 240), [(1.5, Some(10.0)), (3.5, Some(5.0))]);
    }

    #[test]
    fn a_single_second_without_a_sample_is_no_gap() {
        let second = |(second, cpu): (u32, Option<f64>)| {
            let server = ServerSample {
                cpu_seconds: cpu,
                ..ServerSample::default()
            };
            SecondCounts::new(1, second, &[], 0, server)
        };
        let cpu = [Some(1.0), None, Some(3.0), None, None, Some(6.0), None];
        let seconds: Vec<SecondCounts> = (0..).zip(cpu).map(second).collect();
        let moments = Moment::of_seconds(&seconds);
        let at: Vec<f64> = moments.iter().map(|moment| moment.at).collect();
        assert_eq!(at, [1.0, 3.0, 5.0, 6.0]);
        let spans = spans(&moments, |s| s.cpu_seconds);
        assert_eq!(points(&spans, 240), [(2.0, Some(1.0)), (4.5, Some(1.0))]);
    }

    #[test]
    fn counters_are_compared_within_windows_only() {
        let samples = [1.0, 3.0, 100.0, 101.0].map(sample);
        let at = [(0.0, 0), (1.0, 0), (1.0, 1), (2.0, 1)];
        let moment = |(sample, (at, window))| Moment {
            from: at,
            at,
            window,
            part: window,
            sample,
        };
        let moments: Vec<Moment> = samples.iter().zip(at).map(moment).collect();
        let spans = spans(&moments, |s| s.cpu_seconds);
        let expected = [(0.5, Some(2.0)), (1.0, None), (1.5, Some(1.0))];
        assert_eq!(points(&spans, 240), expected);
    }

    #[test]
    fn short_spans_are_joined_until_they_say_something() {
        let span = |from: f64, part, seconds, grown| Span {
            from,
            to: from + seconds,
            part,
            grown,
            seconds,
        };
        // Three answers of half a second, of which the last one remains, and another part that is too short.
        let spans = [
            span(0.0, 0, 0.5, 1.0),
            span(0.5, 0, 0.5, 0.0),
            span(1.0, 0, 0.5, 0.25),
            span(1.5, 1, 0.01, 9.0),
        ];
        assert_eq!(points(&spans, 240), [(0.5, Some(1.0)), (1.25, Some(0.5))]);
    }
}
