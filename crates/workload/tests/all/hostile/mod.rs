//! Workload files, price lists and data files that nobody meant anyone to read: an error, never a panic,
//! an endless loop or more memory than is said here.

mod data_files;
mod described_files;
mod other_files;
mod workload_files;
mod zstandard;

use std::path::{Path, PathBuf};

use bakeoff_testing::hostile::Corpus;

/// Returns a folder of inputs: small ones of each kind, and those that broke a parser once.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    folder.join(name)
}

fn corpus(name: &str) -> Corpus {
    Corpus::read(&folder(name))
}
