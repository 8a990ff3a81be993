use bakeoff_report::html;
use bakeoff_stats::{DistinctValues, Record, Selected, Summary};

use super::fixture;
use super::html::open_elements;

/// Rows of the fixture's table that its queries select, of 120,000.
const SELECTED: [(&str, u64); 3] = [("month", 1_214), ("usa", 10_920), ("albania", 144)];

fn summary() -> Summary {
    let mut records = fixture::records();
    records.push(selected());
    Summary::from_records(&records).unwrap()
}

fn selected() -> Record {
    let queries = SELECTED.map(|(query, rows)| Selected {
        query: query.to_owned(),
        rows: vec![rows],
    });
    let queries = queries.to_vec();
    Record::Selected { queries }
}

/// The section about speed-ups; `None` if the page has none.
fn section(summary: &Summary) -> Option<String> {
    let page = html::render(summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page
        .split("<h2>Speed-up by share of the rows</h2>")
        .nth(1)?;
    section.split("</section>").next().map(str::to_owned)
}

/// The positions of the points of a path that has this class.
fn path(section: &str, class: &str) -> Vec<(f64, f64)> {
    let path = section.split(&format!("class=\"{class}\" d=\"M")).nth(1);
    let path = path.unwrap().split_once('"').unwrap().0;
    let points = path.split('L').map(|point| {
        let (x, y) = point.split_once(' ').unwrap();
        let y = y.split('h').next().unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    });
    points.collect()
}

#[test]
fn each_design_has_a_line_through_its_queries_by_share() {
    let section = section(&summary()).unwrap();
    assert_eq!(section.matches("<svg ").count(), 1);
    assert_eq!(section.matches("<li class=").count(), 8);
    assert_eq!(section.matches("class=\"line\"").count(), 8);
    // Three queries each, but for the one that was wrong.
    assert_eq!(section.matches("class=\"mark\"").count(), 23);
    let narrow = path(&section, "line");
    assert_eq!(narrow.len(), 3);
    assert!(narrow.is_sorted_by(|a, b| a.0 < b.0), "{narrow:?}");
    for share in ["0.12%", "1%", "9.1%"] {
        assert!(section.contains(&format!(" at {share}")), "{share}");
    }
    assert!(!section.contains("Not drawn"));
}

#[test]
fn queries_that_select_one_share_have_a_table_in_place_of_a_chart() {
    let mut summary = summary();
    summary.selected.retain(|of| of.query == "month");
    let section = section(&summary).unwrap();
    assert!(!section.contains("<svg "), "{section}");
    assert_eq!(section.matches("<th scope=\"row\"").count(), 8);
    for words in [
        "Expected: 1 / share",
        "<td>month</td><td class=\"number\">1%</td>",
        "<td class=\"number\">99×</td></tr>",
    ] {
        assert!(section.contains(words), "{words}: {section}");
    }
}

#[test]
fn the_rule_of_thumb_falls_from_the_least_share_to_all_rows() {
    let section = section(&summary()).unwrap();
    let rule = path(&section, "line dashed");
    let narrow = path(&section, "line");
    assert_eq!(rule.len(), 2);
    assert_eq!(rule[0].0, narrow[0].0);
    assert!(rule[0].0 < rule[1].0 && rule[0].1 < rule[1].1, "{rule:?}");
    // No design of the fixture has an index: far below what reading 0.12% would bring.
    assert!(narrow[0].1 > rule[0].1 + 50.0);
}

#[test]
fn full_scans_are_those_of_the_layout() {
    let summary = summary();
    let all = summary.speed_ups();
    let of = |id: &str| all.iter().find(|of| of.design.info.id == id).unwrap();
    assert_eq!(
        of("cassandra/wide").full_scan.design,
        "cassandra/wide?compressor=Deflate"
    );
    assert!(of("cassandra/wide").queries[1].times > 50.0);
    let section = section(&summary).unwrap();
    assert!(section.contains("scan of cassandra/wide?compressor=Deflate"));
}

/// The run with the wide table as one that finds rows by a setting: in half of the expected time it would have all
/// rows that it reads.
fn by_setting(setting: &str) -> Summary {
    let mut summary = summary();
    let seconds = {
        let all = summary.speed_ups();
        let wide = all.iter().find(|of| of.design.info.id == "cassandra/wide");
        wide.unwrap().full_scan.seconds
    };
    let wide = { summary.designs.iter_mut() }.find(|d| d.info.id == "cassandra/wide");
    let wide = wide.unwrap();
    wide.info.id = format!("cassandra/wide?{setting}");
    for query in &mut wide.queries {
        let selected = SELECTED.iter().find(|(name, _)| *name == query.query);
        if let (Some((_, rows)), Some(time)) = (selected, &mut query.time) {
            time.median = seconds * *rows as f64 / 120_000.0 * 2.0;
            query.rows_scanned = Some(*rows as f64);
        }
    }
    summary
}

#[test]
fn indexes_tables_and_views_have_lines_beside_the_rule_of_thumb() {
    for setting in [
        "index=k",
        "index=k:2i",
        "table_by=k",
        "view=k",
        "index_table=k",
    ] {
        let summary = by_setting(setting);
        let id = format!("cassandra/wide?{setting}");
        let all = summary.speed_ups();
        let of = all.iter().find(|of| of.design.info.id == id).unwrap();
        assert_eq!(of.full_scan.design, "cassandra/wide?compressor=Deflate");
        assert!(!of.only_scans && of.queries.len() == 3, "{setting}");
        for query in &of.queries {
            assert!((query.times * 2.0 / query.expected() - 1.0).abs() < 1e-9);
        }
        let section = section(&summary).unwrap();
        assert!(section.contains(&format!("</span>{id}</li>")), "{setting}");
        // Albania is 1 in 833 rows, of which half of the speed is 417 times that of a scan.
        assert!(section.contains(&format!("{id}: albania 417")), "{section}");
    }
}

#[test]
fn an_index_that_finds_more_than_a_hundredth_of_the_rows_is_told() {
    let told =
        "An index found more than 1% of the rows, for which a study of formats of 2016 advises";
    let view = by_setting("view=k");
    assert!(!section(&view).unwrap().contains(told), "it has no index");
    let mut summary = by_setting("index=monthyear+actor1countrycode");
    let values = |column: &str, about| DistinctValues {
        column: column.to_owned(),
        about,
    };
    summary.distinct = vec![values("k", 61_234), values("few", 240)];
    let section = section(&summary).unwrap();
    // 10,920 and 1,214 of 120,000 rows, at half of the speed that their shares promise.
    for words in [
        told,
        "for each question, too: k (about 61.2 k).",
        "usa with cassandra/wide?index=monthyear+actor1countrycode (9.1% of the rows, 5.5× as fast as a full scan)",
        "month with cassandra/wide?index=monthyear+actor1countrycode (1.0% of the rows, 49× as fast as a full scan)",
    ] {
        assert!(section.contains(words), "{words}: {section}");
    }
    assert!(!section.contains("albania with"), "{section}");
    let of_another = by_setting("index=actor1countrycode");
    let section = self::section(&of_another).unwrap();
    assert!(
        !section.contains("month with"),
        "its rows are found by the key"
    );
}

/// The run with further designs that answer like the narrow table, each with an id, how many times as long it takes,
/// and the rows that it reads for each query with a condition.
fn with_more_designs(more: &[(String, f64, u64)]) -> Summary {
    let mut records = Vec::new();
    for mut record in fixture::records() {
        if let Record::Started(header) = &mut record {
            for (id, ..) in more {
                let mut info = header.designs[0].clone();
                info.id.clone_from(id);
                header.designs.push(info);
            }
        }
        let like = match &record {
            Record::Timed(timing) if timing.design == "cassandra/narrow" => Some(timing.clone()),
            _ => None,
        };
        records.push(record);
        for (timing, (id, times, rows)) in
            like.iter().flat_map(|l| more.iter().map(move |m| (l, m)))
        {
            let mut timing = timing.clone();
            timing.design.clone_from(id);
            timing.seconds *= times;
            let has_condition = SELECTED.iter().any(|(query, _)| *query == timing.query);
            if has_condition {
                timing.rows_scanned = Some(*rows);
            }
            records.push(Record::Timed(timing));
        }
    }
    records.push(selected());
    Summary::from_records(&records).unwrap()
}

#[test]
fn designs_that_only_scan_give_way_to_an_index_that_brings_little() {
    let mut more = vec![("cassandra/narrow?index=k".to_owned(), 3.0, 144)];
    more.extend((0..12).map(|page| (format!("cassandra/narrow?page={page}"), 1.0, 120_000)));
    let summary = with_more_designs(&more);
    let all = summary.speed_ups();
    assert_eq!(all.len(), 21);
    let of = |id: &str| all.iter().find(|of| of.design.info.id == id).unwrap();
    assert!(of("cassandra/narrow?page=0").only_scans && of("cassandra/narrow").only_scans);
    let index = of("cassandra/narrow?index=k");
    assert!(!index.only_scans && index.queries.iter().all(|query| query.times < 1.0));
    let section = section(&summary).unwrap();
    assert_eq!(section.matches("<li class=").count(), 12);
    assert!(section.contains("</span>cassandra/narrow?index=k</li>"));
    assert!(section.contains("Not drawn: cassandra/narrow?page="));
}

#[test]
fn runs_without_counts_have_no_such_section() {
    assert_eq!(section(&fixture::summary().unwrap()), None);
    let mut summary = summary();
    for counted in &mut summary.selected {
        counted.rows = vec![0];
    }
    assert_eq!(section(&summary), None);
}

#[test]
fn damaged_counts_and_times_are_left_out() {
    for seconds in [0.0, 5e-324, 1.7e308] {
        let mut summary = summary();
        summary.designs[0].queries[3].time.as_mut().unwrap().median = seconds;
        summary.selected[0].rows = vec![u64::MAX];
        let section = section(&summary).unwrap();
        assert!(
            !section.contains("NaN") && !section.contains("inf"),
            "{seconds}"
        );
    }
}

#[test]
fn names_from_outside_are_escaped() {
    let evil = "<script>alert('x')</script>";
    let mut summary = summary();
    let month = 2;
    summary.header.queries[month].name = evil.to_owned();
    let further = { summary.instances.iter_mut() }.map(|further| &mut further.figures);
    for figures in summary.designs.iter_mut().chain(further) {
        figures.queries[month].query = evil.to_owned();
    }
    for design in &mut summary.designs {
        design.info.id += evil;
    }
    for further in &mut summary.instances {
        further.instance.design += evil;
    }
    summary.selected[0].query = evil.to_owned();
    let section = section(&summary).unwrap();
    assert!(!section.contains("<script") && section.contains("&lt;script&gt;"));
}
