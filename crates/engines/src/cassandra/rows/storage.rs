//! The table options of CQL that designs choose: compression, compaction, caching and the time that rows
//! live.

pub mod alter;
mod compaction;
pub mod stored;
mod taken;

use std::str::FromStr;

use bakeoff_workload::DesignId;

use crate::cassandra::settings_of::TableSettings;
use crate::settings::Settings;
use crate::{Context, EngineError};
use compaction::Compaction;
use taken::Taken;

/// Expands to the table options as `bakeoff list` shows them. It is a macro, since `concat!`, which
/// joins the settings of a layout, takes no constants.
macro_rules! table_options {
    () => {
        "compressor=LZ4|Zstd|Deflate|Snappy|none, level=3 (with compressor=Zstd), chunk=16KiB, \
         compaction=STCS|LCS:160MiB|TWCS:1d|UCS:T4, caching=keys|rows:100|rows:all|none, ttl=30d, gc_grace=10d"
    };
}
pub(super) use table_options;

/// Expands to the table options that Cassandra 4.1 has of them.
macro_rules! table_options_of_4 {
    () => {
        "compressor=LZ4|Zstd|Deflate|Snappy|none, level=3 (with compressor=Zstd), chunk=16KiB, \
         compaction=STCS|LCS:160MiB|TWCS:1d, caching=keys|rows:100|rows:all|none, ttl=30d, gc_grace=10d"
    };
}
pub(super) use table_options_of_4;

/// Default of Cassandra since 4.0, in KiB.
const DEFAULT_CHUNK_KIB: u32 = 16;
/// Highest level of Zstd.
const HIGHEST_LEVEL: u8 = 22;
/// Shortest time to live in seconds: a day, so that no row is gone before a run is over.
const SHORTEST_TTL: u64 = 86_400;
/// Longest time to live in seconds that Cassandra allows: 20 years of 365 days.
const LONGEST_TTL: u64 = 20 * 365 * 86_400;
/// Longest time in seconds for which Cassandra can keep tombstones, a number of 32 bits with a sign.
const LONGEST_GRACE: u64 = 2_147_483_647;

/// The table options that a design chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOptions {
    /// Compression of SSTables; `None` disables it.
    compression: Option<Compression>,
    /// Compaction strategy; `None` leaves it to the server.
    compaction: Option<Compaction>,
    /// What the caches of the server keep; `None` leaves it to Cassandra, which then caches keys.
    caching: Option<Caching>,
    /// Seconds from its writing to the end of a row; `None` lets rows live without end.
    ttl_seconds: Option<u64>,
    /// Seconds for which tombstones are kept; `None` leaves it to Cassandra.
    gc_grace_seconds: Option<u64>,
    /// Options of a table that exists, where the design states none.
    taken: Option<Taken>,
}

/// The compression of SSTables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Compression {
    /// Name of its class without `Compressor`.
    compressor: &'static str,
    /// Level of Zstd; `None` leaves it to Cassandra.
    level: Option<u8>,
    /// Size of a compressed chunk in KiB.
    chunk_kib: u32,
}

/// What the caches of a server keep of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caching {
    Nothing,
    /// Places of keys in SSTables.
    Keys,
    /// The same, and the first rows of partitions that were read.
    Rows(i32),
    /// The same, and all rows of partitions that were read.
    AllRows,
}

impl TableOptions {
    /// Takes the table options from the settings of a design.
    ///
    /// # Errors
    /// Fails for a value that does not exist, and for settings that make no sense together.
    pub fn take(settings: &mut Settings<'_>) -> Result<Self, EngineError> {
        Ok(TableOptions {
            compression: Compression::take(settings)?,
            compaction: take_compaction(settings)?,
            caching: settings.parsed(
                "caching",
                "none, keys, rows:all, or rows: with a number of rows, as in rows:100",
            )?,
            ttl_seconds: take_ttl(settings)?,
            gc_grace_seconds: take_gc_grace(settings)?,
            taken: None,
        })
    }

    /// Returns the options with those of a table that exists, where the design states none. How long rows live is not
    /// taken over: they could be gone before a run is over.
    pub fn taking(self, id: &DesignId, settings: Option<&TableSettings>) -> Self {
        TableOptions {
            taken: settings.map(|settings| Taken::by(id, settings)),
            ..self
        }
    }

    /// Returns the options as CQL writes them after `WITH`.
    pub fn cql(&self) -> String {
        let mut options = Vec::new();
        if self.taken("compression").is_none() {
            options.push(format!("compression = {}", self.compression_cql()));
        }
        if let Some(compaction) = &self.compaction {
            options.push(format!("compaction = {}", compaction.cql()));
        }
        if let Some(caching) = self.caching {
            options.push(format!("caching = {}", caching.cql()));
        }
        if let Some(seconds) = self.ttl_seconds {
            options.push(format!("default_time_to_live = {seconds}"));
        }
        if let Some(seconds) = self.gc_grace_seconds {
            options.push(format!("gc_grace_seconds = {seconds}"));
        }
        options.extend(self.taken.iter().flat_map(Taken::cql));
        options.join(" AND ")
    }

    /// Returns an option that is taken over, as CQL has it.
    fn taken(&self, option: &str) -> Option<&str> {
        self.taken.as_ref()?.get(option)
    }

    /// Returns the same options without a time to live.
    pub fn without_ttl(self) -> Self {
        TableOptions {
            ttl_seconds: None,
            ..self
        }
    }

    /// Returns whether rows live for a limited time.
    pub fn has_ttl(&self) -> bool {
        self.ttl_seconds.is_some()
    }

    /// Returns whether the design says for how long tombstones are kept.
    pub fn has_grace(&self) -> bool {
        self.gc_grace_seconds.is_some() || self.taken("gc_grace_seconds").is_some()
    }

    /// Returns whether the design lets compaction drop tombstones at once.
    pub fn drops_tombstones_at_once(&self) -> bool {
        self.gc_grace_seconds == Some(0) || self.taken("gc_grace_seconds") == Some("0")
    }

    /// Returns the effective settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let compaction = self.compaction.as_ref().map_or_else(
            || "the server's default, which is by size unless it is configured".to_owned(),
            Compaction::cql,
        );
        let ttl = self.ttl_seconds.map_or("none".to_owned(), |seconds| {
            format!("{seconds} s after its writing, the row is gone")
        });
        let mut settings = vec![
            ("compression", self.compression_cql()),
            ("compaction", compaction),
            ("caching", self.caching.unwrap_or(Caching::Keys).cql()),
            ("time to live", ttl),
        ];
        // Otherwise it depends on whether keys repeat.
        settings.extend(
            self.gc_grace_seconds
                .map(|seconds| ("gc_grace_seconds", seconds.to_string())),
        );
        settings.retain(|(name, _)| self.taken(name).is_none());
        let named = settings.into_iter();
        named
            .map(|(name, value)| (name.to_owned(), value))
            .chain(self.taken.iter().flat_map(Taken::settings))
            .collect()
    }

    fn compression_cql(&self) -> String {
        self.compression
            .as_ref()
            .map_or("{'enabled': 'false'}".to_owned(), Compression::cql)
    }
}

impl Compression {
    fn take(settings: &mut Settings<'_>) -> Result<Option<Self>, EngineError> {
        let compressor =
            settings.word("compressor", &["LZ4", "Zstd", "Deflate", "Snappy", "none"])?;
        let compressor = compressor.unwrap_or("LZ4");
        let chunk = settings.kib("chunk")?;
        let form = format!("a level of Zstd from 1 to {HIGHEST_LEVEL}");
        let level = settings.parsed::<u8>("level", &form)?;
        if let Some(level) = level.filter(|level| !(1..=HIGHEST_LEVEL).contains(level)) {
            return Err(settings.error(format!("level={level} is not {form}")));
        }
        if level.is_some() && compressor != "Zstd" {
            return Err(settings.error(format!(
                "level= is one of Zstd and means nothing with compressor={compressor}: write \
                 compressor=Zstd, or leave it out"
            )));
        }
        if compressor == "none" && chunk.is_some() {
            return Err(settings.error("chunk= means nothing with compressor=none".to_owned()));
        }
        Ok((compressor != "none").then_some(Compression {
            compressor,
            level,
            chunk_kib: chunk.unwrap_or(DEFAULT_CHUNK_KIB),
        }))
    }

    fn cql(&self) -> String {
        let level = self.level.map_or(String::new(), |level| {
            format!(", 'compression_level': {level}")
        });
        format!(
            "{{'class': '{}Compressor', 'chunk_length_in_kb': {}{level}}}",
            self.compressor, self.chunk_kib
        )
    }
}

impl Caching {
    fn cql(self) -> String {
        let (keys, rows) = match self {
            Caching::Nothing => ("NONE", "NONE".to_owned()),
            Caching::Keys => ("ALL", "NONE".to_owned()),
            Caching::Rows(rows) => ("ALL", rows.to_string()),
            Caching::AllRows => ("ALL", "ALL".to_owned()),
        };
        format!("{{'keys': '{keys}', 'rows_per_partition': '{rows}'}}")
    }
}

impl FromStr for Caching {
    type Err = ();

    fn from_str(written: &str) -> Result<Self, ()> {
        match written.to_ascii_lowercase().as_str() {
            "none" => Ok(Caching::Nothing),
            "keys" => Ok(Caching::Keys),
            "rows:all" => Ok(Caching::AllRows),
            other => {
                let number = other.strip_prefix("rows:").unwrap_or_default();
                let rows = number.parse::<i32>().ok().filter(|rows| *rows > 0);
                rows.map(Caching::Rows).ok_or(())
            }
        }
    }
}

/// Returns why a server keeps no rows in memory although a design asks for it, if that is known before it
/// is started.
pub fn rows_not_cached(id: &DesignId, context: &Context) -> Option<String> {
    let options = &context.options.cassandra;
    // Nodes of an existing cluster have a row cache or not.
    let is_ours = options.cluster.is_none();
    let mut set = options.server.cassandra.iter();
    let has_row_cache = set.any(|(key, size)| key == "row_cache_size" && !size.starts_with('0'));
    (is_ours && caches_rows(id) && !has_row_cache).then(|| {
        format!(
            "design {id}: caching= keeps no rows, since the server has no row cache: write \
             row_cache_size = \"512MiB\" below [server.cassandra] in the workload, or caching=keys"
        )
    })
}

/// Returns whether a design asks the server to keep rows in its row cache.
fn caches_rows(id: &DesignId) -> bool {
    let caching = id.settings.get("caching");
    let caching = caching.and_then(|written| written.parse::<Caching>().ok());
    matches!(caching, Some(Caching::Rows(_) | Caching::AllRows))
}

fn take_compaction(settings: &mut Settings<'_>) -> Result<Option<Compaction>, EngineError> {
    let Some(written) = settings.parsed::<String>("compaction", "a compaction strategy")? else {
        return Ok(None);
    };
    let read = Compaction::read(&written);
    read.map(Some)
        .map_err(|why| settings.error(format!("compaction={written} {why}")))
}

fn take_ttl(settings: &mut Settings<'_>) -> Result<Option<u64>, EngineError> {
    let Some(written) = settings.parsed::<String>("ttl", "a duration")? else {
        return Ok(None);
    };
    let why = match humantime::parse_duration(&written) {
        Err(_) => "is not a duration such as 30d".to_owned(),
        Ok(ttl) if ttl.subsec_nanos() > 0 => "is not a whole number of seconds".to_owned(),
        Ok(ttl) if ttl.as_secs() < SHORTEST_TTL => {
            "is less than 1d: rows could be gone before the run is over".to_owned()
        }
        Ok(ttl) if ttl.as_secs() > LONGEST_TTL => {
            format!(
                "is more than Cassandra allows: write up to {}d",
                LONGEST_TTL / 86_400
            )
        }
        Ok(ttl) => return Ok(Some(ttl.as_secs())),
    };
    Err(settings.error(format!("ttl={written} {why}")))
}

fn take_gc_grace(settings: &mut Settings<'_>) -> Result<Option<u64>, EngineError> {
    let Some(written) = settings.parsed::<String>("gc_grace", "a duration")? else {
        return Ok(None);
    };
    let why = match humantime::parse_duration(&written) {
        Err(_) => "is not a duration such as 10d or 0s".to_owned(),
        Ok(grace) if grace.subsec_nanos() > 0 => "is not a whole number of seconds".to_owned(),
        Ok(grace) if grace.as_secs() > LONGEST_GRACE => {
            format!(
                "is more than Cassandra allows: write up to {}d",
                LONGEST_GRACE / 86_400
            )
        }
        Ok(grace) => return Ok(Some(grace.as_secs())),
    };
    Err(settings.error(format!("gc_grace={written} {why}")))
}

#[cfg(test)]
mod tests;
