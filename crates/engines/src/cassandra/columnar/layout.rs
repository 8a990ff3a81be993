//! The settings of a columnar table in CQL tables.

use bakeoff_columnar::cassandra::Compression;
use bakeoff_workload::{Consistency, DesignId, Table};

use crate::cassandra::read::reading::{consistency_setting, take_consistency};
use crate::columnar::{Shape, columnar_settings};
use crate::settings::Settings;
use crate::{EngineError, Layout};

/// Entry of the layout in `bakeoff list`.
pub const LAYOUT: Layout = Layout {
    name: "cassandra/columnar",
    what: "chunks of encoded columns in CQL tables, read by DataFusion",
    settings: concat!(
        columnar_settings!(),
        ", compressor=LZ4|Zstd|Deflate|Snappy|none, ",
        consistency_setting!()
    ),
};

/// A columnar table as a design asks for it.
pub struct ColumnarLayout {
    pub shape: Shape,
    /// Compression of the CQL table that holds the blobs of chunks.
    pub compression: Compression,
    /// Consistency level of reads; `None` means that of the run.
    pub consistency: Option<Consistency>,
}

impl ColumnarLayout {
    /// Reads the settings of a design.
    ///
    /// # Errors
    /// Fails for a setting or value that does not exist, and for a table that cannot have such a shape.
    pub fn new(id: &DesignId, table: &Table) -> Result<Self, EngineError> {
        let mut settings = Settings::new(id, LAYOUT.settings)?;
        let shape = Shape::take(&mut settings, table)?;
        let compressor = settings.word("compressor", &Compression::ALL.map(Compression::name))?;
        let consistency = take_consistency(&mut settings)?;
        settings.end()?;
        let mut all = Compression::ALL.into_iter();
        let chosen = all.find(|compression| Some(compression.name()) == compressor);
        Ok(ColumnarLayout {
            shape,
            compression: chosen.unwrap_or_default(),
            consistency,
        })
    }

    /// Returns the effective settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let compressor = self.compression.name().to_owned();
        let mut settings = self.shape.settings();
        settings.push(("compressor of chunks".to_owned(), compressor));
        settings
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_workload::Workload;

    use super::*;
    use crate::Context;
    use crate::cassandra::columnar::describe;
    use crate::cassandra::request::DesignRequest;

    const WORKLOAD: &str = r#"
title = "t"
[table]
name = "readings"
columns = { series = "text", time = "timestamp", value = "double" }
partition_key = ["series"]
order_key = ["time"]
[data]
requires = "--data"
[[queries]]
name = "mean"
sql = "SELECT avg(value) AS mean FROM readings"
"#;

    /// Returns the compression option of the CQL table with chunks, and the setting that reports show.
    fn compression(id: &str) -> Result<(String, String), EngineError> {
        let workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
        let (id, context) = (id.parse().unwrap(), Context::of_test("/run"));
        let request = DesignRequest::new(&id, &workload, &context).unwrap();
        let info = describe(&request)?;
        let of_chunks = |s: &&String| s.starts_with("CREATE TABLE") && s.contains("_chunks (");
        let create = info.statements.iter().find(of_chunks).unwrap();
        let (_, options) = create.split_once("AND compression = ").unwrap();
        let setting = |(name, _): &&(String, String)| name == "compressor of chunks";
        let shown = info.settings.iter().find(setting).unwrap();
        Ok((options.to_owned(), shown.1.clone()))
    }

    #[test]
    fn chunks_are_compressed_as_the_design_says() {
        for (settings, name, option) in [
            ("", "LZ4", "{'class': 'LZ4Compressor', "),
            ("?compressor=LZ4", "LZ4", "{'class': 'LZ4Compressor', "),
            ("?compressor=zstd", "Zstd", "{'class': 'ZstdCompressor', "),
            (
                "?compressor=Deflate&rows=1000",
                "Deflate",
                "{'class': 'DeflateCompressor', ",
            ),
            (
                "?compressor=Snappy",
                "Snappy",
                "{'class': 'SnappyCompressor', ",
            ),
            ("?compressor=none", "none", "{'enabled': false}"),
        ] {
            let id = format!("cassandra/columnar{settings}");
            let (written, shown) = compression(&id).unwrap();
            assert!(written.starts_with(option), "{id}: {written}");
            assert_eq!(shown, name, "{id}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_does() {
        for (setting, words) in [
            ("compressor=gzip", "is not one of LZ4, Zstd, Deflate"),
            ("compresor=LZ4", "did you mean `compressor`?"),
            ("rows=0", "a chunk has 1 to"),
        ] {
            let error = compression(&format!("cassandra/columnar?{setting}")).unwrap_err();
            assert!(error.0.contains(words), "{setting}: {error}");
        }
    }
}
