//! Properties of designs that records of earlier versions lack, since engines were then known by their
//! names. The lists are complete: engines that were added later describe themselves.

use serde::Deserialize;

use crate::{DesignInfo, NotAsked, Role};

/// A [`DesignInfo`] as it is read from records, including those of earlier versions.
#[derive(Deserialize)]
pub struct DesignRecord {
    id: String,
    engine: String,
    role: Option<Role>,
    server: Option<bool>,
    settings: Vec<(String, String)>,
    statements: Vec<String>,
    #[serde(default)]
    unit_rows: Option<u64>,
    #[serde(default)]
    not_asked: Vec<NotAsked>,
    #[serde(default)]
    stored_by: Option<String>,
    #[serde(default)]
    table_of: Option<String>,
}

impl From<DesignRecord> for DesignInfo {
    fn from(record: DesignRecord) -> Self {
        DesignInfo {
            role: record.role.unwrap_or_else(|| role(&record.engine)),
            server: record.server.unwrap_or_else(|| has_server(&record.engine)),
            id: record.id,
            engine: record.engine,
            settings: record.settings,
            statements: record.statements,
            unit_rows: record.unit_rows,
            not_asked: record.not_asked,
            stored_by: record.stored_by,
            table_of: record.table_of,
        }
    }
}

fn role(engine: &str) -> Role {
    match engine {
        "memory" => Role::Volatile,
        "dry" => Role::Sink,
        _ => Role::Store,
    }
}

fn has_server(engine: &str) -> bool {
    matches!(engine, "cassandra" | "postgres" | "timescale")
}

/// Returns whether the CPU time of a server was read by looking at all processes of the machine, which took
/// milliseconds of Bakeoff's own CPU time, counted with each answer.
pub fn looked_at_all_processes(engine: &str) -> bool {
    matches!(engine, "postgres" | "timescale" | "spark")
}

/// Returns the only engine of which earlier versions started several nodes.
pub fn engine_of_nodes() -> String {
    "cassandra".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EngineInfo, Header, NodesInfo, Record};

    /// Each engine of that time with its role, and whether it has a server.
    const ENGINES: [(&str, Role, bool); 7] = [
        ("cassandra", Role::Store, true),
        ("postgres", Role::Store, true),
        ("timescale", Role::Store, true),
        ("local", Role::Store, false),
        ("parquet", Role::Store, false),
        ("memory", Role::Volatile, false),
        ("dry", Role::Sink, false),
    ];

    /// The first line of a journal as the version before wrote it, with a design of each engine on
    /// three nodes of Cassandra.
    const EARLIER: &str = include_str!("earlier/journal.jsonl");

    fn earlier_header() -> Header {
        let Record::Started(header) = serde_json::from_str(EARLIER).unwrap() else {
            panic!("{EARLIER}");
        };
        *header
    }

    #[test]
    fn designs_of_earlier_journals_have_the_roles_that_their_engines_had() {
        assert!(!EARLIER.contains("\"role\"") && !EARLIER.contains("\"server\""));
        let designs = earlier_header().designs;
        let read = designs
            .iter()
            .map(|d| (d.engine.as_str(), d.role, d.server));
        assert_eq!(read.collect::<Vec<_>>(), ENGINES);
        let yardsticks = designs.iter().filter(|d| d.is_yardstick());
        let yardsticks: Vec<&str> = yardsticks.map(|d| d.id.as_str()).collect();
        assert_eq!(yardsticks, ["memory", "dry"]);
    }

    #[test]
    fn designs_of_earlier_journals_have_tables_of_their_own() {
        let mut header = earlier_header();
        assert!(header.designs.iter().all(DesignInfo::has_own_table));
        let json = serde_json::to_string(&header).unwrap();
        assert!(!json.contains("table_of"), "{json}");
        header.designs[1].table_of = Some("cassandra/wide".to_owned());
        let json = serde_json::to_string(&header).unwrap();
        assert_eq!(serde_json::from_str::<Header>(&json).unwrap(), header);
    }

    #[test]
    fn nodes_of_earlier_journals_are_those_of_cassandra() {
        let header = earlier_header();
        let copies = header.designs.iter().map(|d| header.copies_in(d, &[]));
        assert_eq!(copies.collect::<Vec<_>>(), [3, 1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn earlier_journals_have_no_standbys() {
        let header = earlier_header();
        assert_eq!(header.standbys, None);
        let json = serde_json::to_string(&header).unwrap();
        assert!(!json.contains("standbys"), "{json}");
    }

    #[test]
    fn what_an_engine_says_of_itself_counts_more_than_its_name() {
        let mut header = earlier_header();
        let design = &mut header.designs[0];
        (design.role, design.server) = (Role::Sink, false);
        header.nodes = Some(NodesInfo {
            engine: "postgres".to_owned(),
            nodes: 2,
            copies: 2,
            consistency: String::new(),
        });
        let json = serde_json::to_string(&header).unwrap();
        let read: Header = serde_json::from_str(&json).unwrap();
        assert_eq!(read, header);
        assert_eq!(read.copies_in(&read.designs[1], &[]), 2);
        let mut of_another = read.designs[1].clone();
        of_another.stored_by = Some(std::mem::replace(
            &mut of_another.engine,
            "spark".to_owned(),
        ));
        assert_eq!(read.copies_in(&of_another, &[]), 2);
    }

    #[test]
    fn a_cluster_that_was_running_has_its_copies_in_each_datacenter() {
        let mut header = earlier_header();
        header.nodes = None;
        let design = &header.designs[0];
        let engine = |settings: &[(&str, &str)]| EngineInfo {
            engine: design.engine.clone(),
            version: "5.0.9".to_owned(),
            start_seconds: None,
            settings: { settings.iter() }
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        let copies = |settings: &[(&str, &str)]| header.copies_in(design, &[engine(settings)]);
        let cluster = (EngineInfo::CLUSTER, "db1:9042");
        let three = (EngineInfo::COPIES, "3");
        assert_eq!(copies(&[cluster]), 1);
        assert_eq!(copies(&[cluster, three]), 3);
        assert_eq!(copies(&[cluster, three, (EngineInfo::DATACENTERS, "2")]), 6);
        assert_eq!(copies(&[three]), 1, "it was not running");
        let shared = (EngineInfo::COPIES, EngineInfo::COPIES_OF_SHARED);
        assert_eq!(copies(&[cluster, shared]), 1);
    }
}
