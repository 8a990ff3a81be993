use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrent {
    pub clients: Option<Spanned<i64>>,
    pub permutations: Option<Spanned<i64>>,
    pub seconds: Option<Spanned<i64>>,
}
