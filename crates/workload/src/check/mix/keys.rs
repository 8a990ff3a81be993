//! Checks the keys of an operation, which choose its rows.

use std::ops::Range;

use toml::{Spanned, Value};

use super::super::number;
use super::super::text::suggestion;
use super::About;
use crate::source::KeyDigits;
use crate::{Action, Data, Generator, Keys, Result, wire};

/// Laws that take no number.
const WORDS: [&str; 3] = ["new", "uniform", "sequential"];
/// Laws that take a number.
const LAWS: [&str; 3] = ["zipf", "normal", "latest"];

impl About<'_> {
    /// Checks the keys of an operation; `insert` writes new rows by default, and all others draw uniformly.
    pub fn keys(&self, action: &Action, written: &wire::Operation) -> Result<Keys> {
        let keys = match &written.keys {
            Some(keys) => self.law(keys)?,
            None if *action == Action::Insert => Keys::New,
            None => Keys::Uniform,
        };
        if keys == Keys::New {
            let span = written
                .keys
                .as_ref()
                .map_or(written.action.span(), Spanned::span);
            self.can_be_new(action, written.keys.is_none(), span)?;
        }
        Ok(keys)
    }

    fn law(&self, written: &Spanned<Value>) -> Result<Keys> {
        let error = |message: String| self.document.error(written.span(), message);
        match written.get_ref() {
            Value::String(word) => match word.as_str() {
                "new" => Ok(Keys::New),
                "uniform" => Ok(Keys::Uniform),
                "sequential" => Ok(Keys::Sequential),
                law if LAWS.contains(&law) => Err(error(format!(
                    "`{law}` needs a number: keys = {{ {law} = {} }}",
                    if law == "normal" { 0.1 } else { 0.99 }
                ))),
                _ => {
                    let hint = suggestion(word, WORDS.into_iter().chain(LAWS));
                    Err(error(format!("unknown keys `{word}`{hint}")))
                }
            },
            Value::Table(table) if table.len() == 1 => {
                let Some((law, value)) = table.iter().next() else {
                    return Err(error("`keys` is empty".to_owned()));
                };
                if !LAWS.contains(&law.as_str()) {
                    let hint = suggestion(law, LAWS);
                    return Err(error(format!("unknown keys `{law}`{hint}")));
                }
                self.law_with_number(law, value, written.span())
            }
            _ => Err(error(
                "`keys` is one of \"new\", \"uniform\", \"sequential\", { zipf = 0.99 }, \
                 { normal = 0.1 } and { latest = 0.99 }"
                    .to_owned(),
            )),
        }
    }

    fn law_with_number(&self, law: &str, value: &Value, span: Range<usize>) -> Result<Keys> {
        let number = match value {
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            other => {
                let message = format!("`{law}` is {other}, but has to be a number");
                return Err(self.document.error(span, message));
            }
        };
        let number = number::positive(self.document, number, span, law)?;
        Ok(match law {
            "zipf" => Keys::Zipf { exponent: number },
            "latest" => Keys::Latest { exponent: number },
            _ => Keys::Normal { deviation: number },
        })
    }

    /// Checks that new rows are inserted, and come from a source that has them.
    fn can_be_new(&self, action: &Action, by_default: bool, span: Range<usize>) -> Result<()> {
        let error = |message: String| Err(self.document.error(span.clone(), message));
        let is_cql = matches!(action, Action::Cql(_));
        if *action != Action::Insert && !is_cql {
            return error(
                "`keys = \"new\"` is only for actions that insert rows: `insert` and `cql`"
                    .to_owned(),
            );
        }
        let said = if by_default {
            "`insert` writes new rows by default, but"
        } else {
            "`keys = \"new\"` is impossible:"
        };
        let advice = "write keys = \"uniform\" to overwrite existing rows";
        let Data::Generator(Generator::Columns(generators)) = self.data else {
            return error(format!(
                "{said} only `generator = \"columns\"` makes rows beyond those that are loaded; \
                 use it, or {advice}"
            ));
        };
        match KeyDigits::find(self.table, generators).unique_rows() {
            Some(unique) if !is_cql => error(format!(
                "{said} keys begin again after {unique} rows; leave `cycle` out of the slowest \
                 sequence of the key, or {advice}"
            )),
            _ => Ok(()),
        }
    }
}
