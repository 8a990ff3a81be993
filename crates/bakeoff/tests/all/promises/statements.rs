//! Statements in the log of a PostgreSQL with `log_statement = all` and [`PREFIX`], and whether they keep to
//! schemas that are ours.

use std::collections::BTreeSet;

/// The setting `log_line_prefix`: the session and its user.
pub const PREFIX: &str = "%p|%u|";
/// What begins the statements that change nothing in the database. What a query may touch is looked for by
/// the names of others.
const HARMLESS: [&str; 7] = [
    "select", "set", "begin", "start", "commit", "rollback", "discard",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Number of its first line in the log.
    pub line: usize,
    pub user: String,
    /// One or several, sent together.
    pub sql: String,
}

/// Returns all statements of a log, with all lines of each.
pub fn statements(log: &str) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let mut is_in_statement = false;
    for (line, text) in (1..).zip(log.lines()) {
        if let Some(further) = text.strip_prefix('\t') {
            if is_in_statement {
                let sql = &mut statements.last_mut().unwrap().sql;
                sql.push('\n');
                sql.push_str(further);
            }
            continue;
        }
        let found = statement(line, text);
        is_in_statement = found.is_some();
        statements.extend(found);
    }
    statements
}

/// Takes apart `PID|USER|LOG:  statement: SQL`, or `execute NAME: SQL` of a prepared one.
fn statement(line: usize, text: &str) -> Option<Statement> {
    let mut parts = text.splitn(3, '|');
    let (_, user, message) = (parts.next()?, parts.next()?, parts.next()?);
    let message = message.strip_prefix("LOG:")?.trim_start();
    let sql = match message.strip_prefix("statement: ") {
        Some(sql) => sql,
        None => message.strip_prefix("execute ")?.split_once(": ")?.1,
    };
    Some(Statement {
        line,
        user: user.to_owned(),
        sql: sql.to_owned(),
    })
}

/// Checks that statements sent together mention nothing of others, and change only schemas of ours, which
/// are marked where they are made.
///
/// # Errors
/// Fails with what is wrong.
pub fn judge(sql: &str, ours: &BTreeSet<String>, others: &[&str]) -> Result<(), String> {
    let words: BTreeSet<&str> = sql
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    if let Some(other) = others.iter().find(|other| words.contains(*other)) {
        return Err(format!("it mentions `{other}`"));
    }
    let parts = sql
        .split(';')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    for part in parts {
        let mut first = part.split_whitespace().map(str::to_lowercase);
        // A plain EXPLAIN does nothing of the statement behind it; with ANALYZE it would.
        let first = first.find(|word| word != "explain").unwrap_or_default();
        let quoted = part.split('"').skip(1).step_by(2);
        let named: BTreeSet<&str> = quoted.filter(|name| ours.contains(*name)).collect();
        if named.is_empty() && !HARMLESS.contains(&&*first) {
            return Err(format!("`{part}` names no schema of ours"));
        }
    }
    if sql.contains("CREATE SCHEMA") && !sql.contains("COMMENT ON SCHEMA") {
        return Err("it makes a schema without a mark".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
71||LOG:  database system is ready to accept connections
72|bench|LOG:  statement: SELECT 1;
73|bench|LOG:  execute s0: SELECT a
\tFROM t WHERE b = $1
73|bench|DETAIL:  parameters: $1 = 'shop|x'
\tof several lines
72|bench|ERROR:  relation \"t\" does not exist
72|owner|LOG:  execute <unnamed>: COPY t FROM STDIN
72|bench|LOG:  duration: 1 ms
";

    #[test]
    fn statements_are_found_with_all_their_lines() {
        let found = statements(LOG);
        let shown: Vec<(usize, &str, &str)> = found
            .iter()
            .map(|s| (s.line, s.user.as_str(), s.sql.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (2, "bench", "SELECT 1;"),
                (3, "bench", "SELECT a\nFROM t WHERE b = $1"),
                (8, "owner", "COPY t FROM STDIN"),
            ]
        );
    }

    #[test]
    fn only_schemas_of_ours_are_changed_and_others_are_not_mentioned() {
        let ours = BTreeSet::from(["bakeoff_w_1".to_owned()]);
        let judged = |sql| judge(sql, &ours, &["shop"]);
        for right in [
            "SET TimeZone TO 'UTC'; SET search_path TO \"bakeoff_w_1\"",
            "CREATE SCHEMA \"bakeoff_w_1\"; COMMENT ON SCHEMA \"bakeoff_w_1\" IS 'x'",
            "COPY \"bakeoff_w_1\".\"t\" (\"a\") FROM STDIN (FORMAT binary)",
            "select count(*) from workshop",
        ] {
            judged(right).unwrap();
        }
        for (wrong, why) in [
            ("SELECT * FROM shop.orders", "mentions `shop`"),
            ("EXPLAIN ANALYZE SELECT 1", "names no schema of ours"),
            ("DROP TABLE \"orders\"", "no schema of ours"),
            ("BEGIN; DELETE FROM t", "no schema of ours"),
            ("VACUUM", "no schema of ours"),
            ("CREATE SCHEMA \"bakeoff_w_1\"", "without a mark"),
        ] {
            let found = judged(wrong).unwrap_err();
            assert!(found.contains(why), "{wrong}: {found}");
        }
    }
}
