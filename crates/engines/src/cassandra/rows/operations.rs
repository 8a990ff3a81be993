//! Plans of the operations of a mix on the layouts of rows.

use bakeoff_workload::{Action, DesignId, Mix, Operation, Version};

use super::layout::{BLOB_COLUMN, TableLayout};
use crate::EngineError;
use crate::cassandra::drive::plan::{
    Bind, OperationPlan, Read, ReadParts, Statement, Work, refused,
};
use crate::cassandra::names::{quoted, quoted_list};
use crate::drive::read_rows::ReadRows;

/// Plans the operations of a mix on a table of rows.
///
/// # Errors
/// Fails for an action that the layout has no statement for.
pub fn plan_operations(
    id: &DesignId,
    layout: &TableLayout,
    keyspace: &str,
    mix: &Mix,
) -> Result<Vec<OperationPlan>, EngineError> {
    let mut plans = Vec::with_capacity(mix.operations.len());
    for operation in &mix.operations {
        let planner = Planner {
            id,
            layout,
            keyspace,
            operation,
        };
        plans.push(OperationPlan {
            name: operation.name.clone(),
            consistency: operation.consistency,
            work: planner.work()?,
        });
    }
    Ok(plans)
}

/// The planner of one operation, which writes its CQL and lists its binds.
struct Planner<'a> {
    id: &'a DesignId,
    layout: &'a TableLayout,
    keyspace: &'a str,
    operation: &'a Operation,
}

impl Planner<'_> {
    fn work(&self) -> Result<Work, EngineError> {
        Ok(match &self.operation.action {
            Action::Insert => self.write(self.insert()),
            Action::Update { columns } => self.write(self.update(columns)?),
            Action::DeleteRow => self.write(self.delete(true)),
            Action::DeletePartition => self.write(self.delete(false)),
            Action::ReadRow => self.read(ReadRows::One),
            Action::ReadPartition {
                limit,
                newest_first,
            } => self.read(self.partition(*limit, *newest_first)),
            Action::ReadParts { requests, at_once } => self.parts(*requests, *at_once)?,
            Action::ReadRange { rows } => self.read(self.range(*rows)),
            Action::Query { query } => Work::Query(*query),
            Action::Cql(_) => {
                return Err(self.error(
                    "is written in CQL, which names its own tables: use the design \
                     cassandra/as-written for it",
                ));
            }
        })
    }

    fn write(&self, statement: Statement) -> Work {
        Work::Write {
            statement,
            batch: self.operation.batch.max(1),
        }
    }

    fn read(&self, rows: ReadRows) -> Work {
        let (condition, binds) = match rows {
            ReadRows::One => self.where_key(true),
            ReadRows::Partition { .. } => self.where_key(false),
            ReadRows::From { .. } => self.where_from(),
        };
        let order = match rows {
            ReadRows::One => String::new(),
            ReadRows::Partition { descending, .. } => self.order_by(descending),
            ReadRows::From { .. } => self.order_by(false),
        };
        let limit = match (rows, rows.limit()) {
            (ReadRows::One, _) | (_, None) => String::new(),
            (_, Some(limit)) => format!(" LIMIT {limit}"),
        };
        let columns = read_columns(self.layout);
        let cql = format!(
            "SELECT {} FROM {} WHERE {condition}{order}{limit}",
            quoted_list(&columns),
            self.table()
        );
        Work::Read(Read {
            statement: Statement { cql, binds },
            rows,
        })
    }

    /// Returns the `ORDER BY` clause, which is empty if the table already has that order.
    fn order_by(&self, descending: bool) -> String {
        let word = if descending { "DESC" } else { "ASC" };
        let columns = self.layout.clustering_key();
        if columns.is_empty() || descending == self.layout.descending {
            return String::new();
        }
        let columns: Vec<_> = columns
            .iter()
            .map(|c| format!("{} {word}", quoted(c)))
            .collect();
        format!(" ORDER BY {}", columns.join(", "))
    }

    /// Reads a partition, or its only row where a partition has one.
    fn partition(&self, limit: Option<u32>, newest_first: bool) -> ReadRows {
        if self.layout.clustering_key().is_empty() {
            ReadRows::One
        } else {
            ReadRows::Partition {
                limit,
                descending: newest_first,
            }
        }
    }

    /// Reads a partition by requests for ranges of its order key.
    fn parts(&self, requests: u32, at_once: bool) -> Result<Work, EngineError> {
        let clustering = self.layout.clustering_key();
        if clustering.is_empty() {
            return Err(self.error(
                "reads a partition in several requests, but partitions have one row in this layout: \
                 use another one such as cassandra/wide",
            ));
        }
        let (condition, partition) = self.where_key(false);
        let order = self.key_binds(&clustering);
        let from = bound(&clustering, ">=");
        let before = bound(&clustering, "<");
        let statement = |bounds: &[&str]| {
            let conditions = [&[condition.as_str()][..], bounds].concat().join(" AND ");
            let columns = quoted_list(&read_columns(self.layout));
            let mut binds = partition.clone();
            bounds.iter().for_each(|_| binds.extend(order.clone()));
            Statement {
                cql: format!(
                    "SELECT {columns} FROM {} WHERE {conditions}{}",
                    self.table(),
                    self.order_by(false)
                ),
                binds,
            }
        };
        Ok(Work::ReadParts(ReadParts {
            whole: statement(&[]),
            first: statement(&[before.as_str()]),
            middle: statement(&[from.as_str(), before.as_str()]),
            last: statement(&[from.as_str()]),
            partition: partition.clone(),
            order: order.clone(),
            requests,
            at_once,
        }))
    }

    /// Reads a range of a partition, or its only row where a partition has one.
    fn range(&self, limit: u32) -> ReadRows {
        if self.layout.clustering_key().is_empty() {
            ReadRows::One
        } else {
            ReadRows::From { limit }
        }
    }

    fn insert(&self) -> Statement {
        let mut cql = self.layout.insert_statement(self.keyspace);
        let mut binds = Vec::new();
        for (number, column) in self.layout.table.columns.iter().enumerate() {
            if self.layout.has_blob() && !self.layout.table.is_key(&column.name) {
                continue;
            }
            binds.push(if self.layout.keys_repeat {
                Bind::Column(number, Version::First)
            } else {
                Bind::ColumnUnlessNull(number, Version::First)
            });
        }
        binds.extend(self.layout.bucket.as_ref().map(|_| Bind::Bucket));
        if self.layout.has_blob() {
            binds.push(Bind::Blob { second: Vec::new() });
        }
        if let Some(ttl) = self.ttl() {
            cql.push_str(" USING TTL ?");
            binds.push(ttl);
        }
        Statement { cql, binds }
    }

    fn update(&self, columns: &[String]) -> Result<Statement, EngineError> {
        let columns: Vec<usize> = columns.iter().filter_map(|c| self.column(c)).collect();
        if columns.is_empty() {
            return Err(self.error("updates no column: the table has none outside its key"));
        }
        let mut binds: Vec<Bind> = self.ttl().into_iter().collect();
        let using = if binds.is_empty() { "" } else { " USING TTL ?" };
        let mut assignments = Vec::new();
        if self.layout.has_blob() {
            binds.push(Bind::Blob { second: columns });
            assignments.push(format!("{} = ?", quoted(BLOB_COLUMN)));
        } else {
            for column in columns {
                let name = &self.layout.table.columns[column].name;
                assignments.push(format!("{} = ?", quoted(name)));
                binds.push(Bind::Column(column, Version::Second));
            }
        }
        let set = assignments.join(", ");
        let (condition, key) = self.where_key(true);
        binds.extend(key);
        let cql = format!("UPDATE {}{using} SET {set} WHERE {condition}", self.table());
        Ok(Statement { cql, binds })
    }

    fn delete(&self, whole_key: bool) -> Statement {
        let (condition, binds) = self.where_key(whole_key);
        Statement {
            cql: format!("DELETE FROM {} WHERE {condition}", self.table()),
            binds,
        }
    }

    /// Returns the condition and binds that select a partition, or with `whole_key` one row of it.
    ///
    /// A partition is one bucket where the layout has buckets.
    fn where_key(&self, whole_key: bool) -> (String, Vec<Bind>) {
        let mut columns = self.layout.token_columns();
        let mut binds: Vec<Bind> = self.key_binds(&self.layout.partition_key());
        binds.extend(self.layout.bucket.as_ref().map(|_| Bind::Bucket));
        if whole_key {
            let clustering = self.layout.clustering_key();
            binds.extend(self.key_binds(&clustering));
            columns.extend(clustering);
        }
        let conditions: Vec<_> = columns
            .iter()
            .map(|c| format!("{} = ?", quoted(c)))
            .collect();
        (conditions.join(" AND "), binds)
    }

    /// Returns the condition and binds that select a partition from a row on.
    fn where_from(&self) -> (String, Vec<Bind>) {
        let (partition, mut binds) = self.where_key(false);
        let clustering = self.layout.clustering_key();
        binds.extend(self.key_binds(&clustering));
        let condition = format!("{partition} AND {}", bound(&clustering, ">="));
        (condition, binds)
    }

    fn key_binds(&self, columns: &[&str]) -> Vec<Bind> {
        let bind = |name: &&str| Some(Bind::Column(self.column(name)?, Version::First));
        columns.iter().filter_map(bind).collect()
    }

    fn column(&self, name: &str) -> Option<usize> {
        let columns = &self.layout.table.columns;
        columns.iter().position(|c| c.name == name)
    }

    fn ttl(&self) -> Option<Bind> {
        let seconds = self.operation.ttl_seconds?;
        // The server's limit of 20 years is lower than this one.
        Some(Bind::Ttl(i32::try_from(seconds).unwrap_or(i32::MAX)))
    }

    fn table(&self) -> String {
        format!("{}.{}", self.keyspace, self.layout.name)
    }

    fn error(&self, why: &str) -> EngineError {
        refused(self.id, self.operation, why)
    }
}

/// Returns the condition that compares the clustering columns of a row with values.
fn bound(clustering: &[&str], sign: &str) -> String {
    match clustering {
        [column] => format!("{} {sign} ?", quoted(column)),
        columns => format!(
            "({}) {sign} ({})",
            quoted_list(columns),
            vec!["?"; columns.len()].join(", ")
        ),
    }
}

/// Lists the CQL columns that reads select, in order: all but the bucket.
pub fn read_columns(layout: &TableLayout) -> Vec<&str> {
    let table = &layout.table;
    let stored = |name: &&str| !layout.has_blob() || table.is_key(name);
    let plain = table.columns.iter().map(|c| c.name.as_str()).filter(stored);
    plain
        .chain(layout.has_blob().then_some(BLOB_COLUMN))
        .collect()
}

#[cfg(test)]
mod tests;
