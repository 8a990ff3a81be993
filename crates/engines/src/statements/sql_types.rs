//! What becomes of the types of SQL in a workload.

use bakeoff_workload::ColumnType;
use bakeoff_workload::infer::DeclaredForm;

use super::sql_words::{EnumType, listed_values};
use crate::live::{Fate, Holding};

/// Most values of an enum that are made.
const MOST_VALUES: usize = 50;
/// The end of the names of types that have many values.
const ARRAY: &str = "[]";
const NO_BYTES: &str = "no question can be asked of bytes";
const NO_DOCUMENT: &str =
    "a document has many values, and a column of a workload has one in each row";

/// Returns what becomes of the values of a type, and what they look like. `enums` are types whose values are listed.
pub fn fate(written: &str, enums: &[EnumType]) -> (Fate, DeclaredForm) {
    let as_written = written;
    let written = written.to_lowercase();
    if written.ends_with(ARRAY) || written.starts_with("array") {
        let why = "an array has many values, and a column of a workload has one in each row";
        return (Fate::LeftOut(why), DeclaredForm::Plain);
    }
    if written.starts_with("enum") {
        return (in_no_order(), one_of(&listed_values(as_written)));
    }
    let (base, numbers) = without_numbers(&written);
    // A type may be written with its schema.
    let base = base
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .trim_matches('"');
    let form = match base {
        "uuid" => DeclaredForm::Uuid,
        "inet" | "cidr" => DeclaredForm::Address,
        "date" | "date32" => DeclaredForm::Day,
        // MySQL has it in place of a boolean.
        "tinyint" if numbers == [1] => DeclaredForm::Between(0, 1),
        _ if base.starts_with("time") && !base.starts_with("timestamp") => DeclaredForm::Clock,
        _ if base.contains("char") => numbers
            .first()
            .map_or(DeclaredForm::Plain, |most| DeclaredForm::Characters(*most)),
        _ => DeclaredForm::Plain,
    };
    if let Some(of) = enums.iter().find(|of| of.name == base) {
        return (in_no_order(), one_of(&of.values));
    }
    (of_base(base, &numbers), form)
}

fn of_base(base: &str, numbers: &[u64]) -> Fate {
    use ColumnType::{Bigint, Boolean, Double, Float, Int, Text, Timestamp, Uuid};
    let (kind, remark) = match base {
        "bool" | "boolean" => (Boolean, ""),
        "tinyint" | "smallint" | "int2" | "mediumint" | "int" | "integer" | "int4" | "int16"
        | "int32" | "smallserial" | "serial" | "serial2" | "serial4" | "tinyint unsigned"
        | "smallint unsigned" | "mediumint unsigned" => (Int, ""),
        "bigint" | "int8" | "int64" | "bigserial" | "serial8" | "oid" | "int unsigned"
        | "integer unsigned" | "int4 unsigned" => (Bigint, ""),
        "real" | "float4" | "float32" => (Float, ""),
        "float" | "float8" | "float64" | "double" | "double precision" => (Double, ""),
        "bigint unsigned" | "hugeint" => return Fate::Held(Holding::Whole, ""),
        "numeric" | "decimal" | "dec" => {
            let is_whole = matches!(numbers, [_] | [_, 0]);
            let holding = if is_whole {
                Holding::Whole
            } else {
                Holding::Decimal
            };
            return Fate::Held(holding, "");
        }
        "text" | "varchar" | "character varying" | "char varying" | "char" | "character"
        | "bpchar" | "nvarchar" | "string" | "tinytext" | "mediumtext" | "longtext" | "clob"
        | "name" => (Text, ""),
        "citext" => (Text, "held as text, in which upper and lower case differ"),
        "uuid" => (Uuid, ""),
        "inet" | "cidr" => (Text, "held as text, which is not ordered as addresses are"),
        "macaddr" | "macaddr8" => (Text, "held as text"),
        "timestamp" | "timestamp without time zone" | "datetime" | "timestamp_ntz" => {
            (Timestamp, "")
        }
        "timestamptz" | "timestamp with time zone" => (Timestamp, "held in UTC"),
        "date" | "date32" => (Timestamp, "held as the midnight (UTC) that it begins with"),
        "time" | "time without time zone" => (Text, "held as text, in the same order"),
        "timetz" | "time with time zone" => {
            (Text, "held as text, which is not ordered as times are")
        }
        "bytea" | "blob" | "tinyblob" | "mediumblob" | "longblob" | "binary" | "varbinary"
        | "bytes" => {
            return Fate::LeftOut(NO_BYTES);
        }
        "json" | "jsonb" | "xml" | "hstore" => return Fate::LeftOut(NO_DOCUMENT),
        _ if base.starts_with("interval") => {
            return Fate::LeftOut("workloads have no lengths of time");
        }
        _ => return Fate::LeftOut("no type of a workload has such values"),
    };
    Fate::Held(Holding::As(kind), remark)
}

/// Returns the form of values that a type lists.
fn one_of(values: &[String]) -> DeclaredForm {
    if values.is_empty() || values.len() > MOST_VALUES {
        return DeclaredForm::Plain;
    }
    DeclaredForm::OneOf(values.to_vec())
}

fn in_no_order() -> Fate {
    Fate::Held(
        Holding::As(ColumnType::Text),
        "held as text, which is ordered by its letters and not as the enum is",
    )
}

/// Returns a type without the numbers in its parentheses, and these.
fn without_numbers(written: &str) -> (String, Vec<u64>) {
    let Some((before, rest)) = written.split_once('(') else {
        return (written.trim().to_owned(), Vec::new());
    };
    let (inside, behind) = rest.split_once(')').unwrap_or((rest, ""));
    let numbers = inside
        .split(',')
        .filter_map(|number| number.trim().parse().ok());
    let base = format!("{}{}", before.trim_end(), behind.trim_end());
    (base, numbers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mood() -> EnumType {
        EnumType {
            name: "mood".to_owned(),
            values: vec!["fine".to_owned()],
        }
    }

    #[test]
    fn types_are_held_by_those_of_a_workload() {
        for (written, kind, form) in [
            ("BOOLEAN", ColumnType::Boolean, DeclaredForm::Plain),
            ("INT UNSIGNED", ColumnType::Bigint, DeclaredForm::Plain),
            ("bigserial", ColumnType::Bigint, DeclaredForm::Plain),
            ("DOUBLE PRECISION", ColumnType::Double, DeclaredForm::Plain),
            ("REAL", ColumnType::Float, DeclaredForm::Plain),
            ("FLOAT", ColumnType::Double, DeclaredForm::Plain),
            (
                "CHARACTER VARYING(20)",
                ColumnType::Text,
                DeclaredForm::Characters(20),
            ),
            ("CHAR(2)", ColumnType::Text, DeclaredForm::Characters(2)),
            ("TIMESTAMPTZ(3)", ColumnType::Timestamp, DeclaredForm::Plain),
            (
                "TIMESTAMP(3) WITHOUT TIME ZONE",
                ColumnType::Timestamp,
                DeclaredForm::Plain,
            ),
            (
                "TIME(0) WITH TIME ZONE",
                ColumnType::Text,
                DeclaredForm::Clock,
            ),
            ("DATE", ColumnType::Timestamp, DeclaredForm::Day),
            ("public.citext", ColumnType::Text, DeclaredForm::Plain),
            ("UUID", ColumnType::Uuid, DeclaredForm::Uuid),
            (
                "shop.mood",
                ColumnType::Text,
                DeclaredForm::OneOf(vec!["fine".to_owned()]),
            ),
            (
                "ENUM('A', 'b')",
                ColumnType::Text,
                DeclaredForm::OneOf(vec!["A".to_owned(), "b".to_owned()]),
            ),
            ("TINYINT(1)", ColumnType::Int, DeclaredForm::Between(0, 1)),
        ] {
            let (fate, found) = fate(written, &[mood()]);
            assert!(
                matches!(fate, Fate::Held(Holding::As(held), _) if held == kind),
                "{written}: {fate:?}"
            );
            assert_eq!(found, form, "{written}");
        }
        let held = |written: &str| fate(written, &[]).0;
        assert_eq!(held("NUMERIC(10)"), Fate::Held(Holding::Whole, ""));
        assert_eq!(held("DECIMAL(10,2)"), Fate::Held(Holding::Decimal, ""));
    }

    #[test]
    fn types_that_no_workload_has_say_why() {
        for (written, words) in [
            ("TEXT[]", "an array"),
            ("BYTEA", "bytes"),
            ("JSONB", "a document"),
            ("INTERVAL YEAR TO MONTH", "lengths of time"),
            ("geometry(Point, 4326)", "no type of a workload"),
            ("", "no type of a workload"),
        ] {
            let (fate, _) = fate(written, &[]);
            assert!(
                matches!(fate, Fate::LeftOut(why) if why.contains(words)),
                "{written}: {fate:?}"
            );
        }
    }
}
