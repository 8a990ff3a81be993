//! Designs that read the table of another one: its figures are theirs, and are told and drawn as those of one table.

use bakeoff_report::{html, json};
use bakeoff_stats::{Record, Summary};

use super::paged;

const OWN: &str = "cassandra/blob";

/// The run of the fixture, in which designs with other pages read the table of [`OWN`].
fn shared() -> (Summary, Vec<Record>) {
    let mut records = paged::records();
    let Some(Record::Started(header)) = records.first_mut() else {
        panic!("no header");
    };
    let readers = header.designs.iter_mut();
    for info in readers.filter(|info| info.id.starts_with("cassandra/blob?page=")) {
        info.table_of = Some(OWN.to_owned());
    }
    (Summary::from_records(&records).unwrap(), records)
}

#[test]
fn it_is_told_which_designs_read_one_table() {
    let (summary, records) = shared();
    let told = "cassandra/blob?page=50000, cassandra/blob?page=100, cassandra/blob?page=1000 and \
                cassandra/blob?page=80000 read the table of cassandra/blob, which was loaded once: their storage and \
                loading are those of that table";
    let value: serde_json::Value =
        serde_json::from_str(&json::render(&summary, &records).unwrap()).unwrap();
    let notes = value["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
    let own = summary.design(OWN).unwrap();
    let reader = summary.design("cassandra/blob?page=100").unwrap();
    assert_eq!(reader.bytes_per_row, own.bytes_per_row);
    assert_eq!(reader.load_rate, own.load_rate);
    let page = html::render(&summary);
    let cell = "cassandra/blob?page=100<small>the table of cassandra/blob</small>";
    assert!(page.contains(cell));
}

#[test]
fn loading_is_drawn_once_for_one_table() {
    let chart = |summary: &Summary| {
        let page = html::render(summary);
        let begin = page.find("Rows loaded a second by design").unwrap();
        let end = page[begin..].find("</svg>").unwrap();
        page[begin..begin + end].to_owned()
    };
    let alone = chart(&paged::summary().unwrap());
    assert!(alone.contains("cassandra/blob?page=100"), "{alone}");
    let shared = chart(&shared().0);
    assert!(shared.contains(OWN), "{shared}");
    assert!(!shared.contains("page="), "{shared}");
}
