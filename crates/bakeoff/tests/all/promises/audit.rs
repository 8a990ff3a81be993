//! Cassandra's audit log: an entry for each statement that a client sent, with the keyspace that the
//! server found in it.

/// Levels at the beginning of a record of the server's log.
const LEVELS: [&str; 5] = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE"];
/// The source file that records of the audit log come from.
const SOURCE: &str = "FileAuditLogger.java";
const OPERATION: &str = "|operation:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Number of its first line in the log.
    pub line: usize,
    pub user: String,
    /// Milliseconds since 1970.
    pub at_millis: u64,
    /// What it is, such as `SELECT`, `PREPARE_STATEMENT` or `REQUEST_FAILURE`.
    pub kind: String,
    pub keyspace: Option<String>,
    /// The table, or what else of the keyspace it is about.
    pub scope: Option<String>,
    /// The statement; that of a failed one is followed by `; ` and the error.
    pub operation: String,
}

/// Returns all entries of a server's log, with the lines of statements that have several.
///
/// # Panics
/// Panics at an entry that is not understood, so that none is passed over.
pub fn entries(log: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut is_in_entry = false;
    for (line, text) in (1..).zip(log.lines()) {
        match record(text) {
            Some((SOURCE, message)) => {
                let entry = entry(line, message);
                entries.push(entry.unwrap_or_else(|| panic!("line {line}: {text}")));
                is_in_entry = true;
            }
            Some(_) => is_in_entry = false,
            None if is_in_entry => {
                let operation = &mut entries.last_mut().unwrap().operation;
                operation.push('\n');
                operation.push_str(text);
            }
            None => {}
        }
    }
    entries
}

/// Takes apart a line that begins a record, `LEVEL [thread] date source:line - message`; `None` for one
/// that continues it.
fn record(line: &str) -> Option<(&str, &str)> {
    let level = LEVELS.iter().find(|level| line.starts_with(**level))?;
    let thread_on = line[level.len()..].trim_start().strip_prefix('[')?;
    let (head, message) = thread_on.split_once(" - ")?;
    let (source, number) = head.rsplit(' ').next()?.split_once(':')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((source, message))
}

/// Takes apart `user:U|host:H|...|type:T|category:C|ks:K|scope:S|operation:O`.
fn entry(line: usize, message: &str) -> Option<Entry> {
    let (user, rest) = message.strip_prefix("user:")?.split_once("|host:")?;
    // Whatever comes later is the statement's.
    let (fields, operation) = rest.split_once(OPERATION).unwrap_or((rest, ""));
    let field = |name: &str| {
        let mut values = fields.split('|').filter_map(|field| field.split_once(':'));
        values.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    Some(Entry {
        line,
        user: user.to_owned(),
        at_millis: field("timestamp")?.parse().ok()?,
        kind: field("type")?.to_owned(),
        keyspace: field("ks").map(str::to_owned),
        scope: field("scope").map(str::to_owned),
        operation: operation.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
INFO  [main] 2026-11-24 08:12:48,123 CassandraDaemon.java:123 - Startup complete
INFO  [Native-Transport-Requests-1] 2026-11-24 08:12:48,124 FileAuditLogger.java:51 - user:bench|host:127.0.0.1:7000|source:/127.0.0.1|port:58454|timestamp:1651152450113|type:LOGIN_SUCCESS|category:AUTH|operation:LOGIN SUCCESSFUL
INFO  [Native-Transport-Requests-2] 2026-11-24 08:12:48,125 FileAuditLogger.java:51 - user:bench|host:127.0.0.1:7000|source:/127.0.0.1|port:58454|timestamp:1651152450114|type:UPDATE|category:DML|batch:8cd0|ks:shop|scope:orders|operation:INSERT INTO shop.orders
  (id, item)
VALUES (1, 'a|ks:other - |type:SELECT')
WARN  [GossipTasks:1] 2026-11-24 08:12:48,126 Gossiper.java:9 - slow
and what that means
INFO  [Native-Transport-Requests-1] 2026-11-24 08:12:49,000 FileAuditLogger.java:51 - user:bench|host:127.0.0.1:7000|source:/127.0.0.1|port:58454|timestamp:1|type:BATCH|category:DML|batch:8cd0|operation:BatchId:[8cd0] - BATCH of [2] statements
";

    #[test]
    fn statements_of_several_lines_are_whole_and_their_text_names_no_fields() {
        let entries = entries(LOG);
        let lines: Vec<usize> = entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [2, 3, 8]);
        assert_eq!(entries[0].kind, "LOGIN_SUCCESS");
        assert_eq!((&entries[0].keyspace, &entries[0].scope), (&None, &None));
        let insert = Entry {
            line: 3,
            user: "bench".to_owned(),
            at_millis: 1_651_152_450_114,
            kind: "UPDATE".to_owned(),
            keyspace: Some("shop".to_owned()),
            scope: Some("orders".to_owned()),
            operation:
                "INSERT INTO shop.orders\n  (id, item)\nVALUES (1, 'a|ks:other - |type:SELECT')"
                    .to_owned(),
        };
        assert_eq!(entries[1], insert);
        assert_eq!(
            entries[2].operation,
            "BatchId:[8cd0] - BATCH of [2] statements"
        );
    }

    #[test]
    fn a_log_without_statements_has_none() {
        assert_eq!(entries(""), []);
        assert_eq!(entries(LOG.lines().next().unwrap()), []);
    }

    #[test]
    #[should_panic(expected = "line 1: INFO")]
    fn an_entry_that_is_cut_off_is_not_passed_over() {
        entries("INFO  [n] 2026-11-24 08:12:48,124 FileAuditLogger.java:51 - user:bench|ho");
    }
}
