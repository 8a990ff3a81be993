//! Groups of options of the command line, each of which only the designs of some engines use.

/// Options of the command line that only some designs use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionGroup {
    /// A Cassandra of the user's, or the nodes of one that is started, with its copies and consistency.
    Cassandra,
    /// Recordings of the methods that a Cassandra runs.
    Profile,
    /// A PostgreSQL of the user's, or the standbys of one that is started.
    Postgres,
    /// A Spark of the user's.
    Spark,
    /// The folder for files that the workers of a Spark share.
    SparkFiles,
    /// The file that names drivers of databases.
    Drivers,
    /// The memory that a table may take.
    Memory,
}

impl OptionGroup {
    /// Returns the designs that use these options, as the end of a sentence.
    pub fn designs(self) -> &'static str {
        match self {
            OptionGroup::Cassandra => "cassandra, cassandra-4 or spark/cassandra",
            OptionGroup::Profile => "cassandra or cassandra-4",
            OptionGroup::Postgres => "postgres or timescale",
            OptionGroup::Spark => "spark",
            OptionGroup::SparkFiles => "spark/parquet",
            OptionGroup::Drivers => "adbc",
            OptionGroup::Memory => "memory",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{ENGINES, engine};

    const ALL: [OptionGroup; 7] = [
        OptionGroup::Cassandra,
        OptionGroup::Profile,
        OptionGroup::Postgres,
        OptionGroup::Spark,
        OptionGroup::SparkFiles,
        OptionGroup::Drivers,
        OptionGroup::Memory,
    ];

    #[test]
    fn the_designs_of_a_group_are_those_that_use_it() {
        for group in ALL {
            let mut using = Vec::new();
            for layout in ENGINES.iter().flat_map(|engine| engine.layouts()) {
                let id = layout.name.parse().unwrap();
                let engine = engine(&id).unwrap();
                if engine.option_groups(&id).contains(&group) {
                    using.push((engine.name(), layout.name));
                }
            }
            let told: Vec<&str> = group.designs().split([',', ' ']).collect();
            for (engine, layout) in &using {
                assert!(
                    told.contains(engine) || told.contains(layout),
                    "{layout} uses {group:?}"
                );
            }
            // A build without PostgreSQL has no designs that use its options.
            assert_eq!(
                using.is_empty(),
                group == OptionGroup::Postgres && cfg!(not(feature = "postgres")),
                "{group:?}"
            );
        }
    }
}
