//! Positions in a workload file, and suggestions for what was probably meant.

use std::ops::Range;
use std::path::Path;

use crate::Error;

/// The text of a workload file, for turning byte offsets into errors with line and column.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl Text<'_> {
    /// Makes an error with the line and column at which a span begins.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        let (line, column) = self.line_and_column(span.start);
        Error::Workload {
            path: self.path.to_owned(),
            line,
            column,
            message: message.into(),
        }
    }

    /// Returns line and column, both counted from 1, the column in characters.
    pub fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// Returns the byte offset of a line and column, as the inverse of [`Text::line_and_column`].
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let line_start: usize = self
            .text
            .split_inclusive('\n')
            .take(line - 1)
            .map(str::len)
            .sum();
        let line_text = &self.text[line_start..];
        line_start
            + line_text
                .char_indices()
                .nth(column - 1)
                .map_or(line_text.len(), |(at, _)| at)
    }
}

/// Returns "; did you mean `x`?" if a candidate is near to `word`, and otherwise the candidates if
/// they are few.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    const LISTED: usize = 12;
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("; did you mean `{candidate}`?"),
        None if candidates.is_empty() || candidates.len() > LISTED => String::new(),
        None => format!("; there are {}", quoted(&candidates)),
    }
}

/// Returns the candidate that is nearest to `word`, if it is so near that it was probably meant. Very long
/// words are not compared, which would take time and memory with the product of their lengths.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST_BYTES: usize = 100;
    if word.len() > LONGEST_BYTES {
        return None;
    }
    let tolerated = (word.chars().count() / 3).max(1);
    let distance = |candidate: &str| {
        strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase())
    };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST_BYTES)
        .map(|candidate| (distance(candidate), candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= tolerated)
        .map(|(_, candidate)| candidate)
}

/// Returns the words as a list: `a`, `b`, `c`.
pub fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_convert_both_ways() {
        let text = Text {
            path: Path::new("x"),
            text: "äö = 1\nb = 2\n",
        };
        let one = text.text.find('1').unwrap();
        assert_eq!(text.line_and_column(one), (1, 6));
        assert_eq!(text.offset(1, 6), one);
        assert_eq!(text.line_and_column(text.text.len()), (3, 1));
    }

    #[test]
    fn suggestions_are_near_or_a_short_list() {
        assert_eq!(
            suggestion("partition_keys", ["partition_key", "name"]),
            "; did you mean `partition_key`?"
        );
        assert_eq!(suggestion("zzz", ["a", "b"]), "; there are `a`, `b`");
        assert_eq!(suggestion("zzz", []), "");
    }
}
