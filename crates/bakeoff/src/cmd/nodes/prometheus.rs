//! Figures of servers as metrics in the text format of Prometheus: those of `--json`, by their names there.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use bakeoff_report::values::prometheus::escaped;
use serde_json::Value;

use crate::out_file::OutFile;

/// Beginning of the name of each metric.
const PREFIX: &str = "bakeoff_node";
/// Fields that tell the elements of a list apart.
const NAMES: [&str; 6] = ["address", "keyspace", "kind", "name", "schema", "table"];
/// Fields that are no figures, or lists of what lasts for a moment only.
const LEFT_OUT: [&str; 3] = ["long_transactions", "missing", "sstable_tasks"];

/// Name and value of a label.
type Label = (String, String);
/// Values by the name of their metric and by their labels, of which none may be there twice.
type Samples = BTreeMap<String, BTreeMap<String, String>>;

/// Writes figures, which are in JSON, as metrics into a file.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write(path: &Path, json: &str) -> Result<()> {
    let text = render(json)?;
    let mut file = OutFile::create(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()
}

fn render(json: &str) -> Result<String> {
    let servers: Vec<Value> =
        serde_json::from_str(json).context("the figures of the servers are no list")?;
    let mut samples = Samples::new();
    for mut server in servers {
        name_printed_tables(&mut server);
        let address = server.get("address").and_then(Value::as_str);
        let node = address.unwrap_or_default().to_owned();
        add(PREFIX, &[("node".to_owned(), node)], &server, &mut samples);
    }
    let mut text = String::new();
    for (name, series) in samples {
        text.push_str(&format!("# TYPE {name} gauge\n"));
        let lines =
            { series.iter() }.map(|(labels, value)| format!("{name}{{{labels}}} {value}\n"));
        text.extend(lines);
    }
    Ok(text)
}

/// Gives the tables that nodetool has printed the names of those that were asked for, which have the same order.
fn name_printed_tables(server: &mut Value) {
    let named = server.get("tables").and_then(Value::as_array).cloned();
    let printed = server
        .pointer_mut("/nodetool/tables")
        .and_then(Value::as_array_mut);
    let (Some(named), Some(printed)) = (named, printed) else {
        return;
    };
    for (printed, named) in printed.iter_mut().zip(named) {
        if let (Some(fields), Some(name)) = (printed.as_object_mut(), named.get("name")) {
            fields.insert("name".to_owned(), name.clone());
        }
    }
}

fn add(name: &str, labels: &[Label], value: &Value, samples: &mut Samples) {
    match value {
        Value::Null | Value::String(_) => {}
        Value::Bool(is_so) => put(name, labels, u8::from(*is_so).to_string(), samples),
        Value::Number(number) => put(name, labels, number.to_string(), samples),
        Value::Object(fields) => {
            let figures =
                { fields.iter() }.filter(|(field, _)| !LEFT_OUT.contains(&field.as_str()));
            for (field, value) in figures {
                add(&format!("{name}_{field}"), labels, value, samples);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                let own = labels.iter().cloned().chain(names(element));
                let own: Vec<Label> = own.collect();
                add(name, &own, element, samples);
            }
        }
    }
}

/// Returns what tells an element of a list apart; a table of Cassandra has two names within its name.
fn names(element: &Value) -> Vec<Label> {
    let mut found = Vec::new();
    for name in NAMES {
        match element.get(name) {
            Some(Value::String(text)) => found.push((name.to_owned(), text.clone())),
            Some(parts @ Value::Object(_)) => found.extend(names(parts)),
            _ => {}
        }
    }
    found
}

fn put(name: &str, labels: &[Label], value: String, samples: &mut Samples) {
    let labels = labels.iter();
    let labels = labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    let labels = labels.collect::<Vec<_>>().join(",");
    let series = samples.entry(name.to_owned()).or_default();
    series.entry(labels).or_insert(value);
}

#[cfg(test)]
mod tests {
    use bakeoff_engines::nodes::{
        Cache, Exposed, NodeFigures, Printed, PrintedStatistics, PrintedTable, TableFigures,
        to_json,
    };

    use super::*;

    fn node(address: &str) -> NodeFigures {
        let table = TableFigures {
            disk_usage_bytes: Some(5),
            ..TableFigures::new("ks.t".parse().unwrap())
        };
        let statistics = PrintedStatistics {
            sstables: Some(7),
            ..PrintedStatistics::default()
        };
        NodeFigures {
            address: address.to_owned(),
            version: Some("5.0.9".to_owned()),
            tables: vec![table],
            caches: Some(vec![Cache {
                name: "a \"b\"".to_owned(),
                capacity_bytes: None,
                size_bytes: Some(9),
                entries: None,
                hits: None,
                requests: None,
            }]),
            nodetool: Some(Printed {
                tables: vec![PrintedTable {
                    statistics: Some(statistics),
                    histograms: None,
                }],
                ..Printed::default()
            }),
            metrics: Some(Exposed {
                load_average: Some(1.5),
                ..Exposed::default()
            }),
            ..NodeFigures::default()
        }
    }

    #[test]
    fn each_figure_is_a_metric_with_the_node_and_what_it_is_of() {
        let json = to_json(&[node("10.0.0.1:9042"), node("10.0.0.2:9042")]).unwrap();
        let text = render(&json).unwrap();
        for line in [
            "# TYPE bakeoff_node_tables_disk_usage_bytes gauge",
            "bakeoff_node_tables_disk_usage_bytes{node=\"10.0.0.2:9042\",keyspace=\"ks\",table=\"t\"} 5",
            "bakeoff_node_nodetool_tables_statistics_sstables{node=\"10.0.0.1:9042\",keyspace=\"ks\",table=\"t\"} 7",
            "bakeoff_node_caches_size_bytes{node=\"10.0.0.1:9042\",name=\"a \\\"b\\\"\"} 9",
            "bakeoff_node_metrics_load_average{node=\"10.0.0.1:9042\"} 1.5",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("null") && !text.contains("5.0.9"), "{text}");
        assert_eq!(text.lines().count(), 4 + 2 * 4, "{text}");
    }

    #[test]
    fn of_two_elements_with_the_same_name_one_is_written() {
        let json = r#"[{"address": "a:1", "is_standby": true, "slots": [
            {"name": "s", "kept_bytes": 1}, {"name": "s", "kept_bytes": 2}], "missing": [{"n": 3}], "replicas": [
            {"name": "r", "address": "b", "lag_bytes": 4}, {"name": "r", "address": "c", "lag_bytes": 5}]}]"#;
        let text = render(json).unwrap();
        let expected = "# TYPE bakeoff_node_is_standby gauge\nbakeoff_node_is_standby{node=\"a:1\"} 1\n\
                        # TYPE bakeoff_node_replicas_lag_bytes gauge\n\
                        bakeoff_node_replicas_lag_bytes{node=\"a:1\",address=\"b\",name=\"r\"} 4\n\
                        bakeoff_node_replicas_lag_bytes{node=\"a:1\",address=\"c\",name=\"r\"} 5\n\
                        # TYPE bakeoff_node_slots_kept_bytes gauge\n\
                        bakeoff_node_slots_kept_bytes{node=\"a:1\",name=\"s\"} 1\n";
        assert_eq!(text, expected);
    }
}
