use bakeoff_report::html;
use bakeoff_stats::{ColumnsRead, Record, Summary};

use super::fixture;
use super::html::open_elements;

const HEADING: &str = "<h2>Scan speed by columns read</h2>";

/// The page of the fixture's run, of whose queries these read so many columns and have no condition.
fn page(columns: &[(&str, u32)]) -> String {
    let mut records = fixture::records();
    for record in &mut records {
        if let Record::Started(header) = record {
            for query in &mut header.queries {
                if columns.iter().any(|(name, _)| *name == query.name) {
                    query.sql = "SELECT count(v) FROM t".to_owned();
                }
            }
        }
        if let Record::Timed(timing) = record {
            timing.rows_scanned = Some(120_000);
        }
    }
    records.push(Record::ColumnsRead {
        queries: { columns.iter() }
            .map(|(query, columns)| ColumnsRead {
                query: (*query).to_owned(),
                columns: *columns,
            })
            .collect(),
    });
    let page = html::render(&Summary::from_records(&records).unwrap());
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    page
}

#[test]
fn each_design_has_a_line_over_the_columns_that_its_scans_read() {
    let page = page(&[("scan", 1), ("month", 4), ("usa", 16)]);
    let section = page.split(HEADING).nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert_eq!(section.matches("<svg ").count(), 1);
    assert_eq!(section.matches("class=\"line dashed\"").count(), 1);
    let lines = section.matches("class=\"line\"").count();
    assert_eq!(section.matches("<li class=").count(), lines);
    assert!(lines > 5, "{lines}");
    for words in [" with 1 column,", " with 4 columns,", " with 16 columns."] {
        assert!(section.contains(words), "{words} is not in {section}");
    }
    assert!(!section.contains("Not drawn"));
}

#[test]
fn two_numbers_of_columns_have_no_chart() {
    assert!(!page(&[("scan", 1), ("month", 4)]).contains(HEADING));
}
