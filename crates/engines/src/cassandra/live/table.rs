//! A table of a running Cassandra that is open to be read, and some of its rows in the types of workloads.

use std::collections::BTreeMap;
use std::sync::Arc;

use bakeoff_workload::{ColumnType, DesignId, uuids};
use scylla::client::session::Session;

use super::kinds;
use super::sampling::{self, Sample};
use super::schema::Schema;
use crate::cassandra::read::metadata::{is_descending, read_table};
use crate::cassandra::read::readable::{CqlKind, ReadTable};
use crate::live::{Described, Holding, LiveKey, Plan, SampleRequest, Sampled, Stored, sampled};
use crate::tables::{Location, TableError};

/// A table that can be read.
pub struct Opened {
    pub session: Arc<Session>,
    location: Location,
    pub read: ReadTable,
    pub schema: Schema,
}

/// Rows of a table.
pub struct Taken {
    /// The columns that the rows have, those of the key first.
    pub columns: Vec<Stored>,
    /// The others, with the reasons.
    pub left_out: Vec<String>,
    pub sample: Sample,
    pub kept: Sampled,
}

impl Opened {
    /// Reads what a table is.
    ///
    /// # Errors
    /// There is no such table, or what it is cannot be read.
    pub async fn open(
        session: Arc<Session>,
        keyspace: &str,
        table: &str,
    ) -> Result<Opened, TableError> {
        let location = Location::Cassandra {
            keyspace: keyspace.to_owned(),
            table: table.to_owned(),
        };
        let read = read_table(&session.get_cluster_state(), keyspace, table);
        let mut read = read.map_err(TableError::Asked)?;
        read.descending = is_descending(&session, keyspace, table).await;
        let schema = Schema::read(&session, keyspace, table).await;
        let schema = schema
            .map_err(|why| TableError::Failed(format!("cannot read what {location} is: {why}")))?;
        Ok(Opened {
            session,
            location,
            read,
            schema,
        })
    }

    /// Describes the columns of the table, those of the key first.
    pub fn described(&self) -> Vec<Described> {
        described(&self.read, &self.schema)
    }

    /// Returns the key of the table.
    pub fn key(&self) -> LiveKey {
        LiveKey {
            partition: self.read.partition_key.clone(),
            order: self.read.clustering_key.clone(),
        }
    }

    /// Reads some rows with these columns, as far as they are held, at most about `most_bytes` of them.
    ///
    /// # Errors
    /// A column of the key is not held, the table has no row, or it cannot be read.
    pub async fn taken(
        &self,
        columns: &[Described],
        request: &SampleRequest,
        most_bytes: usize,
    ) -> Result<Taken, TableError> {
        let name = self.location.to_string();
        let plan = Plan::new(&name, columns)?;
        let narrowed = narrowed(&self.read, &plan.held);
        let sample = sampling::sample(&self.session, &narrowed, request, most_bytes)
            .await
            .map_err(|error| error.about(&self.location))?;
        let kept = sampled(&name, &plan.held, &sample.rows, Some(&self.key()))?;
        Ok(Taken {
            columns: plan.held,
            left_out: plan.left_out,
            sample,
            kept,
        })
    }
}

impl Taken {
    /// Returns the type in which a column is held; `None` if the rows lack it.
    pub fn kind_of(&self, column: &str) -> Option<ColumnType> {
        let schema = self.kept.rows.first()?.schema();
        let field = schema.field_with_name(column).ok()?;
        if uuids::is_of_uuids(field) {
            return Some(ColumnType::Uuid);
        }
        let mut kinds = ColumnType::ALL.into_iter().map(|(_, kind)| kind);
        kinds.find(|kind| kind.arrow() == *field.data_type())
    }
}

/// Returns the id of a design of rows with these settings, which has those of a partition key together if they are
/// ordered there.
pub fn design(engine: &str, is_ordered: bool, settings: BTreeMap<String, String>) -> DesignId {
    let layout = if is_ordered { "wide" } else { "narrow" };
    DesignId {
        engine: engine.to_owned(),
        layout: Some(layout.to_owned()),
        settings,
        tag: None,
    }
}

/// Returns the name that a column of a workload has by this one: in lower case. `None` if a workload allows no such
/// name.
pub fn plain_name(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    (begins && name.chars().all(is_plain)).then_some(name)
}

fn described(table: &ReadTable, schema: &Schema) -> Vec<Described> {
    let columns = table.columns.iter().map(|column| {
        let stored_as = schema.types.get(&column.name);
        let stored_as = stored_as.map_or("another type", String::as_str);
        let is_static = table.statics.contains(&column.name);
        Described {
            name: column.name.clone(),
            stored_as: stored_as.to_owned(),
            is_key: table.is_key(&column.name),
            fate: kinds::fate(column.kind, stored_as, is_static),
        }
    });
    columns.collect()
}

/// Returns a table as it is read: with these columns, and numbers of any length as text.
fn narrowed(table: &ReadTable, held: &[Stored]) -> ReadTable {
    let mut narrowed = table.clone();
    narrowed
        .columns
        .retain(|column| held.iter().any(|held| held.name == column.name));
    for column in &mut narrowed.columns {
        let holding = { held.iter() }.find(|held| held.name == column.name);
        column.kind = match holding.map(|held| held.holding) {
            Some(Holding::Whole) => CqlKind::VarintText,
            Some(Holding::Decimal) => CqlKind::DecimalText,
            _ => column.kind,
        };
    }
    // Partitions that have nothing else would be rows if a static column was read.
    narrowed.statics.clear();
    // The time to live of one column is enough to notice that there is one.
    let has_ttl = |name: &String| table.with_ttl.contains(name);
    let mut names = narrowed.columns.iter().map(|column| &column.name);
    narrowed.with_ttl = names
        .find(|name| has_ttl(name))
        .cloned()
        .into_iter()
        .collect();
    narrowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cassandra::layout::CassandraLayout;
    use crate::cassandra::read::readable::ReadColumn;

    fn table(columns: &[(&str, CqlKind)], clustering: &[&str]) -> ReadTable {
        let column = |(name, kind): &(&str, CqlKind)| ReadColumn {
            name: (*name).to_owned(),
            kind: *kind,
        };
        ReadTable {
            keyspace: "ks".to_owned(),
            name: "t".to_owned(),
            columns: columns.iter().map(column).collect(),
            partition_key: vec!["k".to_owned()],
            clustering_key: clustering.iter().map(|name| (*name).to_owned()).collect(),
            ..ReadTable::default()
        }
    }

    #[test]
    fn a_key_that_no_workload_can_have_is_an_error() {
        let read = table(&[("k", CqlKind::Literal)], &[]);
        let types = [("k".to_owned(), "frozen<list<int>>".to_owned())];
        let schema = Schema {
            types: types.into(),
            ..Schema::default()
        };
        let error = Plan::new("ks.t", &described(&read, &schema)).unwrap_err();
        let told = error.to_string();
        assert!(
            told.starts_with(
                "ks.t: `k` is in the key, and its type is frozen<list<int>>: a collection"
            ),
            "{told}"
        );
    }

    #[test]
    fn what_is_not_held_is_not_read_and_numbers_of_any_length_are_text() {
        let mut read = table(
            &[
                ("k", CqlKind::Decimal),
                ("s", CqlKind::Text),
                ("n", CqlKind::Varint),
                ("m", CqlKind::Literal),
                ("v", CqlKind::Int),
            ],
            &[],
        );
        read.statics = vec!["s".to_owned()];
        read.with_ttl = ["s", "n", "v"].map(str::to_owned).to_vec();
        let plan = Plan::new("ks.t", &described(&read, &Schema::default())).unwrap();
        let narrowed = narrowed(&read, &plan.held);
        let kinds: Vec<(&str, CqlKind)> = { narrowed.columns.iter() }
            .map(|column| (column.name.as_str(), column.kind))
            .collect();
        assert_eq!(
            kinds,
            [
                ("k", CqlKind::DecimalText),
                ("n", CqlKind::VarintText),
                ("v", CqlKind::Int)
            ]
        );
        assert!(narrowed.statics.is_empty());
        assert_eq!(narrowed.with_ttl, ["n"]);
        assert_eq!(plan.left_out.len(), 2);
    }

    #[test]
    fn the_design_like_a_table_is_one_that_there_is() {
        let mut schema = Schema::default();
        schema.options.compression = [("class", "LZ4Compressor"), ("chunk_length_in_kb", "64")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        schema.options.gc_grace_seconds = 864_000;
        let mut ordered = table(&[("k", CqlKind::Text), ("t", CqlKind::Timestamp)], &["t"]);
        ordered.descending = Some(true);
        for (read, expected) in [
            (
                &ordered,
                "cassandra/wide?chunk=64KiB&gc_grace=10d&order=desc",
            ),
            (
                &table(&[("k", CqlKind::Text)], &[]),
                "cassandra/narrow?chunk=64KiB&gc_grace=10d",
            ),
        ] {
            let settings = schema.as_settings(read, |_| None).settings;
            let id = design("cassandra", !read.clustering_key.is_empty(), settings);
            assert_eq!(id.to_string(), expected);
            CassandraLayout::from_id(&id).unwrap();
        }
    }

    #[test]
    fn names_of_workloads_are_in_lower_case_and_need_no_quotes() {
        assert_eq!(plain_name("siteId").as_deref(), Some("siteid"));
        assert_eq!(plain_name("a_1").as_deref(), Some("a_1"));
        for name in ["", "1st", "_x", "a b", "größe"] {
            assert_eq!(plain_name(name), None, "{name}");
        }
    }
}
