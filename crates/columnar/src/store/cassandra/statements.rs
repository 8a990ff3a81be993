//! The prepared statements for the data of a table.

use scylla::statement::prepared::PreparedStatement;

use super::client::Client;
use super::names::Part;
use super::options::FRESH_ROWS_OF_PAGE;
use crate::Result;

/// The chunk in the row of the index that has its version. It comes before all real chunks.
const VERSION: &str = "0x00";

/// The columns of a fresh row.
const ROW: &str = "key, wt, deleted, row";

/// The condition on a place, which is a partition of every CQL table.
const PLACE: &str = "WHERE shard = ? AND bucket = ?";

/// All statements.
pub(super) struct Statements {
    pub(super) places: OfPlaces,
    pub(super) index: OfIndex,
    pub(super) chunks: OfChunks,
    pub(super) fresh: OfFresh,
}

/// The statements for the list of places.
pub(super) struct OfPlaces {
    pub(super) read: PreparedStatement,
    pub(super) read_shard: PreparedStatement,
    pub(super) open: PreparedStatement,
    pub(super) close: PreparedStatement,
    pub(super) seal: PreparedStatement,
    pub(super) drop: PreparedStatement,
}

/// The statements for the index.
pub(super) struct OfIndex {
    pub(super) read: PreparedStatement,
    pub(super) version: PreparedStatement,
    pub(super) put_version: PreparedStatement,
    pub(super) states: PreparedStatement,
    pub(super) states_of: PreparedStatement,
    pub(super) metas_of: PreparedStatement,
    pub(super) put: PreparedStatement,
    pub(super) renew: PreparedStatement,
    pub(super) commit: PreparedStatement,
    pub(super) retire: PreparedStatement,
    pub(super) abandon: PreparedStatement,
    pub(super) delete: PreparedStatement,
    pub(super) delete_place: PreparedStatement,
}

/// The statements for blobs.
pub(super) struct OfChunks {
    pub(super) put: PreparedStatement,
    pub(super) read_of_chunk: PreparedStatement,
    /// The same with a higher consistency, for rows that are missing.
    pub(super) read_of_chunk_again: PreparedStatement,
    pub(super) delete: PreparedStatement,
    pub(super) delete_place: PreparedStatement,
}

/// The statements for fresh rows.
pub(super) struct OfFresh {
    pub(super) insert: PreparedStatement,
    pub(super) read_from: PreparedStatement,
    pub(super) read_between: PreparedStatement,
    pub(super) read_times: PreparedStatement,
    pub(super) delete_generation: PreparedStatement,
}

impl Statements {
    pub(super) async fn prepare(client: &Client) -> Result<Self> {
        Ok(Statements {
            places: OfPlaces::prepare(client).await?,
            index: OfIndex::prepare(client).await?,
            chunks: OfChunks::prepare(client).await?,
            fresh: OfFresh::prepare(client).await?,
        })
    }
}

impl OfPlaces {
    async fn prepare(client: &Client) -> Result<Self> {
        let table = client.names.cql(Part::Places);
        let read = async |what: &str, of: &str| {
            let cql = format!("SELECT {what} FROM {table} {of}");
            let consistency = client.options.read_consistency;
            client.prepare(Part::Places, &cql, consistency).await
        };
        let update = async |set: &str| {
            let cql = format!("UPDATE {table} USING TIMESTAMP ? SET {set} {PLACE}");
            let consistency = client.options.write_consistency;
            client.prepare(Part::Places, &cql, consistency).await
        };
        Ok(OfPlaces {
            read: read("opened, closed, sealed, dropped", PLACE).await?,
            read_shard: read("bucket, opened, closed, sealed, dropped", "WHERE shard = ?").await?,
            open: update("opened = ?, dropped = 0").await?,
            close: update("closed = ?").await?,
            seal: update("sealed = ?").await?,
            drop: update("opened = ?, closed = ?, dropped = ?").await?,
        })
    }
}

impl OfIndex {
    async fn prepare(client: &Client) -> Result<Self> {
        let table = client.names.cql(Part::Index);
        let (reads, writes) = (
            client.options.read_consistency,
            client.options.write_consistency,
        );
        let states = "chunk, put, renewed, abandoned, committed, retired";
        let of_version = format!("AND chunk = {VERSION}");
        let of_chunks = format!("AND chunk > {VERSION}");
        let some = "AND chunk IN ?";
        let read = async |what: &str, of: &str| {
            let cql = format!("SELECT {what} FROM {table} {PLACE} {of}");
            client.prepare(Part::Index, &cql, reads).await
        };
        let write = async |cql: &str| client.prepare(Part::Index, cql, writes).await;
        let update = async |column: &str| {
            let cql =
                format!("UPDATE {table} USING TIMESTAMP ? SET {column} = ? {PLACE} AND chunk = ?");
            write(&cql).await
        };
        let delete = format!("DELETE FROM {table} USING TIMESTAMP ? {PLACE}");
        Ok(OfIndex {
            read: read(
                "chunk, committed, retired, meta, version, writetime(version)",
                "",
            )
            .await?,
            version: read("version, writetime(version)", &of_version).await?,
            put_version: write(&format!(
                "UPDATE {table} USING TIMESTAMP ? SET version = ? {PLACE} {of_version}"
            ))
            .await?,
            states: read(states, &of_chunks).await?,
            states_of: read(states, some).await?,
            metas_of: read("chunk, meta", some).await?,
            put: write(&format!(
                "INSERT INTO {table} (shard, bucket, chunk, put, meta) VALUES (?, ?, ?, ?, ?) \
                 USING TIMESTAMP ?"
            ))
            .await?,
            renew: update("renewed").await?,
            commit: update("committed").await?,
            retire: update("retired").await?,
            abandon: update("abandoned").await?,
            delete: write(&format!("{delete} AND chunk = ?")).await?,
            delete_place: write(&delete).await?,
        })
    }
}

impl OfChunks {
    async fn prepare(client: &Client) -> Result<Self> {
        let table = client.names.cql(Part::Chunks);
        let options = &client.options;
        let prepare =
            async |cql: &str, consistency| client.prepare(Part::Chunks, cql, consistency).await;
        let of_chunk = format!("SELECT col, data FROM {table} {PLACE} AND col IN ? AND chunk = ?");
        let put = format!(
            "INSERT INTO {table} (shard, bucket, col, chunk, data) VALUES (?, ?, ?, ?, ?) \
             USING TIMESTAMP ?"
        );
        let delete = format!("DELETE FROM {table} USING TIMESTAMP ? {PLACE}");
        let delete_one = format!("{delete} AND col = ? AND chunk = ?");
        let (once, again) = (options.blob_consistency, options.read_consistency);
        let writes = options.write_consistency;
        Ok(OfChunks {
            put: prepare(&put, writes).await?,
            read_of_chunk: prepare(&of_chunk, once).await?,
            read_of_chunk_again: prepare(&of_chunk, again).await?,
            delete: prepare(&delete_one, writes).await?,
            delete_place: prepare(&delete, writes).await?,
        })
    }
}

impl OfFresh {
    async fn prepare(client: &Client) -> Result<Self> {
        let table = client.names.cql(Part::Fresh);
        let options = &client.options;
        let read = async |what: &str, of_keys: &str| {
            let cql = format!("SELECT {what} FROM {table} {PLACE} AND generation = ?{of_keys}");
            let read = client
                .prepare(Part::Fresh, &cql, options.read_consistency)
                .await;
            read.map(|mut statement| {
                statement.set_page_size(FRESH_ROWS_OF_PAGE);
                statement
            })
        };
        let write = async |cql: &str| {
            client
                .prepare(Part::Fresh, cql, options.write_consistency)
                .await
        };
        Ok(OfFresh {
            insert: write(&format!(
                "INSERT INTO {table} (shard, bucket, generation, key, wt, deleted, row) \
                 VALUES (?, ?, ?, ?, ?, ?, ?) USING TIMESTAMP ?"
            ))
            .await?,
            read_from: read(ROW, " AND key >= ?").await?,
            read_between: read(ROW, " AND key >= ? AND key <= ?").await?,
            read_times: read("wt", "").await?,
            delete_generation: write(&format!(
                "DELETE FROM {table} USING TIMESTAMP ? {PLACE} AND generation = ?"
            ))
            .await?,
        })
    }
}
