//! Tests that design ids are read and written alike.

use bakeoff_workload::DesignId;
use proptest::prelude::*;

fn parse(text: &str) -> Result<DesignId, String> {
    text.parse()
}

proptest! {
    #[test]
    fn an_id_survives_being_written_and_read(
        engine in "[a-z][a-z0-9_-]{0,8}",
        layout in prop::option::of("[a-z][a-z0-9_-]{0,8}"),
        settings in prop::collection::btree_map("[a-z]{1,6}", "[A-Za-z0-9.=?_-]{1,8}", 0..4),
    ) {
        let design = DesignId { engine, layout, settings, tag: None };
        prop_assert_eq!(parse(&design.to_string()), Ok(design));
    }

    #[test]
    fn no_text_panics(text in ".{0,40}") {
        if let Ok(design) = parse(&text) {
            prop_assert_eq!(parse(&design.to_string()), Ok(design));
        }
    }
}

#[test]
fn the_order_of_settings_does_not_count() {
    let design = parse("cassandra/wide?compressor=Zstd&chunk=64KiB").unwrap();
    assert_eq!(
        design.to_string(),
        "cassandra/wide?chunk=64KiB&compressor=Zstd"
    );
}

#[test]
fn bad_ids_say_what_is_wrong() {
    assert!(
        parse("")
            .unwrap_err()
            .contains("is not a design id; write engine/layout")
    );
    assert!(
        parse("cassandra/")
            .unwrap_err()
            .contains("is not a design id")
    );
    assert_eq!(
        parse("parquet?codec").unwrap_err(),
        "`codec` in design id `parquet?codec` is not setting=value"
    );
    assert_eq!(
        parse("memory?a=1&a=2").unwrap_err(),
        "design id `memory?a=1&a=2` has the setting `a` twice"
    );
}
