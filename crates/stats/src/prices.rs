//! Prices of machines and storage. They are no measurement: they come with the command that shows one.

use serde::Serialize;

/// Monthly prices in one currency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prices {
    pub title: String,
    pub currency: String,
    pub machine_cores: u32,
    pub machine_month: f64,
    pub storage_gib_month: f64,
}
