//! Keys of kinds that few tables have, and names with capitals.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, RecordBatch,
    TimestampNanosecondArray,
};
use bakeoff_columnar::{Definition, Kind, MemoryStore, Profile};
use bakeoff_testing::times;

use super::rows::{Random, column};
use super::support::{ask, assert_same, loaded, plain, session_of, values};

#[derive(Debug, Clone, Copy)]
struct Row {
    at: i64,
    float: f64,
    single: f32,
    day: i32,
    flag: bool,
    value: Option<f64>,
}

impl Row {
    fn random(random: &mut Random) -> Row {
        let floats = [-1.5, -0.0, 0.0, 2.5, f64::NAN, f64::INFINITY];
        Row {
            at: random.between(-50, 50) * 1_000_000_007,
            float: *random.pick(&floats),
            single: *random.pick(&floats) as f32,
            day: random.between(-3, 3) as i32,
            flag: random.one_in(2),
            value: (!random.one_in(5)).then(|| *random.pick(&floats)),
        }
    }

    /// Returns the key of a row: rows with the same key are one row.
    fn name(&self) -> (i64, u64, u32, i32, bool) {
        (
            self.at,
            self.float.to_bits(),
            self.single.to_bits(),
            self.day,
            self.flag,
        )
    }
}

const ALL: [&str; 5] = ["At", "Float", "single", "day", "flag"];

fn definition(partition: &[&str], chunk_rows: u32) -> Definition {
    let order = ALL.iter().filter(|name| !partition.contains(name));
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    Definition {
        columns: vec![
            column("At", Kind::Nanotime),
            column("Float", Kind::Double),
            column("single", Kind::Float),
            column("day", Kind::Date),
            column("flag", Kind::Boolean),
            column("Value", Kind::Double),
        ],
        partition_key: names(partition),
        order_key: names(&order.copied().collect::<Vec<_>>()),
        bucket: None,
        shards: 2,
        profile: Profile::Fast,
        chunk_rows,
    }
}

fn batch(definition: &Definition, rows: &[Row]) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(
            rows.iter()
                .map(|r| Some(r.at))
                .collect::<TimestampNanosecondArray>(),
        ),
        Arc::new(rows.iter().map(|r| Some(r.float)).collect::<Float64Array>()),
        Arc::new(
            rows.iter()
                .map(|r| Some(r.single))
                .collect::<Float32Array>(),
        ),
        Arc::new(rows.iter().map(|r| Some(r.day)).collect::<Date32Array>()),
        Arc::new(rows.iter().map(|r| Some(r.flag)).collect::<BooleanArray>()),
        Arc::new(rows.iter().map(|r| r.value).collect::<Float64Array>()),
    ];
    RecordBatch::try_new(definition.schema(), columns).unwrap()
}

fn condition(random: &mut Random) -> String {
    let op = *random.pick(&["<", "<=", "=", "<>", ">=", ">"]);
    // DataFusion's own order by this column is open among rows with either zero.
    let zeros = if op == "=" { 2 } else { 0 };
    let floats = [
        "0.0",
        "CAST('-0' AS DOUBLE)",
        "2.5",
        "CAST('NaN' AS DOUBLE)",
    ];
    let float = *random.pick(&floats[zeros..]);
    let at = format!(
        "to_timestamp_nanos({})",
        random.between(-50, 50) * 1_000_000_007
    );
    match random.below(8) {
        0 => format!("\"Float\" {op} {float}"),
        1 => format!("single {op} CAST({float} AS REAL)"),
        2 => format!("\"Value\" {op} {float}"),
        3 => format!("\"At\" {op} {at}"),
        4 => format!("day {op} DATE '1970-01-0{}'", random.between(1, 4)),
        5 => "flag".to_owned(),
        6 => "flag = false".to_owned(),
        _ => "\"Value\" IS NOT NULL".to_owned(),
    }
}

fn query(random: &mut Random) -> (String, bool) {
    let conditions: Vec<String> = (0..random.between(1, 3))
        .map(|_| condition(random))
        .collect();
    let filter = conditions.join(" AND ");
    let way = *random.pick(&["", "DESC"]);
    match random.below(5) {
        0 => (format!("SELECT * FROM t WHERE {filter}"), false),
        1 => {
            let sql = format!(
                "SELECT count(*), count(\"Value\"), min(\"At\"), max(day), min(flag) FROM t WHERE {filter}"
            );
            (sql, false)
        }
        2 => {
            let by = *random.pick(&["day", "flag", "\"At\""]);
            let sql =
                format!("SELECT {by}, count(*), max(\"At\") FROM t WHERE {filter} GROUP BY {by}");
            (sql, false)
        }
        _ => {
            let mut by = ["\"At\"", "\"Float\"", "single", "day", "flag"];
            by.rotate_left(random.below(5) as usize);
            let by: Vec<String> = by.iter().map(|name| format!("{name} {way}")).collect();
            let limit = random.between(1, 40);
            let sql = format!(
                "SELECT * FROM t WHERE {filter} ORDER BY {} LIMIT {limit}",
                by.join(", ")
            );
            (sql, true)
        }
    }
}

#[tokio::test]
async fn keys_of_any_kind_answer_as_a_plain_table() {
    const PARTITIONS: [&[&str]; 6] = [
        &["Float"],
        &["flag", "day"],
        &["At"],
        &["single", "flag"],
        &["day"],
        &["flag"],
    ];
    for seed in 0..times(6, 18) {
        let mut random = Random(seed);
        let partition = PARTITIONS[seed as usize % PARTITIONS.len()];
        let definition = definition(partition, random.between(5, 40) as u32);
        let mut rows = BTreeMap::new();
        let mut loads = Vec::new();
        for _ in 0..random.between(1, 3) {
            let load: Vec<Row> = (0..random.between(1, 150))
                .map(|_| Row::random(&mut random))
                .collect();
            loads.push(batch(&definition, &load));
            rows.extend(load.into_iter().map(|row| (row.name(), row)));
        }
        let rows: Vec<Row> = rows.into_values().collect();
        let expected = plain(batch(&definition, &rows));
        let store = MemoryStore::new(definition).unwrap();
        let table = loaded(Arc::new(store), &loads).await;
        let session = session_of(table, random.between(1, 3) as usize);
        for _ in 0..25 {
            let (sql, in_order) = query(&mut random);
            let found = values(&ask(&session, &sql).await, in_order);
            let expected = values(&ask(&expected, &sql).await, in_order);
            assert_same(&found, &expected, || format!("seed {seed}: {sql}"));
        }
    }
}
