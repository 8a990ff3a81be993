use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Concurrent {
    pub clients: Option<Spanned<i64>>,
    pub clients_per_node: Option<Spanned<i64>>,
    pub one_query_at_a_time: Option<bool>,
    pub permutations: Option<Spanned<i64>>,
    pub parameter_sets: Option<Spanned<i64>>,
    pub seconds: Option<Spanned<i64>>,
}
