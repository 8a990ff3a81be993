//! What machines and storage cost: a TOML file of its own, since prices are no measurement.

use std::path::Path;

use crate::{Error, Result};

/// Prices a month, in one currency.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceList {
    /// Whose prices they are.
    pub title: String,
    /// As it is shown, `USD`.
    pub currency: String,
    pub machine_cores: u32,
    pub machine_month: f64,
    pub storage_gib_month: f64,
}

impl PriceList {
    /// Reads and checks a price list.
    ///
    /// # Errors
    /// [`Error::Read`] if the file cannot be read, [`Error::Workload`] with line and column if it
    /// says something impossible.
    pub fn read(path: &Path) -> Result<PriceList> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            what: "price list",
            path: path.to_owned(),
            source,
        })?;
        PriceList::parse(&text, path)
    }
}
