//! Blobs that earlier versions wrote stay readable.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow::array::Array;
use arrow::array::ArrayRef;
use bakeoff_columnar::internals::{Codec, ENCODINGS};
use bakeoff_columnar::{Kind, Profile};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use vortex_array::serde::SerializedArray;
use vortex_buffer::ByteBuffer;

use super::columns::column;
use super::rows::PROFILES;

/// The variable that lets the test rewrite the files, which is for a new format version only.
const WRITE: &str = "BAKEOFF_WRITE_GOLDEN";

/// A shape of values for which some encoding is best. Shapes never change, since the files hold
/// these rows.
type Seed = fn(u64) -> Option<u64>;
const SHAPES: [Seed; 14] = [
    |i| (i % 9 != 0).then_some(i * i % 13),
    |i| Some(scattered(i) >> 20),
    |i| Some(6 << 60 | scattered(i) >> 4),
    |i| Some(2 * (1_000_000 + scattered(i) % 500)),
    |i| Some(8 * (10_000_000 + i * i) + 5),
    |i| Some(8 * (scattered(i) >> 3) + 4),
    |i| Some(2 * (scattered(i / 6) % 300_000)),
    |i| Some(i / 30 % 40),
    |i| Some(2 * (70 * i + i % 5)),
    |i| Some(2 * i + 1_000),
    |i| (i % 100 == 7).then_some(i % 3),
    |i| scattered(i).is_multiple_of(3).then_some(77),
    |_| Some(77),
    |_| None,
];

fn scattered(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

const ROWS: [u64; 2] = [900, 3];

/// Returns the path of a file, which has for each shape the length of a blob in 4 bytes,
/// little-endian, and the blob.
fn file(kind: Kind, profile: Profile) -> PathBuf {
    let name = format!("{kind:?}-{profile:?}.blobs").to_lowercase();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/all/encoding/golden");
    folder.join(name)
}

fn read(path: &Path) -> Vec<Bytes> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut rest = Bytes::from(bytes);
    let mut blobs = Vec::new();
    while !rest.is_empty() {
        let length = rest.get_u32_le() as usize;
        blobs.push(rest.split_to(length));
    }
    blobs
}

fn write(path: &Path, blobs: &[Bytes]) {
    let mut bytes = BytesMut::new();
    for blob in blobs {
        bytes.put_u32_le(u32::try_from(blob.len()).unwrap());
        bytes.put_slice(blob);
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn arrays(kind: Kind) -> Vec<ArrayRef> {
    let array = |(seed, rows)| column(kind, &(0..rows).map(seed).collect::<Vec<_>>());
    let shapes = SHAPES.into_iter();
    shapes
        .flat_map(|shape| ROWS.map(|rows| array((shape, rows))))
        .collect()
}

fn files() -> impl Iterator<Item = (Kind, Profile, PathBuf)> {
    let profiles = |kind| PROFILES.map(|profile| (kind, profile, file(kind, profile)));
    Kind::ALL.into_iter().flat_map(profiles)
}

#[test]
fn blobs_of_format_1_are_read() {
    for (kind, _, path) in files() {
        let arrays = arrays(kind);
        let blobs = read(&path);
        assert_eq!(blobs.len(), arrays.len(), "{}", path.display());
        for (number, (blob, array)) in blobs.iter().zip(&arrays).enumerate() {
            let decoded = Codec::shared().decode(blob, kind, array.len());
            assert_eq!(
                decoded.as_ref(),
                Ok(array),
                "{number} of {}",
                path.display()
            );
        }
    }
}

/// Checks that every encoding occurs in some golden file, since others are never shown to stay
/// readable.
#[test]
fn the_files_hold_every_encoding_and_layout() {
    let mut layouts = BTreeSet::new();
    let mut encodings = BTreeSet::new();
    for blob in files().flat_map(|(_, _, path)| read(&path)) {
        layouts.insert(blob[1]);
        let array = match blob[1] {
            1 => blob.slice(8..),
            2 => blob.slice(16..),
            _ => zstd::bulk::decompress(&blob[12..], 1 << 20).unwrap().into(),
        };
        let array = SerializedArray::try_from(ByteBuffer::from(array)).unwrap();
        collect(&array, &mut encodings);
    }
    assert_eq!(layouts, BTreeSet::from([1, 2, 3]));
    let is_missing = |encoding: &&str| !encodings.contains(encoding);
    let missing: Vec<&str> = ENCODINGS.into_iter().filter(is_missing).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

fn collect(array: &SerializedArray, encodings: &mut BTreeSet<&str>) {
    encodings.insert(ENCODINGS[usize::from(array.encoding_id())]);
    (0..array.nchildren()).for_each(|child| collect(&array.child(child), encodings));
}

#[test]
fn writes_the_files_when_told_to() {
    if std::env::var_os(WRITE).is_none() {
        return;
    }
    for (kind, profile, path) in files() {
        let encode = |array| Codec::shared().encode(profile, kind, array).unwrap();
        let blobs: Vec<Bytes> = arrays(kind).iter().map(encode).collect();
        write(&path, &blobs);
    }
}
