//! The end of the schemas that designs on drivers have had.

use std::collections::BTreeMap;
use std::time::Duration;

use bakeoff_driver::DesignError;

use crate::adbc::{AdbcOptions, Database, Driver};

/// The longest time for dropping a schema with its tables, which others may have locked.
pub const DROP_LIMIT: Duration = Duration::from_secs(60);

/// What removes the schemas of designs, by their names: the database, and the statements there.
pub type Schemas = BTreeMap<String, (Database, Vec<String>)>;

/// Removes schemas, and returns what is wrong with each one that stays. None keeps the others from being removed.
pub async fn drop_all(options: &AdbcOptions, schemas: Schemas, limit: Duration) -> Vec<String> {
    let mut troubles = Vec::new();
    for (schema, (database, statements)) in schemas {
        let dropping = drop_one(options, database, &statements);
        let dropped = tokio::time::timeout(limit, dropping).await;
        let why = match dropped {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!(
                "it did not end within {limit:?}, as where somebody holds a lock on a table in it; drop what is \
                 left of it yourself"
            ),
        };
        troubles.push(format!("dropping the schema {schema} failed: {why}"));
    }
    troubles
}

async fn drop_one(
    options: &AdbcOptions,
    database: Database,
    statements: &[String],
) -> Result<(), DesignError> {
    let driver = Driver::new(options, database)?;
    driver.execute(statements).await
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::adbc::{HostProgram, Secrets};

    fn schemas() -> Schemas {
        let database = Database {
            library: "/opt/some.so".to_owned(),
            entrypoint: None,
            options: Vec::new(),
            setup: Vec::new(),
            statement_options: Vec::new(),
            secrets: Secrets::default(),
        };
        ["bakeoff_a", "bakeoff_b"]
            .map(|schema| {
                let dropping = (database.clone(), vec![format!("DROP SCHEMA {schema}")]);
                (schema.to_owned(), dropping)
            })
            .into()
    }

    async fn troubles(script: &str, limit: Duration) -> Vec<String> {
        let options = AdbcOptions {
            host: Some(HostProgram {
                program: PathBuf::from("/bin/sh"),
                arguments: vec!["-c".to_owned(), script.to_owned()],
            }),
            ..AdbcOptions::default()
        };
        drop_all(&options, schemas(), limit).await
    }

    #[tokio::test]
    async fn each_schema_that_stays_is_named_and_nothing_is_waited_for_without_end() {
        for (script, limit, words) in [
            (
                "exec sleep 600",
                Duration::from_millis(50),
                "a lock on a table",
            ),
            ("read -r line; exit 3", DROP_LIMIT, "exit status: 3"),
        ] {
            let troubles = troubles(script, limit).await;
            assert_eq!(troubles.len(), 2, "{troubles:?}");
            for (trouble, schema) in troubles.iter().zip(["bakeoff_a", "bakeoff_b"]) {
                let begin = format!("dropping the schema {schema} failed: ");
                assert!(trouble.starts_with(&begin), "{trouble}");
                assert!(trouble.contains(words), "{trouble}");
            }
        }
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_no_reason_to_leave_the_others() {
        let options = AdbcOptions {
            host: Some(HostProgram {
                program: PathBuf::from("/nowhere/bakeoff"),
                arguments: Vec::new(),
            }),
            ..AdbcOptions::default()
        };
        let troubles = drop_all(&options, schemas(), DROP_LIMIT).await;
        assert_eq!(troubles.len(), 2, "{troubles:?}");
    }
}
