//! The first rows of a table as a server stores them, read from its largest SSTable by Cassandra's own tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};

use super::nodes::Nodes;
use super::nodetool::complaint;
use super::server::Server;
use crate::error::{Error, Result};

/// The tool that is shipped as `sstabledump`.
const CLASS: &str = "org.apache.cassandra.tools.SSTableExport";
/// Prints each row on a line of its own, with its place in the file.
const ROW_A_LINE: &str = "-d";
/// End of the name of an SSTable's file of rows.
const DATA_FILE: &str = "-Data.db";
const LIMIT_SECONDS: u64 = 60;
/// Most bytes of the tool's output that are read.
const MOST_BYTES: u64 = 256 << 10;
/// Most characters of a line that are kept.
const MOST_CHARACTERS: usize = 400;

impl Server {
    /// Returns the first rows of the table's largest SSTable, at most `rows` lines, in the words of Cassandra's tool
    /// `sstabledump -d`: partition key, place in bytes, order key, and each cell with its time. Returns `None` for a
    /// table without SSTables. It starts a JVM, and so takes about two seconds.
    ///
    /// # Errors
    /// Fails with `Sstabledump` with the tool's complaint, or after 60 s; `Io` if the folder of the table or the
    /// tool's output cannot be read.
    pub async fn stored_rows(
        &self,
        keyspace: &str,
        table: &str,
        rows: usize,
    ) -> Result<Option<String>> {
        let Some(file) = largest(&self.data_dir().join(keyspace), table)? else {
            return Ok(None);
        };
        let mut command = self.tool(CLASS)?;
        command
            .arg(&file)
            .arg(ROW_A_LINE)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(Error::io("run", &self.details.java))?;
        let Some(output) = child.stdout.take() else {
            return Err(failed(&file, "it has no output".to_owned()));
        };
        let limit = Duration::from_secs(LIMIT_SECONDS);
        let read = tokio::time::timeout(limit, first_lines(output, rows)).await;
        let Ok(read) = read else {
            let message =
                format!("it printed too little within {LIMIT_SECONDS} s and was given up");
            return Err(failed(&file, message));
        };
        let text = read.map_err(Error::io("read the rows of", &file))?;
        if !text.is_empty() {
            // The rest of the rows is not wanted. A tool that has ended by itself need not be killed.
            child.kill().await.ok();
            return Ok(Some(text));
        }
        let ended = tokio::time::timeout(limit, child.wait_with_output()).await;
        let Ok(ended) = ended else {
            let message = format!("it did not end within {LIMIT_SECONDS} s and was given up");
            return Err(failed(&file, message));
        };
        let ended = ended.map_err(Error::io("run", &self.details.java))?;
        if ended.status.success() {
            return Ok(None);
        }
        Err(failed(&file, complaint(&ended)))
    }
}

impl Nodes {
    /// Returns the first rows of a table on the first node that has an SSTable of it; see [`Server::stored_rows`].
    ///
    /// # Errors
    /// Fails with the error of the first node on which it failed.
    pub async fn stored_rows(
        &self,
        keyspace: &str,
        table: &str,
        rows: usize,
    ) -> Result<Option<String>> {
        for node in self.servers() {
            if let Some(text) = node.stored_rows(keyspace, table, rows).await? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}

fn failed(file: &Path, message: String) -> Error {
    Error::Sstabledump {
        file: file.to_owned(),
        message,
    }
}

/// Returns the file of rows of the largest SSTable of a table; `None` if it has none.
fn largest(keyspace: &Path, table: &str) -> Result<Option<PathBuf>> {
    let prefix = format!("{table}-");
    let mut largest: Option<(u64, PathBuf)> = None;
    for folder in entries(keyspace)? {
        let is_of_table = folder
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
        if !is_of_table {
            continue;
        }
        for file in entries(&folder)? {
            if !file.to_string_lossy().ends_with(DATA_FILE) {
                continue;
            }
            let bytes = fs::metadata(&file).map_err(Error::io("read", &file))?.len();
            if largest.as_ref().is_none_or(|(most, _)| bytes > *most) {
                largest = Some((bytes, file));
            }
        }
    }
    Ok(largest.map(|(_, file)| file))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let found = fs::read_dir(folder);
    found
        .and_then(|found| found.map(|entry| Ok(entry?.path())).collect())
        .map_err(Error::io("read", folder))
}

/// Reads the first lines of an output, of which long ones are cut.
async fn first_lines(output: impl AsyncRead + Unpin, lines: usize) -> std::io::Result<String> {
    let mut reader = BufReader::new(output.take(MOST_BYTES));
    let mut text = String::new();
    for _ in 0..lines {
        let mut line = Vec::new();
        if reader.read_until(b'\n', &mut line).await? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        text.extend(line.chars().take(MOST_CHARACTERS));
        if line.chars().nth(MOST_CHARACTERS).is_some() {
            text.push('…');
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_more_lines_are_read_than_asked_for_and_long_ones_are_cut() {
        let printed = format!("[a]@0 Row\n[a]@30 {}\n[b]@90 Row\n", "é".repeat(500));
        let text = first_lines(printed.as_bytes(), 2).await.unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0], "[a]@0 Row");
        assert_eq!(lines[1].chars().count(), MOST_CHARACTERS + 1);
        assert!(lines[1].ends_with('…'));
        assert_eq!(first_lines(&b""[..], 2).await.unwrap(), "");
        // A line without an end is read no further than the limit.
        let endless = vec![b'x'; 2 * MOST_BYTES as usize];
        let text = first_lines(&endless[..], 9).await.unwrap();
        assert_eq!(text.lines().count(), 1);
    }

    #[test]
    fn the_largest_sstable_of_the_table_is_read() {
        let parent = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: usize| {
            let path = parent.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![0; bytes]).unwrap();
        };
        assert_eq!(largest(parent.path(), "wide").unwrap(), None);
        write("wide-0a/nb-1-big-Data.db", 10);
        write("wide-0a/nb-2-big-Data.db", 30);
        write("wide-0a/nb-2-big-Index.db", 50);
        write("wide-0a/snapshots/s/nb-3-big-Data.db", 90);
        write("wide_2-0b/nb-1-big-Data.db", 99);
        let found = largest(parent.path(), "wide").unwrap().unwrap();
        assert_eq!(found, parent.path().join("wide-0a/nb-2-big-Data.db"));
        assert!(largest(&parent.path().join("gone"), "wide").is_err());
    }
}
