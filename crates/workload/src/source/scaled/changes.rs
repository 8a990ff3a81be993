//! What becomes of each column along the axes together, and which copies it counts.

use super::roles::{About, Role};
use super::shape::Counted;
use crate::{Column, Error, Result};

/// What becomes of a column.
pub struct Change {
    pub role: Role,
    pub counted: Counted,
}

impl Change {
    /// Returns whether a column is made from copies counted in this way.
    pub fn needs(&self, counted: Counted) -> bool {
        self.counted == counted || matches!(self.role, Role::Counters { .. })
    }
}

/// Returns the changes of a table that grows along one axis.
pub fn along_one(roles: Vec<Role>) -> Vec<Change> {
    let counted = Counted::All;
    let changes = roles.into_iter().map(|role| Change { role, counted });
    changes.collect()
}

/// Returns the changes of a table that grows along both axes.
///
/// # Errors
/// Those of [`About::roles`], or a column would change along both in ways that do not go together.
pub fn along_both(series: &About<'_>, time: &About<'_>) -> Result<Vec<Change>> {
    let has_more_series = series.copies >= time.copies;
    let roles = series.roles()?.into_iter().zip(time.roles()?);
    let columns = series.table.columns.iter();
    { roles.zip(columns) }
        .map(|((of_series, of_time), column)| {
            let change = both(of_series, of_time, has_more_series);
            change.ok_or_else(|| changes_twice(&series.table.name, column))
        })
        .collect()
}

/// Returns the change of a column that has these roles along each axis alone. What stays along one of them is not changed
/// by its copies.
fn both(of_series: Role, of_time: Role, has_more_series: bool) -> Option<Change> {
    let (role, counted) = match (of_series, of_time) {
        (Role::Own, role) => (role, Counted::Time),
        (role, Role::Own) => (role, Counted::Series),
        // Times stay in further series, so these are numbers that go on from row to row.
        (Role::Moved(by), Role::Moved(_)) => (Role::Moved(by), Counted::All),
        (Role::Counter(series), Role::Counter(time)) => {
            (Role::Counters { series, time }, Counted::All)
        }
        // The axis of most copies says how many values are new.
        (Role::Resampled(series), Role::Resampled(time)) => {
            let spread = if has_more_series { series } else { time };
            (Role::Resampled(spread), Counted::All)
        }
        _ => return None,
    };
    Some(Change { role, counted })
}

fn changes_twice(table: &str, column: &Column) -> Error {
    Error::Usage(format!(
        "table {table} cannot get further series and a longer time at once, since column `{}` would change with both; \
         let it grow along one of them",
        column.name
    ))
}

#[cfg(test)]
mod tests;
