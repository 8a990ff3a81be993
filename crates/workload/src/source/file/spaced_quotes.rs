//! Quotes after spaces, as in `"a", "b"`. In CSV a field begins with its spaces, so that a quote after them is a part
//! of it. Where all quotes behind a delimiter follow spaces, they are meant to be around the fields.

use std::io::{self, Read};

use super::BYTE_ORDER_MARK;

/// Bytes of all texts together that are looked at.
const SAMPLE_BYTES: usize = 256 << 10;

/// What was read of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing of a field but spaces.
    Begins,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field, which is its end or the first half of a quote that is meant.
    QuoteInQuoted,
    /// After spaces behind the end of a quoted field.
    Closed,
}

impl State {
    /// Returns the state after a byte.
    fn after(self, byte: u8, delimiter: u8) -> State {
        let ends_field = byte == delimiter || matches!(byte, b'\n' | b'\r');
        match self {
            State::Quoted if byte == b'"' => State::QuoteInQuoted,
            State::Quoted => State::Quoted,
            State::QuoteInQuoted if byte == b'"' => State::Quoted,
            _ if ends_field => State::Begins,
            State::QuoteInQuoted | State::Closed if byte == b' ' => State::Closed,
            State::Begins if byte == b' ' => State::Begins,
            State::Begins if byte == b'"' => State::Quoted,
            _ => State::Unquoted,
        }
    }
}

/// Looks at the beginnings of texts for how their quotes are written.
pub struct Look {
    delimiter: u8,
    /// Whether a quoted field has spaces before it.
    has_spaced: bool,
    /// Whether another one has none, or spaces and a quote are a part of a field.
    has_others: bool,
    /// Bytes that may still be looked at.
    left: usize,
}

impl Look {
    /// Looks at texts with this byte between their fields. Where that is a tab there are no quotes.
    pub fn new(delimiter: u8) -> Look {
        let may_have = !matches!(delimiter, b'\t' | b' ');
        Look {
            delimiter,
            has_spaced: false,
            has_others: false,
            left: if may_have { SAMPLE_BYTES } else { 0 },
        }
    }

    /// Returns whether further texts would change nothing.
    pub fn is_over(&self) -> bool {
        self.has_others || self.left == 0
    }

    /// Returns whether quotes follow spaces wherever a delimiter is before them.
    pub fn found(&self) -> bool {
        self.has_spaced && !self.has_others
    }

    /// Looks at the beginning of a text.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn see(&mut self, text: impl Read) -> io::Result<()> {
        let mut sample = Vec::new();
        text.take(self.left as u64).read_to_end(&mut sample)?;
        self.left -= sample.len();
        let is_whole = self.left > 0;
        let sample = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&sample);
        let mut state = State::Begins;
        let (mut is_first, mut after_spaces) = (true, false);
        // Whether the quoted field has spaces before it, and where it begins.
        let (mut is_spaced, mut begin) = (false, 0);
        for (place, byte) in sample.iter().enumerate() {
            let before = state;
            state = before.after(*byte, self.delimiter);
            match (before, state) {
                (State::Begins, State::Quoted) => {
                    is_spaced = after_spaces;
                    begin = place;
                    self.has_others |= !after_spaces && !is_first;
                }
                (State::QuoteInQuoted | State::Closed, State::Begins) => {
                    self.has_spaced |= is_spaced;
                }
                (State::QuoteInQuoted | State::Closed, State::Unquoted) => {
                    self.has_others |= is_spaced;
                }
                _ => {}
            }
            if state == State::Begins {
                after_spaces = *byte == b' ';
                is_first = *byte != self.delimiter && (is_first || !after_spaces);
            }
        }
        match state {
            State::QuoteInQuoted | State::Closed => self.has_spaced |= is_spaced,
            // A quote that is a part of a field is hardly ever closed.
            State::Quoted => {
                let is_endless = is_whole || begin < sample.len() / 2;
                self.has_others |= is_spaced && is_endless;
            }
            State::Begins | State::Unquoted => {}
        }
        Ok(())
    }
}

/// Leaves out the spaces around the quotes of fields.
pub struct Trim {
    delimiter: u8,
    state: State,
    /// Spaces that were read, and are left out or not by what follows them.
    spaces: usize,
    at_start: bool,
}

impl Trim {
    /// Begins with a text that has this byte between its fields.
    pub fn new(delimiter: u8) -> Trim {
        Trim {
            delimiter,
            state: State::Begins,
            spaces: 0,
            at_start: true,
        }
    }

    /// Writes the next line, which has an end unless it is the last one.
    pub fn write(&mut self, mut line: &[u8], out: &mut Vec<u8>) {
        if std::mem::take(&mut self.at_start)
            && let Some(rest) = line.strip_prefix(BYTE_ORDER_MARK)
        {
            out.extend_from_slice(BYTE_ORDER_MARK);
            line = rest;
        }
        for byte in line {
            let before = self.state;
            self.state = before.after(*byte, self.delimiter);
            let may_be_left_out = matches!(self.state, State::Begins | State::Closed);
            if *byte == b' ' && may_be_left_out {
                self.spaces += 1;
                continue;
            }
            let is_around = matches!(
                (before, self.state),
                (State::Begins, State::Quoted) | (State::Closed, State::Begins)
            );
            self.put_spaces(!is_around, out);
            out.push(*byte);
        }
        if !line.ends_with(b"\n") {
            self.put_spaces(self.state != State::Closed, out);
        }
    }

    /// Writes the spaces that were read, unless they are left out.
    fn put_spaces(&mut self, are_kept: bool, out: &mut Vec<u8>) {
        let spaces = std::mem::take(&mut self.spaces);
        if are_kept {
            out.resize(out.len() + spaces, b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str], delimiter: u8) -> bool {
        let mut look = Look::new(delimiter);
        for text in texts {
            look.see(text.as_bytes()).unwrap();
        }
        look.found()
    }

    fn trimmed(text: &str) -> String {
        let (mut trim, mut out) = (Trim::new(b','), Vec::new());
        for line in text.split_inclusive('\n') {
            trim.write(line.as_bytes(), &mut out);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn quotes_that_all_follow_spaces_are_found() {
        for text in [
            "a, b\n\"x\",  \"y\"\n",
            "a,b\n1, \"y\nz, \"\"w\"\"\" , 2\n",
            " \"a\", \"b\"",
            "\u{feff}\"a\", \"b\"\r\n\"1\", 2\r\n",
        ] {
            assert!(found(&[text], b','), "{text}");
        }
        assert!(found(&["a; b\n1; \"x\"\n"], b';'));
        assert!(found(&["a,b\n1,2\n", "a,b\n1, \"x\"\n"], b','));
    }

    #[test]
    fn other_quotes_are_left_as_they_are() {
        for text in [
            "",
            "a, b\n1, 2\n",
            "\"a\",\"b\"\n\"x\",\"y\"\n",
            "a,b,c\n1, \"x\",\"y\"\n",
            "a,b\n1, \"x\" and \"y\"\n",
            "a,b\n1, \"x\"y\n",
            "a,b\n1, 5 \"\n",
            "a,b\n1, \"x\"\n2, \"never closed\n3, 4\n",
        ] {
            assert!(!found(&[text], b','), "{text}");
        }
        assert!(!found(&["a\t \"b\"\n"], b'\t'));
        assert!(!found(&["a,b\n1, \"x\"\n", "a,b\n1,\"x\"\n"], b','));
    }

    #[test]
    fn the_beginning_of_a_long_text_is_enough() {
        let rows = "1, \"x y\"\n".repeat(SAMPLE_BYTES / 8);
        assert!(found(&[&format!("a, b\n{rows}2,\"z\"\n")], b','));
        let open = format!("a, b\n1, \"x\"\n2, \"{}", "y\n".repeat(SAMPLE_BYTES));
        assert!(!found(&[&open], b','), "a quote that is never closed");
    }

    #[test]
    fn spaces_are_left_out_around_quotes_only() {
        for (text, expected) in [
            ("\"a\",  \"b, c\" , d \n", "\"a\",\"b, c\", d \n"),
            (" \"a\", x\n  y,z", "\"a\", x\n  y,z"),
            (
                "1, \"x\n  \"\"y\"\"\n, z\" \n",
                "1,\"x\n  \"\"y\"\"\n, z\"\n",
            ),
            ("\u{feff} \"a\", \"b\"\r\n", "\u{feff}\"a\",\"b\"\r\n"),
            ("a, \"b\" x, c\n", "a,\"b\" x, c\n"),
            ("a,  ", "a,  "),
            ("a, \"b\"  ", "a,\"b\""),
            ("", ""),
        ] {
            assert_eq!(trimmed(text), expected, "{text}");
        }
    }
}
