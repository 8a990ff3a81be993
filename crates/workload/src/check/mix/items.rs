//! Checks markers for lists of numbers and their items.

use super::About;
use super::statement::Marker;
use crate::{ColumnGenerator, CqlValue, Data, Generator};

impl About<'_> {
    /// Returns the value of a marker for what its name is bound to: a column of lists becomes the
    /// list or one of its items.
    pub fn list_or_item(&self, value: CqlValue, marker: &Marker) -> Result<CqlValue, String> {
        let name = &marker.name;
        let (items, column, second_version) = match value {
            CqlValue::Column {
                column,
                second_version,
            } => (self.items(column), column, second_version),
            _ => (None, 0, false),
        };
        match (items, marker.item) {
            (None, None) => Ok(value),
            (None, Some(_)) => Err(format!(
                "`:{name}` has no items: write :{name} without brackets, or give a blob column the \
                 generator `doubles`"
            )),
            (Some(items), None) => Ok(CqlValue::Doubles {
                column,
                second_version,
                items,
            }),
            (Some(items), Some(item)) if item < items => Ok(CqlValue::Item {
                column,
                second_version,
                item,
            }),
            (Some(items), Some(item)) => Err(format!(
                "`:{name}` has {items} items, so there is no :{name}[{item}]: the last one is \
                 :{name}[{}]",
                items - 1
            )),
        }
    }

    /// Returns the number of items of a column of lists; `None` for any other column.
    fn items(&self, column: usize) -> Option<u32> {
        let Data::Generator(Generator::Columns(generators)) = self.data else {
            return None;
        };
        match generators.get(column) {
            Some(ColumnGenerator::Doubles { items, .. }) => Some(*items),
            _ => None,
        }
    }
}
