//! Where the rows of a table are that Spark reads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Where the rows of a table are, in the words of Spark's reader. It may hold a password, and so has no `Debug`.
#[derive(Clone, Serialize)]
pub struct Source {
    format: &'static str,
    /// The file, where there is one.
    path: Option<String>,
    options: BTreeMap<String, String>,
    /// The jars that this format needs in addition to Spark's own.
    jars: Vec<String>,
    /// The columns in their order, or none for those of a file in its own order.
    columns: Vec<String>,
}

/// A table of rows in Cassandra, and how to reach it.
#[derive(Clone)]
pub struct CassandraTable {
    pub host: String,
    pub port: u16,
    /// The name and the password to log in with.
    pub login: Option<(String, String)>,
    /// The consistency level of reads in the words of CQL, or `None` for that of the connector, `LOCAL_ONE`.
    pub consistency: Option<String>,
    pub keyspace: String,
    pub table: String,
    pub columns: Vec<String>,
}

impl Source {
    /// Makes the source of a Parquet file.
    pub fn parquet(file: impl AsRef<Path>) -> Source {
        Source::parquet_at(text(file.as_ref()))
    }

    /// Makes the source of a Parquet file, or of a folder of some, that the workers of a cluster have under the same
    /// path, whatever file system they otherwise read.
    pub fn shared_parquet(path: impl AsRef<Path>) -> Source {
        Source::parquet_at(format!("file://{}", text(path.as_ref())))
    }

    fn parquet_at(path: String) -> Source {
        Source {
            format: "parquet",
            path: Some(path),
            // The name of the file is no pattern, whatever characters are in it.
            options: BTreeMap::from([("__globPaths__".to_owned(), "false".to_owned())]),
            jars: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Makes the source of a table in Cassandra, which is read through the connector in these jars
    /// ([`super::resolve_connector`]).
    pub fn cassandra(table: CassandraTable, jars: Vec<PathBuf>) -> Source {
        let CassandraTable {
            host,
            port,
            login,
            consistency,
            keyspace,
            table,
            columns,
        } = table;
        let mut options = BTreeMap::new();
        let mut set = |name: &str, value: String| options.insert(name.to_owned(), value);
        set("keyspace", keyspace);
        set("table", table);
        set("spark.cassandra.connection.host", host);
        set("spark.cassandra.connection.port", port.to_string());
        if let Some((user, password)) = login {
            set("spark.cassandra.auth.username", user);
            set("spark.cassandra.auth.password", password);
        }
        if let Some(level) = consistency {
            set("spark.cassandra.input.consistency.level", level);
        }
        Source {
            format: "org.apache.spark.sql.cassandra",
            path: None,
            options,
            jars: jars.iter().map(|jar| text(jar)).collect(),
            columns,
        }
    }
}

/// Returns a path as a text, which of other characters than those of Unicode is another path.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_workers_share_is_one_of_their_own_file_system() {
        let path = |source: Source| serde_json::to_value(source).unwrap()["path"].clone();
        assert_eq!(path(Source::parquet("/a b/c")), "/a b/c");
        assert_eq!(path(Source::shared_parquet("/a b/c")), "file:///a b/c");
    }

    #[test]
    fn a_table_in_cassandra_is_named_with_how_to_reach_it() {
        let table = CassandraTable {
            host: "127.0.0.1".to_owned(),
            port: 9043,
            login: Some(("me".to_owned(), "secret".to_owned())),
            consistency: Some("QUORUM".to_owned()),
            keyspace: "k".to_owned(),
            table: "t".to_owned(),
            columns: vec!["b".to_owned(), "a".to_owned()],
        };
        let source = Source::cassandra(table, vec!["/jars/a.jar".into()]);
        let written = serde_json::to_value(source).unwrap();
        let expected = serde_json::json!({
            "format": "org.apache.spark.sql.cassandra",
            "path": null,
            "options": {
                "keyspace": "k",
                "table": "t",
                "spark.cassandra.connection.host": "127.0.0.1",
                "spark.cassandra.connection.port": "9043",
                "spark.cassandra.auth.username": "me",
                "spark.cassandra.auth.password": "secret",
                "spark.cassandra.input.consistency.level": "QUORUM",
            },
            "jars": ["/jars/a.jar"],
            "columns": ["b", "a"],
        });
        assert_eq!(written, expected);
    }
}
