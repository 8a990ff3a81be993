//! Tests workload files whose columns are generated one by one: what is read, and every error.

use std::path::Path;
use std::sync::Arc;

use bakeoff_workload::{
    ColumnGenerator, Data, Generator, RealLaw, RowSource, Sequence, Value, Version, Workload,
    source,
};

const GOOD: &str = r#"
title = "Test"
[table]
name = "t"
partition_key = ["k"]
[table.columns]
K = "text"
time = "timestamp"
i = "int"
b = "bigint"
d = "double"
n = "double"
z = "text"
c = "boolean"
m = "timestamp"
h = "text"
w = "text"
p = "text"
j = "text"
x = "blob"
[data]
generator = "columns"
[data.columns]
k = { sequence = {}, prefix = "k" }
time = { sequence = { start = 2024-01-01T00:00:00Z, step = "10s", every = 5, cycle = 3 } }
i = { uniform = [-5, 5] }
b = { zipf = { items = 9 } }
d = { uniform = [0, 0.5] }
n = { normal = { mean = 100, deviation = 5 } }
z = { zipf = { items = 9, exponent = 1.5 }, prefix = "z" }
c = { choice = [true, false] }
m = { choice = ["2024-01-01", 2024-01-02T00:00:00] }
h = { characters = [1, 2] }
w = { words = [100, 200] }
p = { passages = [100, 200] }
j = { json = [1, 9] }
x = { bytes = { length = [8, 9], compressibility = 0.5 } }
[[queries]]
name = "q"
sql = "SELECT 1"
"#;

fn parse(text: &str) -> Result<Workload, String> {
    Workload::parse(text, Path::new("w/my-test.toml")).map_err(|error| error.to_string())
}

/// Returns the error after replacing `from` in the good file, without the file's name.
fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "the good file has no {from}");
    let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err();
    error.strip_prefix("w/my-test.toml:").unwrap().to_owned()
}

#[test]
fn generators_are_in_the_order_of_the_columns() {
    let workload = parse(GOOD).unwrap();
    let Data::Generator(Generator::Columns(generators)) = &workload.data else {
        panic!("{:?}", workload.data)
    };
    let time = ColumnGenerator::Sequence(Sequence {
        start: 1_704_067_200_000,
        step: 10_000,
        every: 5,
        cycle: Some(3),
        prefix: String::new(),
    });
    assert_eq!(generators[1], time);
    assert_eq!(
        generators[2],
        ColumnGenerator::UniformInteger { from: -5, to: 5 }
    );
    assert_eq!(
        generators[4],
        ColumnGenerator::UniformReal { from: 0.0, to: 0.5 }
    );
    let times = [1_704_067_200_000, 1_704_153_600_000].map(Value::Timestamp);
    assert_eq!(generators[8], ColumnGenerator::Choice(times.to_vec()));
    assert_eq!(generators[10], ColumnGenerator::Words(100..=200));
    let bytes = ColumnGenerator::Bytes {
        length: 8..=9,
        compressibility: 0.5,
    };
    assert_eq!(generators[13], bytes);
}

#[test]
fn rows_are_read_in_batches_and_one_by_one() {
    let workload = parse(GOOD).unwrap();
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    assert_eq!(source.schema(), workload.table.schema());
    assert!(!source.may_repeat_keys());
    let batch = source.read(40, 3).unwrap().next().unwrap().unwrap();
    assert_eq!(batch.rows.schema(), workload.table.schema());
    let values = source::row_values(&workload, source, 1000).unwrap();
    for (index, column) in workload.table.columns.iter().enumerate() {
        let cell = Value::of_cell(column.kind, batch.rows.column(index), 1);
        assert_eq!(
            cell,
            values.value(index, 41, Version::First),
            "{}",
            column.name
        );
    }
    assert_eq!(values.row_of(&[Value::Text("k41".to_owned())]), Some(41));
    assert_eq!(values.rows(), None);
}

#[test]
fn other_sources_have_rows_one_by_one_too() {
    let text = "title = \"x\"\n[data]\ngenerator = \"sensor\"\nsensors = 3\n[[queries]]\n\
                name = \"q\"\nsql = \"SELECT 1\"\n[scale]\nrows = 1000";
    let workload = parse(text).unwrap();
    let source: Arc<dyn RowSource> = source::open(&workload, None).unwrap().into();
    let values = source::row_values(&workload, source.clone(), 1000).unwrap();
    assert_eq!(values.rows(), Some(1000));
    let key: Vec<Value> = (0..2)
        .map(|c| values.value(c, 70, Version::First))
        .collect();
    assert_eq!(key, [Value::Int(11), Value::Bigint(24)]);
    assert_eq!(values.row_of(&key), Some(70));
    assert_eq!(values.next_in_partition(70), Some(73));
    assert_eq!(values.previous_in_partition(70), Some(67));
    assert!(!source::keys_repeat(&workload, &*values, 1000, 1));

    let error = source::row_values(&workload, source, 10_000_000).err();
    let message = error.unwrap().to_string();
    assert!(message.starts_with("10000000 rows cannot be loaded: operations draw"));
    assert!(message.contains("or 64 MiB); ask for --rows "), "{message}");
}

#[test]
fn each_column_has_one_generator() {
    assert_eq!(
        error("w = { words", "v = { words"),
        "34:1: column `v` is not in the table; did you mean `k`?"
    );
    assert!(
        error("w = { words = [100, 200] }\n", "")
            .contains("23:1: column `w` has no generator here")
    );
    assert!(error("w = { words", "K = { words").contains("column `k` has two generators"));
    assert!(
        error("c = { choice = [true, false] }", "c = {}")
            .contains("31:5: a boolean column has exactly one of the generators `choice`")
    );
    assert!(
        error(
            "h = { characters = [1, 2] }",
            "h = { characters = [1, 2], words = [1, 2] }"
        )
        .contains("a text column has exactly one of the generators `sequence`, `zipf`, `choice`")
    );
    assert_eq!(
        error("i = { uniform = [-5, 5] }", "i = { words = [1, 2] }"),
        "26:15: `words` makes no int; for column `i` there are `sequence`, `uniform`, `normal`, `zipf`, `choice`"
    );
    assert!(error("{ words =", "{ word =").contains("unknown key `word`; did you mean `words`?"));
    let without = &GOOD[..GOOD.find("[data.columns]").unwrap()];
    let queries = &GOOD[GOOD.find("[[queries]]").unwrap()..];
    assert!(
        parse(&format!("{without}{queries}"))
            .unwrap_err()
            .contains("`generator = \"columns\"` needs [data.columns]")
    );
    let start = GOOD.find("[table]").unwrap();
    let no_table = GOOD.replace(&GOOD[start..GOOD.find("[data]").unwrap()], "");
    assert!(
        parse(&no_table)
            .unwrap_err()
            .contains("rows that are generated column by column need a [table]")
    );
    assert!(
        error("generator = \"columns\"", "generator = \"gdelt\"")
            .contains("[data.columns] needs `generator = \"columns\"`")
    );
    assert!(
        error("generator = \"columns\"", "generator = \"column\"")
            .contains("unknown generator `column`; did you mean `columns`?")
    );
}

#[test]
fn sequences() {
    let plain = "k = { sequence = {}, prefix = \"k\" }";
    assert_eq!(
        error(plain, "k = { sequence = { step = 0 } }"),
        "24:27: `step` is 0, so that all rows would have the same value"
    );
    assert!(error(plain, "k = { sequence = { every = 0 } }").contains("`every` is 0"));
    assert!(error(plain, "k = { sequence = { cycle = 0 } }").contains("`cycle` is 0"));
    assert!(
        error(plain, "k = { sequence = { start = \"a\" } }")
            .contains("has to be a whole number in a text column")
    );
    let times = "{ start = 2024-01-01T00:00:00Z, step = \"10s\", every = 5, cycle = 3 }";
    assert!(error(times, "{}").contains("25:21: a sequence of times has, for example"));
    assert!(
        error(times, "{ start = \"now\", step = \"1s\" }")
            .contains("25:31: a sequence of times has")
    );
    assert!(
        error(times, "{ start = \"2024-01-01\", step = \"1us\" }")
            .contains("`step` has to be whole milliseconds")
    );
    assert!(error(times, "{ start = \"2024-01-01\", step = \"0s\" }").contains("`step` is 0"));
    assert!(
        error(
            "i = { uniform = [-5, 5] }",
            "i = { sequence = { step = 100_000 } }"
        )
        .contains("the sequence reaches 9999900000, which does not fit column `i` of type int")
    );
    assert!(
        error(
            "w = { words = [100, 200] }",
            "w = { words = [100, 200], prefix = \"w\" }"
        )
        .contains("`prefix` is text before the number")
    );
}

#[test]
fn numbers() {
    assert!(error("[-5, 5]", "[5, -5]").contains("26:17: `uniform` has two whole numbers"));
    assert!(error("[-5, 5]", "[0.5, 1]").contains("two whole numbers"));
    assert!(
        error("[-5, 5]", "[0, 3_000_000_000]")
            .contains("3000000000 does not fit column `i`, which is int (32 bits); make it bigint")
    );
    assert!(error("[0, 0.5]", "[1, 1]").contains("28:17: `uniform` has two numbers"));
    assert!(error("[0, 0.5]", "[0, inf]").contains("`uniform` has two numbers"));
    assert!(
        error("deviation = 5", "deviation = 0").contains("`deviation` is 0, but has to be above 0")
    );
    assert!(error("mean = 100", "mean = nan").contains("`mean` is NaN"));
    assert!(error("items = 9 }", "items = 0 }").contains("`items` is 0"));
    assert_eq!(
        error("exponent = 1.5", "exponent = -1"),
        "30:38: `exponent` is -1, but has to be above 0"
    );
    assert!(error("[true, false]", "[]").contains("`choice` has no values"));
    assert!(
        error("[true, false]", "[true, 1]")
            .contains("31:23: `1` is not a value of column `c`, which is boolean")
    );
}

#[test]
fn lengths() {
    assert_eq!(
        error("words = [100, 200]", "words = [200, 100]"),
        "34:15: `words` ends before it begins; did you mean [100, 200]?"
    );
    assert!(error("words = [100, 200]", "words = [100]").contains("`words` has two whole numbers"));
    assert!(
        error("words = [100, 200]", "words = [-1, 1]")
            .contains("`words` has to be from 0 to 1000000")
    );
    assert!(
        error("passages = [100, 200]", "passages = [1, 90000]")
            .contains("`passages` has to be from 0 to 40000")
    );
    assert!(
        error("length = [8, 9]", "length = [8, 99_000_000]")
            .contains("`length` has to be from 0 to 16777216")
    );
    assert!(
        error("compressibility = 0.5", "compressibility = 1.5")
            .contains("37:52: `compressibility` is 1.5")
    );
}

#[test]
fn blobs_have_synonyms() {
    assert!(
        error("x = \"blob\"", "x = \"bytea\"")
            .contains("unknown type `bytea`; did you mean `blob`?")
    );
}

/// Returns a generator of lists in a workload, or the error without the file's name.
fn list(generator: &str) -> Result<ColumnGenerator, String> {
    let from = "x = { bytes = { length = [8, 9], compressibility = 0.5 } }";
    assert!(GOOD.contains(from));
    let workload = parse(&GOOD.replacen(from, &format!("x = {{ {generator} }}"), 1))?;
    match workload.data {
        Data::Generator(Generator::Columns(mut generators)) => Ok(generators.remove(13)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_of_numbers_have_a_number_of_items_and_one_distribution() {
    let doubles = |items, law| Ok(ColumnGenerator::Doubles { items, law });
    let uniform = RealLaw::Uniform { from: 0.0, to: 0.5 };
    assert_eq!(
        list("doubles = { items = 100, uniform = [0, 0.5] }"),
        doubles(100, uniform)
    );
    let normal = RealLaw::Normal {
        mean: 1.0,
        deviation: 2.5,
    };
    assert_eq!(
        list("doubles = { items = 8192, normal = { mean = 1, deviation = 2.5 } }"),
        doubles(8192, normal)
    );
    let error = |generator: &str| list(generator).unwrap_err();
    for items in ["0", "-1", "8193", "99999999999"] {
        let message = error(&format!(
            "doubles = {{ items = {items}, uniform = [0, 1] }}"
        ));
        let wanted = format!("37:27: `items` is {items}, but has to be from 1 to 8192");
        assert!(message.ends_with(&wanted), "{message}");
    }
    for law in [
        "",
        ", uniform = [0, 1], normal = { mean = 0, deviation = 1 }",
    ] {
        let message = error(&format!("doubles = {{ items = 3{law} }}"));
        assert!(
            message.contains("37:17: `doubles` has one distribution"),
            "{message}"
        );
    }
    let message = error("doubles = { items = 3, uniform = [1, 1] }");
    assert!(message.contains("`uniform` has two numbers"), "{message}");
    let message = error("doubles = { items = 3, uniform = [0, 1, 2] }");
    assert!(message.contains("`uniform` has two numbers"), "{message}");
    let message = error("doubles = { items = 3, normal = { mean = 0, deviation = 0 } }");
    assert!(message.contains("`deviation` is 0"), "{message}");
    let message = error("doubles = { uniform = [0, 1] }");
    assert!(message.contains("items"), "{message}");
}

#[test]
fn lists_of_numbers_are_in_blobs_only() {
    assert_eq!(
        error(
            "w = { words = [100, 200] }",
            "w = { doubles = { items = 3, uniform = [0, 1] } }"
        ),
        "34:17: `doubles` makes no text; for column `w` there are `sequence`, `zipf`, `choice`, \
         `characters`, `words`, `passages`, `json`, `bytes`"
    );
}
