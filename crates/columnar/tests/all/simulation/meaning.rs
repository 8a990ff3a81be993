//! What statements mean: a write is a change of one partition, a read shows rows of one.

use std::collections::HashMap;

use bytes::{Buf, Bytes};

use super::cells::{Cell, Name, Partition, Row};
use super::statement::{Condition, Kind, Marker, OnlyIf, Operator, Select, Term, Wanted, Write};
use super::table::{Table, Type};
use super::wire::{Rows, Value};

/// The key of the only partition of tables that are read without any condition.
const WHOLE: &[u8] = b"local";

/// The number of rows in a page, for answers that may come in pages.
const ROWS_OF_PAGE: usize = 10;

/// The values that are bound to a statement on a table.
pub struct Bound<'a> {
    pub table: &'a Table,
    pub values: &'a [Value],
    /// The clock of the server, in microseconds since 1970-01-01 UTC.
    pub now: i64,
}

impl Bound<'_> {
    /// Returns the change that a write makes, and the partition in which it does.
    pub fn change(&self, write: &Write) -> (Name, Partition) {
        let timestamp = write.timestamp.as_ref();
        let written = timestamp.map_or(self.now, |term| {
            let mut value = self.value(term, &Type::Bigint).unwrap();
            value.get_i64()
        });
        let key = self.key(write);
        let mut partition = Partition::default();
        let clustering: Option<Vec<Bytes>> = self.all(&self.table.clustering, &key);
        match (clustering, write.kind) {
            (None, Kind::Delete) => partition.deleted = written,
            (None, _) => panic!("a write without a whole key: {write:?}"),
            (Some(clustering), kind) => {
                let mut row = Row::default();
                match kind {
                    Kind::Insert => row.inserted = written,
                    Kind::Update => {}
                    Kind::Delete => row.deleted = written,
                }
                let others = write.sets.iter().filter(|(name, _)| !self.is_key(name));
                for (name, term) in others {
                    let value = self.value(term, &self.table.kind(name));
                    row.cells.insert(name.clone(), Cell { written, value });
                }
                partition.rows.insert(clustering, row);
            }
        }
        let of_partition = self.all(&self.table.partition_key, &key);
        let name = of_partition.expect("each write is in one partition");
        ((write.table.clone(), name), partition)
    }

    /// Returns whether the condition of a lightweight transaction is true.
    pub fn is_true(&self, only_if: &OnlyIf, write: &Write, partition: &Partition) -> bool {
        let key = self.key(write);
        let clustering = self.all(&self.table.clustering, &key).unwrap_or_default();
        let row = partition.live(&clustering);
        match only_if {
            OnlyIf::Missing => row.is_none(),
            OnlyIf::Exists => row.is_some(),
            OnlyIf::Is(column, term) => {
                let cell = row.as_ref().and_then(|row| row.cells.get(column));
                let there = cell.and_then(|cell| cell.value.clone());
                there == self.value(term, &self.table.kind(column))
            }
        }
    }

    /// Returns the partition that a read shows.
    pub fn partition_of(&self, select: &Select) -> Name {
        let name = self.table.partition_key.iter().map(|column| {
            let mut conditions = select.conditions.iter();
            let condition = conditions.find(|condition| condition.column == *column);
            let kind = self.table.kind(column);
            let value = condition.and_then(|condition| self.value(&condition.term, &kind));
            value.unwrap_or(Bytes::from_static(WHOLE))
        });
        (select.table.clone(), name.collect())
    }

    /// Returns the part of a partition that a read looks at.
    pub fn part(&self, select: &Select, partition: &Partition) -> Partition {
        let mut part = partition.clone();
        part.rows.retain(|key, _| self.meets(select, key));
        part
    }

    /// Returns the rows that a read shows, in pages if it `is_paged`, from after the row with this key.
    pub fn rows(
        &self,
        select: &Select,
        partition: &Partition,
        is_paged: bool,
        from: &Value,
    ) -> Rows {
        let (_, name) = self.partition_of(select);
        let mut answer = Rows {
            columns: columns(select, self.table),
            rows: Vec::new(),
            next: None,
        };
        let mut last = None;
        for key in partition.rows.keys() {
            let is_before = from.is_some() && key.first() <= from.as_ref();
            let Some(row) = partition.live(key).filter(|_| !is_before) else {
                continue;
            };
            if !self.meets(select, key) {
                continue;
            }
            if is_paged && answer.rows.len() == ROWS_OF_PAGE {
                answer.next = last;
                break;
            }
            let value = |wanted| self.shown(wanted, &name, key, &row);
            answer.rows.push(select.wanted.iter().map(value).collect());
            last = key.first().cloned();
        }
        answer
    }

    /// Returns whether a row with these clustering columns meets all conditions.
    fn meets(&self, select: &Select, key: &[Bytes]) -> bool {
        let mut conditions = select.conditions.iter();
        conditions.all(|condition| self.is_met(condition, key))
    }

    fn is_met(&self, condition: &Condition, key: &[Bytes]) -> bool {
        let mut clustering = self.table.clustering.iter();
        let Some(at) = clustering.position(|name| *name == condition.column) else {
            return true;
        };
        let kind = self.table.kind(&condition.column);
        let wanted = self.value(&condition.term, &kind).unwrap_or_default();
        match condition.operator {
            Operator::Equal => key[at] == wanted,
            Operator::Greater => key[at] > wanted,
            Operator::AtLeast => key[at] >= wanted,
            Operator::AtMost => key[at] <= wanted,
            Operator::In => elements(wanted).contains(&key[at]),
        }
    }

    fn shown(&self, wanted: &Wanted, name: &[Bytes], key: &[Bytes], row: &Row) -> Value {
        let place = |columns: &[String], of: &str| columns.iter().position(|column| column == of);
        match wanted {
            Wanted::Now => {
                let milliseconds = self.now / 1000;
                Some(Bytes::copy_from_slice(&milliseconds.to_be_bytes()))
            }
            Wanted::WriteTime(column) => {
                let cell = row.cells.get(column)?;
                Some(Bytes::copy_from_slice(&cell.written.to_be_bytes()))
            }
            Wanted::Column(column) => {
                if let Some(at) = place(&self.table.partition_key, column) {
                    return Some(name[at].clone());
                }
                if let Some(at) = place(&self.table.clustering, column) {
                    return Some(key[at].clone());
                }
                row.cells.get(column)?.value.clone()
            }
        }
    }

    /// Returns the key columns that a write names, and their values.
    fn key(&self, write: &Write) -> HashMap<String, Bytes> {
        let of_conditions = write.conditions.iter();
        let of_conditions = of_conditions.map(|condition| (&condition.column, &condition.term));
        let of_sets = write.sets.iter().map(|(name, term)| (name, term));
        let named = of_conditions.chain(of_sets);
        let of_key = named.filter(|(name, _)| self.is_key(name));
        let with_value = of_key.map(|(name, term)| {
            let value = self.value(term, &self.table.kind(name));
            (name.clone(), value.expect("no part of a key is null"))
        });
        with_value.collect()
    }

    fn is_key(&self, column: &str) -> bool {
        let mut all = self
            .table
            .partition_key
            .iter()
            .chain(&self.table.clustering);
        all.any(|name| name == column)
    }

    /// Returns the values of these columns if there are all of them.
    fn all(&self, columns: &[String], key: &HashMap<String, Bytes>) -> Option<Vec<Bytes>> {
        columns.iter().map(|name| key.get(name).cloned()).collect()
    }

    fn value(&self, term: &Term, kind: &Type) -> Value {
        match term {
            Term::Marker(number) => self.values[*number].clone(),
            Term::Constant(word) => Some(kind.constant(word)),
        }
    }
}

/// Returns the columns that a read shows.
pub fn columns(select: &Select, table: &Table) -> Vec<(String, Type)> {
    let column = |wanted: &Wanted| match wanted {
        Wanted::Column(name) => (name.clone(), table.kind(name)),
        Wanted::WriteTime(name) => (format!("writetime({name})"), Type::Bigint),
        Wanted::Now => ("now".to_owned(), Type::Bigint),
    };
    select.wanted.iter().map(column).collect()
}

/// Returns the markers of a statement on a table.
pub fn markers(markers: &[Marker], table: &Table) -> Vec<(String, Type)> {
    let marker = |marker: &Marker| match marker {
        Marker::Column(name) => (name.clone(), table.kind(name)),
        Marker::ListOf(name) => (name.clone(), Type::List(Box::new(table.kind(name)))),
        Marker::Timestamp => ("[timestamp]".to_owned(), Type::Bigint),
    };
    markers.iter().map(marker).collect()
}

/// Returns the elements of a list.
fn elements(mut list: Bytes) -> Vec<Bytes> {
    let number = list.get_i32();
    let mut element = || {
        let length = list.get_i32() as usize;
        list.split_to(length)
    };
    (0..number).map(|_| element()).collect()
}
