//! What PostgreSQL's catalog has of a table.

use std::fmt;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

use super::table_name::TableName;
use crate::postgres::connect::reason;
use crate::postgres::layout::qualified;
use crate::tables::TableError;

/// The most names of tables that are looked at for a similar one.
const MOST_NAMES: i64 = 10_000;
/// What a `numeric` has in front of the number of its decimals, which is in 16 bits.
const DECIMALS_OFFSET: i32 = 4;

/// The kinds of what rows are read of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationKind {
    Table,
    Partitioned,
    MaterializedView,
    /// A view, or a table elsewhere, whose pages cannot be sampled.
    Other,
}

/// A table that was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub oid: u32,
    pub schema: String,
    pub name: String,
    pub kind: RelationKind,
}

impl Found {
    /// Returns schema and name, quoted for SQL.
    pub fn quoted(&self) -> String {
        qualified(&self.schema, &self.name)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.schema, self.name)
    }
}

/// A column of a table.
#[derive(Debug, Clone, Default)]
pub struct Column {
    pub name: String,
    /// Its type as SQL writes it.
    pub written_type: String,
    /// The name of its type, or of the one that a domain is made from.
    pub base_type: String,
    pub is_enum: bool,
    pub is_array: bool,
    /// The decimals of a `numeric`, if it has a fixed number of them.
    pub decimals: Option<i32>,
    /// Whether the user may read it.
    pub is_readable: bool,
}

/// An index of a table.
#[derive(Debug, Clone)]
pub struct Index {
    /// Such as `btree`.
    pub method: String,
    pub definition: String,
    /// Its first column; `None` for an expression.
    pub first: Option<String>,
    pub columns: i16,
}

/// The chunks of a hypertable.
#[derive(Debug, Clone)]
pub struct Chunks {
    pub column: String,
    pub length: Length,
}

/// The length of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Seconds(u64),
    Number(i64),
}

/// The size of a table, with its partitions or chunks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    pub pages: u64,
    /// The estimated rows; `None` if the table was never analyzed.
    pub rows: Option<f64>,
}

/// The catalog of the database that a transaction reads.
pub struct Catalog<'a>(&'a Transaction<'a>);

impl<'a> Catalog<'a> {
    pub fn new(transaction: &'a Transaction<'a>) -> Self {
        Catalog(transaction)
    }

    async fn rows(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, TableError> {
        let rows = self.0.query(sql, values).await;
        rows.map_err(|error| {
            TableError::Failed(format!("the catalog cannot be read: {}", reason(&error)))
        })
    }

    /// Finds a table, view or foreign table; without a schema, as the search path does.
    pub async fn find(&self, table: &TableName) -> Result<Option<Found>, TableError> {
        let sql = "SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text \
                   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                   WHERE c.relname = $1::text AND c.relkind IN ('r', 'p', 'm', 'v', 'f') \
                   AND CASE WHEN $2::text IS NULL THEN pg_table_is_visible(c.oid) \
                   ELSE n.nspname = $2::text END LIMIT 1";
        let rows = self.rows(sql, &[&table.table, &table.schema]).await?;
        let found = |row: &Row| Found {
            oid: row.get(0),
            schema: row.get(1),
            name: row.get(2),
            kind: match row.get::<_, &str>(3) {
                "r" => RelationKind::Table,
                "p" => RelationKind::Partitioned,
                "m" => RelationKind::MaterializedView,
                _ => RelationKind::Other,
            },
        };
        Ok(rows.first().map(found))
    }

    /// Returns the names of all tables of users, with and without their schemas.
    pub async fn names(&self) -> Result<Vec<String>, TableError> {
        let sql = "SELECT n.nspname::text, c.relname::text \
                   FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                   WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f') AND NOT c.relispartition \
                   AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT LIKE '\\_timescaledb%' \
                   AND n.nspname NOT IN ('information_schema', 'timescaledb_information', \
                   'timescaledb_experimental') ORDER BY 1, 2 LIMIT $1";
        let rows = self.rows(sql, &[&MOST_NAMES]).await?;
        let both = rows.iter().flat_map(|row| {
            let (schema, name): (String, String) = (row.get(0), row.get(1));
            [format!("{schema}.{name}"), name]
        });
        Ok(both.collect())
    }

    pub async fn columns(&self, oid: u32) -> Result<Vec<Column>, TableError> {
        let sql = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), b.typname::text, \
                   b.typtype::text, b.typcategory::text, \
                   CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END, \
                   has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
                   FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
                   JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END \
                   WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
        let rows = self.rows(sql, &[&oid]).await?;
        let column = |row: &Row| {
            let modifier: i32 = row.get(5);
            Column {
                name: row.get(0),
                written_type: row.get(1),
                base_type: row.get(2),
                is_enum: row.get::<_, &str>(3) == "e",
                is_array: row.get::<_, &str>(4) == "A",
                decimals: (modifier >= DECIMALS_OFFSET)
                    .then_some((modifier - DECIMALS_OFFSET) & 0xffff),
                is_readable: row.get(6),
            }
        };
        Ok(rows.iter().map(column).collect())
    }

    /// Returns the columns of the primary key or, without one, of the shortest unique index that no row lacks.
    pub async fn key(&self, oid: u32) -> Result<Option<Vec<String>>, TableError> {
        let sql = "SELECT array(SELECT a.attname::text \
                   FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) \
                   JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
                   WHERE k.place <= i.indnkeyatts ORDER BY k.place) \
                   FROM pg_index i WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid \
                   AND i.indpred IS NULL AND i.indexprs IS NULL \
                   AND NOT EXISTS (SELECT 1 FROM unnest(i.indkey) AS k(attnum) \
                   JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum \
                   WHERE NOT a.attnotnull) \
                   ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1";
        let rows = self.rows(sql, &[&oid]).await?;
        let names = rows.first().map(|row| row.get::<_, Vec<String>>(0));
        Ok(names.filter(|names| !names.is_empty()))
    }

    pub async fn indexes(&self, oid: u32) -> Result<Vec<Index>, TableError> {
        let sql = "SELECT m.amname::text, pg_get_indexdef(i.indexrelid), \
                   (SELECT a.attname::text FROM pg_attribute a \
                   WHERE a.attrelid = i.indrelid AND a.attnum = i.indkey[0]), i.indnkeyatts \
                   FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                   JOIN pg_am m ON m.oid = c.relam \
                   WHERE i.indrelid = $1 ORDER BY i.indisprimary DESC, c.relname";
        let rows = self.rows(sql, &[&oid]).await?;
        let index = |row: &Row| Index {
            method: row.get(0),
            definition: row.get(1),
            first: row.get(2),
            columns: row.get(3),
        };
        Ok(rows.iter().map(index).collect())
    }

    /// Returns the chunks of a hypertable of TimescaleDB; `None` if the table is none.
    pub async fn chunks(&self, table: &Found) -> Result<Option<Chunks>, TableError> {
        let there = "SELECT to_regclass('timescaledb_information.dimensions') IS NOT NULL";
        let is_there = self.rows(there, &[]).await?;
        if !is_there.first().is_some_and(|row| row.get(0)) {
            return Ok(None);
        }
        let sql = "SELECT column_name::text, extract(epoch FROM time_interval)::float8, \
                   integer_interval::int8 FROM timescaledb_information.dimensions \
                   WHERE hypertable_schema = $1::text AND hypertable_name = $2::text \
                   AND dimension_number = 1";
        let rows = self.rows(sql, &[&table.schema, &table.name]).await?;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let seconds: Option<f64> = row.get(1);
        let number: Option<i64> = row.get(2);
        let length = match (seconds, number) {
            (Some(seconds), _) => Length::Seconds(seconds as u64),
            (None, Some(number)) => Length::Number(number),
            (None, None) => return Ok(None),
        };
        Ok(Some(Chunks {
            column: row.get(0),
            length,
        }))
    }

    /// Returns the size of a table, with the tables that inherit from it.
    pub async fn size(&self, oid: u32) -> Result<Size, TableError> {
        let sql = "WITH RECURSIVE parts(oid) AS (SELECT $1::oid UNION ALL \
                   SELECT i.inhrelid FROM pg_inherits i JOIN parts p ON i.inhparent = p.oid) \
                   SELECT coalesce(sum(greatest(c.reltuples::float8, 0)), 0)::float8, \
                   coalesce(sum(c.relpages), 0)::int8, \
                   coalesce(sum(pg_relation_size(c.oid) / current_setting('block_size')::int8), 0)::int8, \
                   count(*) FILTER (WHERE c.relpages = 0 AND pg_relation_size(c.oid) > 0) \
                   FROM parts p JOIN pg_class c ON c.oid = p.oid WHERE c.relkind IN ('r', 'm')";
        let rows = self.rows(sql, &[&oid]).await?;
        let Some(row) = rows.first() else {
            return Ok(Size {
                pages: 0,
                rows: None,
            });
        };
        let (tuples, analyzed): (f64, i64) = (row.get(0), row.get(1));
        let (pages, unknown): (i64, i64) = (row.get(2), row.get(3));
        // As the planner does it: the rows of a page are those of the last analysis, and the pages are those of now.
        let is_known = unknown == 0 && analyzed > 0 && tuples > 0.0;
        Ok(Size {
            pages: u64::try_from(pages).unwrap_or(0),
            rows: is_known.then(|| tuples / analyzed as f64 * pages as f64),
        })
    }
}
