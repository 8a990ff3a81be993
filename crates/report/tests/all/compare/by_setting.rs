use bakeoff_report::{html, terminal};
use bakeoff_stats::{Estimate, NotAsked, Record, Role, Summary};

use super::html::open_elements;
use super::{fixture, paged};

/// Sentence about the times of each query of [`paged`].
const TIMES: &str = "page=50000 is the fastest; 80000 is the same within 5%; slowest: 100, 4.6×.";

fn summary() -> Summary {
    paged::summary().unwrap()
}

/// The section about the rows of a page; `None` if the page has none.
fn section(summary: &Summary) -> Option<String> {
    let page = html::render(summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>page of cassandra/blob</h2>").nth(1)?;
    section.split("</section>").next().map(str::to_owned)
}

fn charts(section: &str) -> Vec<&str> {
    let charts = section.split("<svg ").skip(1);
    charts
        .map(|chart| chart.split("</svg>").next().unwrap())
        .collect()
}

/// The positions of the marks of a chart, from the left and from above.
fn marks(chart: &str) -> Vec<(f64, f64)> {
    let places = chart.split("translate(").skip(1);
    let places = places.map(|rest| rest.split_once(')').unwrap().0);
    places
        .map(|place| {
            let (x, y) = place.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        })
        .collect()
}

/// The labels below a chart with their middles.
fn labels(chart: &str) -> Vec<(f64, &str)> {
    let ticks = chart.split("<text class=\"tick\" x=\"").skip(1);
    let below = ticks.filter(|tick| tick.contains("text-anchor=\"middle\""));
    below
        .map(|tick| {
            let (x, rest) = tick.split_once('"').unwrap();
            let text = rest.split_once('>').unwrap().1;
            (x.parse().unwrap(), text.split_once('<').unwrap().0)
        })
        .collect()
}

#[test]
fn each_query_and_the_storage_have_a_chart_with_a_sentence() {
    let section = section(&summary()).unwrap();
    let charts = charts(&section);
    assert_eq!(charts.len(), 6);
    assert_eq!(section.matches(TIMES).count(), 5, "{section}");
    let bytes = "page=5000 is the smallest; 50000, 80000 and 1000 are the same within 5%; largest: 100, \
                 1.10×.</figcaption>";
    assert!(section.contains(bytes), "{section}");
    assert!(section.contains("5000 is the default, which cassandra/blob has."));
    for (index, chart) in charts.iter().enumerate() {
        assert!(chart.contains("<title>") && chart.contains("<desc>"));
        let whiskers = if index < 5 { 5 } else { 0 };
        assert_eq!(chart.matches("class=\"whisker\"").count(), whiskers);
        assert_eq!(chart.matches("class=\"line\"").count(), 1);
    }
}

#[test]
fn points_come_by_the_value_and_slower_ones_are_higher() {
    let section = section(&summary()).unwrap();
    let scan = charts(&section)[0];
    let marks = marks(scan);
    assert_eq!(marks.len(), 5);
    assert!(marks.is_sorted_by(|a, b| a.0 < b.0), "{marks:?}");
    // 50,000 is the fourth value and the fastest, 100 the first one and the slowest.
    let lowest = marks.iter().map(|mark| mark.1).fold(0.0, f64::max);
    let highest = marks
        .iter()
        .map(|mark| mark.1)
        .fold(f64::INFINITY, f64::min);
    assert_eq!((marks[3].1, marks[0].1), (lowest, highest));
    // Ten times as many rows are equally far, wherever they begin.
    assert!((marks[1].0 - marks[0].0 - (marks[3].0 - marks[2].0)).abs() < 0.3);
    assert!(scan.contains(">page, logarithmic</text>"));
}

#[test]
fn labels_leave_each_other_room_on_a_phone() {
    let section = section(&summary()).unwrap();
    for chart in charts(&section) {
        assert!(chart.contains("viewBox=\"0 0 360 220\""));
        let labels = labels(chart);
        let texts: Vec<&str> = labels.iter().map(|(_, text)| *text).collect();
        assert_eq!(texts, ["100", "1000", "5000", "80000"]);
        for pair in labels.windows(2) {
            let characters = (pair[0].1.len() + pair[1].1.len()) as f64;
            assert!(pair[1].0 - pair[0].0 > 3.5 * characters, "{pair:?}");
        }
        assert!(labels.last().unwrap().0 + 3.5 * 5.0 < 360.0);
    }
}

#[test]
fn values_that_are_near_have_a_linear_axis() {
    let pages = [("2000", 1.4, 1.0), ("8000", 1.2, 1.0)];
    let summary = Summary::from_records(&paged::records_of(&pages)).unwrap();
    let section = section(&summary).unwrap();
    let chart = charts(&section)[0];
    let marks = marks(chart);
    assert!((marks[1].0 - marks[0].0 - (marks[2].0 - marks[1].0)).abs() < 0.3);
    assert!(chart.contains(">page</text>"), "{chart}");
    assert!(section.contains("page=5000 is the fastest; slowest: 2000, 1.40×."));
}

#[test]
fn a_setting_that_does_nothing_is_said_to_make_no_difference() {
    let pages = [("100", 1.0, 1.0), ("1000", 1.0, 1.0)];
    let summary = Summary::from_records(&paged::records_of(&pages)).unwrap();
    let section = section(&summary).unwrap();
    let sentence = "page makes no difference: all are the same within 5%.";
    assert_eq!(section.matches(sentence).count(), 6, "{section}");
}

#[test]
fn what_the_rounds_do_not_show_is_not_settled() {
    let mut records = paged::records();
    let unsteady = [1.3, 0.8, 1.25, 0.85, 1.2, 0.9, 1.3];
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design.ends_with("page=80000")
        {
            timing.seconds *= unsteady[timing.round as usize];
        }
    }
    let section = section(&Summary::from_records(&records).unwrap()).unwrap();
    let captions = section.split("<figcaption>").skip(1);
    let captions = captions.map(|rest| rest.split_once('<').unwrap().0);
    for caption in captions.take(5) {
        let (head, others) = caption.split_once("; ").unwrap();
        assert_eq!(head, "page=50000 is ahead, not settled");
        let open = others
            .split("; ")
            .find(|part| part.ends_with(" not settled"));
        assert!(open.is_some_and(|open| open.contains("80000")), "{caption}");
    }
}

#[test]
fn few_rounds_show_no_difference() {
    let mut records = paged::records();
    records.retain(|record| !matches!(record, Record::Timed(timing) if timing.round > 2));
    let section = section(&Summary::from_records(&records).unwrap()).unwrap();
    let sentence =
        "page=50000 has the shortest times, but 3 rounds in common cannot show a difference.";
    assert_eq!(section.matches(sentence).count(), 5, "{section}");
}

/// Adds queries, each with the times of the first one.
fn with_more_queries(mut summary: Summary, more: usize) -> Summary {
    for number in 0..more {
        let name = format!("more{number}");
        let mut query = summary.header.queries[0].clone();
        query.name.clone_from(&name);
        summary.header.queries.push(query);
        for design in &mut summary.designs {
            let mut query = design.queries[0].clone();
            query.query.clone_from(&name);
            design.queries.push(query);
        }
    }
    summary
}

/// The run with tables of 5 and 10 columns in place of pages.
fn of_columns() -> Summary {
    let pages = [("5", 0.5, 0.2), ("10", 0.7, 0.4)];
    let mut summary = Summary::from_records(&paged::records_of(&pages)).unwrap();
    for design in &mut summary.designs {
        if design.info.id.contains("?page=") {
            design.info.id = design.info.id.replace("?page=", "?columns=");
            design.info.role = Role::SomeColumns;
            design.info.not_asked.push(NotAsked {
                query: "more0".to_owned(),
                why: "needs the column price".to_owned(),
            });
        }
    }
    summary
}

#[test]
fn what_tables_of_some_columns_are_asked_is_drawn_and_told_of_the_others() {
    let summary = with_more_queries(of_columns(), 3);
    let page = html::render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>columns of cassandra/blob</h2>").nth(1);
    let section = section.unwrap().split("</section>").next().unwrap();
    // All seven queries that the smallest table is asked, and the storage.
    assert_eq!(charts(section).len(), 8);
    assert!(!section.contains("more0") && section.contains("more1"));
    let columns = summary.header.columns;
    let all = format!("{columns} are all columns of the table, which cassandra/blob stores.");
    assert!(section.contains(&all), "{section}");
    let note = "more0 is not asked of cassandra/blob?columns=5 and cassandra/blob?columns=10, since it needs \
                the column price";
    assert!(page.contains(note));
    let told = terminal::render(&summary, 100, false);
    let words: Vec<&str> = told.split_whitespace().collect();
    let told = words.join(" ");
    assert!(told.contains("are yardsticks, not choices: they store some columns"));
}

#[test]
fn six_queries_are_drawn_and_the_others_told() {
    let section = section(&with_more_queries(summary(), 4)).unwrap();
    assert_eq!(charts(&section).len(), 7);
    assert_eq!(section.matches("<li>").count(), 3);
    let told = section
        .split("<p>Not drawn, since they differ less:</p>")
        .nth(1);
    assert_eq!(told.unwrap().matches(TIMES).count(), 3, "{section}");
}

#[test]
fn further_settings_are_told_and_not_drawn() {
    let mut summary = summary();
    // A grid of two settings has six lines of three designs, all with the figures of one design.
    let blob = summary.design("cassandra/blob").unwrap().clone();
    for number in 0..9 {
        let mut design = blob.clone();
        design.info.id = format!("cassandra/blob?a={}&b={}", number / 3, number % 3);
        summary.designs.push(design);
    }
    let page = html::render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert_eq!(page.matches(" of cassandra/blob</h2>").count(), 1);
    let drawn = ["a", "b"].map(|name| {
        page.matches(&format!("<h2>{name} of cassandra/blob?"))
            .count()
    });
    assert_eq!(drawn, [2, 1]);
    let further = page.split("<h2>Further settings</h2>").nth(1).unwrap();
    let further = further.split("</section>").next().unwrap();
    assert_eq!(further.matches("<h3>").count(), 3);
    assert_eq!(further.matches(" makes no difference: ").count(), 18);
    assert!(charts(further).is_empty());
}

#[test]
fn a_run_without_such_designs_has_no_section_and_no_table() {
    let summary = fixture::summary().unwrap();
    assert_eq!(section(&summary), None);
    assert!(!terminal::render(&summary, 100, false).contains("By setting"));
    let two = Summary::from_records(&paged::records_of(&[("100", 2.0, 1.0)])).unwrap();
    assert_eq!(section(&two), None);
}

/// The table in the terminal of the first few queries.
fn table(queries: usize, width: usize) -> Option<String> {
    let mut summary = summary();
    summary.header.queries.truncate(queries);
    for design in &mut summary.designs {
        design.queries.truncate(queries);
    }
    let text = terminal::render(&summary, width, false);
    let section = text.split_once("\nBy setting\n")?.1;
    section.split("\n\n").next().map(str::to_owned)
}

#[test]
fn the_terminal_has_a_table_of_no_more_than_eight_lines() {
    let text = table(2, 100).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    for part in ["page of cassandra/blob", "100", "5000", "80000"] {
        assert!(lines[0].contains(part), "{text}");
    }
    assert!(
        lines[2].contains("scan") && lines[2].contains(" best"),
        "{text}"
    );
    assert!(
        lines[2].contains(" same") && lines[2].contains("4.6×"),
        "{text}"
    );
    assert!(
        lines[4].contains("bytes/row") && lines[4].contains("97.3"),
        "{text}"
    );
    assert!(
        lines.iter().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    assert_eq!(table(4, 100).unwrap().lines().count(), 7);
    assert_eq!(table(5, 100), None, "one line too many");
    assert_eq!(table(2, 60), None, "too narrow");
}

#[test]
fn figures_that_nothing_can_be_made_of_are_left_out() {
    for figure in [0.0, f64::NAN, f64::INFINITY, 5e-324, 1.7e308] {
        for designs in [1, usize::MAX] {
            let mut summary = summary();
            let paged = { summary.designs.iter_mut() }.filter(|d| d.info.id.contains("blob"));
            for design in paged.take(designs) {
                design.bytes_per_row = Some(figure);
                for query in &mut design.queries {
                    query.time = Some(Estimate {
                        median: figure,
                        low: figure,
                        high: figure,
                        coverage: 0.9,
                        observations: 7,
                    });
                }
            }
            let section = section(&summary).unwrap_or_default();
            assert!(
                !section.contains("NaN") && !section.contains("inf"),
                "{figure}: {section}"
            );
            let drawn = charts(&section).len();
            let is_shown = designs == 1;
            assert_eq!(drawn == 6, is_shown, "{figure}: {section}");
            terminal::render(&summary, 100, false);
        }
    }
}

#[test]
fn a_single_point_is_no_line() {
    let mut summary = summary();
    let paged = { summary.designs.iter_mut() }.filter(|d| d.info.id.contains("blob?"));
    for design in paged {
        design.queries[0].time = None;
    }
    // The query has a time with the default alone.
    assert_eq!(charts(&section(&summary).unwrap()).len(), 5);
    for design in &mut summary.designs {
        design.queries[1].time = None;
    }
    assert_eq!(charts(&section(&summary).unwrap()).len(), 4);
}

#[test]
fn names_from_outside_are_escaped() {
    let mut summary = summary();
    let ids = (0..).map(|number| format!("a/<script>?<b>={number}&<i>=\"'"));
    for (design, id) in summary.designs.iter_mut().zip(ids) {
        design.info.id = id;
    }
    let page = html::render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("&lt;b&gt; of a/&lt;script&gt;?&lt;i&gt;=&quot;&#39;</h2>"));
    assert!(!page.contains("<script") && !page.contains("<i>"));
}
