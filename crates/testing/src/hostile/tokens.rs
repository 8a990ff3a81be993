//! Tokens that parsers stumble over.

use super::{Corpus, Random};

/// Numbers at and beyond the limits of their types.
pub const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "-1",
    "1",
    "255",
    "256",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e999",
    "5e-324",
    "0.1",
    "nan",
    "inf",
    "1_0",
];

/// Pieces of text with a meaning, or with none where they should have one.
pub const SPECIAL: [&[u8]; 40] = [
    b"\0",
    b"\x1b[31m",
    b"\x1b]0;owned\x07",
    b"\x07",
    b"\x7f",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xc3\xa9",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\xf0\x9f\x98\x80",
    b"\xc0\x80",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b",",
    b";",
    b"\"",
    b"\"\"",
    b"\"\"\"",
    b"'",
    b"'''",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\\x",
    b"$$",
    b"${",
    b"}",
    b"]",
    b"=",
    b"#",
    b"--",
    b"/*",
    b"null",
    b"true",
    b"{}",
];

/// Lengths at and beyond the limits of their types.
const LENGTHS: [u64; 14] = [
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x100,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    u64::MAX,
];

/// Returns the words of all inputs that are texts, each once: names, numbers, and what is between them.
pub fn words(corpus: &Corpus) -> Vec<Vec<u8>> {
    const MOST_WORDS: usize = 5_000;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let mut words: Vec<Vec<u8>> = Vec::new();
    for input in corpus
        .iter()
        .filter(|input| std::str::from_utf8(input).is_ok())
    {
        let found = input.chunk_by(|a, b| is_word(a) && is_word(b));
        words.extend(found.map(<[u8]>::to_vec));
    }
    words.sort();
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

/// Returns a length as bytes, as formats have it: with a fixed number of bytes, the first or the last one
/// first, or as LEB128.
pub fn length(random: &mut Random) -> Vec<u8> {
    let near = u64::from(random.u8(..4)).wrapping_sub(1);
    let length = LENGTHS[random.usize(..LENGTHS.len())].wrapping_add(near);
    let bytes = length.to_le_bytes();
    let wide = [1, 2, 4, 8][random.usize(..4)];
    match random.u8(..3) {
        0 => bytes[..wide].to_vec(),
        1 => bytes[..wide].iter().rev().copied().collect(),
        _ => leb128(length),
    }
}

fn leb128(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}
