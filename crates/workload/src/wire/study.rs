use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    pub title: Spanned<String>,
    pub question: String,
    pub method: Vec<String>,
    pub publication: Publication,
    pub steps: Vec<Step>,
    pub claims: Vec<Claim>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    pub author: String,
    pub year: Spanned<i64>,
    pub title: String,
    pub url: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub name: Spanned<String>,
    pub what: String,
    pub command: Spanned<String>,
    pub workload: String,
    pub share: Spanned<i64>,
    #[serde(default)]
    pub options: Vec<Spanned<String>>,
    #[serde(default)]
    pub at_budget: Vec<Spanned<String>>,
    #[serde(default)]
    pub at_full: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub text: Spanned<String>,
    pub published: Option<String>,
    pub why: Option<String>,
    pub step: Option<Spanned<String>>,
    pub figure: Option<Spanned<String>>,
    pub of: Option<Spanned<String>>,
    pub to: Option<Spanned<String>>,
    pub to_figure: Option<Spanned<String>>,
    pub at_least: Option<Spanned<f64>>,
    pub at_most: Option<Spanned<f64>>,
}
