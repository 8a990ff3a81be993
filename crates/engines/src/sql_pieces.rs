//! How far the parts of SQL reach in which nothing is code: comments, and what is in quotes or between dollars. Every
//! scanner of SQL in this crate finds their ends here; words, numbers and signs are its own.

/// Returns the bytes at the beginning of a text whose characters all belong.
pub fn while_all(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c: char| !belongs(c)).unwrap_or(text.len())
}

/// Returns the bytes of a comment that begins with `--`, without the end of its line.
pub fn line_comment(text: &str) -> usize {
    while_all(text, |c| c != '\n' && c != '\r')
}

/// Returns the bytes of a comment that begins with `/*`, which may have others in it; `None` if it does not end.
pub fn block_comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += rest.chars().next()?.len_utf8();
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns the bytes of what begins with this quote, up to the one that ends it; `None` if it does not end. A doubled
/// quote is one in it, and so is one behind a backslash where that `escapes`.
pub fn quoted(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if escapes && character == '\\' {
            characters.next();
        } else if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return Some(at + quote.len_utf8());
        }
    }
    None
}

/// Returns the bytes of a text such as `$tag$a$tag$`: `Some(None)` if it does not end, `None` if there is none here.
/// Its tag is a name without dollars as PostgreSQL has them.
pub fn between_dollars(text: &str) -> Option<Option<usize>> {
    let after = text.strip_prefix('$')?;
    let tag = &after[..after.find('$')?];
    let is_tag = !tag.starts_with(|c: char| c.is_ascii_digit())
        && tag.chars().all(|c| begins_word(c) || c.is_ascii_digit());
    if !is_tag {
        return None;
    }
    let mark = &text[..tag.len() + 2];
    let inside = text[mark.len()..].find(mark);
    Some(inside.map(|inside| inside + 2 * mark.len()))
}

/// Returns whether a name of PostgreSQL without quotes may begin with a character: all beyond ASCII may.
pub fn begins_word(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_ends_where_its_line_or_the_outermost_one_does() {
        assert_eq!(line_comment("-- a\rb"), 4);
        assert_eq!(line_comment("-- é"), 5);
        assert_eq!(block_comment("/* /* é */ */ b"), Some(14));
        assert_eq!(block_comment("/*/"), None);
        assert_eq!(block_comment("/* /* */"), None);
    }

    #[test]
    fn a_quote_is_within_quotes_if_it_is_doubled_or_escaped() {
        assert_eq!(quoted("'it''s' a", '\'', false), Some(7));
        assert_eq!(quoted("'\\' a'", '\'', false), Some(3));
        assert_eq!(quoted("'\\' a'", '\'', true), Some(6));
        assert_eq!(quoted("'\\é'", '\'', true), Some(5));
        assert_eq!(quoted("`a'``", '`', false), None);
        assert_eq!(quoted("'a\\", '\'', true), None);
    }

    #[test]
    fn a_text_between_dollars_has_the_same_tag_at_its_end() {
        assert_eq!(between_dollars("$$ ' $$ a"), Some(Some(7)));
        assert_eq!(between_dollars("$a1$ $$ $a1$"), Some(Some(12)));
        assert_eq!(between_dollars("$été$a$été$"), Some(Some(15)));
        assert_eq!(between_dollars("$a$ $A$"), Some(None));
        for other in ["$1$ $1$", "$a b$ $a b$", "${a} $", "$a", "a$b$"] {
            assert_eq!(between_dollars(other), None, "{other}");
        }
    }
}
