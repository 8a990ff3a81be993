//! `bakeoff table`.

use super::{ALL, KEYS, rows, with_table};

#[test]
fn a_table_is_kept_in_order() {
    let bench = with_table();
    let info = bench.bakeoff(&["table", "info", "dir:t"]).expect(0);
    info.says("partition key  series")
        .says("order key      time")
        .says("bucket         1d\n");
    info.says("rows           4 in 2 chunks of 2 buckets")
        .says("value   double");
    bench
        .bakeoff(&["ingest", "readings.csv", "--into", "dir:t"])
        .expect(0);
    bench
        .bakeoff(&["table", "info", "dir:t"])
        .expect(0)
        .says("to be sealed   2 parts: their keys overlap");
    bench
        .bakeoff(&["table", "seal", "dir:t", "--before", "2024-01-02"])
        .expect(0)
        .says("sealed 1 bucket: 0 single rows and 2 chunks became 1 chunk");
    bench
        .bakeoff(&["table", "seal", "dir:t"])
        .expect(0)
        .says("sealed 1 bucket: 0 single rows and 2 chunks became 1 chunk");
    bench
        .bakeoff(&["table", "sweep", "dir:t"])
        .expect(0)
        .says("removed 0 chunks");
    bench
        .bakeoff(&["table", "sweep", "dir:t", "--grace", "0s"])
        .expect(0)
        .says("removed 4 chunks");
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["4"]);
    bench
        .bakeoff(&["table", "drop-before", "dir:t", "2024-01-01T23:59:59Z"])
        .expect(0)
        .says("dropped 0 of 2 buckets, 0 of 4 rows: none ends at or before 2024-01-01T23:59:59Z");
    bench
        .bakeoff(&["table", "drop-before", "dir:t", "2024-01-02", "--yes"])
        .expect(0)
        .says("dropped 1 of 2 buckets, 3 of 4 rows, 2024-01-01 to 2024-01-02");
    assert_eq!(rows(&bench, ALL), ["b,2024-01-02T00:00:00,NaN"]);
}

#[test]
fn dropping_rows_says_how_many_and_asks() {
    let bench = with_table();
    let drop = |time: &str, flags: &[&str]| {
        bench.bakeoff(&[&["table", "drop-before", "dir:t", time], flags].concat())
    };
    drop("2024-01-02", &["--dry-run"])
        .expect(0)
        .says("would drop 1 of 2 buckets, 3 of 4 rows, 2024-01-01 to 2024-01-02");
    drop("2024-01-02", &[])
        .expect(2)
        .says("this removes 1 of 2 buckets, 3 of 4 rows, 2024-01-01 to 2024-01-02, of dir:t: confirm with --yes");
    // A year that was mistyped.
    for flags in [&[][..], &["--yes"], &["--dry-run"]] {
        drop("2124-01-02", flags)
            .expect(2)
            .says("all rows of dir:t are in buckets that end at or before 2124-01-02")
            .says("with --allow-empty");
    }
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["4"]);
    drop("2124-01-02", &["--yes", "--allow-empty"])
        .expect(0)
        .says("dropped 2 of 2 buckets, 4 of 4 rows, 2024-01-01 to 2024-01-03");
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["0"]);
}

#[test]
fn a_table_of_wrong_types_can_be_removed_and_made_anew() {
    let bench = with_table();
    std::fs::write(
        bench.path("more.csv"),
        "series,time,value\na,2024-02-01T00:00:00,n/a\n",
    )
    .unwrap();
    let ingest = ["ingest", "more.csv", "--into", "dir:t"];
    bench
        .bakeoff(&ingest)
        .expect(1)
        .says("column `value`: `n/a` is not a double")
        .says("remove it with `bakeoff table drop dir:t`");
    std::fs::write(bench.path("t/mine.txt"), "x").unwrap();
    let drop = ["table", "drop", "dir:t", "--yes"];
    bench
        .bakeoff(&drop)
        .expect(2)
        .says("t has `mine.txt`, which is not part of a columnar table; nothing was removed");
    assert_eq!(rows(&bench, "SELECT count(*) FROM t"), ["4"]);
    std::fs::remove_file(bench.path("t/mine.txt")).unwrap();
    // As after a drop that was interrupted.
    std::fs::remove_file(bench.path("t/table.json")).unwrap();
    bench
        .bakeoff(&["table", "info", "dir:t"])
        .expect(2)
        .says("of the columnar table dir:t there is only ")
        .says("`bakeoff table drop dir:t` removes what is left");
    bench
        .bakeoff(&[&ingest[..], &KEYS[..]].concat())
        .expect(2)
        .says("`bakeoff table drop dir:t` removes what is left of it");
    bench.bakeoff(&drop).expect(0).says("removed dir:t");
    assert!(!bench.path("t").exists());
    let made = [&ingest[..], &KEYS[..], &["--types", "value=text"]].concat();
    bench.bakeoff(&made).expect(0);
    assert_eq!(rows(&bench, ALL), ["a,2024-02-01T00:00:00,n/a"]);
}

#[test]
fn a_damaged_table_is_checked_and_repaired() {
    let bench = with_table();
    let check = ["table", "check", "dir:t"];
    let repair = ["table", "check", "dir:t", "--repair"];
    for command in [&check[..], &repair[..]] {
        bench
            .bakeoff(command)
            .expect(0)
            .says("dir:t: 2 chunks of ")
            .says("\nsound\n");
    }
    let chunks = std::fs::read_dir(bench.path("t/chunks")).unwrap();
    let chunk = chunks.map(|file| file.unwrap().path()).min().unwrap();
    let mut bytes = std::fs::read(&chunk).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&chunk, &bytes).unwrap();
    bench
        .bakeoff(&check)
        .expect(3)
        .says("damaged: chunk ")
        .says("the checksum is wrong of column `series`; ")
        .says("damaged; `bakeoff table check dir:t --repair` repairs what can be repaired");
    assert!(chunk.exists());
    bench
        .bakeoff(&repair)
        .expect(0)
        .says("repaired: it was taken out of the table and is in ")
        .says("sound again; see above what is lost");
    let kept = bench.path("t/damaged-1").join(chunk.file_name().unwrap());
    assert_eq!(std::fs::read(kept).unwrap(), bytes);
    bench
        .bakeoff(&check)
        .expect(0)
        .says("note: damaged-1 has what was taken out");

    let table = std::fs::read_to_string(bench.path("t/table.json")).unwrap();
    let changed = table.replace("\"shards\": 1", "\"shards\": 2");
    assert_ne!(changed, table);
    std::fs::write(bench.path("t/table.json"), changed).unwrap();
    for command in [&check[..], &repair[..]] {
        bench
            .bakeoff(command)
            .expect(3)
            .says("damaged: table.json: its checksum is wrong");
    }
    bench
        .bakeoff(&["sql", "SELECT count(*) FROM t", "--dir", "t"])
        .expect(1)
        .says("`bakeoff table check dir:t` says what is damaged");
    bench
        .bakeoff(&["table", "check", "dir:none"])
        .expect(2)
        .says("dir:none is not a columnar table");
    bench
        .bakeoff(&["table", "check", "ks.t", "--repair"])
        .expect(2)
        .says("--repair repairs tables in folders");
}
