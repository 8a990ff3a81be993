//! Positions in the file of the characters of a TOML string.

use toml::Spanned;

use super::text::Text;

/// Returns the byte offset of the first character of the string whose token starts at `token`.
pub fn start(text: Text<'_>, token: usize) -> usize {
    let raw = &text.text[token..];
    let body = match raw.get(..3) {
        // A line break right after the opening delimiter is not part of the string.
        Some("\"\"\"" | "'''") => {
            let raw = &raw[3..];
            raw.strip_prefix("\r\n")
                .or_else(|| raw.strip_prefix('\n'))
                .unwrap_or(raw)
        }
        _ => raw.get(1..).unwrap_or(raw),
    };
    let body_start = text.text.len() - body.len();
    if raw.starts_with('"') {
        body_start + continuation(body)
    } else {
        body_start
    }
}

/// Returns the byte offset of the character at `line` and `column` (1-based, in the string's value)
/// of the string whose first character is at `start`.
pub fn offset(text: Text<'_>, start: usize, line: usize, column: usize) -> usize {
    let before = text.text[..start].trim_end_matches(|c: char| c.is_whitespace() || c == '\\');
    let basic = before.ends_with('"');
    let (mut at, mut here) = (start, (1, 1));
    while here < (line, column) {
        let raw = text.text.get(at..).unwrap_or_default();
        let Some((length, is_newline)) = first_character(raw, basic) else {
            break;
        };
        at += length;
        if basic {
            at += continuation(text.text.get(at..).unwrap_or_default());
        }
        here = if is_newline {
            (here.0 + 1, 1)
        } else {
            (here.0, here.1 + 1)
        };
    }
    at
}

/// Returns the byte offset in the file of the byte `at` of the string `sql`.
pub fn offset_in(document: Text<'_>, sql: &Spanned<String>, at: usize) -> usize {
    let (line, column) = Text {
        path: document.path,
        text: sql.get_ref(),
    }
    .line_and_column(at);
    let first = start(document, sql.span().start);
    offset(document, first, line, column)
}

/// Returns the number of bytes that the first character of the value takes in the file, and whether
/// it is a line break.
fn first_character(raw: &str, basic: bool) -> Option<(usize, bool)> {
    let first = raw.chars().next()?;
    if !basic || first != '\\' {
        return Some((first.len_utf8(), first == '\n'));
    }
    let escaped = raw[1..].chars().next()?;
    let digits = match escaped {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    Some((1 + escaped.len_utf8() + digits, escaped == 'n'))
}

/// Returns the number of bytes of a backslash at the end of a line with the whitespace that it
/// swallows; 0 if `raw` does not begin with one.
fn continuation(raw: &str) -> usize {
    let Some(rest) = raw.strip_prefix('\\') else {
        return 0;
    };
    let next = rest.trim_start();
    if rest[..rest.len() - next.len()].contains('\n') {
        raw.len() - next.len()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Returns the character found at a position of the value of the string in `file`.
    fn find(file: &str, line: usize, column: usize) -> char {
        let text = Text {
            path: Path::new("x"),
            text: file,
        };
        let first = start(text, file.find(['"', '\'']).unwrap());
        let (first_line, first_column) = text.line_and_column(first);
        assert_eq!(text.offset(first_line, first_column), first);
        file[offset(text, first, line, column)..]
            .chars()
            .next()
            .unwrap()
    }

    #[test]
    fn every_kind_of_string_is_walked() {
        assert_eq!(find(r#"a = "xyZ""#, 1, 3), 'Z');
        assert_eq!(find(r#"a = 'x\Z'"#, 1, 3), 'Z');
        assert_eq!(find("a = \"\"\"\nab\n cZ\"\"\"", 2, 3), 'Z');
        assert_eq!(find("a = '''ab\r\ncZ'''", 2, 2), 'Z');
        assert_eq!(find("a = \"\"\"\\\n   Z\"\"\"", 1, 1), 'Z');
    }

    #[test]
    fn escapes_count_as_the_characters_that_they_stand_for() {
        assert_eq!(find(r#"a = "\"\u00e4\nZ""#, 2, 1), 'Z');
        assert_eq!(find("a = \"\"\"ab \\\n    Z\"\"\"", 1, 4), 'Z');
    }

    #[test]
    fn a_position_past_the_end_is_still_in_the_file() {
        let text = Text {
            path: Path::new("x"),
            text: "a = \"b\"",
        };
        assert_eq!(offset(text, 5, 9, 9), text.text.len());
        let text = Text {
            text: "a = \"b\"\nc = '\\U'",
            ..text
        };
        let past_the_end = offset(text, 5, 9, 9);
        assert_eq!(text.line_and_column(past_the_end).0, 2);
    }
}
