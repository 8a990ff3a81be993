use arrow::array::{
    ArrayRef, BooleanArray, Float32Array, Float64Array, StringArray, TimestampMillisecondArray,
};
use bakeoff_columnar::{Column as TableColumn, Definition, Kind};
use tempfile::TempDir;

use super::*;

const OPTIONS: Options = Options {
    consistency: None,
    page_time_limit: None,
    threads: 2,
    memory_bytes: 64 << 20,
    cache_bytes: 0,
};

fn rows(hosts: &[&str], times: &[i64]) -> RecordBatch {
    let values = times.iter().map(|time| *time as f64);
    let columns: [(&str, ArrayRef); 4] = [
        ("host", Arc::new(StringArray::from(hosts.to_vec()))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from(times.to_vec())),
        ),
        ("value", Arc::new(Float64Array::from_iter_values(values))),
        ("Up", Arc::new(BooleanArray::from(vec![true; times.len()]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A table in a folder: two chunks of two rows, and one row that is in no chunk.
async fn scanner() -> (TempDir, Scanner) {
    let folder = TempDir::new().unwrap();
    let location = Location::Directory(folder.path().join("t"));
    let connection = Connection::new(None);
    let columns = vec![
        TableColumn::new("host", Kind::Text),
        TableColumn::new("time", Kind::Timestamp),
        TableColumn::new("value", Kind::Double),
        TableColumn::new("Up", Kind::Boolean),
    ];
    let definition = Definition {
        chunk_rows: 2,
        ..Definition::new(columns, &["host"], &["time"])
    };
    let options = ColumnarOptions::default();
    let made = connection.create_columnar(&location, definition, &options);
    let table = made.await.unwrap();
    let mut ingest = table.ingest();
    ingest
        .write(&rows(&["a", "a", "b", "b"], &[1, 2, 1, 2]))
        .await
        .unwrap();
    ingest.finish().await.unwrap();
    table.insert(&rows(&["c"], &[9])).await.unwrap();
    let scanner = Scanner::open(&connection, &location, &OPTIONS).await;
    (folder, scanner.unwrap())
}

fn request(columns: &[&str], condition: Option<&str>) -> ScanRequest {
    ScanRequest {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        condition: condition.map(str::to_owned),
    }
}

/// Returns the rows of each share, as text.
async fn read(scanner: &Scanner, request: &ScanRequest, count: u32) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for share in scanner.shares(request, count).await.unwrap() {
        let token = scanner.token(&share).unwrap();
        let share = scanner.share(&token).unwrap();
        let mut scan = scanner.read(share).await.unwrap();
        let mut found = Vec::new();
        while let Some(rows) = scan.next().await.unwrap() {
            assert_eq!(&rows.schema(), scan.schema());
            for row in 0..rows.num_rows() {
                let cells = rows.columns().iter().map(|column| {
                    arrow::util::display::array_value_to_string(column, row).unwrap()
                });
                found.push(cells.collect::<Vec<_>>().join(" "));
            }
        }
        all.push(found);
    }
    all
}

#[tokio::test]
async fn each_share_has_its_own_rows_of_the_columns_that_are_wanted() {
    let (_folder, scanner) = scanner().await;
    let shares = read(&scanner, &request(&["value", "host"], None), 3).await;
    assert_eq!(shares.iter().flatten().count(), 5);
    let mut all: Vec<String> = shares.concat();
    all.sort();
    assert_eq!(all, ["1.0 a", "1.0 b", "2.0 a", "2.0 b", "9.0 c"]);
    let wanted = request(&["host"], Some("\"Up\" AND value >= 2 AND host <> 'c'"));
    let shares = read(&scanner, &wanted, 2).await;
    assert_eq!(shares.concat(), ["a", "b"]);
    // More shares than parts: the others are empty and have the schema.
    let shares = read(&scanner, &request(&[], None), 9).await;
    assert_eq!(shares.len(), 9);
    assert_eq!(shares.iter().flatten().count(), 5);
}

#[tokio::test]
async fn columns_that_are_not_there_or_wanted_twice_are_refused() {
    let (_folder, scanner) = scanner().await;
    for (columns, said) in [
        (
            &["vlaue"][..],
            "has no column `vlaue`; did you mean `value`?",
        ),
        (&["up"], "has no column `up`"),
        (&["host", "time", "host"], "column `host` is wanted twice"),
    ] {
        let error = scanner.shares(&request(columns, None), 1).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[tokio::test]
async fn a_condition_is_one_of_a_row_and_the_same_whenever_it_is_asked() {
    let (_folder, scanner) = scanner().await;
    let ask = async |condition: &str| {
        let asked = scanner.shares(&request(&[], Some(condition)), 1).await;
        asked.map(|shares| shares[0].parts.len())
    };
    for condition in [
        "value > 1.5",
        "lower(host) = 'a' OR host LIKE 'b%'",
        "time >= TIMESTAMP '1970-01-01T00:00:00.002'",
        "time BETWEEN '1970-01-01' AND '2024-01-01'",
        "host IN ('it''s', '\\', ';--') OR value IS NULL",
        "startswith(host, 'a') AND time AT TIME ZONE 'Asia/Tokyo' > TIMESTAMP '1970-01-01 09:00:00'",
        "time < TIMESTAMP '2024-01-01 00:00:00' AT TIME ZONE 'Europe/Berlin'",
        "\"Up\"",
    ] {
        let asked = ask(condition).await;
        assert!(asked.is_ok(), "{condition}: {}", asked.unwrap_err());
    }
    for condition in [
        "",
        "value",
        "NULL",
        "1",
        "true; DROP TABLE t",
        "true) OR (true",
        "true LIMIT 1",
        "true UNION SELECT true",
        "SELECT true",
        "\"Up\" AS x",
        "value > (SELECT 1)",
        "EXISTS (SELECT 1)",
        "value IN (SELECT value FROM t)",
        "value IN (SELECT value FROM '/etc/passwd')",
        "count(*) > 1",
        "row_number() OVER () = 1",
        "time < now()",
        "time < current_date",
        "value = $1",
        "nothing = 1",
        "nothing(value)",
        "host = 'a",
        "time > 'yesterday'",
        "time AT TIME ZONE '+02:00' > TIMESTAMP '2024-01-01 00:00:00'",
        "time AT TIME ZONE 'Europe/Berlin'",
    ] {
        match ask(condition).await {
            Err(TableError::Sql(_)) => {}
            other => panic!("{condition}: {other:?}"),
        }
    }
    let said = ask("vlaue = 1").await.unwrap_err().to_string();
    assert!(said.contains("there is no column `vlaue`"), "{said}");
    let said = ask("startswith(host, 'a') OR vlaue = 1").await;
    let said = said.unwrap_err().to_string();
    assert!(said.contains("there is no column `vlaue`"), "{said}");
    let said = ask("time < now()").await.unwrap_err().to_string();
    assert!(said.contains("write the value instead"), "{said}");
    assert_eq!(
        ask("value > 100").await.unwrap(),
        1,
        "fresh rows have no statistics"
    );
    assert_eq!(ask("host = 'a' AND value > 100").await.unwrap(), 0);
}

#[tokio::test]
async fn a_chunk_that_is_gone_asks_for_a_new_plan() {
    let (_folder, scanner) = scanner().await;
    let shares = scanner.shares(&request(&[], None), 1).await.unwrap();
    let connection = Connection::new(None);
    let options = ColumnarOptions::default();
    let opened = connection.open_columnar(&scanner.location, Access::Write, &options);
    let table = opened.await.unwrap().unwrap();
    table.insert(&rows(&["a"], &[1])).await.unwrap();
    table.seal(None).await.unwrap();
    table.sweep(std::time::Duration::ZERO).await.unwrap();
    let mut scan = scanner.read(shares[0].clone()).await.unwrap();
    let error = loop {
        match scan.next().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the rows of a chunk were left out"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("make a new plan"), "{error}");
}

#[tokio::test]
async fn floats_are_compared_with_whole_numbers_as_they_are_written() {
    let folder = TempDir::new().unwrap();
    let location = Location::Directory(folder.path().join("t"));
    let connection = Connection::new(None);
    let columns = vec![
        TableColumn::new("host", Kind::Text),
        TableColumn::new("time", Kind::Timestamp),
        TableColumn::new("heat", Kind::Float),
    ];
    let definition = Definition::new(columns, &["host"], &["time"]);
    let options = ColumnarOptions::default();
    let made = connection.create_columnar(&location, definition, &options);
    let table = made.await.unwrap();
    let columns: [(&str, ArrayRef); 3] = [
        ("host", Arc::new(StringArray::from(vec!["a", "b"]))),
        (
            "time",
            Arc::new(TimestampMillisecondArray::from(vec![1, 1])),
        ),
        (
            "heat",
            Arc::new(Float32Array::from(vec![16_777_216.0, 16_777_218.0])),
        ),
    ];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let mut ingest = table.ingest();
    ingest.write(&rows).await.unwrap();
    ingest.finish().await.unwrap();
    let opened = Scanner::open(&connection, &location, &OPTIONS).await;
    let scanner = opened.unwrap();
    for (condition, hosts) in [
        ("heat > 16777217", &["b"][..]),
        ("heat = 16777216", &["a"]),
        ("heat = 16777217", &[]),
    ] {
        let found = read(&scanner, &request(&["host"], Some(condition)), 1).await;
        assert_eq!(found.concat(), hosts, "{condition}");
    }
}
