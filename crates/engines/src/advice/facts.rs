//! What is known of a workload before anything is measured.

use std::collections::BTreeMap;

use bakeoff_workload::source::GrownPartitions;
use bakeoff_workload::{Column, ColumnType, Growth, Table};

use super::question::{Filter, FilterKind, Question};
use super::words::{bytes, count, percent};

/// Share of the rows that come in the order of a column from which on they are taken to come in it.
pub const MOSTLY_IN_ORDER: f64 = 0.95;
/// Share of the partitions that begin in the order of a column from which on further ones are taken to begin later.
const MOSTLY_BEGIN_LATER: f64 = 0.8;

/// What rules know of a workload.
#[derive(Debug, Clone)]
pub struct Facts {
    pub table: Table,
    /// Whether it has more columns than servers take without trouble.
    pub is_wide: bool,
    pub questions: Vec<Question>,
    pub load: Option<Load>,
    /// Statements in CQL that the workload file has.
    pub cql: Vec<String>,
    /// Whether these statements make the tables.
    pub is_written_in_cql: bool,
    /// What its first rows say; `None` if they were not read.
    pub rows: Option<Rows>,
    /// Rows of the whole table.
    pub full_rows: u64,
    /// How it grows to that number from the rows that were read, or those that a run loads; from the sample, if there
    /// is one.
    pub grows: Option<Growth>,
    /// The sample of which its rows are made, as a whole; `None` if they are not made so.
    pub sample: Option<Sample>,
    /// Cores of all machines together.
    pub cores: u32,
    /// Main memory of the machine in bytes; 0 if it is not known.
    pub memory_bytes: u64,
    /// Whether two rows may have the same key.
    pub keys_repeat: bool,
    /// Seconds from the writing of a row to its end, if rows have one.
    pub ttl_seconds: Option<u64>,
    /// That time as designs of the workload have it in a setting, if one has.
    pub ttl: Option<String>,
}

/// What a mix does, in shares of its operations from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Load {
    /// Share of the operations that write rows; the others read.
    pub writes: f64,
    /// Share that reads one row by its whole key.
    pub reads_of_rows: f64,
    /// Share that reads a partition or a part of it.
    pub reads_of_partitions: f64,
    /// Whether partitions are read from the newest row on.
    pub wants_newest: bool,
    /// Share that deletes rows or partitions.
    pub deletes: f64,
    /// Whether rows are changed or deleted.
    pub changes_rows: bool,
}

/// What is known of a sample, of which the first rows may be few, and of the table that grows from it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// How long the whole table is in the first order column, in its units; `None` if it does not grow by that.
    pub length: Option<f64>,
    /// Its partitions; `None` if later times have further ones.
    pub partitions: Option<GrownPartitions>,
}

/// What the first rows of the data say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Number of rows that were read.
    pub read: u64,
    /// Mean bytes of the values of a row, without any compression.
    pub row_bytes: f64,
    /// Those of its key.
    pub key_bytes: f64,
    /// Number of partition keys among them.
    pub partitions: u64,
    /// Whether partitions take turns, and the second half of the rows has no new one.
    pub has_all_partitions: bool,
    /// Whether partitions end: each is complete before the next one begins, as with a time in the partition key.
    pub partitions_end: bool,
    /// Rows of the largest partition.
    pub largest_partition: u64,
    /// Mean distance of rows of a partition in the first order column, in its units.
    pub step: Option<f64>,
    /// Distance from the lowest to the highest value of that column.
    pub span: Option<f64>,
    /// Share of the rows that come in the order of that column, from 0 to 1.
    pub in_order: f64,
    /// Share of the partitions that begin no earlier, in that column, than the one whose first row comes before theirs.
    /// Of series one after the other, each in order, it is about a half, although almost all rows come in order.
    pub begin_in_order: f64,
    /// Different values of columns outside the key that questions find rows by, about.
    pub distinct: BTreeMap<String, u64>,
    /// Texts outside the key that are the same in all rows of a partition.
    pub tags: Vec<String>,
    /// Columns without a value, or with an empty text, in some of them.
    pub lacking: Vec<String>,
}

impl Facts {
    /// Returns the first column of the order key.
    pub fn order_column(&self) -> Option<&Column> {
        self.table.column(self.table.order_key.first()?)
    }

    /// Returns the first column of the order key if it can be divided into ranges.
    pub fn divided_column(&self) -> Option<&Column> {
        let is_divided = |kind| {
            matches!(
                kind,
                ColumnType::Timestamp | ColumnType::Bigint | ColumnType::Int
            )
        };
        self.order_column().filter(|column| is_divided(column.kind))
    }

    /// Returns the rows of the largest partition of the whole table, about.
    pub fn partition_rows(&self) -> Option<f64> {
        let rows = self.rows.as_ref().filter(|rows| rows.partitions > 0)?;
        let largest = rows.largest_partition as f64;
        if rows.partitions_end || self.are_all_read(rows) {
            return Some(largest);
        }
        if let Some(of_sample) = self.partitions_of_sample() {
            return Some(of_sample.largest as f64 * self.time_growth());
        }
        // Of keys that keep coming, only those that were read are known.
        if !rows.has_all_partitions {
            return Some(largest);
        }
        // How much larger than the others the largest one is stays the same.
        let skew = largest * rows.partitions as f64 / rows.read.max(1) as f64;
        let keys = rows.partitions as f64 * self.series_growth();
        Some(skew * self.full_rows as f64 / keys)
    }

    /// Returns how many times as many partition keys the whole table has as the rows that show all of theirs.
    pub fn series_growth(&self) -> f64 {
        self.grows.map_or(1.0, |grows| grows.series.max(1.0))
    }

    /// Returns how many times as many rows each partition of the whole table has as in the sample that it grows from.
    fn time_growth(&self) -> f64 {
        self.grows.map_or(1.0, |grows| grows.time.max(1.0))
    }

    /// Returns the partitions of the sample, if there is one whose partitions stay in time.
    fn partitions_of_sample(&self) -> Option<GrownPartitions> {
        self.sample?.partitions
    }

    /// Returns the number of partition keys of the whole table, about; `None` if the first rows do not show it.
    pub fn partition_keys(&self) -> Option<f64> {
        let rows = self.rows.as_ref().filter(|rows| rows.partitions > 0)?;
        let keys = rows.partitions as f64;
        if self.are_all_read(rows) {
            return Some(keys);
        }
        if rows.partitions_end {
            return None;
        }
        // The first rows may have few of those that the sample has.
        let of_sample = { self.partitions_of_sample() }.map(|sample| sample.number as f64);
        let known = of_sample.or(rows.has_all_partitions.then_some(keys))?;
        Some(known * self.series_growth())
    }

    /// Returns whether the rows that were read are the whole table.
    pub fn are_all_read(&self, rows: &Rows) -> bool {
        rows.read >= self.full_rows
    }

    /// Returns the bytes of that partition, without any compression.
    pub fn partition_bytes(&self) -> Option<f64> {
        Some(self.partition_rows()? * self.rows.as_ref()?.row_bytes)
    }

    /// Returns how many rows of a partition are in a range of the first order column of so many units.
    pub fn rows_in(&self, units: f64) -> Option<f64> {
        let step = self.rows.as_ref()?.step?;
        (step > 0.0).then(|| units / step)
    }

    /// Returns the distance from the lowest to the highest value of the first order column in the whole table, about;
    /// `None` if the first rows do not show it.
    pub fn full_span(&self) -> Option<f64> {
        if let Some(length) = self.sample.and_then(|sample| sample.length) {
            return Some(length);
        }
        let rows = self.rows.as_ref()?;
        let span = rows.span?;
        // Further series are there at the same times.
        let full = self.full_rows as f64 / self.series_growth();
        let grown = span * (full / rows.read.max(1) as f64).max(1.0);
        if self.are_all_read(rows) {
            Some(span)
        } else if rows.partitions_end {
            Some(grown)
        } else if rows.has_all_partitions {
            let mean = rows.read as f64 / rows.partitions.max(1) as f64;
            let skew = rows.largest_partition as f64 / mean.max(1.0);
            Some(rows.step? * self.partition_rows()? / skew.max(1.0))
        } else if rows.partitions == 1 {
            // It may go on, or be the first of many.
            None
        } else {
            let of_largest = rows.step.unwrap_or(0.0) * rows.largest_partition as f64;
            let is_of_each = of_largest >= span / 2.0;
            let begin_later = rows.begin_in_order >= MOSTLY_BEGIN_LATER;
            let goes_on = !is_of_each && begin_later && rows.in_order >= MOSTLY_IN_ORDER;
            Some(if goes_on { grown } else { span })
        }
    }

    /// Returns a question that asks for a range of the first order column of all partition keys.
    pub fn asks_range_of_all(&self) -> Option<&str> {
        let column = self.order_column()?;
        self.question(|q| q.has_range(&column.name) && !q.names_partition(&self.table))
    }

    /// Returns whether a question or an operation wants the newest rows of a partition.
    pub fn wants_newest(&self) -> bool {
        let asked = self.questions.iter().any(|q| q.wants_newest);
        asked || self.load.as_ref().is_some_and(|load| load.wants_newest)
    }

    /// Returns the name of a question that does what is asked, if there is one.
    pub fn question(&self, does: impl Fn(&Question) -> bool) -> Option<&str> {
        let mut questions = self.questions.iter();
        questions.find(|q| does(q)).map(|q| q.name.as_str())
    }

    /// Returns the columns outside the key that questions find rows by, of questions that do not say the partition
    /// too: each with the largest share of the rows that have such a value, if it is known.
    pub fn found_by(&self) -> BTreeMap<&str, Option<f64>> {
        let mut found: BTreeMap<&str, Option<f64>> = BTreeMap::new();
        let questions = { self.questions.iter() }.filter(|q| !q.names_partition(&self.table));
        for filter in questions.flat_map(|question| &question.filters) {
            let is_equal = matches!(filter.kind, FilterKind::Equals { .. });
            if is_equal && !self.table.is_key(&filter.column) {
                let share = found.entry(&filter.column).or_default();
                *share = match (*share, filter.share) {
                    (Some(one), Some(other)) => Some(one.max(other)),
                    (one, other) => one.or(other),
                };
            }
        }
        found
    }

    /// Describes all of it, a line for each thing.
    pub fn in_words(&self) -> Vec<String> {
        let table = &self.table;
        let columns = table.columns.len();
        let partition = table.partition_key.join(", ");
        let order: String = table.order_key.iter().map(|c| format!(", {c}")).collect();
        let wide = if self.is_wide {
            ", more than tables of servers take without trouble: only columns and files are proposed"
        } else {
            ""
        };
        let key = format!("key (({partition}){order}); {columns} columns{wide}");
        let mut lines = vec![key];
        match &self.rows {
            None => {
                lines.push("no rows were read: name the file with --data, if it has any".to_owned())
            }
            Some(rows) => lines.push(self.rows_in_words(rows)),
        }
        lines.extend(self.questions.iter().map(|q| self.question_in_words(q)));
        lines.extend(self.load.as_ref().map(load_in_words));
        if let Some(seconds) = self.ttl_seconds {
            lines.push(format!("rows live for {seconds} s"));
        }
        lines
    }

    fn rows_in_words(&self, rows: &Rows) -> String {
        let read = count(rows.read as f64);
        let keys = keys_in_words(rows.partitions as f64);
        let mut line = format!(
            "the first {read} rows: {} each without compression, {keys}",
            bytes(rows.row_bytes)
        );
        if let (Some(most), Some(size)) = (self.partition_rows(), self.partition_bytes()) {
            let full = count(self.full_rows as f64);
            let is_known = rows.has_all_partitions
                || rows.partitions_end
                || self.partitions_of_sample().is_some();
            let about = if is_known || self.are_all_read(rows) {
                "about"
            } else {
                "at least"
            };
            let keys = self.partition_keys();
            let keys = keys.filter(|keys| *keys > rows.partitions as f64);
            let with = keys.map_or(String::new(), |keys| {
                format!(" with {}", keys_in_words(keys))
            });
            line += &format!(
                "; of {full} rows{with} the largest partition would have {about} {} ({})",
                count(most),
                bytes(size)
            );
        }
        line
    }

    /// Returns the share of all rows that a condition finds, about; `None` if the first rows do not show it, as of one of
    /// several columns of the partition key where the whole table has more series.
    pub(super) fn share_of_all(&self, filter: &Filter) -> Option<f64> {
        let share = filter.share?;
        let key = &self.table.partition_key;
        let growth = self.series_growth();
        if growth <= 1.0 || !key.contains(&filter.column) {
            return Some(share);
        }
        (key.len() == 1).then(|| share / growth)
    }

    fn question_in_words(&self, question: &Question) -> String {
        let mut conditions = Vec::new();
        for filter in &question.filters {
            let kind = match filter.kind {
                FilterKind::Equals { values: 1 } => "a value".to_owned(),
                FilterKind::Equals { values } => format!("{values} values"),
                FilterKind::Range { .. } => "a range".to_owned(),
                FilterKind::Other => "a condition".to_owned(),
            };
            let share = self.share_of_all(filter).map_or(String::new(), |share| {
                format!(" ({} of the rows)", percent(share))
            });
            conditions.push(format!("{kind} of {}{share}", filter.column));
        }
        let by = match &conditions[..] {
            [] if question.is_of_all_rows => "all rows".to_owned(),
            [] => "by conditions that are not about one column each".to_owned(),
            conditions => format!("by {}", conditions.join(" and ")),
        };
        let mut does = Vec::new();
        does.extend(question.groups.then_some("groups"));
        does.extend((question.aggregates && !question.groups).then_some("aggregates"));
        does.extend(question.wants_newest.then_some("wants the newest"));
        let does = match &does[..] {
            [] => String::new(),
            does => format!("; {}", does.join(", ")),
        };
        let (name, read) = (&question.name, question.columns);
        let all = self.table.columns.len();
        format!("{name}: {by}; {read} of {all} columns{does}")
    }
}

fn keys_in_words(number: f64) -> String {
    let keys = if number == 1.0 { "key" } else { "keys" };
    format!("{} partition {keys}", count(number))
}

fn load_in_words(load: &Load) -> String {
    let mut line = format!("the mix: {} writes", percent(load.writes));
    for (share, what) in [
        (load.reads_of_rows, "reads of single rows"),
        (load.reads_of_partitions, "reads in partitions"),
    ] {
        if share > 0.0 {
            line += &format!(", {} {what}", percent(share));
        }
    }
    line
}

#[cfg(test)]
mod tests;
