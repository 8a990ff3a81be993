//! Finds columns that name a row together: those whose rows belong together, and a time.

use xxhash_rust::xxh3::Xxh3;

use super::distinct::Distinct;
use super::rows::{FileRows, Seen};
use crate::{ColumnType, Result, TimeFormat, source};

/// Hashes of keys in memory for each set of columns; of more keys, a share is counted.
const KEY_HASHES: usize = 1 << 17;

/// Candidates that are tried alone, and those that are tried in pairs, too.
const ALONE: usize = 8;
const IN_PAIRS: usize = 5;

/// Share of repeated keys that is no reason to add a column.
const HARDLY_ANY: f64 = 0.001;

/// Beginnings and ends of names that say which rows belong together.
const LIKE_KEYS: [&str; 26] = [
    "id", "uuid", "key", "code", "name", "series", "metric", "host", "hostname", "sensor",
    "station", "device", "site", "symbol", "ticker", "city", "country", "state", "region", "room",
    "location", "airport", "origin", "vehicle", "truck", "user",
];

/// A column that may be in the key.
pub struct KeyColumn<'a> {
    /// Number in the file.
    pub index: usize,
    pub name: &'a str,
    pub kind: ColumnType,
    pub format: Option<&'a TimeFormat>,
    /// Different values.
    pub distinct: u64,
    /// Cells without a value.
    pub nulls: u64,
}

/// A key, and how often it repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundKey {
    /// Numbers in the file of the columns by which rows belong together, and by which they are ordered.
    pub partition: Vec<usize>,
    pub order: Vec<usize>,
    /// Share of the rows whose key a row before had, from 0 to 1.
    pub repeated: f64,
    /// Number of keys of which one was counted: 1 if all were.
    pub share: u64,
}

/// Counts how often the keys of some sets of columns repeat.
struct Counted<'a> {
    columns: &'a [KeyColumn<'a>],
    /// Indexes in `columns`.
    set: Vec<usize>,
    keys: Distinct,
}

/// What a key is looked for among.
pub struct Search<'a> {
    pub rows: &'a FileRows,
    pub number_of_rows: u64,
    /// Columns that can be in a key.
    pub columns: &'a [KeyColumn<'a>],
    /// Words that stand for no value.
    pub null: &'a [String],
    /// Index in `columns` of the one that orders rows in time.
    pub time: Option<usize>,
}

impl Search<'_> {
    /// Counts how often a key that was asked for repeats. Indexes are those in `columns`.
    pub fn asked(&self, partition: &[usize]) -> Result<FoundKey> {
        let order: Vec<usize> = self
            .time
            .into_iter()
            .filter(|time| !partition.contains(time))
            .collect();
        let set = [partition, order.as_slice()].concat();
        let counted = self.count(vec![set])?;
        Ok(self.found(partition, &order, &counted[0]))
    }

    /// Finds the key that repeats least; `None` if nothing names a row.
    pub fn best(&self) -> Result<Option<FoundKey>> {
        match self.time {
            Some(time) => self.best_with_time(time).map(Some),
            None => self.best_without_time(),
        }
    }

    fn best_with_time(&self, time: usize) -> Result<FoundKey> {
        let candidates = self.candidates(time);
        let mut sets = vec![vec![time]];
        sets.extend(candidates.iter().map(|candidate| vec![*candidate, time]));
        let pairs = pairs(&candidates);
        sets.extend(pairs.iter().map(|(a, b)| vec![*a, time, *b]));
        let counted = self.count(sets)?;
        let (alone, others) = counted.split_at(1);
        let (single, paired) = others.split_at(candidates.len());
        let is_unique = |counted: &&Counted<'_>| counted.keys.repeated() <= HARDLY_ANY;
        if is_unique(&&alone[0]) {
            // Every time is a row's own, so that only a column which is like a key says more.
            let like = single.iter().find(|counted| {
                let column = &self.columns[counted.set[0]];
                is_like_key(column.name) || column.kind == ColumnType::Text
            });
            return Ok(match like {
                Some(like) => self.found(&like.set[..1], &[time], like),
                None => self.found(&[time], &[], &alone[0]),
            });
        }
        let least = |counted: &[Counted<'_>]| {
            let unique = counted.iter().position(|counted| is_unique(&counted));
            let repeated = |index: &usize| counted[*index].keys.repeated();
            unique.or_else(|| (0..counted.len()).min_by(|a, b| repeated(a).total_cmp(&repeated(b))))
        };
        let Some(best) = least(single).map(|index| &single[index]) else {
            return Ok(self.found(&[time], &[], &alone[0]));
        };
        let pair = least(paired).map(|index| &paired[index]);
        let helps = |pair: &&Counted<'_>| {
            !is_unique(&best) && pair.keys.repeated() < best.keys.repeated() / 2.0
        };
        Ok(match pair.filter(helps) {
            Some(pair) => self.found(&pair.set[..1], &pair.set[1..], pair),
            None => self.found(&best.set[..1], &[time], best),
        })
    }

    fn best_without_time(&self) -> Result<Option<FoundKey>> {
        let columns = 0..self.columns.len();
        let mut candidates: Vec<usize> = columns
            .filter(|index| self.columns[*index].nulls == 0)
            .filter(|index| self.columns[*index].kind != ColumnType::Timestamp)
            .collect();
        // A sort that keeps the order of the file among equals.
        candidates.sort_by_key(|index| {
            let column = &self.columns[*index];
            (!is_like_key(column.name), u64::MAX - column.distinct)
        });
        candidates.truncate(ALONE);
        let mut sets: Vec<Vec<usize>> = candidates.iter().map(|index| vec![*index]).collect();
        sets.extend(pairs(&candidates).into_iter().map(|(a, b)| vec![a, b]));
        let counted = self.count(sets)?;
        let unique = |counted: &&Counted<'_>| counted.keys.repeated() == 0.0;
        Ok(counted.iter().find(unique).map(|counted| {
            let (partition, order) = counted.set.split_at(1);
            self.found(partition, order, counted)
        }))
    }

    /// Returns the columns that may say which rows belong together, the likeliest first.
    fn candidates(&self, time: usize) -> Vec<usize> {
        let may_be = |index: &usize| {
            let column = &self.columns[*index];
            *index != time
                && matches!(
                    column.kind,
                    ColumnType::Text | ColumnType::Int | ColumnType::Bigint
                )
                && column.nulls * 20 <= self.number_of_rows
                && (column.distinct * 2 <= self.number_of_rows || is_like_key(column.name))
        };
        let mut candidates: Vec<usize> = (0..self.columns.len()).filter(may_be).collect();
        candidates.sort_by_key(|index| {
            let column = &self.columns[*index];
            let is_text = column.kind == ColumnType::Text;
            (!is_like_key(column.name), !is_text, column.distinct == 1)
        });
        candidates.truncate(ALONE);
        candidates
    }

    fn found(&self, partition: &[usize], order: &[usize], counted: &Counted<'_>) -> FoundKey {
        let in_file = |set: &[usize]| set.iter().map(|index| self.columns[*index].index).collect();
        FoundKey {
            partition: in_file(partition),
            order: in_file(order),
            repeated: counted.keys.repeated(),
            share: counted.keys.share(),
        }
    }

    /// Reads all rows, and counts the keys of each set.
    fn count(&self, sets: Vec<Vec<usize>>) -> Result<Vec<Counted<'_>>> {
        let counted = sets.into_iter().map(|set| Counted {
            columns: self.columns,
            set,
            keys: Distinct::new(KEY_HASHES),
        });
        let mut counted: Vec<Counted<'_>> = counted.collect();
        self.rows.visit(|seen| {
            if let Seen::Cells(_, cells) = seen {
                for counted in &mut counted {
                    counted.see(cells, self.null);
                }
            }
        })?;
        Ok(counted)
    }
}

impl Counted<'_> {
    /// Counts the key of a row, unless a part of it has no value.
    fn see(&mut self, cells: &[&str], null: &[String]) {
        let mut hasher = Xxh3::new();
        for index in &self.set {
            let column = &self.columns[*index];
            let cell = cells.get(column.index).copied().unwrap_or_default().trim();
            if cell.is_empty() || null.iter().any(|word| word == cell) {
                return;
            }
            let time = match (column.kind, column.format) {
                (ColumnType::Timestamp, Some(format)) => format.milliseconds(cell),
                (ColumnType::Timestamp, None) => source::milliseconds(cell),
                _ => None,
            };
            match time {
                Some(time) => hasher.update(&time.to_le_bytes()),
                None => {
                    hasher.update(&(cell.len() as u64).to_le_bytes());
                    hasher.update(cell.as_bytes());
                }
            }
        }
        self.keys.add(hasher.digest());
    }
}

/// Returns the pairs of the first candidates, by the first one and then by the second one.
fn pairs(candidates: &[usize]) -> Vec<(usize, usize)> {
    let candidates = &candidates[..candidates.len().min(IN_PAIRS)];
    let mut pairs = Vec::new();
    for (place, a) in candidates.iter().enumerate() {
        pairs.extend(candidates[place + 1..].iter().map(|b| (*a, *b)));
    }
    pairs
}

fn is_like_key(name: &str) -> bool {
    let mut words = name.split('_');
    let last = words.next_back().unwrap_or_default();
    let first = words.next().unwrap_or(last);
    let like = |word: &str| LIKE_KEYS.contains(&word) || word.ends_with("id");
    like(last) || like(first)
}
#[cfg(test)]
mod tests;
