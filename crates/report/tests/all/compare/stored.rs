//! First rows as they are stored, in the terminal and on the page.

use bakeoff_report::{html, terminal};
use bakeoff_stats::{Record, Stored, StoredRows, Summary};

use super::fixture;

fn summary() -> Summary {
    let mut records = fixture::records();
    let design = |id: &str| id.to_owned();
    records.push(Record::Stored(Stored {
        design: design("cassandra/wide"),
        rows: StoredRows::told(
            "sstabledump of Cassandra",
            "[197912]@0 Row: 1 | [a=<b>]\n[197912]@41 Row: 2 | [a=c]",
        ),
    }));
    records.push(Record::Stored(Stored {
        design: design("cassandra/narrow"),
        rows: StoredRows::unknown("it did not end within 60s"),
    }));
    Summary::from_records(&records).unwrap()
}

#[test]
fn the_rows_of_each_design_are_printed_in_the_header_s_order() {
    let text = terminal::render_stored(&summary(), 100, false);
    let narrow = "cassandra/narrow, not known: it did not end within 60s";
    let wide = "cassandra/wide, by sstabledump of Cassandra\n  [197912]@0 Row: 1 | [a=<b>]\n  [197912]@41 Row";
    let at = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("{words} is not in {text}"))
    };
    assert!(at("Rows as they are stored") < at(narrow) && at(narrow) < at(wide));
    let none = terminal::render_stored(&fixture::summary().unwrap(), 100, false);
    assert!(none.contains("--show-stored"), "{none}");
}

#[test]
fn the_page_has_them_too_and_without_any_nothing() {
    let page = html::render(&summary());
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<h2>Rows as they are stored</h2>"));
    assert!(page.contains("[a=&lt;b&gt;]"));
    let without = html::render(&fixture::summary().unwrap());
    assert!(!without.contains("Rows as they are stored"));
}
