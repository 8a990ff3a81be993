//! Renders what servers count of their own work, before and after the steps of a run.

use bakeoff_stats::{AccountAt, Moment, ServerAccount};

use super::section;
use super::table::{Heading, Table, or_none};
use crate::markup::Escaped;
use crate::units;

const TITLE: &str = "Servers before and after";
const HINT: &str = "By the servers' own counts. The database, blocks and temporary files are of the run's database; \
                    the log, checkpoints, reads and writes of the whole server, other clients included; nothing is of \
                    standbys. But for the bytes of the database, each row has what came since the row above. Sessions \
                    hand in their counts up to ten seconds late, so that a little of a row may be in the next one. \
                    Blocks that were not found in the buffers, and reads, may come from the system's cache.";

/// Renders the section; it is empty where no server told anything.
pub fn accounts(all: &[AccountAt]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let engines = engines(all);
    let numbers = [
        "Database",
        "Written to the log",
        "Checkpoints by time",
        "Checkpoints on demand",
        "Found in buffers",
        "Read",
        "Written",
        "Temporary files",
    ];
    let first = [Heading::text("Engine"), Heading::words("When")].into_iter();
    let table = Table {
        caption: "",
        head: first.chain(numbers.map(Heading::number)).collect(),
        rows: engines
            .iter()
            .flat_map(|engine| rows(engine, all))
            .collect(),
    };
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(HINT));
    section(TITLE, &(hint + &table.html() + &missing(all)))
}

/// Returns the names of the engines, each once.
fn engines(all: &[AccountAt]) -> Vec<&str> {
    let mut engines: Vec<&str> = Vec::new();
    for at in all {
        if !engines.contains(&at.engine.as_str()) {
            engines.push(&at.engine);
        }
    }
    engines
}

/// Returns a row for each moment of an engine, with what came since the one before.
fn rows(engine: &str, all: &[AccountAt]) -> Vec<Vec<String>> {
    let mut own: Vec<&AccountAt> = all.iter().filter(|at| at.engine == engine).collect();
    own.sort_by_key(|at| at.moment);
    let mut rows = Vec::new();
    let mut earlier: Option<&ServerAccount> = None;
    for at in own {
        let (when, account) = match earlier {
            Some(earlier) => (since(at.moment), at.account.since(earlier)),
            // Counters began long ago, so that only the bytes of this moment say anything.
            None => (
                alone(at.moment),
                at.account.since(&ServerAccount::default()),
            ),
        };
        rows.push(cells(engine, when, &account));
        earlier = Some(&at.account);
    }
    rows
}

/// Names the time until a moment.
fn since(moment: Moment) -> &'static str {
    match moment {
        Moment::Before => "at the beginning",
        Moment::AtRest => "until all tables were at rest",
        Moment::After => "until the end of what is timed",
    }
}

/// Names a moment of which the server told nothing earlier. A run that goes on may have begun with full tables.
fn alone(moment: Moment) -> &'static str {
    match moment {
        Moment::Before => "at the beginning",
        Moment::AtRest => "all tables at rest",
        Moment::After => "at the end of what is timed",
    }
}

fn cells(engine: &str, when: &str, account: &ServerAccount) -> Vec<String> {
    let bytes = |bytes: Option<u64>| or_none(bytes, |bytes| units::bytes(bytes as f64));
    let count = |count: Option<u64>| or_none(count, units::count);
    vec![
        Escaped(engine).to_string(),
        when.to_owned(),
        bytes(account.database_bytes),
        bytes(account.log_bytes),
        count(account.timed_checkpoints),
        count(account.requested_checkpoints),
        or_none(account.hit_ratio(), |share| {
            format!("{:.1}%", 100.0 * share)
        }),
        bytes(account.read_bytes),
        bytes(account.written_bytes),
        bytes(account.temporary_bytes),
    ]
}

/// Lists what is not available, each once.
fn missing(all: &[AccountAt]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for at in all {
        for (figure, reason) in &at.account.missing {
            let sentence = format!("Not available of {}: {figure}. {reason}.", at.engine);
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    let paragraphs = sentences.iter();
    paragraphs
        .map(|sentence| format!("<p class=\"hint-text\">{}</p>\n", Escaped(sentence)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(moment: Moment, account: ServerAccount) -> AccountAt {
        AccountAt {
            engine: "a<b".to_owned(),
            moment,
            account,
        }
    }

    fn counted(database_bytes: u64, log_bytes: u64, blocks: (u64, u64)) -> ServerAccount {
        ServerAccount {
            database_bytes: Some(database_bytes),
            log_bytes: Some(log_bytes),
            blocks_hit: Some(blocks.0),
            blocks_read: Some(blocks.1),
            ..ServerAccount::default()
        }
    }

    #[test]
    fn each_row_has_what_came_since_the_one_above() {
        let html = accounts(&[
            at(Moment::Before, counted(8 << 20, 5 << 30, (1_000, 1_000))),
            at(
                Moment::After,
                counted(40 << 20, (5 << 30) + (66 << 20), (4_900, 1_300)),
            ),
            at(
                Moment::AtRest,
                counted(40 << 20, (5 << 30) + (64 << 20), (4_000, 1_000)),
            ),
        ]);
        let rows: Vec<&str> = html.split("<tr>").skip(2).collect();
        assert_eq!(rows.len(), 3, "{html}");
        for (row, words) in rows.iter().zip([
            ["at the beginning", "8.00 MiB", "–"],
            ["until all tables were at rest", "64.0 MiB", "100.0%"],
            ["until the end of what is timed", "2.00 MiB", "75.0%"],
        ]) {
            for word in words {
                assert!(row.contains(word), "{word}: {row}");
            }
        }
        assert!(
            !rows[0].contains("GiB") && html.contains("a&lt;b"),
            "{html}"
        );
    }

    #[test]
    fn what_is_not_available_is_told_once_and_nothing_has_no_section() {
        let unknown = ServerAccount::unknown("the user may <not> read it");
        let html = accounts(&[
            at(Moment::Before, unknown.clone()),
            at(Moment::AtRest, unknown),
        ]);
        let told = "Not available of a&lt;b: all figures. the user may &lt;not&gt; read it.";
        assert_eq!(html.matches(told).count(), 1, "{html}");
        assert_eq!(accounts(&[]), "");
    }

    #[test]
    fn a_moment_without_an_earlier_one_has_no_growth() {
        let html = accounts(&[at(Moment::AtRest, counted(1, 7 << 20, (1, 1)))]);
        assert!(
            html.contains("all tables at rest") && !html.contains("MiB"),
            "{html}"
        );
    }
}
