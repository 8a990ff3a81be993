//! Generates JSON documents.

use std::fmt::Write;
use std::ops::RangeInclusive;

use jiff::Timestamp;

use super::draw::{Draw, Texts};
use super::vocabulary::VOCABULARY;
use crate::Stream;

/// Objects with a number of members in this range. As in most collections of documents, the first
/// members of all documents have the same names and types.
pub struct Json(pub RangeInclusive<u32>);

/// Names of members; after the last one they start again, with a number.
const MEMBERS: [(&str, Member); 12] = [
    ("id", Member::Integer { below: 1 << 40 }),
    ("name", Member::Words { most: 3 }),
    ("active", Member::Boolean),
    ("score", Member::Real),
    ("created", Member::Time),
    ("tags", Member::List),
    ("count", Member::Integer { below: 1000 }),
    ("description", Member::Words { most: 15 }),
    ("parent", Member::Nullable),
    ("ratio", Member::Real),
    ("kind", Member::Words { most: 1 }),
    ("place", Member::Coordinates),
];

/// Bytes of the longest member: a description with its name, or a list.
const MOST_BYTES_OF_A_MEMBER: u64 = 300;

enum Member {
    Integer { below: u64 },
    Words { most: u64 },
    Boolean,
    Real,
    Time,
    List,
    Nullable,
    Coordinates,
}

impl Texts for Json {
    fn append(&self, mut draw: Draw, out: &mut String) {
        out.push('{');
        for number in 0..draw.length(&self.0) {
            if number > 0 {
                out.push(',');
            }
            let (name, member) = &MEMBERS[number % MEMBERS.len()];
            // Writing to a string cannot fail.
            let _ = match number / MEMBERS.len() {
                0 => write!(out, "\"{name}\":"),
                again => write!(out, "\"{name}_{}\":", again + 1),
            };
            member.append(&mut draw.stream, out);
        }
        out.push('}');
    }

    fn most_bytes(&self) -> u64 {
        2 + u64::from(*self.0.end()) * MOST_BYTES_OF_A_MEMBER
    }
}

impl Member {
    fn append(&self, stream: &mut Stream, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Member::Integer { below } => write!(out, "{}", stream.below(*below)),
            Member::Words { most } => {
                append_words(1 + stream.below(*most), stream, out);
                Ok(())
            }
            Member::Boolean => write!(out, "{}", stream.chance(0.5)),
            Member::Real => write!(out, "{:.4}", stream.unit() * 100.0),
            Member::Time => write!(out, "\"{}\"", time(stream)),
            Member::List => {
                append_list(stream.below(4), stream, out);
                Ok(())
            }
            Member::Nullable if stream.chance(0.5) => write!(out, "null"),
            Member::Nullable => write!(out, "{}", stream.below(1 << 40)),
            Member::Coordinates => {
                let (latitude, longitude) = (stream.unit() * 180.0, stream.unit() * 360.0);
                let (latitude, longitude) = (latitude - 90.0, longitude - 180.0);
                write!(out, "{{\"lat\":{latitude:.5},\"lon\":{longitude:.5}}}")
            }
        };
    }
}

/// Appends words in quotes; they have no character that JSON escapes.
fn append_words(words: u64, stream: &mut Stream, out: &mut String) {
    out.push('"');
    VOCABULARY.append(words as usize, stream, out);
    out.pop();
    out.push('"');
}

fn append_list(items: u64, stream: &mut Stream, out: &mut String) {
    out.push('[');
    for item in 0..items {
        if item > 0 {
            out.push(',');
        }
        append_words(1, stream, out);
    }
    out.push(']');
}

/// Draws a second of the years 2000 to 2031.
fn time(stream: &mut Stream) -> Timestamp {
    const FIRST_SECOND: i64 = 946_684_800;
    let second = FIRST_SECOND + stream.below(1_000_000_000) as i64;
    Timestamp::from_second(second).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_objects_with_as_many_members_as_asked() {
        let law = Json(0..=30);
        let mut sizes = Vec::new();
        for row in 0..500 {
            let mut out = String::new();
            let draw = Draw {
                row,
                second: false,
                stream: Stream::new(&[1, row]),
            };
            law.append(draw, &mut out);
            assert!(out.len() as u64 <= law.most_bytes(), "{out}");
            let value: serde_json::Value = serde_json::from_str(&out).unwrap();
            sizes.push(value.as_object().unwrap().len());
        }
        assert_eq!(sizes.iter().min(), Some(&0));
        assert_eq!(sizes.iter().max(), Some(&30));
    }
}
