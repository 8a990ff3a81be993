//! Names in the lines of JSON files.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::json::{content, lower, nested, parsed};
use super::lines::MAX_LINE_BYTES;
use super::part::Part;
use super::{data_error, read_error};
use crate::Result;

/// Most different names, each of which would be a column.
const MOST_NAMES: usize = 1 << 16;

/// Most bytes of all names together.
const MOST_BYTES: usize = 16 << 20;

/// Names in the lines that were looked at.
#[derive(Debug, Default)]
pub struct JsonKeys {
    /// In the order in which they were found.
    pub keys: Vec<JsonKey>,
    places: HashMap<String, usize>,
    bytes: usize,
    /// Lines with anything in them, and those of them that have no object.
    pub lines: u64,
    pub broken: u64,
    /// What is wrong with the first one of these, with its line.
    pub first_broken: Option<(u64, String)>,
}

/// A name in lines of JSON, where upper and lower case are the same.
#[derive(Debug)]
pub struct JsonKey {
    /// As it was first written.
    pub name: String,
    /// The first line in which its value has others in it, and what it is there.
    pub nested: Option<(u64, &'static str)>,
    pub numbers: JsonNumbers,
}

/// How the numbers of a name are written: as such, or as texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JsonNumbers {
    /// Those that are no texts.
    pub bare: u64,
    /// Those that are texts.
    pub texts: u64,
    /// Texts that begin with a `+`.
    pub with_plus: u64,
    /// Texts of several digits, the first of which is a zero.
    pub with_zero: u64,
    /// Texts of digits alone, with the digits of the shortest and of the longest one.
    pub of_digits: u64,
    pub shortest: usize,
    pub longest: usize,
}

impl JsonNumbers {
    /// Looks at a value as it is written, which may be no number.
    fn see(&mut self, written: &str) {
        let text = written.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
        let Some(text) = text.map(str::trim) else {
            let is_number = written.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            self.bare += u64::from(is_number);
            return;
        };
        let has_digits = text.contains(|c: char| c.is_ascii_digit());
        if !has_digits || text.parse::<f64>().is_err() {
            return;
        }
        self.texts += 1;
        self.with_plus += u64::from(text.starts_with('+'));
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let digits = text.len();
            self.with_zero += u64::from(digits > 1 && text.starts_with('0'));
            self.shortest = match self.of_digits {
                0 => digits,
                _ => self.shortest.min(digits),
            };
            self.longest = self.longest.max(digits);
            self.of_digits += 1;
        }
    }
}

impl JsonKeys {
    /// Reads files until all `wanted` names were found, which are in lower case; all lines if none is wanted.
    ///
    /// # Errors
    /// A file cannot be read, or has no lines; or its first line shows that rows are no lines of it.
    pub fn read(parts: &[Part], wanted: &[String]) -> Result<JsonKeys> {
        let mut keys = JsonKeys::default();
        for part in parts {
            let before = keys.lines;
            keys.read_part(part, wanted)?;
            if keys.lines == before {
                return Err(data_error(
                    &part.path,
                    "the file is empty: it has no line of JSON",
                ));
            }
            if keys.has_all(wanted) {
                break;
            }
        }
        Ok(keys)
    }

    fn has_all(&self, wanted: &[String]) -> bool {
        !wanted.is_empty() && wanted.iter().all(|name| self.places.contains_key(name))
    }

    fn read_part(&mut self, part: &Part, wanted: &[String]) -> Result<()> {
        let failed = |error: io::Error| read_error(&part.path, error);
        let mut text = part.open_unpacked().map_err(failed)?;
        let (mut line, mut number, mut is_first) = (Vec::new(), 0, true);
        loop {
            line.clear();
            let mut limited = text.by_ref().take(MAX_LINE_BYTES as u64 + 1);
            let read = limited.read_until(b'\n', &mut line).map_err(failed)?;
            if read == 0 {
                return Ok(());
            }
            number += 1;
            let found = content(&line);
            // A list may be one line of any length.
            if is_first && let Some(message) = no_lines(found) {
                return Err(data_error(&part.path, message));
            }
            if read > MAX_LINE_BYTES {
                let message = format!(
                    "line {number} takes more than {} MiB; rows are read from one object of JSON on each line",
                    MAX_LINE_BYTES >> 20
                );
                return Err(data_error(&part.path, message));
            }
            if found.is_empty() {
                continue;
            }
            is_first = false;
            self.see(number, found);
            if self.keys.len() > MOST_NAMES || self.bytes > MOST_BYTES {
                let message = format!(
                    "its lines have more than {MOST_NAMES} different names, or very long ones: a name has to be that \
                     of a column, and no value"
                );
                return Err(data_error(&part.path, message));
            }
            if self.has_all(wanted) {
                return Ok(());
            }
        }
    }

    /// Looks at a line.
    fn see(&mut self, number: u64, line: &[u8]) {
        self.lines += 1;
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8 text".to_owned());
        let seen = text.and_then(|text| parsed(text, Names)).and_then(no_twins);
        match seen {
            Err(why) => {
                self.broken += 1;
                self.first_broken.get_or_insert((number, why));
            }
            Ok(names) => {
                for (name, written) in names {
                    self.add(name, number, written);
                }
            }
        }
    }

    /// Adds a name with its value as it is written in a line.
    fn add(&mut self, name: String, number: u64, written: &str) {
        let lower = lower(&name);
        let nested = nested(written).map(|what| (number, what));
        let known = match self.places.get(&lower) {
            Some(place) => &mut self.keys[*place],
            None => {
                self.bytes += name.len();
                let place = self.keys.len();
                self.places.insert(lower, place);
                self.keys.push(JsonKey {
                    name,
                    nested: None,
                    numbers: JsonNumbers::default(),
                });
                &mut self.keys[place]
            }
        };
        known.nested = known.nested.or(nested);
        known.numbers.see(written);
    }
}

/// Returns what is wrong with a file whose first line shows that its rows are not its lines.
fn no_lines(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(b"[") {
        return Some(
            "it is a list of JSON, and rows are read from one object on each line: \
             `jq -c '.[]' FILE > NEW.jsonl` makes that of a list of objects",
        );
    }
    (first == b"{").then_some(
        "its first line is no whole object, and rows are read from one object on each line: \
         `jq -c . FILE > NEW.jsonl` makes that",
    )
}

/// A name, and its value as it is written.
type NameOfLine<'l> = (String, &'l str);

/// Returns the names of a line, if no two of them are the same.
fn no_twins(names: Vec<NameOfLine<'_>>) -> Result<Vec<NameOfLine<'_>>, String> {
    let mut sorted: Vec<String> = names.iter().map(|(name, _)| lower(name)).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("`{}` is in it twice", pair[0])),
        None => Ok(names),
    }
}

/// Reads the names of an object, with the values as they are written.
struct Names;

impl<'de> DeserializeSeed<'de> for Names {
    type Value = Vec<NameOfLine<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Names {
    type Value = Vec<NameOfLine<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut names: Self::Value = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if names.len() > MOST_NAMES {
                return Err(M::Error::custom("it has too many names"));
            }
            let value: &'de RawValue = map.next_value()?;
            names.push((name, value.get()));
        }
        Ok(names)
    }
}
