//! The schema of a design, and the comment on it that says which run owns it.
//!
//! A schema without the comment of the same run is never touched: nothing is created, written or
//! dropped in it.

use bakeoff_workload::DesignId;
use tokio_postgres::Client;

use super::connect::reason;
use super::layout::{qualified, quoted, text};
use crate::{Context, EngineError, owner};

/// The table that records which parts of which slices are loaded.
pub const PARTS_TABLE: &str = "bakeoff_parts";
/// What the comment on the schema of a run says before its marker.
pub const COMMENT_START: &str = "Made by Bakeoff, may be dropped when its run is not going on: ";
/// The number of characters of a workload's name in the schema's name, which has at most 63.
const WORKLOAD_CHARACTERS: usize = 30;

/// The schema of one design, in which its table has the workload's own name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    pub name: String,
    comment: String,
}

impl Schema {
    /// Derives the name and the comment from the design and the run.
    pub fn new(workload: &str, id: &DesignId, context: &Context) -> Self {
        let run = owner::run_name(&context.run_dir);
        let hash = xxhash_rust::xxh3::xxh3_64(format!("{run} {id}").as_bytes());
        let workload: String = workload.chars().take(WORKLOAD_CHARACTERS).collect();
        let layout = id.layout.as_deref().unwrap_or_default();
        Schema {
            name: format!("bakeoff_{workload}_{layout}_{:08x}", hash as u32),
            comment: format!("{COMMENT_START}{}", owner::marker(context)),
        }
    }

    /// Returns a schema that is there already, which is the run's with this marker.
    pub fn found(name: &str, marker: &str) -> Self {
        Schema {
            name: name.to_owned(),
            comment: format!("{COMMENT_START}{marker}"),
        }
    }

    /// Returns the statements that create the schema and mark its owner, in one transaction.
    pub fn statements(&self) -> [String; 2] {
        let name = quoted(&self.name);
        [
            format!("CREATE SCHEMA {name}"),
            format!("COMMENT ON SCHEMA {name} IS {}", text(&self.comment)),
        ]
    }

    /// Returns the statements that drop the design's tables, and no table that others have put there.
    pub fn drop_tables_statements(&self, table: &str) -> [String; 2] {
        [PARTS_TABLE, table]
            .map(|table| format!("DROP TABLE IF EXISTS {}", qualified(&self.name, table)))
    }

    /// Returns the statement that drops the schema, which fails unless it is empty.
    pub fn drop_statement(&self) -> String {
        format!("DROP SCHEMA IF EXISTS {}", quoted(&self.name))
    }

    /// Creates the schema, or finds the one that this run created before.
    ///
    /// # Errors
    /// Fails if a schema with this name does not belong to this run.
    pub async fn claim(&self, client: &Client) -> Result<(), EngineError> {
        match self.comment(client).await? {
            None => {
                let [create, comment] = self.statements();
                // Statements that are sent together are one transaction.
                execute(client, &format!("{create}; {comment}")).await
            }
            Some(comment) => self.check(comment.as_deref()),
        }
    }

    /// Returns whether the schema exists and belongs to this run.
    ///
    /// # Errors
    /// Fails if the schema does not belong to this run.
    pub async fn is_there(&self, client: &Client) -> Result<bool, EngineError> {
        match self.comment(client).await? {
            None => Ok(false),
            Some(comment) => self.check(comment.as_deref()).map(|()| true),
        }
    }

    /// Drops the design's tables and the schema, if it belongs to this run.
    pub async fn drop(&self, client: &Client, table: &str) -> Result<(), EngineError> {
        if !self.is_there(client).await? {
            return Ok(());
        }
        for statement in self.drop_tables_statements(table) {
            execute(client, &statement).await?;
        }
        execute(client, &self.drop_statement()).await
    }

    /// Reads the schema's comment. The outer option is `None` if there is no such schema.
    async fn comment(&self, client: &Client) -> Result<Option<Option<String>>, EngineError> {
        let sql =
            "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1";
        let row = client
            .query_opt(sql, &[&self.name])
            .await
            .map_err(|e| failed(sql, &e))?;
        Ok(row.map(|row| row.get(0)))
    }

    fn check(&self, comment: Option<&str>) -> Result<(), EngineError> {
        if comment == Some(self.comment.as_str()) {
            return Ok(());
        }
        Err(EngineError(format!(
            "schema {} exists and does not carry this run's mark, so Bakeoff touches nothing in it: \
             drop it yourself if it is not needed, or choose another --out folder",
            self.name
        )))
    }
}

/// Sends statements, separated by semicolons, as one transaction.
pub async fn execute(client: &Client, sql: &str) -> Result<(), EngineError> {
    let done = client.batch_execute(sql).await;
    done.map_err(|e| failed(sql, &e))
}

pub fn failed(sql: &str, error: &tokio_postgres::Error) -> EngineError {
    EngineError(format!("`{sql}` failed: {}", reason(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(id: &str, run_dir: &str) -> Schema {
        let context = Context::of_test(run_dir);
        Schema::new("timeseries", &id.parse().unwrap(), &context)
    }

    #[test]
    fn each_design_of_each_run_has_its_own() {
        let a = schema("postgres/plain", "/runs/a");
        assert_eq!(a, schema("postgres/plain", "/runs/a"));
        assert_ne!(a.name, schema("postgres/plain", "/runs/b").name);
        assert_ne!(
            a.name,
            schema("postgres/plain?time-index=on", "/runs/a").name
        );
        let long = Schema::new(
            &"x".repeat(60),
            &"timescale/hypertable".parse().unwrap(),
            &Context::of_test("/"),
        );
        assert!(long.name.len() <= 63, "{}", long.name);
    }

    #[test]
    fn a_clone_of_a_machine_does_not_take_the_schema_of_the_other_for_its_own() {
        let of_run = |token: Option<&str>| {
            let token = token.map(str::to_owned);
            let context = Context {
                token,
                ..Context::of_test("/data/run")
            };
            Schema::new("w", &"postgres/plain".parse().unwrap(), &context)
        };
        let (one, other) = (of_run(Some("a")), of_run(Some("b")));
        assert_eq!(one.name, other.name);
        let refused = other.check(Some(&one.comment)).unwrap_err();
        assert!(refused.to_string().contains("--out"), "{refused}");
        one.check(Some(&one.comment)).unwrap();
        let earlier = of_run(None);
        assert!(earlier.comment.ends_with("/data/run"), "as it was marked");
    }

    #[test]
    fn a_quote_in_a_folder_name_stays_inside_its_literal() {
        let [_, comment] = schema("postgres/plain", "/it's").statements();
        assert!(comment.ends_with("/it''s'"), "{comment}");
    }
}
