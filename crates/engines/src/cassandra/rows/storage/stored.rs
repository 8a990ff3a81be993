//! The options of a table that exists, as `system_schema` has them, and the settings of a design with the same ones.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::compaction::Compaction;
use super::{DEFAULT_CHUNK_KIB, HIGHEST_LEVEL, LONGEST_TTL, SHORTEST_TTL};
use crate::cassandra::settings_of::map_in_cql;
use crate::live::duration;

/// The largest chunk that a design may have, in KiB.
const LARGEST_CHUNK_KIB: u32 = 1024;
/// Parameters of compaction with their defaults, and those that no design needs.
const USUAL_COMPACTION: [(&str, &str); 4] = [
    ("max_threshold", "32"),
    ("min_threshold", "4"),
    ("sstable_size_in_mb", "160"),
    ("enabled", "true"),
];

/// The options of a table that exists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredOptions {
    pub compaction: HashMap<String, String>,
    pub compression: HashMap<String, String>,
    pub caching: HashMap<String, String>,
    /// In seconds; 0 lets rows live without end.
    pub default_time_to_live: u64,
    /// In seconds.
    pub gc_grace_seconds: u64,
}

/// The settings of a design, and what of a table they leave out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AsSettings {
    pub settings: BTreeMap<String, String>,
    pub left_out: Vec<String>,
}

impl AsSettings {
    /// Adds a setting.
    pub fn set(&mut self, name: &str, value: String) {
        self.settings.insert(name.to_owned(), value);
    }

    fn leave_out(&mut self, name: &str, value: &str) {
        self.left_out.push(format!("{name} = {value}"));
    }
}

impl StoredOptions {
    /// Returns the settings of a design with these options. What is Cassandra's default is not set, but for how long
    /// tombstones are kept: without saying so, a table of rows from a file keeps none.
    pub fn as_settings(&self) -> AsSettings {
        let mut all = AsSettings::default();
        self.add_compression(&mut all);
        self.add_compaction(&mut all);
        let of_cache = |name: &str| self.caching.get(name).map_or("", String::as_str);
        match (of_cache("keys"), of_cache("rows_per_partition")) {
            ("NONE", "NONE") => all.set("caching", "none".to_owned()),
            ("ALL" | "", "NONE" | "") => {}
            ("ALL", "ALL") => all.set("caching", "rows:all".to_owned()),
            ("ALL", rows) if rows.parse::<i32>().is_ok_and(|rows| rows > 0) => {
                all.set("caching", format!("rows:{rows}"));
            }
            _ => all.leave_out("caching", &map(&self.caching)),
        }
        match self.default_time_to_live {
            0 => {}
            seconds if (SHORTEST_TTL..=LONGEST_TTL).contains(&seconds) => {
                all.set("ttl", duration(seconds));
            }
            seconds => all.leave_out("default_time_to_live", &seconds.to_string()),
        }
        all.set("gc_grace", duration(self.gc_grace_seconds));
        all
    }

    fn add_compression(&self, all: &mut AsSettings) {
        let of = |name: &str| self.compression.get(name).map(String::as_str);
        let class = of("class").map(short_name);
        let is_off = of("enabled") == Some("false");
        let Some(class) = class.filter(|_| !is_off) else {
            all.set("compressor", "none".to_owned());
            return;
        };
        let compressor = class.strip_suffix("Compressor").unwrap_or(class);
        match compressor {
            "LZ4" => {}
            "Zstd" | "Deflate" | "Snappy" => all.set("compressor", compressor.to_owned()),
            _ => {
                all.leave_out("compression", &map(&self.compression));
                return;
            }
        }
        if let Some(level) = of("compression_level").filter(|_| compressor == "Zstd") {
            match level.parse::<u8>() {
                Ok(number) if (1..=HIGHEST_LEVEL).contains(&number) => {
                    all.set("level", number.to_string());
                }
                _ => all.leave_out("compression_level", level),
            }
        }
        let chunk = of("chunk_length_in_kb").and_then(|chunk| chunk.parse::<u32>().ok());
        match chunk {
            None | Some(DEFAULT_CHUNK_KIB) => {}
            Some(kib) if kib.is_power_of_two() && kib <= LARGEST_CHUNK_KIB => {
                all.set("chunk", format!("{kib}KiB"));
            }
            Some(kib) => all.leave_out("chunk_length_in_kb", &kib.to_string()),
        }
    }

    fn add_compaction(&self, all: &mut AsSettings) {
        let of = |name: &str| self.compaction.get(name).map(String::as_str);
        let class = of("class").map(short_name).unwrap_or_default();
        let strategy = class.strip_suffix("CompactionStrategy").unwrap_or(class);
        let mut said = vec!["class"];
        let written = match strategy {
            // The server's default unless it is configured, so that it is said.
            "SizeTiered" => Some("STCS".to_owned()),
            "Leveled" => {
                said.push("sstable_size_in_mb");
                let size = of("sstable_size_in_mb");
                Some(size.map_or("LCS".to_owned(), |size| format!("LCS:{size}MiB")))
            }
            "TimeWindow" => {
                said.extend(["compaction_window_size", "compaction_window_unit"]);
                let size = of("compaction_window_size").unwrap_or("1");
                let unit = of("compaction_window_unit").unwrap_or("DAYS");
                let letter = unit.chars().next().unwrap_or('D').to_ascii_lowercase();
                Some(format!("TWCS:{size}{letter}"))
            }
            "Unified" => {
                said.push("scaling_parameters");
                let scaling = of("scaling_parameters");
                let scaling = scaling.map(|levels| levels.replace(", ", "+").replace(',', "+"));
                Some(scaling.map_or("UCS".to_owned(), |levels| format!("UCS:{levels}")))
            }
            _ => None,
        };
        let written = written.filter(|written| Compaction::read(written).is_ok());
        match written {
            Some(written) => all.set("compaction", written),
            None if class.is_empty() => return,
            None => {
                all.leave_out("compaction", &map(&self.compaction));
                return;
            }
        }
        let mut others: Vec<(&String, &String)> = self.compaction.iter().collect();
        others.sort();
        for (name, value) in others {
            let is_usual = USUAL_COMPACTION.contains(&(name.as_str(), value.as_str()));
            if !said.contains(&name.as_str()) && !is_usual {
                all.leave_out(&format!("{name} of compaction"), value);
            }
        }
    }
}

impl fmt::Display for StoredOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "compaction = {}, compression = {}, default_time_to_live = {}, gc_grace_seconds = {}",
            map(&self.compaction),
            map(&self.compression),
            self.default_time_to_live,
            self.gc_grace_seconds
        )
    }
}

/// Writes a map as CQL does, without the packages of classes.
fn map(options: &HashMap<String, String>) -> String {
    let mut options = options.clone();
    if let Some(class) = options.get_mut("class") {
        *class = short_name(class).to_owned();
    }
    map_in_cql(options)
}

/// Returns the name of a class without its package.
fn short_name(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::DesignId;

    use super::*;
    use crate::cassandra::rows::entries::STORAGE_SETTINGS;
    use crate::cassandra::rows::storage::TableOptions;
    use crate::settings::Settings;

    fn options(pairs: &[(&str, &str)]) -> HashMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect()
    }

    fn stored(compaction: &[(&str, &str)], compression: &[(&str, &str)]) -> StoredOptions {
        StoredOptions {
            compaction: options(compaction),
            compression: options(compression),
            caching: options(&[("keys", "ALL"), ("rows_per_partition", "NONE")]),
            default_time_to_live: 0,
            gc_grace_seconds: 864_000,
        }
    }

    const LZ4: [(&str, &str); 2] = [
        ("class", "org.apache.cassandra.io.compress.LZ4Compressor"),
        ("chunk_length_in_kb", "16"),
    ];
    const STCS: (&str, &str) = (
        "class",
        "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy",
    );

    /// Returns the settings as a design has them, which `TableOptions` has to take.
    fn written(stored: &StoredOptions) -> String {
        let settings = stored.as_settings().settings;
        let all: Vec<String> = { settings.iter() }
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let all = all.join("&");
        let id: DesignId = format!("cassandra/wide?{all}").parse().unwrap();
        let mut taken = Settings::new(&id, STORAGE_SETTINGS).unwrap();
        TableOptions::take(&mut taken).unwrap();
        taken.end().unwrap();
        all
    }

    #[test]
    fn a_table_of_the_usual_options_needs_its_strategy_alone() {
        let usual = [STCS, ("max_threshold", "32"), ("min_threshold", "4")];
        let stored = stored(&usual, &LZ4);
        assert_eq!(written(&stored), "compaction=STCS&gc_grace=10d");
        assert_eq!(stored.as_settings().left_out, [""; 0]);
        assert_eq!(
            stored.to_string(),
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'max_threshold': '32', 'min_threshold': '4'}, \
             compression = {'chunk_length_in_kb': '16', 'class': 'LZ4Compressor'}, default_time_to_live = 0, \
             gc_grace_seconds = 864000"
        );
    }

    #[test]
    fn every_option_that_a_design_has_is_set() {
        let twcs = [
            (
                "class",
                "org.apache.cassandra.db.compaction.TimeWindowCompactionStrategy",
            ),
            ("compaction_window_size", "12"),
            ("compaction_window_unit", "HOURS"),
        ];
        let zstd = [
            ("class", "org.apache.cassandra.io.compress.ZstdCompressor"),
            ("chunk_length_in_kb", "64"),
            ("compression_level", "9"),
        ];
        let short = StoredOptions {
            default_time_to_live: 2_592_000,
            gc_grace_seconds: 3_600,
            caching: options(&[("keys", "NONE"), ("rows_per_partition", "NONE")]),
            ..stored(&twcs, &zstd)
        };
        assert_eq!(
            written(&short),
            "caching=none&chunk=64KiB&compaction=TWCS:12h&compressor=Zstd&gc_grace=1h&level=9&ttl=30d"
        );
        for (rows, caching) in [("ALL", "rows:all"), ("100", "rows:100")] {
            let cached = StoredOptions {
                caching: options(&[("keys", "ALL"), ("rows_per_partition", rows)]),
                ..stored(&[STCS], &LZ4)
            };
            assert_eq!(
                written(&cached),
                format!("caching={caching}&compaction=STCS&gc_grace=10d")
            );
        }
        let of = |class: &str, more: &[(&str, &str)]| {
            let class = format!("org.apache.cassandra.db.compaction.{class}CompactionStrategy");
            let all = [&[("class", class.as_str())][..], more].concat();
            written(&stored(&all, &[("enabled", "false")]))
        };
        assert_eq!(
            of("Leveled", &[("sstable_size_in_mb", "256")]),
            "compaction=LCS:256MiB&compressor=none&gc_grace=10d"
        );
        assert_eq!(
            of("Unified", &[("scaling_parameters", "T4, L10")]),
            "compaction=UCS:T4+L10&compressor=none&gc_grace=10d"
        );
    }

    #[test]
    fn what_no_design_can_say_is_named() {
        let own = [("class", "com.example.OwnStrategy")];
        let odd = [
            ("class", "org.apache.cassandra.io.compress.LZ4Compressor"),
            ("chunk_length_in_kb", "4096"),
        ];
        let stored_so = StoredOptions {
            default_time_to_live: 60,
            caching: options(&[("keys", "NONE"), ("rows_per_partition", "10")]),
            ..stored(&own, &odd)
        };
        assert_eq!(written(&stored_so), "gc_grace=10d");
        assert_eq!(
            stored_so.as_settings().left_out,
            [
                "chunk_length_in_kb = 4096",
                "compaction = {'class': 'OwnStrategy'}",
                "caching = {'keys': 'NONE', 'rows_per_partition': '10'}",
                "default_time_to_live = 60",
            ]
        );
        let changed = stored(&[STCS, ("min_threshold", "8"), ("enabled", "false")], &LZ4);
        assert_eq!(
            changed.as_settings().left_out,
            [
                "enabled of compaction = false",
                "min_threshold of compaction = 8"
            ]
        );
    }
}
