use bytes::Bytes;
use proptest::prelude::*;
use uuid::Uuid;

use super::read::read_meta;
use super::write::{VERSION, write_meta};
use super::*;
use crate::Kind;
use crate::key::tests::definition;

/// The metadata that `golden.bin` was written from.
fn golden() -> ChunkMeta {
    let bytes = |text: &'static str| Scalar::Bytes(Bytes::from_static(text.as_bytes()));
    let column = |nulls, bounds, sum, distinct| ColumnStats {
        nulls,
        bounds,
        sum,
        distinct,
    };
    let time = 1_700_000_000_000;
    ChunkMeta {
        id: ChunkId(Uuid::from_u128(0x0192_8e7d_4c3b_7a29_8180_7f6e_5d4c_3b2a)),
        rows: 32_768,
        deleted: 3,
        first: Bytes::from_static(b"\x01a\0\x01\x01\x80\0\0\0"),
        last: Bytes::from_static(b"\x01z\0\x01\x01\x80\0\0\x09"),
        min_write_time: -5,
        max_write_time: 1_700_000_000_000_000,
        order_range: Some((time - 1, time + 3_600_000)),
        widest: 300_000,
        stats: vec![
            column(0, Some((bytes("a"), bytes("z"))), None, 26),
            column(
                0,
                Some((Scalar::Int(time), Scalar::Int(time + 3_600_000))),
                None,
                32_768,
            ),
            column(
                7,
                Some((Scalar::Double(-0.0), Scalar::Double(0.0))),
                Some(Scalar::Double(1.5)),
                2,
            ),
            column(
                0,
                Some((Scalar::Int(-4), Scalar::Int(-4))),
                Some(Scalar::Int(-131_072)),
                1,
            ),
            column(32_768, None, None, 0),
        ],
        blobs: (0..7)
            .map(|i| BlobMeta {
                bytes: 1000 * i,
                crc: 0x0102_0304 * i,
            })
            .collect(),
    }
}

#[test]
fn the_golden_file_is_written_and_read() {
    let written = write_meta(&golden());
    assert_eq!(written, include_bytes!("golden.bin"));
    assert_eq!(read_meta(&written).unwrap(), golden());
}

#[test]
fn every_cut_and_every_flipped_bit_is_an_error() {
    let whole = write_meta(&golden());
    for length in 0..whole.len() {
        read_meta(&whole[..length]).unwrap_err();
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        read_meta(&flipped).unwrap_err();
    }
    let longer = [&whole[..], &[0]].concat();
    read_meta(&longer).unwrap_err();
}

#[test]
fn a_newer_format_is_named() {
    let mut newer = write_meta(&golden());
    newer[0] = 2;
    let error = read_meta(&newer).unwrap_err();
    assert_eq!(
        error,
        "a chunk's statistics have format 2, and this version reads 1"
    );
}

#[test]
fn a_usual_column_takes_about_thirty_bytes() {
    let usual = ColumnStats {
        nulls: 12,
        bounds: Some((
            Scalar::Int(1_700_000_000_000),
            Scalar::Int(1_700_003_600_000),
        )),
        sum: Some(Scalar::Int(55_000_000_000_000_000)),
        distinct: 20_000,
    };
    let meta = |columns: usize| ChunkMeta {
        stats: vec![usual.clone(); columns],
        blobs: vec![
            BlobMeta {
                bytes: 100_000,
                crc: 1
            };
            columns
        ],
        ..golden()
    };
    let bytes = write_meta(&meta(57)).len() - write_meta(&meta(0)).len();
    assert!(bytes <= 57 * 31, "{bytes}");
}

fn scalar() -> impl Strategy<Value = Scalar> {
    prop_oneof![
        any::<i64>().prop_map(Scalar::Int),
        any::<f64>().prop_map(Scalar::Double),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| Scalar::Bytes(bytes.into())),
    ]
}

fn bounds() -> impl Strategy<Value = (Scalar, Scalar)> {
    prop_oneof![
        scalar().prop_map(|value| (value.clone(), value)),
        any::<(i64, i64)>().prop_map(|(a, b)| (Scalar::Int(a), Scalar::Int(b))),
        any::<(f64, f64)>().prop_map(|(a, b)| (Scalar::Double(a), Scalar::Double(b))),
    ]
}

fn meta() -> impl Strategy<Value = ChunkMeta> {
    let stats = (
        any::<u32>(),
        prop::option::of(bounds()),
        prop::option::of(scalar()),
        any::<u32>(),
    )
        .prop_map(|(nulls, bounds, sum, distinct)| ColumnStats {
            nulls,
            bounds,
            sum,
            distinct,
        });
    let blob = any::<(u32, u32)>().prop_map(|(bytes, crc)| BlobMeta { bytes, crc });
    let key = || prop::collection::vec(any::<u8>(), 0..20).prop_map(Bytes::from);
    (
        any::<(u128, u32, u32, i64, i64)>(),
        any::<(Option<(i64, i64)>, u32)>(),
        (key(), key()),
        prop::collection::vec(stats, 0..6),
        prop::collection::vec(blob, 0..8),
    )
        .prop_map(
            |(
                (id, rows, deleted, min, max),
                (order_range, widest),
                (first, last),
                stats,
                blobs,
            )| ChunkMeta {
                id: ChunkId(Uuid::from_u128(id)),
                rows,
                deleted,
                first,
                last,
                min_write_time: min,
                max_write_time: max,
                order_range,
                widest,
                stats,
                blobs,
            },
        )
}

proptest! {
    /// Compares bytes, since a NaN is not equal to itself.
    #[test]
    fn statistics_come_back(meta in meta()) {
        let written = write_meta(&meta);
        let read = read_meta(&written).unwrap();
        prop_assert_eq!(format!("{:?}", read), format!("{:?}", meta));
        prop_assert_eq!(write_meta(&read), written);
    }

    /// Appends the right CRC, so that the fields themselves are read.
    #[test]
    fn whatever_bytes_are_read_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bytes = [&[VERSION], &bytes[..]].concat();
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        if let Ok(meta) = read_meta(&bytes) {
            prop_assert_eq!(read_meta(&write_meta(&meta)).unwrap().rows, meta.rows);
        }
    }
}

#[test]
fn what_no_chunk_of_the_table_can_be_is_said() {
    let definition = definition(&[Kind::Text, Kind::Int], 1, 1);
    let blob = BlobMeta { bytes: 1, crc: 1 };
    let good = ChunkMeta {
        id: ChunkId::new(),
        rows: CHUNK_ROWS_AT_MOST,
        deleted: 1,
        first: Key::from_static(b"a"),
        last: Key::from_static(b"b"),
        min_write_time: 1,
        max_write_time: 2,
        widest: 1,
        order_range: Some((1, 1)),
        stats: vec![ColumnStats::default(); 2],
        blobs: vec![blob.clone(); 4],
    };
    good.check(&definition).unwrap();
    let wrong: [fn(&mut ChunkMeta); 9] = [
        |chunk| chunk.rows = u32::MAX,
        |chunk| chunk.deleted = CHUNK_ROWS_AT_MOST + 1,
        |chunk| chunk.stats.truncate(1),
        |chunk| chunk.blobs.truncate(3),
        |chunk| chunk.deleted = 0,
        |chunk| chunk.max_write_time = 1,
        |chunk| chunk.max_write_time = 0,
        |chunk| chunk.last = Key::new(),
        |chunk| chunk.order_range = Some((2, 1)),
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        let mut chunk = good.clone();
        change(&mut chunk);
        let error = chunk.check(&definition).unwrap_err();
        assert!(error.contains("cannot have"), "{number}: {error}");
    }
}
