//! Checking everything that belongs to a table.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, StreamExt, TryStreamExt};
use scylla::response::PagingState;
use uuid::Uuid;

use super::chunks::is_packed;
use super::client::{Client, as_rows, each_row};
use super::index::{chunk_id, is_valid, meta_of};
use super::names::Part;
use super::place_row::Row;
use super::places::key;
use super::schema::{self, Found};
use super::{CassandraStore, missing_table};
use crate::encoding::crc;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::KeyRange;
use crate::store::check::{Check, Damage};
use crate::{Error, Result, checked};

/// The number of chunks that are read at the same time.
const CHUNKS_AT_ONCE: usize = 8;

/// What can be done about a part of a table that is damaged.
const REMEDY: &str =
    "another replica may have it: run `nodetool repair`, or restore it from a backup";

/// The chunks of a place, as its index lists them.
#[derive(Default)]
struct Entries {
    valid: Vec<Arc<ChunkMeta>>,
    /// All chunks that have an entry, whatever their state.
    named: BTreeSet<ChunkId>,
    useless: u64,
}

/// Checks a table.
pub(super) async fn check(client: Client) -> Result<Check> {
    let found = Found::look(&client).await?;
    found.refuse_foreign(&client.names)?;
    if !found.is_any() {
        return Err(missing_table(&client.names));
    }
    let mut check = Check::default();
    if let Some(damage) = of_parts(&client, &found) {
        check.damages.push(damage);
    } else if let Some(why) = of_definition(&client, &mut check).await? {
        check.damages.push(Damage {
            what: format!("the definition in {}", client.names.shown(Part::Catalogue)),
            why,
            lost: format!("without it nothing can be read; {REMEDY}"),
            repaired: None,
        });
    } else {
        let store = CassandraStore::opened(client).await?;
        store.check_places(&mut check).await?;
    }
    Ok(check)
}

/// Returns the CQL tables that are missing, as a damage.
fn of_parts(client: &Client, found: &Found) -> Option<Damage> {
    let missing = Part::ALL.iter().filter(|part| !found.has(**part));
    let missing: Vec<String> = missing.map(|part| client.names.shown(*part)).collect();
    (!missing.is_empty()).then(|| Damage {
        what: format!("the table {}", client.names.whole()),
        why: format!("{} of its CQL tables is missing", missing.join(", ")),
        lost: "creating or dropping the table was interrupted, or somebody dropped them".to_owned(),
        repaired: None,
    })
}

/// Returns the reason why the definition is not what was written, if there is one.
async fn of_definition(client: &Client, check: &mut Check) -> Result<Option<String>> {
    let Some(entry) = schema::read_text(client).await? else {
        return Ok(Some("it is missing".to_owned()));
    };
    if !entry.definition.contains("\"crc\"") {
        let note = "an early version made the table: its definition has no checksum";
        check.notes.push(note.to_owned());
    }
    Ok(match checked::read(&entry.definition) {
        Ok(definition) => definition.check().err().map(|error| error.to_string()),
        Err(why) => Some(why),
    })
}

impl CassandraStore {
    async fn check_places(&self, check: &mut Check) -> Result<()> {
        let mut places = self.place_rows().all(self.definition.shards).await?;
        places.sort_unstable_by_key(|(place, _)| *place);
        let (mut useless, mut unnamed) = (0, 0);
        for (place, row) in places.iter().filter(|(_, row)| !row.is_dropped()) {
            let blobs = self.chunks_with_blobs(*place).await?;
            let entries = self.check_place(*place, row, check).await?;
            useless += entries.useless;
            unnamed += blobs.difference(&entries.named).count();
        }
        if useless > 0 {
            check.notes.push(format!(
                "chunks that were replaced, or written and not committed, for a sweep to remove: {useless}"
            ));
        }
        if unnamed > 0 {
            check.notes.push(format!(
                "chunks that nothing names although they have blobs in {}: {unnamed}",
                self.client.names.shown(Part::Chunks)
            ));
        }
        Ok(())
    }

    async fn check_place(&self, place: Place, row: &Row, check: &mut Check) -> Result<Entries> {
        let all = KeyRange::default();
        let fresh = self.read_fresh(place, row.generations(), all).await?;
        check.fresh += fresh.len() as u64;
        let entries = self.entries(place, check).await?;
        check.chunks += entries.valid.len() as u64;
        check.bytes += entries.valid.iter().map(|chunk| chunk.bytes()).sum::<u64>();
        let damages = stream::iter(&entries.valid)
            .map(|chunk| self.damage_of(place, chunk))
            .buffered(CHUNKS_AT_ONCE);
        let damages: Vec<Option<Damage>> = damages.try_collect().await?;
        check.damages.extend(damages.into_iter().flatten());
        Ok(entries)
    }

    /// Reads the index of a place. Entries that cannot be read are damages.
    async fn entries(&self, place: Place, check: &mut Check) -> Result<Entries> {
        type Columns<'a> = (
            &'a [u8],
            Option<i64>,
            Option<i64>,
            Option<&'a [u8]>,
            Option<Uuid>,
            Option<i64>,
        );
        let task = self.client.task("reading the index", place, Part::Index);
        let statement = &self.statements.index.read;
        let answer = self.client.execute(&task, statement, key(place)).await?;
        let mut entries = Entries::default();
        each_row(&task, &as_rows(&task, answer)?, |row: Columns<'_>| {
            let (chunk, committed, retired, meta, version, _) = row;
            if version.is_some() {
                return Ok(());
            }
            let chunk = chunk_id(&task, chunk)?;
            entries.named.insert(chunk);
            if !is_valid(committed, retired) {
                entries.useless += 1;
                return Ok(());
            }
            match meta_of(&self.definition, place, chunk, meta.unwrap_or_default()) {
                Ok(meta) => entries.valid.push(Arc::new(meta)),
                Err(error) => check.damages.push(damage(place, chunk, None, error)?),
            }
            Ok(())
        })?;
        Ok(entries)
    }

    /// Returns what is wrong with the blobs of a chunk, unless it was replaced meanwhile.
    async fn damage_of(&self, place: Place, chunk: &ChunkMeta) -> Result<Option<Damage>> {
        let numbers: Vec<u16> = (0..chunk.blobs.len() as u16).collect();
        let at_once = if is_packed(chunk) {
            numbers.len().max(1)
        } else {
            1
        };
        let mut wrong = Vec::new();
        for numbers in numbers.chunks(at_once) {
            let blobs = match self.read_blobs(place, chunk, numbers).await {
                Err(Error::Gone { .. }) => return Ok(None),
                Err(error) => return damage(place, chunk.id, Some(chunk.rows), error).map(Some),
                Ok(blobs) => blobs,
            };
            let is_wrong = |(number, blob): &(&u16, &Bytes)| {
                crc(blob) != chunk.blobs[usize::from(**number)].crc
            };
            let of_these = numbers.iter().zip(&blobs).filter(is_wrong);
            wrong.extend(of_these.map(|(number, _)| self.blob_in_words(*number)));
        }
        Ok((!wrong.is_empty()).then(|| {
            let why = format!("the checksum is wrong of {}", wrong.join(", "));
            damage_because(place, chunk.id, Some(chunk.rows), why)
        }))
    }

    fn blob_in_words(&self, number: u16) -> String {
        match self.definition.columns.get(usize::from(number)) {
            Some(column) => format!("column `{}`", column.name),
            None => "its versions".to_owned(),
        }
    }

    /// Returns the chunks of a place that have a blob.
    async fn chunks_with_blobs(&self, place: Place) -> Result<BTreeSet<ChunkId>> {
        let task = self.client.task("listing the chunks", place, Part::Chunks);
        let chunks = self.client.names.cql(Part::Chunks);
        let cql = format!("SELECT chunk FROM {chunks} WHERE shard = ? AND bucket = ?");
        let consistency = self.client.options.read_consistency;
        let statement = self.client.prepare(Part::Chunks, &cql, consistency).await?;
        let mut found = BTreeSet::new();
        let mut state = PagingState::start();
        loop {
            let (rows, next) = self
                .client
                .page(&task, &statement, key(place), state)
                .await?;
            found.extend(each_row(&task, &rows, |row: (&[u8],)| {
                chunk_id(&task, row.0)
            })?);
            match next.into_paging_control_flow() {
                ControlFlow::Continue(more) => state = more,
                ControlFlow::Break(()) => return Ok(found),
            }
        }
    }
}

/// Converts the error of a chunk that is not what was written.
///
/// # Errors
/// Returns every other error.
fn damage(place: Place, chunk: ChunkId, rows: Option<u32>, error: Error) -> Result<Damage> {
    match error {
        Error::Corrupt { what, reason, .. } => Ok(damage_because(
            place,
            chunk,
            rows,
            format!("{what}: {reason}"),
        )),
        error => Err(error),
    }
}

fn damage_because(place: Place, chunk: ChunkId, rows: Option<u32>, why: String) -> Damage {
    let rows = rows.map_or("its rows".to_owned(), |rows| format!("{rows} rows"));
    Damage {
        what: format!("chunk {chunk} of {place}"),
        why,
        lost: format!("{rows} cannot be read; {REMEDY}"),
        repaired: None,
    }
}
