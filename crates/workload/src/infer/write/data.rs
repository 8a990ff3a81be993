//! Writes how a file is read.

use std::path::Path;

use super::{clean, line, list, quoted};
use crate::TextForm;
use crate::infer::evidence::{is_not_a_number, shown_word};
use crate::infer::{Inferred, InferredColumn};

impl Inferred {
    /// Writes `[data]`: how the file is read.
    pub(super) fn data(&self, file: &str, out: &mut String) {
        line(out, "[data]");
        let mut about = Vec::new();
        if self.files > 1 {
            about.push(format!("all {} files in it, by name", self.files));
        }
        if Path::new(file).is_relative() {
            about.push("relative to this file".to_owned());
        }
        let about = about.join("; ");
        let comment = if about.is_empty() { "" } else { " # " };
        line(out, &format!("file = {}{comment}{about}", quoted(file)));
        if let Some(grown) = &self.grown {
            line(
                out,
                "# The file is a sample: further rows like its own follow them, as far as this says.",
            );
            line(out, &format!("grow = {}", quoted(&grown.words)));
        }
        if let Some(delimiter) = self.delimiter {
            let written = TextForm::delimiter_name(delimiter);
            line(out, &format!("delimiter = {}", quoted(&written)));
        }
        if self.spaced_quotes {
            line(
                out,
                "# Spaces around the quotes of a field are no part of it.",
            );
        }
        if self.skip_lines > 0 {
            let skipped = self.skip_lines;
            line(
                out,
                &format!("skip_lines = {skipped} # at the beginning, which are no rows"),
            );
        }
        match self.lines_after_names {
            0 => {}
            1 => line(
                out,
                "units_line = true # the line after the one that names the columns is no row",
            ),
            lines => line(
                out,
                &format!(
                    "lines_after_names = {lines} # after the one that names the columns, which are no rows"
                ),
            ),
        }
        if self.no_header {
            line(out, "header = false # the first line is a row");
            line(out, &format!("fields = {}", list(&self.fields)));
        }
        if !self.null.is_empty() {
            let words: Vec<String> = self.null.iter().map(|(word, _)| word.clone()).collect();
            let times = self
                .null
                .iter()
                .map(|(word, times)| format!("{times} {}", clean(&shown_word(word))));
            let times: Vec<String> = times.collect();
            let has_nan = words.iter().any(|word| is_not_a_number(word));
            let kept = if has_nan {
                "; without NaN here it is a number, with which a mean is NaN"
            } else {
                ""
            };
            line(
                out,
                &format!("null = {} # {}{kept}", list(&words), times.join(", ")),
            );
        }
        if let Some(zone) = &self.zone {
            let zone = quoted(zone.name());
            line(
                out,
                &format!("zone = {zone} # of times that say no offset from UTC"),
            );
        }
        if let Some(why) = &self.decimal_comma {
            let why = clean(why);
            let others = match self.thousands {
                None => "; points and spaces may be before three digits",
                Some(_) => "",
            };
            line(out, &format!("decimal = \",\" # {why}{others}"));
        }
        if let Some((mark, why)) = &self.thousands {
            let (mark, why) = (quoted(mark.written()), clean(why));
            line(
                out,
                &format!("thousands = {mark} # before each three digits, {why}"),
            );
        }
        let repeats = self.counted_repeats();
        if let Some(repeats) = &repeats {
            line(
                out,
                &format!(
                    "# {repeats} a key that an earlier row has. Set aside, no design holds them, and all hold the same."
                ),
            );
            line(
                out,
                "# With \"keep\", Cassandra and columnar tables keep the last row of a key, and cannot be chosen.",
            );
            line(out, "repeated_keys = \"set aside\"");
        }
        let has_bad_rows = self.bad_rows > 0 && !self.is_typed;
        if has_bad_rows {
            let (bad, rows) = (self.bad_rows, self.rows);
            let about = if bad == 1 {
                format!("# 1 of {rows} rows does not fit, or lacks its key.")
            } else {
                format!("# At most {bad} of {rows} rows do not fit, or lack their key.")
            };
            line(out, &about);
        }
        if has_bad_rows || repeats.is_some() {
            let who = match repeats {
                Some(_) => "Rows that are set aside are",
                None => "They are set aside",
            };
            line(
                out,
                &format!(
                    "# {who} in bad-rows.csv of the run folder; more than this share is an error."
                ),
            );
            line(out, &format!("bad_rows = \"{}%\"", self.bad_percent()));
        }
        line(out, "");
        self.data_of_columns("from", "Names in the file.", out, |column| {
            column.from.as_deref()
        });
        self.joined(out);
        self.data_of_columns(
            "constant",
            "Columns that the file does not have, and what is in all their rows.",
            out,
            |column| column.constant.as_deref(),
        );
        self.data_of_columns("format", "How times are written.", out, |column| {
            column.format.as_ref().map(|format| format.written())
        });
        self.data_of_columns("signs", "What is left out of numbers.", out, |column| {
            column.signs.as_deref()
        });
    }

    /// Writes of which columns of the file times are put together.
    fn joined(&self, out: &mut String) {
        let joined = { self.columns.iter() }.filter(|column| !column.joined.is_empty());
        let joined: Vec<&InferredColumn> = joined.collect();
        if joined.is_empty() {
            return;
        }
        line(
            out,
            "# Times that stand in several columns of the file, whose parts are read with a space between them.",
        );
        line(out, "[data.join]");
        for column in joined {
            line(out, &format!("{} = {}", column.name, list(&column.joined)));
        }
        line(out, "");
    }

    /// Returns the largest share of bad rows, in percent: more than there are, since some may be counted twice, and
    /// others only estimated.
    fn bad_percent(&self) -> u64 {
        let bad = self.bad_rows.saturating_add(self.repeats_set_aside());
        let percent = bad.saturating_mul(100).div_ceil(self.rows.max(1));
        (percent + 1).min(99)
    }

    fn data_of_columns<'a>(
        &'a self,
        name: &str,
        what: &str,
        out: &mut String,
        value: impl Fn(&'a InferredColumn) -> Option<&'a str>,
    ) {
        let given = self
            .columns
            .iter()
            .filter_map(|column| Some((column, value(column)?)));
        let given: Vec<(&InferredColumn, &str)> = given.collect();
        if given.is_empty() {
            return;
        }
        line(out, &format!("# {what}"));
        line(out, &format!("[data.{name}]"));
        for (column, value) in given {
            line(out, &format!("{} = {}", column.name, quoted(value)));
        }
        line(out, "");
    }
}
