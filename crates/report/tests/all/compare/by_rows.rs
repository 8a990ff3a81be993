use bakeoff_report::html;
use bakeoff_stats::Summary;

use super::fixture;
use super::html::open_elements;

fn scaled() -> Summary {
    fixture::scaled().unwrap()
}

/// The section about growth; `None` if the page has none.
fn section(summary: &Summary) -> Option<String> {
    let page = html::render(summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>As the table grows</h2>").nth(1)?;
    section.split("</section>").next().map(str::to_owned)
}

fn chart(section: &str, number: usize) -> &str {
    let chart = section.split("<svg ").nth(number + 1).unwrap();
    chart.split("</svg>").next().unwrap()
}

/// The positions of marks from the left, those of each design together.
fn marks(chart: &str) -> Vec<Vec<f64>> {
    let groups = chart.split("<g ").skip(1);
    let of_group = |group: &str| -> Vec<f64> {
        let places = group.split("translate(").skip(1);
        places
            .map(|rest| rest.split_once(' ').unwrap().0.parse().unwrap())
            .collect()
    };
    groups
        .map(of_group)
        .filter(|marks| !marks.is_empty())
        .collect()
}

#[test]
fn each_query_has_a_chart_with_a_line_for_each_design() {
    let section = section(&scaled()).unwrap();
    assert_eq!(section.matches("<svg ").count(), 5);
    assert_eq!(section.matches("<li class=").count(), 8);
    assert!(!section.contains("Not drawn"));
    let scan = chart(&section, 0);
    assert!(scan.contains("<title>Median time of query scan by rows of the table"));
    assert!(scan.contains("viewBox=\"0 0 360 260\""));
    let marks = marks(scan);
    assert_eq!(marks.len(), 8);
    for of_design in &marks {
        assert_eq!(of_design.len(), 5);
        assert!(of_design.is_sorted_by(|a, b| a < b), "{of_design:?}");
    }
    assert_eq!(scan.matches("class=\"line\"").count(), 8);
}

#[test]
fn forecasts_are_dashed_beyond_the_largest_table() {
    let summary = scaled();
    let section = section(&summary).unwrap();
    let forecast = summary.forecast.as_ref().unwrap();
    for (number, query) in summary.header.queries.iter().enumerate() {
        let times = { forecast.designs.iter() }.filter_map(|design| design.time(&query.name));
        let known = times.filter(|time| time.known().is_some()).count();
        assert!(known > 0 && known < 8, "{}", query.name);
        let chart = chart(&section, number);
        let dashed: Vec<&str> = chart.split("class=\"line dashed\" d=\"M").skip(1).collect();
        assert_eq!(dashed.len(), known, "{}", query.name);
        // All designs have the same rows.
        let largest = marks(chart)[0][4];
        for path in dashed {
            let path = path.split_once('"').unwrap().0;
            let first: f64 = path.split_once(' ').unwrap().0.parse().unwrap();
            let last = path.rsplit_once('L').unwrap().1;
            let last: f64 = last.split_once(' ').unwrap().0.parse().unwrap();
            assert_eq!(first, largest);
            assert!(last > largest + 20.0, "{path}");
        }
        assert!(chart.contains(" forecast ") && chart.contains(" at 4.16 M rows."));
    }
    assert!(section.contains("Dashed: the forecast for more rows"));
}

#[test]
fn without_a_forecast_nothing_is_dashed() {
    let mut summary = scaled();
    let forecast = summary.forecast.as_mut().unwrap();
    forecast.rows = forecast.measured_rows;
    let section = section(&summary).unwrap();
    assert!(!section.contains("ashed"), "{section}");
}

#[test]
fn tables_of_one_size_are_not_drawn() {
    assert_eq!(section(&fixture::summary().unwrap()), None);
    let mut summary = scaled();
    for design in &mut summary.designs {
        design.queries[0].time = None;
    }
    for further in &mut summary.instances {
        further.figures.queries[0].time = None;
    }
    assert_eq!(section(&summary).unwrap().matches("<svg ").count(), 4);
}

#[test]
fn a_table_in_which_a_query_finds_nothing_is_no_point() {
    let mut summary = scaled();
    let first = summary.instances.first_mut().unwrap();
    first.figures.queries[0].always_empty = true;
    let section = section(&summary).unwrap();
    let marks = marks(chart(&section, 0));
    assert_eq!(marks.iter().map(Vec::len).sum::<usize>(), 39);
}

#[test]
fn twelve_designs_are_drawn_and_the_others_named() {
    let mut summary = scaled();
    let (design, further) = (summary.designs[0].clone(), summary.instances.clone());
    for number in 0..6 {
        let mut design = design.clone();
        design.info.id = format!("x{number}");
        for mut own in further.clone() {
            if own.instance.design == summary.designs[0].info.id {
                own.instance.design.clone_from(&design.info.id);
                summary.instances.push(own);
            }
        }
        summary.designs.push(design);
    }
    let section = section(&summary).unwrap();
    assert_eq!(marks(chart(&section, 0)).len(), 12);
    assert!(section.contains(" Not drawn: x4 and x5.</p>"), "{section}");
}

#[test]
fn times_that_nothing_can_be_made_of_are_left_out() {
    for seconds in [0.0, f64::NAN, f64::INFINITY, 5e-324, 1.7e308] {
        let mut summary = scaled();
        let first = summary.instances.first_mut().unwrap();
        first.figures.queries[0].time.as_mut().unwrap().median = seconds;
        let section = section(&summary).unwrap();
        assert!(
            !section.contains("NaN") && !section.contains("inf"),
            "{seconds}"
        );
        let points: usize = marks(chart(&section, 0)).iter().map(Vec::len).sum();
        assert!((39..=40).contains(&points), "{seconds}");
    }
}

#[test]
fn names_from_outside_are_escaped() {
    let evil = "<script>alert('x')</script>";
    let mut summary = scaled();
    summary.header.queries[0].name = evil.to_owned();
    let further = summary
        .instances
        .iter_mut()
        .map(|further| &mut further.figures);
    for figures in summary.designs.iter_mut().chain(further) {
        figures.queries[0].query = evil.to_owned();
    }
    for design in &mut summary.designs {
        design.info.id += evil;
    }
    for further in &mut summary.instances {
        further.instance.design += evil;
    }
    let section = section(&summary).unwrap();
    assert!(!section.contains("<script") && section.contains("query &lt;script&gt;"));
}
