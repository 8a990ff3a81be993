//! Checking every byte of a table.

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use bytes::Bytes;

use super::aside::{self, is_aside};
use super::chunks::Wanted;
use super::files::{io, names};
use super::layout::{
    CHUNKS, FRESH, Folder, LOCK, MANIFEST, TABLE, UNFINISHED, chunk_of, place_of, segment_of,
};
use super::manifest::Known;
use super::segment::{self, Rows};
use super::state::{PlaceState, State};
use super::table::{self, Table};
use super::writer::note_ahead;
use crate::encoding::crc;
use crate::id::{ChunkId, Place};
use crate::meta::ChunkMeta;
use crate::store::check::{Check, Damage};
use crate::{Error, Result};

/// The result of a check, with what a repair needs to know.
#[derive(Debug, Default)]
pub struct Found {
    pub check: Check,
    /// What each of the damages is, in their order.
    pub faults: Vec<Fault>,
    /// What the manifest says, as far as it can be read.
    pub state: State,
}

/// A damage, as a repair needs to know it.
#[derive(Debug)]
pub enum Fault {
    /// Something that no repair can bring back.
    Beyond,
    /// A manifest that is damaged, or not written whole, from a position on.
    Manifest,
    /// A segment that is damaged, or not written whole.
    Segment { place: Place, number: u64 },
    /// A chunk that is missing or not what was written.
    Chunk {
        place: Place,
        chunk: ChunkId,
        is_there: bool,
    },
}

/// Checks a table, which no other process may be writing.
pub fn check(folder: &Folder) -> Result<Found> {
    let mut found = Found::default();
    let Some(table) = found.definition(folder)? else {
        return Ok(found);
    };
    if found.manifest(folder, &table)? {
        found.segments(folder)?;
        found.chunks(folder, &table)?;
        found.unnamed(folder)?;
    }
    Ok(found)
}

impl Found {
    fn add(&mut self, fault: Fault, what: String, why: String, lost: String) {
        self.faults.push(fault);
        self.check.damages.push(Damage {
            what,
            why,
            lost,
            repaired: None,
        });
    }

    /// Checks the definition, and returns it if it can be read.
    fn definition(&mut self, folder: &Folder) -> Result<Option<Table>> {
        let why = match table::read(folder) {
            Ok(table) => {
                if !table.has_checksum {
                    let note = "an early version made the table: its definition has no checksum";
                    self.check.notes.push(note.to_owned());
                }
                return Ok(Some(table));
            }
            Err(Error::Torn { reason, .. }) => reason,
            Err(Error::Invalid(why)) => why,
            Err(error) => return Err(error),
        };
        let lost = "without the definition nothing can be read: restore the file from a backup";
        self.add(Fault::Beyond, TABLE.to_owned(), why, lost.to_owned());
        Ok(None)
    }

    /// Checks the manifest, and returns whether it can be read at all.
    fn manifest(&mut self, folder: &Folder, table: &Table) -> Result<bool> {
        let why = match Known::readable(folder, &table.definition) {
            Ok((known, damage)) => {
                self.end_of_manifest(folder, table, known, damage)?;
                return Ok(true);
            }
            Err(Error::Torn { reason, .. }) => reason,
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                "it is missing".to_owned()
            }
            Err(error) => return Err(error),
        };
        let lost = "without it nobody knows which chunks are valid: restore it from a backup, \
                    together with all files that were there then";
        self.add(Fault::Beyond, MANIFEST.to_owned(), why, lost.to_owned());
        Ok(false)
    }

    fn end_of_manifest(
        &mut self,
        folder: &Folder,
        table: &Table,
        known: Known,
        damage: Option<String>,
    ) -> Result<()> {
        let path = folder.manifest();
        let bytes = fs::read(&path).map_err(io("reading", &path))?;
        let (from, all) = (known.length, bytes.len() as u64);
        self.state = known.state;
        if from >= all {
            return Ok(());
        }
        let (why, lost) = match damage {
            None => (
                torn(all - from),
                "if that was a commit which had not ended, nothing is lost".to_owned(),
            ),
            Some(why) => {
                let later = self.state.salvage(&bytes, from as usize, &table.definition);
                let lost = format!(
                    "an ingest, a seal or a drop from byte {from} on is lost; {later} later ones can \
                     be read"
                );
                (why, lost)
            }
        };
        self.add(Fault::Manifest, MANIFEST.to_owned(), why, lost);
        Ok(())
    }

    /// Checks the segments that are not sealed.
    fn segments(&mut self, folder: &Folder) -> Result<()> {
        let mut last_write_time = self.state.last_write_time();
        for place in folder.places()? {
            for number in folder.segments(place)? {
                if number > self.state.sealed(place) {
                    let rows = self.segment(folder, place, number)?;
                    last_write_time = last_write_time.max(rows.last_write_time());
                    self.check.fresh += rows.len() as u64;
                }
            }
        }
        let ahead = last_write_time.and_then(|time| note_ahead(folder, time));
        self.check.notes.extend(ahead);
        Ok(())
    }

    fn segment(&mut self, folder: &Folder, place: Place, number: u64) -> Result<Rows> {
        let path = folder.segment(place, number);
        let bytes = Bytes::from(fs::read(&path).map_err(io("reading", &path))?);
        let mut rows = Rows::default();
        let (end, damage) = segment::readable(&bytes, 0, &mut rows);
        let all = bytes.len() as u64;
        if end == all {
            return Ok(rows);
        }
        let (why, lost) = match damage {
            None => (
                torn(all - end),
                "if that was an insert which had not ended, nothing is lost".to_owned(),
            ),
            Some(why) => {
                let whole = Bytes::from(segment::salvaged(&bytes));
                rows = Rows::default();
                segment::readable(&whole, 0, &mut rows);
                let lost = format!(
                    "fresh rows of {place} are lost; {} can be read",
                    count(rows.len() as u64, "other one", "others")
                );
                (why, lost)
            }
        };
        let name = path.strip_prefix(&folder.root).unwrap_or(&path);
        self.add(
            Fault::Segment { place, number },
            name.display().to_string(),
            why,
            lost,
        );
        Ok(rows)
    }

    /// Checks all valid chunks.
    fn chunks(&mut self, folder: &Folder, table: &Table) -> Result<()> {
        let of_place = |(place, state): (&Place, &PlaceState)| {
            let chunks: Vec<Arc<ChunkMeta>> = state.chunks.values().cloned().collect();
            chunks.into_iter().map({
                let place = *place;
                move |chunk| (place, chunk)
            })
        };
        let all: Vec<_> = self.state.places.iter().flat_map(of_place).collect();
        for (place, chunk) in all {
            self.check.chunks += 1;
            self.check.bytes += chunk.bytes();
            let Some((why, is_there)) = damage_of(folder, table, place, &chunk)? else {
                continue;
            };
            self.add(
                Fault::Chunk {
                    place,
                    chunk: chunk.id,
                    is_there,
                },
                format!("chunk {} of {place}", chunk.id),
                why,
                format!(
                    "{} cannot be read",
                    count(u64::from(chunk.rows), "row", "rows")
                ),
            );
        }
        Ok(())
    }

    /// Notes the files that nothing names.
    fn unnamed(&mut self, folder: &Folder) -> Result<()> {
        let valid: HashSet<ChunkId> = self.state.valid_chunks().collect();
        let files = folder.chunk_files()?;
        let is_retired = |id: &&ChunkId| self.state.retired.contains_key(*id);
        let (retired, lost): (Vec<&ChunkId>, Vec<&ChunkId>) = files
            .iter()
            .filter(|id| !valid.contains(*id))
            .partition(is_retired);
        let notes = &mut self.check.notes;
        if !retired.is_empty() {
            let retired = count(retired.len() as u64, "replaced chunk", "replaced chunks");
            notes.push(format!("{retired} for a sweep to remove"));
        }
        if !lost.is_empty() {
            notes.push(format!(
                "{} that no commit names: an ingest or a seal was interrupted; a sweep removes them",
                count(lost.len() as u64, "chunk", "chunks")
            ));
        }
        for kept in aside::all(folder)? {
            notes.push(format!(
                "{kept} has what was taken out of the table because it could not be read"
            ));
        }
        for name in foreign(folder)? {
            notes.push(format!("{name} is not part of a columnar table"));
        }
        Ok(())
    }
}

/// Returns why a chunk is not what was written, and whether it has a file, or `None` if it is sound.
fn damage_of(
    folder: &Folder,
    table: &Table,
    place: Place,
    chunk: &ChunkMeta,
) -> Result<Option<(String, bool)>> {
    let columns = &table.definition.columns;
    let mut wrong = Vec::new();
    for (number, blob) in chunk.blobs.iter().enumerate() {
        match Wanted::new(place, chunk, &[number as u16])?.read(folder) {
            Ok(Some(read)) if read.iter().all(|bytes| crc(bytes) == blob.crc) => {}
            Ok(Some(_)) => wrong.push(match columns.get(number) {
                Some(column) => format!("column `{}`", column.name),
                None => "its versions".to_owned(),
            }),
            Ok(None) => return Ok(Some(("its file is missing".to_owned(), false))),
            Err(Error::Corrupt { reason, .. }) => return Ok(Some((reason, true))),
            Err(error) => return Err(error),
        }
    }
    let why = format!("the checksum is wrong of {}", wrong.join(", "));
    Ok((!wrong.is_empty()).then_some((why, true)))
}

/// Returns the files in the folder of a table that are not a part of it.
fn foreign(folder: &Folder) -> Result<Vec<String>> {
    let is_ours = |name: &String| {
        [TABLE, LOCK, MANIFEST, CHUNKS, FRESH].contains(&name.as_str())
            || UNFINISHED.contains(&name.as_str())
            || is_aside(name)
    };
    let mut found = names(&folder.root)?;
    found.retain(|name| !is_ours(name));
    let mut add = |below: String, names: Vec<String>, is_ours: &dyn Fn(&str) -> bool| {
        let theirs = names.into_iter().filter(|name| !is_ours(name));
        found.extend(theirs.map(|name| format!("{below}/{name}")));
    };
    add(CHUNKS.to_owned(), names(&folder.chunks())?, &|name| {
        chunk_of(name).is_some()
    });
    add(FRESH.to_owned(), names(&folder.fresh())?, &|name| {
        place_of(name).is_some()
    });
    for place in folder.places()? {
        let below = format!("{FRESH}/{}_{}", place.bucket, place.shard);
        add(below, names(&folder.place(place))?, &|name| {
            segment_of(name).is_some()
        });
    }
    Ok(found)
}

/// Says that the end of a file was not written whole.
fn torn(bytes: u64) -> String {
    format!(
        "{} of a record at its end, the rest of which was not written or is gone",
        count(bytes, "byte", "bytes")
    )
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
