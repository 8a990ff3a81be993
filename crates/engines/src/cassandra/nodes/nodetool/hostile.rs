//! Outputs that no nodetool should print: figures or a word why not, never a panic or more memory than is said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;
use serde_json::Value;

use super::{TableName, parse};

/// The memory for a text of at most 128 KiB, of which each line may be a row.
const OUTPUT_BYTES: u64 = 32 << 20;

/// Checks that all numbers are finite and not negative.
fn check(figures: &Value) {
    match figures {
        Value::Number(number) => assert!(number.as_f64().unwrap() >= 0.0, "{number}"),
        Value::Object(object) => object.values().for_each(check),
        _ => {}
    }
}

#[test]
fn outputs_are_figures_or_not_understood() {
    let parser = Parser {
        name: "outputs of nodetool on other clusters",
        most_bytes: OUTPUT_BYTES,
        cases: times(3_000, 80_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/nodetool");
    let name: TableName = "ks.t".parse().unwrap();
    parser.feed(&Corpus::read(&folder), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let read = [
            parse::histograms(&text, &name).map(|read| serde_json::to_value(read).unwrap()),
            parse::gc_statistics(&text).map(|read| serde_json::to_value(read).unwrap()),
            parse::node_info(&text).map(|read| serde_json::to_value(read).unwrap()),
            parse::read_repairs(&text).map(|read| serde_json::to_value(read).unwrap()),
        ];
        for read in &read {
            match read {
                Ok(figures) => check(figures),
                Err(why) => assert!(why.starts_with("not understood: "), "{why}"),
            }
        }
        read.iter().any(Result::is_ok)
    });
}
