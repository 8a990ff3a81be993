//! Files of `--save` that no trace wrote: what is wrong is said, or the trace is shown, alone and beside another one.

use std::path::Path;

use bakeoff_report::trace::{Shown, json, render};
use bakeoff_stats::trace::{Beside, Traced};
use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

/// The memory for a file of at most 128 KiB, and for all that is shown of it.
const TRACE_BYTES: u64 = 128 << 20;

#[test]
fn saved_traces_are_shown_or_refused() {
    let parser = Parser {
        name: "saved traces",
        most_bytes: TRACE_BYTES,
        cases: times(1_000, 40_000),
    };
    let corpus = Corpus::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/traces"));
    let saved = corpus
        .iter()
        .map(|saved| std::str::from_utf8(saved).unwrap());
    let other = saved.filter_map(|text| Traced::from_json(text).ok()).last();
    let other = other.expect("a trace among the saved ones");
    parser.feed(&corpus, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let traced = match Traced::from_json(&text) {
            Ok(traced) => traced,
            Err(why) => {
                assert!(why.contains("trace"), "{why}");
                return false;
            }
        };
        let again = Traced::from_json(&traced.to_json().unwrap());
        assert_eq!(again.as_ref(), Ok(&traced));
        for (one, two) in [(&traced, &other), (&other, &traced)] {
            let beside = Beside::new(one, two);
            for beside in [None, Some(&beside)] {
                for width in [80, 200] {
                    let shown = Shown { color: true, width };
                    assert!(!render(one, beside, shown).is_empty());
                }
                json(one, beside).unwrap();
            }
        }
        true
    });
}
