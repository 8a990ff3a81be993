//! English words by frequency.

use std::sync::LazyLock;

use crate::Stream;

/// Words of `vocabulary.txt`, which has the most frequent words first.
pub static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::new(include_str!("vocabulary.txt")));

/// Constant of Zipf's law for words in the form of Mandelbrot ("An informational theory of the
/// statistical structure of language", 1953): frequency in proportion to 1 / (rank + 2.7).
const MANDELBROT_SHIFT: f64 = 2.7;

/// Number of bits that a word is drawn with.
const BITS: u32 = 16;

/// Words by frequency.
pub struct Vocabulary {
    /// Words, each with a space behind it.
    words: Vec<String>,
    /// Index of the word for each number of [`BITS`] bits.
    drawn: Vec<u16>,
}

impl Vocabulary {
    fn new(text: &str) -> Self {
        let words: Vec<String> = text.split_whitespace().map(|w| format!("{w} ")).collect();
        let weight = |rank: usize| 1.0 / (rank as f64 + MANDELBROT_SHIFT);
        let whole: f64 = (1..=words.len()).map(weight).sum();
        let mut drawn = Vec::with_capacity(1 << BITS);
        let mut sum = 0.0;
        for word in 0..words.len() {
            sum += weight(word + 1) / whole;
            let end = (sum * f64::from(1 << BITS)).round() as usize;
            drawn.resize(end.min(1 << BITS), word as u16);
        }
        Vocabulary { words, drawn }
    }

    /// Appends words, each with a space behind it.
    pub fn append(&self, words: usize, stream: &mut Stream, out: &mut String) {
        const OF_A_NUMBER: usize = (u64::BITS / BITS) as usize;
        let mut left = words;
        while left > 0 {
            let mut number = stream.next_u64();
            for _ in 0..left.min(OF_A_NUMBER) {
                out.push_str(self.word(number));
                number >>= BITS;
            }
            left = left.saturating_sub(OF_A_NUMBER);
        }
    }

    /// Returns the word for the lowest bits of a number, with a space behind it.
    #[inline]
    pub fn word(&self, number: u64) -> &str {
        let drawn = self.drawn.get(number as usize & ((1 << BITS) - 1));
        drawn.map_or("", |word| &self.words[usize::from(*word)])
    }

    /// Returns the bytes of the longest word with its space.
    pub fn longest(&self) -> usize {
        self.words.iter().map(String::len).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn words_are_plain_and_each_is_there_once() {
        let words: BTreeSet<&String> = VOCABULARY.words.iter().collect();
        assert_eq!(words.len(), VOCABULARY.words.len());
        assert!((1000..=2000).contains(&words.len()), "{}", words.len());
        let plain = |w: &&String| w.trim_end().chars().all(|c| c.is_ascii_lowercase());
        assert!(words.iter().all(plain));
    }

    #[test]
    fn every_word_can_be_drawn_and_frequent_ones_are() {
        assert_eq!(VOCABULARY.drawn.len(), 1 << BITS);
        let mut counts = vec![0u32; VOCABULARY.words.len()];
        for word in &VOCABULARY.drawn {
            counts[usize::from(*word)] += 1;
        }
        assert!(counts.iter().all(|n| *n > 0));
        assert_eq!(VOCABULARY.words[0], "the ");
        // Word 1 to word 10: (10 + 2.7) / (1 + 2.7) = 3.43.
        let ratio = f64::from(counts[0]) / f64::from(counts[9]);
        assert!((ratio - 3.43).abs() < 0.05, "{ratio}");
    }
}
