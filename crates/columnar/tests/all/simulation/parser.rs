//! Reading statements.

use std::iter::Peekable;
use std::vec::IntoIter;

use super::statement::{
    Condition, Kind, Marker, OnlyIf, Operator, Select, Statement, Term, Wanted, Write,
};
use super::table::{Table, Type};

/// Reads a statement, and what its markers stand for.
///
/// # Panics
/// Panics if neither the store nor the driver sends such a statement.
pub fn parse(cql: &str) -> (Statement, Vec<Marker>) {
    let mut parser = Parser {
        words: words(cql).into_iter().peekable(),
        markers: Vec::new(),
    };
    let statement = match parser.next().as_str() {
        "CREATE" => Statement::Create(parser.create()),
        "SELECT" => Statement::Select(parser.select()),
        "INSERT" => Statement::Write(parser.insert()),
        "UPDATE" => Statement::Write(parser.update()),
        "DELETE" => Statement::Write(parser.delete()),
        _ => panic!("not a statement of the store: {cql}"),
    };
    assert!(parser.words.next().is_none(), "words are left: {cql}");
    (statement, parser.markers)
}

/// Divides a statement into words. A text begins with an apostrophe and does not end with one.
fn words(cql: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = cql.chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            c if c.is_whitespace() => {}
            '\'' | '"' => {
                let text: String = rest.by_ref().take_while(|c| *c != first).collect();
                let mark = if first == '\'' { "'" } else { "" };
                words.push(format!("{mark}{text}"));
            }
            c if is_word(c) => {
                let mut word = String::from(c);
                while let Some(next) = rest.next_if(|next| is_word(*next)) {
                    word.push(next);
                }
                words.push(word);
            }
            c => {
                let mut sign = String::from(c);
                if matches!(c, '<' | '>') {
                    sign.extend(rest.next_if_eq(&'='));
                }
                words.push(sign);
            }
        }
    }
    words
}

struct Parser {
    words: Peekable<IntoIter<String>>,
    markers: Vec<Marker>,
}

impl Parser {
    fn next(&mut self) -> String {
        self.words.next().expect("the statement goes on")
    }

    /// Goes past a word if it comes next.
    fn passes(&mut self, word: &str) -> bool {
        self.words.next_if(|next| next == word).is_some()
    }

    fn expect(&mut self, words: &[&str]) {
        for word in words {
            assert_eq!(self.next(), *word);
        }
    }

    /// Reads the name of a table with its keyspace.
    fn table(&mut self) -> String {
        let keyspace = self.next();
        self.expect(&["."]);
        format!("{keyspace}.{}", self.next())
    }

    fn term(&mut self, marker: Marker) -> Term {
        let word = self.next();
        if word != "?" {
            return Term::Constant(word);
        }
        self.markers.push(marker);
        Term::Marker(self.markers.len() - 1)
    }

    fn term_of(&mut self, column: &str) -> Term {
        self.term(Marker::Column(column.to_owned()))
    }

    fn create(&mut self) -> Table {
        self.expect(&["TABLE", "IF", "NOT", "EXISTS"]);
        let mut table = Table {
            name: self.table(),
            columns: Vec::new(),
            partition_key: Vec::new(),
            clustering: Vec::new(),
            comment: String::new(),
        };
        self.expect(&["("]);
        loop {
            let name = self.next();
            if name == "PRIMARY" {
                self.expect(&["KEY", "("]);
                self.key(&mut table);
            } else {
                let kind = Type::named(&self.next());
                if self.passes("PRIMARY") {
                    self.expect(&["KEY"]);
                    table.partition_key.push(name.clone());
                }
                table.columns.push((name, kind));
            }
            if !self.passes(",") {
                break;
            }
        }
        self.expect(&[")", "WITH", "comment", "="]);
        let comment = self.next();
        table.comment = comment.trim_start_matches('\'').to_owned();
        // How tables are kept makes no difference.
        self.words.by_ref().for_each(drop);
        table
    }

    /// Reads the rest of a primary key.
    fn key(&mut self, table: &mut Table) {
        if self.passes("(") {
            table.partition_key.push(self.next());
            while self.passes(",") {
                table.partition_key.push(self.next());
            }
            self.expect(&[")"]);
        } else {
            table.partition_key.push(self.next());
        }
        while self.passes(",") {
            table.clustering.push(self.next());
        }
        self.expect(&[")"]);
    }

    fn select(&mut self) -> Select {
        let mut wanted = vec![self.wanted()];
        while self.passes(",") {
            wanted.push(self.wanted());
        }
        self.expect(&["FROM"]);
        Select {
            table: self.table(),
            wanted,
            conditions: self.conditions(),
        }
    }

    fn wanted(&mut self) -> Wanted {
        let word = self.next();
        match word.as_str() {
            "writetime" => {
                self.expect(&["("]);
                let column = self.next();
                self.expect(&[")"]);
                Wanted::WriteTime(column)
            }
            "toUnixTimestamp" => {
                self.expect(&["(", "now", "(", ")", ")"]);
                Wanted::Now
            }
            _ => Wanted::Column(word),
        }
    }

    fn conditions(&mut self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let mut goes_on = self.passes("WHERE");
        while goes_on {
            let column = self.next();
            let operator = match self.next().as_str() {
                "=" => Operator::Equal,
                ">" => Operator::Greater,
                ">=" => Operator::AtLeast,
                "<=" => Operator::AtMost,
                "IN" => Operator::In,
                other => panic!("no operator {other}"),
            };
            let marker = match operator {
                Operator::In => Marker::ListOf(column.clone()),
                _ => Marker::Column(column.clone()),
            };
            let term = self.term(marker);
            conditions.push(Condition {
                column,
                operator,
                term,
            });
            goes_on = self.passes("AND");
        }
        conditions
    }

    fn insert(&mut self) -> Write {
        self.expect(&["INTO"]);
        let table = self.table();
        self.expect(&["("]);
        let mut columns = vec![self.next()];
        while self.passes(",") {
            columns.push(self.next());
        }
        self.expect(&[")", "VALUES", "("]);
        let mut sets = Vec::new();
        for column in columns {
            if !sets.is_empty() {
                self.expect(&[","]);
            }
            let term = self.term_of(&column);
            sets.push((column, term));
        }
        self.expect(&[")"]);
        let only_if = self.only_if();
        Write {
            kind: Kind::Insert,
            table,
            sets,
            conditions: Vec::new(),
            only_if,
            timestamp: self.timestamp(),
        }
    }

    fn update(&mut self) -> Write {
        let table = self.table();
        let timestamp = self.timestamp();
        let mut sets = Vec::new();
        self.expect(&["SET"]);
        loop {
            let column = self.next();
            self.expect(&["="]);
            let term = self.term_of(&column);
            sets.push((column, term));
            if !self.passes(",") {
                break;
            }
        }
        Write {
            kind: Kind::Update,
            table,
            sets,
            conditions: self.conditions(),
            only_if: self.only_if(),
            timestamp,
        }
    }

    fn delete(&mut self) -> Write {
        self.expect(&["FROM"]);
        let table = self.table();
        let timestamp = self.timestamp();
        Write {
            kind: Kind::Delete,
            table,
            sets: Vec::new(),
            conditions: self.conditions(),
            only_if: self.only_if(),
            timestamp,
        }
    }

    /// Reads the timestamp. Nothing here lives as long as a time to live, which is passed over.
    fn timestamp(&mut self) -> Option<Term> {
        if !self.passes("USING") {
            return None;
        }
        if self.passes("TTL") {
            self.next();
            return None;
        }
        self.expect(&["TIMESTAMP"]);
        Some(self.term(Marker::Timestamp))
    }

    fn only_if(&mut self) -> Option<OnlyIf> {
        if !self.passes("IF") {
            return None;
        }
        if self.passes("NOT") {
            self.expect(&["EXISTS"]);
            return Some(OnlyIf::Missing);
        }
        if self.passes("EXISTS") {
            return Some(OnlyIf::Exists);
        }
        let column = self.next();
        self.expect(&["="]);
        let term = self.term_of(&column);
        Some(OnlyIf::Is(column, term))
    }
}
