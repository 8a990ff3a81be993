//! Statistics that no nodetool should print: figures or none, never a panic or more memory than is said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser, Random, tree};
use bakeoff_testing::times;
use serde_json::Value;

use super::*;

/// The memory for a text of at most 128 KiB, of which each byte may be a value.
const OUTPUT_BYTES: u64 = 64 << 20;

/// Returns the figures of two tables of which only one is in the corpus, and of that one alone.
fn figures(text: &str) -> Result<[Option<f64>; 3], DesignError> {
    let nodes = parsed(&[text.to_owned(), text.to_owned()])?;
    let tables = ["readings".to_owned(), "absent".to_owned()];
    let _ = compression_ratio(&entries(&nodes, "ks", &tables));
    let _ = table_statistics(&entries(&nodes, "ks", &tables));
    let all = entries(&nodes, "ks", &tables[..1]);
    let bytes = |name| sum(&all, name).map(|bytes| bytes as f64);
    Ok([
        bytes("space_used_live"),
        bytes("compression_metadata_off_heap_memory_used"),
        compression_ratio(&all),
    ])
}

#[test]
fn statistics_of_tables_are_figures_or_refused() {
    let parser = Parser {
        name: "tablestats of nodetool",
        most_bytes: OUTPUT_BYTES,
        cases: times(2_000, 60_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/tablestats");
    let corpus = Corpus::read(&folder);
    let trees: Vec<Value> = corpus
        .iter()
        .map(|text| serde_json::from_slice(text).unwrap())
        .collect();
    for text in corpus.iter() {
        let figures = figures(std::str::from_utf8(text).unwrap()).unwrap();
        assert!(figures[..2].iter().all(Option::is_some), "{figures:?}");
    }
    let make = |random: &mut Random| {
        let mut tree = trees[random.usize(..trees.len())].clone();
        tree::change(&mut tree, &trees, random);
        Some(tree.to_string().into_bytes())
    };
    parser.feed_with(&corpus, make, |bytes| {
        let Ok(figures) = figures(&String::from_utf8_lossy(bytes)) else {
            return false;
        };
        let known = figures.iter().flatten();
        known.for_each(|figure| assert!(figure.is_finite() && *figure >= 0.0, "{figure}"));
        figures[0].is_some()
    });
}
