use bakeoff_report::{html, terminal};
use bakeoff_stats::drive::{PartitionBytes, PartitionRows, Partitions};
use bakeoff_stats::{Record, Summary};

use super::fixture;
use super::html::open_elements;

/// The fixture's run, of whose first design the largest partition has so many rows.
fn with(most: u64) -> Summary {
    let mut records = fixture::records();
    let Record::Started(header) = &records[0] else {
        panic!("no header");
    };
    let design = header.designs[0].id.clone();
    records.push(Record::Partitions(Partitions {
        design,
        key: Some("a<b".to_owned()),
        rows: PartitionRows::of(&[10, most], 1),
        requests: None,
        bytes: vec![PartitionBytes {
            table: "wide_1".to_owned(),
            p50: 2_048,
            p99: 4_096,
            max: 1 << 20,
            nodes: 1,
        }],
    }));
    Summary::from_records(&records).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_page_has_rows_and_bytes_of_partitions() {
    let page = html::render(&with(900));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>Partitions</h2>").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    for cell in ["a&lt;b", ">900<", ">wide_1<", "~1.00 MiB"] {
        assert!(section.contains(cell), "{cell} is not in {section}");
    }
    assert!(!page.contains("too large for Cassandra"));
    let without = html::render(&fixture::summary().unwrap());
    assert!(!without.contains("<h2>Partitions</h2>"));
}

#[test]
fn partitions_above_the_rule_of_thumb_are_noted() {
    let summary = with(100_001);
    assert!(html::render(&summary).contains("(100,001 rows)"));
    let text = terminal::render(&summary, 160, false);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("too large for Cassandra"), "{text}");
}
