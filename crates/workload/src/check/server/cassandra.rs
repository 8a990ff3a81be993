//! Checks `[server.cassandra]`: keys of `cassandra.yaml`.

use toml::{Spanned, Value};

use super::super::text::{Text, suggestion};
use super::form::Form;
use super::{keys, needed};
use crate::{Result, wire};

/// Returns the keys with their values as Cassandra reads them.
///
/// # Errors
/// A key may not be set, or its value has another form.
pub fn check(
    document: Text<'_>,
    written: &wire::Names<Spanned<Value>>,
) -> Result<Vec<(String, String)>> {
    let settings = written
        .iter()
        .map(|(key, value)| -> Result<(String, String)> {
            let name = key.get_ref();
            let form = form_of(name).map_err(|message| document.error(key.span(), message))?;
            let text = form.text(value.get_ref()).ok_or_else(|| {
                let message = form.complaint(name, value.get_ref());
                document.error(value.span(), message)
            })?;
            Ok((name.clone(), text))
        });
    settings.collect()
}

/// Returns the form of a key's values, or why it may not be set.
fn form_of(name: &str) -> Result<Form, String> {
    if let Some(form) = keys::form(name) {
        return Ok(form);
    }
    if let Some(reason) = needed::reason(name) {
        return Err(format!("`{name}` cannot be set: {reason}"));
    }
    let hint = suggestion(name, keys::names());
    Err(format!(
        "`{name}` is not among the keys of cassandra.yaml that may be set (`bakeoff list` has them \
         all){hint}"
    ))
}

#[cfg(test)]
mod tests;
