//! How the files of a Parquet design are encoded.

use bakeoff_driver::DesignError;
use bakeoff_workload::Table;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::EngineError;
use crate::settings::Settings;

/// The number of rows in a row group without `rows=`.
pub const DEFAULT_ROWS: u32 = 131_072;
/// The smallest row group in rows: with fewer the places of groups and their statistics are most of a file.
const LEAST_ROWS: u32 = 1_000;
/// The largest row group in rows, all of which are encoded in memory before it is written.
const MOST_ROWS: u32 = 1_048_576;
/// The compression level, which is the Zstandard library's default.
const ZSTD_LEVEL: i32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Zstd,
    Snappy,
}

/// How a Parquet file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    pub codec: Codec,
    /// Number of rows in a row group, the unit that statistics can skip.
    pub rows: u32,
}

impl Encoding {
    /// Takes the settings `codec` and `rows` of a layout that keeps its rows in Parquet files.
    ///
    /// # Errors
    /// Fails for a codec that does not exist, and for row groups that are too small or too large.
    pub fn take(settings: &mut Settings<'_>) -> Result<Encoding, EngineError> {
        let codec = match settings.word("codec", &["zstd", "snappy"])? {
            Some("snappy") => Codec::Snappy,
            _ => Codec::Zstd,
        };
        let form = format!("a number of rows from {LEAST_ROWS} to {MOST_ROWS}");
        let rows = settings.parsed::<u32>("rows", &form)?;
        let rows = rows.unwrap_or(DEFAULT_ROWS);
        if !(LEAST_ROWS..=MOST_ROWS).contains(&rows) {
            return Err(settings.error(format!("rows={rows} is not {form}")));
        }
        Ok(Encoding { codec, rows })
    }

    /// Returns the settings in force, for the report.
    pub fn settings(self) -> Vec<(String, String)> {
        let codec = match self.codec {
            Codec::Zstd => format!("zstd, level {ZSTD_LEVEL}"),
            Codec::Snappy => "snappy".to_owned(),
        };
        vec![
            ("codec".to_owned(), codec),
            ("rows of a row group".to_owned(), self.rows.to_string()),
        ]
    }

    /// Returns the properties of the files of a table.
    pub fn properties(self, table: &Table) -> Result<WriterProperties, DesignError> {
        let compression = match self.codec {
            Codec::Snappy => Compression::SNAPPY,
            Codec::Zstd => Compression::ZSTD(
                ZstdLevel::try_new(ZSTD_LEVEL).map_err(|e| DesignError(e.to_string()))?,
            ),
        };
        let mut properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(self.rows as usize))
            .set_statistics_enabled(EnabledStatistics::Page);
        // Statistics leave NaN out, so a row group that holds one could be skipped by mistake.
        for column in table.columns.iter().filter(|c| c.kind.is_floating()) {
            let path = ColumnPath::from(column.name.as_str());
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
        Ok(properties.build())
    }
}
