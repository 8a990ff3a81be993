//! The keyspace of a run, and the marker that says it is ours.
//!
//! Nothing is ever created, written or dropped in a keyspace that does not carry the marker of
//! the same run.

use std::path::Path;

use scylla::client::session::Session;

use crate::EngineError;

const MARKER_TABLE: &str = "bakeoff_marker";

/// Name of a run's keyspace: the same for the same run folder, so that a stopped run finds it.
pub fn name(workload: &str, run_dir: &Path) -> String {
    let hash = xxhash_rust::xxh3::xxh3_64(run_dir.as_os_str().as_encoded_bytes());
    let workload: String = workload.chars().take(30).collect();
    format!("bakeoff_{workload}_{:08x}", hash as u32)
}

/// The statements that make a keyspace ours.
pub fn statements(keyspace: &str, run_dir: &Path) -> [String; 3] {
    [
        format!(
            "CREATE KEYSPACE {keyspace} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        ),
        format!(
            "CREATE TABLE {keyspace}.{MARKER_TABLE} (run text PRIMARY KEY) WITH comment = \
             'This keyspace was made by Bakeoff and may be dropped when its run is not going on'"
        ),
        format!(
            "INSERT INTO {keyspace}.{MARKER_TABLE} (run) VALUES ('{}')",
            run_dir.display().to_string().replace('\'', "''")
        ),
    ]
}

/// Makes the keyspace, or finds the one that this run made before.
pub async fn claim(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    if exists(session, keyspace).await? {
        return check_owner(session, keyspace, run_dir).await;
    }
    for statement in statements(keyspace, run_dir) {
        execute(session, &statement).await?;
    }
    Ok(())
}

/// Drops the keyspace with all its tables, if it is this run's.
pub async fn drop(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    if exists(session, keyspace).await? {
        check_owner(session, keyspace, run_dir).await?;
        execute(session, &format!("DROP KEYSPACE {keyspace}")).await?;
    }
    Ok(())
}

async fn exists(session: &Session, keyspace: &str) -> Result<bool, EngineError> {
    let found = texts(
        session,
        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
        keyspace,
    );
    Ok(!found.await?.is_empty())
}

async fn check_owner(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    let tables = texts(
        session,
        "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?",
        keyspace,
    )
    .await?;
    let refused = |why: &str| {
        EngineError(format!(
            "keyspace {keyspace} exists and {why}; Bakeoff touches nothing in it: drop it yourself \
             if it is not needed, or choose another --out folder"
        ))
    };
    if !tables.iter().any(|t| t == MARKER_TABLE) {
        return Err(refused("does not carry Bakeoff's marker"));
    }
    let marker = format!("SELECT run FROM {keyspace}.{MARKER_TABLE} WHERE run = ?");
    match texts(session, &marker, &run_dir.display().to_string())
        .await?
        .is_empty()
    {
        false => Ok(()),
        true => Err(refused("belongs to another run")),
    }
}

async fn texts(session: &Session, cql: &str, value: &str) -> Result<Vec<String>, EngineError> {
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

pub async fn execute(session: &Session, cql: &str) -> Result<(), EngineError> {
    let done = session.query_unpaged(cql, ()).await;
    done.map(drop_result)
        .map_err(|e| EngineError(format!("`{cql}` failed: {e}")))
}

fn drop_result<T>(_: T) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_keyspace_and_another_folder_another() {
        let a = name("formats", Path::new("/runs/a"));
        assert_eq!(a, name("formats", Path::new("/runs/a")));
        assert_ne!(a, name("formats", Path::new("/runs/b")));
        assert!(name(&"x".repeat(60), Path::new("/runs/b")).len() <= 48);
    }

    #[test]
    fn a_quote_in_a_folder_name_stays_inside_its_literal() {
        let [.., insert] = statements("ks", Path::new("/it's"));
        assert!(insert.ends_with("VALUES ('/it''s')"), "{insert}");
    }
}
