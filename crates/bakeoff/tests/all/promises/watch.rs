//! Whether statements keep to keyspaces that are ours and carry our marker.

use std::collections::{BTreeMap, BTreeSet};

use super::audit::Entry;
use super::names::{keyspaces, only_reads};

/// The table with the marker.
const MARKER: &str = "bakeoff_marker";
/// The keyspaces of the server itself, which may be read.
const SYSTEM: [&str; 4] = [
    "system",
    "system_schema",
    "system_views",
    "system_virtual_schema",
];

/// Follows the statements of all users, and judges those of one.
pub struct Watch<'a> {
    pub user: &'a str,
    /// The names of our keyspaces.
    pub ours: &'a BTreeSet<String>,
    /// Our keyspaces that exist, and whether they carry the marker.
    pub marked: BTreeMap<String, bool>,
}

impl Watch<'_> {
    /// Takes note of a statement.
    ///
    /// # Errors
    /// Fails if the user's statement touches anything else than our marked keyspaces, or does more than
    /// read in those of the server.
    pub fn sees(&mut self, entry: &Entry) -> Result<(), String> {
        let judged = if entry.user == self.user {
            self.judge(entry)
        } else {
            Ok(())
        };
        self.follow(entry);
        judged.map_err(|why| format!("{why}: {entry:?}"))
    }

    fn judge(&self, entry: &Entry) -> Result<(), String> {
        // The statements of a batch have entries of their own.
        let is_head = entry.kind == "BATCH" && entry.operation.starts_with("BatchId:[");
        if is_head || entry.kind == "LOGIN_SUCCESS" {
            return Ok(());
        }
        let mut named = keyspaces(&entry.operation);
        named.extend(entry.keyspace.clone());
        if named.is_empty() {
            return Err("it names no keyspace".to_owned());
        }
        named.iter().try_for_each(|name| self.judge_in(name, entry))
    }

    fn judge_in(&self, keyspace: &str, entry: &Entry) -> Result<(), String> {
        if SYSTEM.contains(&keyspace) {
            let reads = only_reads(&entry.operation);
            return reads
                .then_some(())
                .ok_or_else(|| format!("it changes `{keyspace}`"));
        }
        if !self.ours.contains(keyspace) {
            return Err(format!("it touches `{keyspace}`, which is not ours"));
        }
        let makes = entry.kind == "CREATE_KEYSPACE" || entry.scope.as_deref() == Some(MARKER);
        // A statement that failed did nothing.
        let is_marked = self.marked.get(keyspace) == Some(&true);
        if makes || is_marked || entry.kind == "REQUEST_FAILURE" {
            Ok(())
        } else {
            Err(format!("`{keyspace}` has no marker"))
        }
    }

    /// Notes what becomes of our keyspaces, whoever does it.
    fn follow(&mut self, entry: &Entry) {
        let Some(keyspace) = entry.keyspace.as_ref().filter(|ks| self.ours.contains(*ks)) else {
            return;
        };
        match (&*entry.kind, entry.scope.as_deref()) {
            // It may have been there before.
            ("CREATE_KEYSPACE", _) => _ = self.marked.entry(keyspace.clone()).or_insert(false),
            ("DROP_KEYSPACE", _) => _ = self.marked.remove(keyspace),
            ("UPDATE", Some(MARKER)) => _ = self.marked.insert(keyspace.clone(), true),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "bakeoff_w_1";

    fn entry(kind: &str, keyspace: &str, scope: &str, operation: &str) -> Entry {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Entry {
            line: 1,
            user: "bench".to_owned(),
            at_millis: 0,
            kind: kind.to_owned(),
            keyspace: some(keyspace),
            scope: some(scope),
            operation: operation.to_owned(),
        }
    }

    /// What is wrong with the last of these statements; all others are right.
    fn last_of(entries: &[Entry]) -> Result<(), String> {
        let ours = BTreeSet::from([OURS.to_owned()]);
        let mut watch = Watch {
            user: "bench",
            ours: &ours,
            marked: BTreeMap::new(),
        };
        let (last, before) = entries.split_last().unwrap();
        for entry in before {
            watch.sees(entry).unwrap();
        }
        watch.sees(last)
    }

    fn made() -> [Entry; 3] {
        [
            entry(
                "CREATE_KEYSPACE",
                OURS,
                "",
                "CREATE KEYSPACE IF NOT EXISTS bakeoff_w_1",
            ),
            entry(
                "CREATE_TABLE",
                OURS,
                MARKER,
                "CREATE TABLE bakeoff_w_1.bakeoff_marker (..)",
            ),
            entry(
                "UPDATE",
                OURS,
                MARKER,
                "INSERT INTO bakeoff_w_1.bakeoff_marker (run) ..",
            ),
        ]
    }

    #[test]
    fn what_is_ours_and_marked_may_be_changed_until_it_is_dropped() {
        let changed = entry("CREATE_TABLE", OURS, "t", "CREATE TABLE bakeoff_w_1.t (..)");
        let dropped = entry("DROP_KEYSPACE", OURS, "", "DROP KEYSPACE bakeoff_w_1");
        let [create, table, mark] = made();
        last_of(&[&create, &table, &mark, &changed, &dropped].map(Clone::clone)).unwrap();
        for wrong in [
            vec![&changed],
            vec![&create, &changed],
            vec![&create, &table, &changed],
            vec![&create, &table, &mark, &dropped, &changed],
            vec![&create, &table, &mark, &dropped, &create, &changed],
        ] {
            let wrong: Vec<Entry> = wrong.into_iter().cloned().collect();
            let why = last_of(&wrong).unwrap_err();
            assert!(why.starts_with("`bakeoff_w_1` has no marker"), "{why}");
        }
    }

    #[test]
    fn others_are_not_even_read_and_the_server_is_read_only() {
        let read = "SELECT * FROM system.local";
        last_of(&[entry("SELECT", "system", "local", read)]).unwrap();
        last_of(&[entry("PREPARE_STATEMENT", "system", "local", read)]).unwrap();
        last_of(&[entry("LOGIN_SUCCESS", "", "", "LOGIN SUCCESSFUL")]).unwrap();
        last_of(&[entry(
            "BATCH",
            "",
            "",
            "BatchId:[1] - BATCH of [2] statements",
        )])
        .unwrap();
        for (wrong, why) in [
            (
                entry("SELECT", "shop", "orders", "SELECT * FROM shop.orders"),
                "touches `shop`",
            ),
            (
                entry("SELECT", OURS, MARKER, "SELECT * FROM shop.orders"),
                "touches `shop`",
            ),
            (
                entry("REQUEST_FAILURE", "", "", "DROP TABLE shop.orders; no"),
                "touches `shop`",
            ),
            (
                entry("DELETE", "system", "local", "DELETE FROM system.local"),
                "changes `system`",
            ),
            (
                entry(
                    "SELECT",
                    "system_auth",
                    "roles",
                    "SELECT * FROM system_auth.roles",
                ),
                "not ours",
            ),
            (
                entry("BATCH", "", "", "BEGIN BATCH INSERT INTO t (a) VALUES (1)"),
                "no keyspace",
            ),
            (
                entry("REQUEST_FAILURE", "", "", "DROP TABLE orders; no"),
                "no keyspace",
            ),
        ] {
            let found = last_of(&[wrong]).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }

    #[test]
    fn other_users_may_do_anything_but_what_they_drop_is_gone() {
        let mut theirs = entry("DROP_KEYSPACE", OURS, "", "DROP KEYSPACE bakeoff_w_1");
        theirs.user = "owner".to_owned();
        let changed = entry("UPDATE", OURS, "t", "INSERT INTO bakeoff_w_1.t (..)");
        let [create, table, mark] = made();
        assert!(last_of(&[create, table, mark, theirs, changed]).is_err());
        let mut shop = entry("UPDATE", "shop", "orders", "UPDATE shop.orders");
        shop.user = "owner".to_owned();
        last_of(&[shop]).unwrap();
    }
}
