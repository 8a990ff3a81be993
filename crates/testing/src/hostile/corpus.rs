//! Inputs that a parser is meant to read, and those that broke it once.

use std::path::Path;

/// Inputs from files or made by a test, in a fixed order.
#[derive(Default)]
pub struct Corpus(Vec<Vec<u8>>);

impl Corpus {
    /// Reads all files of a folder, in the order of their names.
    ///
    /// # Panics
    /// Panics if the folder cannot be read or has no files.
    pub fn read(folder: &Path) -> Corpus {
        let mut corpus = Corpus::default();
        corpus.add_files(folder, "");
        corpus
    }

    /// Adds the files of a folder with a name that ends so, in the order of their names.
    ///
    /// # Panics
    /// Panics if the folder cannot be read or has no such files.
    pub fn add_files(&mut self, folder: &Path, ending: &str) {
        let entries = std::fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("the corpus {}: {error}", folder.display()));
        let paths = entries.map(|entry| entry.expect("a file of the corpus").path());
        let is_wanted =
            |path: &std::path::PathBuf| path.is_file() && path.to_string_lossy().ends_with(ending);
        let mut paths: Vec<_> = paths.filter(is_wanted).collect();
        paths.sort();
        assert!(!paths.is_empty(), "no files in {}", folder.display());
        for path in paths {
            self.add(std::fs::read(&path).expect("a file of the corpus"));
        }
    }

    /// Adds an input.
    pub fn add(&mut self, input: impl Into<Vec<u8>>) {
        self.0.push(input.into());
    }

    /// Returns an input by its number.
    pub fn get(&self, number: u64) -> Option<&[u8]> {
        let input = usize::try_from(number).ok().and_then(|n| self.0.get(n));
        input.map(Vec::as_slice)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}
