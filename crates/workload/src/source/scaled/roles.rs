//! What becomes of each column in a copy of a sample.

use std::collections::{HashMap, HashSet};

use arrow::array::{Array, ArrayRef};
use xxhash_rust::xxh3::xxh3_64;

use super::calendar::Calendar;
use super::counter::Counter;
use super::neighbours::Neighbours;
use super::owners::Owners;
use super::renamed::Renamed;
use super::sample::Sample;
use super::spread::{Spread, hashes};
use super::times::Times;
use crate::{Column, ColumnType, Error, Result, SampleAxis, Stream, Table};

/// Share of the series that have a value of their own in a column whose further series have new ones, too.
const OWN_VALUES: f64 = 0.9;

/// What becomes of a column.
pub enum Role {
    /// Each row keeps its value.
    Own,
    /// Each row has its value, moved by this much per copy.
    Moved(i64),
    Counter(Counter),
    /// Further series begin their counters a little higher, and all of them go on in time.
    Counters {
        series: Counter,
        time: Counter,
    },
    /// Each row has the part of its time that it had in the sample.
    Calendar(Calendar),
    /// Each row has another value than in the sample, the same for equal ones.
    Renamed(Renamed),
    /// Rows have the values of others of their series, and some of these change a little.
    Resampled(Option<Spread>),
}

/// Facts that the roles follow from.
pub struct About<'a> {
    pub sample: &'a Sample,
    pub table: &'a Table,
    pub axis: SampleAxis,
    /// Copies along the axis, besides the sample itself.
    pub copies: u64,
    /// Copies along both axes.
    pub all_copies: u64,
    pub times: Option<Times>,
    pub seed: u64,
}

/// What is known of the values of a column.
struct Values {
    different: u64,
    /// Whether there are no nulls.
    is_full: bool,
    /// Whether each series has one value, and some series have several rows.
    is_of_series: bool,
}

impl About<'_> {
    /// Returns the role of each column.
    ///
    /// # Errors
    /// Rows of copies would have the keys of others, or values of the key would leave their type.
    pub fn roles(&self) -> Result<Vec<Role>> {
        let named = self.named_column()?;
        let owners = Owners::find(self.sample, self.table);
        let columns = self.table.columns.iter().enumerate();
        let roles = columns.map(|(index, column)| self.role(index, column, named, &owners));
        let roles: Vec<Role> = roles.collect::<Result<_>>()?;
        let is_new = |name: &str| {
            let role = { self.table.column_index(name) }.and_then(|index| roles.get(index));
            matches!(role, Some(Role::Moved(_) | Role::Renamed(_)))
        };
        if self.copies > 0 && !self.table.key().any(is_new) {
            return Err(Error::Usage(format!(
                "rows of table {} that go on in time would have the keys of the sample, which has no time in its key; \
                 put one into `order_key`, or let the table grow along \"series\"",
                self.table.name
            )));
        }
        Ok(roles)
    }

    /// Returns the column whose values are new in further series: the one of the partition key that has the most
    /// different ones. One that follows from the time, such as the months by which partitions are divided, stays with it
    /// if there are others.
    fn named_column(&self) -> Result<Option<usize>> {
        if self.axis == SampleAxis::Time {
            return Ok(None);
        }
        let columns = self.table.series_columns().into_iter();
        let columns = columns.filter(|index| can_be_renamed(self.table.columns[*index].kind));
        let columns: Vec<usize> = columns.collect();
        let follows_time = |index: &usize| {
            let calendar = Calendar::find(self.sample, self.table, *index, false);
            calendar.is_some() || self.is_of_time(*index)
        };
        let others = columns.iter().copied();
        let mut others: Vec<usize> = others.filter(|index| !follows_time(index)).collect();
        if others.is_empty() {
            others = columns;
        }
        let named = { others.into_iter() }.max_by_key(|index| self.values(*index).different);
        named.map(Some).ok_or_else(|| {
            Error::Usage(format!(
                "the partition key of table {} has no text and no whole number, so further series cannot be named; \
                 let the table grow along \"time\"",
                self.table.name
            ))
        })
    }

    fn role(
        &self,
        index: usize,
        column: &Column,
        named: Option<usize>,
        owners: &Owners,
    ) -> Result<Role> {
        let is_key = self.table.is_key(&column.name);
        let stream = Stream::new(&[self.seed, xxh3_64(column.name.as_bytes())]);
        if self.table.time_column() == Some(index) && named != Some(index) {
            return Ok(match (self.axis, self.times) {
                (SampleAxis::Time, Some(times)) => Role::Moved(times.period),
                _ => Role::Own,
            });
        }
        let values = self.values(index);
        if named == Some(index) || self.is_renamed(index, column, &values) {
            return self.renamed(index, column, &stream);
        }
        // Times stay, too.
        if self.axis == SampleAxis::Series && self.is_of_time(index) {
            return Ok(Role::Own);
        }
        let is_id = values.different == self.sample.len();
        if let Some(calendar) = Calendar::find(self.sample, self.table, index, is_id) {
            return Ok(match self.axis {
                SampleAxis::Time => Role::Calendar(calendar),
                SampleAxis::Series => Role::Own,
            });
        }
        // Series that go on keep their numbers.
        let is_partition = self.table.partition_key.contains(&column.name);
        let is_kept = is_partition && self.axis == SampleAxis::Time && self.is_time_in_key();
        let step = self.step_of_numbers(index, column, &values);
        if let Some(step) = step.filter(|_| !is_kept) {
            return Ok(Role::Moved(step));
        }
        let is_time = match column.kind {
            ColumnType::Timestamp => true,
            // Days move with times alone: a number of the order key has units that nobody knows.
            ColumnType::Date => self.has_times(),
            _ => false,
        };
        if is_time && (is_key || !values.is_of_series) {
            return Ok(match (self.axis, self.times) {
                (SampleAxis::Time, Some(times)) => Role::Moved(times.period),
                _ => Role::Own,
            });
        }
        if is_key {
            return Ok(Role::Own);
        }
        let (array, kind) = (self.array(index), column.kind);
        if let Some(counter) = Counter::find(self.sample, array, kind, self.axis, stream.clone()) {
            return Ok(Role::Counter(counter));
        }
        // What belongs to a series stays with it in time.
        if values.is_of_series && self.axis == SampleAxis::Time {
            return Ok(Role::Own);
        }
        let neighbours = self.neighbours(index, kind, owners, &stream);
        let spread = Spread::find(self.sample, array, kind, self.axis, neighbours, stream);
        Ok(Role::Resampled(spread))
    }

    /// Returns the neighbours of numbers; `None` if they have none, or belong to their series or to the values of another
    /// column.
    fn neighbours(
        &self,
        index: usize,
        kind: ColumnType,
        owners: &Owners,
        stream: &Stream,
    ) -> Option<Neighbours> {
        let array = self.array(index);
        if !kind.is_number() {
            return None;
        }
        let cells = hashes(array, kind);
        // Without nulls, a series of one number has one run, which stays one.
        let is_of_series = array.null_count() > 0 && self.have_one_value(&cells);
        if is_of_series || owners.determine(index, &cells) {
            return None;
        }
        let is_of_time = self.is_of_time(index);
        Neighbours::find(self.sample, array, kind, is_of_time, stream)
    }

    /// Returns whether each series has one value besides nulls, and some series have several rows.
    fn have_one_value(&self, cells: &[Option<u64>]) -> bool {
        let mut known: Option<(u32, u64)> = None;
        let mut pairs = self.sample.series.iter().zip(cells);
        self.sample.len() >= 2 * self.sample.series()
            && pairs.all(|(series, cell)| match (cell, known) {
                (None, _) => true,
                (Some(cell), Some((of, value))) if of == *series => *cell == value,
                (Some(cell), _) => {
                    known = Some((*series, *cell));
                    true
                }
            })
    }

    fn has_times(&self) -> bool {
        let time = self.table.time_column();
        time.is_some_and(|time| self.table.columns[time].kind == ColumnType::Timestamp)
    }

    fn is_time_in_key(&self) -> bool {
        let time = self.table.time_column();
        time.is_some_and(|time| self.table.is_key(&self.table.columns[time].name))
    }

    /// Returns whether all series have the same value at the same time, as in a column of holidays, and most of them have
    /// their times in common.
    fn is_of_time(&self, index: usize) -> bool {
        let Some(times) = &self.sample.times else {
            return false;
        };
        let hashes = hashes(self.array(index), self.table.columns[index].kind);
        let mut values: HashMap<i64, Option<u64>> = HashMap::new();
        for (time, hash) in times.iter().zip(hashes) {
            let Some(time) = time else {
                return false;
            };
            if *values.entry(*time).or_insert(hash) != hash {
                return false;
            }
        }
        2 * values.len() as u64 <= self.sample.len()
    }

    /// Returns whether the values of a column are those of single series, or of single rows where nothing else of
    /// the key changes.
    fn is_renamed(&self, index: usize, column: &Column, values: &Values) -> bool {
        let series = self.sample.series();
        let is_key = self.table.is_key(&column.name);
        let is_of_rows = values.is_full && values.different == self.sample.len() && series > 1;
        match self.axis {
            _ if !can_be_renamed(column.kind) || !values.is_full => false,
            SampleAxis::Series if is_key => false,
            SampleAxis::Series => {
                values.is_of_series
                    && series >= 2
                    && values.different as f64 >= OWN_VALUES * series as f64
            }
            SampleAxis::Time => {
                is_key && !self.is_time_in_key() && is_of_rows && !self.ascends(index)
            }
        }
    }

    fn renamed(&self, index: usize, column: &Column, stream: &Stream) -> Result<Role> {
        let renamed = Renamed::of(self.array(index), column.kind, self.copies, stream);
        let renamed = renamed.filter(|renamed| self.copies == 0 || renamed.fits(self.copies));
        renamed
            .map(Role::Renamed)
            .ok_or_else(|| self.too_large(column))
    }

    /// Returns by how much the numbers of a column grow from copy to copy that go on from row to row of the file, such
    /// as the ids of events.
    fn step_of_numbers(&self, index: usize, column: &Column, values: &Values) -> Option<i64> {
        let is_number = matches!(column.kind, ColumnType::Int | ColumnType::Bigint);
        let rows = self.sample.len();
        if !is_number || rows < 2 || !values.is_full || values.different != rows {
            return None;
        }
        let numbers = self.numbers(index);
        if !self.ascends(index) {
            return None;
        }
        let (first, last) = (numbers.iter().min()?, numbers.iter().max()?);
        let range = last.checked_sub(*first)?;
        let step = range.checked_add((range / (rows as i64 - 1)).max(1))?;
        let end = { step.checked_mul(i64::try_from(self.all_copies).ok()?) }?.checked_add(*last)?;
        let fits = column.kind == ColumnType::Bigint || i32::try_from(end).is_ok();
        fits.then_some(step)
    }

    /// Returns whether whole numbers grow from row to row of the file.
    fn ascends(&self, index: usize) -> bool {
        let kind = self.table.columns[index].kind;
        if !matches!(kind, ColumnType::Int | ColumnType::Bigint) {
            return false;
        }
        let numbers = self.numbers(index);
        let places = self.sample.places.windows(2);
        numbers.len() == self.sample.places.len() && { places }
            .all(|pair| numbers[pair[0] as usize] < numbers[pair[1] as usize])
    }

    /// Returns the values of whole numbers that are not null.
    fn numbers(&self, index: usize) -> Vec<i64> {
        let hashes = hashes(self.array(index), self.table.columns[index].kind);
        hashes
            .into_iter()
            .flatten()
            .map(|hash| hash as i64)
            .collect()
    }

    fn values(&self, index: usize) -> Values {
        let array = self.array(index);
        let hashes = hashes(array, self.table.columns[index].kind);
        let series = &self.sample.series;
        let same =
            |place: usize| series[place] != series[place - 1] || hashes[place] == hashes[place - 1];
        let is_same = (1..hashes.len()).all(same);
        Values {
            is_of_series: is_same && self.sample.len() >= 2 * self.sample.series(),
            is_full: array.null_count() == 0,
            different: hashes.into_iter().flatten().collect::<HashSet<_>>().len() as u64,
        }
    }

    fn array(&self, index: usize) -> &ArrayRef {
        self.sample.rows.column(index)
    }

    fn too_large(&self, column: &Column) -> Error {
        Error::Usage(format!(
            "so many rows cannot be made of the sample: the values of column `{}` would be greater than its type {} \
             holds; ask for fewer, or take a larger type",
            column.name,
            column.kind.name()
        ))
    }
}

fn can_be_renamed(kind: ColumnType) -> bool {
    matches!(
        kind,
        ColumnType::Text | ColumnType::Uuid | ColumnType::Int | ColumnType::Bigint
    )
}
