use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaleSample {
    pub rows: Spanned<i64>,
    pub along: Spanned<String>,
}
