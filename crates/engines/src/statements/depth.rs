//! How deeply an expression or a query of a statement may be nested once it is parsed: its parser goes down with it.

use super::words::{begins_query, is};
use crate::dialect::tokens::{Kind, Token};

/// Most operators, conditions, joins and queries of a statement that are within each other or in one chain.
const MOST: usize = 200;
/// Words that stand between two expressions, or before one.
const BETWEEN: [&str; 7] = ["and", "or", "not", "is", "like", "ilike", "collate"];
/// Words that stand between two queries or tables.
const BETWEEN_TABLES: [&str; 4] = ["union", "except", "intersect", "join"];
/// Words behind which commas divide expressions, and not tables.
const NO_TABLES: [&str; 6] = ["select", "where", "group", "having", "order", "window"];

/// What is between two parentheses, or all of a statement.
#[derive(Default)]
struct Level {
    is_query: bool,
    /// Whether commas divide tables here.
    in_from: bool,
    /// Joins and queries so far.
    tables: usize,
    /// Operators since the last comma that divides expressions.
    operators: usize,
    /// Most operators between two such commas so far.
    most: usize,
}

impl Level {
    fn depth(&self) -> usize {
        self.tables + self.most.max(self.operators)
    }

    /// Begins another expression.
    fn divide(&mut self) {
        self.most = self.most.max(self.operators);
        self.operators = 0;
    }
}

/// Says that a statement is nested too deeply to be read, and what to do; `None` if it is not.
pub fn too_deep(words: &[Token<'_>]) -> Option<String> {
    let mut outer: Vec<Level> = Vec::new();
    let mut level = Level {
        is_query: true,
        ..Level::default()
    };
    for (at, token) in words.iter().enumerate() {
        let is_one_of = |of: &[&str]| of.iter().any(|word| is(Some(token), word));
        match token.kind {
            Kind::Sign('(') => {
                let inside = Level {
                    is_query: begins_query(words.get(at + 1)),
                    ..Level::default()
                };
                outer.push(std::mem::replace(&mut level, inside));
            }
            Kind::Sign(')') => {
                if let Some(around) = outer.pop() {
                    let inside = std::mem::replace(&mut level, around).depth();
                    level.operators += 1 + inside;
                }
            }
            Kind::Sign(',') if level.is_query && level.in_from => level.tables += 1,
            Kind::Sign(',') => level.divide(),
            Kind::Sign('.') => {}
            Kind::Sign(_) => level.operators += 1,
            Kind::Word if is_one_of(&BETWEEN_TABLES) => level.tables += 1,
            Kind::Word if is_one_of(&BETWEEN) => level.operators += 1,
            Kind::Word if is_one_of(&["from"]) => {
                level.in_from = true;
                level.divide();
            }
            Kind::Word if is_one_of(&NO_TABLES) => {
                level.in_from = false;
                level.divide();
            }
            _ => {}
        }
    }
    let around: usize = outer.iter().map(|level| 1 + level.depth()).sum();
    let depth = around + level.depth();
    (depth > MOST).then(|| {
        format!(
            "it has about {depth} operators, conditions, joins and queries within each other or in one chain, and at \
             most {MOST} are read: write it with fewer, such as a list behind IN in place of many OR"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn is_too_deep(sql: &str) -> bool {
        too_deep(&words(sql).unwrap()).is_some()
    }

    #[test]
    fn chains_and_nesting_are_counted_and_lists_are_not() {
        for (begin, part, end) in [
            ("SELECT ", "a + ", "a FROM t"),
            ("SELECT a FROM t WHERE a = 1", " OR a = 1", ""),
            ("SELECT a FROM t", " UNION ALL SELECT a, b FROM t", ""),
            ("SELECT a FROM t a", ", t a", ""),
            ("SELECT a FROM t", " JOIN t ON a = 1", ""),
            ("SELECT ", "f(", "a FROM t"),
            ("CREATE TABLE t (a int, b ", "ARRAY<", "int)"),
            ("CREATE TABLE t (a int, b int", "[]", ")"),
            ("SELECT a ", "::int", " FROM t"),
        ] {
            let of = |number: usize| format!("{begin}{}{end}", part.repeat(number));
            assert!(!is_too_deep(&of(30)), "{part}");
            assert!(is_too_deep(&of(5_000)), "{part}");
        }
        let nested = format!("SELECT {}a{} FROM t", "f(".repeat(300), ")".repeat(300));
        assert!(is_too_deep(&nested));
        for (begin, part, end) in [
            ("SELECT a FROM t WHERE a IN (1", ", -1", ")"),
            ("SELECT a", ", round(a) + 1, b = 2", " FROM t"),
            ("CREATE TABLE t (a int", ", b int DEFAULT (1)::int", ")"),
        ] {
            let sql = format!("{begin}{}{end}", part.repeat(5_000));
            assert!(!is_too_deep(&sql), "{part}");
        }
    }
}
