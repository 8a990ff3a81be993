//! Finding the places of rows.

use xxhash_rust::xxh3::xxh3_64;

use super::decode::{eight, four, take};
use super::{Keys, partition_kinds, partition_len};
use crate::definition::Definition;
use crate::id::Place;
use crate::kind::Kind;
use crate::{Error, Result};

/// Returns the place of each key.
///
/// # Errors
/// Fails if a key is torn.
pub fn place(definition: &Definition, keys: &Keys) -> Result<Vec<Place>> {
    let placer = Placer::new(definition);
    keys.iter().map(|key| placer.place(key)).collect()
}

/// Finds the place of a key: the shard is the XXH3 (64 bits, no seed) of the partition key's bytes
/// modulo the number of shards, the bucket is the first order key divided by the width, rounded
/// down.
#[derive(Debug, Clone)]
pub struct Placer {
    partition: Vec<Kind>,
    /// The kind of the first order key, and the width of a bucket.
    bucket: Option<(Kind, i64)>,
    shards: u32,
}

impl Placer {
    pub fn new(definition: &Definition) -> Self {
        let order = definition.order_indexes().first().copied();
        let bucket = order.zip(definition.bucket);
        Placer {
            partition: partition_kinds(definition),
            bucket: bucket.map(|(i, width)| (definition.columns[i].kind, width.get())),
            shards: definition.shards,
        }
    }

    /// Returns the place of a key.
    ///
    /// # Errors
    /// Fails if the key is torn.
    pub fn place(&self, key: &[u8]) -> Result<Place> {
        let torn = || Error::Invalid(format!("a key of {} bytes is torn", key.len()));
        let length = partition_len(&self.partition, key).ok_or_else(torn)?;
        let (partition, order) = key.split_at(length);
        Ok(Place {
            bucket: self.bucket_at(order).ok_or_else(torn)?,
            shard: self.shard(partition),
        })
    }

    /// Returns the shard of a partition key, given its bytes.
    pub fn shard(&self, partition: &[u8]) -> u32 {
        (xxh3_64(partition) % u64::from(self.shards.max(1))) as u32
    }

    /// Returns the bucket of a value of the first order key.
    pub fn bucket(&self, value: i64) -> i64 {
        match self.bucket {
            Some((_, width)) if width > 0 => value.div_euclid(width),
            _ => 0,
        }
    }

    fn bucket_at(&self, mut order: &[u8]) -> Option<i64> {
        let Some((kind, _)) = self.bucket else {
            return Some(0);
        };
        let value = take(kind, &mut order)?;
        let value = match value.len() {
            4 => i64::from(four(value)?),
            _ => eight(value)?,
        };
        Some(self.bucket(value))
    }
}
