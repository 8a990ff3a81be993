//! Where the rows of a design of Spark are, and whether Spark keeps them in memory: what its id says.

use bakeoff_workload::{Consistency, DesignId};

use super::question;
use crate::cassandra::{consistency_setting, take_consistency};
use crate::parquet::Encoding;
use crate::settings::Settings;
use crate::{EngineError, Layout};

/// The layouts, for `bakeoff list`.
pub static LAYOUTS: [Layout; 2] = [
    Layout {
        name: "spark/parquet",
        what: "one Parquet file sorted by key, read by Spark SQL",
        settings: PARQUET_SETTINGS,
    },
    Layout {
        name: "spark/cassandra",
        what: "the table of cassandra/wide, read by Spark SQL through its connector",
        settings: CASSANDRA_SETTINGS,
    },
];

const PARQUET_SETTINGS: &str = "codec=zstd|snappy, rows=131072, cache=true|false";
const CASSANDRA_SETTINGS: &str = concat!("cache=true|false, ", consistency_setting!());

/// Where the rows of a design are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the file that the engine `parquet` has, too.
    Parquet(Encoding),
    /// In the table that `cassandra/wide` has, too.
    Cassandra,
}

/// How the rows of a design are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    pub place: Place,
    /// Whether Spark keeps all rows in its memory.
    pub cache: bool,
    /// The consistency level at which the table is read, in place of that of the run.
    pub consistency: Option<Consistency>,
}

impl Storage {
    /// Parses the layout and the settings of a design id.
    ///
    /// # Errors
    /// Fails for a layout, setting or value that does not exist.
    pub fn new(id: &DesignId) -> Result<Self, EngineError> {
        let layout = id.layout.as_deref().unwrap_or_default();
        let (mut settings, place) = match layout {
            "parquet" => {
                let mut settings = Settings::new(id, PARQUET_SETTINGS)?;
                let encoding = Encoding::take(&mut settings)?;
                (settings, Place::Parquet(encoding))
            }
            "cassandra" => (Settings::new(id, CASSANDRA_SETTINGS)?, Place::Cassandra),
            _ => {
                return Err(EngineError(format!(
                    "design {id}: spark has no layout `{layout}`; there are parquet, cassandra"
                )));
            }
        };
        let cache = settings.word("cache", &["true", "false"])? == Some("true");
        let consistency = match place {
            Place::Cassandra => take_consistency(&mut settings)?,
            Place::Parquet(_) => None,
        };
        settings.end()?;
        Ok(Storage {
            place,
            cache,
            consistency,
        })
    }

    /// Returns the setting `cache` in force, for the report.
    pub fn cached(self) -> (String, String) {
        let cached = if self.cache {
            "all rows, in Spark's memory as far as they fit"
        } else {
            "nothing"
        };
        ("cached by Spark".to_owned(), cached.to_owned())
    }

    /// Returns what Spark is told before it is asked, for a dry run: how its table is made, in the words of its SQL.
    pub fn statements(self, table: &str, format: &str, options: &[(&str, &str)]) -> Vec<String> {
        let table = question::quoted(table);
        let options = options.iter();
        let options: Vec<String> = options
            .map(|(name, value)| format!("{name} {}", question::literal(value)))
            .collect();
        let mut statements = vec![format!(
            "CREATE TEMPORARY VIEW {table} USING {format} OPTIONS ({})",
            options.join(", ")
        )];
        if self.cache {
            statements.push(format!("CACHE TABLE {table}"));
        }
        statements
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parquet::Codec;

    fn storage(id: &str) -> Result<Storage, String> {
        Storage::new(&id.parse().unwrap()).map_err(|error| error.0)
    }

    #[test]
    fn settings_are_read_and_shown() {
        let place = |codec, rows| Place::Parquet(Encoding { codec, rows });
        let plain = storage("spark/parquet").unwrap();
        assert_eq!(plain.place, place(Codec::Zstd, 131_072));
        assert_eq!(plain.cached().1, "nothing");
        let cached = storage("spark/parquet?codec=snappy&rows=30720&cache=true").unwrap();
        assert_eq!(cached.place, place(Codec::Snappy, 30_720));
        assert!(cached.cached().1.starts_with("all rows"));
        assert_eq!(storage("spark/parquet?cache=false").unwrap(), plain);
        let rows = storage("spark/cassandra?cache=true").unwrap();
        assert_eq!((rows.place, rows.cache), (Place::Cassandra, true));
        assert_eq!(rows.consistency, None);
        let rows = storage("spark/cassandra?consistency=quorum").unwrap();
        assert_eq!(rows.consistency, Some(Consistency::Quorum));
    }

    #[test]
    fn what_there_is_not_is_refused_with_what_there_is() {
        for (id, why) in [
            (
                "spark/parquet?cache=yes",
                "cache=yes is not one of true, false",
            ),
            ("spark/parquet?cach=true", "did you mean `cache`"),
            ("spark/cassandra?codec=zstd", "unknown setting `codec`"),
            ("spark/parquet?rows=10", "rows=10 is not a number of rows"),
            (
                "spark/parquet?consistency=one",
                "unknown setting `consistency`",
            ),
            ("spark/cassandra?consistency=two", "consistency=two"),
            ("spark/delta", "there are parquet, cassandra"),
            ("spark", "no layout ``"),
        ] {
            let error = storage(id).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        for layout in &LAYOUTS {
            assert!(storage(layout.name).is_ok(), "{}", layout.name);
        }
    }

    #[test]
    fn a_dry_run_shows_what_spark_is_told() {
        let cached = storage("spark/parquet?cache=true").unwrap();
        assert_eq!(
            cached.statements(
                "readings",
                "parquet",
                &[("path", "/runs/it's/table.parquet")]
            ),
            [
                "CREATE TEMPORARY VIEW `readings` USING parquet OPTIONS (path \
                 '/runs/it\\'s/table.parquet')",
                "CACHE TABLE `readings`"
            ]
        );
        let plain = storage("spark/parquet").unwrap();
        assert_eq!(plain.statements("readings", "parquet", &[]).len(), 1);
    }
}
