//! Says before anything is written how much a server of the user's gets, and how long that takes.

use std::time::Duration;

use anyhow::Result;
use bakeoff_engines::propose::mean_row_bytes;
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, OptionGroup};
use bakeoff_report::units::{bytes, count, plural};
use bakeoff_workload::{DesignId, RowSource};

use crate::cmd::options::data::to_cli_error;
use crate::progress::time;

/// First rows whose sizes are taken for those of all.
const FIRST_ROWS: u64 = 1_000;
/// Setting of a design that has another number of copies of each row than the run.
const COPIES: &str = "replication";

/// What a command writes to servers that it does not start.
pub struct Preview<'a> {
    /// Options that name servers, each with the group of designs that are on it.
    pub servers: Vec<(Option<&'static str>, OptionGroup)>,
    pub designs: &'a [DesignId],
    /// Rows of the table; `None` if a budget or a time decides how many there are.
    pub rows: Option<u64>,
    /// Rows of all tables of a design together, as a multiple of those of its own table.
    pub work: f64,
    /// Bytes of the values of a row.
    pub row_bytes: Option<f64>,
    pub context: &'a Context,
    /// Lines of what is written after the rows are loaded, each with its heading.
    pub then: Vec<(&'static str, String)>,
}

impl Preview<'_> {
    /// Returns the lines of a dry run; none where no design is on a server of the user's.
    pub fn lines(&self) -> Vec<String> {
        let named: Vec<&str> = { self.servers.iter() }
            .filter(|(option, group)| option.is_some() && self.has_design_of(*group))
            .filter_map(|(option, _)| *option)
            .collect();
        let on_servers: Vec<&DesignId> = { self.designs.iter() }
            .filter(|id| self.is_on_server(id) && self.has_own_table(id))
            .collect();
        if on_servers.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "\nWhat the server of {} gets:",
            named.join(" and ")
        )];
        let mut add = |heading: &str, text: String| lines.push(format!("  {heading:<9}{text}"));
        let written = self.rows_written(&on_servers);
        add("rows", self.rows_in_words(written, on_servers.len()));
        if let Some((rows, of_row)) = written.zip(self.row_bytes).filter(|(rows, _)| *rows > 0.0) {
            add("bytes", self.bytes_in_words(&on_servers, rows * of_row));
        }
        add("pace", self.pace(written));
        for (heading, text) in &self.then {
            add(heading, text.clone());
        }
        lines
    }

    /// Returns the rows that are loaded into all tables of these designs.
    fn rows_written(&self, designs: &[&DesignId]) -> Option<f64> {
        let of_design = |id: &&DesignId| engine(id).map_or(1, |engine| engine.writes_of_row(id));
        let tables: u32 = designs.iter().map(of_design).sum();
        Some(self.rows? as f64 * self.work * f64::from(tables))
    }

    fn rows_in_words(&self, written: Option<f64>, designs: usize) -> String {
        let designs = plural(designs as u64, "design", "designs");
        match written {
            Some(0.0) => "none are loaded".to_owned(),
            Some(rows) => format!(
                "about {} in all tables of {designs}, further tables and twins included",
                count(rows.round() as u64)
            ),
            None => format!("as many as the time allows, in tables of {designs}"),
        }
    }

    fn bytes_in_words(&self, designs: &[&DesignId], of_values: f64) -> String {
        let options = &self.context.options.cassandra;
        let copies = options.replication.copies();
        let kept = match (&options.cluster, &options.keyspace) {
            (Some(_), Some(_)) => "; the keyspace says how many copies there are".to_owned(),
            (Some(_), None) => format!(
                "; in Cassandra {} of each row in every datacenter{}",
                plural(u64::from(copies), "copy", "copies"),
                but_for_own(designs)
            ),
            _ => String::new(),
        };
        format!(
            "about {} of values, before compression and without what the layouts add{kept}",
            bytes(of_values)
        )
    }

    /// Says how fast rows are loaded, and how long that takes at least.
    fn pace(&self, written: Option<f64>) -> String {
        let Some(limit) = &self.context.options.rate_limit else {
            return "as fast as the server takes them, since no --rate-limit holds".to_owned();
        };
        let limit = limit.rows_per_second();
        let takes = written.filter(|rows| *rows > 0.0).map(|rows| {
            let seconds = (rows / f64::from(limit)).ceil();
            format!(": {} at least", time(Duration::from_secs(seconds as u64)))
        });
        format!(
            "at most {} rows/s are loaded, all designs and connections together (--rate-limit){}",
            count(u64::from(limit)),
            takes.unwrap_or_default()
        )
    }

    fn has_design_of(&self, group: OptionGroup) -> bool {
        self.designs.iter().any(|id| is_of(id, group))
    }

    fn has_own_table(&self, id: &DesignId) -> bool {
        self.context.options.shared_tables.table_of(id).is_none()
    }

    fn is_on_server(&self, id: &DesignId) -> bool {
        let mut named = self.servers.iter().filter(|(option, _)| option.is_some());
        named.any(|(_, group)| is_of(id, *group))
    }
}

/// Says which of the designs have other copies than the run.
fn but_for_own(designs: &[&DesignId]) -> String {
    let own = designs.iter().filter(|id| id.settings.contains_key(COPIES));
    let own: Vec<String> = own.map(|id| id.to_string()).collect();
    if own.is_empty() {
        return String::new();
    }
    format!(", but for {}, which say how many", own.join(" and "))
}

/// Returns whether a design uses a group of options.
fn is_of(id: &DesignId, group: OptionGroup) -> bool {
    engine(id).is_ok_and(|engine| engine.option_groups(id).contains(&group))
}

/// Returns the bytes of the values of a row by the first rows; `None` where no server is named, or without rows.
///
/// # Errors
/// Fails if rows cannot be read.
pub fn row_bytes(
    servers: &[(Option<&'static str>, OptionGroup)],
    source: &dyn RowSource,
    columns: usize,
) -> Result<Option<f64>> {
    if servers.iter().all(|(option, _)| option.is_none()) {
        return Ok(None);
    }
    mean_row_bytes(source, columns, FIRST_ROWS).map_err(to_cli_error)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::path::PathBuf;

    use bakeoff_engines::{Cluster, EngineOptions, RateLimit};

    use super::*;

    fn context(limit: Option<u32>) -> Context {
        let mut options = EngineOptions::default();
        options.cassandra.cluster = Some(Cluster {
            address: "db1".to_owned(),
            ..Cluster::default()
        });
        options.rate_limit = limit.and_then(NonZeroU32::new).map(RateLimit::new);
        Context {
            run_dir: PathBuf::from("/runs/a"),
            token: None,
            threads: 1,
            keys_repeat: false,
            options,
        }
    }

    fn lines(designs: &[&str], rows: Option<u64>, limit: Option<u32>) -> String {
        let designs: Vec<DesignId> = designs.iter().map(|id| id.parse().unwrap()).collect();
        let context = context(limit);
        let preview = Preview {
            servers: vec![
                (Some("--cassandra"), OptionGroup::Cassandra),
                (None, OptionGroup::Postgres),
            ],
            designs: &designs,
            rows,
            work: 1.5,
            row_bytes: Some(64.0),
            context: &context,
            then: vec![("then", "10 questions".to_owned())],
        };
        preview.lines().join("\n")
    }

    #[test]
    fn rows_bytes_and_time_are_those_of_the_designs_on_the_server() {
        let said = lines(&["cassandra/wide", "parquet"], Some(100_000), Some(1_000));
        for expected in [
            "What the server of --cassandra gets:",
            "about 150,000 in all tables of 1 design",
            "about 9.16 MiB of values",
            "at most 1,000 rows/s are loaded",
            ": 2m 30s at least",
            "then     10 questions",
        ] {
            assert!(said.contains(expected), "{expected}: {said}");
        }
    }

    #[test]
    fn a_second_table_counts_again_and_no_limit_is_told() {
        let twice = "cassandra/wide?table_by=value";
        let said = lines(&[twice], Some(100), None);
        assert!(said.contains("about 300 in all tables"), "{said}");
        assert!(said.contains("as fast as the server takes them"), "{said}");
        let unknown = lines(&["cassandra/wide"], None, Some(1_000));
        assert!(unknown.contains("as many as the time allows"), "{unknown}");
        assert!(!unknown.contains("at least"), "{unknown}");
    }

    #[test]
    fn a_table_that_two_designs_read_counts_once() {
        let designs: [DesignId; 2] =
            ["cassandra/wide", "cassandra/wide?page=100"].map(|id| id.parse().unwrap());
        let mut context = context(None);
        context.options.shared_tables = bakeoff_engines::share_tables(&designs);
        let preview = Preview {
            servers: vec![(Some("--cassandra"), OptionGroup::Cassandra)],
            designs: &designs,
            rows: Some(1_000),
            work: 1.0,
            row_bytes: None,
            context: &context,
            then: Vec::new(),
        };
        let said = preview.lines().join("\n");
        assert!(
            said.contains("about 1,000 in all tables of 1 design"),
            "{said}"
        );
    }

    #[test]
    fn copies_of_a_design_of_its_own_are_told_and_no_bytes_where_nothing_is_loaded() {
        let own = "cassandra/wide?replication=2";
        let said = lines(&["cassandra/wide", own], Some(100), None);
        let words = "1 copy of each row in every datacenter, but for cassandra/wide?replication=2, which say how many";
        assert!(said.contains(words), "{said}");
        let none = lines(&["cassandra/wide"], Some(0), Some(1_000));
        assert!(none.contains("none are loaded"), "{none}");
        assert!(!none.contains("bytes"), "{none}");
        assert!(!none.contains("at least"), "{none}");
    }

    #[test]
    fn designs_elsewhere_write_nothing_to_the_server() {
        assert_eq!(lines(&["parquet"], Some(100), Some(1_000)), "");
    }
}
