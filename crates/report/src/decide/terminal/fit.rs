//! Fits text into a number of columns. Names come from outside: they may be long or wide, or have characters
//! that move the cursor.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const MORE: &str = "…";

/// Returns the text as one line, without anything that moves the cursor or changes the writing direction.
pub fn clean(text: &str) -> String {
    let is_harmful = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let cleaned: String = text
        .chars()
        .map(|c| if is_harmful(c) { ' ' } else { c })
        .collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn columns(text: &str) -> usize {
    text.width()
}

/// Returns the text, cut to what fits with an ellipsis at its end.
pub fn clip(text: &str, width: usize) -> String {
    let text = clean(text);
    if columns(&text) <= width {
        return text;
    }
    head(&text, width.saturating_sub(1)).trim_end().to_owned() + MORE
}

/// Cuts a name in its middle, since designs differ at their ends.
pub fn shorten(name: &str, width: usize) -> String {
    let name = clean(name);
    if columns(&name) <= width || width < 5 {
        return clip(&name, width);
    }
    let room = width - 1;
    let end: String = name.chars().rev().collect();
    let end: String = head(&end, room / 2).chars().rev().collect();
    format!("{}{MORE}{end}", head(&name, room - room / 2))
}

/// Wraps text into no more than `most` lines, broken between words; a word that is wider than a line is broken
/// anywhere. Text that does not fit is replaced by an ellipsis.
pub fn wrap(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in clean(text).split(' ').flat_map(|word| pieces(word, width)) {
        let needed = columns(&line) + usize::from(!line.is_empty()) + columns(&word);
        if needed > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += &word;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = head(last, width.saturating_sub(2))
                .trim_end_matches([' ', ';', ','])
                .to_owned()
                + " …";
        }
    }
    lines
}

/// Wraps a list, with semicolons between its items, into no more than `most` lines. Items that do not fit are
/// counted rather than cut, but for the first one.
pub fn wrap_list(items: &[String], width: usize, most: usize) -> Vec<String> {
    wrap_items(
        items,
        |more| format!("; and {more} more"),
        "; ",
        width,
        most,
    )
}

/// Wraps sentences into no more than `most` lines, as [`wrap_list`] does with a list.
pub fn wrap_sentences(items: &[String], width: usize, most: usize) -> Vec<String> {
    wrap_items(items, |more| format!(" And {more} more."), " ", width, most)
}

fn wrap_items(
    items: &[String],
    more: impl Fn(usize) -> String,
    separator: &str,
    width: usize,
    most: usize,
) -> Vec<String> {
    let text = |shown: usize| {
        let mut text = items[..shown].join(separator);
        if shown < items.len() {
            text += &more(items.len() - shown);
        }
        text
    };
    let fits = |shown: &usize| wrap(&text(*shown), width, usize::MAX).len() <= most;
    let shown = (1..=items.len()).rev().find(fits);
    match (shown, items) {
        (Some(shown), _) => wrap(&text(shown), width, most),
        (None, [first, ..]) => wrap(first, width, most),
        (None, []) => Vec::new(),
    }
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while columns(rest) > width {
        let piece = head(rest, width);
        // A character wider than the line still has to go somewhere.
        let length = piece
            .len()
            .max(rest.chars().next().map_or(0, char::len_utf8));
        pieces.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    pieces.push(rest.to_owned());
    pieces
}

/// Returns the longest beginning of a text that is no wider than `width` columns.
fn head(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > width {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(clip("日本語", 5), "日本…");
        assert_eq!(clip("日本語", 6), "日本語");
        assert_eq!(columns(&shorten("cassandra/日本語の表?chunk=4KiB", 17)), 17);
    }

    #[test]
    fn names_keep_both_ends() {
        assert_eq!(shorten("cassandra/wide?chunk=4KiB", 13), "cassan…k=4KiB");
        assert_eq!(shorten("parquet", 13), "parquet");
    }

    #[test]
    fn lines_are_broken_and_what_is_left_is_said() {
        assert_eq!(wrap("one two three", 8, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three", 8, 1), ["one tw …"]);
        assert_eq!(wrap("unbreakable", 4, 9), ["unbr", "eaka", "ble"]);
        assert!(wrap("", 8, 3).is_empty());
    }

    #[test]
    fn items_of_a_list_that_do_not_fit_are_counted() {
        let items = ["one two", "three four", "five six"].map(str::to_owned);
        assert_eq!(wrap_list(&items, 30, 1), ["one two; three four; five six"]);
        assert_eq!(wrap_list(&items, 28, 1), ["one two; and 2 more"]);
        assert_eq!(wrap_list(&items, 14, 1), ["one two"]);
        assert_eq!(wrap_list(&items, 6, 1), ["one …"]);
        assert!(wrap_list(&[], 6, 1).is_empty());
        let sentences = ["One is.", "Two are.", "Three are."].map(str::to_owned);
        assert_eq!(wrap_sentences(&sentences, 20, 1), ["One is. And 2 more."]);
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(clean("a\n\x1b[31mb\u{202e}c"), "a [31mb c");
    }
}
