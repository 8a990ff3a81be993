//! Words that stand for the series of a table.

use super::{TIME, UNITS};
use crate::Table;

/// Words for series, besides those of the columns of the partition key.
pub const SERIES: [&str; 10] = [
    "series",
    "sensors",
    "devices",
    "machines",
    "hosts",
    "meters",
    "metrics",
    "users",
    "customers",
    "keys",
];

/// Words in names of columns that do not say what the series are.
const NO_SERIES: [&str; 17] = [
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "name",
    "names",
    "key",
    "code",
    "no",
    "nr",
    "num",
    "number",
    "of",
    "the",
    "date",
    "timestamp",
];

/// Words for series of which no table has a column.
const ANY_SERIES: [&str; 2] = ["series", "keys"];

/// Ends of names of columns that identify what the rest of the name says.
const IDENTIFYING: [&str; 12] = [
    "", "id", "uid", "uuid", "guid", "name", "key", "code", "no", "nr", "num", "number",
];

/// Returns whether words stand for the series, as `wind turbines` do for `wind_turbine_name`.
pub fn are_series(words: &[&str], table: &Table) -> bool {
    !words.is_empty() && words.iter().all(|word| is_series(word, table))
}

/// Returns whether a word stands for the series: one that always does, or one for a column of the partition key.
pub fn is_series(word: &str, table: &Table) -> bool {
    let mut key = table.partition_key.iter();
    SERIES.contains(&word) || key.any(|column| names(word, column))
}

/// Returns whether a word names a column, also without `_id` or `_name`, or is a word in its name; also in the plural
/// (`turbines` for `wind_turbine_name`, `vendors` for `VendorID`).
fn names(word: &str, column: &str) -> bool {
    let singulars = singulars(word);
    let column = column.to_lowercase();
    let stem = { column.strip_suffix("_id") }
        .or_else(|| column.strip_suffix("_name"))
        .unwrap_or(&column);
    let words = column.split('_').filter(|word| says_series(word));
    let mut names = [column.as_str(), stem].into_iter().chain(words);
    names.any(|name| singulars.iter().any(|word| word == name)) || identifies(&column, word)
}

/// Returns the columns that together say which series a row belongs to.
pub fn columns(table: &Table) -> Vec<&str> {
    let columns = table.series_columns().into_iter();
    let columns = columns.map(|index| table.columns[index].name.as_str());
    columns.collect()
}

/// Returns whether words name some of several columns that only together say which series a row belongs to.
pub fn name_part(words: &[&str], table: &Table) -> bool {
    let columns = columns(table);
    // There are series whatever their columns are called.
    let words = words.iter().filter(|word| **word != SERIES[0]);
    let words: Vec<&str> = words.copied().collect();
    let is_named = |column: &&&str| words.iter().any(|word| names(word, column));
    let named = columns.iter().filter(is_named).count();
    let fewest = named.min(words.len());
    columns.len() > 1 && named > 0 && fewest < columns.len()
}

/// Returns a word that stands for series in any table, but for what a column outside of the partition key identifies in
/// this one, and that column: `users` where there is a `user_id`, and nothing of users in the partition key.
pub fn other_column<'a>(words: &[&'a str], table: &'a Table) -> Option<(&'a str, &'a str)> {
    let keys = table.partition_key.iter().map(|key| key.to_lowercase());
    let keys: Vec<String> = keys.collect();
    let is_in_key = |word: &str| {
        let singulars = singulars(word);
        let mut keys = keys.iter();
        keys.any(|key| singulars.iter().any(|one| key.contains(one.as_str())))
    };
    if keys.is_empty() || words.iter().any(|word| is_in_key(word)) {
        return None;
    }
    let meant = |word: &&str| SERIES.contains(word) && !ANY_SERIES.contains(word);
    let mut words = words.iter().copied().filter(meant);
    words.find_map(|word| {
        let mut columns = table.columns.iter();
        let column = columns.find(|column| identifies(&column.name, word))?;
        Some((word, column.name.as_str()))
    })
}

/// Returns whether a column has the name of what a word is the plural of, alone or with an end that says that it
/// identifies one: `user_id`, `userid` and `User ID` for `users`.
fn identifies(column: &str, word: &str) -> bool {
    let column = column.to_lowercase();
    let letters: String = column.chars().filter(|c| c.is_alphanumeric()).collect();
    singulars(word).iter().any(|one| {
        let end = letters.strip_prefix(one.as_str());
        end.is_some_and(|end| IDENTIFYING.contains(&end))
    })
}

/// Returns whether a word in the name of a column may say what the series are.
fn says_series(word: &str) -> bool {
    let is_time = TIME.contains(&word) || UNITS.iter().any(|(unit, _)| *unit == word);
    word.len() > 1 && !is_time && !NO_SERIES.contains(&word)
}

/// Returns a word, and what it may be the plural of.
fn singulars(word: &str) -> Vec<String> {
    let endings = [("", ""), ("s", ""), ("es", ""), ("ies", "y")];
    { endings.into_iter() }
        .filter_map(|(plural, singular)| {
            let stem = word.strip_suffix(plural)?;
            Some(format!("{stem}{singular}"))
        })
        .collect()
}
