//! Looks at all values of a file, column by column.

mod decimal;
mod notes;
mod quoted;
mod refused;
mod said;
mod thousands;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::Asked;
use super::evidence::{Decision, Evidence};
use super::names;
use super::rows::{FileRows, Join, Seen};
use crate::check::suggestion;
use crate::source::file::data_error;
use crate::{ColumnType, Error, NULL_WORDS, Result, TimeFormat, Zone};
use refused::{mostly_broken, twice};
use said::{check_said, said_formats};
pub use thousands::Thousands;

/// Different values that are counted exactly, of all columns together and of one at most.
const DISTINCT_VALUES: usize = 1 << 20;
const DISTINCT_VALUES_OF_ONE: usize = 4_096;

/// What the evidence of a column says first whose type the file has.
pub const AS_STORED: &str = "as the file has it";

/// Words of names of times.
const LIKE_TIMES: [&str; 14] = [
    "time",
    "date",
    "datetime",
    "timestamp",
    "ts",
    "epoch",
    "day",
    "when",
    "at",
    "created",
    "updated",
    "modified",
    "start",
    "end",
];

/// All columns of a file.
pub struct SeenColumns {
    pub columns: Vec<SeenColumn>,
    /// Names of all columns of the file, also of those that the table does not have.
    pub fields: Vec<String>,
    /// Columns that no table can have, with the reasons.
    pub left_out: Vec<String>,
    pub rows: u64,
    /// Rows with a wrong number of fields, or that are not text.
    pub broken: u64,
    /// Words that stand for no value, with how often they do.
    pub null: Vec<(String, u64)>,
    /// What says that numbers have a decimal comma, if they do.
    pub decimal_comma: Option<String>,
    /// What is before each three digits of numbers, and what says so, unless it may be anything beside a decimal comma.
    pub thousands: Option<Thousands>,
    /// Zone of times that say no offset from UTC.
    pub zone: Option<Zone>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// A column of a file.
pub struct SeenColumn {
    /// Number in the file.
    pub index: usize,
    pub name: String,
    /// Its name in the file.
    pub written: String,
    pub evidence: Evidence,
    pub decision: Decision,
}

impl SeenColumn {
    /// Returns the number of cells without a value.
    pub fn nulls(&self, null: &[(String, u64)]) -> u64 {
        let is_null = |word: &&String| null.iter().any(|(null, _)| null == *word);
        let words = self.evidence.words.iter();
        let of_words = words
            .filter(|(word, _)| is_null(word))
            .map(|(_, times)| times);
        self.evidence.empty + of_words.sum::<u64>()
    }

    /// Says which offsets from UTC its times have; `None` if they have none.
    pub fn offsets(&self) -> Option<String> {
        let offsets = &self.decision.time.as_ref()?.offsets;
        Some(format!("offsets {}", offsets.in_words()?))
    }

    /// Says whose days and months those of questions are, if its times have offsets from UTC and thus others.
    pub fn days(&self) -> Option<String> {
        let offsets = &self.decision.time.as_ref()?.offsets;
        offsets.in_words()?;
        Some(format!(
            "days and months of questions are in UTC: `{} AT TIME ZONE '{}'`, or another zone, makes them local",
            self.name,
            offsets.zone()
        ))
    }

    /// Says what speaks for another type, if all of its times are days that are written without a time of the day.
    pub fn whole_days(&self) -> Option<String> {
        let time = self.decision.time.as_ref()?;
        let are_days = time.fits > 0 && time.whole_days == time.fits;
        are_days.then(|| {
            "days: `date` instead takes 4 bytes, not 8; they are `timestamp` since questions may compute with times, and \
             not with dates"
                .to_owned()
        })
    }

    /// Says why it has its type, with its own name where options name a column.
    pub fn why(&self) -> String {
        let own = format!("'{}=", self.name);
        self.decision.why.replace("'COLUMN=", &own)
    }

    /// Returns whether its name says that its values may be times, and they are of a type that cannot be.
    pub fn is_called_time(&self) -> bool {
        let is_text = self.decision.kind == ColumnType::Text;
        is_text && is_like_time(&self.name) && !self.is_part_of_time()
    }

    /// Returns whether its values are times of day or other parts of a time, such as months.
    pub fn is_part_of_time(&self) -> bool {
        let is_named = names::is_part_of_time(&self.name, self.evidence.different());
        self.decision.kind != ColumnType::Timestamp
            && (is_named || self.evidence.sequence.is_clock())
    }
}

impl SeenColumns {
    /// Returns the place of the column that is called so, in the file or in the table.
    ///
    /// # Errors
    /// There is none; the error names this option.
    pub fn find(&self, called: &str, option: &str) -> Result<usize> {
        let lower = called.trim().to_lowercase();
        let is_called = |column: &SeenColumn| {
            column.name == lower || column.written.trim().to_lowercase() == lower
        };
        let found = self.columns.iter().position(is_called);
        found.ok_or_else(|| {
            let names = self.columns.iter().map(|column| column.name.as_str());
            let hint = suggestion(&lower, names);
            Error::Usage(format!(
                "{option} {called}: the file has no such column{hint}"
            ))
        })
    }
}

/// Reads the whole file, and decides the type of each column.
///
/// # Errors
/// It cannot be read, or two of its columns have the same name.
pub fn see(path: &Path, rows: &FileRows, asked: &Asked) -> Result<SeenColumns> {
    thousands::check(rows, asked)?;
    let names = names::columns(&rows.names);
    let words = match rows.kinds() {
        Some(_) => Vec::new(),
        None => words_for_null(asked),
    };
    let mut said = said_formats(&names, rows, asked)?;
    let mut read = read_all(rows, &said, &words, asked)?;
    if read.broken * 2 > read.rows {
        let message = if rows.has_delimiter() {
            mostly_broken(rows.names.len(), &read)
        } else {
            format!("{} of {} lines cannot be read", read.broken, read.rows)
        };
        return Err(data_error(path, message));
    }
    let join = rows.join.as_ref();
    let joined = join.and_then(|join| {
        let evidence = read.evidence.pop();
        evidence.map(|evidence| together(join, rows, evidence))
    });
    let decimal_comma = decimal::comma(&names, rows, &read.evidence, asked);
    let thousands = match decimal_comma {
        Some(_) => asked.thousands.map(thousands::said),
        None => thousands::thousands(&names, rows, &read.evidence, asked),
    };
    let mut seen = SeenColumns {
        columns: Vec::new(),
        fields: names.clone(),
        left_out: rows.left_out.clone(),
        rows: read.rows,
        broken: read.broken,
        null: Vec::new(),
        decimal_comma,
        thousands,
        zone: asked.zone.clone(),
        notes: Vec::new(),
    };
    let lower: Vec<String> = { rows.names.iter() }
        .map(|name| name.trim().to_lowercase())
        .collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, name) in lower.iter().enumerate() {
        places.entry(name).or_default().push(index);
    }
    let columns = names.into_iter().zip(&rows.names).zip(read.evidence);
    for (index, ((name, written), evidence)) in columns.enumerate() {
        if let Some(why) = twice(path, rows, &lower, &places, index)? {
            seen.left_out.push(why);
            continue;
        }
        let is_time = is_time(&name, written, asked);
        let mut decision = match (&seen.decimal_comma, &seen.thousands) {
            (Some(_), _) => evidence.decide_with_comma(is_time),
            (None, Some((mark, _))) => evidence.decide_with_thousands(is_time, *mark),
            (None, None) => evidence.decide(is_time),
        };
        let is_known = is_time
            || names::is_part_of_time(&name, evidence.different())
            || evidence.since_1970().is_some();
        decision = quoted::decided(decision, rows.numbers(index), !is_known);
        if let Some(format) = said.remove(&index) {
            check_said(written, &format, &evidence, &decision)?;
        }
        if let Some(kinds) = rows.kinds() {
            let Some(kind) = kinds.get(index).copied().flatten() else {
                let why = format!(
                    "`{written}`, which is {}: no column of a workload can have it",
                    rows.stored_as(index)
                );
                seen.left_out.push(why);
                continue;
            };
            decision = as_stored(kind, decision);
            decision.why = rows.why_text(index).unwrap_or(decision.why);
        }
        seen.columns.push(SeenColumn {
            index,
            name,
            written: written.clone(),
            evidence,
            decision,
        });
    }
    if let (Some(join), Some(time)) = (join, joined) {
        let first = join.parts.first().copied().unwrap_or_default();
        let before = seen.columns.iter().filter(|column| column.index < first);
        let place = before.count();
        seen.columns.insert(place, time);
        seen.columns.retain(|column| !join.takes(column.index));
    }
    // A file with types has nulls of its own, and no words for them.
    if rows.kinds().is_none() {
        seen.null = null_words(&seen.columns, asked);
    }
    let mut all_notes = notes::on_lines(rows, asked);
    all_notes.extend(names::numbered(&rows.names, &seen.fields));
    all_notes.extend(decimal::note(seen.decimal_comma.as_ref(), asked));
    all_notes.extend(decimal::note_on_points(&seen, rows, asked));
    all_notes.extend(thousands::note(seen.thousands.as_ref(), asked));
    all_notes.extend(notes::on_columns(&seen, rows.has_delimiter()));
    seen.notes = all_notes;
    Ok(seen)
}

/// Returns the column of a time that is put together from others.
fn together(join: &Join, rows: &FileRows, evidence: Evidence) -> SeenColumn {
    let mut decision = evidence.decide(true);
    decision.why = format!("{} together, {}", join.in_words(), decision.why);
    SeenColumn {
        index: rows.names.len(),
        name: join.name.clone(),
        written: join.name.clone(),
        evidence,
        decision,
    }
}

/// Returns the words that stand for no value, unless they turn out to be texts.
pub fn words_for_null(asked: &Asked) -> Vec<String> {
    let usual = || NULL_WORDS.map(str::to_owned).to_vec();
    asked.null.clone().unwrap_or_else(usual)
}

/// What all rows of a file say.
struct ReadRows {
    /// Evidence of each column, and of the time that is put together from some.
    evidence: Vec<Evidence>,
    rows: u64,
    /// Rows with another number of fields than the first line, or that are not text.
    broken: u64,
    /// The numbers of such rows by their fields.
    lengths: BTreeMap<usize, u64>,
}

/// Reads all rows of a file, in which these words stand for no value. `said` are the forms of times that the user says,
/// by the number of their column.
fn read_all(
    rows: &FileRows,
    said: &BTreeMap<usize, TimeFormat>,
    words: &[String],
    asked: &Asked,
) -> Result<ReadRows> {
    let zone = asked.zone.as_ref();
    let columns = rows.names.len();
    let exactly = (DISTINCT_VALUES / columns.max(1)).clamp(16, DISTINCT_VALUES_OF_ONE);
    let new = |column: usize| {
        let said = said.get(&column).cloned();
        let evidence = Evidence::new(exactly, said).in_zone(zone);
        evidence.grouped_by(asked.thousands)
    };
    let joined = rows.join.iter();
    let joined =
        joined.map(|join| Evidence::new(exactly, join.forms.iter().cloned()).in_zone(zone));
    let mut read = ReadRows {
        evidence: (0..columns).map(new).chain(joined).collect(),
        rows: 0,
        broken: 0,
        lengths: BTreeMap::new(),
    };
    rows.visit(|seen| {
        read.rows += 1;
        match seen {
            Seen::Cells(line, cells) => {
                for (evidence, cell) in read.evidence.iter_mut().zip(cells) {
                    evidence.see(line, cell, words);
                }
            }
            Seen::Bad(fields) => {
                read.broken += 1;
                *read.lengths.entry(fields).or_default() += 1;
            }
        }
    })?;
    Ok(read)
}

/// Returns the type that the file itself gives to a column.
fn as_stored(kind: ColumnType, decision: Decision) -> Decision {
    Decision {
        kind,
        format: None,
        time: decision.time.filter(|_| kind == ColumnType::Timestamp),
        lacks_year: false,
        may_be_times: false,
        signs: None,
        misfits: 0,
        why: AS_STORED.to_owned(),
    }
}

/// Returns the words that have to be said to stand for no value, with how often they do.
fn null_words(columns: &[SeenColumn], asked: &Asked) -> Vec<(String, u64)> {
    let mut needed: BTreeMap<&String, u64> = BTreeMap::new();
    for column in columns {
        let evidence = &column.evidence;
        let all = asked.null.is_some() || evidence.needs_null_words(&column.decision);
        let certain = evidence.certain_null_words();
        let words = evidence.words.keys().filter(|_| all);
        for word in words.chain(certain) {
            needed.insert(word, 0);
        }
    }
    for column in columns {
        for (word, times) in &column.evidence.words {
            if let Some(all) = needed.get_mut(word) {
                *all += times;
            }
        }
    }
    let words = needed.into_iter();
    words.map(|(word, times)| (word.clone(), times)).collect()
}

/// Returns whether the numbers of a column may be times, by its name in the table or in the file.
fn is_time(name: &str, written: &str, asked: &Asked) -> bool {
    let is_asked = asked.time.as_ref().is_some_and(|time| {
        let time = time.trim().to_lowercase();
        time == name || time == written.trim().to_lowercase()
    });
    is_asked || is_like_time(name)
}

fn is_like_time(name: &str) -> bool {
    name.split('_').any(|word| LIKE_TIMES.contains(&word))
        || name.ends_with("time")
        || name.ends_with("date")
}

#[cfg(test)]
mod tests;
