//! How deeply an expression or a query of SQL may be nested once it is parsed: its parser goes down with it, and so
//! does whatever walks through what was read. Only tokens are looked at, one after the other, so that this is known
//! before any parser is called.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::Tokenizer;

use super::words::{begins_query, is, is_sign, words};
use crate::dialect::tokens::{Kind, Token};

/// Most operators, conditions, joins and queries of a statement that are within each other or in one chain.
const MOST: usize = 250;
/// Most parentheses, brackets and CASEs within each other that the parser follows.
const DEEPEST: usize = 47;
/// Words that are operators of an expression, besides AND and OR, or explain a statement, which may be explained, too.
const OPERATORS: [&str; 19] = [
    "not", "is", "in", "between", "like", "ilike", "rlike", "regexp", "similar", "escape",
    "collate", "xor", "div", "mod", "overlaps", "zone", "isnull", "notnull", "explain",
];
/// Words that stand between two queries or tables.
const BETWEEN_TABLES: [&str; 5] = ["union", "except", "intersect", "minus", "join"];
/// Words behind which another expression begins, if they do not stand where only a name can.
const CLAUSES: [&str; 4] = ["where", "having", "on", "qualify"];
/// Words behind which another expression of a CASE begins.
const OF_CASE: [&str; 3] = ["when", "then", "else"];
/// Words that no expression ends with, so that what is behind them is a name.
const NO_END: [&str; 10] = [
    "and", "or", "as", "distinct", "from", "by", "case", "when", "then", "else",
];
/// Types that have other types in angle brackets.
const WITH_TYPES: [&str; 3] = ["array", "struct", "map"];

/// Conditions and operators of one expression: those of OR have those of AND in them, and these have all others.
#[derive(Default)]
struct Chain {
    ors: usize,
    /// Those since the last OR.
    ands: usize,
    most_ands: usize,
    /// Those since the last AND or OR.
    operators: usize,
    most_operators: usize,
    /// The deepest of what is in parentheses.
    inside: usize,
}

impl Chain {
    fn or(&mut self) {
        self.ors += 1;
        self.most_ands = self.most_ands.max(self.ands);
        self.ands = 0;
        self.end_condition();
    }

    fn and(&mut self) {
        self.ands += 1;
        self.end_condition();
    }

    fn end_condition(&mut self) {
        self.most_operators = self.most_operators.max(self.operators);
        self.operators = 0;
    }

    /// Adds what is in parentheses.
    fn group(&mut self, depth: usize) {
        self.operators += 1;
        self.inside = self.inside.max(depth);
    }

    fn depth(&self) -> usize {
        let conditions = self.ors + self.most_ands.max(self.ands);
        conditions + self.most_operators.max(self.operators) + self.inside
    }
}

/// What a level begins with.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Opened {
    #[default]
    Statement,
    Parenthesis,
    /// A bracket or a brace.
    Bracket,
    Case,
}

/// What is between two parentheses, or all of a statement.
#[derive(Default)]
struct Level {
    opened: Opened,
    is_query: bool,
    /// Whether it is a query that the one around it gives a name to, such as one behind WITH.
    is_named: bool,
    /// Whether commas divide tables here.
    in_from: bool,
    /// Joins and queries so far.
    tables: usize,
    /// Angle brackets of types that are open here, and the most of them so far.
    angles: usize,
    most_angles: usize,
    /// The expression since the last comma or clause.
    chain: Chain,
    /// The deepest of the expressions before it.
    most: usize,
}

impl Level {
    fn expression(&self) -> usize {
        self.most.max(self.chain.depth()) + self.most_angles
    }

    fn depth(&self) -> usize {
        self.tables + self.expression()
    }

    /// Begins another expression.
    fn divide(&mut self) {
        self.most = self.most.max(self.chain.depth());
        self.chain = Chain::default();
    }

    /// Adds a level within this one that has ended. Each query with a name may be asked by the next one.
    fn add(&mut self, inside: &Level) {
        if inside.is_named {
            self.tables += 1 + inside.tables;
            self.most = self.most.max(inside.expression());
        } else {
            self.chain.group(inside.depth());
        }
    }
}

/// The levels that are open at a place of a statement.
struct Levels {
    outer: Vec<Level>,
    level: Level,
    /// Parentheses that are open.
    parentheses: usize,
    /// Most levels that were open so far.
    deepest: usize,
}

impl Levels {
    /// Reads a whole statement.
    fn of(words: &[Token<'_>]) -> Levels {
        let mut levels = Levels {
            outer: Vec::new(),
            level: Level {
                is_query: true,
                ..Level::default()
            },
            parentheses: 0,
            deepest: 0,
        };
        for (at, token) in words.iter().enumerate() {
            match token.kind {
                Kind::Sign(sign) => levels.sign(words, at, sign),
                Kind::Word => levels.word(words, at),
                _ => {}
            }
        }
        levels
    }

    fn open(&mut self, inside: Level) {
        self.parentheses += usize::from(inside.opened == Opened::Parenthesis);
        self.outer.push(std::mem::replace(&mut self.level, inside));
        self.deepest = self.deepest.max(self.outer.len());
    }

    /// Ends the innermost level. Returns what it began with; `None` if it is the whole statement.
    fn close(&mut self) -> Option<Opened> {
        let around = self.outer.pop()?;
        let inside = std::mem::replace(&mut self.level, around);
        self.level.add(&inside);
        self.parentheses -= usize::from(inside.opened == Opened::Parenthesis);
        Some(inside.opened)
    }

    /// Ends the innermost pair of parentheses, with what was not ended within it.
    fn close_parenthesis(&mut self) {
        if self.parentheses == 0 {
            return;
        }
        while let Some(opened) = self.close() {
            if opened == Opened::Parenthesis {
                return;
            }
        }
    }

    /// Ends the innermost level if it began with this.
    fn close_one(&mut self, opened: Opened) {
        if self.level.opened == opened {
            self.close();
        }
    }

    fn sign(&mut self, words: &[Token<'_>], at: usize, sign: char) {
        match sign {
            '(' => {
                let before = before(words, at);
                let is_query = begins_query(words.get(at + 1));
                self.open(Level {
                    opened: Opened::Parenthesis,
                    is_query,
                    is_named: is_query && (is(before, "as") || is(before, "materialized")),
                    ..Level::default()
                });
            }
            '[' | '{' => self.open(Level {
                opened: Opened::Bracket,
                ..Level::default()
            }),
            ')' => self.close_parenthesis(),
            ']' | '}' => self.close_one(Opened::Bracket),
            ',' if self.level.is_query && self.level.in_from => self.level.tables += 1,
            ',' => self.level.divide(),
            // Of names in several parts, each beyond the second one.
            '.' => {
                let is_third = at
                    .checked_sub(2)
                    .is_some_and(|at| is_sign(words.get(at), '.'));
                self.level.chain.operators += usize::from(is_third);
            }
            _ => {
                self.level.chain.operators += 1;
                self.angle(before(words, at), sign);
            }
        }
    }

    fn angle(&mut self, before: Option<&Token<'_>>, sign: char) {
        let level = &mut self.level;
        if sign == '<' && is_one_of(before, &WITH_TYPES) {
            level.angles += 1;
            level.most_angles = level.most_angles.max(level.angles);
        } else if sign == '>' {
            level.angles = level.angles.saturating_sub(1);
        }
    }

    fn word(&mut self, words: &[Token<'_>], at: usize) {
        let word = words.get(at);
        let is_of = |of: &[&str]| is_one_of(word, of);
        let ends_one = ends_expression(words, at);
        if is_of(&BETWEEN_TABLES) {
            self.level.tables += 1;
            self.level.in_from = is(word, "join") && self.level.in_from;
            self.level.divide();
        } else if is(word, "or") && ends_one {
            self.level.chain.or();
        } else if is(word, "and") && ends_one {
            self.level.chain.and();
        } else if is_of(&OPERATORS) || is_of(&["and", "or"]) {
            self.level.chain.operators += 1;
        } else if is(word, "case") {
            self.open(Level {
                opened: Opened::Case,
                ..Level::default()
            });
        } else if is(word, "end") {
            self.close_one(Opened::Case);
        } else if ends_one {
            self.clause(words, at);
        } else if is(word, "from") && !is_of_distinct(words, at) {
            // It may be a name, or the first word of a query, or behind a name that looks like an operator: commas
            // behind it may divide tables.
            self.level.is_query = true;
            self.level.in_from = true;
        }
    }

    /// Looks at a word that is no name, and no operator.
    fn clause(&mut self, words: &[Token<'_>], at: usize) {
        let word = words.get(at);
        let is_by = is(words.get(at + 1), "by");
        let level = &mut self.level;
        if is(word, "from") {
            level.in_from = true;
            level.divide();
        } else if is_one_of(word, &CLAUSES) || (is_one_of(word, &["group", "order"]) && is_by) {
            level.in_from &= is(word, "on");
            level.divide();
        } else if is(word, "window") {
            level.in_from = false;
        } else if is_one_of(word, &OF_CASE) && level.opened == Opened::Case {
            level.divide();
        }
    }
}

fn before<'a>(words: &'a [Token<'a>], at: usize) -> Option<&'a Token<'a>> {
    at.checked_sub(1).and_then(|before| words.get(before))
}

fn is_one_of(token: Option<&Token<'_>>, of: &[&str]) -> bool {
    of.iter().any(|word| is(token, word))
}

/// Returns whether what is at a place belongs to IS DISTINCT or IS NOT DISTINCT.
fn is_of_distinct(words: &[Token<'_>], at: usize) -> bool {
    let first = at.checked_sub(2).and_then(|first| words.get(first));
    is(before(words, at), "distinct") && is_one_of(first, &["is", "not"])
}

/// Returns whether what is before a place may be the end of an expression. If it is not, a word there is a name: SQL
/// reads `a + where` as the sum of two columns.
fn ends_expression(words: &[Token<'_>], at: usize) -> bool {
    let Some(token) = before(words, at) else {
        return false;
    };
    match token.kind {
        Kind::Sign('*') => {
            // All columns, and no product.
            let begins = before(words, at - 1);
            ['.', ',', '('].iter().any(|sign| is_sign(begins, *sign))
                || is_one_of(begins, &["select", "distinct", "all"])
        }
        Kind::Sign(sign) => matches!(sign, ')' | ']' | '}' | '?'),
        Kind::Word => {
            let names = [&NO_END[..], &OPERATORS, &CLAUSES, &BETWEEN_TABLES];
            !names.iter().any(|of| is_one_of(Some(token), of))
        }
        _ => true,
    }
}

/// Says that a statement has too much in one chain or within each other to be read, and what to do; `None` if it has
/// not.
pub fn too_deep(words: &[Token<'_>]) -> Option<String> {
    too_much(&Levels::of(words))
}

fn too_much(levels: &Levels) -> Option<String> {
    let around: usize = levels.outer.iter().map(|level| 1 + level.depth()).sum();
    let depth = around + levels.level.depth();
    (depth > MOST).then(|| {
        format!(
            "it has about {depth} operators, conditions, joins and queries within each other or in one chain, and at \
             most {MOST} are read: write it with fewer, such as a IN (1, 2, 3) in place of a = 1 OR a = 2 OR a = 3"
        )
    })
}

/// Says that a parser does not follow what is nested in a statement, and what to do.
pub fn nested_too_deeply() -> String {
    format!(
        "it is nested too deeply: at most {DEEPEST} parentheses, functions and CASEs, or about 20 queries, are read \
         within each other; leave out parentheses that change nothing, or give parts of it names by WITH"
    )
}

/// Says why no parser is given the SQL of a question: it is nested too deeply, or cannot be divided into tokens by
/// which that is known; `None` if it may be parsed. What has no end for the parser, too, is left to it, since it tells
/// the place.
pub fn complaint(sql: &str) -> Option<String> {
    let Some(words) = words(sql) else {
        let read = Tokenizer::new(&GenericDialect {}, sql).tokenize();
        return read.is_ok().then(|| {
            "a text, a name, a parameter or a comment in it does not end: write what ends it"
                .to_owned()
        });
    };
    let levels = Levels::of(&words);
    too_much(&levels).or_else(|| (levels.deepest > DEEPEST).then(nested_too_deeply))
}

#[cfg(test)]
mod tests;
