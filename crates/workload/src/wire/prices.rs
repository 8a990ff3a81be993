use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    pub title: String,
    pub currency: Spanned<String>,
    pub machine: MachinePrice,
    pub storage: StoragePrice,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachinePrice {
    pub cores: Spanned<i64>,
    pub month: Spanned<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoragePrice {
    pub gib_month: Spanned<f64>,
}
