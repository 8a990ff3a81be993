//! Settings of a design id, taken one by one so that an unknown one is noticed.

use std::collections::BTreeMap;
use std::str::FromStr;

use bakeoff_workload::DesignId;

use crate::EngineError;

/// What is left of a design's settings.
pub struct Settings<'a> {
    id: &'a DesignId,
    left: BTreeMap<&'a str, &'a str>,
}

impl<'a> Settings<'a> {
    pub fn of(id: &'a DesignId) -> Self {
        let left = id
            .settings
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        Settings { id, left }
    }

    /// Takes a setting that is one of these words, compared without regard to case.
    pub fn word(
        &mut self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, EngineError> {
        let Some(value) = self.left.remove(name) else {
            return Ok(None);
        };
        let known = words
            .iter()
            .copied()
            .find(|w| w.eq_ignore_ascii_case(value));
        known
            .map(Some)
            .ok_or_else(|| self.error(format!("{name}={value} is not one of {}", words.join(", "))))
    }

    /// Takes a setting that has to parse; `form` says what it looks like.
    pub fn parsed<T: FromStr>(&mut self, name: &str, form: &str) -> Result<Option<T>, EngineError> {
        let Some(value) = self.left.remove(name) else {
            return Ok(None);
        };
        let parsed = value.parse().map(Some);
        parsed.map_err(|_| self.error(format!("{name}={value} is not {form}")))
    }

    /// Takes a size in KiB written as `4KiB` or `4`.
    pub fn kib(&mut self, name: &str) -> Result<Option<u32>, EngineError> {
        let Some(value) = self.left.remove(name) else {
            return Ok(None);
        };
        let number = value
            .strip_suffix("KiB")
            .or_else(|| value.strip_suffix("KB"))
            .unwrap_or(value);
        match number.parse::<u32>() {
            Ok(kib) if kib.is_power_of_two() && kib <= 1024 => Ok(Some(kib)),
            _ => Err(self.error(format!(
                "{name}={value} is not a power of two in KiB up to 1024, for example {name}=16KiB"
            ))),
        }
    }

    /// Fails when a setting is left that nobody asked for.
    pub fn end(self, known: &str) -> Result<(), EngineError> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                Err(self.error(format!("unknown setting `{unknown}`; there are: {known}")))
            }
        }
    }

    pub fn error(&self, message: String) -> EngineError {
        EngineError(format!("design {}: {message}", self.id))
    }
}
