//! What is printed for people: whatever a terminal would act on is shown instead, since names, values and
//! messages of servers come from anywhere.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use bakeoff_report::STYLES;

/// Escapes everything that a terminal would act on, except ends of lines and tabs.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_acted_on) {
        Cow::Owned(escaped(text, &[]))
    } else {
        Cow::Borrowed(text)
    }
}

/// Escapes everything that a terminal would act on, and ends of lines and tabs, too.
pub fn on_one_line(text: &str) -> String {
    let text = clean(text);
    text.replace('\n', "\\n").replace('\t', "\\t")
}

/// Escapes in JSON what a terminal would act on, in the way of JSON itself, so that programs read the same texts.
pub fn json(text: &str) -> String {
    let escaped = |c: char| match c {
        c if is_acted_on(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Returns the standard output, with everything escaped that a terminal would act on.
pub fn stdout() -> Cleaned<io::Stdout> {
    Cleaned::new(io::stdout(), false)
}

/// Returns whether the standard output is a terminal whose user wants colours.
pub fn has_colors() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Returns the standard output as [`stdout`] does, but with the colours of reports if `colors` is set.
pub fn stdout_with_colors(colors: bool) -> Cleaned<io::Stdout> {
    Cleaned::new(io::stdout(), colors)
}

/// Returns the standard error, with everything escaped that a terminal would act on.
pub fn stderr() -> Cleaned<io::Stderr> {
    Cleaned::new(io::stderr(), false)
}

/// An output of text that is escaped on its way.
pub struct Cleaned<W: Write> {
    to: W,
    /// Whether the codes of reports for colours are kept.
    keeps_styles: bool,
    /// The first bytes of a character whose others have not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Cleaned<W> {
    pub fn new(to: W, keeps_styles: bool) -> Self {
        Cleaned {
            to,
            keeps_styles,
            begun: Vec::new(),
        }
    }

    /// Returns the output that the escaped text goes to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.to
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        let styles: &[&str] = if self.keeps_styles { &STYLES } else { &[] };
        self.to.write_all(escaped(text, styles).as_bytes())
    }
}

impl<W: Write> Write for Cleaned<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.begun);
        let mut rest = &all[..];
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            self.write_text(&String::from_utf8_lossy(valid))?;
            let Some(invalid) = error.error_len() else {
                self.begun = after.to_vec();
                return Ok(bytes.len());
            };
            self.write_text("\u{fffd}")?;
            rest = &after[invalid..];
        }
        self.write_text(&String::from_utf8_lossy(rest))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Escapes everything that a terminal would act on, except ends of lines, tabs and these codes.
fn escaped(text: &str, kept: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let code = kept.iter().find(|code| rest.starts_with(**code));
        match code {
            Some(code) => out.push_str(code),
            None if c == '\r' => out.push_str("\\r"),
            None if is_acted_on(c) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            None => out.push(c),
        }
        rest = &rest[code.map_or(c.len_utf8(), |code| code.len())..];
    }
    out
}

/// Returns whether a terminal does something else than show a character, ends of lines and tabs aside.
fn is_acted_on(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t' || is_direction(c)
}

/// Returns whether a character changes the direction of the text after it.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_stays_json_and_says_the_same() {
        let text = "{\n  \"a\": \"\u{200f}x\u{9b}\"\n}";
        let shown = json(text);
        assert!(!shown.chars().any(is_acted_on), "{shown}");
        let (shown, meant): (serde_json::Value, serde_json::Value) = (
            serde_json::from_str(&shown).unwrap(),
            serde_json::from_str(text).unwrap(),
        );
        assert_eq!(shown, meant);
    }

    #[test]
    fn nothing_that_a_terminal_acts_on_is_left() {
        assert_eq!(clean("a\nb\t\u{1b}[31m\r"), "a\nb\t\\u{1b}[31m\\r");
        assert_eq!(clean("\u{9b}2J\u{7f}\u{7}"), "\\u{9b}2J\\u{7f}\\u{7}");
        assert_eq!(clean("日本 ü"), "日本 ü");
        assert_eq!(on_one_line("a\nb\t\u{202e}x"), "a\\nb\\t\\u{202e}x");
    }

    #[test]
    fn what_is_written_in_pieces_is_escaped_as_a_whole() {
        let written = |pieces: &[&[u8]], keeps_styles| {
            let mut out = Cleaned::new(Vec::new(), keeps_styles);
            for piece in pieces {
                out.write_all(piece).unwrap();
            }
            String::from_utf8(out.to).unwrap()
        };
        let (first, last) = "ü".as_bytes().split_at(1);
        assert_eq!(
            written(&[b"a", first, last, b"\x1b]0;x"], false),
            "aü\\u{1b}]0;x"
        );
        assert_eq!(written(&[first, b"b\xff"], false), "\u{fffd}b\u{fffd}");
        let bold = "\x1b[1mbold\x1b[0m \x1b[2J".as_bytes();
        assert_eq!(written(&[bold], true), "\x1b[1mbold\x1b[0m \\u{1b}[2J");
        assert_eq!(
            written(&[bold], false),
            "\\u{1b}[1mbold\\u{1b}[0m \\u{1b}[2J"
        );
    }
}
