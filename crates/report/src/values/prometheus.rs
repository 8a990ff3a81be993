//! Writes values as metrics of Prometheus, in its text format: the median over rounds, and where there are several
//! the ends of its interval.

use std::fmt::Write;

use bakeoff_stats::Estimate;

use super::{Figure, Measured, Values};

/// Beginning of the name of each metric.
const PREFIX: &str = "bakeoff";

/// Writes all metrics, each with its HELP and TYPE.
pub fn render(values: &Values) -> String {
    let mut text = String::new();
    let info = [
        ("workload", values.workload.as_str()),
        ("version", values.bakeoff_version.as_str()),
        ("started_at", values.started_at.as_str()),
    ];
    begin(&mut text, "info", "What was measured, and when.");
    sample(&mut text, "info", &labels(values, &info), 1.0);
    begin(&mut text, "finished", "Whether it came to its end.");
    let finished = f64::from(u8::from(values.finished));
    sample(&mut text, "finished", &labels(values, &[]), finished);
    for figure in Figure::ALL {
        let series = series(values, figure);
        let medians = series
            .iter()
            .map(|(labels, estimate)| (labels, estimate.median));
        metric(&mut text, &figure.name(), figure.help(), medians);
        for (bound, of) in BOUNDS {
            let several = series
                .iter()
                .filter(|(_, estimate)| estimate.observations > 1);
            let ends = several.map(|(labels, estimate)| (labels, of(estimate)));
            let help = format!(
                "{} The {bound} end of its interval over rounds.",
                figure.help()
            );
            metric(&mut text, &figure.name_of(bound), &help, ends);
        }
    }
    text
}

/// Takes one end of an interval.
type Bound = fn(&Estimate) -> f64;

/// Ends of an interval, with their names.
const BOUNDS: [(&str, Bound); 2] = [
    ("low", |estimate| estimate.low),
    ("high", |estimate| estimate.high),
];

/// Returns the labels of each series of a figure, and its estimate over rounds.
fn series(values: &Values, figure: Figure) -> Vec<(String, Estimate)> {
    let mut groups: Vec<(&Measured, Vec<f64>)> = Vec::new();
    for value in values.values.iter().filter(|v| v.figure == figure) {
        let same = |(first, _): &&mut (&Measured, Vec<f64>)| {
            first.design == value.design
                && first.query == value.query
                && first.answered_by == value.answered_by
        };
        match groups.iter_mut().find(same) {
            Some((_, samples)) => samples.push(value.value),
            None => groups.push((value, vec![value.value])),
        }
    }
    let estimated = groups.into_iter().filter_map(|(first, samples)| {
        let query = first.query.as_deref();
        let of = query.map(|query| (figure.label(), query));
        let by = first.answered_by.as_deref();
        let own: Vec<(&str, &str)> = { of.into_iter() }
            .chain([("design", first.design.as_str())])
            .chain(by.map(|by| ("answered_by", by)))
            .collect();
        Some((labels(values, &own), Estimate::from_samples(&samples)?))
    });
    estimated.collect()
}

/// Writes a metric; nothing if it has no series.
fn metric<'a>(
    text: &mut String,
    name: &str,
    help: &str,
    series: impl Iterator<Item = (&'a String, f64)>,
) {
    for (place, (labels, value)) in series.enumerate() {
        if place == 0 {
            begin(text, name, help);
        }
        sample(text, name, labels, value);
    }
}

fn begin(text: &mut String, name: &str, help: &str) {
    let help = help.replace('\\', "\\\\").replace('\n', "\\n");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# HELP {PREFIX}_{name} {help}");
    let _ = writeln!(text, "# TYPE {PREFIX}_{name} gauge");
}

fn sample(text: &mut String, name: &str, labels: &str, value: f64) {
    let _ = writeln!(text, "{PREFIX}_{name}{{{labels}}} {value}");
}

/// Writes labels: those of the run, and then others.
fn labels(values: &Values, others: &[(&str, &str)]) -> String {
    let own = [("run", values.run.as_str()), ("kind", values.kind)];
    let all = own.iter().chain(others);
    let all = all.map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    all.collect::<Vec<_>>().join(",")
}

/// Escapes the value of a label.
pub fn escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(figure: Figure, query: Option<&str>, round: Option<u32>, value: f64) -> Measured {
        Measured {
            figure,
            design: "parquet?codec=zstd".to_owned(),
            query: query.map(str::to_owned),
            answered_by: None,
            round,
            value,
        }
    }

    fn values(values: Vec<Measured>) -> Values {
        Values {
            run: "formats".to_owned(),
            kind: "run",
            workload: "formats".to_owned(),
            bakeoff_version: "0.1.0".to_owned(),
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            finished: true,
            values,
        }
    }

    #[test]
    fn a_figure_over_rounds_is_its_median_and_the_ends_of_its_interval() {
        let times = [3.0, 1.0, 2.0].into_iter().zip(1..);
        let times = times
            .map(|(time, round)| measured(Figure::QueryTime, Some("month"), Some(round), time));
        let text = render(&values(times.collect()));
        let labels = r#"{run="formats",kind="run",query="month",design="parquet?codec=zstd"}"#;
        for line in [
            "# HELP bakeoff_query_seconds Time of a right answer to a query.",
            "# TYPE bakeoff_query_seconds gauge",
            &format!("bakeoff_query_seconds{labels} 2"),
            &format!("bakeoff_query_low_seconds{labels} 1"),
            &format!("bakeoff_query_high_seconds{labels} 3"),
            r#"bakeoff_finished{run="formats",kind="run"} 1"#,
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        let info = text.lines().find(|l| l.starts_with("bakeoff_info{"));
        assert!(
            info.unwrap()
                .contains(r#"workload="formats",version="0.1.0""#),
            "{text}"
        );
    }

    #[test]
    fn a_figure_that_was_measured_once_has_no_interval() {
        let bytes = measured(Figure::StoredBytes, None, None, 1_048_576.0);
        let text = render(&values(vec![bytes]));
        assert!(
            text.contains("design=\"parquet?codec=zstd\"} 1048576\n"),
            "{text}"
        );
        assert!(!text.contains("low") && !text.contains("query="), "{text}");
    }

    #[test]
    fn loads_beside_the_answers_of_other_designs_have_series_of_their_own() {
        let by = |id: &str, value| Measured {
            answered_by: Some(id.to_owned()),
            ..measured(Figure::BesideP99, Some("read"), Some(1), value)
        };
        let text = render(&values(vec![by("spark", 0.5), by("local/columnar", 0.25)]));
        for (id, value) in [("spark", "0.5"), ("local/columnar", "0.25")] {
            let end = format!(r#"design="parquet?codec=zstd",answered_by="{id}"}} {value}"#);
            assert!(
                text.lines().any(|line| line.ends_with(&end)),
                "{end}\n{text}"
            );
        }
    }

    #[test]
    fn labels_are_escaped_and_each_line_is_whole() {
        let name = "a \"b\"\\c\nd";
        let value = measured(Figure::QueryTime, Some(name), Some(1), 0.5);
        let text = render(&values(vec![value]));
        assert!(text.contains(r#"query="a \"b\"\\c\nd","#), "{text}");
        assert!(text.ends_with('\n'));
        for line in text.lines() {
            assert!(
                line.starts_with("# ") || line.starts_with("bakeoff_"),
                "{line}"
            );
        }
    }

    #[test]
    fn samples_of_a_metric_follow_each_other_after_one_head() {
        let all = ["a", "b"].map(|query| measured(Figure::QueryTime, Some(query), Some(1), 1.0));
        let text = render(&values(all.to_vec()));
        assert_eq!(text.matches("# TYPE bakeoff_query_seconds ").count(), 1);
        let (_, rest) = text
            .split_once("# TYPE bakeoff_query_seconds gauge\n")
            .unwrap();
        let mut lines = rest.lines();
        assert!((0..2).all(|_| lines.next().unwrap().starts_with("bakeoff_query_seconds{")));
    }
}
