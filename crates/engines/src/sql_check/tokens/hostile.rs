//! Texts that nobody meant as SQL: one query or a reason why not, never a panic or an endless loop. What hides a
//! second statement in one that is taken for a query would run it.

use std::ops::Range;
use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;

use super::super::complaint;
use super::*;

/// The memory for a text of at most 128 KiB: a token for each byte.
const TOKENS_BYTES: u64 = 16 << 20;

/// Returns the tokens with their places.
fn placed(sql: &str) -> Vec<(Token<'_>, Range<usize>)> {
    let mut scanner = Scanner::new(sql);
    let mut placed = Vec::new();
    loop {
        scanner.skip_comments().unwrap();
        let begin = scanner.at;
        match scanner.next().unwrap() {
            Some((token, _)) => placed.push((token, begin..scanner.at)),
            None => return placed,
        }
    }
}

/// Checks that each byte is in a token or in what is between tokens, and that each of these means by itself what it
/// means there.
fn covers_the_text(sql: &str, found: &[Token<'_>]) {
    let placed = placed(sql);
    let of_places: Vec<Token<'_>> = placed.iter().map(|(token, _)| *token).collect();
    assert_eq!(of_places, found);
    let mut end = 0;
    for (token, place) in placed {
        assert!(place.start >= end && place.end > place.start, "{place:?}");
        assert_eq!(tokens(&sql[end..place.start]), Ok(Vec::new()));
        assert_eq!(tokens(&sql[place.clone()]), Ok(vec![token]));
        end = place.end;
    }
    assert_eq!(tokens(&sql[end..]), Ok(Vec::new()));
}

/// Checks that nothing is hidden by a text that is taken for one query: neither what follows it nor what is
/// in front of it.
fn hides_nothing(sql: &str) {
    let refused = |text: String, reasons: &[&str]| {
        let said = complaint(&text).unwrap_or_default();
        let is_told = reasons.iter().any(|why| said.contains(why));
        assert!(is_told, "{text:?}: {said:?}");
    };
    let several = "several statements";
    // A comment at its end goes on to the end of the line.
    refused(format!("{sql}\n;SELECT 1"), &[several]);
    refused(format!("{sql}\n;COPY t TO PROGRAM 'id'"), &[several]);
    // It may end with a semicolon.
    refused(format!("{sql}\nINTO t"), &["writes", several]);
    refused(format!("COMMIT;{sql}"), &[several]);
    refused(format!("DO {sql}"), &["not a query"]);
    assert_eq!(complaint(&format!(" /* ; */ {sql}\n;; -- ;\n")), None);
}

#[test]
fn tokens_cover_each_text_and_a_query_hides_no_other_statement() {
    let parser = Parser {
        name: "sql of workloads",
        most_bytes: TOKENS_BYTES,
        cases: times(3_000, 150_000),
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/sql");
    parser.feed(&Corpus::read(&folder), |bytes| {
        let Ok(sql) = std::str::from_utf8(bytes) else {
            return false;
        };
        let found = match tokens(sql) {
            Ok(found) => found,
            Err(why) => {
                assert_eq!(complaint(sql), Some(why));
                return false;
            }
        };
        // What each means by itself takes as long as it has tokens, which may be as many as its bytes.
        if sql.len() < 4_096 {
            covers_the_text(sql, &found);
        }
        let complaint = complaint(sql);
        if complaint.is_none() {
            hides_nothing(sql);
        }
        complaint.is_none()
    });
}
