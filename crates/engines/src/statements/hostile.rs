//! Logs of queries and files of statements that nobody meant to be read: what they have is counted, told or left out,
//! never a panic, an endless loop or more memory than is said here.

use std::path::Path;

use bakeoff_testing::hostile::{Corpus, Parser};
use bakeoff_testing::times;
use bakeoff_workload::infer::Declared;

use super::*;

/// The memory for a file of at most 128 KiB: a token for each byte, and several copies of what is read.
const FILE_BYTES: u64 = 64 << 20;
/// The kinds of logs, each of which is also given what is of the others.
const KINDS: [LogKind; 5] = [
    LogKind::Plain,
    LogKind::FullQueryLog,
    LogKind::PostgresText,
    LogKind::PostgresCsv,
    LogKind::PostgresJson,
];
const LANGUAGES: [Language; 2] = [Language::Cql, Language::Sql];

fn corpus(folder: &str) -> Corpus {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    Corpus::read(&all.join(folder))
}

/// Returns whether one of the candidates is a question. What is shown of them for people is short.
fn has_question(candidates: &[Candidate]) -> bool {
    for candidate in candidates {
        let shown = candidate.shown.chars().count();
        assert!(shown <= MOST_SHOWN + "...".len(), "{}", candidate.shown);
        assert!(!candidate.shown.contains('\n'), "{}", candidate.shown);
    }
    { candidates.iter() }.any(|candidate| candidate.question.is_ok())
}

#[test]
fn logs_of_queries_are_counted_or_not_understood() {
    let parser = Parser {
        name: "logs of queries",
        most_bytes: FILE_BYTES,
        cases: times(600, 40_000),
    };
    // The table that is asked is the one that most statements ask, whose columns are those of a file.
    let file = "CREATE TABLE readings (room text PRIMARY KEY, heat double)";
    let file = StatementsFile::parse(file, Language::Sql).unwrap();
    let declared = file.declared(None, "readings.sql", &[], None).unwrap();
    let found = Inferred::declared(declared);
    parser.feed(&corpus("logs"), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        for is_whole in [false, true] {
            LogKind::of(&text, is_whole, is_whole);
        }
        let mut is_read = false;
        for kind in KINDS {
            let Ok(log) = QueryLog::read(kind, Language::Sql, bytes) else {
                continue;
            };
            let Ok(table) = log.table(None) else {
                continue;
            };
            let (numbers, candidates): (Vec<u64>, Vec<Candidate>) =
                log.candidates(&table, &found, None).unzip();
            assert!(numbers.is_sorted_by(|a, b| a >= b), "{numbers:?}");
            let asked: u64 = numbers.iter().sum();
            assert!(log.notes(&table, asked, candidates.len(), 0).len() >= 2);
            let mixed = log.mix(&table, &found);
            assert!(mixed.asked <= asked, "{mixed:?}");
            is_read |= has_question(&candidates);
        }
        is_read
    });
}

#[test]
fn files_of_statements_are_read_or_refused() {
    let parser = Parser {
        name: "files of statements",
        most_bytes: FILE_BYTES,
        cases: times(600, 40_000),
    };
    parser.feed(&corpus("statements"), |bytes| {
        // A file that is no text is refused before.
        let Ok(text) = std::str::from_utf8(bytes) else {
            return false;
        };
        let read = LANGUAGES.map(|language| declares(text, language));
        read.contains(&true)
    });
}

/// Returns whether a file makes a table that can be measured, which is read as `bakeoff init` does.
fn declares(text: &str, language: Language) -> bool {
    let Ok(file) = StatementsFile::parse(text, language) else {
        return false;
    };
    let keys = [Vec::new(), vec!["time".to_owned()]];
    let declared = keys
        .iter()
        .map(|key| file.declared(None, "a.sql", key, None));
    let declared: Vec<Declared> = declared.flatten().collect();
    for declared in &declared {
        let table = file.asked_table(None).unwrap();
        let found = Inferred::declared(declared.clone());
        let (candidates, _) = file.candidates(&table, &found);
        has_question(&candidates);
    }
    !declared.is_empty()
}
