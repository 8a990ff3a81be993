//! Pages and replies that no exporter should send: figures or a word why not, never a panic or more memory than is
//! said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;
use serde_json::Value;

use super::{Exposed, http, known, text};

/// The memory for a page of at most 128 KiB, of which each few bytes may be a label.
const PAGE_BYTES: u64 = 64 << 20;

fn corpus(name: &str) -> Corpus {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    Corpus::read(&folder.join(name))
}

#[test]
fn pages_are_figures_or_refused() {
    let parser = Parser {
        name: "pages of metrics",
        most_bytes: PAGE_BYTES,
        cases: times(3_000, 80_000),
    };
    parser.feed(&corpus("metrics"), |bytes| {
        let page = String::from_utf8_lossy(bytes);
        let Ok(samples) = text::samples(&page, known::is_known) else {
            return false;
        };
        let mut exposed = Exposed::default();
        let is_known = known::put(&samples, &mut exposed).is_ok();
        let Value::Object(figures) = serde_json::to_value(exposed).unwrap() else {
            panic!("no object");
        };
        for figure in figures.values().filter_map(Value::as_f64) {
            assert!(figure.is_finite() && figure >= 0.0, "{figure}");
        }
        is_known
    });
}

#[test]
fn replies_are_texts_or_refused() {
    let parser = Parser {
        name: "replies of exporters",
        most_bytes: PAGE_BYTES,
        cases: times(2_000, 60_000),
    };
    parser.feed(&corpus("replies"), |bytes| {
        let body = http::body(bytes.to_vec());
        body.is_ok_and(|body| body.len() < bytes.len())
    });
}
