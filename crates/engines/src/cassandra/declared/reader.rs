//! Reads the words of a statement of CQL one after the other.

use std::collections::HashMap;

use crate::dialect::tokens::{Kind, Token};
use crate::statements::words::{is, is_sign, name, words};

/// Reads the words of a statement one after the other.
pub struct Reader<'a> {
    pub words: Vec<Token<'a>>,
    pub at: usize,
}

impl<'a> Reader<'a> {
    /// Begins a statement.
    ///
    /// # Errors
    /// Says what of it does not end.
    pub fn new(cql: &'a str) -> Result<Self, String> {
        let words = words(cql).ok_or("a text, a name or a comment in it does not end")?;
        Ok(Reader { words, at: 0 })
    }

    /// Returns the next word.
    pub fn peek(&self) -> Option<&Token<'a>> {
        self.words.get(self.at)
    }

    /// Goes behind the next word if it is this keyword, and returns whether it is.
    pub fn takes(&mut self, keyword: &str) -> bool {
        let takes = is(self.peek(), keyword);
        self.at += usize::from(takes);
        takes
    }

    /// Goes behind the next word if it is this sign, and returns whether it is.
    pub fn takes_sign(&mut self, sign: char) -> bool {
        let takes = is_sign(self.peek(), sign);
        self.at += usize::from(takes);
        takes
    }

    /// Goes behind a sign.
    ///
    /// # Errors
    /// Another word is there.
    pub fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.takes_sign(sign) {
            Ok(())
        } else {
            Err(self.lacks(&format!("`{sign}`")))
        }
    }

    /// Goes behind a name, and returns it.
    ///
    /// # Errors
    /// Another word is there.
    pub fn name(&mut self) -> Result<String, String> {
        let found = name(self.peek()).ok_or_else(|| self.lacks("a name"))?;
        self.at += 1;
        Ok(found)
    }

    /// Says what is expected here.
    pub fn lacks(&self, wanted: &str) -> String {
        let before = self.peek().map_or("its end", |token| token.text);
        format!("{wanted} is expected before `{before}`")
    }

    /// Goes behind `IF NOT EXISTS`.
    pub fn skip_if_not_exists(&mut self) {
        if self.takes("if") {
            self.takes("not");
            self.takes("exists");
        }
    }

    /// Reads a table's name, and that of its keyspace.
    pub fn qualified(&mut self) -> Result<(Option<String>, String), String> {
        let first = self.name()?;
        if self.takes_sign('.') {
            Ok((Some(first), self.name()?))
        } else {
            Ok((None, first))
        }
    }

    /// Reads a type, which ends before a comma, a parenthesis or a keyword behind it.
    pub fn kind(&mut self) -> String {
        let mut written = String::new();
        let mut depth = 0_usize;
        while let Some(token) = self.words.get(self.at) {
            let part = match token.kind {
                Kind::Sign(')' | ',') if depth == 0 => break,
                Kind::Word if depth == 0 && !written.is_empty() => break,
                Kind::Word => token.text.to_lowercase(),
                Kind::Sign(',') => ", ".to_owned(),
                _ => token.text.to_owned(),
            };
            match token.kind {
                Kind::Sign('<' | '(') => depth += 1,
                Kind::Sign('>' | ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            written.push_str(&part);
            self.at += 1;
        }
        written
    }

    /// Skips how values of a column are masked.
    pub fn skip_mask(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Sign('(') => depth += 1,
                Kind::Sign(')' | ',') if depth == 0 => return,
                Kind::Sign(')') => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Reads a map behind its first brace.
    pub fn map(&mut self) -> Result<HashMap<String, String>, String> {
        let mut map = HashMap::new();
        if self.takes_sign('}') {
            return Ok(map);
        }
        loop {
            let key = self.map_part()?;
            self.expect(':')?;
            map.insert(key, self.map_part()?);
            if self.takes_sign('}') {
                return Ok(map);
            }
            self.expect(',')?;
        }
    }

    fn map_part(&mut self) -> Result<String, String> {
        let part = match self.peek() {
            Some(token) if matches!(token.kind, Kind::Number | Kind::Word) => {
                Some(token.text.to_owned())
            }
            token => text(token),
        };
        let part = part.ok_or_else(|| self.lacks("a text"))?;
        self.at += 1;
        Ok(part)
    }
}

/// Returns what is between the quotes of a text.
pub fn text(token: Option<&Token<'_>>) -> Option<String> {
    let token = token.filter(|token| token.kind == Kind::Text)?;
    let inside = token.text.strip_prefix('\'')?.strip_suffix('\'')?;
    Some(inside.replace("''", "'"))
}
