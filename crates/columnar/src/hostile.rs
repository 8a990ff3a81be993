//! Keys, rows, statistics of chunks and definitions that nobody meant anyone to read: an error, never a
//! panic, an endless loop or more memory than is said here.

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use bakeoff_testing::hostile::{Corpus, Parser, tree};
use bakeoff_testing::times;
use bytes::Bytes;
use uuid::Uuid;

use crate::definition::{Column, Definition};
use crate::id::ChunkId;
use crate::key::tests::{batch, definition};
use crate::key::{self, Placer};
use crate::kind::Kind;
use crate::meta::read::read_meta;
use crate::meta::write::write_meta;
use crate::meta::{BlobMeta, ChunkMeta, ColumnStats, Key, Scalar};
use crate::row;

/// The memory for an input of at most 128 KiB.
const INPUT_BYTES: u64 = 16 << 20;

/// A table whose key has a column of each kind, as the columns outside of it.
fn every_kind() -> Definition {
    let kinds: Vec<Kind> = [Kind::ALL, Kind::ALL].concat();
    definition(&kinds, 5, 5)
}

/// Returns a value of each kind of which `i` decides.
fn values(i: i64) -> Vec<Option<Scalar>> {
    let value = |kind: Kind| match kind {
        Kind::Boolean => Scalar::Int(i % 2),
        Kind::Int | Kind::Date => Scalar::Int(i - 2),
        Kind::Bigint | Kind::Timestamp | Kind::Nanotime => Scalar::Int(i << 40),
        Kind::Float | Kind::Double => Scalar::Double(i as f64 / 4.0),
        Kind::Text => Scalar::Bytes(Bytes::from("é\0a".repeat(i as usize))),
        Kind::Blob => Scalar::Bytes(Bytes::from([0xFF, 0, 1].repeat(i as usize))),
    };
    Kind::ALL.into_iter().map(value).map(Some).collect()
}

fn rows() -> Vec<Vec<Option<Scalar>>> {
    let row = |i| {
        let mut row = [values(i), values(i + 1)].concat();
        row[10 + i as usize] = None;
        row
    };
    (0..5).map(row).collect()
}

/// Arrow reads texts unchecked, so that they have to be UTF-8.
fn is_sound(array: &ArrayRef) {
    // This check is wrong for arrays whose bits begin within a byte.
    if *array.data_type() != DataType::Boolean {
        array.to_data().validate_full().unwrap();
    }
}

#[test]
fn keys_come_back_as_they_were_or_are_refused() {
    let parser = Parser {
        name: "keys",
        most_bytes: INPUT_BYTES,
        cases: times(5_000, 60_000),
    };
    let definition = every_kind();
    let mut corpus = Corpus::default();
    let keys = key::encode(&definition, &batch(&definition, &rows())).unwrap();
    keys.iter().for_each(|key| corpus.add(key));
    let kinds = key::partition_kinds(&definition);
    parser.feed(&corpus, |bytes| {
        let _ = key::partition_len(&kinds, bytes);
        let _ = Placer::new(&definition).place(bytes);
        let Ok(columns) = key::decode(&definition, [bytes]) else {
            return false;
        };
        columns.iter().for_each(is_sound);
        let again = key::encode_columns(&definition, &columns).unwrap();
        assert_eq!(again.get(0), bytes);
        true
    });
}

#[test]
fn rows_are_sound_or_refused() {
    let parser = Parser {
        name: "rows",
        most_bytes: INPUT_BYTES,
        cases: times(5_000, 60_000),
    };
    let definition = every_kind();
    let mut corpus = Corpus::default();
    for row in row::encode(&definition, &batch(&definition, &rows())).unwrap() {
        corpus.add(row);
    }
    let wanted = definition.value_indexes();
    parser.feed(&corpus, |bytes| {
        let columns = row::decode_columns(&definition, &wanted, &[Some(bytes), None]);
        let some = row::decode_columns(&definition, &wanted[3..7], &[Some(bytes)]);
        let Ok(columns) = columns else {
            return false;
        };
        columns.iter().for_each(is_sound);
        some.unwrap().iter().for_each(is_sound);
        true
    });
}

fn metas() -> Vec<ChunkMeta> {
    let text = |text: &'static [u8]| Scalar::Bytes(Bytes::from_static(text));
    let bounds = [
        None,
        Some((Scalar::Int(i64::MIN), Scalar::Int(i64::MAX))),
        Some((Scalar::Int(4), Scalar::Int(4))),
        Some((Scalar::Double(-0.0), Scalar::Double(f64::MAX))),
        Some((text(b""), text(&[0xFF; 128]))),
    ];
    let column = |(i, bounds): (usize, &Option<_>)| ColumnStats {
        nulls: i as u32 * 3,
        bounds: bounds.clone(),
        sum: [None, Some(Scalar::Int(-7)), Some(Scalar::Double(0.5))][i % 3].clone(),
        distinct: i as u32 * 1_000,
    };
    let meta = |columns: usize| ChunkMeta {
        id: ChunkId(Uuid::from_u128(columns as u128)),
        rows: 32_768,
        deleted: columns as u32,
        first: Key::from_static(b"\x01a\0\x01"),
        last: Key::from_static(b"\x01z\0\x01"),
        min_write_time: -5,
        max_write_time: 1_700_000_000_000_000,
        order_range: (columns > 1).then_some((-1, 3_600_000)),
        widest: 300_000,
        stats: bounds
            .iter()
            .cycle()
            .take(columns)
            .enumerate()
            .map(column)
            .collect(),
        blobs: vec![
            BlobMeta {
                bytes: 9_000,
                crc: 7
            };
            columns + 2
        ],
    };
    [1, 2, 20].map(meta).into()
}

/// The inputs have no CRC, which is appended: otherwise hardly any change would be read.
#[test]
fn statistics_come_back_or_are_refused() {
    let parser = Parser {
        name: "statistics of chunks",
        most_bytes: INPUT_BYTES,
        cases: times(5_000, 60_000),
    };
    let definition = every_kind();
    let mut corpus = Corpus::default();
    for meta in metas() {
        let written = write_meta(&meta);
        corpus.add(&written[..written.len() - 4]);
    }
    parser.feed(&corpus, |bytes| {
        let crc = crc32fast::hash(bytes).to_le_bytes();
        let Ok(meta) = read_meta(&[bytes, &crc].concat()) else {
            return false;
        };
        let again = read_meta(&write_meta(&meta)).unwrap();
        assert_eq!(format!("{again:?}"), format!("{meta:?}"));
        if meta.check(&definition).is_ok() {
            assert!(meta.live_rows() <= meta.rows);
            assert!(meta.deleted_blob() < Some(meta.blobs.len() as u16));
            assert!(meta.write_times_blob() < Some(meta.blobs.len() as u16));
        }
        let _ = meta.bytes();
        true
    });
}

#[test]
fn definitions_are_usable_or_refused() {
    let parser = Parser {
        name: "definitions of tables",
        most_bytes: INPUT_BYTES,
        cases: times(3_000, 60_000),
    };
    let buckets = Definition {
        bucket: std::num::NonZeroI64::new(3_600_000),
        ..Definition::new(
            vec![
                Column::new("host", Kind::Text),
                Column::new("time", Kind::Timestamp),
            ],
            &["host"],
            &["time"],
        )
    };
    let all = [every_kind(), buckets].map(|d| serde_json::to_value(d).unwrap());
    let mut corpus = Corpus::default();
    all.iter().for_each(|json| corpus.add(json.to_string()));
    let make = |random: &mut bakeoff_testing::hostile::Random| {
        let mut json = all[random.usize(..all.len())].clone();
        tree::change(&mut json, &all, random);
        Some(json.to_string().into_bytes())
    };
    parser.feed_with(&corpus, make, |bytes| {
        let Ok(definition) = serde_json::from_slice::<Definition>(bytes) else {
            return false;
        };
        if definition.check().is_err() {
            return false;
        }
        assert_eq!(definition.schema().fields().len(), definition.columns.len());
        let keys = definition.key_indexes().len();
        assert_eq!(
            keys + definition.value_indexes().len(),
            definition.columns.len()
        );
        let _ = Placer::new(&definition).place(b"\x01a\0\x01");
        true
    });
}
