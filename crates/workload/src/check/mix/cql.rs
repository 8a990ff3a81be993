//! Checks operations that are written in CQL.

use toml::Spanned;

use super::super::text::suggestion;
use super::super::toml_string::offset_in;
use super::About;
use super::names::{self, KEYSPACE};
use super::statement::{self, Scanned};
use super::tokens::Complaint;
use crate::{Action, CqlOperation, CqlStatement, CqlValue, Error, Result, wire};

/// Markers that are not columns, with the values bound to them.
type Bound = Vec<(String, CqlValue)>;

impl About<'_> {
    /// Checks an operation with its statements.
    pub fn cql(&self, mix: &wire::Mix, wire: &Spanned<wire::Operation>) -> Result<Action> {
        let written = wire.get_ref();
        if mix.schema.is_empty() {
            let message = "statements need the tables that they are about: add schema = [\"CREATE \
                           TABLE ${keyspace}...\"] to [mix]";
            return Err(self.document.error(written.action.span(), message));
        }
        let texts = match &written.statements {
            Some(texts) if texts.get_ref().is_empty() => {
                return Err(self.no_statements(texts.span()));
            }
            Some(texts) => texts.get_ref(),
            None => {
                let message = "`cql` needs `statements`";
                return Err(self.document.error(written.action.span(), message));
            }
        };
        let bound = self.bound(written)?;
        let mut statements = Vec::with_capacity(texts.len());
        for (number, text) in texts.iter().enumerate() {
            let no_result = (number == 0).then_some("there is no statement before this one");
            statements.push(self.statement(text, &bound, no_result)?);
        }
        let otherwise = self.otherwise(written, &bound, &statements)?;
        self.all_bound(written, statements.iter().chain(&otherwise))?;
        self.looks_at_rows(written, &statements)?;
        let expect = written.expect.as_ref().map_or(&[][..], |e| e.get_ref());
        Ok(Action::Cql(CqlOperation {
            expect: expect
                .iter()
                .map(|c| self.column(c))
                .collect::<Result<_>>()?,
            expect_row: written.expect_row.as_ref().is_some_and(|e| *e.get_ref()),
            statements: statements.into_iter().map(|(s, _)| s).collect(),
            otherwise: otherwise.map(|(s, _)| s),
        }))
    }

    /// Returns statements without values, as written.
    pub fn plain_statements(
        &self,
        written: &[Spanned<String>],
        known: &[&str],
    ) -> Result<Vec<String>> {
        let checked = |statement: &Spanned<String>| {
            statement::check_placeholders(statement.get_ref(), known)
                .map_err(|complaint| self.complain(statement, complaint))?;
            Ok(statement.get_ref().clone())
        };
        written.iter().map(checked).collect()
    }

    /// Returns the statements that insert the rows to load.
    pub fn populate(&self, mix: &wire::Mix) -> Result<Vec<CqlStatement>> {
        if let (Some(first), true) = (mix.populate.first(), mix.schema.is_empty()) {
            let message = "`populate` needs the tables that `schema` makes";
            return Err(self.document.error(first.span(), message));
        }
        let none: Bound = Vec::new();
        let statement = |text| Ok(self.statement(text, &none, None)?.0);
        mix.populate.iter().map(statement).collect()
    }

    fn complain(&self, text: &Spanned<String>, (at, message): Complaint) -> Error {
        let offset = offset_in(self.document, text, at);
        self.document.error(offset..offset, message)
    }

    /// Returns a statement with its values, and the names of its markers. `no_result` says why
    /// results cannot be bound, if they cannot.
    fn statement(
        &self,
        text: &Spanned<String>,
        bound: &Bound,
        no_result: Option<&str>,
    ) -> Result<(CqlStatement, Vec<String>)> {
        let complain = |complaint| self.complain(text, complaint);
        statement::check_placeholders(text.get_ref(), &[KEYSPACE]).map_err(complain)?;
        let Scanned { cql, markers } = statement::scan(text.get_ref()).map_err(complain)?;
        // What is sent has question marks, beside which other tokens may begin.
        names::stay_in_keyspace(&cql).map_err(|(_, message)| complain((0, message)))?;
        let mut values = Vec::with_capacity(markers.len());
        for marker in &markers {
            let value = self
                .value(&marker.name, bound)
                .and_then(|value| self.list_or_item(value, marker))
                .map_err(|message| complain((marker.at, message)))?;
            if let (true, Some(why)) = (comes_from_result(&value), no_result) {
                let message = format!("`:{}` comes from a result, but {why}", marker.name);
                return Err(complain((marker.at, message)));
            }
            values.push(value);
        }
        let names = markers.into_iter().map(|marker| marker.name).collect();
        Ok((CqlStatement { cql, values }, names))
    }

    fn value(&self, name: &str, bound: &Bound) -> Result<CqlValue, String> {
        if let Some((_, value)) = bound.iter().find(|(n, _)| n == name) {
            return Ok(value.clone());
        }
        if let Some(column) = self.table.columns.iter().position(|c| c.name == name) {
            return Ok(CqlValue::Column {
                column,
                second_version: false,
            });
        }
        let columns = self.table.columns.iter().map(|c| c.name.as_str());
        let hint = suggestion(name, columns.chain(bound.iter().map(|(n, _)| n.as_str())));
        Err(format!(
            "`:{name}` is neither a column of the table nor in `bind`{hint}"
        ))
    }

    fn otherwise(
        &self,
        written: &wire::Operation,
        bound: &Bound,
        statements: &[(CqlStatement, Vec<String>)],
    ) -> Result<Option<(CqlStatement, Vec<String>)>> {
        let Some(text) = &written.otherwise else {
            return Ok(None);
        };
        let mut values = statements.iter().flat_map(|(s, _)| &s.values);
        if !values.any(comes_from_result) {
            let message = "`otherwise` is executed if a result that is bound has no row, but no \
                           statement binds one";
            return Err(self.document.error(text.span(), message));
        }
        let why = "`otherwise` is executed when there was no row";
        self.statement(text, bound, Some(why)).map(Some)
    }

    /// Checks that a statement uses each marker in `bind`.
    fn all_bound<'s>(
        &self,
        written: &wire::Operation,
        statements: impl Iterator<Item = &'s (CqlStatement, Vec<String>)> + Clone,
    ) -> Result<()> {
        let names = written.bind.iter().flat_map(|bind| bind.get_ref().keys());
        for name in names {
            let lower = name.get_ref().to_lowercase();
            if !statements
                .clone()
                .any(|(_, markers)| markers.contains(&lower))
            {
                let message = format!("`{name}` is never used; write :{name} in a statement");
                return Err(self.document.error(name.span(), message));
            }
        }
        Ok(())
    }

    /// Checks that the last result has rows if something is expected of them.
    fn looks_at_rows(
        &self,
        written: &wire::Operation,
        statements: &[(CqlStatement, Vec<String>)],
    ) -> Result<()> {
        let selects = statements.last().is_some_and(|(last, _)| !last.writes());
        let expect = written.expect.as_ref().map(|e| ("expect", e.span()));
        let expect_row = written.expect_row.as_ref().filter(|e| *e.get_ref());
        let expected = expect.or(expect_row.map(|e| ("expect_row", e.span())));
        match expected {
            Some((key, span)) if !selects => {
                let message = format!(
                    "`{key}` is about the rows of the last statement, which is not a SELECT and has \
                     none; leave it out, or add a SELECT"
                );
                Err(self.document.error(span, message))
            }
            _ => Ok(()),
        }
    }

    fn bound(&self, written: &wire::Operation) -> Result<Bound> {
        let entries = written.bind.iter().flat_map(|bind| bind.get_ref());
        entries
            .map(|(name, value)| Ok((name.get_ref().to_lowercase(), self.bound_value(value)?)))
            .collect()
    }

    fn bound_value(&self, wire: &Spanned<wire::Bind>) -> Result<CqlValue> {
        let written = wire.get_ref();
        match (&written.column, &written.result) {
            (Some(column), None) if written.plus.is_none() && written.toggle.is_none() => {
                self.bound_column(column, written.version.as_ref())
            }
            (None, Some(result)) if written.version.is_none() => {
                // CQL folds names without quotes to lower case.
                let column = result.get_ref().to_lowercase();
                match (&written.toggle, &written.plus) {
                    (None, plus) => Ok(CqlValue::Result {
                        column,
                        plus: plus.as_ref().map_or(0, |plus| *plus.get_ref()),
                    }),
                    (Some(words), None) => self.toggle(column, words),
                    (Some(words), Some(_)) => Err(self.document.error(
                        words.span(),
                        "a result is either counted up by `plus` or changed by `toggle`",
                    )),
                }
            }
            _ => Err(self.document.error(
                wire.span(),
                "a marker is bound to { column = \"..\", version = 2 }, to { result = \"..\", plus \
                 = 1 }, or to { result = \"..\", toggle = [\"a\", \"b\"] }",
            )),
        }
    }

    fn bound_column(
        &self,
        written: &Spanned<String>,
        version: Option<&Spanned<i64>>,
    ) -> Result<CqlValue> {
        let name = self.column(written)?;
        let second_version = match version.map(|v| (*v.get_ref(), v.span())) {
            None | Some((1, _)) => false,
            Some((2, span)) if self.table.is_key(&name) => {
                let message = format!("column `{name}` is in the key and has one version only");
                return Err(self.document.error(span, message));
            }
            Some((2, _)) => true,
            Some((other, span)) => {
                let message = format!(
                    "`version` is {other}, but cells have two: 1 is inserted, 2 is what updates \
                     write"
                );
                return Err(self.document.error(span, message));
            }
        };
        let column = self.table.columns.iter().position(|c| c.name == name);
        Ok(CqlValue::Column {
            column: column.unwrap_or_default(),
            second_version,
        })
    }

    fn toggle(&self, column: String, words: &Spanned<Vec<String>>) -> Result<CqlValue> {
        match &words.get_ref()[..] {
            [one, other] if one != other => Ok(CqlValue::Toggle {
                column,
                between: [one.clone(), other.clone()],
            }),
            [..] => Err(self.document.error(
                words.span(),
                "`toggle` has two different words, each of which is changed to the other",
            )),
        }
    }
}

fn comes_from_result(value: &CqlValue) -> bool {
    matches!(value, CqlValue::Result { .. } | CqlValue::Toggle { .. })
}
