//! Checks lists of numbers.

use toml::Spanned;

use super::Checked;
use crate::{ColumnGenerator, RealLaw, Result, wire};

/// Largest number of items of a list, which is that of Cassandra's vectors.
const MOST_ITEMS: u32 = 8192;

impl Checked<'_> {
    /// Checks a list of numbers, which all have the same distribution.
    pub fn doubles(&self, wire: &Spanned<wire::Doubles>) -> Result<ColumnGenerator> {
        let written = wire.get_ref();
        let items = u32::try_from(*written.items.get_ref()).ok();
        let Some(items) = items.filter(|items| (1..=MOST_ITEMS).contains(items)) else {
            let message = format!(
                "`items` is {}, but has to be from 1 to {MOST_ITEMS}",
                written.items
            );
            return Err(self.document.error(written.items.span(), message));
        };
        let law = match (&written.uniform, &written.normal) {
            (Some(uniform), None) => {
                let (from, to) = self.uniform_reals(uniform)?;
                RealLaw::Uniform { from, to }
            }
            (None, Some(normal)) => {
                let (mean, deviation) = self.normal(normal.get_ref())?;
                RealLaw::Normal { mean, deviation }
            }
            _ => {
                let message = "`doubles` has one distribution: doubles = { items = 100, uniform = \
                               [0, 1] }, or normal = { mean = 0, deviation = 1 }";
                return Err(self.document.error(wire.span(), message));
            }
        };
        Ok(ColumnGenerator::Doubles { items, law })
    }
}
