//! What the name of a data file says of it.

use std::path::Path;

use super::lower_case_name;

/// How rows are written in a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    Csv,
    Tsv,
    /// Each line is an object of JSON.
    Json,
    Parquet,
    /// Arrow IPC, as a file or a stream.
    Arrow,
}

/// How a data file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackedAs {
    Gzip,
    Zstandard,
    Zip,
}

/// The endings of the names of data files.
const FORMATS: [(&str, DataFormat); 10] = [
    (".csv", DataFormat::Csv),
    (".tsv", DataFormat::Tsv),
    (".json", DataFormat::Json),
    (".jsonl", DataFormat::Json),
    (".ndjson", DataFormat::Json),
    (".parquet", DataFormat::Parquet),
    (".arrow", DataFormat::Arrow),
    (".arrows", DataFormat::Arrow),
    (".feather", DataFormat::Arrow),
    (".ipc", DataFormat::Arrow),
];
/// The endings that packed files have behind these.
const PACKED: [(&str, PackedAs); 3] = [
    (".gz", PackedAs::Gzip),
    (".zst", PackedAs::Zstandard),
    (".zip", PackedAs::Zip),
];

/// What the endings of a data file's name say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFileName {
    /// The format of the file, or of what is packed in it; `None` if the name does not say it.
    pub format: Option<DataFormat>,
    /// `None` for a file that is not packed.
    pub packed: Option<PackedAs>,
    /// The last ending in lower case but that of packing, without its point; empty if there is none.
    ending: String,
}

impl DataFileName {
    /// Reads the name of this file.
    pub fn of(path: &Path) -> DataFileName {
        DataFileName::read(&lower_case_name(path))
    }

    /// Reads a name in lower case.
    pub(super) fn read(name: &str) -> DataFileName {
        let unpacked = |(ending, packed): &(&str, PackedAs)| {
            let plain = name.strip_suffix(*ending)?;
            Some((plain, *packed))
        };
        let packed = PACKED.iter().find_map(unpacked);
        let plain = packed.map_or(name, |(plain, _)| plain);
        let format = FORMATS.iter().find(|(ending, _)| plain.ends_with(*ending));
        let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
        DataFileName {
            format: format.map(|(_, format)| *format),
            packed: packed.map(|(_, packed)| packed),
            ending: ending.to_owned(),
        }
    }

    /// Returns whether the file has types of its own.
    pub fn is_typed(&self) -> bool {
        let has_types = matches!(self.format, Some(DataFormat::Parquet | DataFormat::Arrow));
        has_types && self.packed.is_none()
    }

    /// Returns whether two files are of one kind, packed or not.
    pub fn is_like(&self, other: &DataFileName) -> bool {
        self.format == other.format && (self.format.is_some() || self.ending == other.ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> DataFileName {
        DataFileName::of(Path::new(name))
    }

    #[test]
    fn endings_say_the_format_and_how_it_is_packed() {
        for (name, format, packed) in [
            ("a.csv", Some(DataFormat::Csv), None),
            ("a.b.TSV.GZ", Some(DataFormat::Tsv), Some(PackedAs::Gzip)),
            (
                "a.jsonl.zst",
                Some(DataFormat::Json),
                Some(PackedAs::Zstandard),
            ),
            ("a.json.zip", Some(DataFormat::Json), Some(PackedAs::Zip)),
            ("a.csv/b.parquet", Some(DataFormat::Parquet), None),
            ("a.feather", Some(DataFormat::Arrow), None),
            ("a.csv.gz.zip", None, Some(PackedAs::Zip)),
            ("csv", None, None),
            ("a.csv/b", None, None),
            ("a.gz", None, Some(PackedAs::Gzip)),
        ] {
            let found = named(name);
            assert_eq!((found.format, found.packed), (format, packed), "{name}");
        }
    }

    #[test]
    fn a_packed_file_has_no_types() {
        assert!(named("a.ipc").is_typed() && named("a.PARQUET").is_typed());
        assert!(!named("a.arrow.gz").is_typed() && !named("a.csv").is_typed());
    }

    #[test]
    fn files_are_alike_by_their_format_or_an_ending_that_is_not_known() {
        let alike = |a: &str, b: &str| named(a).is_like(&named(b));
        assert!(alike("a.json", "b.ndjson.gz") && alike("a.arrow", "b.ipc"));
        assert!(alike("a.dat", "b.dat") && alike("a", "b"));
        assert!(!alike("a.csv", "b.tsv") && !alike("a.dat", "b.csv") && !alike("a.dat", "b.out"));
    }
}
