//! Text that Zstandard has packed.

use bakeoff_testing::hostile::{Corpus, Parser, bytes_taken};
use bakeoff_testing::times;

use super::corpus;
use super::data_files::{Files, TEXT_BYTES, refusal, wide};

/// The number with which a frame begins, and a byte that says that it has neither a length nor a checksum.
const FRAME: [u8; 5] = [0x28, 0xb5, 0x2f, 0xfd, 0];

/// Returns a text as it is, in a frame that says that it refers back by up to two to the power of `window_log` bytes.
fn framed(window_log: u8, text: &[u8]) -> Vec<u8> {
    let last_block = ((text.len() as u32) << 3) | 1;
    let window = [(window_log - 10) << 3];
    [&FRAME[..], &window, &last_block.to_le_bytes()[..3], text].concat()
}

#[test]
fn text_that_zstandard_packed_is_read_or_refused() {
    let parser = Parser {
        name: "csv.zst files",
        most_bytes: TEXT_BYTES,
        cases: times(1_000, 50_000),
    };
    let mut packed = Corpus::default();
    for text in corpus("csv").iter() {
        packed.add(zstd::encode_all(text, 3).unwrap());
        packed.add(framed(20, text));
    }
    let files = Files::new();
    parser.feed(&packed, |bytes| files.is_readable("x.csv.zst", bytes));
}

/// A small file unpacks to a thousand times its size, and no line ends.
#[test]
fn a_bomb_takes_little_memory() {
    let endless = vec![b'x'; 40 << 20];
    let bomb = zstd::encode_all(endless.as_slice(), 3).unwrap();
    assert!(bomb.len() < 40 << 10, "{}", bomb.len());
    let files = Files::raw();
    let taken = bytes_taken(|| assert!(!files.is_readable("x.csv.zst", &bomb)));
    assert!(taken < TEXT_BYTES, "{taken}");
}

/// The memory of the library is not counted.
#[test]
fn a_text_that_takes_much_memory_to_unpack_is_refused() {
    let text = wide(0);
    let within = framed(27, text.as_bytes());
    assert!(Files::new().is_readable("x.csv.zst", &within));
    for window_log in [28, 31, 41] {
        let said = refusal(&framed(window_log, text.as_bytes()), "x.csv.zst");
        let expected = "x.csv.zst: unpacking it takes more than 128 MiB of memory; pack it again without \
                        `--long`, or unpack it with `zstd -d --long=31`";
        assert!(said.ends_with(expected), "{said}");
    }
}
