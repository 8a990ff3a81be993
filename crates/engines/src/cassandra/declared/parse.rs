//! Reads `CREATE TABLE` and `CREATE INDEX` of CQL.

use std::collections::{HashMap, HashSet};

use super::reader::{Reader, text};
use crate::cassandra::live::schema::StoredIndex;
use crate::cassandra::rows::indexes::IndexKind;
use crate::cassandra::rows::storage::stored::StoredOptions;
use crate::statements::MOST_KEY_COLUMNS;
use crate::statements::words::is;

/// Seconds for which Cassandra keeps tombstones unless a table says otherwise.
const GC_GRACE_SECONDS: u64 = 864_000;

/// A table that a statement makes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made {
    pub keyspace: Option<String>,
    pub name: String,
    pub columns: Vec<MadeColumn>,
    pub partition_key: Vec<String>,
    pub order_key: Vec<String>,
    /// Columns whose order is stated, with whether the greatest comes first.
    orders: Vec<(String, bool)>,
    pub options: StoredOptions,
    /// Whether options are stated.
    pub has_options: bool,
}

/// A column of a table that a statement makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeColumn {
    pub name: String,
    /// Its type as CQL writes it.
    pub kind: String,
    pub is_static: bool,
}

impl Made {
    /// Returns the whole name.
    pub fn place(&self) -> String {
        match &self.keyspace {
            Some(keyspace) => format!("{keyspace}.{}", self.name),
            None => self.name.clone(),
        }
    }

    /// Returns whether the table is called so, with its keyspace or without.
    pub fn is_called(&self, of: &(Option<String>, String)) -> bool {
        let (keyspace, name) = of;
        let is_same = keyspace.is_none() || self.keyspace.is_none() || *keyspace == self.keyspace;
        is_same && *name == self.name
    }

    /// Returns whether the greatest order key comes first; `None` if that differs among its columns.
    pub fn descending(&self) -> Option<bool> {
        let descending = self.descending_columns().len();
        if descending == 0 {
            return Some(false);
        }
        (descending == self.order_key.len()).then_some(true)
    }

    /// Returns the columns of the order key whose greatest value comes first.
    pub fn descending_columns(&self) -> Vec<String> {
        let descends = |column: &&String| {
            let stated = self.orders.iter().find(|(of, _)| of == *column);
            stated.is_some_and(|(_, descends)| *descends)
        };
        self.order_key.iter().filter(descends).cloned().collect()
    }
}

/// Reads a statement that makes a table; `None` if it is another one.
///
/// # Errors
/// Says what is expected, and where.
pub fn table(cql: &str) -> Result<Option<Made>, String> {
    let mut reader = Reader::new(cql)?;
    let makes = reader.takes("create") && (reader.takes("table") || reader.takes("columnfamily"));
    if !makes {
        return Ok(None);
    }
    reader.skip_if_not_exists();
    let (keyspace, name) = reader.qualified()?;
    let mut made = Made {
        keyspace,
        name,
        ..Made::default()
    };
    reader.expect('(')?;
    loop {
        reader.column_or_key(&mut made)?;
        if reader.takes_sign(')') {
            break;
        }
        reader.expect(',')?;
        // A comma may be behind the last one, too.
        if reader.takes_sign(')') {
            break;
        }
    }
    check_names(&made)?;
    made.options = StoredOptions {
        compression: [("class".to_owned(), "LZ4Compressor".to_owned())].into(),
        gc_grace_seconds: GC_GRACE_SECONDS,
        ..StoredOptions::default()
    };
    reader.options(&mut made)?;
    Ok(Some(made))
}

/// Checks that there is a key, whose columns are there, and no column twice.
fn check_names(made: &Made) -> Result<(), String> {
    let mut names = HashSet::new();
    if let Some(twice) = made
        .columns
        .iter()
        .find(|column| !names.insert(&column.name))
    {
        return Err(format!("it has the column `{}` twice", twice.name));
    }
    let key = || made.partition_key.iter().chain(&made.order_key);
    match key().find(|column| !names.contains(column)) {
        Some(column) => Err(format!("`{column}` of its PRIMARY KEY is no column of it")),
        None if key().count() > MOST_KEY_COLUMNS => Err(format!(
            "its PRIMARY KEY has more than {MOST_KEY_COLUMNS} columns"
        )),
        None if made.partition_key.is_empty() => Err("it has no PRIMARY KEY".to_owned()),
        None => Ok(()),
    }
}

/// Reads a statement that makes an index: the table's name, with its keyspace if that is written, and the index. `None`
/// if it is another statement.
pub fn index(cql: &str) -> Option<((Option<String>, String), StoredIndex)> {
    let mut reader = Reader::new(cql).ok()?;
    let makes = reader.takes("create") && (reader.takes("custom") || is(reader.peek(), "index"));
    if !makes || !reader.takes("index") {
        return None;
    }
    reader.skip_if_not_exists();
    let called = if is(reader.peek(), "on") {
        None
    } else {
        Some(reader.name().ok()?)
    };
    if !reader.takes("on") {
        return None;
    }
    let table = reader.qualified().ok()?;
    reader.expect('(').ok()?;
    let column = reader.name().ok()?;
    // Otherwise it is of the keys or the values of a collection.
    let is_plain = reader.takes_sign(')');
    let using = reader.words.iter().position(|word| is(Some(word), "using"));
    let class = using.and_then(|at| text(reader.words.get(at + 1)));
    let kind = match class.map(|class| class.to_lowercase()).as_deref() {
        None | Some("legacy_local_table") => Some(IndexKind::HiddenTable),
        Some(class) if class == "sai" || class.ends_with("storageattachedindex") => {
            Some(IndexKind::StorageAttached)
        }
        Some(_) => None,
    };
    let index = StoredIndex {
        name: called.unwrap_or_else(|| format!("of {column}")),
        of: kind.filter(|_| is_plain).map(|kind| (kind, column)),
    };
    Some((table, index))
}

impl Reader<'_> {
    /// Reads what is between two commas of the columns.
    fn column_or_key(&mut self, made: &mut Made) -> Result<(), String> {
        let begins_key = is(self.peek(), "primary") && is(self.words.get(self.at + 1), "key");
        if begins_key {
            self.at += 2;
            return self.key(made);
        }
        let called = self.name()?;
        let kind = self.kind();
        if kind.is_empty() {
            return Err(self.lacks(&format!("the type of `{called}`")));
        }
        let mut column = MadeColumn {
            name: called,
            kind,
            is_static: false,
        };
        loop {
            if self.takes("static") {
                column.is_static = true;
            } else if self.takes("primary") {
                self.takes("key");
                made.partition_key = vec![column.name.clone()];
            } else if self.takes("masked") {
                self.skip_mask();
            } else {
                break;
            }
        }
        made.columns.push(column);
        Ok(())
    }

    /// Reads a key behind `PRIMARY KEY`.
    fn key(&mut self, made: &mut Made) -> Result<(), String> {
        self.expect('(')?;
        let mut partition = Vec::new();
        if self.takes_sign('(') {
            partition.push(self.name()?);
            while self.takes_sign(',') {
                partition.push(self.name()?);
            }
            self.expect(')')?;
        } else {
            partition.push(self.name()?);
        }
        let mut order = Vec::new();
        while self.takes_sign(',') {
            order.push(self.name()?);
        }
        self.expect(')')?;
        (made.partition_key, made.order_key) = (partition, order);
        Ok(())
    }

    /// Reads what is behind `WITH`.
    fn options(&mut self, made: &mut Made) -> Result<(), String> {
        if !self.takes("with") {
            return match self.peek() {
                None => Ok(()),
                Some(_) => Err(self.lacks("WITH")),
            };
        }
        loop {
            if self.takes("clustering") {
                self.takes("order");
                self.takes("by");
                made.orders = self.orders()?;
            } else if self.takes("compact") {
                self.takes("storage");
            } else {
                let option = self.name()?;
                self.expect('=')?;
                self.option(&option, made)?;
            }
            if !self.takes("and") {
                return match self.peek() {
                    None => Ok(()),
                    Some(_) => Err(self.lacks("AND")),
                };
            }
        }
    }

    fn orders(&mut self) -> Result<Vec<(String, bool)>, String> {
        let mut orders = Vec::new();
        self.expect('(')?;
        loop {
            let column = self.name()?;
            let descends = self.takes("desc");
            if !descends {
                self.takes("asc");
            }
            orders.push((column, descends));
            if self.takes_sign(')') {
                return Ok(orders);
            }
            self.expect(',')?;
        }
    }

    /// Reads the value of an option, as far as a design has it.
    fn option(&mut self, called: &str, made: &mut Made) -> Result<(), String> {
        if self.takes_sign('{') {
            let map = self.map()?;
            match called {
                "compaction" => made.options.compaction = map,
                "compression" => made.options.compression = as_of_today(map),
                "caching" => made.options.caching = map,
                _ => return Ok(()),
            }
            made.has_options = true;
            return Ok(());
        }
        self.takes_sign('-');
        let Some(token) = self.peek().copied() else {
            return Err(self.lacks("a value"));
        };
        self.at += 1;
        let seconds = token.text.parse::<u64>().ok();
        let option = match called {
            "default_time_to_live" => &mut made.options.default_time_to_live,
            "gc_grace_seconds" => &mut made.options.gc_grace_seconds,
            _ => return Ok(()),
        };
        *option = seconds
            .ok_or_else(|| format!("{called} is a number of seconds, not {}", token.text))?;
        made.has_options = true;
        Ok(())
    }
}

/// Returns options of compression with the names that they have since Cassandra 3.0.
fn as_of_today(options: HashMap<String, String>) -> HashMap<String, String> {
    let named = options.into_iter().map(|(option, value)| {
        let today = match option.as_str() {
            "sstable_compression" => "class".to_owned(),
            "chunk_length_kb" => "chunk_length_in_kb".to_owned(),
            _ => option,
        };
        (today, value)
    });
    named
        .filter(|(option, value)| option != "class" || !value.is_empty())
        .collect()
}
