//! A table as its `CREATE TABLE` says it, whatever language that is in.

use std::collections::BTreeMap;

use bakeoff_workload::infer::{Declared, DeclaredColumn, DeclaredForm, Origin};
use bakeoff_workload::{ColumnType, suggestion};

use super::asked_table::AskedTable;
use crate::live::{Described, Fate, Holding, Plan, Stored};

/// Most columns of a key.
pub const MOST_KEY_COLUMNS: usize = 64;

/// A statement of a file.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// Its line, counted from 1.
    pub line: usize,
    pub sql: &'a str,
}

/// A table that a statement makes.
#[derive(Debug, Clone)]
pub struct TableStatement {
    /// Its name without keyspace or schema.
    pub name: String,
    /// Its name as people write it.
    pub place: String,
    /// Line of the statement, counted from 1.
    pub line: usize,
    pub columns: Vec<Described>,
    /// Beyond their types, by the names of the columns.
    pub forms: BTreeMap<String, DeclaredForm>,
    /// Columns by which rows belong together.
    pub partition_key: Vec<String>,
    /// Columns that order rows there.
    pub order_key: Vec<String>,
    /// Those of the order key whose greatest value comes first.
    pub descending: Vec<String>,
    /// What is said of it at the head of a workload, sentence by sentence.
    pub about: Vec<String>,
    pub notes: Vec<String>,
    /// Id of a design that is like it.
    pub design: Option<String>,
}

impl TableStatement {
    /// Returns its name as statements write it.
    pub fn asked(&self) -> AskedTable {
        let schema = self.place.strip_suffix(self.name.as_str());
        let schema = schema.and_then(|schema| schema.strip_suffix('.'));
        AskedTable {
            schema: schema.map(str::to_owned),
            name: self.name.clone(),
        }
    }

    /// Returns the type in which a workload has the values of a column; `None` if it has none.
    pub fn kind(&self, column: &str) -> Option<ColumnType> {
        let found = self.columns.iter().find(|of| of.name == column)?;
        match found.fate {
            Fate::Held(holding, _) => Some(held_as(holding)),
            Fate::LeftOut(_) => None,
        }
    }

    /// Takes the columns of an index as the key and divides them: rows belong together by those before the first time,
    /// or by all others if it begins with one, and are ordered by the rest. Without a time the first column says which
    /// rows belong together.
    pub fn divide(&mut self, key: &[String]) {
        let is_time = |name: &String| self.kind(name) == Some(ColumnType::Timestamp);
        let (partition, order) = match key.iter().position(is_time) {
            Some(0) if key.len() > 1 => (&key[1..], &key[..1]),
            Some(0) => (key, &key[..0]),
            Some(place) => key.split_at(place),
            None => key.split_at(key.len().min(1)),
        };
        self.partition_key = partition.to_vec();
        self.order_key = order.to_vec();
    }

    /// Returns the table with the key that the user names, or its own. `file` is the name of the file that makes it.
    ///
    /// # Errors
    /// Says what its key lacks, and what to write.
    pub fn declared(
        &self,
        file: &str,
        key: &[String],
        time: Option<&str>,
    ) -> Result<Declared, String> {
        let (partition_key, order_key) = self.key(key, time)?;
        if partition_key.is_empty() {
            return Err(format!(
                "table {} has neither a PRIMARY KEY nor an index: name the columns whose rows belong together with \
                 --key COLUMN,..., and the one that orders them with --time COLUMN",
                self.place
            ));
        }
        let is_key = |name: &String| partition_key.contains(name) || order_key.contains(name);
        let mut columns = self.columns.clone();
        for column in &mut columns {
            column.is_key = is_key(&column.name);
            if let (true, Fate::LeftOut(why)) = (column.is_key, column.fate) {
                return Err(format!(
                    "table {}: `{}` is in its key, and its type is {}: {why}; name another key with --key COLUMN,...",
                    self.place, column.name, column.stored_as
                ));
            }
        }
        // Those that are left out if there are very many are not in the key.
        columns.sort_by_key(|column| !column.is_key);
        let plan = Plan::new(&self.place, &columns).map_err(|error| error.to_string())?;
        let mut held = plan.held;
        let place = |stored: &Stored| self.columns.iter().position(|of| of.name == stored.name);
        held.sort_by_key(place);
        let words = held
            .iter()
            .map(|stored| (stored.name.to_lowercase(), said(stored)));
        Ok(Declared {
            origin: Origin {
                name: format!("{} in {file}", self.place),
                table: self.name.clone(),
                about: self.about.clone(),
                columns: words.collect(),
                left_out: plan.left_out,
                rows: None,
                design: self.design.clone(),
                descending: Some(self.descending.clone()),
            },
            columns: held.iter().map(|stored| self.column(stored)).collect(),
            partition_key,
            order_key,
            notes: self.notes.clone(),
        })
    }

    fn column(&self, stored: &Stored) -> DeclaredColumn {
        let form = self.forms.get(&stored.name).cloned();
        DeclaredColumn {
            name: stored.name.clone(),
            kind: held_as(stored.holding),
            form: form.unwrap_or(DeclaredForm::Plain),
        }
    }

    /// Returns the columns by which rows belong together, and those that order them.
    fn key(
        &self,
        key: &[String],
        time: Option<&str>,
    ) -> Result<(Vec<String>, Vec<String>), String> {
        let time = time
            .map(|called| self.called(called, "--time"))
            .transpose()?;
        let key = key.iter().map(|called| self.called(called, "--key"));
        let key: Vec<String> = key.collect::<Result<_, _>>()?;
        let own = || self.partition_key.iter().chain(&self.order_key).cloned();
        let Some(time) = time else {
            if key.is_empty() {
                return Ok((self.partition_key.clone(), self.order_key.clone()));
            }
            let others = own().filter(|column| !key.contains(column)).collect();
            return Ok((key, others));
        };
        let of_key = if key.is_empty() { own().collect() } else { key };
        let others: Vec<String> = of_key.into_iter().filter(|of| *of != time).collect();
        Ok(if others.is_empty() {
            (vec![time], Vec::new())
        } else {
            (others, vec![time])
        })
    }

    /// Returns the name of the column that an option calls so.
    fn called(&self, called: &str, option: &str) -> Result<String, String> {
        let names = || self.columns.iter().map(|column| column.name.as_str());
        let found = names().find(|name| *name == called);
        let found = found.or_else(|| names().find(|name| name.eq_ignore_ascii_case(called)));
        found.map(str::to_owned).ok_or_else(|| {
            let hint = suggestion(called, names());
            format!(
                "{option} {called}: table {} has no such column{hint}",
                self.place
            )
        })
    }
}

/// Returns the type in which made values are held.
pub fn held_as(holding: Holding) -> ColumnType {
    match holding {
        Holding::As(kind) => kind,
        Holding::Whole => ColumnType::Bigint,
        Holding::Decimal => ColumnType::Double,
    }
}

/// Says what becomes of the values of a column.
fn said(stored: &Stored) -> String {
    let remark = match stored.holding {
        Holding::As(_) => stored.remark,
        Holding::Whole => "held as bigint, in 64 bits",
        Holding::Decimal => "held as double, which keeps 15 digits",
    };
    let comma = if remark.is_empty() { "" } else { ", " };
    format!("{} in the table{comma}{remark}", stored.stored_as)
}
