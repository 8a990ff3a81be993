//! Finds columns that name a row together: those whose rows belong together, and a time.

mod column;
mod recounted;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::distinct::Distinct;
use super::names::is_like_key;
use super::rows::{FileRows, Seen};
use crate::{ColumnType, Result};
pub use column::KeyColumn;

/// Hashes of keys in memory for each set of columns; of more keys, a share is counted.
const KEY_HASHES: usize = 1 << 17;

/// Candidates that are tried alone, and those that are tried in pairs, too.
const ALONE: usize = 8;
const IN_PAIRS: usize = 5;

/// Share of repeated keys that is no reason to add a column.
const HARDLY_ANY: f64 = 0.001;

/// Share of repeated keys from which more columns are added, one by one.
const MANY: f64 = 0.05;

/// Other candidates that are tried alone where keys of the first ones repeat often, and hashes of keys for each.
const OTHERS: usize = 64;
const OTHERS_HASHES: usize = 1 << 14;

/// Columns of a key that was found, at most.
const MOST_COLUMNS: usize = 5;

/// Share of repeated keys that is accepted rather than a measured number in the key.
const OF_A_MEASURE: f64 = 0.01;

/// Rows that share a value of a column, on average, if it may be added to a key that names no row yet.
const ROWS_OF_A_VALUE: u64 = 20;

/// A key, and how often it repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundKey {
    /// Numbers in the file of the columns by which rows belong together, and by which they are ordered. No column says
    /// the former if there is none.
    pub partition: Vec<usize>,
    pub order: Vec<usize>,
    /// Share of the rows whose key a row before had, from 0 to 1.
    pub repeated: f64,
    /// Number of keys of which one was counted: 1 if all were.
    pub share: u64,
    /// Whether the partition was chosen since questions find rows by its values.
    pub is_asked: bool,
}

/// Counts how often the keys of some sets of columns repeat.
struct Counted<'a> {
    columns: &'a [KeyColumn<'a>],
    /// Indexes in `columns`.
    set: Vec<usize>,
    keys: Distinct,
    /// Rows of the file.
    rows: u64,
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
    /// Counts how often a key that was asked for repeats, with the time behind it. Indexes are those in `columns`.
    pub fn asked(&self, partition: &[usize]) -> Result<FoundKey> {
        let order: Vec<usize> = self
            .time
            .into_iter()
            .filter(|time| !partition.contains(time))
            .collect();
        self.whole(partition, &order)
    }

    /// Counts how often a whole key repeats. Indexes are those in `columns`.
    pub fn whole(&self, partition: &[usize], order: &[usize]) -> Result<FoundKey> {
        let set = [partition, order].concat();
        let counted = self.count(vec![set])?;
        Ok(self.found(partition, order, &counted[0]))
    }

    /// Finds the key that repeats least; `None` if nothing names a row.
    pub fn best(&self) -> Result<Option<FoundKey>> {
        match self.time {
            Some(time) => self.best_with_time(time).map(Some),
            None => self.best_without_time(),
        }
    }

    fn best_with_time(&self, time: usize) -> Result<FoundKey> {
        let mut candidates = self.candidates(time);
        let others = candidates.split_off(candidates.len().min(ALONE));
        let asked = others
            .iter()
            .filter(|other| self.columns[**other].is_asked());
        candidates.extend(asked);
        let found = self.best_among(time, &candidates)?;
        if found.repeated <= MANY || others.is_empty() {
            return Ok(found);
        }
        // The likeliest are not always those that tell rows apart.
        candidates.truncate(ALONE / 2);
        candidates.extend(self.telling_most(time, &others)?);
        let other = self.best_among(time, &candidates)?;
        let is_better = tells_more(other.repeated, found.repeated);
        Ok(if is_better { other } else { found })
    }

    /// Returns a few of these columns: those whose keys with the time are the likeliest.
    fn telling_most(&self, time: usize, columns: &[usize]) -> Result<Vec<usize>> {
        let columns = columns.iter().take(OTHERS);
        let sets = columns.map(|column| vec![*column, time]);
        let mut counted = self.count_in(sets.collect(), OTHERS_HASHES)?;
        counted.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        let best = counted.iter().take(ALONE / 2);
        Ok(best.map(|counted| counted.set[0]).collect())
    }

    /// Finds the key of a time and some of these columns that repeats least.
    fn best_among(&self, time: usize, candidates: &[usize]) -> Result<FoundKey> {
        let mut sets = vec![vec![time]];
        sets.extend(candidates.iter().map(|candidate| vec![*candidate, time]));
        let pairs = pairs(candidates);
        sets.extend(pairs.iter().map(|(a, b)| vec![*a, time, *b]));
        let counted = self.count(sets)?;
        let (alone, others) = counted.split_at(1);
        let (single, paired) = others.split_at(candidates.len());
        let is_unique = |counted: &&Counted<'_>| counted.keys.repeated() <= HARDLY_ANY;
        if is_unique(&&alone[0]) {
            // Every time is a row's own, so that only a column which is like a key says more, or what questions ask.
            let column = |counted: &&Counted<'_>| &self.columns[counted.set[0]];
            if let Some(like) = single.iter().find(|one| column(one).names_series()) {
                return Ok(self.found(&like.set[..1], &[time], like));
            }
            let asked = single.iter().filter(|one| column(one).is_asked());
            // The first of those that the most questions ask for.
            let most = asked.min_by_key(|one| usize::MAX - column(one).questions);
            return Ok(match most {
                Some(most) => FoundKey {
                    is_asked: true,
                    ..self.found(&most.set[..1], &[time], most)
                },
                None => self.found(&[time], &[], &alone[0]),
            });
        }
        let Some(best) = likeliest(single) else {
            return Ok(self.found(&[time], &[], &alone[0]));
        };
        let pair = likeliest(paired).filter(|pair| pair.helps(best));
        let best = pair.unwrap_or(best);
        let longer = if best.keys.repeated() <= MANY {
            None
        } else {
            self.lengthened(best.set.clone(), best.keys.repeated(), candidates)?
        };
        let best = longer.as_ref().unwrap_or(best);
        let found = self.divided(best, time);
        let helps = tells_more(found.repeated, alone[0].keys.repeated());
        if found.partition.is_empty() && !helps {
            return Ok(self.found(&[time], &[], &alone[0]));
        }
        Ok(found)
    }

    /// Divides a key that has a time. Other parts of a time order rows behind it; of the other columns the first says
    /// which rows belong together. The partition is empty if there is none.
    fn divided(&self, counted: &Counted<'_>, time: usize) -> FoundKey {
        let others = counted.set.iter().copied().filter(|index| *index != time);
        let (parts, names): (Vec<usize>, Vec<usize>) =
            others.partition(|index| self.columns[*index].is_part);
        let (partition, further) = names.split_at(names.len().min(1));
        let order = [&[time][..], parts.as_slice(), further].concat();
        self.found(partition, &order, counted)
    }

    /// Adds columns to a key that repeats often, one by one, while they tell many more rows apart; `None` if none
    /// does.
    fn lengthened(
        &self,
        mut set: Vec<usize>,
        mut repeated: f64,
        candidates: &[usize],
    ) -> Result<Option<Counted<'_>>> {
        let mut best = None;
        while repeated > HARDLY_ANY && set.len() < MOST_COLUMNS {
            let others = candidates.iter().filter(|other| !set.contains(other));
            let sets = others.map(|other| [set.as_slice(), &[*other]].concat());
            let counted = self.count(sets.collect())?;
            let Some(longer) = counted
                .into_iter()
                .min_by(|a, b| a.cost().total_cmp(&b.cost()))
                .filter(|longer| tells_more(longer.keys.repeated(), repeated))
            else {
                break;
            };
            set.clone_from(&longer.set);
            repeated = longer.keys.repeated();
            best = Some(longer);
        }
        Ok(best)
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
            (
                !is_like_key(column.name),
                column.kind.is_floating(),
                u64::MAX - column.distinct,
            )
        });
        candidates.truncate(ALONE);
        let mut sets: Vec<Vec<usize>> = candidates.iter().map(|index| vec![*index]).collect();
        sets.extend(pairs(&candidates).into_iter().map(|(a, b)| vec![a, b]));
        let counted = self.count(sets)?;
        let unique = |counted: &&Counted<'_>| counted.keys.repeated() == 0.0;
        let found = |counted: &Counted<'_>| {
            let (partition, order) = counted.set.split_at(1);
            self.found(partition, order, counted)
        };
        if let Some(counted) = counted.iter().find(unique) {
            return Ok(Some(found(counted)));
        }
        // Numbers that were measured would tell rows apart, too, but name none.
        let names_some = |index: &usize| {
            let column = &self.columns[*index];
            let has_few = column.distinct.saturating_mul(ROWS_OF_A_VALUE) <= self.number_of_rows;
            let is_measured = column.kind.is_floating();
            !is_measured && column.distinct > 1 && (has_few || is_like_key(column.name))
        };
        candidates.retain(names_some);
        let has_names = |counted: &&Counted<'_>| counted.set.iter().all(names_some);
        let named = counted.iter().filter(has_names);
        let Some(best) = named.min_by(|a, b| a.keys.repeated().total_cmp(&b.keys.repeated()))
        else {
            return Ok(None);
        };
        let longer = self.lengthened(best.set.clone(), best.keys.repeated(), &candidates)?;
        Ok(longer.as_ref().filter(unique).map(found))
    }

    /// Returns all columns that may say which rows belong together, the likeliest first.
    fn candidates(&self, time: usize) -> Vec<usize> {
        let may_be = |index: &usize| {
            let column = &self.columns[*index];
            *index != time
                && matches!(
                    column.kind,
                    ColumnType::Text | ColumnType::Uuid | ColumnType::Int | ColumnType::Bigint
                )
                && column.nulls * 20 <= self.number_of_rows
                && (column.distinct * 2 <= self.number_of_rows
                    || is_like_key(column.name)
                    || column.is_part)
        };
        let mut candidates: Vec<usize> = (0..self.columns.len()).filter(may_be).collect();
        candidates.sort_by_key(|index| {
            let column = &self.columns[*index];
            let is_text = matches!(column.kind, ColumnType::Text | ColumnType::Uuid);
            let is_like_key = is_like_key(column.name);
            (
                column.distinct == 1,
                !is_like_key,
                !is_text,
                column.nulls > 0,
            )
        });
        candidates
    }

    fn found(&self, partition: &[usize], order: &[usize], counted: &Counted<'_>) -> FoundKey {
        let in_file = |set: &[usize]| set.iter().map(|index| self.columns[*index].index).collect();
        FoundKey {
            partition: in_file(partition),
            order: in_file(order),
            repeated: counted.keys.repeated(),
            share: counted.keys.share(),
            is_asked: false,
        }
    }

    /// Reads all rows, and counts the keys of each set.
    fn count(&self, sets: Vec<Vec<usize>>) -> Result<Vec<Counted<'_>>> {
        self.count_in(sets, KEY_HASHES)
    }

    /// Counts as [`Search::count`] does, with so many hashes of keys for each set.
    fn count_in(&self, sets: Vec<Vec<usize>>, hashes_of_each: usize) -> Result<Vec<Counted<'_>>> {
        let counted = sets.into_iter().map(|set| Counted {
            columns: self.columns,
            set,
            keys: Distinct::new(hashes_of_each),
            rows: self.number_of_rows,
        });
        let mut counted: Vec<Counted<'_>> = counted.collect();
        // Each cell is read once for all sets that it is in.
        let mut needed: Vec<usize> = { counted.iter() }
            .flat_map(|counted| counted.set.iter().copied())
            .collect();
        needed.sort_unstable();
        needed.dedup();
        let mut hashes: Vec<Option<u64>> = vec![None; self.columns.len()];
        self.rows.visit(|seen| {
            if let Seen::Cells(_, cells) = seen {
                for index in &needed {
                    hashes[*index] = self.columns[*index].hash(cells, self.null);
                }
                for counted in &mut counted {
                    counted.see(&hashes);
                }
            }
        })?;
        Ok(counted)
    }
}

impl Counted<'_> {
    /// Returns how little this is the key that is meant: the share of the rows that it loses, since they repeat it or
    /// lack a column of it other than the time, and more for each number in it that was measured.
    fn cost(&self) -> f64 {
        let columns = self.set.iter().map(|index| &self.columns[*index]);
        let others = columns.filter(|column| column.kind != ColumnType::Timestamp);
        let nulls: u64 = others.map(|column| column.nulls).sum();
        let lacking = nulls as f64 / self.rows.max(1) as f64;
        let measures = self.set.iter().filter(|index| {
            let column = &self.columns[**index];
            let is_number = matches!(column.kind, ColumnType::Int | ColumnType::Bigint);
            is_number && !is_like_key(column.name) && !column.is_part
        });
        self.keys.repeated() + lacking + OF_A_MEASURE * measures.count() as f64
    }

    /// Returns whether this key, which has more columns, is better than a shorter one.
    fn helps(&self, shorter: &Counted<'_>) -> bool {
        shorter.cost() > HARDLY_ANY && tells_more(self.cost(), shorter.cost())
    }

    /// Counts the key of a row, whose cells have these hashes, unless a part of it has no value.
    fn see(&mut self, hashes: &[Option<u64>]) {
        let mut key = 0;
        for index in &self.set {
            let Some(hash) = hashes[*index] else {
                return;
            };
            key = xxh3_64_with_seed(&hash.to_le_bytes(), key);
        }
        self.keys.add(key);
    }
}

/// Returns the first key that hardly repeats and has no number that was measured or, if there is none, the best one.
fn likeliest<'a, 'b>(counted: &'a [Counted<'b>]) -> Option<&'a Counted<'b>> {
    let first = counted.iter().find(|counted| counted.cost() <= HARDLY_ANY);
    first.or_else(|| {
        let all = counted.iter();
        all.min_by(|a, b| a.cost().total_cmp(&b.cost()))
    })
}

/// Returns whether a longer key loses less than half as many rows as a shorter one, or names half as many again.
fn tells_more(longer: f64, shorter: f64) -> bool {
    longer < shorter / 2.0 || 1.0 - longer > 1.5 * (1.0 - shorter)
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

#[cfg(test)]
mod tests;
