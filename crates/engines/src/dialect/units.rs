//! SQL as a sequence of units: tokens, and what is between parentheses as one of them.

use super::tokens::{Kind, Token, tokens};

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    Token(Kind),
    /// What is between parentheses; the text is without them.
    Group,
    /// An expression that a rule has written.
    Written,
}

/// A part of SQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    pub what: What,
    pub text: String,
}

impl Unit {
    /// Makes the unit of an expression that a rule has written.
    pub fn written(text: String) -> Unit {
        Unit {
            what: What::Written,
            text,
        }
    }

    fn token(token: &Token<'_>) -> Unit {
        Unit {
            what: What::Token(token.kind),
            text: token.text.to_owned(),
        }
    }

    /// Returns whether this is that keyword, in any case.
    pub fn is(&self, keyword: &str) -> bool {
        self.what == What::Token(Kind::Word) && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Returns whether this is one of these keywords.
    pub fn is_one_of(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }

    /// Returns whether this is that sign.
    pub fn is_sign(&self, sign: char) -> bool {
        self.what == What::Token(Kind::Sign(sign))
    }

    /// Returns whether this is of that kind.
    pub fn is_a(&self, kind: Kind) -> bool {
        self.what == What::Token(kind)
    }

    /// Returns whether this is a keyword or a name, in quotes or not.
    pub fn is_name(&self) -> bool {
        self.is_a(Kind::Word) || self.is_a(Kind::Name)
    }

    /// Returns whether this means nothing.
    pub fn is_space(&self) -> bool {
        self.is_a(Kind::Blank) || self.is_a(Kind::Comment)
    }

    /// Returns a name without its quotes, or a word as it is.
    pub fn name(&self) -> &str {
        match self.what {
            What::Token(Kind::Name) => &self.text[1..self.text.len() - 1],
            _ => &self.text,
        }
    }
}

/// Splits SQL into units. Returns `None` where a token does not end, or parentheses do not match.
pub fn units(sql: &str) -> Option<Vec<Unit>> {
    let mut units = Vec::new();
    let mut depth = 0_usize;
    let mut group = String::new();
    for token in tokens(sql)? {
        let closes = token.kind == Kind::Sign(')');
        if closes {
            depth = depth.checked_sub(1)?;
        }
        match depth {
            0 if closes => units.push(Unit {
                what: What::Group,
                text: std::mem::take(&mut group),
            }),
            0 if token.kind == Kind::Sign('(') => {}
            0 => units.push(Unit::token(&token)),
            _ => group.push_str(token.text),
        }
        depth += usize::from(token.kind == Kind::Sign('('));
    }
    (depth == 0).then_some(units)
}

/// Writes units as SQL.
pub fn written(units: &[Unit]) -> String {
    let mut sql = String::new();
    for unit in units {
        match unit.what {
            What::Group => {
                sql.push('(');
                sql.push_str(&unit.text);
                sql.push(')');
            }
            _ => sql.push_str(&unit.text),
        }
    }
    sql
}

/// Writes units without the white space around them. A comment at the end ends there.
pub fn trimmed(units: &[Unit]) -> String {
    let is_blank = |unit: &Unit| unit.is_a(Kind::Blank);
    let first = units.iter().position(|unit| !is_blank(unit));
    let Some(first) = first else {
        return String::new();
    };
    let last = units.iter().rposition(|unit| !is_blank(unit));
    let units = &units[first..=last.unwrap_or(first)];
    let mut sql = written(units);
    if units.last().is_some_and(|unit| unit.text.starts_with("--")) {
        sql.push('\n');
    }
    sql
}

/// Returns the place of the first unit from `from` on that means something.
pub fn next(units: &[Unit], from: usize) -> Option<usize> {
    let found = units.get(from..)?.iter().position(|unit| !unit.is_space());
    found.map(|place| from + place)
}

/// Returns the place of the last unit before `before` that means something.
pub fn previous(units: &[Unit], before: usize) -> Option<usize> {
    units[..before].iter().rposition(|unit| !unit.is_space())
}

/// Returns the place from `from` on at which these keywords follow each other, and the place behind them.
pub fn find(units: &[Unit], from: usize, keywords: &[&str]) -> Option<(usize, usize)> {
    (from..units.len()).find_map(|place| Some((place, follow(units, place, keywords)?)))
}

/// Returns the place behind these keywords, if they follow each other from `from` on.
pub fn follow(units: &[Unit], from: usize, keywords: &[&str]) -> Option<usize> {
    let mut at = from;
    for (number, keyword) in keywords.iter().enumerate() {
        // The first one has to be at this very place.
        let place = if number == 0 { at } else { next(units, at)? };
        if !units.get(place)?.is(keyword) {
            return None;
        }
        at = place + 1;
    }
    Some(at)
}

/// Splits units at a sign.
pub fn split(units: &[Unit], sign: char) -> Vec<&[Unit]> {
    units.split(|unit| unit.is_sign(sign)).collect()
}

/// Returns the units that mean something.
pub fn meaning(units: &[Unit]) -> Vec<&Unit> {
    units.iter().filter(|unit| !unit.is_space()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_parentheses_is_one_unit() {
        let sql = "SELECT f( a, (b) /* ) */ ) , ')' FROM t";
        let found = units(sql).unwrap();
        let groups = found.iter().filter(|unit| unit.what == What::Group);
        let groups: Vec<&str> = groups.map(|unit| unit.text.as_str()).collect();
        assert_eq!(groups, [" a, (b) /* ) */ "]);
        assert_eq!(written(&found), sql);
        assert_eq!(split(&found, ',').len(), 2);
        for broken in ["(", ")", "a)(", "'"] {
            assert_eq!(units(broken), None, "{broken}");
        }
    }

    #[test]
    fn keywords_are_found_in_any_case_and_across_comments() {
        let found = units("a ORDER /* */ by b").unwrap();
        let (place, behind) = find(&found, 0, &["order", "by"]).unwrap();
        assert_eq!((place, trimmed(&found[behind..]).as_str()), (2, "b"));
        assert_eq!(find(&found, 0, &["group", "by"]), None);
    }

    #[test]
    fn a_comment_that_ends_with_its_line_hides_nothing_behind_it() {
        let found = units(" a -- b\n, c ").unwrap();
        let parts = split(&found, ',');
        assert_eq!(trimmed(parts[0]), "a -- b\n");
        assert_eq!(trimmed(parts[1]), "c");
        assert_eq!(trimmed(&units(" \n").unwrap()), "");
    }
}
