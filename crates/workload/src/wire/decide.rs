use serde::Deserialize;
use toml::Spanned;

use super::Names;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    pub minimise: Option<Spanned<String>>,
    pub weights: Option<Spanned<Names<Spanned<f64>>>>,
    #[serde(default)]
    pub limits: Vec<Spanned<String>>,
    pub same_within: Option<Spanned<String>>,
    pub baseline: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    pub series: Option<Spanned<f64>>,
    pub time: Option<Spanned<f64>>,
}
