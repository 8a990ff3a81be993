//! Generates texts: random characters, random words, and passages of a longer text.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::draw::{Draw, Texts};
use super::vocabulary::VOCABULARY;
use crate::Stream;

/// Letters and digits of a number in this range.
pub struct Characters(pub RangeInclusive<u32>);

impl Texts for Characters {
    fn append(&self, mut draw: Draw, out: &mut String) {
        const ALPHABET: [u8; 62] =
            *b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        /// Digits that one 64-bit number yields: 62^10 is below 2^64.
        const OF_A_NUMBER: usize = 10;
        let mut left = draw.length(&self.0);
        out.reserve(left);
        while left > 0 {
            // The digits of a fraction of 64 bits to the base 62.
            let mut fraction = draw.stream.next_u64();
            for _ in 0..left.min(OF_A_NUMBER) {
                let product = u128::from(fraction) * ALPHABET.len() as u128;
                out.push(char::from(ALPHABET[(product >> 64) as usize]));
                fraction = product as u64;
            }
            left = left.saturating_sub(OF_A_NUMBER);
        }
    }

    fn most_bytes(&self) -> u64 {
        u64::from(*self.0.end())
    }
}

/// Words of a number in this range, each drawn by its frequency. Without the phrases that real
/// texts repeat, LZ4 compresses them to about 0.7.
pub struct Words(pub RangeInclusive<u32>);

impl Texts for Words {
    fn append(&self, mut draw: Draw, out: &mut String) {
        let words = draw.length(&self.0);
        // The mean length of a drawn word is a little above 5.
        out.reserve(words * 6);
        VOCABULARY.append(words, &mut draw.stream, out);
        out.pop();
    }

    fn most_bytes(&self) -> u64 {
        u64::from(*self.0.end()) * VOCABULARY.longest() as u64
    }
}

/// Words of a number in this range, from a random position of one text. Passages overlap, so that
/// chunks of many values contain repeats that distinct texts lack.
pub struct Passages(pub RangeInclusive<u32>);

/// Largest number of words of a passage, which is much shorter than the text so that there are many positions
/// for it.
pub const MOST_WORDS_OF_A_PASSAGE: u32 = 40_000;

impl Texts for Passages {
    fn append(&self, mut draw: Draw, out: &mut String) {
        let book = &*BOOK;
        let words = draw.length(&self.0).min(book.words());
        let first = draw.stream.below((book.words() - words + 1) as u64) as usize;
        out.push_str(book.passage(first, words));
    }

    fn most_bytes(&self) -> u64 {
        u64::from(*self.0.end()) * (VOCABULARY.longest() as u64 + 1)
    }
}

static BOOK: LazyLock<Book> = LazyLock::new(Book::write);

/// A text that is the same for every workload.
struct Book {
    text: String,
    /// Offset of each word, and of the end.
    starts: Vec<usize>,
}

impl Book {
    const BYTES: usize = 465_000;
    /// Probability that a phrase of 2 to 4 words repeats one of the last [`Book::MEMORY_WORDS`], as
    /// writers do. It is chosen so that LZ4 compresses the text to about 0.6 in chunks of 16 KiB,
    /// like English prose; independent words would yield 0.7.
    const ECHO: f64 = 0.2;
    const MEMORY_WORDS: u64 = 100;
    const SENTENCE_WORDS: RangeInclusive<u64> = 6..=22;
    const SENTENCES_OF_A_PARAGRAPH: u64 = 6;

    fn write() -> Self {
        let mut stream = Stream::new(&[0xb00c]);
        let mut book = Book {
            text: String::with_capacity(Book::BYTES + 1000),
            starts: Vec::with_capacity(Book::BYTES / 5),
        };
        let mut words: Vec<&str> = Vec::new();
        while book.text.len() < Book::BYTES {
            let (least, most) = Book::SENTENCE_WORDS.into_inner();
            let end = words.len() + (least + stream.below(most - least + 1)) as usize;
            let first = words.len();
            while words.len() < end {
                think(&mut words, &mut stream);
            }
            book.write_sentence(&words[first..]);
            if stream.below(Book::SENTENCES_OF_A_PARAGRAPH) == 0 {
                book.text.pop();
                book.text.push('\n');
            }
        }
        book.starts.push(book.text.len());
        book
    }

    /// Appends a sentence of words that have a space behind them; the last one gets a full stop
    /// before it.
    fn write_sentence(&mut self, words: &[&str]) {
        for (position, word) in words.iter().enumerate() {
            self.starts.push(self.text.len());
            let (initial, rest) = word.split_at(1);
            match position {
                0 => self.text.push_str(&initial.to_ascii_uppercase()),
                _ => self.text.push_str(initial),
            }
            self.text.push_str(rest);
        }
        self.text.pop();
        self.text.push_str(". ");
    }

    fn words(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns a passage without the space after the last word.
    fn passage(&self, first: usize, words: usize) -> &str {
        let text = &self.text[self.starts[first]..self.starts[first + words]];
        &text[..text.len().saturating_sub(1)]
    }
}

/// Appends the next word, or the next few.
fn think<'a>(words: &mut Vec<&'a str>, stream: &mut Stream)
where
    'static: 'a,
{
    let known = words.len() as u64;
    if known > Book::MEMORY_WORDS && stream.chance(Book::ECHO) {
        let length = 2 + stream.below(3) as usize;
        let back = 5 + stream.below(Book::MEMORY_WORDS - 5) as usize;
        let from = words.len() - back;
        words.extend_from_within(from..from + length);
    } else {
        words.push(VOCABULARY.word(stream.next_u64()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(law: &impl Texts, row: u64) -> String {
        let mut out = String::new();
        let draw = Draw {
            row,
            second: false,
            stream: Stream::new(&[1, row]),
        };
        law.append(draw, &mut out);
        assert!(out.len() as u64 <= law.most_bytes());
        out
    }

    /// Returns the least and greatest count of something in 2,000 texts.
    fn bounds(law: &impl Texts, count: impl Fn(&str) -> usize) -> (usize, usize) {
        let counts = || (0..2000).map(|row| count(&text(law, row)));
        (counts().min().unwrap(), counts().max().unwrap())
    }

    #[test]
    fn lengths_are_from_the_first_to_the_last_of_the_range() {
        let words = |text: &str| text.split_whitespace().count();
        assert_eq!(bounds(&Words(3..=9), words), (3, 9));
        assert_eq!(bounds(&Passages(3..=9), words), (3, 9));
        assert_eq!(bounds(&Characters(3..=9), str::len), (3, 9));
        assert_eq!(text(&Characters(0..=0), 1), "");
        assert_eq!(text(&Words(0..=0), 1), "");
        assert_eq!(text(&Passages(0..=0), 1), "");
    }

    #[test]
    fn characters_are_all_letters_and_digits_alike() {
        let mut counts = std::collections::BTreeMap::new();
        for row in 0..620 {
            for character in text(&Characters(1000..=1000), row).chars() {
                *counts.entry(character).or_insert(0u32) += 1;
            }
        }
        assert_eq!(counts.len(), 62);
        // Binomial(620000, 1 / 62): standard deviation 99; five of them either way.
        assert!(
            counts.values().all(|n| n.abs_diff(10_000) < 500),
            "{counts:?}"
        );
    }

    #[test]
    fn passages_are_sentences_from_all_over_the_book() {
        assert!((465_000..466_000).contains(&BOOK.text.len()));
        let longest = Passages(MOST_WORDS_OF_A_PASSAGE..=MOST_WORDS_OF_A_PASSAGE);
        assert!(text(&longest, 1).len() < Book::BYTES);
        let one = text(&Passages(100..=100), 5);
        assert!(one.contains(". "), "{one}");
        let positions: Vec<usize> = (0..50)
            .map(|row| BOOK.text.find(&text(&Passages(60..=60), row)).unwrap())
            .collect();
        assert!(positions.iter().any(|p| *p < 50_000) && positions.iter().any(|p| *p > 400_000));
    }
}
