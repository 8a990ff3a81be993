//! Prices of machines and storage, in a separate TOML file, since they are not measured.

use std::path::Path;

use crate::{Error, Result};

/// Monthly prices in one currency.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceList {
    /// Name of the vendor or the list.
    pub title: String,
    /// Currency as it is shown, such as `USD`.
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
    /// contains something impossible.
    pub fn read(path: &Path) -> Result<PriceList> {
        let text = std::fs::read_to_string(path).map_err(|source| Error::Read {
            what: "price list",
            path: path.to_owned(),
            source,
        })?;
        PriceList::parse(&text, path)
    }
}
