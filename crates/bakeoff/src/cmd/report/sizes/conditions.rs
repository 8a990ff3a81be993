//! What a measurement was made with, which has to be the same where rates are put next to each other.

use std::collections::{BTreeMap, BTreeSet};

use bakeoff_engines::Replication;
use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::sweep::SweepSummary;
use bakeoff_stats::{EngineInfo, Summary};

/// Settings of engines by which rates differ.
const OF_ENGINES: [&str; 2] = ["consistency", "rate limit"];
/// Value of a setting that an engine does not have.
const NONE: &str = "none";

/// What a measurement was made with.
#[derive(Debug, Default, PartialEq)]
pub struct Conditions {
    /// Names and values, in the order in which they are compared.
    of_all: Vec<(&'static str, String)>,
    /// Values of the settings of each engine, in their order.
    of_engines: BTreeMap<String, Vec<String>>,
}

impl Conditions {
    pub fn of_run(summary: &Summary) -> Conditions {
        let asked = { summary.designs.iter() }.filter_map(|design| design.concurrent.as_ref());
        let clients: BTreeSet<u32> = asked.map(|asked| asked.clients).collect();
        let of_all = vec![
            ("data", summary.header.data.clone()),
            ("rows", summary.rows.to_string()),
            ("clients", list(clients)),
        ];
        Conditions::new(of_all, &summary.engines)
    }

    pub fn of_drive(summary: &DriveSummary) -> Conditions {
        let header = &summary.header;
        let objective = header.objective.as_deref().unwrap_or(NONE);
        let levels = { header.operations.iter() }.map(|operation| &operation.consistency);
        let of_all = vec![
            ("rows", header.rows.to_string()),
            ("objective", objective.to_owned()),
            ("schedule", header.schedule.clone()),
            ("operations in flight", header.in_flight.to_string()),
            ("consistency", list(levels)),
        ];
        Conditions::new(of_all, &summary.engines)
    }

    pub fn of_sweep(summary: &SweepSummary) -> Conditions {
        let header = &summary.header;
        let rows = header.rows.map(|rows| rows.to_string());
        let of_all = vec![
            ("data", header.data.clone()),
            ("rows", rows.unwrap_or_else(|| NONE.to_owned())),
            ("batches", list(&header.batches)),
        ];
        Conditions::new(of_all, &summary.engines)
    }

    fn new(of_all: Vec<(&'static str, String)>, engines: &[EngineInfo]) -> Conditions {
        // A cluster of one node does not record the level that it has by default.
        let level = Replication::default().levels();
        let of_engine = |info: &EngineInfo| {
            let values = OF_ENGINES.map(|name| {
                let default = if name == "consistency" {
                    level.as_str()
                } else {
                    NONE
                };
                info.setting(name).unwrap_or(default).to_owned()
            });
            (info.engine.clone(), values.to_vec())
        };
        Conditions {
            of_all,
            of_engines: engines.iter().map(of_engine).collect(),
        }
    }

    /// Names the first thing in which another measurement differs, with both values. Engines that only one of them had
    /// are not compared.
    pub fn differ_from(&self, other: &Conditions) -> Option<String> {
        let pairs = self.of_all.iter().zip(&other.of_all);
        let all = pairs.map(|((name, own), (_, other))| ((*name).to_owned(), own, other));
        let engines = self.of_engines.iter().flat_map(|(engine, own)| {
            let others = other.of_engines.get(engine).into_iter().flatten();
            let values = own.iter().zip(others);
            let named = OF_ENGINES.into_iter().zip(values);
            named.map(move |(name, (own, other))| (format!("{name} of {engine}"), own, other))
        });
        let mut found = all.chain(engines).filter(|(_, own, other)| own != other);
        let (name, own, other) = found.next()?;
        Some(format!("{name}: {own} and {other}"))
    }
}

/// Writes values one after the other.
fn list(values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if values.is_empty() {
        return NONE.to_owned();
    }
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(rows: &str, settings: &[(&str, &str)]) -> Conditions {
        let settings = settings.iter();
        let engine = EngineInfo {
            engine: "cassandra".to_owned(),
            version: "5.0".to_owned(),
            start_seconds: None,
            settings: settings
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        };
        let of_all = vec![("data", "numbers".to_owned()), ("rows", rows.to_owned())];
        Conditions::new(of_all, &[engine])
    }

    #[test]
    fn what_differs_is_named_with_both_values() {
        let one = conditions("10", &[]);
        let differs = |other: &Conditions| one.differ_from(other);
        assert_eq!(differs(&conditions("10", &[])), None);
        assert_eq!(
            differs(&conditions("20", &[])).as_deref(),
            Some("rows: 10 and 20")
        );
        let limit = conditions("10", &[("rate limit", "at most 5 rows/s")]);
        assert_eq!(
            differs(&limit).as_deref(),
            Some("rate limit of cassandra: none and at most 5 rows/s")
        );
        let level = conditions("10", &[("consistency", "ALL")]);
        let found = differs(&level).unwrap();
        assert!(
            found.starts_with("consistency of cassandra: LOCAL_ONE"),
            "{found}"
        );
        // Several nodes record the default level, and one node does not.
        let default = Replication::default().levels();
        assert_eq!(
            differs(&conditions("10", &[("consistency", default.as_str())])),
            None
        );
        let no_engine = Conditions::new(one.of_all.clone(), &[]);
        assert_eq!(differs(&no_engine), None);
    }
}
