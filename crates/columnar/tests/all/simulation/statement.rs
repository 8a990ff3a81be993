//! The statements of the store and of the driver, and no others.

use super::table::Table;

#[derive(Clone, Debug)]
pub enum Statement {
    Create(Table),
    Select(Select),
    Write(Write),
}

#[derive(Clone, Debug)]
pub struct Select {
    pub table: String,
    pub wanted: Vec<Wanted>,
    pub conditions: Vec<Condition>,
}

#[derive(Clone, Debug)]
pub enum Wanted {
    Column(String),
    WriteTime(String),
    /// The clock of the server in milliseconds.
    Now,
}

#[derive(Clone, Debug)]
pub struct Condition {
    pub column: String,
    pub operator: Operator,
    pub term: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Equal,
    Greater,
    AtLeast,
    AtMost,
    In,
}

/// An insert, an update or a deletion.
#[derive(Clone, Debug)]
pub struct Write {
    pub kind: Kind,
    pub table: String,
    /// What is written, in an insert with the key.
    pub sets: Vec<(String, Term)>,
    pub conditions: Vec<Condition>,
    pub only_if: Option<OnlyIf>,
    pub timestamp: Option<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Insert,
    Update,
    Delete,
}

/// The condition of a lightweight transaction.
#[derive(Clone, Debug)]
pub enum OnlyIf {
    Missing,
    Exists,
    Is(String, Term),
}

#[derive(Clone, Debug)]
pub enum Term {
    /// The value that is bound at this place.
    Marker(usize),
    Constant(String),
}

/// What a `?` stands for.
#[derive(Clone, Debug)]
pub enum Marker {
    Column(String),
    ListOf(String),
    Timestamp,
}
