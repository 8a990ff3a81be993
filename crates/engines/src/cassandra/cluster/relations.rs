//! The tables and materialized views that a keyspace holds, and those that statements create.

use bakeoff_workload::literal;
use scylla::client::session::Session;

use crate::EngineError;

/// Name of the table that identifies the owner of a keyspace.
pub const MARKER_TABLE: &str = "bakeoff_marker";

/// A table or a materialized view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    pub name: String,
    pub is_view: bool,
}

impl Relation {
    /// Makes the relation of a table.
    pub fn table(name: impl Into<String>) -> Self {
        Relation {
            name: name.into(),
            is_view: false,
        }
    }

    /// Returns the CQL keywords for this kind of relation.
    pub fn kind(&self) -> &'static str {
        if self.is_view {
            "MATERIALIZED VIEW"
        } else {
            "TABLE"
        }
    }

    /// Returns whether this is the marker table of the keyspace.
    pub fn is_marker(&self) -> bool {
        self.name == MARKER_TABLE
    }
}

/// Reads all tables and views of a keyspace, including the marker table.
pub async fn relations(session: &Session, keyspace: &str) -> Result<Vec<Relation>, EngineError> {
    let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
    let views = "SELECT view_name FROM system_schema.views WHERE keyspace_name = ?";
    let tables = query_texts(session, tables, keyspace).await?;
    let views = query_texts(session, views, keyspace).await?;
    let views = views.into_iter().map(|name| Relation {
        name,
        is_view: true,
    });
    Ok(tables
        .into_iter()
        .map(Relation::table)
        .chain(views)
        .collect())
}

/// Reads all tables and views of a keyspace except the marker table.
pub async fn own_relations(
    session: &Session,
    keyspace: &str,
) -> Result<Vec<Relation>, EngineError> {
    let mut found = relations(session, keyspace).await?;
    found.retain(|relation| !relation.is_marker());
    Ok(found)
}

/// Reads the names of everything that a keyspace holds except the marker table.
pub async fn contents(session: &Session, keyspace: &str) -> Result<Vec<String>, EngineError> {
    let relations = own_relations(session, keyspace).await?;
    let mut found: Vec<String> = relations.into_iter().map(|r| r.name).collect();
    let others = [
        ("type_name", "types"),
        ("function_name", "functions"),
        ("aggregate_name", "aggregates"),
    ];
    for (name, table) in others {
        let cql = format!("SELECT {name} FROM system_schema.{table} WHERE keyspace_name = ?");
        found.extend(query_texts(session, &cql, keyspace).await?);
    }
    Ok(found)
}

/// Lists the tables and views that statements create in a keyspace, judged by their text.
pub fn created_by(statements: &[String], keyspace: &str) -> Vec<Relation> {
    let created = statements.iter();
    created
        .filter_map(|statement| created_relation(statement, keyspace))
        .collect()
}

fn created_relation(statement: &str, keyspace: &str) -> Option<Relation> {
    let words: Vec<&str> = statement.split_whitespace().collect();
    let is_view = starts_with(&words, &["CREATE", "MATERIALIZED", "VIEW"]);
    if !is_view && !starts_with(&words, &["CREATE", "TABLE"]) {
        return None;
    }
    // IF NOT EXISTS may come between, so that the keyspace is what finds the name.
    let prefix = format!("{keyspace}.");
    let found = words.iter().find_map(|word| word.strip_prefix(&prefix))?;
    let name = found.split('(').next()?.trim_matches('"').to_owned();
    Some(Relation { name, is_view })
}

/// Returns whether words begin with given keywords, in any case, and go on after them.
fn starts_with(words: &[&str], keywords: &[&str]) -> bool {
    let mut pairs = words.iter().zip(keywords);
    words.len() > keywords.len() && pairs.all(|(word, keyword)| word.eq_ignore_ascii_case(keyword))
}

/// Reads the marker table of a keyspace: the markers in it, and the notes with their values.
pub async fn marks(
    session: &Session,
    keyspace: &str,
) -> Result<Vec<(String, Option<String>)>, EngineError> {
    let cql = format!("SELECT run, value FROM {keyspace}.{MARKER_TABLE}");
    query_pairs(session, &cql).await
}

/// Queries two columns of texts, the second of which may be null.
pub async fn query_pairs(
    session: &Session,
    cql: &str,
) -> Result<Vec<(String, Option<String>)>, EngineError> {
    let failed = |e: &dyn std::fmt::Display| EngineError(format!("`{cql}` failed: {e}"));
    let rows = session.query_unpaged(cql, ()).await;
    let rows = rows.map_err(|e| failed(&e))?.into_rows_result();
    let rows = rows.map_err(|e| failed(&e))?;
    let pairs = rows.rows::<(String, Option<String>)>();
    let pairs = pairs.map_err(|e| failed(&e))?;
    pairs.map(|pair| pair.map_err(|e| failed(&e))).collect()
}

/// Queries a column of texts by a statement that binds no value.
pub async fn query_names(session: &Session, cql: &str) -> Result<Vec<String>, EngineError> {
    let failed = |e: &dyn std::fmt::Display| EngineError(format!("`{cql}` failed: {e}"));
    let rows = session.query_unpaged(cql, ()).await;
    let rows = rows.map_err(|e| failed(&e))?.into_rows_result();
    let rows = rows.map_err(|e| failed(&e))?;
    let rows = rows.rows::<(String,)>().map_err(|e| failed(&e))?;
    rows.map(|row| row.map(|(text,)| text).map_err(|e| failed(&e)))
        .collect()
}

/// Queries the first column, a text, of a statement with one `?`, in whose place the value is put: the driver would
/// prepare a statement that binds it each time, also where this is asked beside a measurement.
pub async fn query_texts(
    session: &Session,
    cql: &str,
    value: &str,
) -> Result<Vec<String>, EngineError> {
    let failed = |e: &dyn std::fmt::Display| EngineError(format!("`{cql}` failed: {e}"));
    let with_value = cql.replacen('?', &literal::text(value), 1);
    let rows = session.query_unpaged(with_value, ()).await;
    let rows = rows.map_err(|e| failed(&e))?;
    let rows = rows.into_rows_result().map_err(|e| failed(&e))?;
    let rows = rows.rows::<(String,)>().map_err(|e| failed(&e))?;
    rows.map(|row| row.map(|(text,)| text).map_err(|e| failed(&e)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn created_relations_are_found_in_the_text_of_statements() {
        let statements = [
            "CREATE TYPE ks.address (street text)",
            "create table ks.people(id int PRIMARY KEY)",
            "\nCREATE TABLE IF NOT EXISTS ks.\"lwt\" (id int PRIMARY KEY)",
            "CREATE MATERIALIZED VIEW IF NOT EXISTS ks.by_city AS\nSELECT * FROM ks.people",
            "CREATE INDEX ON ks.people (id)",
        ]
        .map(str::to_owned);
        let view = Relation {
            name: "by_city".to_owned(),
            is_view: true,
        };
        let made = [Relation::table("people"), Relation::table("lwt"), view];
        assert_eq!(created_by(&statements, "ks"), made);
        assert_eq!(made[2].kind(), "MATERIALIZED VIEW");
    }
}
