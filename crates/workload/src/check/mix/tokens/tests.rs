use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use bakeoff_servers::cassandra::Release;
use bakeoff_testing::times;

use super::*;
use crate::java::{compile, java_with_cassandra};
use crate::random::Stream;

const CLASS: &str = "CassandraTokens";
const PROGRAM: &str = include_str!("CassandraTokens.java");

/// Keyspaces of a run, some of which could become part of a number, a duration or a UUID.
const KEYSPACES: [&str; 7] = ["prod", "d", "e5", "ms", "nanny", "deadbeef", "infinity_1"];

/// Pieces of statements, those that begin and end tokens more often than the others.
const COMMON: [&str; 28] = [
    " ",
    " ",
    "\n",
    "\r",
    "UPDATE",
    "from ",
    "FROM",
    "prod.t",
    "${keyspace}.",
    "${keyspace}",
    "k",
    " = ",
    ";",
    ",",
    ".",
    "'",
    "\"",
    "$$",
    "--",
    "//",
    "/*",
    "*/",
    "5",
    "-",
    "(",
    ")",
    "a1_",
    " :k ",
];
const RARE: [&str; 50] = [
    "${number}",
    "${",
    "}",
    "$",
    "''",
    "\"\"",
    "'x'",
    "\"Q\"",
    "-nan",
    "-Infinity",
    "NaN",
    "infinity",
    "0x",
    "0xCAFE",
    "e",
    "E-5",
    "1.5",
    "..",
    "...",
    "1h",
    "30m",
    "mo",
    "3µs",
    "P",
    "PT",
    "P1Y",
    "P2W",
    "T1H",
    "0001-02-03T04:05:06",
    "abcdefab",
    "-abcd-abcd-abcd-",
    "abcdefabcdef",
    "01234567",
    "?",
    ":",
    "::",
    "{",
    "}",
    "[",
    "]",
    "*",
    "/",
    "\t",
    "\u{b}",
    "\u{a0}",
    "é",
    "😀",
    "_",
    "%",
    "\\",
];

#[test]
fn doubled_quotes_do_not_end_what_is_quoted() {
    let found = tokens("\"a\"\"b\".\"\" 'it''s'x").unwrap();
    let kinds: Vec<Kind> = found.iter().map(|token| token.kind).collect();
    let expected = [
        Kind::Quoted("a\"\"b"),
        Kind::Sign('.'),
        Kind::Quoted(""),
        Kind::Word("x"),
    ];
    assert_eq!(kinds, expected);
    assert!(tokens("'a''").is_err() && tokens("\"a\"\"").is_err());
}

/// Statements are split into the tokens that the lexers of both releases of Cassandra split them into. Placeholders were
/// replaced before.
#[tokio::test]
async fn tokens_are_those_of_cassandra() {
    let count = times(10_000, 1_000_000);
    let statements: Vec<Statement> = (0..count).map(Statement::random).collect();
    let Some((java, compilers)) = java_with_cassandra(Release::Five).await else {
        return;
    };
    for release in [Release::Five, Release::Four] {
        let Some((_, class_path)) = java_with_cassandra(release).await else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path();
        compile(&java, &compilers, &class_path, classes, CLASS, PROGRAM);
        let found = cassandra_tokens(&java, &class_path, classes, &statements);
        compare(&statements, found);
    }
}

/// Compares the tokens of statements with those that a lexer of Cassandra finds.
fn compare(statements: &[Statement], found: Vec<Option<Vec<String>>>) {
    assert_eq!(found.len(), statements.len());
    let mut compared = 0;
    for (statement, expected) in statements.iter().zip(found) {
        // What Cassandra refuses does no harm, and what is refused here is not sent.
        let (Some(expected), Ok(own)) = (expected, tokens(&statement.written)) else {
            continue;
        };
        compared += 1;
        let own: Vec<String> = own.iter().map(|token| statement.shown(token)).collect();
        assert_eq!(own, expected, "{statement:?}");
    }
    // Cassandra refuses most of what is put together by chance.
    let count = statements.len();
    assert!(compared > count / 20, "{compared} of {count}");
}

/// A statement of a workload file, and what replaces its placeholders.
#[derive(Debug)]
struct Statement {
    written: String,
    keyspace: &'static str,
    number: String,
}

impl Statement {
    fn random(number: u64) -> Statement {
        let mut random = Stream::new(&[77, number]);
        let mut draw = |pieces: &[&'static str]| pieces[random.below(pieces.len() as u64) as usize];
        let keyspace = draw(&KEYSPACES);
        let number = draw(&["7", "42", "987654"]).to_owned();
        let mut written = String::new();
        for _ in 0..draw(&["1", "2", "4", "8", "16"]).parse().unwrap() {
            let pieces: &[&str] = if draw(&["common", "rare"]) == "common" {
                &COMMON
            } else {
                &RARE
            };
            written.push_str(draw(pieces));
        }
        written.push_str(draw(&["", "\n", "'", "\"", "$$", "*/"]));
        Statement {
            written,
            keyspace,
            number,
        }
    }

    /// Returns what replaces the placeholders in a text of the statement.
    fn sent(&self, text: &str) -> String {
        let sent = text.replace("${keyspace}", self.keyspace);
        sent.replace("${number}", &self.number)
    }

    /// Describes a token as the Java program does.
    fn shown(&self, token: &Token<'_>) -> String {
        match token.kind {
            // A placeholder is a word here, whatever replaces it; a number is a constant then.
            Kind::Word("${number}") => "C".to_owned(),
            Kind::Word(word) => format!("W{}", hexadecimal(&self.sent(word))),
            Kind::Quoted(name) => format!("Q{}", hexadecimal(&self.sent(name))),
            Kind::Constant => "C".to_owned(),
            Kind::Sign(sign) => format!("S{}", hexadecimal(&sign.to_string())),
        }
    }
}

fn hexadecimal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").unwrap();
        digits
    })
}

/// Returns the tokens of each statement as it is sent, or `None` for one that Cassandra refuses.
fn cassandra_tokens(
    java: &Path,
    class_path: &str,
    folder: &Path,
    statements: &[Statement],
) -> Vec<Option<Vec<String>>> {
    let class_path = format!("{}:{class_path}", folder.display());
    let mut lexing = Command::new(java)
        .args(["-cp", &class_path, CLASS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = BufWriter::new(lexing.stdin.take().unwrap());
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            for statement in statements {
                let sent = statement.sent(&statement.written);
                writeln!(input, "{}", hexadecimal(&sent)).unwrap();
            }
        });
        lexing.wait_with_output().unwrap()
    });
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let tokens = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    let lines = lines.lines();
    lines
        .map(|line| (line != "!").then(|| tokens(line)))
        .collect()
}
