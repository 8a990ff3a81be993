//! Checks price lists.

use std::path::Path;

use toml::Spanned;

use super::text::Text;
use super::{number, toml_error};
use crate::{PriceList, Result, wire};

/// Largest number of characters of a currency that fits into a table's column.
const CURRENCY_CHARACTERS: usize = 8;

impl PriceList {
    /// Checks the text of a price list; `path` names it in errors.
    ///
    /// # Errors
    /// [`Error::Workload`](crate::Error::Workload) with line and column if it contains something
    /// impossible.
    pub fn parse(text: &str, path: &Path) -> Result<PriceList> {
        let document = Text { path, text };
        let wire: wire::PriceList =
            toml::from_str(text).map_err(|error| toml_error::explain(document, &error))?;
        let (machine, cores) = (&wire.machine, &wire.machine.cores);
        Ok(PriceList {
            currency: currency(document, &wire.currency)?,
            machine_cores: number::small(document, Some(cores), "cores")?.unwrap_or(1),
            machine_month: price(document, &machine.month, "month")?,
            storage_gib_month: price(document, &wire.storage.gib_month, "gib_month")?,
            title: wire.title,
        })
    }
}

fn currency(document: Text<'_>, written: &Spanned<String>) -> Result<String> {
    let currency = written.get_ref().trim();
    match currency.chars().count() {
        1..=CURRENCY_CHARACTERS => Ok(currency.to_owned()),
        _ => {
            let message = format!(
                "`currency` has to be 1 to {CURRENCY_CHARACTERS} characters: currency = \"USD\""
            );
            Err(document.error(written.span(), message))
        }
    }
}

/// Checks a price, which may be 0 but not negative.
fn price(document: Text<'_>, written: &Spanned<f64>, key: &str) -> Result<f64> {
    let price = *written.get_ref();
    if price.is_finite() && price >= 0.0 {
        Ok(price)
    } else {
        let message = format!("`{key}` is {price}, but a price has to be 0 or more");
        Err(document.error(written.span(), message))
    }
}
