//! How the files of a Parquet design are encoded.

use bakeoff_driver::DesignError;
use bakeoff_workload::{ColumnType, Table};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::EngineError;
use crate::settings::Settings;

/// The number of rows in a row group, the unit that statistics can skip.
pub const ROW_GROUP_ROWS: usize = 131_072;
/// The compression level, which is the Zstandard library's default.
const ZSTD_LEVEL: i32 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    Zstd,
    Snappy,
}

impl Codec {
    /// Takes the setting `codec` of a layout that keeps its rows in Parquet files.
    ///
    /// # Errors
    /// Fails for a codec that does not exist.
    pub fn take(settings: &mut Settings<'_>) -> Result<Codec, EngineError> {
        Ok(match settings.word("codec", &["zstd", "snappy"])? {
            Some("snappy") => Codec::Snappy,
            _ => Codec::Zstd,
        })
    }

    pub fn settings(self) -> Vec<(String, String)> {
        let codec = match self {
            Codec::Zstd => format!("zstd, level {ZSTD_LEVEL}"),
            Codec::Snappy => "snappy".to_owned(),
        };
        vec![
            ("codec".to_owned(), codec),
            ("rows of a row group".to_owned(), ROW_GROUP_ROWS.to_string()),
        ]
    }

    /// Returns the properties of the files of a table.
    pub fn properties(self, table: &Table) -> Result<WriterProperties, DesignError> {
        let compression = match self {
            Codec::Snappy => Compression::SNAPPY,
            Codec::Zstd => Compression::ZSTD(
                ZstdLevel::try_new(ZSTD_LEVEL).map_err(|e| DesignError(e.to_string()))?,
            ),
        };
        let mut properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_statistics_enabled(EnabledStatistics::Page);
        // Statistics leave NaN out, so a row group that holds one could be skipped by mistake.
        for column in table
            .columns
            .iter()
            .filter(|c| c.kind == ColumnType::Double)
        {
            let path = ColumnPath::from(column.name.as_str());
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
        Ok(properties.build())
    }
}
