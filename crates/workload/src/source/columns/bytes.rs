//! Generates bytes of a given compressibility.

use std::ops::RangeInclusive;

use super::draw::{Draw, Texts};
use crate::Stream;

/// Random bytes of a length in this range. The first bytes of every [`BLOCK`], and of the shorter
/// block at the end, are random and the rest repeats them, which every compressor of the Lempel-Ziv
/// family finds, whatever its chunk length.
pub struct Bytes {
    length: RangeInclusive<u32>,
    compressibility: f64,
}

/// Bytes of a block: few enough for chunks of 4 KiB, and enough for a repeat to cost a compressor
/// little.
const BLOCK: usize = 256;

impl Bytes {
    pub fn new(length: RangeInclusive<u32>, compressibility: f64) -> Self {
        Bytes {
            length,
            compressibility,
        }
    }

    /// Returns the number of random bytes in a block of this length, at least 1.
    fn fresh(&self, block: usize) -> usize {
        let fresh = (1.0 - self.compressibility) * block as f64;
        (fresh.round() as usize).clamp(1, block)
    }

    /// Appends the bytes of a cell.
    pub fn append(&self, mut draw: Draw, out: &mut Vec<u8>) {
        self.fill(&mut draw, out, |number| number);
    }

    /// Returns the bytes of the longest cell.
    pub fn most_bytes(&self) -> u64 {
        u64::from(*self.length.end())
    }

    fn fill(&self, draw: &mut Draw, out: &mut Vec<u8>, eight_bytes: impl Fn(u64) -> u64) {
        let start = out.len();
        let length = draw.length(&self.length);
        out.resize(start + length, 0);
        for block in out[start..].chunks_mut(BLOCK) {
            let fresh = self.fresh(block.len());
            randomize(&mut block[..fresh], &mut draw.stream, &eight_bytes);
            let mut filled = fresh;
            while filled < block.len() {
                let copied = filled.min(block.len() - filled);
                block.copy_within(..copied, filled);
                filled += copied;
            }
        }
    }
}

fn randomize(bytes: &mut [u8], stream: &mut Stream, eight_bytes: impl Fn(u64) -> u64) {
    let (eights, rest) = bytes.as_chunks_mut::<8>();
    for eight in eights {
        *eight = eight_bytes(stream.next_u64()).to_le_bytes();
    }
    if !rest.is_empty() {
        let last = eight_bytes(stream.next_u64()).to_le_bytes();
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Turns a number into eight printable bytes with six random bits each, from `0` on.
fn printable(number: u64) -> u64 {
    const SIX_BITS: u64 = 0x3f3f_3f3f_3f3f_3f3f;
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    (number & SIX_BITS) + ZEROS
}

/// Makes texts of 64 printable characters, of which compressors with an entropy coder save another
/// quarter.
impl Texts for Bytes {
    fn append(&self, mut draw: Draw, out: &mut String) {
        let mut bytes = Vec::new();
        self.fill(&mut draw, &mut bytes, printable);
        // ASCII is always valid.
        out.push_str(std::str::from_utf8(&bytes).unwrap_or_default());
    }

    fn most_bytes(&self) -> u64 {
        Bytes::most_bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    fn bytes(law: &Bytes, row: u64) -> Vec<u8> {
        let mut out = Vec::new();
        law.append(draw(row), &mut out);
        out
    }

    fn draw(row: u64) -> Draw {
        Draw {
            row,
            second: false,
            stream: Stream::new(&[1, row]),
        }
    }

    #[test]
    fn lengths_are_from_the_first_to_the_last_of_the_range() {
        let law = Bytes::new(0..=20, 0.5);
        let lengths: Vec<usize> = (0..2000).map(|row| bytes(&law, row).len()).collect();
        assert_eq!(lengths.iter().min(), Some(&0));
        assert_eq!(lengths.iter().max(), Some(&20));
    }

    #[test]
    fn what_a_compressor_leaves_is_what_does_not_repeat() {
        for compressibility in [0.0, 0.25, 0.5, 0.75, 0.9] {
            let law = Bytes::new(800..=1200, compressibility);
            let all: Vec<u8> = (0..64).flat_map(|row| bytes(&law, row)).collect();
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&all).unwrap();
            let left = encoder.finish().unwrap().len() as f64 / all.len() as f64;
            let expected = 1.0 - compressibility;
            // Deflate's random bytes cost more than 8 bits in addition to the codes of repeats.
            assert!((left - expected).abs() < 0.06, "{compressibility}: {left}");
        }
    }

    /// Counts the bytes of a value that repeat those before them in their block.
    fn repeated(value: &[u8]) -> usize {
        let of_block = |block: &[u8]| {
            let repeats_after = |fresh: &usize| block[*fresh..] == block[..block.len() - fresh];
            block.len() - (1..block.len()).find(repeats_after).unwrap_or(block.len())
        };
        value.chunks(BLOCK).map(of_block).sum()
    }

    #[test]
    fn values_of_every_length_repeat_alike() {
        for compressibility in [0.25, 0.5, 0.75] {
            for length in [50, 100, 300, 1000] {
                let law = Bytes::new(length..=length, compressibility);
                let all: usize = (0..20).map(|row| repeated(&bytes(&law, row))).sum();
                let share = all as f64 / (20 * length) as f64;
                assert!(
                    (share - compressibility).abs() < 0.02,
                    "{length}, {compressibility}: {share}"
                );
            }
        }
    }

    #[test]
    fn all_of_it_may_repeat() {
        let all = bytes(&Bytes::new(256..=256, 1.0), 1);
        assert!(all.iter().all(|byte| *byte == all[0]));
    }

    #[test]
    fn in_text_columns_they_are_printable() {
        let mut out = String::new();
        Texts::append(&Bytes::new(1000..=1000, 0.3), draw(3), &mut out);
        assert_eq!(out.len(), 1000);
        assert!(out.bytes().all(|byte| (0x30..0x70).contains(&byte)));
    }
}
