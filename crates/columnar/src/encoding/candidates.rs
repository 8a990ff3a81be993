//! The ways in which a column can be encoded, and which of them a profile prefers.
//!
//! The number of bytes decides, but a way that is slower to read has to save more than a little.
//! With the percentages below, events (57 columns, texts and coordinates that repeat) take 1.2
//! times as much as in Parquet with zstd, and are read as fast as possible. They were measured with
//! `examples/encoders`.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, Int64Array};
use arrow::datatypes::{Int32Type, Int64Type};
use bytes::Bytes;
use vortex_array::IntoArray;
use vortex_array::arrays::DictArray;

use super::dictionary::{Dictionary, dictionary};
use super::failure::{Failure, guarded};
use super::header::{self, Header, Layout};
use super::pack::{Effort, Packer};
use super::storage;
use super::vortex::Vortex;
use crate::{Error, Kind, Profile, Result};

/// The level of zstd for whole blobs, which are compressed already.
const ZSTD_LEVEL: i32 = 3;

/// The number of texts in a zstd frame: few enough to read one row quickly, enough to compress well.
const FRAME_ROWS: usize = 2_048;
/// Values of a dictionary with fewer bytes than this stay as they are, so that a lookup decompresses
/// nothing.
const SMALL_VALUES_BYTES: u64 = 1_024;

/// A column, and the ways of encoding it.
pub(super) struct Candidates<'a> {
    packer: &'a Packer,
    kind: Kind,
    rows: u32,
    kept: ArrayRef,
    plain: Vortex,
}

/// The blob that a way of encoding makes. `None` if the way does not fit the column.
type Way = std::result::Result<Option<Vec<u8>>, Failure>;

impl<'a> Candidates<'a> {
    /// Prepares a column.
    ///
    /// # Errors
    /// Fails if the array is not of this kind, or too long.
    pub fn new(packer: &'a Packer, kind: Kind, array: &ArrayRef) -> Result<Self> {
        let Some(kept) = storage::kept(kind, array) else {
            return Err(Error::Invalid(format!(
                "a column of kind {kind:?} holds {}, not {}",
                kind.data_type(),
                array.data_type()
            )));
        };
        let invalid = |reason: String| {
            Error::Invalid(format!(
                "a column of kind {kind:?} cannot be encoded: {reason}"
            ))
        };
        Ok(Candidates {
            packer,
            kind,
            rows: u32::try_from(kept.len()).map_err(|e| invalid(e.to_string()))?,
            plain: packer.plain(&kept).map_err(|failure| invalid(failure.0))?,
            kept,
        })
    }

    /// Returns blobs of this column, the preferred one first. A way that fails is left out; the
    /// last one does next to nothing and can hardly fail.
    pub fn blobs(&self, profile: Profile) -> impl Iterator<Item = Bytes> {
        let best = match profile {
            Profile::Fast => self.fast(),
            Profile::Compact => self.compact(),
        };
        let uncompressed = || self.attempt(|| self.uncompressed());
        best.into_iter()
            .chain(std::iter::once_with(uncompressed).flatten())
            .map(Bytes::from)
    }

    fn fast(&self) -> Option<Vec<u8>> {
        let dictionary = |most, effort| self.attempt(|| self.dictionary(most, effort));
        let compressed = || self.attempt(|| self.compressed(Effort::Light));
        let rows = self.kept.len();
        match self.kind {
            Kind::Text | Kind::Blob => match dictionary(rows / 2, Effort::Light) {
                Some(blob) => Some(zipped_below(65, blob)),
                None => smaller(compressed(), 70, self.attempt(|| self.zstd(FRAME_ROWS))),
            },
            Kind::Float | Kind::Double => {
                smaller(compressed(), 80, dictionary(rows / 4, Effort::Light))
            }
            Kind::Boolean => smaller(compressed(), 80, dictionary(rows, Effort::Light)),
            _ => {
                let differences = self.attempt(|| self.differences());
                let best = smaller(compressed(), 80, differences);
                match self.kept.null_count() {
                    0 => best,
                    _ => smaller(best, 70, dictionary(rows / 2, Effort::Light)),
                }
            }
        }
    }

    fn compact(&self) -> Option<Vec<u8>> {
        let most = self.kept.len() / 2;
        let zipped = |way: Option<Vec<u8>>| way.map(|blob| zipped_below(97, blob));
        let best = zipped(self.attempt(|| self.dictionary(most, Effort::Heavy)));
        match self.kind {
            Kind::Text | Kind::Blob => {
                let whole = self.attempt(|| self.zstd(0));
                smaller(best, 100, zipped(whole))
            }
            _ => {
                let compressed = self.attempt(|| self.compressed(Effort::Heavy));
                let best = smaller(best, 100, zipped(compressed));
                smaller(best, 100, self.attempt(|| self.differences()))
            }
        }
    }

    /// Tries a way of encoding, and records its failure.
    fn attempt(&self, work: impl FnOnce() -> Way) -> Option<Vec<u8>> {
        guarded(work).unwrap_or_else(|failure| {
            self.packer.set_back(self.kind, &failure.0);
            None
        })
    }

    fn uncompressed(&self) -> Way {
        self.blob(Layout::Array, &[], &self.plain)
    }

    fn compressed(&self, effort: Effort) -> Way {
        let array = self.packer.compressed(effort, &self.plain)?;
        self.blob(Layout::Array, &[], &array)
    }

    fn zstd(&self, frame_rows: usize) -> Way {
        if self.kept.null_count() < self.kept.len() {
            self.blob(
                Layout::Array,
                &[],
                &self.packer.zstd(&self.plain, frame_rows)?,
            )
        } else {
            self.compressed(Effort::Light)
        }
    }

    fn dictionary(&self, most: usize, codes: Effort) -> Way {
        let Some(Dictionary {
            codes_of_rows,
            values,
        }) = dictionary(self.kind, &self.kept, most)
        else {
            return Ok(None);
        };
        // Vortex has a better way for a constant.
        if values.len() < 2 {
            return Ok(None);
        }
        let codes = self.packer.compressed(codes, &codes_of_rows)?;
        let array = DictArray::try_new(codes, self.values(&values)?)?;
        self.blob(Layout::Array, &[], &array.into_array())
    }

    /// Compresses the values of a dictionary. There are far fewer of them than rows, so that they
    /// may take longer to read.
    fn values(&self, values: &ArrayRef) -> std::result::Result<Vortex, Failure> {
        let plain = self.packer.plain(values)?;
        if plain.nbytes() < SMALL_VALUES_BYTES {
            return Ok(plain);
        }
        let small = match self.kind {
            Kind::Text | Kind::Blob => self.packer.zstd(&plain, 0)?,
            _ => self.packer.pco(&plain)?,
        };
        Ok(if small.nbytes() < plain.nbytes() / 5 * 4 {
            small
        } else {
            plain
        })
    }

    /// Encodes integers that mostly rise, as keys do, by their differences.
    fn differences(&self) -> Way {
        if self.kept.is_empty() || self.kept.null_count() > 0 {
            return Ok(None);
        }
        let (first, steps): (i64, ArrayRef) = match self.kind {
            Kind::Int | Kind::Date => {
                let values = self.kept.as_primitive::<Int32Type>().values();
                let steps = steps(values, |value, before| value.wrapping_sub(before));
                let Some(steps) = steps else { return Ok(None) };
                (i64::from(values[0]), Arc::new(Int32Array::from(steps)))
            }
            Kind::Bigint | Kind::Timestamp | Kind::Nanotime => {
                let values = self.kept.as_primitive::<Int64Type>().values();
                let steps = steps(values, |value, before| value.wrapping_sub(before));
                let Some(steps) = steps else { return Ok(None) };
                (values[0], Arc::new(Int64Array::from(steps)))
            }
            _ => return Ok(None),
        };
        let steps = self.packer.plain(&steps)?;
        let steps = self.packer.compressed(Effort::Light, &steps)?;
        self.blob(Layout::Differences, &first.to_le_bytes(), &steps)
    }

    /// Assembles a blob.
    fn blob(&self, layout: Layout, before: &[u8], array: &Vortex) -> Way {
        let header = Header {
            layout,
            kind: self.kind,
            nullable: array.dtype().is_nullable(),
            rows: self.rows,
        };
        let mut blob = header.to_bytes().to_vec();
        blob.extend_from_slice(before);
        self.packer.append(array, &mut blob)?;
        Ok(Some(blob))
    }
}

/// Returns the second blob if it takes less than this percentage of the first.
fn smaller(first: Option<Vec<u8>>, percent: usize, second: Option<Vec<u8>>) -> Option<Vec<u8>> {
    match (first, second) {
        (Some(first), Some(second)) => {
            let is_smaller = second.len() * 100 < first.len() * percent;
            Some(if is_smaller { second } else { first })
        }
        (first, second) => first.or(second),
    }
}

/// Returns the steps from each value to the next, beginning with the step from the first value to
/// itself. Returns `None` if more than an eighth of them go down.
fn steps<T: Copy + PartialOrd>(values: &[T], step: impl Fn(T, T) -> T) -> Option<Vec<T>> {
    let descents = values.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let first = *values.first()?;
    let before = std::iter::once(first).chain(values.iter().copied());
    let steps = values
        .iter()
        .zip(before)
        .map(|(value, before)| step(*value, before));
    (descents * 8 <= values.len()).then(|| steps.collect())
}

/// Returns the same array within a zstd frame if that takes less than this percentage.
fn zipped_below(percent: usize, blob: Vec<u8>) -> Vec<u8> {
    let zipped = zipped(&blob);
    smaller(Some(blob), percent, zipped).unwrap_or_default()
}

fn zipped(blob: &[u8]) -> Option<Vec<u8>> {
    let (header, array) = blob.split_first_chunk::<{ header::BYTES }>()?;
    let frame = zstd::bulk::compress(array, ZSTD_LEVEL).ok()?;
    let mut zipped = header::with_layout(*header, Layout::Zstd).to_vec();
    zipped.extend_from_slice(&u32::try_from(array.len()).ok()?.to_le_bytes());
    zipped.extend_from_slice(&frame);
    Some(zipped)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array};

    use super::super::vortex;
    use super::*;

    /// What fails is a fault of a library below, which no column is known to bring about.
    #[test]
    fn a_way_that_fails_or_panics_is_left_out_and_counted() {
        let packer = Packer::new(vortex::session());
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
        let candidates = Candidates::new(&packer, Kind::Bigint, &column).unwrap();

        assert_eq!(candidates.attempt(|| Ok(Some(vec![1]))), Some(vec![1]));
        assert_eq!(candidates.attempt(|| Ok(None)), None);
        assert_eq!(packer.setbacks(), 0, "a way that does not fit is no fault");

        assert_eq!(
            candidates.attempt(|| Err(Failure("a fault".to_owned()))),
            None
        );
        assert_eq!(candidates.attempt(|| panic!("a fault")), None);
        assert_eq!(packer.setbacks(), 2);
    }
}
