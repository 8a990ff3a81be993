//! Checks the action of an operation.

use std::ops::Range;

use toml::Spanned;

use super::super::number;
use super::super::table::suggest_column;
use super::super::text::{quoted, suggestion};
use super::About;
use crate::{Action, Result, wire};

const ACTIONS: [&str; 9] = [
    "insert",
    "update",
    "delete-row",
    "delete-partition",
    "read-row",
    "read-partition",
    "read-range",
    "query",
    "cql",
];

/// Number of rows of a range by default.
const USUAL_RANGE_ROWS: u32 = 100;

/// A key of an operation, its span if it is given, and the actions that it is for.
type Restricted<'a> = (&'a str, Option<Range<usize>>, &'a [&'a str]);

impl About<'_> {
    /// Checks the action of an operation with its keys.
    pub fn action(&self, mix: &wire::Mix, wire: &Spanned<wire::Operation>) -> Result<Action> {
        let written = wire.get_ref();
        let name = written.action.get_ref().as_str();
        if !ACTIONS.contains(&name) {
            let hint = suggestion(name, ACTIONS);
            let message = format!("unknown action `{name}`{hint}");
            return Err(self.document.error(written.action.span(), message));
        }
        self.check_applicable_keys(name, written)?;
        if name != "cql" && !mix.schema.is_empty() {
            let message = format!(
                "`{name}` needs a table that a layout made, but the tables of this workload are \
                 made by its `schema`: write action = \"cql\" with `statements`"
            );
            return Err(self.document.error(written.action.span(), message));
        }
        match name {
            "insert" => Ok(Action::Insert),
            "update" => self.update(written),
            "delete-row" => Ok(Action::DeleteRow),
            "delete-partition" => Ok(Action::DeletePartition),
            "read-row" => Ok(Action::ReadRow),
            "read-partition" => self.read_partition(written),
            "read-range" => {
                self.has_order(written)?;
                let rows = number::small(self.document, written.rows.as_ref(), "rows")?;
                Ok(Action::ReadRange {
                    rows: rows.unwrap_or(USUAL_RANGE_ROWS),
                })
            }
            "query" => self.query(wire),
            _ => self.cql(mix, wire),
        }
    }

    /// Checks that an operation has no keys that do not apply to its action.
    fn check_applicable_keys(&self, action: &str, written: &wire::Operation) -> Result<()> {
        fn span<T>(value: &Option<Spanned<T>>) -> Option<Range<usize>> {
            value.as_ref().map(Spanned::span)
        }
        const CQL: &[&str] = &["cql"];
        let rows_only: Vec<&str> = ACTIONS.into_iter().filter(|a| *a != "query").collect();
        let keys: [Restricted<'_>; 15] = [
            ("keys", span(&written.keys), &rows_only),
            ("ttl", span(&written.ttl), &["insert", "update"]),
            ("batch", span(&written.batch), &["insert"]),
            ("columns", span(&written.columns), &["update"]),
            ("limit", span(&written.limit), &["read-partition"]),
            (
                "newest_first",
                span(&written.newest_first),
                &["read-partition"],
            ),
            ("requests", span(&written.requests), &["read-partition"]),
            ("at_once", span(&written.at_once), &["read-partition"]),
            ("rows", span(&written.rows), &["read-range"]),
            ("query", span(&written.query), &["query"]),
            ("statements", span(&written.statements), CQL),
            ("bind", span(&written.bind), CQL),
            ("otherwise", span(&written.otherwise), CQL),
            ("expect", span(&written.expect), CQL),
            ("expect_row", span(&written.expect_row), CQL),
        ];
        for (key, span, actions) in keys {
            if let (Some(span), false) = (span, actions.contains(&action)) {
                let message = format!(
                    "`{key}` does not apply to `{action}`, only to {}",
                    quoted(actions)
                );
                return Err(self.document.error(span, message));
            }
        }
        Ok(())
    }

    fn update(&self, written: &wire::Operation) -> Result<Action> {
        let Some(names) = &written.columns else {
            let columns: Vec<String> = self
                .table
                .columns
                .iter()
                .map(|c| c.name.clone())
                .filter(|name| !self.table.is_key(name))
                .collect();
            return if columns.is_empty() {
                Err(self.document.error(
                    written.action.span(),
                    "all columns of the table are in its key, so there is none to update",
                ))
            } else {
                Ok(Action::Update { columns })
            };
        };
        if names.get_ref().is_empty() {
            return Err(self.document.error(names.span(), "`columns` is empty"));
        }
        let mut columns: Vec<String> = Vec::with_capacity(names.get_ref().len());
        for name in names.get_ref() {
            let column = self.column(name)?;
            if self.table.is_key(&column) {
                let message = format!(
                    "column `{column}` is in the key, and a row's key cannot be updated; delete \
                     the row and insert another one"
                );
                return Err(self.document.error(name.span(), message));
            }
            if columns.contains(&column) {
                let message = format!("column `{column}` appears twice");
                return Err(self.document.error(name.span(), message));
            }
            columns.push(column);
        }
        Ok(Action::Update { columns })
    }

    /// Returns the name of a column of the table, in lower case.
    pub fn column(&self, written: &Spanned<String>) -> Result<String> {
        let name = written.get_ref().to_lowercase();
        match self.table.column(&name) {
            Some(_) => Ok(name),
            None => {
                let hint = suggest_column(self.table, &name);
                let message = format!("column `{written}` is not in the table{hint}");
                Err(self.document.error(written.span(), message))
            }
        }
    }

    pub fn has_order(&self, written: &wire::Operation) -> Result<()> {
        if self.table.order_key.is_empty() {
            let message = format!(
                "`{}` needs partitions of several rows, but the table has no `order_key`; \
                     write action = \"read-row\"",
                written.action
            );
            Err(self.document.error(written.action.span(), message))
        } else {
            Ok(())
        }
    }

    fn query(&self, wire: &Spanned<wire::Operation>) -> Result<Action> {
        let Some(name) = &wire.get_ref().query else {
            let message = "say which query of the file is asked: query = \"its name\"";
            return Err(self.document.error(wire.get_ref().action.span(), message));
        };
        let wanted = name.get_ref().to_lowercase();
        match self.queries.iter().position(|q| q.name == wanted) {
            Some(query) => Ok(Action::Query { query }),
            None => {
                let hint = suggestion(&wanted, self.queries.iter().map(|q| q.name.as_str()));
                let message = format!("there is no query `{name}` in this file{hint}");
                Err(self.document.error(name.span(), message))
            }
        }
    }
}
