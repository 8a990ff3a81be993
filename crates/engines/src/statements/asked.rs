//! A statement of an application as a question of a workload: with the names that the workload has, and with values
//! that are drawn where the statement has markers, or constants that made rows lack.

use std::collections::HashSet;

use bakeoff_workload::infer::AskedQuestion;
use bakeoff_workload::{ColumnType, uuids};

use super::asking::{Asking, Language};
use super::comparisons::{Bound, Comparison, comparisons};
use super::depth::too_deep;
use super::moments::{day_literal, milliseconds, time_literal, window};
use super::number_range::{DrawnBound, NumberRange, number_ranges};
use super::words::{is, is_sign, marker_length, name, words};
use crate::dialect::tokens::{Kind, Token, tokens};
use crate::sql_check::complaint;

/// Different values of a list of any length.
const LISTED: u32 = 3;

/// Returns a statement as a question about the table.
///
/// # Errors
/// Says why it cannot be one.
pub fn question(sql: &str, asking: &Asking<'_>) -> Result<AskedQuestion, String> {
    if let Some(why) = complaint(sql) {
        return Err(why);
    }
    let (Some(all), Some(words)) = (tokens(sql), words(sql)) else {
        return Err("a text, a name or a comment in it does not end".to_owned());
    };
    if let Some(why) = too_deep(&words) {
        return Err(why);
    }
    let is_limited = |at: usize| is(words.get(at), "per") && is(words.get(at + 1), "partition");
    if asking.language == Language::Cql && (0..words.len()).any(is_limited) {
        return Err(
            "PER PARTITION LIMIT is only in CQL: number the rows with row_number() in a question of the workload"
                .to_owned(),
        );
    }
    let places = all
        .iter()
        .enumerate()
        .filter(|(_, token)| token.is_meaningful());
    let mut rewriting = Rewriting {
        asking,
        places: places.map(|(place, _)| place).collect(),
        texts: all.iter().map(text).collect(),
        words,
        parameters: Vec::new(),
        taken: HashSet::new(),
        about: Vec::new(),
    };
    let comparisons = comparisons(&rewriting.words, asking);
    rewriting.rename();
    rewriting.draw(&comparisons)?;
    rewriting.write_limits();
    rewriting.check_markers(&comparisons)?;
    if asking.language == Language::Cql {
        rewriting.leave_out_filtering();
        rewriting.order(&comparisons);
    }
    let sql = rewriting.texts.concat();
    Ok(AskedQuestion {
        name: None,
        sql: sql.trim().trim_end_matches(';').trim_end().to_owned(),
        parameters: rewriting.parameters,
        about: rewriting.about,
    })
}

/// Returns the text of a token, of a comment a space.
fn text(token: &Token<'_>) -> String {
    match token.kind {
        Kind::Comment => " ".to_owned(),
        _ => token.text.to_owned(),
    }
}

/// A statement while it becomes a question.
struct Rewriting<'a> {
    asking: &'a Asking<'a>,
    words: Vec<Token<'a>>,
    /// Where each word is among the texts.
    places: Vec<usize>,
    /// The texts of all tokens, white space too.
    texts: Vec<String>,
    parameters: Vec<String>,
    /// Names of parameters so far.
    taken: HashSet<String>,
    about: Vec<String>,
}

impl Rewriting<'_> {
    /// Writes other text for the words from one to before another one.
    fn put(&mut self, begin: usize, end: usize, text: String) {
        let (Some(first), Some(last)) = (self.places.get(begin), self.places.get(end - 1)) else {
            return;
        };
        for place in *first..=*last {
            self.texts[place].clear();
        }
        self.texts[*first] = text;
    }

    /// Gives the table and its columns the names that they have in the workload.
    fn rename(&mut self) {
        let found = self.asking.found;
        for at in 0..self.words.len() {
            let called = name(self.words.get(at));
            if called.as_deref() == Some(self.asking.table) {
                let mut first = at;
                while first >= 2
                    && is_sign(self.words.get(first - 1), '.')
                    && name(self.words.get(first - 2)).is_some()
                {
                    first -= 2;
                }
                let before = first
                    .checked_sub(1)
                    .and_then(|before| self.words.get(before));
                let is_asked = is(before, "from") || is(before, "join");
                if is_asked || is_sign(self.words.get(at + 1), '.') {
                    self.put(first, at + 1, found.table.clone());
                    continue;
                }
            }
            let token = self.words[at];
            let is_call = is_sign(self.words.get(at + 1), '(');
            let column = { self.asking.column(&token) }.filter(|_| !is_call);
            if let Some(place) = column {
                let plain = &found.columns[place].name;
                if token.kind == Kind::Name || token.text.to_lowercase() != *plain {
                    self.put(at, at + 1, plain.clone());
                }
            }
        }
    }

    /// Draws values where there are markers, or constants that made rows lack; writes other constants as the types of
    /// their columns need it.
    ///
    /// # Errors
    /// Says which of them cannot be drawn.
    fn draw(&mut self, comparisons: &[Comparison]) -> Result<(), String> {
        let mut together = Vec::new();
        if let Some(([begin, end], length)) = self.window(comparisons) {
            let column = self.column_name(comparisons[begin].column);
            let called = self.free_name("span");
            let bounds = [(begin, "begin"), (end, "end")];
            for (index, side) in bounds {
                let value = comparisons[index].value.clone();
                self.put(value.start, value.end, format!("${{{called}.{side}}}"));
            }
            let parameter =
                format!("{called} = {{ window = \"{length}\", column = \"{column}\" }}");
            self.parameters.push(parameter);
            together.extend([begin, end]);
        }
        let bounds = comparisons.iter().map(|comparison| DrawnBound {
            comparison,
            is_drawn: self.is_drawn(comparison),
            constant: self.constant(comparison),
        });
        let bounds: Vec<DrawnBound<'_>> = bounds.collect();
        for range in number_ranges(&self.words, self.asking, &bounds)? {
            self.draw_range(comparisons, &range);
            together.extend([range.begin, range.end]);
        }
        let mut draws = !together.is_empty();
        for (index, comparison) in comparisons.iter().enumerate() {
            if together.contains(&index) {
                continue;
            }
            if self.is_drawn(comparison) {
                self.draw_one(comparison);
                draws = true;
            } else {
                self.write_constant(comparison);
            }
        }
        if draws {
            let made = self.asking.found.made.is_some();
            let what = if made {
                "Values of conditions are"
            } else {
                "Bound values are"
            };
            self.about.push(format!(
                "{what} drawn from the rows, not those of the statement."
            ));
        }
        Ok(())
    }

    /// Returns whether the value of a comparison is drawn from the rows.
    fn is_drawn(&self, comparison: &Comparison) -> bool {
        let (asking, column) = (self.asking, comparison.column);
        let is_equal = matches!(comparison.bound, Bound::Equal | Bound::List);
        let kind = asking.kind(column);
        let is_time = matches!(kind, ColumnType::Timestamp | ColumnType::Date);
        let is_made = asking.found.made.is_some();
        comparison.is_marker || is_made && (is_equal || is_time || asking.is_key(column))
    }

    /// Returns two comparisons that are the window of a time whose bounds are drawn, with its length.
    fn window(&self, comparisons: &[Comparison]) -> Option<([usize; 2], String)> {
        let of = |bound: Bound, column: Option<usize>| {
            comparisons.iter().position(|comparison| {
                comparison.bound == bound
                    && column.is_none_or(|column| column == comparison.column)
                    && self.asking.kind(comparison.column) == ColumnType::Timestamp
                    && self.is_drawn(comparison)
            })
        };
        let begin = of(Bound::Lower, None)?;
        let end = of(Bound::Upper, Some(comparisons[begin].column))?;
        let time = |index: usize| {
            let comparison = &comparisons[index];
            let text = self.constant(comparison)?;
            milliseconds(&text, self.asking.language)
        };
        Some(([begin, end], window(time(begin), time(end))))
    }

    /// Draws the lower bound of a range, above which the upper one is.
    fn draw_range(&mut self, comparisons: &[Comparison], range: &NumberRange) {
        let (lower, upper) = (&comparisons[range.begin], &comparisons[range.end]);
        let column = self.column_name(lower.column);
        let called = self.free_name(&column);
        let above = format!("${{{called}}} + {}", range.length);
        self.put(lower.value.start, lower.value.end, format!("${{{called}}}"));
        self.put(upper.value.start, upper.value.end, above);
        self.parameters
            .push(format!("{called} = {{ column = \"{column}\" }}"));
    }

    fn draw_one(&mut self, comparison: &Comparison) {
        let column = self.column_name(comparison.column);
        let called = self.free_name(&column);
        let value = comparison.value.clone();
        let (text, parameter) = match comparison.bound {
            Bound::List => (
                format!("(${{{called}}})"),
                format!("{called} = {{ column = \"{column}\", distinct = {LISTED} }}"),
            ),
            _ => (
                format!("${{{called}}}"),
                format!("{called} = {{ column = \"{column}\" }}"),
            ),
        };
        self.put(value.start, value.end, text);
        self.parameters.push(parameter);
    }

    /// Writes a constant as the type of its column needs it: times in UTC, and numbers without quotes.
    fn write_constant(&mut self, comparison: &Comparison) {
        let Some(text) = self.constant(comparison) else {
            return;
        };
        let written = match self.asking.kind(comparison.column) {
            ColumnType::Timestamp => time_literal(&text, self.asking.language),
            ColumnType::Date => day_literal(&text),
            // In lower case, as it is read.
            ColumnType::Uuid => uuids::in_any_spelling(&text).map(|uuid| format!("'{uuid}'")),
            kind if kind.is_number() => text
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map(|_| text.trim().to_owned()),
            _ => None,
        };
        if let Some(written) = written {
            let value = comparison.value.clone();
            self.put(value.start, value.end, written);
        }
    }

    /// Writes numbers of rows without quotes, in which logs have values that were bound.
    fn write_limits(&mut self) {
        for at in 1..self.words.len() {
            let before = self.words.get(at - 1);
            let token = self.words[at];
            let inside = token.text.trim_matches('\'');
            let is_number = !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
            let is_limit = is(before, "limit") || is(before, "offset");
            if token.kind == Kind::Text && is_number && is_limit {
                self.put(at, at + 1, inside.to_owned());
            }
        }
    }

    /// Returns the constant of a comparison without quotes; `None` if it is a marker.
    fn constant(&self, comparison: &Comparison) -> Option<String> {
        let mut of_value = self.words[comparison.value.clone()].iter();
        let is_negative = is_sign(self.words.get(comparison.value.start), '-');
        let sign = if is_negative { "-" } else { "" };
        let token = of_value.find(|token| matches!(token.kind, Kind::Text | Kind::Number))?;
        if comparison.is_marker {
            return None;
        }
        match token.kind {
            Kind::Number => Some(format!("{sign}{}", token.text)),
            _ => {
                let inside = token.text.strip_prefix('\'')?.strip_suffix('\'')?;
                Some(inside.replace("''", "'"))
            }
        }
    }

    fn column_name(&self, place: usize) -> String {
        self.asking.found.columns[place].name.clone()
    }

    /// Returns a name for a parameter that no other one has.
    fn free_name(&mut self, wanted: &str) -> String {
        let mut free = wanted.to_owned();
        let mut number = 1;
        while !self.taken.insert(free.clone()) {
            number += 1;
            free = format!("{wanted}_{number}");
        }
        free
    }

    /// Checks that a value is drawn for each marker.
    fn check_markers(&self, comparisons: &[Comparison]) -> Result<(), String> {
        let is_known = |at: usize| comparisons.iter().any(|of| of.value.contains(&at));
        let unknown = (0..self.words.len())
            .find(|at| marker_length(&self.words, *at).is_some() && !is_known(*at));
        match unknown {
            None => Ok(()),
            Some(at) => {
                let before = at.checked_sub(1).and_then(|before| self.words.get(before));
                let behind = before.map_or("its beginning", |token| token.text);
                Err(format!(
                    "the value of its marker behind `{behind}` is not known, since it is compared with no column: \
                     write a value there"
                ))
            }
        }
    }

    /// Leaves `ALLOW FILTERING` out, which engines need not be told.
    fn leave_out_filtering(&mut self) {
        for at in 0..self.words.len() {
            if is(self.words.get(at), "allow") && is(self.words.get(at + 1), "filtering") {
                self.put(at, at + 2, String::new());
            }
        }
    }

    /// Names the order in which CQL returns the rows of a partition, where a LIMIT leaves some of them out.
    fn order(&mut self, comparisons: &[Comparison]) {
        let found = self.asking.found;
        let limit = (0..self.words.len()).find(|at| is(self.words.get(*at), "limit"));
        let has_order = (0..self.words.len())
            .any(|at| is(self.words.get(at), "order") && is(self.words.get(at + 1), "by"));
        let is_given = |column: &String| {
            // Of the values of a list each has a partition of its own.
            let mut all = comparisons.iter().filter(|of| {
                let before = of.value.start.checked_sub(1);
                is_sign(before.and_then(|before| self.words.get(before)), '=')
            });
            all.any(|of| of.bound == Bound::Equal && found.columns[of.column].name == *column)
        };
        let is_of_partition = found.partition_key.iter().all(is_given);
        let Some(limit) = limit.filter(|_| !has_order && is_of_partition) else {
            return;
        };
        if found.order_key.is_empty() {
            return;
        }
        let Some(descending) = &self.asking.descending else {
            return;
        };
        let direction = |column: &String| {
            if descending.contains(column) {
                " DESC"
            } else {
                ""
            }
        };
        let order: Vec<String> = { found.order_key.iter() }
            .map(|column| format!("{column}{}", direction(column)))
            .collect();
        self.put(
            limit,
            limit + 1,
            format!("ORDER BY {} LIMIT", order.join(", ")),
        );
    }
}

#[cfg(test)]
mod tests;
