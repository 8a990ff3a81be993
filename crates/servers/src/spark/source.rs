//! Where the rows of a table are that Spark reads.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// Where the rows of a table are, in the words of Spark's reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    format: &'static str,
    /// The file, where there is one.
    path: Option<PathBuf>,
    options: BTreeMap<String, String>,
}

impl Source {
    /// Makes the source of a Parquet file.
    pub fn parquet(file: impl Into<PathBuf>) -> Source {
        Source {
            format: "parquet",
            path: Some(file.into()),
            // The name of the file is no pattern, whatever characters are in it.
            options: BTreeMap::from([("__globPaths__".to_owned(), "false".to_owned())]),
        }
    }
}
