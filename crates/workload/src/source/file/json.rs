//! Objects of JSON, one on each line, as records of text.
//!
//! A line becomes one record with the wanted fields of its object. Bytes that no text in UTF-8 has separate the fields
//! and end the records, so that nothing in a text has to be quoted, and each record is one line.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Byte between the fields of a record.
pub const FIELD_END: u8 = 0xfe;

/// Byte at the end of a record.
pub const RECORD_END: u8 = 0xff;

/// Byte around a field that is quoted: only one that is empty and alone, so that its record is none of no fields.
pub const QUOTE: u8 = 0xfd;

/// Fields that are read of each object.
#[derive(Debug)]
pub struct JsonFields {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl JsonFields {
    /// Takes their names, which are in lower case.
    pub fn new(names: Vec<String>) -> JsonFields {
        let places = names.iter().cloned().enumerate();
        JsonFields {
            places: places.map(|(place, name)| (name, place)).collect(),
            names,
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        let found = self.places.get(name).copied();
        found.or_else(|| self.places.get(&lower(name)).copied())
    }

    /// Writes the record of a line: its fields or, if it has no object that can be read, another number of fields, of
    /// which the first one says why and the second one is the line. Writes an empty record for an empty line.
    pub fn write(&self, line: &[u8], out: &mut Vec<u8>) {
        let line = content(line);
        if !line.is_empty() {
            let start = out.len();
            if let Err(reason) = self.write_fields(line, out) {
                out.truncate(start);
                out.extend_from_slice(reason.as_bytes());
                out.push(FIELD_END);
                out.extend_from_slice(String::from_utf8_lossy(line).as_bytes());
                if self.names.len() == 2 {
                    out.push(FIELD_END);
                }
            }
        }
        out.push(RECORD_END);
    }

    fn write_fields(&self, line: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8 text".to_owned())?;
        let values = parsed(text, Object { fields: self })?;
        let start = out.len();
        for (index, (value, name)) in values.iter().zip(&self.names).enumerate() {
            if index > 0 {
                out.push(FIELD_END);
            }
            let Some(value) = value else { continue };
            let written = value.get();
            match nested(written) {
                None => write_value(written, out).map_err(|why| format!("`{name}`: {why}"))?,
                Some(what) => return Err(format!("`{name}` is {what}, which no column can have")),
            }
        }
        if out.len() == start {
            out.extend_from_slice(&[QUOTE, QUOTE]);
        }
        Ok(())
    }
}

/// Returns a name as it is compared.
pub fn lower(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Returns a line without its end, spaces around it, and a mark at its beginning.
pub fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    line.trim_ascii()
}

/// Returns what a value is that has others in it.
pub fn nested(written: &str) -> Option<&'static str> {
    match written.as_bytes().first() {
        Some(b'{') => Some("an object"),
        Some(b'[') => Some("a list"),
        _ => None,
    }
}

/// Writes a value as a field: nothing for null, and numbers as they are written, so that no digit is lost.
fn write_value(written: &str, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let inner = written.strip_prefix('"').and_then(|w| w.strip_suffix('"'));
    match inner {
        Some(plain) if !plain.contains('\\') => out.extend_from_slice(plain.as_bytes()),
        Some(_) => {
            let text = serde_json::from_str::<String>(written);
            let text = text.map_err(|_| "its text has half of a character")?;
            out.extend_from_slice(text.as_bytes());
        }
        None if written == "null" => {}
        None => out.extend_from_slice(written.as_bytes()),
    }
    Ok(())
}

/// Reads the object of a line.
///
/// # Errors
/// The line has none; the reason is for the user.
pub fn parsed<'de, S: DeserializeSeed<'de>>(line: &'de str, seed: S) -> Result<S::Value, String> {
    let mut deserializer = serde_json::Deserializer::from_str(line);
    let value = seed.deserialize(&mut deserializer);
    let ended = value.and_then(|value| deserializer.end().map(|()| value));
    ended.map_err(|error| {
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        format!("not a JSON object: {words} at character {}", error.column())
    })
}

/// Reads the wanted values of an object.
struct Object<'f> {
    fields: &'f JsonFields,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Vec<Option<&'de RawValue>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut values: Vec<Option<&RawValue>> = vec![None; self.fields.names.len()];
        while let Some(place) = map.next_key_seed(Name {
            fields: self.fields,
        })? {
            let Some(place) = place else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: &RawValue = map.next_value()?;
            if values[place].replace(value).is_some() {
                let name = &self.fields.names[place];
                return Err(M::Error::custom(format!("`{name}` is in it twice")));
            }
        }
        Ok(values)
    }
}

/// Finds the place of a field by its name.
struct Name<'f> {
    fields: &'f JsonFields,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.fields.place(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the fields of the record of a line.
    fn record(names: &[&str], line: &[u8]) -> Vec<String> {
        let names = names.iter().map(|name| (*name).to_owned());
        let mut out = Vec::new();
        JsonFields::new(names.collect()).write(line, &mut out);
        let record = out.strip_suffix(&[RECORD_END]).unwrap();
        let fields = record.split(|byte| *byte == FIELD_END);
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        fields.map(text).collect()
    }

    #[test]
    fn values_are_written_as_they_are() {
        let line = br#" {"B": 12345678901234567890123, "x": [1], "a":"p\nq, \"r\"", "c":null} "#;
        let fields = record(&["a", "b", "c", "d"], line);
        assert_eq!(fields, ["p\nq, \"r\"", "12345678901234567890123", "", ""]);
        assert_eq!(
            record(&["a", "b"], b"{\"a\":true,\"b\":1.50}\r\n"),
            ["true", "1.50"]
        );
        let marked = record(&["a", "b"], "\u{feff}{\"a\":1}".as_bytes());
        assert_eq!(marked, ["1", ""]);
        assert_eq!(record(&["a", "b"], b" \r\n"), [""]);
        let alone = record(&["a"], b"{}")[0].len();
        assert!(alone > 0, "a row without its only value is a row");
    }

    #[test]
    fn lines_that_cannot_be_read_say_why_and_have_another_number_of_fields() {
        let cases: [(&[u8], &str); 8] = [
            (b"{\"a\":1", "not a JSON object: EOF while parsing"),
            (
                b"{\"a\":NaN}",
                "not a JSON object: expected value at character",
            ),
            (b"[1,2]", "not a JSON object: invalid type: sequence"),
            (
                b"{\"a\":1} {\"a\":2}",
                "not a JSON object: trailing characters",
            ),
            (
                b"{\"a\":1,\"A\":2}",
                "not a JSON object: `a` is in it twice",
            ),
            (
                b"{\"a\":{\"b\":1}}",
                "`a` is an object, which no column can have",
            ),
            (
                b"{\"a\":\"\\ud800\"}",
                "`a`: its text has half of a character",
            ),
            (b"{\"a\":\"\xff\"}", "not UTF-8 text"),
        ];
        for (line, why) in cases {
            for names in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
                let fields = record(names, line);
                assert_ne!(fields.len(), names.len());
                assert!(fields[0].starts_with(why), "{fields:?}");
                assert!(fields[1].contains('a') || line == b"[1,2]", "{fields:?}");
            }
        }
    }
}
