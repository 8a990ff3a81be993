//! The log in the folder of a command, read once: its first line says what the command makes, and its last one whether
//! it has come to its end.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use bakeoff_stats::drive::DriveRecord;
use bakeoff_stats::sweep::SweepRecord;
use bakeoff_stats::{LogRecord, Record};

/// The logs that commands write into their folder.
const LOGS: [&str; 3] = [Record::FILE, DriveRecord::FILE, SweepRecord::FILE];

/// The log of a command, of which the first line is read.
pub struct Log {
    pub first_line: String,
    /// The id of the user who owns the file.
    pub owner: u32,
    rest: BufReader<File>,
}

impl Log {
    /// Returns the log in a folder of the command with this token, which its first line has.
    pub fn find(dir: &Path, token: &str) -> Option<Log> {
        let mut logs = LOGS.iter().filter_map(|name| Log::open(&dir.join(name)));
        logs.find(|log| log.first_line.contains(token))
    }

    fn open(path: &Path) -> Option<Log> {
        // Opening a pipe would wait for whoever writes to it.
        if !fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let owner = file.metadata().ok()?.uid();
        let mut rest = BufReader::new(file);
        let mut line = Vec::new();
        rest.read_until(b'\n', &mut line).ok()?;
        Some(Log {
            first_line: String::from_utf8_lossy(&line).trim_end().to_owned(),
            owner,
            rest,
        })
    }

    /// Reads the other lines, and returns whether the last one is the record of a command's end.
    ///
    /// # Errors
    /// Fails if the file cannot be read to its end.
    pub fn has_ended(mut self) -> io::Result<bool> {
        let mut bytes = Vec::new();
        self.rest.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().next_back().unwrap_or(&self.first_line);
        let record: Option<serde_json::Value> = serde_json::from_str(last).ok();
        Ok(record.is_some_and(|record| record["record"] == "finished"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_whose_log_it_is_and_the_last_one_whether_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let begun = r#"{"record":"started","token":"abc"}"#;
        let finished = r#"{"record":"finished"}"#;
        for (text, has_ended) in [
            (begun.to_owned(), false),
            (format!("{begun}\n"), false),
            (format!("{begun}\n{finished}"), true),
            (format!("{begun}\n{{\"n\":1}}\n{finished}\n"), true),
            (format!("{begun}\n{finished}\n{{\"n\":1}}\n"), false),
            (format!("{begun}\n{{\"record\":\"fini"), false),
        ] {
            fs::write(folder.path().join(SweepRecord::FILE), &text).unwrap();
            let log = Log::find(folder.path(), "abc").unwrap();
            assert_eq!(log.first_line, begun);
            assert_eq!(log.has_ended().unwrap(), has_ended, "{text}");
            assert!(Log::find(folder.path(), "other").is_none());
        }
    }

    #[test]
    fn what_is_no_file_is_no_log() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(Record::FILE)).unwrap();
        assert!(Log::find(folder.path(), "").is_none());
    }
}
