//! Checks that statements stay in the keyspace of the run.

use super::tokens::{Complaint, Kind, Token, tokens};

/// Name of the placeholder for the keyspace of the run, which statements have to stay in.
pub const KEYSPACE: &str = "keyspace";

/// Words before the name of a table, type, index, view or function. Only after these is a name before a dot
/// a keyspace; elsewhere it is a column, followed by one of its fields.
const BEFORE_NAMES: [&str; 14] = [
    "from",
    "into",
    "update",
    "truncate",
    "table",
    "columnfamily",
    "view",
    "type",
    "index",
    "on",
    "function",
    "aggregate",
    "like",
    "exists",
];

/// Words after `CREATE`, `ALTER` and `DROP` for objects that are in no keyspace.
const OUTSIDE: [&str; 5] = ["keyspace", "schema", "role", "user", "identity"];
/// Words that begin a statement which changes objects or roles.
const CHANGING: [&str; 4] = ["create", "alter", "drop", "add"];
/// Words that begin statements which only concern such objects.
const NEVER: [&str; 3] = ["use", "grant", "revoke"];

/// Checks that a statement names the keyspace of the run and no other.
///
/// # Errors
/// The byte offset and a description of the first violation.
pub fn stay_in_keyspace(statement: &str) -> Result<(), Complaint> {
    let tokens = tokens(statement)?;
    if !tokens.iter().any(is_keyspace) {
        let message = "write ${keyspace}. before the name of the table: statements stay in the \
                       keyspace of the run";
        return Err((0, message.to_owned()));
    }
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| &tokens[before]);
        let begins = before.is_none_or(|before| before.is_sign(';'));
        let next = tokens.get(index + 1);
        if begins && reaches_outside(token, next) {
            let message = "statements stay in the keyspace of the run, and change neither \
                           keyspaces nor roles and their rights";
            return Err((token.at, message.to_owned()));
        }
        // A word behind a colon is a marker, one behind a dot a field.
        let is_keyword = before.is_none_or(|b| !b.is_sign(':') && !b.is_sign('.'));
        let introduces = is_keyword && BEFORE_NAMES.iter().any(|word| token.is_word(word));
        if let (true, Some(name), Some(dot)) = (introduces, next, tokens.get(index + 2))
            && dot.is_sign('.')
            && !is_keyspace(name)
        {
            let message = "this name is in another keyspace: write ${keyspace}. before \
                           it, as statements stay in the keyspace of the run";
            return Err((name.at, message.to_owned()));
        }
    }
    Ok(())
}

fn reaches_outside(first: &Token<'_>, second: Option<&Token<'_>>) -> bool {
    let is_one_of = |token: &Token<'_>, words: &[&str]| words.iter().any(|w| token.is_word(w));
    is_one_of(first, &NEVER)
        || is_one_of(first, &CHANGING) && second.is_some_and(|second| is_one_of(second, &OUTSIDE))
}

fn is_keyspace(token: &Token<'_>) -> bool {
    let (Kind::Word(name) | Kind::Quoted(name)) = token.kind else {
        return false;
    };
    let inside = name.strip_prefix("${").and_then(|n| n.strip_suffix('}'));
    inside == Some(KEYSPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused_at(statement: &str) -> Option<usize> {
        stay_in_keyspace(statement).err().map(|(at, _)| at)
    }

    #[test]
    fn names_in_another_keyspace_are_refused_wherever_they_stand() {
        let named = [
            "TRUNCATE prod.users -- ${keyspace}",
            "TRUNCATE TABLE prod.users /* ${keyspace}.t */",
            "DROP TABLE IF EXISTS prod.users; // ${keyspace}.t",
        ];
        for statement in named {
            assert_eq!(refused_at(statement), Some(0), "{statement}");
        }
        let also_named = [
            "INSERT INTO prod.t (k) VALUES ('${keyspace}.t', ${keyspace})",
            "BEGIN BATCH UPDATE ${keyspace}.t SET a = 1 WHERE k = 1; DELETE FROM prod.t WHERE k = 1; APPLY BATCH",
            "CREATE INDEX i ON \"Prod\".t (${keyspace})",
            "CREATE MATERIALIZED VIEW IF NOT EXISTS prod.v AS SELECT * FROM ${keyspace}.t",
            "CREATE MATERIALIZED VIEW ${keyspace}.v AS SELECT * FROM prod . t",
            "DROP INDEX IF EXISTS prod.${keyspace}",
            "ALTER TYPE prod.address ADD x ${keyspace}",
            "ALTER TABLE ${keyspace}.t ADD home frozen<address>; TRUNCATE prod/**/.t",
            "CREATE OR REPLACE FUNCTION prod.f (x int) RETURNS ${keyspace}.t",
            "SELECT * FROM x${keyspace}.t WHERE a = ${keyspace}.b",
        ];
        for statement in also_named {
            assert!(refused_at(statement) > Some(0), "{statement}");
        }
        assert_eq!(refused_at("UPDATE prod.t SET a = ${keyspace}.b"), Some(7));
    }

    #[test]
    fn names_are_found_where_cassandra_finds_them() {
        let written = "UPDATE ${keyspace}.t SET a = 1 WHERE k = 1;";
        for hidden in [
            "-- \r DELETE FROM prod.t WHERE k = 1; -- \n",
            "// \r DELETE FROM prod.t WHERE k = 1; // \n",
            "UPDATE ${keyspace}.t USING TTL 5UPDATE prod.t SET a = 1",
            "UPDATE ${keyspace}.t SET a = -nanUPDATE prod.t SET a = 1",
            "UPDATE ${keyspace}.t SET a = 0xaUPDATE prod.t SET a = 1",
            "UPDATE ${keyspace}.t SET a = -P1YUPDATE prod.t SET a = 1",
            "DELETE FROM ${keyspace}.t WHERE k = abcdefab-abcd-abcd-abcd-abcdefabcdefUPDATE prod.t SET a = 1",
            "DELETE FROM ${keyspace}.t WHERE k = P0001-02-03T04:05:06UPDATE prod.t SET a = 1",
            "DELETE FROM \"a\"\"b\".t",
        ] {
            let batch = format!("BEGIN BATCH {hidden} {written} APPLY BATCH");
            assert!(refused_at(&batch) > Some(0), "{batch}");
        }
    }

    #[test]
    fn placeholders_stand_apart_from_what_they_could_become_part_of() {
        for statement in [
            "SELECT * FROM ${keyspace}.t WHERE k = 1${number}",
            "SELECT * FROM ${keyspace}.t WHERE k = 1${keyspace}",
            "SELECT * FROM ${keyspace}.t WHERE k = ab${number}-abcd-abcd-abcd-abcdefabcdef",
            "SELECT * FROM ${keyspace}.t WHERE k = -${keyspace}",
            "SELECT * FROM ${keyspace}.t WHERE k = ${keyspace}-abcd-abcd-abcd-abcdefabcdef",
        ] {
            let place = statement.rfind("${").unwrap();
            assert_eq!(refused_at(statement), Some(place), "{statement}");
        }
        let apart = "SELECT a_${number} FROM ${keyspace}.t_${number}x WHERE k IN (${number}, 2)";
        assert_eq!(refused_at(apart), None);
    }

    #[test]
    fn keyspaces_roles_and_rights_are_left_alone() {
        for statement in [
            "USE ${keyspace}",
            "DROP KEYSPACE ${keyspace}",
            "alter keyspace ${keyspace} WITH durable_writes = false",
            "CREATE SCHEMA ${keyspace} WITH replication = {}",
            "DROP ROLE ${keyspace}",
            "CREATE USER ${keyspace} WITH PASSWORD 'x'",
            "GRANT ALL ON ${keyspace}.t TO me",
            "REVOKE ALL ON ${keyspace}.t FROM me",
        ] {
            assert_eq!(refused_at(statement), Some(0), "{statement}");
        }
    }

    #[test]
    fn columns_fields_and_functions_are_no_keyspaces() {
        for statement in [
            "UPDATE ${keyspace}.t SET values = values + from_json('[\"' + (text) :e + '\"]') WHERE k = :k",
            "SELECT address.street, t.ttl, type, index FROM ${keyspace}.t WHERE type = :type",
            "UPDATE ${keyspace}.t SET a = 1 WHERE k = :k IF address.street = 'prod.x'",
            "DELETE home.city FROM ${keyspace}.people WHERE id = :from",
            "SELECT m.from.x FROM ${keyspace}.t WHERE k = system.now()",
            "INSERT INTO \"${keyspace}\".t (k) VALUES ({from: a.b, k: 1.5})",
            "CREATE TABLE IF NOT EXISTS ${keyspace}.t_${number} (k text PRIMARY KEY, a frozen<address>)",
            "CREATE CUSTOM INDEX i ON ${keyspace}.t (v) USING 'prod.Class'",
            "DROP TABLE IF EXISTS ${keyspace}.t",
        ] {
            assert_eq!(refused_at(statement), None, "{statement}");
        }
    }

    #[test]
    fn a_literal_that_does_not_end_is_reported() {
        assert_eq!(refused_at("DROP TABLE ${keyspace}.t /* x"), Some(25));
    }
}
