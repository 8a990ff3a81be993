use bakeoff_report::html;
use bakeoff_stats::{Axes, InstanceKind, Summary};

use super::fixture;
use super::html::open_elements;

const SERIES: u64 = 1_000;

/// The run with tables of fewer rows, as if these were those of fewer series.
fn by_series() -> Summary {
    let mut summary = fixture::scaled().unwrap();
    summary.axes = Some(Axes {
        series: Some(SERIES),
        time: None,
        to_full: (10.0, 1.0),
        windows: std::collections::BTreeMap::new(),
    });
    let all = summary.rows;
    for further in &mut summary.instances {
        if let InstanceKind::Smaller { rows } = further.instance.kind {
            further.instance.kind = InstanceKind::Part {
                series: (all / rows) as u32,
                time: 1,
                rows,
            };
        }
    }
    summary
}

/// The section about the series; `None` if the page has none.
fn section(summary: &Summary) -> Option<String> {
    let page = html::render(summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>By the number of series</h2>").nth(1)?;
    section.split("</section>").next().map(str::to_owned)
}

#[test]
fn each_query_has_a_line_for_each_design_over_the_number_of_series() {
    let summary = by_series();
    let section = section(&summary).unwrap();
    assert_eq!(section.matches("<svg ").count(), 5);
    let scan = section.split("<svg ").nth(1).unwrap();
    let scan = scan.split("</svg>").next().unwrap();
    assert!(scan.contains("<title>Median time of query scan by the number of series"));
    assert!(scan.contains(" at 1 k series."), "{scan}");
    // Four smaller tables and the design's own.
    assert_eq!(scan.matches("class=\"line\"").count(), 8);
    assert_eq!(scan.matches("translate(").count(), 8 * 5);
    assert_eq!(scan.matches("line dashed").count(), 1);
}

#[test]
fn tables_of_a_shorter_time_are_no_points_and_alone_no_chart() {
    let mut summary = by_series();
    for further in &mut summary.instances {
        if let InstanceKind::Part { time, .. } = &mut further.instance.kind {
            *time = 2;
        }
    }
    assert_eq!(section(&summary), None);
    assert_eq!(section(&fixture::scaled().unwrap()), None);
}

#[test]
fn without_a_number_of_series_there_is_no_chart() {
    let mut summary = by_series();
    summary.axes.as_mut().unwrap().series = None;
    assert_eq!(section(&summary), None);
}

#[test]
fn times_that_nothing_can_be_made_of_are_left_out() {
    for seconds in [0.0, f64::NAN, f64::INFINITY, 1.7e308] {
        let mut summary = by_series();
        let first = summary.instances.first_mut().unwrap();
        first.figures.queries[0].time.as_mut().unwrap().median = seconds;
        let section = section(&summary).unwrap();
        assert!(
            !section.contains("NaN") && !section.contains("inf"),
            "{seconds}"
        );
    }
}
