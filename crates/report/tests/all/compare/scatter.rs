use bakeoff_report::html;
use bakeoff_stats::Summary;

use super::fixture;

/// The run with so many further designs before its own that are where the recommended one is.
fn crowded(further: usize) -> Summary {
    let mut summary = fixture::summary().unwrap();
    let recommended = summary.design("parquet?codec=snappy").unwrap().clone();
    for number in 0..further {
        let mut another = recommended.clone();
        another.info.id = format!("parquet/much-the-same-{number}");
        summary.designs.insert(0, another);
    }
    summary
}

#[test]
fn a_label_without_room_is_left_out_but_for_the_design_that_matters() {
    let page = html::render(&crowded(26));
    let (_, section) = page.split_once("<h2>Storage against speed</h2>").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    let charts: Vec<&str> = section.split("<svg ").skip(1).collect();
    assert_eq!(charts.len(), 2);
    for chart in charts {
        let marks = chart.matches("class=\"mark\"").count();
        let labels = chart.matches("class=\"label").count();
        assert!(marks > 26 && labels < marks, "{labels} of {marks}");
        // The chart has a title, too.
        assert_eq!(chart.matches("<title>").count(), marks + 1);
        assert!(chart.contains(">parquet?codec=snappy</text>"), "{chart}");
    }
}
