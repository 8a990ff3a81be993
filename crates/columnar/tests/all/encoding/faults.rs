//! Broken blobs: an error or, where no check can detect the damage, other values; never a panic, an
//! abort or more memory than the machine should give for a few bytes.

use std::process::Command;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::DataType;
use bakeoff_columnar::Kind;
use bakeoff_columnar::internals::{Codec, DecodeError};
use bakeoff_testing::times;
use bytes::Bytes;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::columns::column;
use super::rows::PROFILES;

/// The bytes that the process which reads broken blobs may map, so that a length that is trusted
/// shows.
const MEMORY_BYTES: u64 = 4 << 30;

/// The changes of bytes, which are applied in turn, or all to each byte if the tests run at full
/// length.
const CHANGES: [u8; 4] = [0x01, 0x80, 0xff, 0x08];
const THOROUGH: &str = "BAKEOFF_THOROUGH";

struct Sample {
    kind: Kind,
    rows: usize,
    blob: Bytes,
}

/// Makes blobs in which every encoding and layout occurs.
fn samples() -> Vec<Sample> {
    let shapes: [fn(u64) -> Option<u64>; 7] = [
        |i| Some(i * 7 % 50),
        |i| (i % 5 != 0).then_some(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        |i| Some(i / 40),
        |i| Some(3_000 * i + u64::from(i % 90 == 0)),
        |i| (i % 60 == 0).then_some(i),
        |_| Some(9),
        |i| Some(i * 2_000),
    ];
    let mut samples = Vec::new();
    for kind in Kind::ALL {
        for shape in shapes {
            for (profile, rows) in [(PROFILES[0], 150), (PROFILES[1], 150), (PROFILES[0], 1)] {
                let seeds: Vec<Option<u64>> = (0..rows).map(shape).collect();
                let array = column(kind, &seeds);
                let blob = Codec::shared().encode(profile, kind, &array).unwrap();
                let rows = array.len();
                samples.push(Sample { kind, rows, blob });
            }
        }
    }
    samples
}

#[test]
fn a_blob_that_ends_early_is_an_error() {
    for sample in samples() {
        for length in (0..sample.blob.len()).step_by(times(3, 1)) {
            let short = sample.blob.slice(..length);
            let decoded = Codec::shared().decode(&short, sample.kind, sample.rows);
            let whole = sample.blob.len();
            assert!(decoded.is_err(), "{:?}: {length} of {whole}", sample.kind);
        }
    }
}

#[test]
fn bytes_that_are_no_blob_are_an_error() {
    for kind in Kind::ALL {
        for byte in 0..=255 {
            let blob = Bytes::from(vec![byte; 200]);
            assert!(Codec::shared().decode(&blob, kind, 10).is_err());
        }
    }
}

#[test]
fn a_newer_format_is_told_as_such() {
    let array = column(Kind::Int, &[Some(1)]);
    let mut blob = Codec::shared()
        .encode(PROFILES[0], Kind::Int, &array)
        .unwrap()
        .to_vec();
    blob[0] = 2;
    let error = Codec::shared().decode(&blob.into(), Kind::Int, 1);
    assert_eq!(error, Err(DecodeError::Version { found: 2, known: 1 }));
}

/// Shows that a frame of few bytes may claim to hold many.
#[test]
fn a_frame_that_claims_more_than_its_rows_can_take_is_an_error() {
    let claimed = 64_u32 << 20;
    let frame = zstd::bulk::compress(&vec![0; claimed as usize], 3).unwrap();
    // Format 1, layout zstd, integers of 32 bits, none of which is null, 10 rows.
    let header = [1, 3, 2, 0, 10, 0, 0, 0];
    let blob = [&header[..], &claimed.to_le_bytes(), &frame].concat();
    let error = Codec::shared()
        .decode(&blob.into(), Kind::Int, 10)
        .unwrap_err();
    let said = "bytes are too many for 10 rows";
    assert!(error.to_string().contains(said), "{error}");
}

/// Runs in a separate process, which an abort would end and whose memory is limited.
#[test]
fn a_changed_byte_neither_ends_the_process_nor_takes_its_memory() {
    let test = "encoding::faults::reads_blobs_with_changed_bytes";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--test-threads", "1"])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(
        child.status.success(),
        "{}\n{output}\n{errors}",
        child.status
    );
    assert!(output.contains("1 passed"), "{output}");
}

#[test]
#[ignore = "runs in a separate process"]
fn reads_blobs_with_changed_bytes() {
    let samples = samples();
    let limit = Rlimit {
        current: Some(MEMORY_BYTES),
        maximum: getrlimit(Resource::As).maximum,
    };
    setrlimit(Resource::As, limit).unwrap();
    std::panic::set_hook(Box::new(|_| {}));
    let thorough = std::env::var_os(THOROUGH).is_some();
    for sample in &samples {
        for place in (0..sample.blob.len()).step_by(times(3, 1)) {
            if thorough {
                CHANGES
                    .iter()
                    .for_each(|change| read_changed(sample, place, *change))
            } else {
                read_changed(sample, place, CHANGES[place % CHANGES.len()])
            }
        }
    }
}

fn read_changed(sample: &Sample, place: usize, change: u8) {
    let codec = Codec::shared();
    let mut blob = sample.blob.to_vec();
    blob[place] ^= change;
    let (blob, kind, rows) = (Bytes::from(blob), sample.kind, sample.rows);
    let half = rows / 2..rows;
    if let Ok(array) = codec.decode_coded(&blob, kind, rows, half.clone()) {
        is_sound(&array);
    }
    let array = match place % 4 {
        0 => codec.decode_range(&blob, kind, rows, half),
        1 => codec.decode_views(&blob, kind, rows, 0..rows),
        _ => codec.decode(&blob, kind, rows),
    };
    if let Ok(array) = array {
        is_sound(&array);
    }
}

/// Returns whether an array is sound. Arrow reads texts unchecked, so that they have to be UTF-8
/// whatever the blob holds.
fn is_sound(array: &ArrayRef) {
    match array.data_type() {
        // This check is wrong for arrays whose bits begin within a byte.
        DataType::Boolean => {}
        _ => array.to_data().validate_full().unwrap(),
    }
}
