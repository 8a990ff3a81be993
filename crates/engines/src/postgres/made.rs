//! What commands have made in a database of PostgreSQL: schemas that carry the marker of their run.

use tokio_postgres::Client;

use super::connect::PostgresServer;
use super::layout::{qualified, quoted};
use super::schema::{COMMENT_START, PARTS_TABLE, Schema, execute, failed};
use crate::made::{Made, MadeKind, MadeState, Maker};
use crate::{EngineError, made};

/// What the names of schemas begin with that commands make.
const NAME_START: &str = "bakeoff_";
/// The schemas of the database whose names begin so, with their comments.
const SCHEMAS: &str = "SELECT nspname::text, obj_description(oid, 'pg_namespace') FROM pg_namespace \
    WHERE starts_with(nspname::text, $1) ORDER BY nspname";
/// The tables in a schema, without those that are partitions of others, and whether the owner of the schema owns them.
const TABLES: &str = "SELECT c.relname::text, c.relowner = n.nspowner \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname";

/// A connection to a database that finds there what commands have made, and drops it.
pub struct MadeOnPostgres {
    client: Client,
}

impl MadeOnPostgres {
    /// Connects to a database.
    ///
    /// # Errors
    /// Returns what is wrong, and which part of the URL to check.
    pub async fn connect(server: &PostgresServer) -> Result<Self, EngineError> {
        let client = server.connect_setting_nothing().await?;
        Ok(MadeOnPostgres { client })
    }

    /// Finds the schemas of this database that commands have made, and those that are only named as if they had. It
    /// only reads.
    ///
    /// # Errors
    /// Fails if the catalog cannot be read.
    pub async fn find(&self) -> Result<Vec<Made>, EngineError> {
        let rows = self.client.query(SCHEMAS, &[&NAME_START]).await;
        let rows = rows.map_err(|e| failed(SCHEMAS, &e))?;
        let made = rows.iter().map(|row| {
            let comment: Option<String> = row.get(1);
            schema(row.get(0), comment.as_deref())
        });
        Ok(made.collect())
    }

    /// Drops a schema that was found with its tables in one transaction, after it has looked at the marker again.
    ///
    /// # Errors
    /// Fails if it is not that run's any more, if a process of this machine needs it, if anything else is in it than
    /// what the run makes, or if the user may not drop it.
    pub async fn drop(&self, found: &Made) -> Result<(), EngineError> {
        let (_lock, begun) = made::hold(found)?;
        let schema = Schema::found(&found.name, &found.marker);
        if !schema.is_there(&self.client).await? {
            return Ok(());
        }
        let rows = self.client.query(TABLES, &[&schema.name]).await;
        let rows = rows.map_err(|e| failed(TABLES, &e))?;
        let tables: Vec<(String, bool)> = rows.iter().map(|r| (r.get(0), r.get(1))).collect();
        check_tables(&schema.name, &tables, begun.as_deref())?;
        let drops = tables.iter();
        let drops =
            drops.map(|(table, _)| format!("DROP TABLE {}; ", qualified(&schema.name, table)));
        // It fails, and with it all of it, if there is anything else in the schema.
        let all = format!(
            "{}DROP SCHEMA {}",
            drops.collect::<String>(),
            quoted(&schema.name)
        );
        execute(&self.client, &all).await
    }
}

/// Says what a schema is, by its name and its comment.
fn schema(name: String, comment: Option<&str>) -> Made {
    let marker = comment.and_then(|comment| comment.strip_prefix(COMMENT_START));
    let state = match marker.map(Maker::parse) {
        Some(Some(maker)) => state_of(&name, &maker),
        Some(None) => MadeState::NotOurs("its marker is not that of a run".to_owned()),
        None => MadeState::NotOurs("it has no marker".to_owned()),
    };
    Made {
        kind: MadeKind::Schema,
        name,
        marker: marker.unwrap_or_default().to_owned(),
        state,
    }
}

/// Says what a schema with the marker of a command is. Where the log of that is here, the name has to be one that the
/// command gives: a comment stays when a schema gets another name.
fn state_of(name: &str, maker: &Maker) -> MadeState {
    maker.state_of(
        |begun| has_like(begun, name),
        "its name is not that of the run in its marker",
    )
}

/// Returns whether the first line of a log has a schema that differs from this one at most in the hash at its end, as
/// those of a design and of its further tables do.
fn has_like(begun: &str, schema: &str) -> bool {
    let parts = schema.rsplit_once('_');
    parts.is_some_and(|(start, end)| {
        let is_hash = end.len() == 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash && begun.contains(&format!("{start}_"))
    })
}

/// Checks that there is no table in a schema that a run has not made: it has one of rows, which is in the first line of
/// its log if that is here, and one of what is loaded.
fn check_tables(
    schema: &str,
    tables: &[(String, bool)],
    begun: Option<&str>,
) -> Result<(), EngineError> {
    let of_rows: Vec<&str> = { tables.iter() }
        .map(|(table, _)| &**table)
        .filter(|table| *table != PARTS_TABLE)
        .collect();
    let is_made = |table: &&str| begun.is_none_or(|begun| has_table(begun, table));
    let are_owned = tables.iter().all(|(_, is_owned)| *is_owned);
    if of_rows.len() <= 1 && of_rows.iter().all(is_made) && are_owned {
        return Ok(());
    }
    Err(EngineError(format!(
        "schema {schema} holds tables that others have put there ({}), so nothing in it is dropped: move or drop \
         those yourself, and repeat",
        of_rows.join(", ")
    )))
}

/// Returns whether the first line of a log has a statement with this table of a schema.
fn has_table(begun: &str, table: &str) -> bool {
    let json = serde_json::Value::from(format!(".{}", quoted(table))).to_string();
    // Without the quotes of JSON around it.
    begun.contains(&json[1..json.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    #[test]
    fn a_schema_is_a_runs_by_its_comment() {
        let context = Context::of_test("/no/such/folder");
        let own = Schema::new("w", &"postgres/plain".parse().unwrap(), &context);
        let marker = crate::owner::marker(&context);
        assert_eq!(own, Schema::found(&own.name, &marker));
        let comment = format!("{COMMENT_START}{marker}");
        let found = schema(own.name.clone(), Some(&comment));
        assert_eq!((&found.name, &found.marker), (&own.name, &marker));
        assert!(matches!(found.state, MadeState::NotKnown(_)), "{found:?}");
        for other in [None, Some("prices of 2026"), Some(COMMENT_START)] {
            let found = schema(own.name.clone(), other);
            assert!(matches!(found.state, MadeState::NotOurs(_)), "{other:?}");
        }
    }

    #[test]
    fn a_schema_with_tables_of_others_is_left_alone() {
        let tables = |of: &[(&str, bool)]| {
            let owned = of
                .iter()
                .map(|(table, is_owned)| ((*table).to_owned(), *is_owned));
            check_tables("bakeoff_w", &owned.collect::<Vec<_>>(), None)
        };
        tables(&[]).unwrap();
        tables(&[(PARTS_TABLE, true), ("readings", true)]).unwrap();
        let two = tables(&[("important", true), ("readings", true)]).unwrap_err();
        assert!(two.to_string().contains("(important, readings)"), "{two}");
        tables(&[(PARTS_TABLE, true), ("readings", false)]).unwrap_err();
    }

    #[test]
    fn a_schema_and_its_table_are_those_of_the_log() {
        let line = serde_json::json!({"statements": [
            r#"CREATE SCHEMA "bakeoff_w_plain_1a2b3c4d""#,
            r#"CREATE TABLE "bakeoff_w_plain_1a2b3c4d"."readings" (t bigint)"#,
        ]});
        let line = line.to_string();
        assert!(has_like(&line, "bakeoff_w_plain_1a2b3c4d"));
        assert!(has_like(&line, "bakeoff_w_plain_0badcafe"), "a twin");
        for other in [
            "bakeoff_w_plain_to_keep",
            "bakeoff_x_plain_0badcafe",
            "bakeoff",
        ] {
            assert!(!has_like(&line, other), "{other}");
        }
        let check = |table: &str| check_tables("s", &[(table.to_owned(), true)], Some(&line));
        check("readings").unwrap();
        check(PARTS_TABLE).unwrap();
        check("important").unwrap_err();
    }
}
