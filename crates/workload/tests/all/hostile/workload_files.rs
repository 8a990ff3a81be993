//! Workload files, studies and price lists.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser, Random, tree};
use bakeoff_testing::times;
use bakeoff_workload::{Data, DesignId, Error, Generator, PriceList, Study, Workload, source};
use serde_json::Value;

use super::{corpus, folder};

const MIB: u64 = 1 << 20;

/// The memory that checking a file of at most 128 KiB takes, with two generated rows, whose values may be
/// long.
const WORKLOAD_BYTES: u64 = 256 * MIB;

/// Returns the shipped workloads, and small ones with every key that there is.
fn workloads() -> Corpus {
    let mut corpus = corpus("workloads");
    let shipped = folder("../../../../workloads");
    for folder in ["", "easy-stress", "nosqlbench", "ycsb"] {
        corpus.add_files(&shipped.join(folder), ".toml");
    }
    corpus
}

/// Returns the documents of a corpus as trees, as far as they are TOML.
fn trees(corpus: &Corpus) -> Vec<Value> {
    let texts = corpus
        .iter()
        .filter_map(|text| std::str::from_utf8(text).ok());
    texts.filter_map(|text| toml::from_str(text).ok()).collect()
}

/// Makes a document whose values are changed, which is TOML still.
fn changed(trees: &[Value], random: &mut Random) -> Option<Vec<u8>> {
    let mut document = trees[random.usize(..trees.len())].clone();
    tree::change(&mut document, trees, random);
    without_nulls(&mut document);
    toml::to_string(&document).ok().map(String::into_bytes)
}

/// Removes nulls, which TOML does not have.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => {
            items.retain(|item| !item.is_null());
            items.iter_mut().for_each(without_nulls);
        }
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

/// Checks that an error is in the file, and says something.
fn is_in(text: &str, error: &Error) {
    let Error::Workload {
        line,
        column,
        message,
        ..
    } = error
    else {
        panic!("an error without a place: {error}");
    };
    let lines = text.split('\n').count();
    assert!(*line >= 1 && *line <= lines && *column >= 1, "{error}");
    assert!(!message.is_empty());
}

fn is_workload(text: &str) -> bool {
    let workload = match Workload::parse(text, Path::new("hostile.toml")) {
        Ok(workload) => workload,
        Err(error) => {
            is_in(text, &error);
            return false;
        }
    };
    if let Data::Generator(Generator::Columns(_)) = &workload.data {
        let source = source::open(&workload, None).unwrap();
        let rows = source.read(0, 2).map(|mut batches| batches.next());
        drop(rows);
    }
    for design in &workload.designs {
        assert_eq!(design.to_string().parse::<DesignId>().as_ref(), Ok(design));
        let error = workload.error_in_design(design, "refused".to_owned());
        is_in(text, &error);
    }
    for query in &workload.queries {
        is_in(text, &workload.error_at(query, 1, 1, "refused"));
        is_in(text, &workload.error_at(query, 3, 70, "refused"));
    }
    true
}

#[test]
fn workloads_are_read_or_refused_with_a_place() {
    let parser = Parser {
        name: "workload files",
        most_bytes: WORKLOAD_BYTES,
        cases: times(3_000, 950_000),
    };
    let corpus = workloads();
    let trees = trees(&corpus);
    let make = |random: &mut Random| changed(&trees, random);
    parser.feed_with(&corpus, make, |bytes| {
        std::str::from_utf8(bytes).is_ok_and(is_workload)
    });
}

/// Options come from the command line, and are checked together with the file.
#[test]
fn options_of_the_command_line_are_read_or_refused() {
    let parser = Parser {
        name: "options of workloads",
        most_bytes: WORKLOAD_BYTES,
        cases: times(2_000, 50_000),
    };
    let text = std::fs::read_to_string(folder("workloads/devops.toml")).unwrap();
    let mut corpus = Corpus::default();
    for options in [
        "hosts=5",
        "days=2",
        "interval='1m'",
        "hosts=7\ndays=1",
        "seed=3",
    ] {
        corpus.add(options);
    }
    parser.feed(&corpus, |bytes| {
        let Ok(options) = std::str::from_utf8(bytes) else {
            return false;
        };
        let options: Vec<String> = options.lines().map(str::to_owned).collect();
        Workload::parse_with(&text, Path::new("hostile.toml"), &options).is_ok()
    });
}

#[test]
fn price_lists_are_read_or_refused_with_a_place() {
    let parser = Parser {
        name: "price lists",
        most_bytes: 16 * MIB,
        cases: times(2_000, 50_000),
    };
    let mut corpus = Corpus::default();
    corpus.add_files(&folder("../../../../prices"), ".toml");
    let trees = trees(&corpus);
    let make = |random: &mut Random| changed(&trees, random);
    parser.feed_with(&corpus, make, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let read = PriceList::parse(text, Path::new("prices.toml"));
        read.inspect_err(|error| is_in(text, error)).is_ok()
    });
}

#[test]
fn studies_are_read_or_refused_with_a_place() {
    let parser = Parser {
        name: "studies",
        most_bytes: 64 * MIB,
        cases: times(2_000, 50_000),
    };
    let mut corpus = Corpus::default();
    corpus.add_files(&folder("../../../../studies"), ".toml");
    let trees = trees(&corpus);
    let make = |random: &mut Random| changed(&trees, random);
    parser.feed_with(&corpus, make, |bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let read = Study::parse(text, Path::new("study.toml"));
        read.inspect_err(|error| is_in(text, error)).is_ok()
    });
}
