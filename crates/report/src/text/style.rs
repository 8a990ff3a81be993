//! Applies colours and line breaks.

/// All codes that reports for a terminal have where they have colours; those of tables are comfy-table's.
pub const STYLES: [&str; 5] = ["\x1b[1m", "\x1b[31m", "\x1b[38;5;9m", "\x1b[39m", "\x1b[0m"];

#[derive(Clone, Copy)]
pub struct Style {
    pub color: bool,
}

impl Style {
    pub fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    pub fn red(self, text: &str) -> String {
        self.code("31", text)
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Breaks text between words; a word longer than a line gets its own line.
pub fn wrap(text: &str, width: usize, first_indent: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    let mut line = first_indent.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    lines.push(line);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(
            wrap("one two three", 8, "- ", "  "),
            "- one\n  two\n  three"
        );
        assert_eq!(wrap("one two three", 9, "- ", "  "), "- one two\n  three");
        assert_eq!(wrap("unbreakable", 4, "", ""), "unbreakable");
        assert_eq!(wrap("", 4, "! ", "  "), "! ");
    }

    #[test]
    fn without_colour_there_are_no_codes() {
        assert_eq!(Style { color: false }.red("x"), "x");
        assert_eq!(Style { color: true }.red("x"), "\x1b[31mx\x1b[0m");
    }
}
