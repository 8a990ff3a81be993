//! The keys of operations, and the rows that these have to name.

use bakeoff_workload::Keys;

use super::{GOOD, error, parse};

#[test]
fn keys() {
    let read = "keys = { latest = 1 }";
    assert_eq!(
        error(read, "keys = \"unifrm\""),
        "33:46: unknown keys `unifrm`; did you mean `uniform`?"
    );
    assert!(
        error(read, "keys = \"zipf\"").contains("`zipf` needs a number: keys = { zipf = 0.99 }")
    );
    assert!(error(read, "keys = { zip = 1 }").contains("unknown keys `zip`; did you mean `zipf`?"));
    assert_eq!(
        error(read, "keys = { zipf = 0 }"),
        "33:46: `zipf` is 0, but has to be above 0"
    );
    assert!(
        error(read, "keys = { zipf = -1.5 }").contains("`zipf` is -1.5, but has to be above 0")
    );
    assert!(error(read, "keys = { zipf = \"x\" }").contains("has to be a number"));
    assert!(error(read, "keys = 1").contains("`keys` is one of"));
    assert!(error(read, "keys = {}").contains("`keys` is one of"));
    assert!(error(read, "keys = \"new\"").contains("is only for actions that insert rows"));
}

#[test]
fn new_rows_need_a_source_that_has_them() {
    let start = GOOD.find("[data]").unwrap();
    let end = GOOD.find("[scale]").unwrap();
    let from_file = GOOD.replace(&GOOD[start..end], "[data]\nfile = \"x.csv\"\n");
    let message = parse(&from_file).unwrap_err();
    assert!(
        message.contains("`insert` writes new rows by default, but only `generator = \"columns\"`"),
        "{message}"
    );
    let uniform = from_file.replace("batch = 10", "keys = \"uniform\"");
    assert_eq!(
        parse(&uniform).unwrap().mix.unwrap().operations[0].keys,
        Keys::Uniform
    );
    let new = from_file.replace("batch = 10", "keys = \"new\"");
    assert!(
        parse(&new)
            .unwrap_err()
            .contains("`keys = \"new\"` is impossible: only")
    );

    let cycle = error("every = 10 }", "every = 10, cycle = 100 }");
    assert!(
        cycle.contains("keys begin again after 1000 rows; leave `cycle` out"),
        "{cycle}"
    );
}

#[test]
fn operations_on_rows_need_unique_keys() {
    let message = error("every = 10 }", "every = 20 }");
    assert!(
        message.starts_with("28:14: `insert` writes new rows") && message.contains("after 10 rows"),
        "{message}"
    );
    let only_reads = GOOD.replace("batch = 10", "keys = \"uniform\"");
    let message = parse(&only_reads.replace("every = 10 }", "every = 20 }")).unwrap_err();
    assert!(
        message.contains("the key is unique for 10 of the 1000 rows only"),
        "{message}"
    );
}
