//! Tables that a file of SQL makes, with their keys and indexes.

use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::DeclaredForm;
use datafusion::sql::sqlparser::ast::{
    AlterTableOperation, ColumnDef, ColumnOption, CreateIndex, CreateTable, Expr, Ident,
    IndexColumn, IndexType, ObjectName, Statement, TableConstraint,
};
use datafusion::sql::sqlparser::dialect::{
    Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};

use super::parse;
use super::sql_checks::bounds;
use super::sql_types::fate;
use super::sql_words::{EnumType, enum_of, is_of_postgres, makes_table};
use super::table::{MOST_KEY_COLUMNS, TableStatement, Written};
use super::words::{is, words};
use crate::dialect::tokens::Token;
use crate::live::Described;

/// Reads the tables that statements make, with their keys and indexes.
///
/// # Errors
/// Says which statement that makes a table cannot be read, and why.
pub fn tables(statements: &[Written<'_>]) -> Result<Vec<TableStatement>, String> {
    let mut made: Vec<Made> = Vec::new();
    let mut enums = Vec::new();
    for statement in statements {
        let Some(words) = words(statement.sql) else {
            continue;
        };
        if makes_table(&words) {
            made.extend(table(statement, &words)?);
        }
        enums.extend(enum_of(&words));
    }
    for statement in statements {
        let Some(words) = words(statement.sql) else {
            continue;
        };
        match changed(statement.sql, &words) {
            Some(Statement::CreateIndex(index)) => add_index(&mut made, index),
            Some(Statement::AlterTable(alter)) => {
                let Some(of) = find(&mut made, &alter.name) else {
                    continue;
                };
                for operation in alter.operations {
                    if let AlterTableOperation::AddConstraint { constraint, .. } = operation {
                        of.add_constraint(&constraint);
                    }
                }
            }
            _ => {}
        }
    }
    let is_of_postgres = statements
        .iter()
        .any(|statement| is_of_postgres(statement.sql));
    Ok(made
        .into_iter()
        .map(|made| made.described(&enums, is_of_postgres))
        .collect())
}

/// Reads a statement that makes a table; `None` if it takes its columns from elsewhere.
fn table(statement: &Written<'_>, words: &[Token<'_>]) -> Result<Option<Made>, String> {
    // No parser knows this word, which says nothing of the table's columns.
    let unlogged = words.get(1).filter(|_| is(words.get(1), "unlogged"));
    let sql = match unlogged {
        Some(word) => statement.sql.replacen(word.text, "", 1),
        None => statement.sql.to_owned(),
    };
    let read = one_statement(&sql).map_err(|why| {
        format!(
            "line {}: cannot read this CREATE TABLE as SQL: {why}; if it is CQL, give the file a name that ends in \
             .cql, or else leave out what is behind its last parenthesis",
            statement.line
        )
    })?;
    match read {
        Statement::CreateTable(create) if !create.columns.is_empty() => {
            Ok(Some(Made::new(statement.line, &create)))
        }
        _ => Ok(None),
    }
}

/// Parses one statement in the first dialect that knows it.
fn one_statement(sql: &str) -> Result<Statement, String> {
    let dialects: [&dyn Dialect; 4] = [
        &PostgreSqlDialect {},
        &MySqlDialect {},
        &SQLiteDialect {},
        &GenericDialect {},
    ];
    let mut first = None;
    for dialect in dialects {
        match parse::statements(dialect, sql) {
            Ok(mut all) => {
                if let (Some(statement), true) = (all.pop(), all.is_empty()) {
                    return Ok(statement);
                }
            }
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| "it is not one statement".to_owned()))
}

/// Parses a statement that makes an index or adds a key; `None` for another one, or one that cannot be read.
fn changed(sql: &str, words: &[Token<'_>]) -> Option<Statement> {
    let has = |keyword: &str| words.iter().any(|word| is(Some(word), keyword));
    let makes_index =
        is(words.first(), "create") && (is(words.get(1), "index") || is(words.get(2), "index"));
    let adds_key = is(words.first(), "alter") && has("add") && (has("primary") || has("unique"));
    if makes_index || adds_key {
        one_statement(sql).ok()
    } else {
        None
    }
}

/// A table that a statement makes.
struct Made {
    line: usize,
    schema: Option<String>,
    name: String,
    columns: Vec<MadeColumn>,
    primary_key: Option<Vec<String>>,
    /// Columns of its indexes, those that are unique too.
    indexes: Vec<MadeIndex>,
    /// The least and the greatest value of columns, as they are checked.
    bounds: Vec<(String, i64, i64)>,
}

struct MadeColumn {
    name: String,
    kind: String,
    is_never_null: bool,
}

struct MadeIndex {
    columns: Vec<String>,
    is_unique: bool,
    is_brin: bool,
}

impl Made {
    fn new(line: usize, create: &CreateTable) -> Made {
        let (schema, name) = qualified(&create.name);
        let mut made = Made {
            line,
            schema,
            name,
            columns: Vec::new(),
            primary_key: None,
            indexes: Vec::new(),
            bounds: Vec::new(),
        };
        for column in &create.columns {
            made.add_column(column);
        }
        for constraint in &create.constraints {
            made.add_constraint(constraint);
        }
        made
    }

    fn add_column(&mut self, column: &ColumnDef) {
        let name = plain(&column.name);
        let mut is_never_null = false;
        for option in &column.options {
            match &option.option {
                ColumnOption::PrimaryKey(_) => self.primary_key = Some(vec![name.clone()]),
                ColumnOption::Unique(_) => self.indexes.push(MadeIndex {
                    columns: vec![name.clone()],
                    is_unique: true,
                    is_brin: false,
                }),
                ColumnOption::NotNull => is_never_null = true,
                ColumnOption::Check(check) => self.add_check(&check.expr),
                _ => {}
            }
        }
        self.columns.push(MadeColumn {
            name,
            kind: column.data_type.to_string(),
            is_never_null,
        });
    }

    fn add_constraint(&mut self, constraint: &TableConstraint) {
        match constraint {
            TableConstraint::PrimaryKey(key) => self.primary_key = names(&key.columns),
            TableConstraint::Check(check) => self.add_check(&check.expr),
            TableConstraint::Unique(unique) => {
                self.indexes
                    .extend(names(&unique.columns).map(|columns| MadeIndex {
                        columns,
                        is_unique: true,
                        is_brin: false,
                    }));
            }
            _ => {}
        }
    }

    fn add_check(&mut self, check: &Expr) {
        let checked = bounds(check).map(|(column, low, high)| (plain(column), low, high));
        self.bounds.extend(checked);
    }

    /// Returns what the values of a column look like: as they are checked, or else as its type says.
    fn form(&self, column: &str, of_type: DeclaredForm) -> DeclaredForm {
        let mut checked = self.bounds.iter().filter(|(of, _, _)| of == column);
        match checked.next() {
            Some((_, low, high)) => DeclaredForm::Between(*low, *high),
            None => of_type,
        }
    }

    /// Names a key that tells more of the rows than a number that is only counted: one with a time that is unique.
    fn better_key(&self, table: &TableStatement) -> Option<String> {
        let counted = self.primary_key.as_ref().filter(|key| key.len() == 1)?;
        let is_time = |column: &String| table.kind(column) == Some(ColumnType::Timestamp);
        let better = self.indexes.iter().find(|index| {
            index.is_unique && index.columns.len() > 1 && index.columns.iter().any(is_time)
        })?;
        let time = better.columns.iter().find(|column| is_time(column))?;
        let others: Vec<&str> = { better.columns.iter() }
            .filter(|column| *column != time)
            .map(String::as_str)
            .collect();
        let others = others.join(",");
        Some(format!(
            "`{}` has the key ({}) and a UNIQUE ({}), which is the better key if rows are asked for by it: --key {others} \
             --time {time}",
            self.place(),
            counted.join(", "),
            better.columns.join(", ")
        ))
    }

    /// Returns the whole name.
    fn place(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns the columns of the key, and a note if they need not tell rows apart.
    fn key(&self) -> (Vec<String>, Option<String>) {
        if let Some(key) = &self.primary_key {
            return (key.clone(), None);
        }
        let never_null = |called: &String| {
            self.columns
                .iter()
                .any(|column| column.name == *called && column.is_never_null)
        };
        let is_key = |index: &&MadeIndex| index.is_unique && index.columns.iter().all(never_null);
        if let Some(index) = self.indexes.iter().find(is_key) {
            return (index.columns.clone(), None);
        }
        match self.indexes.first() {
            None => (Vec::new(), None),
            Some(index) => {
                let note = format!(
                    "`{}` has no PRIMARY KEY: its key is that of an index, ({}), which need not tell rows apart; name \
                     other columns with --key and --time",
                    self.place(),
                    index.columns.join(", ")
                );
                (index.columns.clone(), Some(note))
            }
        }
    }

    fn described(self, enums: &[EnumType], is_of_postgres: bool) -> TableStatement {
        let (key, note) = self.key();
        let of_types = self
            .columns
            .iter()
            .map(|column| (column, fate(&column.kind, enums)));
        let of_types: Vec<_> = of_types.collect();
        let columns: Vec<Described> = { of_types.iter() }
            .map(|(column, (fate, _))| Described {
                name: column.name.clone(),
                stored_as: column.kind.to_lowercase(),
                is_key: key.contains(&column.name),
                fate: *fate,
            })
            .collect();
        let forms = of_types.iter().map(|(column, (_, form))| {
            (column.name.clone(), self.form(&column.name, form.clone()))
        });
        let mut table = TableStatement {
            name: self.name.clone(),
            place: self.place(),
            line: self.line,
            forms: forms.collect(),
            columns,
            partition_key: Vec::new(),
            order_key: Vec::new(),
            descending: Vec::new(),
            about: Vec::new(),
            notes: note.into_iter().collect(),
            design: None,
        };
        table.divide(&key);
        let better = self.better_key(&table);
        table.notes.extend(better);
        if is_of_postgres && !key.is_empty() {
            table.design = Some(self.design(table.order_key.first()));
        }
        table
    }

    /// Returns the id of the design of PostgreSQL that is like the table.
    fn design(&self, order: Option<&String>) -> String {
        let of_time = |index: &MadeIndex| {
            !index.is_brin && index.columns.len() == 1 && index.columns.first() == order
        };
        let all_are_brin =
            !self.indexes.is_empty() && self.indexes.iter().all(|index| index.is_brin);
        if order.is_some() && self.indexes.iter().any(of_time) {
            "postgres/plain?time-index=on".to_owned()
        } else if order.is_some() && self.primary_key.is_none() && all_are_brin {
            "postgres/brin".to_owned()
        } else {
            "postgres/plain".to_owned()
        }
    }
}

fn add_index(made: &mut [Made], index: CreateIndex) {
    let Some(of) = find(made, &index.table_name) else {
        return;
    };
    let Some(columns) = names(&index.columns) else {
        return;
    };
    of.indexes.push(MadeIndex {
        columns,
        is_unique: index.unique && index.predicate.is_none(),
        is_brin: index.using == Some(IndexType::BRIN),
    });
}

/// Returns the table that a statement changes.
fn find<'a>(made: &'a mut [Made], called: &ObjectName) -> Option<&'a mut Made> {
    let (schema, name) = qualified(called);
    made.iter_mut().find(|made| {
        let is_same = schema.is_none() || made.schema.is_none() || schema == made.schema;
        is_same && made.name == name
    })
}

/// Returns the schema and the name of a table.
fn qualified(name: &ObjectName) -> (Option<String>, String) {
    let parts = name.0.iter().filter_map(|part| part.as_ident());
    let mut parts: Vec<String> = parts.map(plain).collect();
    let name = parts.pop().unwrap_or_default();
    (parts.pop(), name)
}

/// Returns a name as SQL means it: in lower case unless it has quotes.
fn plain(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_lowercase(),
    }
}

/// Returns the columns of an index; `None` if it is of something else, or of more columns than an index has.
fn names(columns: &[IndexColumn]) -> Option<Vec<String>> {
    if columns.len() > MOST_KEY_COLUMNS {
        return None;
    }
    let name = |column: &IndexColumn| match &column.column.expr {
        Expr::Identifier(name) => Some(plain(name)),
        _ => None,
    };
    columns.iter().map(name).collect()
}

#[cfg(test)]
mod tests;
