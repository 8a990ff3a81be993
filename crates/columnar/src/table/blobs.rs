//! Reading and decoding blobs. A blob that is not what was written is an error that names it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use arrow::array::ArrayRef;
use bytes::Bytes;

use super::Table;
use crate::encoding::{Codec, crc};
use crate::id::Place;
use crate::kind::Kind;
use crate::meta::ChunkMeta;
use crate::{Error, Result};

impl Table {
    /// Decodes some rows of blobs of a chunk, given by their numbers. The blob `coded` comes as a
    /// dictionary array.
    pub(super) fn decoded(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        blobs: &HashMap<u16, Bytes>,
        numbers: &[u16],
        rows: Range<usize>,
        coded: Option<u16>,
    ) -> Result<Vec<ArrayRef>> {
        let all = chunk.rows as usize;
        let decode = |(number, blob): (u16, &Bytes)| {
            let kind = self.kind(chunk, number);
            let array = if coded == Some(number) {
                Codec::shared().decode_coded(blob, kind, all, rows.clone())
            } else if rows.len() == all {
                Codec::shared().decode(blob, kind, all)
            } else {
                Codec::shared().decode_range(blob, kind, all, rows.clone())
            };
            array.map_err(|e| self.corrupt(place, chunk, number, e.to_string()))
        };
        let blobs = numbers.iter().filter_map(|n| Some((*n, blobs.get(n)?)));
        blobs.map(decode).collect()
    }

    /// Returns blobs by their numbers, from the cache or the store, and checks those of the store.
    pub(super) async fn blobs(
        &self,
        place: Place,
        chunk: &ChunkMeta,
        numbers: &[u16],
    ) -> Result<HashMap<u16, Bytes>> {
        let mut blobs = HashMap::with_capacity(numbers.len());
        let mut missing = Vec::new();
        let distinct: BTreeSet<u16> = numbers.iter().copied().collect();
        for number in distinct {
            match self.cache.get(chunk.id, number) {
                Some(blob) => drop(blobs.insert(number, blob)),
                None => missing.push(number),
            }
        }
        if missing.is_empty() {
            return Ok(blobs);
        }
        let read = self.store.blobs(place, chunk, &missing).await?;
        for (number, blob) in missing.into_iter().zip(read) {
            self.check(place, chunk, number, &blob)?;
            self.cache.insert(chunk.id, number, &blob);
            blobs.insert(number, blob);
        }
        Ok(blobs)
    }

    fn check(&self, place: Place, chunk: &ChunkMeta, number: u16, blob: &Bytes) -> Result<()> {
        let Some(written) = chunk.blobs.get(number as usize) else {
            return Err(self.corrupt(place, chunk, number, "it has no such column".to_owned()));
        };
        if blob.len() != written.bytes as usize {
            let (found, expected) = (blob.len(), written.bytes);
            let reason = format!("{found} bytes are there, {expected} were written");
            return Err(self.corrupt(place, chunk, number, reason));
        }
        if crc(blob) == written.crc {
            Ok(())
        } else {
            Err(self.corrupt(place, chunk, number, "its checksum is wrong".to_owned()))
        }
    }

    fn corrupt(&self, place: Place, chunk: &ChunkMeta, number: u16, reason: String) -> Error {
        let what = match self.definition.columns.get(number as usize) {
            Some(column) => format!("column `{}`", column.name),
            None => "its versions".to_owned(),
        };
        Error::Corrupt {
            chunk: chunk.id,
            place,
            what,
            reason,
        }
    }

    /// Returns the kind of the values in a blob.
    fn kind(&self, chunk: &ChunkMeta, number: u16) -> Kind {
        match self.definition.columns.get(number as usize) {
            Some(column) => column.kind,
            None if chunk.write_times_blob() == Some(number) => Kind::Bigint,
            None => Kind::Boolean,
        }
    }
}
