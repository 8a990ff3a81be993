//! The settings of a design that a table has now, as its schema tells them.

use std::collections::{BTreeMap, HashMap};

use bakeoff_workload::Table;
use scylla::client::session::Session;

use crate::EngineError;
use crate::cassandra::nodes::TableName;

type Options = HashMap<String, String>;

/// Words of a design for classes of compressors.
const COMPRESSORS: [&str; 4] = ["LZ4", "Zstd", "Deflate", "Snappy"];
/// Units of windows of TWCS in the schema, and the letters of a design.
const WINDOW_UNITS: [(&str, char); 3] = [("DAYS", 'd'), ("HOURS", 'h'), ("MINUTES", 'm')];
/// Shortest time to live in seconds that a design takes.
const SHORTEST_TTL: i32 = 86_400;

/// What the schema says of a table, as far as designs have settings for it.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    compaction: Options,
    compression: Options,
    caching: Options,
    /// Seconds that rows live; 0 for those without end.
    ttl: i32,
    gc_grace: i32,
    /// Indexes of single columns, each with whether it is storage-attached.
    indexes: Vec<(String, bool)>,
}

/// Settings of a design, and what none says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Present {
    pub settings: BTreeMap<String, String>,
    pub notes: Vec<String>,
}

/// Reads what the schema says of a table.
///
/// # Errors
/// The schema cannot be read, or has no such table.
pub async fn read(session: &Session, name: &TableName) -> Result<Schema, EngineError> {
    let failed =
        |why: String| EngineError(format!("cannot read the schema of the table {name}: {why}"));
    let key = (name.keyspace.as_str(), name.table.as_str());
    let cql = "SELECT compaction, compression, caching, default_time_to_live, gc_grace_seconds \
               FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
    let reply = session.query_unpaged(cql, key).await;
    let reply = reply.map_err(|e| failed(e.to_string()))?;
    let rows = reply
        .into_rows_result()
        .map_err(|e| failed(e.to_string()))?;
    type Row = (
        Option<Options>,
        Option<Options>,
        Option<Options>,
        Option<i32>,
        Option<i32>,
    );
    let row = rows.maybe_first_row::<Row>();
    let row = row.map_err(|e| failed(e.to_string()))?;
    let (compaction, compression, caching, ttl, gc_grace) =
        row.ok_or_else(|| failed("there is none".to_owned()))?;
    let cql = "SELECT kind, options FROM system_schema.indexes \
               WHERE keyspace_name = ? AND table_name = ?";
    let reply = session.query_unpaged(cql, key).await;
    let reply = reply.map_err(|e| failed(e.to_string()))?;
    let rows = reply
        .into_rows_result()
        .map_err(|e| failed(e.to_string()))?;
    let mut indexes = Vec::new();
    let rows = rows.rows::<(Option<String>, Option<Options>)>();
    for row in rows.map_err(|e| failed(e.to_string()))? {
        let (kind, options) = row.map_err(|e| failed(e.to_string()))?;
        indexes.extend(index(
            &kind.unwrap_or_default(),
            &options.unwrap_or_default(),
        ));
    }
    Ok(Schema {
        compaction: compaction.unwrap_or_default(),
        compression: compression.unwrap_or_default(),
        caching: caching.unwrap_or_default(),
        ttl: ttl.unwrap_or_default(),
        gc_grace: gc_grace.unwrap_or_default(),
        indexes,
    })
}

/// Returns the column of an index, and whether it is storage-attached.
fn index(kind: &str, options: &Options) -> Option<(String, bool)> {
    let target = options.get("target")?.trim_matches('"').to_owned();
    let class = options.get("class_name").map(|class| class.to_lowercase());
    let class = class.unwrap_or_default();
    let is_attached = class == "sai" || class.ends_with("storageattachedindex");
    (kind == "COMPOSITES" || is_attached).then_some((target, is_attached))
}

impl Schema {
    /// Returns the settings of a copy of the table with these columns. `descending` is the order of its rows, `None`
    /// if its columns differ in it.
    pub fn settings(&self, table: &Table, descending: Option<bool>) -> Present {
        let mut present = Present::default();
        present.compression(&self.compression);
        present.compaction(&self.compaction);
        present.caching(&self.caching);
        if self.ttl >= SHORTEST_TTL {
            present.set("ttl", format!("{}s", self.ttl));
        } else if self.ttl > 0 {
            present.lacks("rows of the copy live without end");
        }
        if self.gc_grace >= 0 {
            present.set("gc_grace", format!("{}s", self.gc_grace));
        }
        match descending {
            _ if table.order_key.is_empty() => {}
            Some(true) => present.set("order", "desc".to_owned()),
            Some(false) => {}
            None => present.lacks("rows of the copy are in ascending order of all columns"),
        }
        present.indexes(&self.indexes, table);
        present
    }
}

impl Present {
    fn set(&mut self, name: &str, value: String) {
        self.settings.insert(name.to_owned(), value);
    }

    fn lacks(&mut self, what: &str) {
        self.notes.push(what.to_owned());
    }

    fn compression(&mut self, options: &Options) {
        let is_off = options.get("enabled").is_some_and(|value| value == "false");
        let class = options.get("class").or(options.get("sstable_compression"));
        let Some(class) = class.filter(|class| !is_off && !class.is_empty()) else {
            self.set("compressor", "none".to_owned());
            return;
        };
        let class = without_package(class);
        let word = class.strip_suffix("Compressor").unwrap_or(class);
        let Some(word) = COMPRESSORS.into_iter().find(|known| *known == word) else {
            self.lacks(&format!("the copy is compressed by LZ4 and not by {class}"));
            return;
        };
        self.set("compressor", word.to_owned());
        if let Some(level) = options.get("compression_level").filter(|_| word == "Zstd") {
            self.set("level", level.clone());
        }
        let lengths = ["chunk_length_in_kb", "chunk_length_kb"];
        if let Some(kib) = lengths.iter().find_map(|name| options.get(*name)) {
            self.set("chunk", format!("{kib}KiB"));
        }
    }

    fn compaction(&mut self, options: &Options) {
        let class = options
            .get("class")
            .map_or("", |class| without_package(class));
        let parameter = |name: &str| options.get(name).map(String::as_str);
        let written = match class {
            "SizeTieredCompactionStrategy" => Some("STCS".to_owned()),
            "LeveledCompactionStrategy" => Some(match parameter("sstable_size_in_mb") {
                Some(mib) => format!("LCS:{mib}MiB"),
                None => "LCS".to_owned(),
            }),
            "TimeWindowCompactionStrategy" => {
                let unit = parameter("compaction_window_unit").unwrap_or("DAYS");
                let size = parameter("compaction_window_size").unwrap_or("1");
                let letter = WINDOW_UNITS.iter().find(|(word, _)| *word == unit);
                letter.map(|(_, letter)| format!("TWCS:{size}{letter}"))
            }
            "UnifiedCompactionStrategy" => Some(match parameter("scaling_parameters") {
                Some(levels) => {
                    let levels: Vec<&str> = levels.split(',').map(str::trim).collect();
                    format!("UCS:{}", levels.join("+"))
                }
                None => "UCS".to_owned(),
            }),
            _ => None,
        };
        match written {
            Some(written) => self.set("compaction", written),
            None => self.lacks(&format!("the copy is not compacted by {class}")),
        }
        if options.get("enabled").is_some_and(|value| value == "false") {
            self.lacks("the copy is compacted");
        }
    }

    fn caching(&mut self, options: &Options) {
        let keys = options.get("keys").map_or("ALL", String::as_str);
        let rows = options
            .get("rows_per_partition")
            .map_or("NONE", String::as_str);
        let caching = match (keys, rows) {
            ("NONE", "NONE") => "none".to_owned(),
            (_, "NONE") => "keys".to_owned(),
            (_, "ALL") => "rows:all".to_owned(),
            (_, rows) => format!("rows:{rows}"),
        };
        self.set("caching", caching);
    }

    /// Takes over indexes of one kind, the storage-attached ones if there are any.
    fn indexes(&mut self, indexes: &[(String, bool)], table: &Table) {
        let is_there = |column: &str| table.column(column).is_some() && !table.is_key(column);
        let are_attached = indexes
            .iter()
            .any(|(column, attached)| *attached && is_there(column));
        let (mut taken, mut others) = (Vec::new(), Vec::new());
        for (column, attached) in indexes {
            if *attached == are_attached && is_there(column) {
                taken.push(column.as_str());
            } else {
                others.push(column.as_str());
            }
        }
        if !taken.is_empty() {
            let kind = if are_attached { "" } else { ":2i" };
            self.set("index", format!("{}{kind}", taken.join("+")));
        }
        if !others.is_empty() {
            self.lacks(&format!("the copy has no index of {}", others.join(", ")));
        }
    }
}

fn without_package(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Column, ColumnType};

    use super::*;

    fn options(pairs: &[(&str, &str)]) -> Options {
        let owned = pairs.iter();
        owned
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn table() -> Table {
        let column = |name: &str| Column {
            name: name.to_owned(),
            kind: ColumnType::Int,
        };
        Table {
            name: "t".to_owned(),
            columns: ["p", "c", "v"].map(column).to_vec(),
            partition_key: vec!["p".to_owned()],
            order_key: vec!["c".to_owned()],
        }
    }

    fn usual() -> Schema {
        Schema {
            compaction: options(&[
                (
                    "class",
                    "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy",
                ),
                ("max_threshold", "32"),
            ]),
            compression: options(&[
                ("class", "org.apache.cassandra.io.compress.LZ4Compressor"),
                ("chunk_length_in_kb", "64"),
            ]),
            caching: options(&[("keys", "ALL"), ("rows_per_partition", "NONE")]),
            ttl: 0,
            gc_grace: 864_000,
            indexes: Vec::new(),
        }
    }

    fn written(schema: &Schema, descending: Option<bool>) -> String {
        let present = schema.settings(&table(), descending);
        let pairs = present.settings.iter();
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        pairs.join("&")
    }

    #[test]
    fn usual_settings_are_taken_over() {
        assert_eq!(
            written(&usual(), Some(false)),
            "caching=keys&chunk=64KiB&compaction=STCS&compressor=LZ4&gc_grace=864000s"
        );
        assert!(usual().settings(&table(), Some(false)).notes.is_empty());
        assert!(written(&usual(), Some(true)).contains("order=desc"));
    }

    #[test]
    fn strategies_have_their_parameters() {
        let of = |pairs: &[(&str, &str)]| {
            let schema = Schema {
                compaction: options(pairs),
                ..usual()
            };
            let settings = schema.settings(&table(), None).settings;
            settings.get("compaction").cloned().unwrap_or_default()
        };
        let class = |name: &'static str| ("class", name);
        let leveled = class("LeveledCompactionStrategy");
        assert_eq!(of(&[leveled]), "LCS");
        assert_eq!(of(&[leveled, ("sstable_size_in_mb", "80")]), "LCS:80MiB");
        let windows = class("TimeWindowCompactionStrategy");
        assert_eq!(of(&[windows]), "TWCS:1d");
        let hours = [
            windows,
            ("compaction_window_unit", "HOURS"),
            ("compaction_window_size", "6"),
        ];
        assert_eq!(of(&hours), "TWCS:6h");
        let unified = class("UnifiedCompactionStrategy");
        assert_eq!(
            of(&[unified, ("scaling_parameters", "T4, L10")]),
            "UCS:T4+L10"
        );
        assert_eq!(of(&[class("OwnStrategy")]), "");
    }

    #[test]
    fn what_no_setting_says_is_noted() {
        let schema = Schema {
            compaction: options(&[("class", "OwnStrategy"), ("enabled", "false")]),
            compression: options(&[("class", "OwnCompressor")]),
            ttl: 60,
            indexes: vec![("v".to_owned(), true), ("w".to_owned(), false)],
            ..usual()
        };
        let present = schema.settings(&table(), None);
        assert_eq!(present.settings.get("index").map(String::as_str), Some("v"));
        let notes = present.notes.join("; ");
        for note in [
            "by LZ4 and not by OwnCompressor",
            "not compacted by OwnStrategy",
            "the copy is compacted",
            "live without end",
            "in ascending order",
            "no index of w",
        ] {
            assert!(notes.contains(note), "`{note}` is not in {notes}");
        }
    }

    #[test]
    fn kinds_of_indexes_are_told_apart() {
        let hidden = index("COMPOSITES", &options(&[("target", "v")]));
        assert_eq!(hidden, Some(("v".to_owned(), false)));
        let class = "org.apache.cassandra.index.sai.StorageAttachedIndex";
        let attached = options(&[("target", "\"V\""), ("class_name", class)]);
        assert_eq!(index("CUSTOM", &attached), Some(("V".to_owned(), true)));
        let other = options(&[("target", "v"), ("class_name", "SASIIndex")]);
        assert_eq!(index("CUSTOM", &other), None);
        let schema = Schema {
            indexes: vec![("v".to_owned(), false)],
            ..usual()
        };
        assert!(written(&schema, None).contains("index=v:2i"));
    }
}
