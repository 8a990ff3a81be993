//! Makes inputs: those of the corpus with changes, and others of words and bytes.

use std::ops::Range;

use super::tokens::{NUMBERS, SPECIAL, length, words};
use super::{Corpus, Random};

/// The most bytes of an input.
const MOST_BYTES: usize = 128 << 10;

/// The most changes of one input.
const MOST_CHANGES: u32 = 6;

/// Brackets that nest.
const BRACKETS: [&[u8]; 8] = [b"[", b"{", b"(", b"{\"a\":", b"[[", b"a.", b"{a=", b"[{"];

/// The corpus, in the forms from which inputs are made.
pub struct Inputs<'a> {
    corpus: &'a Corpus,
    words: Vec<Vec<u8>>,
}

impl<'a> Inputs<'a> {
    pub fn new(corpus: &'a Corpus) -> Inputs<'a> {
        assert!(!corpus.is_empty(), "a corpus without inputs");
        Inputs {
            corpus,
            words: words(corpus),
        }
    }

    /// Makes the input with a number.
    pub fn make(&self, number: u64, make: impl Fn(&mut Random) -> Option<Vec<u8>>) -> Vec<u8> {
        // Neighbouring seeds give similar first numbers.
        let random = &mut Random::with_seed(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut input = match random.u8(..4) {
            0 => make(random).unwrap_or_else(|| self.made_up(random)),
            _ => self.changed(random),
        };
        input.truncate(MOST_BYTES);
        input
    }

    /// Makes an input of words, or of bytes of which most are small.
    fn made_up(&self, random: &mut Random) -> Vec<u8> {
        if self.words.is_empty() || random.u8(..4) == 0 {
            let count = random.usize(..300);
            let largest = [2, 8, 128, 255][random.usize(..4)];
            return (0..count).map(|_| random.u8(..=largest)).collect();
        }
        let count = random.usize(1..80);
        (0..count).flat_map(|_| self.word(random)).collect()
    }

    fn word(&self, random: &mut Random) -> Vec<u8> {
        match random.u8(..8) {
            0 => NUMBERS[random.usize(..NUMBERS.len())].as_bytes().to_vec(),
            1 => SPECIAL[random.usize(..SPECIAL.len())].to_vec(),
            _ if self.words.is_empty() => vec![random.u8(..)],
            _ => self.words[random.usize(..self.words.len())].clone(),
        }
    }

    fn sample(&self, random: &mut Random) -> &'a [u8] {
        let number = random.usize(..self.corpus.len());
        self.corpus.get(number as u64).unwrap_or_default()
    }

    fn changed(&self, random: &mut Random) -> Vec<u8> {
        let mut input = self.sample(random).to_vec();
        let changes = random
            .u32(1..=MOST_CHANGES)
            .min(random.u32(1..=MOST_CHANGES));
        for _ in 0..changes {
            self.change(&mut input, random);
        }
        input
    }

    fn change(&self, input: &mut Vec<u8>, random: &mut Random) {
        let here = random.usize(..=input.len());
        match random.u8(..16) {
            0 | 1 => {
                if let Some(byte) = input.get_mut(here) {
                    *byte ^= 1 << random.u8(..8);
                }
            }
            2 => input.truncate(here),
            3 => overwrite(input, here, &length(random)),
            4 => insert(input, here, &length(random)),
            5 => {
                input.drain(range(input, random));
            }
            6 => {
                let copy = input[range(input, random)].to_vec();
                insert(input, here, &copy);
            }
            7 => {
                let other = self.sample(random);
                insert(input, here, &other[range(other, random)]);
            }
            8 => insert(input, here, SPECIAL[random.usize(..SPECIAL.len())]),
            9 => {
                let word = self.word(random);
                replace(input, word_at(input, here), &word);
            }
            10 | 11 => {
                let number = NUMBERS[random.usize(..NUMBERS.len())];
                replace(input, number_at(input, here), number.as_bytes());
            }
            12 => {
                let line = line_at(input, here);
                let other = self.sample(random);
                let with = other[line_at(other, random.usize(..=other.len()))].to_vec();
                replace(input, line, &with);
            }
            13 => {
                let line = input[line_at(input, here)].to_vec();
                let to = line_at(input, random.usize(..=input.len())).start;
                insert(input, to, &line);
            }
            14 => {
                let bracket = BRACKETS[random.usize(..BRACKETS.len())];
                insert(input, here, &bracket.repeat(few_or_many(random, 5_000)));
            }
            _ => {
                let word = self.word(random);
                let most = (MOST_BYTES / word.len().max(1)).clamp(1, 20_000);
                insert(input, here, &word.repeat(few_or_many(random, most)));
            }
        }
    }
}

/// Returns a number that is small as often as it is large.
fn few_or_many(random: &mut Random, most: usize) -> usize {
    let most = if random.bool() { 20 } else { most };
    random.usize(1..=most)
}

/// Returns a random range, which is short more often than not.
fn range(input: &[u8], random: &mut Random) -> Range<usize> {
    let begin = random.usize(..=input.len());
    let rest = input.len() - begin;
    let most = if random.u8(..4) == 0 {
        rest
    } else {
        rest.min(16)
    };
    begin..begin + random.usize(..=most)
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    replace(input, at..at, bytes);
}

fn overwrite(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    let end = (at + bytes.len()).min(input.len());
    replace(input, at..end, bytes);
}

fn replace(input: &mut Vec<u8>, range: Range<usize>, bytes: &[u8]) {
    let room = MOST_BYTES.saturating_sub(input.len());
    let bytes = &bytes[..bytes.len().min(room + range.len())];
    input.splice(range, bytes.iter().copied());
}

/// Returns where the word is that has a byte.
fn word_at(input: &[u8], at: usize) -> Range<usize> {
    around(input, at, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'_'
    })
}

/// Returns where the next number begins and ends, or else the word that has a byte.
fn number_at(input: &[u8], at: usize) -> Range<usize> {
    match input[at..].iter().position(u8::is_ascii_digit) {
        Some(digit) => around(input, at + digit, |byte| {
            byte.is_ascii_digit() || byte == b'.' || byte == b'-'
        }),
        None => word_at(input, at),
    }
}

/// Returns where the line is that has a byte, with its end.
fn line_at(input: &[u8], at: usize) -> Range<usize> {
    let line = around(input, at, |byte| byte != b'\n');
    line.start..(line.end + 1).min(input.len())
}

/// Returns the bytes around a position for which something is true.
fn around(input: &[u8], at: usize, is_inside: impl Fn(u8) -> bool) -> Range<usize> {
    let before = input[..at].iter().rposition(|byte| !is_inside(*byte));
    let after = input[at..].iter().position(|byte| !is_inside(*byte));
    let begin = before.map_or(0, |last| last + 1);
    begin..after.map_or(input.len(), |first| at + first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_lines_are_found() {
        let text = b"one = 12.5\ntwo = 3";
        assert_eq!(word_at(text, 1), 0..3);
        assert_eq!(number_at(text, 0), 6..10);
        assert_eq!(number_at(text, 18), 17..18);
        assert_eq!(line_at(text, 3), 0..11);
        assert_eq!(line_at(text, 12), 11..18);
        assert_eq!(line_at(b"", 0), 0..0);
    }

    #[test]
    fn no_input_is_larger_than_the_limit() {
        let mut corpus = Corpus::default();
        corpus.add(vec![b'x'; MOST_BYTES - 1]);
        let inputs = Inputs::new(&corpus);
        let longest = (0..1_000).map(|n| inputs.make(n, |_| None).len()).max();
        assert_eq!(longest, Some(MOST_BYTES));
    }
}
