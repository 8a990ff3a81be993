//! The tables and materialized views that a keyspace holds, and those that statements make.

use scylla::client::session::Session;

use crate::EngineError;

/// The table that says whose a keyspace is.
pub const MARKER_TABLE: &str = "bakeoff_marker";

/// A table or a materialized view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    pub name: String,
    pub is_view: bool,
}

impl Relation {
    pub fn table(name: impl Into<String>) -> Self {
        Relation {
            name: name.into(),
            is_view: false,
        }
    }

    /// What it is in CQL.
    pub fn kind(&self) -> &'static str {
        if self.is_view {
            "MATERIALIZED VIEW"
        } else {
            "TABLE"
        }
    }

    /// Whether it is the table that says whose the keyspace is.
    pub fn is_marker(&self) -> bool {
        self.name == MARKER_TABLE
    }
}

/// All of a keyspace, the marker included.
pub async fn relations(session: &Session, keyspace: &str) -> Result<Vec<Relation>, EngineError> {
    let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?";
    let views = "SELECT view_name FROM system_schema.views WHERE keyspace_name = ?";
    let tables = texts(session, tables, keyspace).await?;
    let views = texts(session, views, keyspace).await?;
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

/// All but the marker.
pub async fn own_relations(
    session: &Session,
    keyspace: &str,
) -> Result<Vec<Relation>, EngineError> {
    let mut found = relations(session, keyspace).await?;
    found.retain(|relation| !relation.is_marker());
    Ok(found)
}

/// What statements make in a keyspace, by their text.
pub fn made_by(statements: &[String], keyspace: &str) -> Vec<Relation> {
    let prefix = format!("{keyspace}.");
    let made = |statement: &String| {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let starts = |wanted: &[&str]| {
            let pairs = words.iter().zip(wanted);
            words.len() > wanted.len() && { pairs }
                .all(|(word, wanted)| word.eq_ignore_ascii_case(wanted))
        };
        let is_view = starts(&["CREATE", "MATERIALIZED", "VIEW"]);
        if !is_view && !starts(&["CREATE", "TABLE"]) {
            return None;
        }
        let place = words.iter().find_map(|word| word.strip_prefix(&prefix))?;
        let name = place.split('(').next()?.trim_matches('"').to_owned();
        Some(Relation { name, is_view })
    };
    statements.iter().filter_map(made).collect()
}

/// The first column of what a statement with one value finds.
pub async fn texts(session: &Session, cql: &str, value: &str) -> Result<Vec<String>, EngineError> {
    let failed = |e: &dyn std::fmt::Display| EngineError(format!("`{cql}` failed: {e}"));
    let rows = session
        .query_unpaged(cql, (value,))
        .await
        .map_err(|e| failed(&e))?;
    let rows = rows.into_rows_result().map_err(|e| failed(&e))?;
    let rows = rows.rows::<(String,)>().map_err(|e| failed(&e))?;
    rows.map(|row| row.map(|(text,)| text).map_err(|e| failed(&e)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_statements_make_is_in_their_text() {
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
        assert_eq!(made_by(&statements, "ks"), made);
        assert_eq!(made[2].kind(), "MATERIALIZED VIEW");
    }
}
