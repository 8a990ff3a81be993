//! The id of a design.

use std::collections::BTreeMap;
use std::fmt;

/// Engine, layout and settings, such as `cassandra/wide?bucket=1d&chunk=4KiB`.
///
/// Settings are in the order of their names, so that equal designs have equal ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DesignId {
    pub engine: String,
    /// Layout; absent for engines with a single one (`parquet`, `memory`).
    pub layout: Option<String>,
    pub settings: BTreeMap<String, Setting>,
    /// Suffix of a further table of the design; the design's own table has none. Users do not write it.
    pub tag: Option<String>,
}

pub type Setting = String;

impl fmt::Display for DesignId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.engine)?;
        if let Some(layout) = &self.layout {
            write!(f, "/{layout}")?;
        }
        let mut separator = '?';
        for (name, value) in &self.settings {
            write!(f, "{separator}{name}={value}")?;
            separator = '&';
        }
        match &self.tag {
            Some(tag) => write!(f, "#{tag}"),
            None => Ok(()),
        }
    }
}

impl std::str::FromStr for DesignId {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (before_settings, query) = text.split_once('?').unwrap_or((text, ""));
        let (engine, layout) = match before_settings.split_once('/') {
            Some((engine, layout)) => (engine, Some(layout.to_owned())),
            None => (before_settings, None),
        };
        let word = |w: &str| {
            !w.is_empty()
                && w.chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        if !word(engine) || layout.as_deref().is_some_and(|l| !word(l)) {
            return Err(format!(
                "`{text}` is not a design id; write engine/layout?setting=value&..., \
                 for example cassandra/wide?chunk=4KiB"
            ));
        }
        let mut settings = BTreeMap::new();
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair
                .split_once('=')
                .filter(|(n, v)| word(n) && !v.is_empty())
                .ok_or_else(|| format!("`{pair}` in design id `{text}` is not setting=value"))?;
            if settings.insert(name.to_owned(), value.to_owned()).is_some() {
                return Err(format!("design id `{text}` has the setting `{name}` twice"));
            }
        }
        Ok(DesignId {
            engine: engine.to_owned(),
            layout,
            settings,
            tag: None,
        })
    }
}
