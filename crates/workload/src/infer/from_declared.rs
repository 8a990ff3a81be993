//! What a workload is written of, from a table that a statement declares: with rows that are made, or with a sample.

use super::declared::{Declared, DeclaredColumn, DeclaredForm};
use super::guesses::{Guesses, Named, ROWS};
use super::{Inferred, InferredColumn, names};
use crate::ColumnType;

impl Inferred {
    /// Returns what is known of a table without rows. Its rows are made by generators, which are guesses.
    pub fn declared(declared: Declared) -> Inferred {
        let declared = declared.without_uuids_in_order();
        let written: Vec<String> = { declared.columns.iter() }
            .map(|column| column.name.clone())
            .collect();
        let names = names::columns(&written);
        let places = |key: &[String]| -> Vec<usize> {
            let place = |called: &String| written.iter().position(|name| name == called);
            key.iter().filter_map(place).collect()
        };
        let named: Vec<Named<'_>> = { names.iter().zip(&declared.columns) }
            .map(|(name, column)| Named { name, column })
            .collect();
        let partition = places(&declared.partition_key);
        let order = places(&declared.order_key);
        let guesses = Guesses::new(&named, &partition, &order);
        let name_of = |place: &usize| names[*place].clone();
        let is_time = |place: usize| guesses.time == Some(place) || order.contains(&place);
        let all = names.iter().zip(&declared.columns).zip(&guesses.columns);
        let columns = all
            .enumerate()
            .map(|(place, ((name, column), guess))| InferredColumn {
                name: name.clone(),
                from: (*name != column.name).then(|| column.name.clone()),
                joined: Vec::new(),
                constant: None,
                kind: kind(column, is_time(place)),
                format: None,
                signs: None,
                evidence: said(&declared, column) + remark(column, is_time(place)),
                days: None,
                distinct: guess.distinct,
                high_value: guess.high_value,
            });
        Inferred {
            table: names::name(&declared.origin.table, "data"),
            columns: columns.collect(),
            left_out: declared.origin.left_out.clone(),
            rows: ROWS,
            bad_rows: 0,
            null: Vec::new(),
            decimal_comma: None,
            thousands: None,
            zone: None,
            delimiter: None,
            no_header: false,
            skip_lines: 0,
            lines_after_names: 0,
            spaced_quotes: false,
            files: 0,
            fields: Vec::new(),
            is_typed: true,
            partition_key: partition.iter().map(name_of).collect(),
            order_key: order.iter().map(name_of).collect(),
            time: guesses.time.as_ref().map(name_of),
            span: guesses.span.clone(),
            series: guesses.series,
            repeated: 0.0,
            counted_one_in: 1,
            notes: declared.notes,
            made: Some(
                guesses
                    .columns
                    .into_iter()
                    .map(|guess| guess.generator)
                    .collect(),
            ),
            origin: Some(declared.origin),
            grown: None,
            mix: None,
        }
    }

    /// Gives what was found of a sample the name, the columns and the types of the table that it is of. Where values of
    /// the sample do not have a declared type, theirs is kept.
    pub fn declared_as(mut self, declared: Declared) -> Inferred {
        let declared = declared.without_uuids_in_order();
        let mut missing: Vec<&DeclaredColumn> = declared.columns.iter().collect();
        let mut kept = Vec::with_capacity(self.columns.len());
        for mut column in std::mem::take(&mut self.columns) {
            let written = column.from.clone().unwrap_or_else(|| column.name.clone());
            let exactly = missing.iter().position(|of| is_called(of, &written));
            let found = exactly.or_else(|| {
                let mut missing = missing.iter();
                missing.position(|of| names::name(&of.name, "") == column.name)
            });
            match found.map(|place| missing.swap_remove(place)) {
                Some(of) => {
                    let is_time = self.time.as_ref() == Some(&column.name)
                        || self.order_key.contains(&column.name);
                    let about = said(&declared, of) + remark(of, is_time);
                    column.take(&about, kind(of, is_time), self.is_typed);
                    kept.push(column);
                }
                None if self.partition_key.contains(&column.name)
                    || self.order_key.contains(&column.name) =>
                {
                    kept.push(column);
                }
                None => self.left_out.push(format!(
                    "`{written}` of the sample, which the declared table lacks"
                )),
            }
        }
        // In the order in which they are declared.
        let place = |name: &str| {
            declared
                .columns
                .iter()
                .position(|column| column.name == name)
        };
        missing.sort_by_key(|column| place(&column.name));
        for column in missing {
            self.left_out
                .push(format!("`{}`, which the sample lacks", column.name));
        }
        self.columns = kept;
        self.table = names::name(&declared.origin.table, "data");
        self.left_out
            .extend(declared.origin.left_out.iter().cloned());
        self.notes.extend(declared.notes);
        self.origin = Some(declared.origin);
        self
    }
}

impl InferredColumn {
    /// Gives the column the declared type if the values of the sample have it, and says so.
    fn take(&mut self, about: &str, declared: ColumnType, is_typed: bool) {
        use ColumnType::{Bigint, Date, Double, Float, Int, Text, Timestamp};
        let is_wider = match (declared, self.kind) {
            (Bigint, Int) | (Float | Double, Int | Bigint) => true,
            // A text has the decimals of both.
            (Float, Double) => true,
            (Text, other) => other != ColumnType::Blob,
            _ => false,
        };
        let other = if self.kind == declared {
            ""
        } else if let (Date, Timestamp) | (Timestamp, Date) = (declared, self.kind) {
            // Days are times as well.
            self.kind = declared;
            self.days = None;
            ""
        } else if is_wider && !is_typed {
            if declared == Text {
                self.format = None;
                self.signs = None;
            }
            self.kind = declared;
            ""
        } else {
            ", which the sample has not"
        };
        self.evidence = format!("{about}{other}; {}", self.evidence);
    }
}

/// Returns whether a declared column is the one that a sample calls so.
fn is_called(declared: &DeclaredColumn, written: &str) -> bool {
    let lower = |name: &str| name.trim().to_lowercase();
    lower(&declared.name) == lower(written)
}

/// Returns what is said of a declared column.
fn said(declared: &Declared, column: &DeclaredColumn) -> String {
    let said = declared.origin.columns.get(&column.name.to_lowercase());
    said.cloned().unwrap_or_default()
}

/// Returns the type of a declared column: days are times where they are the time of the rows.
fn kind(column: &DeclaredColumn, is_time: bool) -> ColumnType {
    if is_of_days(column) && !is_time {
        ColumnType::Date
    } else {
        column.kind
    }
}

/// Says what becomes of days that are the time of the rows.
fn remark(column: &DeclaredColumn, is_time: bool) -> &'static str {
    if is_of_days(column) && is_time {
        ", held as the midnight (UTC) that it begins with"
    } else {
        ""
    }
}

fn is_of_days(column: &DeclaredColumn) -> bool {
    column.form == DeclaredForm::Day && column.kind == ColumnType::Timestamp
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Asked, Origin, infer};
    use super::*;
    use crate::{Data, Generator, Workload};

    fn column(name: &str, kind: ColumnType) -> DeclaredColumn {
        DeclaredColumn {
            name: name.to_owned(),
            kind,
            form: DeclaredForm::Plain,
        }
    }

    fn readings() -> Declared {
        Declared {
            origin: Origin {
                name: "readings in schema.sql".to_owned(),
                table: "Readings".to_owned(),
                left_out: vec!["`tags` (text[]): it has many values".to_owned()],
                columns: [("the room".to_owned(), "text in the table".to_owned())].into(),
                ..Origin::default()
            },
            columns: vec![
                column("The Room", ColumnType::Text),
                column("time", ColumnType::Timestamp),
                column("heat", ColumnType::Double),
                column("state", ColumnType::Int),
                column("id", ColumnType::Uuid),
            ],
            partition_key: vec!["The Room".to_owned()],
            order_key: vec!["time".to_owned()],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_declared_table_is_a_workload_whose_rows_are_made() {
        let found = Inferred::declared(readings());
        let text = found.workload("schema.sql", &["parquet?codec=zstd".to_owned()], &[]);
        let workload = Workload::parse(&text, Path::new("w.toml"));
        let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(
            matches!(workload.data, Data::Generator(Generator::Columns(_))),
            "{text}"
        );
        assert_eq!(workload.table.name, "readings");
        assert_eq!(workload.table.partition_key, ["the_room"]);
        for words in [
            "# Table readings in schema.sql, as `bakeoff init` read it.",
            "the_room = \"text\" # text in the table",
            "id = \"uuid\"",
            "id = { sequence = { } }",
            "# left out: `tags` (text[]): it has many values",
            "a guess",
            "--data",
        ] {
            assert!(text.contains(words), "`{words}` is not in {text}");
        }
        assert!(!text.contains("file ="), "{text}");
    }

    #[test]
    fn declared_days_are_dates_unless_rows_are_ordered_by_them() {
        let with_day = || {
            let mut declared = readings();
            declared.columns.push(DeclaredColumn {
                form: DeclaredForm::Day,
                ..column("day", ColumnType::Timestamp)
            });
            declared
        };
        let kind_of_day = |found: &Inferred| {
            let day = found.columns.iter().find(|column| column.name == "day");
            day.map(|day| (day.kind, day.evidence.contains("midnight")))
        };
        let found = Inferred::declared(with_day());
        assert_eq!(kind_of_day(&found), Some((ColumnType::Date, false)));
        let text = found.workload("schema.sql", &["memory".to_owned()], &[]);
        let workload = Workload::parse(&text, Path::new("w.toml"));
        let workload = workload.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let kind = workload.table.column("day").map(|day| day.kind);
        assert_eq!(kind, Some(ColumnType::Date));
        let ordered = Declared {
            order_key: vec!["day".to_owned()],
            ..with_day()
        };
        let found = Inferred::declared(ordered);
        assert_eq!(kind_of_day(&found), Some((ColumnType::Timestamp, true)));

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let rows = "The Room,time,heat,state,day\n7,2026-05-01T10:00:00,21,1,2026-05-01\n\
                    7,2026-05-02T10:00:00,22,1,2026-05-02\n";
        std::fs::write(&path, rows).unwrap();
        let asked = Asked {
            key: vec!["The Room".to_owned()],
            order: Some(vec!["time".to_owned()]),
            ..Asked::default()
        };
        let found = infer(&path, &asked).unwrap().declared_as(with_day());
        assert_eq!(kind_of_day(&found), Some((ColumnType::Date, false)));
    }

    #[test]
    fn uuids_that_order_rows_are_text() {
        let declared = Declared {
            partition_key: vec!["time".to_owned()],
            order_key: vec!["id".to_owned()],
            ..readings()
        };
        let found = Inferred::declared(declared);
        let column = found.columns.iter().find(|column| column.name == "id");
        let column = column.unwrap();
        assert_eq!(column.kind, ColumnType::Text);
        assert!(
            column.evidence.contains("held as text"),
            "{}",
            column.evidence
        );
        let text = found.workload("schema.sql", &["parquet?codec=zstd".to_owned()], &[]);
        Workload::parse(&text, Path::new("w.toml")).unwrap();
    }

    #[test]
    fn a_sample_has_the_types_that_are_declared_where_its_values_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.csv");
        let rows = "the room,time,heat,state,flow,more\n7,2026-05-01,21,ok,0.5,1\n7,2026-05-02,22,ok,2,1\n";
        std::fs::write(&path, rows).unwrap();
        let mut declared = readings();
        declared.columns.push(column("flow", ColumnType::Float));
        let asked = Asked {
            key: declared.partition_key.clone(),
            order: Some(declared.order_key.clone()),
            ..Asked::default()
        };
        let found = infer(&path, &asked).unwrap().declared_as(declared);
        let kinds: Vec<(&str, ColumnType)> = { found.columns.iter() }
            .map(|column| (column.name.as_str(), column.kind))
            .collect();
        assert_eq!(
            kinds,
            [
                ("the_room", ColumnType::Text),
                ("time", ColumnType::Timestamp),
                ("heat", ColumnType::Double),
                ("state", ColumnType::Text),
                ("flow", ColumnType::Float),
            ]
        );
        assert!(
            found.columns[3]
                .evidence
                .contains("which the sample has not")
        );
        assert!(
            found.left_out[0].contains("`more` of the sample"),
            "{:?}",
            found.left_out
        );
        assert_eq!((found.table.as_str(), found.made), ("readings", None));
    }
}
