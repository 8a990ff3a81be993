//! Feeds a parser of foreign bytes with inputs that nobody meant it to read: its corpus as it is, the
//! same changed at random, and texts that are made up. The same numbers give the same inputs, on every
//! machine.
//!
//! A parser must not panic, must not go on for ever, and must not take more memory than its limit,
//! whatever it reads. The input of the case under way is in a file, which is left there when the case
//! fails, even if the whole process ends (no memory, no stack). Such an input belongs into the corpus.

mod corpus;
mod inputs;
mod quiet;
mod tokens;
pub mod tree;
mod watch;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use corpus::Corpus;
use inputs::Inputs;

/// A parser that is fed.
pub struct Parser<'a> {
    /// Its name in messages and files, which is different for each parser.
    pub name: &'a str,
    /// The most bytes that it may have allocated at the same time, by the thread that calls it.
    pub most_bytes: u64,
    /// The number of inputs in addition to those of the corpus.
    pub cases: u64,
}

/// A random number generator for inputs that a test makes up.
pub type Random = fastrand::Rng;

/// Returns the most bytes that this thread has allocated at the same time for some work.
pub fn bytes_taken(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).bytes_max
}

impl Parser<'_> {
    /// Feeds the corpus and changed inputs. `parse` returns whether the input was accepted.
    ///
    /// # Panics
    /// Panics with the number of the case and the file with its input if `parse` panics or takes too
    /// much memory, and if all inputs are accepted or none is: nothing would be tested then.
    pub fn feed(&self, corpus: &Corpus, parse: impl FnMut(&[u8]) -> bool) {
        self.feed_with(corpus, |_| None, parse);
    }

    /// Feeds the same, and inputs that `make` makes up, for one case of four. `make` may return `None`
    /// for an input made of words of the corpus.
    ///
    /// # Panics
    /// Panics like [`Parser::feed`].
    pub fn feed_with(
        &self,
        corpus: &Corpus,
        make: impl Fn(&mut Random) -> Option<Vec<u8>>,
        mut parse: impl FnMut(&[u8]) -> bool,
    ) {
        quiet::install();
        let inputs = Inputs::new(corpus);
        let under_way = UnderWay::begin(self.name);
        let watch = watch::begin(self.name, under_way.path.clone());
        let mut accepted = 0;
        let all = corpus.len() as u64 + self.cases;
        for case in 0..all {
            let input = match corpus.get(case) {
                Some(sample) => sample.to_vec(),
                None => inputs.make(case, &make),
            };
            under_way.write(&input);
            watch.begin(case);
            match self.run(&input, &mut parse) {
                Ok(is_accepted) => accepted += u64::from(is_accepted),
                Err(what) => panic!(
                    "{}, case {case} with {} bytes: {what}; its input is in {}",
                    self.name,
                    input.len(),
                    under_way.path.display()
                ),
            }
        }
        under_way.end();
        let name = self.name;
        println!("{name}: {accepted} of {all} inputs accepted");
        assert!(accepted > 0, "{name}: every input is refused");
        assert!(accepted < all, "{name}: every input is accepted");
    }

    /// Runs one case. Returns whether the input was accepted, or else what the parser must not do.
    fn run(&self, input: &[u8], parse: &mut impl FnMut(&[u8]) -> bool) -> Result<bool, String> {
        let mut result = Ok(false);
        let most = bytes_taken(|| result = quiet::caught(|| parse(input)));
        let accepted = result.map_err(|panic| format!("panicked {panic}"))?;
        if most > self.most_bytes {
            let limit = self.most_bytes;
            return Err(format!(
                "took {most} bytes of memory, and {limit} are allowed"
            ));
        }
        Ok(accepted)
    }
}

/// The file with the input of the case under way.
struct UnderWay {
    path: PathBuf,
    file: File,
}

impl UnderWay {
    fn begin(parser: &str) -> UnderWay {
        let name = parser.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let process = std::process::id();
        let path = std::env::temp_dir().join(format!("bakeoff-hostile-{name}-{process}"));
        let file = File::create(&path).expect("a file for the input under way");
        UnderWay { path, file }
    }

    fn write(&self, input: &[u8]) {
        let written = self.file.set_len(0);
        let written = written.and_then(|()| self.file.write_all_at(input, 0));
        written.expect("the input under way is written");
    }

    fn end(self) {
        remove(&self.path);
    }
}

fn remove(path: &Path) {
    std::fs::remove_file(path).expect("the file of the input under way");
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_MIB: u64 = 1 << 20;

    fn parser(name: &str) -> Parser<'_> {
        Parser {
            name,
            most_bytes: ONE_MIB,
            cases: 500,
        }
    }

    fn corpus() -> Corpus {
        let mut corpus = Corpus::default();
        corpus.add(*b"key = [1, 22, 333]\nother = \"some text\"\n");
        corpus.add([0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7]);
        corpus
    }

    fn failure(parser: &Parser<'_>, parse: impl FnMut(&[u8]) -> bool) -> String {
        let fed = || parser.feed(&corpus(), parse);
        quiet::caught(fed).expect_err("the parser fails")
    }

    #[test]
    fn a_panic_is_reported_with_the_input_that_makes_it() {
        let parser = parser("test of panics");
        let said = failure(&parser, |input| {
            assert!(!input.ends_with(b"\xff"), "the last byte is 255");
            true
        });
        assert!(said.contains("the last byte is 255"), "{said}");
        let (_, path) = said.rsplit_once(" is in ").expect("the input's file");
        let left = std::fs::read(path).expect("the input");
        assert_eq!(left.last(), Some(&0xff));
        remove(Path::new(path));
    }

    #[test]
    fn memory_beyond_the_limit_is_reported() {
        let parser = parser("test of memory");
        let said = failure(&parser, |input| {
            // Trusts its length.
            let length = input.first_chunk().map_or(0, |b| u32::from_be_bytes(*b));
            Vec::<u8>::with_capacity(length as usize >> 4).is_empty()
        });
        assert!(said.contains("bytes of memory, and 1048576 are"), "{said}");
        let (_, path) = said.rsplit_once(" is in ").expect("the input's file");
        remove(Path::new(path));
    }

    #[test]
    fn a_parser_that_decides_nothing_tests_nothing() {
        for (name, answer) in [("test of refusals", false), ("test of all", true)] {
            let said = failure(&parser(name), |_| answer);
            assert!(said.contains("every input is"), "{said}");
        }
    }

    #[test]
    fn the_same_inputs_come_each_time_and_hardly_one_twice() {
        let all = || {
            let mut inputs = Vec::new();
            parser("test of inputs").feed(&corpus(), |input| {
                inputs.push(input.to_vec());
                inputs.len() > 1
            });
            inputs
        };
        let mut inputs = all();
        assert_eq!(inputs, all());
        let count = inputs.len();
        inputs.sort();
        inputs.dedup();
        assert!(inputs.len() > count * 8 / 10, "{} of {count}", inputs.len());
    }
}
