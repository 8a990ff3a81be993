//! Writes the operations that are performed on a table.

use super::{clean, line, quoted};
use crate::infer::AskedMix;

/// Writes `[mix]` with its operations.
pub(super) fn put(mix: &AskedMix, out: &mut String) {
    for about in &mix.about {
        line(out, &format!("# {}", clean(about)));
    }
    line(out, "[mix]");
    line(out, "");
    for operation in &mix.operations {
        for about in &operation.about {
            line(out, &format!("# {}", clean(about)));
        }
        line(out, "[[mix.operations]]");
        line(out, &format!("name = {}", quoted(&operation.name)));
        for setting in &operation.settings {
            line(out, setting);
        }
        line(out, "");
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::infer::{Asked, AskedOperation, infer};
    use crate::{Action, Keys, Workload};

    fn operation(name: &str, settings: &[&str]) -> AskedOperation {
        AskedOperation {
            about: vec![format!("as often as\n{name}")],
            name: name.to_owned(),
            settings: settings
                .iter()
                .map(|setting| (*setting).to_owned())
                .collect(),
        }
    }

    #[test]
    fn a_mix_is_a_part_of_the_workload_that_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("readings.csv");
        let rows = "room,time,heat\na,2026-05-01,1.5\na,2026-05-02,2.5\nb,2026-05-02,2.5\n";
        std::fs::write(&path, rows).unwrap();
        let mut found = infer(&path, &Asked::default()).unwrap();
        let insert = ["action = \"insert\"", AskedMix::NEW_ROWS, "weight = 75"];
        let mix = AskedMix {
            about: vec!["All of it.".to_owned()],
            operations: vec![
                operation("insert", &insert),
                operation("read", &["action = \"read-row\"", "weight = 25"]),
            ],
            most_rows: Some(2),
        };
        // Rows of a file do not go on, so that only those that are there can be written again.
        found.mix = Some(mix.over_rows());
        let text = found.workload("readings.csv", &["memory".to_owned()], &[]);
        for words in [
            "# All of it.\n[mix]\n",
            "# as often as read\n[[mix.operations]]\nname = \"read\"\naction = \"read-row\"\nweight = 25\n",
            "rows = 2 # that a run loads: as many as fit into the memory",
        ] {
            assert!(text.contains(words), "`{words}` is not in {text}");
        }
        let workload = Workload::parse(&text, Path::new("w.toml"));
        let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let operations = workload.mix.unwrap().operations;
        let of: Vec<(Action, Keys, f64)> = { operations.into_iter() }
            .map(|of| (of.action, of.keys, of.weight))
            .collect();
        assert_eq!(
            of,
            [
                (Action::Insert, Keys::Uniform, 0.75),
                (Action::ReadRow, Keys::Uniform, 0.25)
            ]
        );
    }
}
