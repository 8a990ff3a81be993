//! Which rows a script fills a design with: those of a sample are the user's own, and those that continue it are made,
//! so that they are only loaded where the user asks for them.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use bakeoff_report::units::{bytes, count};
use bakeoff_workload::csv::Encoder;
use bakeoff_workload::{RowSource, Workload};

use crate::cmd::decide::source::open_rows;

/// First rows whose width as CSV is taken for that of all.
const FIRST_ROWS: usize = 1_000;

/// Rows of the user's that a workload continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many of the first rows are the user's.
    own: u64,
    /// How many rows there are with those beyond them.
    all: u64,
    /// About how many bytes these are as CSV; `None` if the first rows cannot be read.
    bytes: Option<u64>,
}

impl Sample {
    /// Returns the sample that the first rows of a workload are; `None` if nothing is made beyond its rows. `files` are
    /// read in place of those that the workload names, if there are some.
    ///
    /// # Errors
    /// Fails if the sample cannot be read.
    pub fn of(workload: &Workload, files: &[PathBuf]) -> Result<Option<Sample>> {
        if workload.scale_sample.is_none() {
            return Ok(None);
        }
        let opened = open_rows(workload, files);
        let source = opened.context("cannot count the rows of the sample")?;
        let Some(grown) = source.grown_from() else {
            return Ok(None);
        };
        let all = source.known_rows().unwrap_or(grown.rows);
        let width = width_of_row(workload, source.as_ref());
        Ok(Some(Sample {
            own: grown.rows,
            all,
            bytes: width.map(|width| (width * all as f64) as u64),
        }))
    }

    /// Says what all rows are as CSV.
    fn in_csv(&self) -> String {
        let rows = count(self.all);
        match self.bytes {
            Some(all) => format!("{rows} rows, about {} as CSV", bytes(all as f64)),
            None => format!("{rows} rows as CSV"),
        }
    }
}

/// Returns the mean bytes of one of the first rows as CSV; `None` if they cannot be read.
fn width_of_row(workload: &Workload, source: &dyn RowSource) -> Option<f64> {
    let first = source.read(0, FIRST_ROWS).ok()?.next()?.ok()?.rows;
    let mut lines = Vec::new();
    Encoder::new(&workload.table).rows(&first, &mut lines);
    let rows = first.num_rows();
    (rows > 0).then(|| lines.len() as f64 / rows as f64)
}

/// What is said of the rows that the script fills a design with.
#[derive(Debug)]
pub struct RowsTold {
    /// How many these are unless its user says it: a number, or `all`.
    pub usual: String,
    /// Lines of a comment in the script.
    pub lines: Vec<String>,
    /// What a script that fills tables with CSV writes first where it is asked for all rows, if these are more than the
    /// usual ones.
    pub written: Option<String>,
    /// A comment beside the commands that fill the design, if there are further rows.
    pub beside: Option<String>,
    /// A note, if these are not all rows that there are, or are made.
    pub note: Option<String>,
}

impl RowsTold {
    /// Says that the script has these rows, if not all of the workload; of a sample, without those beyond it.
    pub fn new(rows: Option<&str>, sample: Option<Sample>) -> RowsTold {
        let Some(sample) = sample else {
            return RowsTold {
                usual: "all".to_owned(),
                lines: vec![
                    format!("Rows: {}.", rows.unwrap_or("all rows of the workload")),
                    "With ROWS=N in the environment it takes the first N only.".to_owned(),
                ],
                written: None,
                beside: None,
                note: rows.map(|rows| {
                    format!("the script fills it with {rows}; move all rows of yours in the same way, or with a tool of the database")
                }),
            };
        };
        let rows = rows.unwrap_or("the rows of the file");
        let own = count(sample.own);
        let alone = format!("{rows} ({own}) without those made beyond them");
        let all = count(sample.all);
        RowsTold {
            usual: sample.own.to_string(),
            written: Some(sample.in_csv()),
            lines: vec![
                format!("Rows: {alone}."),
                format!(
                    "With ROWS=all in the environment it takes these as well, {all} in all; with ROWS=N the first N."
                ),
            ],
            beside: Some(format!("{alone}; --rows all has {all}")),
            note: Some(format!(
                "the script fills it with {alone}, and with ROWS=all in the environment with all {all}; move all rows \
                 of yours in the same way, or with a tool of the database"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKLOAD: &str = r#"
        title = "t"
        designs = ["memory"]
        [table]
        name = "readings"
        columns = { room = "text", time = "timestamp", value = "double" }
        partition_key = ["room"]
        order_key = ["time"]
        [data]
        file = "readings.csv"
        [[queries]]
        name = "one"
        sql = "SELECT max(value) AS high FROM readings"
    "#;

    #[test]
    fn rows_beyond_a_sample_are_only_loaded_where_its_user_says_so() {
        let told = RowsTold::new(None, None);
        let expected = [
            "Rows: all rows of the workload.",
            "With ROWS=N in the environment it takes the first N only.",
        ];
        assert_eq!((told.usual.as_str(), told.note), ("all", None));
        assert_eq!(
            (told.lines, told.written),
            (expected.map(str::to_owned).to_vec(), None)
        );
        let sample = Sample {
            own: 600,
            all: 6000,
            bytes: Some(310 << 10),
        };
        assert_eq!(sample.in_csv(), "6,000 rows, about 310 KiB as CSV");
        let unread = Sample {
            bytes: None,
            ..sample
        };
        assert_eq!(unread.in_csv(), "6,000 rows as CSV");
        let told = RowsTold::new(None, Some(sample));
        assert_eq!(told.usual, "600");
        assert_eq!(told.written, Some(sample.in_csv()));
        let expected = [
            "Rows: the rows of the file (600) without those made beyond them.",
            "With ROWS=all in the environment it takes these as well, 6,000 in all; with ROWS=N the first N.",
        ];
        assert_eq!(told.lines, expected);
        let expected = "the script fills it with the rows of the file (600) without those made beyond them, and with \
                        ROWS=all in the environment with all 6,000; move all rows of yours in the same way, or with a tool of the database";
        assert_eq!(told.note.as_deref(), Some(expected));
        let told = RowsTold::new(Some("the sample of the table"), Some(sample));
        assert!(told.lines[0].starts_with("Rows: the sample of the table (600) without "));
    }

    #[test]
    fn rows_of_a_sample_are_counted_wherever_its_file_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = "room,time,value\n".to_owned();
        for hour in 0..24 {
            rows += &format!("fern,2026-05-01T{hour:02}:00:00Z,{hour}.5\n");
        }
        let file = folder.path().join("moved.csv");
        std::fs::write(&file, rows).unwrap();
        let read = |text: &str| Workload::parse(text, &folder.path().join("w.toml")).unwrap();
        let alone = Sample::of(&read(WORKLOAD), &[]).unwrap();
        assert_eq!(alone, None, "no file is looked for");
        let goes_on = "readings.csv\"\nscale_sample = { rows = 240, along = \"time\" }";
        let grown = WORKLOAD.replace("readings.csv\"", goes_on);
        assert_ne!(grown, WORKLOAD);
        let sample = Sample::of(&read(&grown), &[file]).unwrap().unwrap();
        assert_eq!((sample.own, sample.all), (24, 240));
        // Each of them is like `fern,2026-05-01T00:00:00Z,0.5`.
        let bytes = sample.bytes.unwrap();
        assert!((6_000..12_000).contains(&bytes), "{bytes}");
        let error = Sample::of(&read(&grown), &[]).unwrap_err().to_string();
        assert_eq!(error, "cannot count the rows of the sample");
    }
}
