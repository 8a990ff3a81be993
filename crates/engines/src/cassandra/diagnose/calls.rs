//! Calls of nodetool that only a diagnosis needs.

use std::time::Duration;

use bakeoff_stats::diagnose::evidence::{Dropped, Key};
use serde_json::Value;

use crate::cassandra::nodes::{Nodetool, TableName};

/// Time limit of the first call on a host, which shows whether others would end.
const FIRST_LIMIT: Duration = Duration::from_secs(15);
/// Head of the keys that are read most.
const READS: &str = "Frequency of reads by partition:";

/// Returns how many compactions a host has still to do, as it estimates them.
///
/// # Errors
/// Says why it is not known.
pub async fn pending_compactions(nodetool: &Nodetool, host: &str) -> Result<u64, String> {
    let printed = nodetool.on(host, &["compactionstats"], FIRST_LIMIT);
    pending(&printed.await?)
}

/// Returns how many messages of each kind a host has given up since it started.
///
/// # Errors
/// Says why it is not known.
pub async fn dropped_messages(nodetool: &Nodetool, host: &str) -> Result<Vec<Dropped>, String> {
    let arguments = ["tpstats", "-F", "json"];
    let printed = nodetool.on(host, &arguments, Nodetool::READ_LIMIT);
    dropped(&printed.await?)
}

/// Samples the partition keys of a table for some time, and returns those that were read most.
///
/// # Errors
/// Says why they are not known.
pub async fn sample_keys(
    nodetool: &Nodetool,
    host: &str,
    table: &TableName,
    sampled: Duration,
) -> Result<Vec<Key>, String> {
    let milliseconds = sampled.as_millis().to_string();
    let arguments = [
        "toppartitions",
        table.keyspace.as_str(),
        table.table.as_str(),
        milliseconds.as_str(),
    ];
    let printed = nodetool.on(host, &arguments, FIRST_LIMIT + sampled);
    keys(&printed.await?)
}

/// Parses what `compactionstats` prints: a line with a colon in 4.1, columns in 5.0.
fn pending(text: &str) -> Result<u64, String> {
    let mut lines = text.lines().map(str::trim);
    let number = lines.find_map(|line| line.strip_prefix("pending tasks"));
    let number = number.map(|rest| rest.trim_start_matches([':', ' ', '\t']));
    let number = number.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| "not understood: it shows no number of pending tasks".to_owned())
}

/// Parses the counts of messages of `tpstats`.
fn dropped(text: &str) -> Result<Vec<Dropped>, String> {
    let failed = || "not understood: it shows no numbers of dropped messages".to_owned();
    let printed: Value = serde_json::from_str(text).map_err(|_| failed())?;
    let messages = printed["DroppedMessage"].as_object().ok_or_else(failed)?;
    let of_kind = |(name, count): (&String, &Value)| -> Result<Dropped, String> {
        let as_text = || count.as_str()?.parse().ok();
        Ok(Dropped {
            name: name.clone(),
            count: count.as_u64().or_else(as_text).ok_or_else(failed)?,
        })
    };
    messages.iter().map(of_kind).collect()
}

/// Parses the keys of `toppartitions`, whose rows are a table, a key that may have blanks, a count and its error.
fn keys(text: &str) -> Result<Vec<Key>, String> {
    let failed = || format!("not understood: it shows no `{READS}`");
    let mut lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != READS);
    lines.next().ok_or_else(failed)?;
    let mut keys = Vec::new();
    for line in lines.take_while(|line| !line.is_empty() && !line.ends_with(':')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, key @ .., reads, _] = &words[..] else {
            continue;
        };
        // The head of the columns and what is said without reads have no number there.
        if let Ok(reads) = reads.parse() {
            keys.push(Key {
                key: key.join(" "),
                reads,
            });
        }
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_compactions_of_both_versions_are_understood() {
        let four = "pending tasks: 7\n- shop.orders: 7\n";
        assert_eq!(pending(four), Ok(7));
        let five =
            "concurrent compactors               2\npending tasks                       31\n";
        assert_eq!(pending(five), Ok(31));
        assert!(pending("ssh: no route").is_err());
    }

    #[test]
    fn dropped_messages_are_numbers_by_their_names() {
        let text = r#"{"ThreadPools": {"ReadStage": {"PendingTasks": 0}},
            "DroppedMessage": {"MUTATION_REQ": 7, "READ_REQ": "3", "_TRACE": 0},
            "WaitLatencies": {"READ_REQ": []}}"#;
        let dropped = super::dropped(text).unwrap();
        let mut dropped: Vec<_> = dropped.iter().map(|d| (d.name.as_str(), d.count)).collect();
        dropped.sort_unstable();
        let expected = [("MUTATION_REQ", 7), ("READ_REQ", 3), ("_TRACE", 0)];
        assert_eq!(dropped, expected);
        for other in [
            "Message type  Dropped",
            "{}",
            r#"{"DroppedMessage": {"READ_REQ": -1}}"#,
            r#"{"DroppedMessage": {"READ_REQ": "many"}}"#,
            r#"{"DroppedMessage": 3}"#,
        ] {
            let error = super::dropped(other).unwrap_err();
            assert!(error.starts_with("not understood: "), "{other}: {error}");
        }
    }

    #[test]
    fn the_keys_that_are_read_most_are_understood() {
        let text = "Frequency of reads by partition:\n   \
                    Table       Partition      Count +/-\n   \
                    shop.orders fern           2205  0  \n   \
                    shop.orders two words      8     0  \n\n\
                    Frequency of writes by partition:\n   Nothing recorded during sampling period...\n";
        let keys = super::keys(text).unwrap();
        let keys: Vec<_> = keys.iter().map(|k| (k.key.as_str(), k.reads)).collect();
        assert_eq!(keys, [("fern", 2205), ("two words", 8)]);
        let none =
            "Frequency of reads by partition:\n   Nothing recorded during sampling period...\n";
        assert_eq!(super::keys(none), Ok(Vec::new()));
        assert!(super::keys("Unknown keyspace").is_err());
    }

    #[tokio::test]
    async fn the_arguments_are_a_table_and_a_time() {
        let script = "sh -c 'echo \"Frequency of reads by partition:\"; echo \"   t $0-$1-$2-$3-$4 9 0\"' {host}";
        let nodetool: Nodetool = script.parse().unwrap();
        let table = "shop.orders".parse().unwrap();
        let keys = sample_keys(&nodetool, "h", &table, Duration::from_secs(2)).await;
        assert_eq!(keys.unwrap()[0].key, "h-toppartitions-shop-orders-2000");
    }
}
