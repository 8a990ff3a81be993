//! The keyspace of a run, and the marker that says it is ours.
//!
//! Nothing is ever created, written or dropped in a keyspace that does not carry the marker of
//! the same run.

use std::path::Path;

use scylla::client::session::Session;

use crate::EngineError;

const MARKER_TABLE: &str = "bakeoff_marker";

/// What a run is known by: its machine and its folder, so that a stopped run finds its keyspace
/// and no other run does.
fn run_name(run_dir: &Path) -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let (host, machine) = (read("/proc/sys/kernel/hostname"), read("/etc/machine-id"));
    format!("{} {} {}", host.trim(), machine.trim(), run_dir.display())
}

/// Name of a run's keyspace.
pub fn name(workload: &str, run_dir: &Path) -> String {
    let hash = xxhash_rust::xxh3::xxh3_64(run_name(run_dir).as_bytes());
    let workload: String = workload.chars().take(30).collect();
    format!("bakeoff_{workload}_{:08x}", hash as u32)
}

/// The statements that make a keyspace ours.
pub fn statements(keyspace: &str, run_dir: &Path) -> [String; 3] {
    [
        format!(
            "CREATE KEYSPACE IF NOT EXISTS {keyspace} WITH replication = \
             {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
        ),
        format!(
            "CREATE TABLE IF NOT EXISTS {keyspace}.{MARKER_TABLE} (run text PRIMARY KEY) WITH comment = \
             'This keyspace was made by Bakeoff and may be dropped when its run is not going on'"
        ),
        format!(
            "INSERT INTO {keyspace}.{MARKER_TABLE} (run) VALUES ('{}')",
            run_name(run_dir).replace('\'', "''")
        ),
    ]
}

/// Makes the keyspace, or finds the one that this run made before.
pub async fn claim(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    match exists(session, keyspace).await? {
        true => check_owner(session, keyspace, run_dir).await,
        false => make(session, keyspace, run_dir).await,
    }
}

/// Makes the keyspace and its marker, or what of them a killed run did not come to.
pub async fn make(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    for statement in statements(keyspace, run_dir) {
        execute(session, &statement).await?;
    }
    Ok(())
}

pub fn drop_statement(keyspace: &str) -> String {
    format!("DROP KEYSPACE {keyspace}")
}

/// Drops the keyspace with all its tables, if it is this run's.
pub async fn drop(session: &Session, keyspace: &str, run_dir: &Path) -> Result<(), EngineError> {
    if exists(session, keyspace).await? {
        check_owner(session, keyspace, run_dir).await?;
        execute(session, &drop_statement(keyspace)).await?;
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
    match texts(session, &marker, &run_name(run_dir))
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
        assert!(insert.ends_with("/it''s')"), "{insert}");
    }
}
