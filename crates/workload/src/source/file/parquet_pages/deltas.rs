//! Texts of a Parquet file that are stored by the differences of their lengths, checked before any is read. Their pages
//! begin with a number of values of their own, and the library makes a list of so many lengths before it looks at any.
//! With `DELTA_BYTE_ARRAY` each text may repeat all of the one before it, so that a page of a MiB may have a TiB of texts.
//!
//! Numbers that are stored by their differences have the same number in front of them, but the library takes memory for
//! those of a batch only, whatever it says.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

/// The most values of a block, of which writers put 128 or a few thousand into one.
const MOST_OF_BLOCK: u64 = 1 << 20;
/// The values of a block, and those of each of its parts, are a multiple of these.
const OF_BLOCK: u64 = 128;
const OF_PART: u64 = 32;
/// The most bits of a difference between lengths.
const LENGTH_BITS: u8 = 32;
/// The bytes that a length takes in memory.
const LENGTH_BYTES: u64 = 4;
/// The most texts that are in memory at the same time: those of the largest batch that is asked for.
const BATCH_TEXTS: usize = 65_536;
/// The most texts of a column that are looked at for each byte of it, and however few bytes it has: looking at more would
/// take minutes, and reading them, too.
const TEXTS_FOR_EACH_BYTE: u64 = 1_000;
const MOST_TEXTS: u64 = 1 << 28;

/// Returns how many bytes of memory the pages of a column take besides those that their heads say: the lists of lengths of
/// one of them, and its texts where each may repeat the one before it. All pages of the column are unpacked for that, one
/// at a time, and once more when they are read. Where lists alone take more than `most_bytes`, texts are not counted.
pub(super) fn further_bytes(
    file: &File,
    column: &ColumnChunkMetaData,
    most_bytes: u64,
) -> Result<u64, String> {
    let file = file.try_clone().map_err(|error| error.to_string())?;
    // The number of rows is only of use with an index of the pages.
    let Ok(pages) = SerializedPageReader::new(Arc::new(file), column, 0, None) else {
        // The library cannot read it either.
        return Ok(0);
    };
    let mut largest = 0;
    let most_texts = column.byte_range().1.saturating_mul(TEXTS_FOR_EACH_BYTE);
    let mut left = most_texts.max(MOST_TEXTS);
    for page in pages.map_while(Result::ok) {
        let Some(bytes) = values(&page, column.column_descr()) else {
            continue;
        };
        left = left
            .checked_sub(u64::from(page.num_values()))
            .ok_or_else(|| super::damaged(column, "has far more texts than bytes"))?;
        let further = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => bytes_of_lengths(bytes, page.num_values()),
            Encoding::DELTA_BYTE_ARRAY => bytes_of_prefixes(bytes, page.num_values(), most_bytes),
            _ => continue,
        };
        let further = further.map_err(|why| super::damaged(column, &why))?;
        largest = further.max(largest);
        if largest > most_bytes {
            break;
        }
    }
    Ok(largest)
}

/// Returns the bytes behind the levels of a page of data. The library refuses a page that ends before.
fn values<'a>(page: &'a Page, column: &ColumnDescriptor) -> Option<&'a [u8]> {
    match page {
        Page::DataPage {
            buf,
            num_values,
            def_level_encoding,
            rep_level_encoding,
            ..
        } => {
            let mut rest: &[u8] = buf;
            for (highest, encoding) in [
                (column.max_rep_level(), *rep_level_encoding),
                (column.max_def_level(), *def_level_encoding),
            ] {
                if highest > 0 {
                    let levels = level_bytes(rest, highest, encoding, *num_values)?;
                    rest = rest.get(levels..)?;
                }
            }
            Some(rest)
        }
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => {
            let levels = rep_levels_byte_len.checked_add(*def_levels_byte_len)?;
            buf.get(levels as usize..)
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Returns how many bytes the levels at the beginning of these bytes have, of which this is the highest.
fn level_bytes(bytes: &[u8], highest: i16, encoding: Encoding, values: u32) -> Option<usize> {
    match encoding {
        Encoding::RLE => {
            let length = u32::from_le_bytes(*bytes.first_chunk()?);
            Some(size_of::<u32>() + length as usize)
        }
        #[allow(deprecated)]
        Encoding::BIT_PACKED => {
            let bits = i16::BITS - highest.leading_zeros();
            Some((values as usize * bits as usize).div_ceil(8))
        }
        _ => None,
    }
}

/// Returns the memory for the lengths of a page with `DELTA_LENGTH_BYTE_ARRAY`. The library checks that its texts are not
/// more than its bytes.
fn bytes_of_lengths(bytes: &[u8], values: u32) -> Result<u64, String> {
    let lengths = Differences::begin(bytes, values)?;
    Ok(lengths.map_or(0, |lengths| lengths.bytes_of_list()))
}

/// Returns the memory for the lengths and the texts of a page with `DELTA_BYTE_ARRAY`: how many bytes each text has in
/// common with the one before it, behind them how many more it has, and behind those these bytes themselves.
fn bytes_of_prefixes(bytes: &[u8], values: u32, most_bytes: u64) -> Result<u64, String> {
    let Some(prefixes) = Differences::begin(bytes, values)? else {
        return Ok(0);
    };
    let behind = prefixes.clone().end().and_then(|end| bytes.get(end..));
    let suffixes = match behind {
        Some(behind) => Differences::begin(behind, values)?,
        None => None,
    };
    let Some(suffixes) = suffixes else {
        return Ok(prefixes.bytes_of_list());
    };
    let lists = prefixes.bytes_of_list() + suffixes.bytes_of_list();
    // The library refuses lists that differ in length, but makes both.
    if lists > most_bytes || prefixes.left != suffixes.left {
        return Ok(lists);
    }
    let length = |length: i32| {
        u64::try_from(length).map_err(|_| format!("has a value whose length is {length}"))
    };
    // A batch has no more than the largest sum of so many texts, one after the other.
    let mut batch: VecDeque<u64> = VecDeque::new();
    let (mut texts, mut most_texts, mut stored, mut last) = (0_u64, 0, 0, 0);
    for (prefix, suffix) in prefixes.zip(suffixes) {
        let suffix = length(suffix)?;
        stored += suffix;
        if stored > bytes.len() as u64 {
            // The library gets no further either.
            break;
        }
        last = length(prefix)?.min(last) + suffix;
        batch.push_back(last);
        texts += last;
        if batch.len() > BATCH_TEXTS {
            texts -= batch.pop_front().unwrap_or_default();
        }
        most_texts = texts.max(most_texts);
    }
    // The room for them is doubled as they come.
    Ok(lists.saturating_add(most_texts.saturating_mul(2)))
}

/// A list of lengths that are stored by the differences between them: the encoding `DELTA_BINARY_PACKED` of the format. It
/// ends early where the library would refuse it.
#[derive(Clone)]
struct Differences<'a> {
    bytes: &'a [u8],
    /// The number of parts of a block, and of the values of a part.
    parts: usize,
    part_values: usize,
    /// The number of values that are still to come.
    left: usize,
    /// Whether the first value is still to come.
    is_at_first: bool,
    /// The first value, or the one that came last.
    last: i32,
    /// The least difference in the block.
    least: i32,
    /// The bits of each difference in the parts of the block, from the one on that has the next value.
    widths: &'a [u8],
    /// The number of values that are still to come from the part.
    left_of_part: usize,
    /// The position of the next difference, in bits.
    at: usize,
    /// The position behind the block.
    end: usize,
}

impl<'a> Differences<'a> {
    /// Reads the head of the list with which these bytes begin, if the library takes it for one. The page has so many
    /// values, some of which may be null.
    fn begin(bytes: &'a [u8], values: u32) -> Result<Option<Self>, String> {
        let mut rest = bytes;
        let mut next = || unsigned(&mut rest);
        let (Some(block), Some(parts), Some(count)) = (next(), next(), next()) else {
            return Ok(None);
        };
        let Some(first) = signed(&mut rest) else {
            return Ok(None);
        };
        if count > u64::from(values) {
            return Err(format!(
                "says in front of its values that they are {count}, and in its head that they are {values}"
            ));
        }
        if !(1..=MOST_OF_BLOCK).contains(&block) {
            return Err(format!(
                "says that a block of it has {block} lengths, which is not from 1 to {MOST_OF_BLOCK}"
            ));
        }
        let part_values = block.checked_div(parts).unwrap_or(0);
        if parts == 0
            || !block.is_multiple_of(OF_BLOCK)
            || !block.is_multiple_of(parts)
            || !part_values.is_multiple_of(OF_PART)
        {
            return Ok(None);
        }
        Ok(Some(Differences {
            bytes,
            parts: parts as usize,
            part_values: part_values as usize,
            left: count as usize,
            is_at_first: true,
            last: first,
            least: 0,
            widths: &[],
            left_of_part: 0,
            at: 0,
            end: bytes.len() - rest.len(),
        }))
    }

    /// Returns the memory for the list, none of whose values has come yet.
    fn bytes_of_list(&self) -> u64 {
        self.left as u64 * LENGTH_BYTES
    }

    /// Returns the position behind the list, none of whose values has come yet.
    fn end(mut self) -> Option<usize> {
        self.left = self.left.saturating_sub(1);
        while self.left > 0 {
            self.begin_block()?;
            self.left = self.left.saturating_sub(self.parts * self.part_values);
        }
        Some(self.end)
    }

    /// Reads the head of the next block: the least difference, and the bits of each part.
    fn begin_block(&mut self) -> Option<()> {
        let mut rest = self.bytes.get(self.end..)?;
        self.least = signed(&mut rest)?;
        let (widths, rest) = rest.split_at_checked(self.parts)?;
        // Parts behind the last value may say anything, and have no bytes.
        let parts = self.left.div_ceil(self.part_values).min(self.parts);
        self.widths = widths.get(..parts)?;
        if self.widths.iter().any(|width| *width > LENGTH_BITS) {
            return None;
        }
        let begin = self.bytes.len() - rest.len();
        let bits: usize = self.widths.iter().map(|width| usize::from(*width)).sum();
        self.at = 8 * begin;
        self.end = begin + bits * self.part_values / 8;
        self.left_of_part = self.part_values;
        Some(())
    }

    /// Goes to the next part, which may be in the next block.
    fn begin_part(&mut self) -> Option<()> {
        match self.widths {
            [_, others @ ..] if !others.is_empty() => {
                self.widths = others;
                self.left_of_part = self.part_values;
                Some(())
            }
            _ => self.begin_block(),
        }
    }

    /// Reads the next difference, which has so many bits, the lowest ones first.
    fn difference(&mut self, width: u8) -> Option<i32> {
        let rest = self.bytes.get(self.at / 8..)?;
        let mut bytes = [0; 8];
        let read = rest.len().min(bytes.len());
        bytes[..read].copy_from_slice(&rest[..read]);
        let bits = u64::from_le_bytes(bytes) >> (self.at % 8);
        self.at += usize::from(width);
        let is_whole = self.at <= 8 * self.bytes.len();
        is_whole.then_some((bits & ((1_u64 << width) - 1)) as i32)
    }
}

impl Iterator for Differences<'_> {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        if self.left == 0 {
            return None;
        }
        if self.is_at_first {
            self.is_at_first = false;
        } else {
            if self.left_of_part == 0 {
                self.begin_part()?;
            }
            let width = *self.widths.first()?;
            let difference = self.difference(width)?;
            // They may go beyond the numbers that there are, and come back.
            let difference = difference.wrapping_add(self.least);
            self.last = self.last.wrapping_add(difference);
            self.left_of_part -= 1;
        }
        self.left -= 1;
        Some(self.last)
    }
}

/// Reads a number whose bytes have 7 bits each, the lowest ones first.
fn unsigned(rest: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0_u32);
    loop {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
        shift += 7;
    }
}

/// Reads a number whose lowest bit is its sign. The library refuses those of more than 32 bits.
fn signed(rest: &mut &[u8]) -> Option<i32> {
    let number = unsigned(rest)?;
    let number = (number >> 1) as i64 ^ -((number & 1) as i64);
    i32::try_from(number).ok()
}

#[cfg(test)]
mod tests;
