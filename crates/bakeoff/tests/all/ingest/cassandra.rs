//! Tables in a real Cassandra.

use std::time::{Duration, Instant};

use super::KEYS;
use crate::support::server::Server;

#[test]
fn in_a_real_cassandra() {
    let Some(server) = Server::shared() else {
        return;
    };
    let into = ["ingest", "readings.csv", "--into", "ink.t"];
    server
        .bakeoff(&[&into[..], &KEYS[..]].concat())
        .expect(2)
        .says("there is no keyspace `ink`: make it with the replication that its rows need, or let --create-keyspace COPIES make it");
    let made = |copies| {
        [
            "ingest",
            "readings.csv",
            "--into",
            "made.t",
            "--create-keyspace",
            copies,
        ]
    };
    server
        .bakeoff(&[&made("3")[..], &KEYS[..]].concat())
        .expect(2)
        .says("each copy of a row needs a separate node")
        .says("has 1; the keyspace `made` was not made");
    server
        .bakeoff(&[&made("1")[..], &KEYS[..]].concat())
        .expect(0)
        .says("4 rows into made.t");
    written_ahead(&server, "made.t");
    let again = ["ingest", "readings.csv", "--into", "made.t"];
    server
        .bakeoff(&[&again[..], &KEYS[..]].concat())
        .expect(0)
        .says("4 rows into made.t")
        .says("note: the newest row of made.t was written at a time that is ");
    server.cql(
        "CREATE KEYSPACE ink WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE ink.rows (\"Series\" text, time timestamp, n smallint, tags set<text>, PRIMARY KEY (\"Series\", time));
         INSERT INTO ink.rows (\"Series\", time, n, tags) VALUES ('a', '2024-01-01', 7, {'x'});
         INSERT INTO ink.rows (\"Series\", time, n) VALUES ('b', '2024-01-02', -7);\n",
    );
    server
        .bakeoff(&[&into[..], &KEYS[..], &["--bucket", "1d", "--shards", "2"]].concat())
        .expect(0)
        .says("4 rows into ink.t");
    let sql = [
        "sql",
        "SELECT series, count(*), max(time) FROM ink.t GROUP BY series ORDER BY series",
    ];
    let ended = server.bakeoff(&sql).expect(0);
    let expected =
        "series,count(*),max(ink.t.time)\na,2,2024-01-01T00:01:00\nb,2,2024-01-02T00:00:00\n";
    assert_eq!(ended.stdout, expected);
    ended.says(" chunks read");
    // A columnar table and an ordinary one in one query.
    let join = "SELECT r.n, t.value FROM ink.rows r JOIN ink.t t ON r.\"Series\" = t.series AND \
                r.time = t.time ORDER BY n";
    let ended = server.bakeoff(&["sql", join]).expect(0);
    assert_eq!(ended.stdout, "n,value\n-7,NaN\n7,1.5\n");
    // Of an ordinary table: its key, names in lower case, a type that is text here.
    server
        .bakeoff(&["ingest", "--from", "ink.rows", "--into", "ink.copy"])
        .expect(0)
        .says("made ink.copy: series text, time timestamp, n int, tags text; partition key series, order key time")
        .says("note: read as text, as CQL writes it: tags")
        .says("2 rows into ink.copy");
    // A column that is not wanted is not read.
    let some = [
        "ingest",
        "--from",
        "ink.rows",
        "--into",
        "ink.some",
        "--columns",
        "n,Series,time",
    ];
    let some = server.bakeoff(&some).expect(0);
    some.says("2 rows into ink.some");
    assert!(!some.stderr.contains("note"), "{}", some.stderr);
    partitions_without_rows(&server);
    a_large_partition(&server);
    server
        .limited(&["ingest", "--from", "ink.rows", "--into", "ink.slow"])
        .expect(0)
        .says("at most 2000 rows/s are written, since others may depend on the server");
    copies_to_a_folder_are_within_the_limit(&server);
    seals_are_within_the_limit(&server);
    dropped(&server);
    // A keyspace may have any name.
    server.cql(
        "CREATE KEYSPACE public WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};
         CREATE TABLE public.t (k int PRIMARY KEY, v int);
         INSERT INTO public.t (k, v) VALUES (1, 2);\n",
    );
    let ended = server
        .bakeoff(&["sql", "SELECT v FROM public.t JOIN ink.some ON v > n"])
        .expect(0);
    assert_eq!(ended.stdout, "v\n2\n");
    let named = [
        "sql",
        "SELECT t.v FROM t JOIN public.t u ON t.k = u.k",
        "--table",
        "public.t",
    ];
    assert_eq!(server.bakeoff(&named).expect(0).stdout, "v\n2\n");
    let ended = server
        .bakeoff(&["sql", "SELECT series, n, tags FROM ink.copy ORDER BY n"])
        .expect(0);
    assert_eq!(ended.stdout, "series,n,tags\nb,-7,\na,7,{'x'}\n");
    server
        .bakeoff(&[&["ingest", "readings.csv", "--into", "ink.rows"], &KEYS[..]].concat())
        .expect(2)
        .says("ink.rows is an ordinary table: choose another name");
    server
        .bakeoff(&["table", "drop-before", "ink.t", "2024-01-02", "--yes"])
        .expect(0)
        .says("dropped ");
    let ended = server
        .bakeoff(&["sql", "SELECT count(*) FROM ink.t"])
        .expect(0);
    assert_eq!(ended.stdout, "count(*)\n1\n");
    server
        .bakeoff(&["table", "info", "ink.t"])
        .expect(0)
        .says("rows           1 in 1 chunk of");
    server
        .bakeoff(&["table", "info", "ink.rows"])
        .expect(2)
        .says("ink.rows is not a columnar table");
}

/// Two rows at a row a second take two seconds, unless nobody asked for a limit.
fn copies_to_a_folder_are_within_the_limit(server: &Server) {
    let copy = ["ingest", "--from", "ink.rows", "--into"];
    let began = Instant::now();
    let slow = [&copy[..], &["dir:slow", "--rate-limit", "1"]].concat();
    let ended = server.limited(&slow).expect(0);
    assert!(began.elapsed() >= Duration::from_secs(2));
    ended.says("at most 1 rows/s are read (--rate-limit)");
    ended.says("2 rows into dir:slow");
    let fast = server.limited(&[&copy[..], &["dir:fast"]].concat());
    assert!(!fast.expect(0).stderr.contains("rows/s are read"));
}

/// A partition that has only static columns is no row of the new table, and stops nothing.
fn partitions_without_rows(server: &Server) {
    server.cql(
        "CREATE TABLE ink.statics (p text, time timestamp, s text static, v int, PRIMARY KEY (p, time));
         INSERT INTO ink.statics (p, time, s, v) VALUES ('rows', '2024-01-01', 'both', 1);
         INSERT INTO ink.statics (p, time, v) VALUES ('rows', '2024-01-02', 2);
         INSERT INTO ink.statics (p, s) VALUES ('static only', 'alone');\n",
    );
    server
        .bakeoff(&["ingest", "--from", "ink.statics", "--into", "ink.rowed"])
        .expect(0)
        .says("2 rows into ink.rowed")
        .says("note: 1 partition of the source has only static columns, and so no row with a whole key: left out");
    let by_partition = [
        "ingest",
        "--from",
        "ink.statics",
        "--into",
        "ink.partitions",
        "--partition-key",
        "p",
        "--order-key",
        "s",
    ];
    // Where the clustering key is no key, it may be missing.
    let kept = server.bakeoff(&by_partition).expect(0);
    kept.says("3 rows into ink.partitions");
    assert!(!kept.stderr.contains("TTL"), "{}", kept.stderr);
    server.cql(
        "INSERT INTO ink.statics (p, time, v) VALUES ('rows', '2024-01-03', 3) USING TTL 100000;\n",
    );
    server
        .bakeoff(&["ingest", "--from", "ink.statics", "--into", "ink.immortal"])
        .expect(0)
        .says("3 rows into ink.immortal")
        .says("note: 1 row has a time to live (TTL) in ink.statics, which columnar tables do not keep");
}

/// Rows of a partition that is read by ranges come once each, and are counted once.
fn a_large_partition(server: &Server) {
    server.cql("CREATE TABLE ink.huge (p text, c int, v text, PRIMARY KEY (p, c));\n");
    let value = "x".repeat(100_000);
    for c in 0..300 {
        server.cql(&format!(
            "INSERT INTO ink.huge (p, c, v) VALUES ('huge', {c}, '{value}') USING TTL 100000;\n"
        ));
    }
    for p in 0..20 {
        server.cql(&format!(
            "INSERT INTO ink.huge (p, c, v) VALUES ('p{p}', 0, 'small');\n"
        ));
    }
    server
        .bakeoff(&["ingest", "--from", "ink.huge", "--into", "dir:huge"])
        .expect(0)
        .says("320 rows into")
        .says("note: 300 rows have a time to live (TTL) in ink.huge");
    let sql = "SELECT count(*), count(DISTINCT c), sum(length(v)) FROM huge WHERE p = 'huge'";
    let read = server.bench.bakeoff(&["sql", sql, "--dir", "huge"]);
    let read = read.expect(0).stdout;
    assert_eq!(read.lines().nth(1), Some("300,300,30000000"));
}

/// A seal rewrites rows, and on a cluster that Bakeoff did not start it keeps to the rate limit.
fn seals_are_within_the_limit(server: &Server) {
    let rows: String = (0..300).map(|i| format!("s,{i},{i}\n")).collect();
    let csv = format!("series,time,value\n{rows}");
    std::fs::write(server.bench.path("many.csv"), csv).unwrap();
    let ingest = ["ingest", "many.csv", "--into", "ink.many"];
    let made = [&ingest[..], &KEYS[..], &["--chunk-rows", "100"]].concat();
    for command in [&made[..], &ingest[..]] {
        server.bakeoff(command).expect(0).says("300 rows into");
    }
    let began = Instant::now();
    server
        .limited(&["table", "seal", "ink.many", "--rate-limit", "100"])
        .expect(0)
        .says("at most 100 rows/s are written, since others may depend on the server")
        .says("0 single rows and 6 chunks became");
    assert!(began.elapsed() >= Duration::from_secs(3));
    server
        .limited(&["table", "seal", "ink.many"])
        .expect(0)
        .says("at most 2000 rows/s are written");
    let unlimited = server.bakeoff(&["table", "seal", "ink.many"]).expect(0);
    assert!(
        !unlimited.stderr.contains("at most"),
        "{}",
        unlimited.stderr
    );
}

/// Tables that are removed, in parts and as a whole, and those that are not.
fn dropped(server: &Server) {
    server
        .bakeoff(&["table", "drop", "ink.rows", "--yes"])
        .expect(2)
        .says("ink.rows is not a columnar table");
    server
        .bakeoff(&["ingest", "--from", "ink.rows", "--into", "ink.gone"])
        .expect(0);
    server.cql("DROP TABLE ink.gone_chunks;\n");
    server
        .bakeoff(&["table", "info", "ink.gone"])
        .expect(2)
        .says("of the columnar table ink.gone there is only gone_columnar, gone_places, gone_index, gone_fresh")
        .says("`bakeoff table drop ink.gone` removes what is left");
    let drop = ["table", "drop", "ink.gone", "--yes"];
    server.bakeoff(&drop).expect(0).says("removed ink.gone");
    server
        .bakeoff(&drop)
        .expect(2)
        .says("ink.gone is not a columnar table");
    server
        .bakeoff(&[
            "ingest",
            "--from",
            "ink.rows",
            "--into",
            "ink.gone",
            "--consistency",
            "one",
        ])
        .expect(0);
    server.cql("UPDATE ink.gone_columnar SET dropping = true WHERE id = 'table';\n");
    server
        .bakeoff(&["table", "info", "ink.gone", "--consistency", "one"])
        .expect(2)
        .says("was about to be dropped when that was interrupted")
        .says("`bakeoff table drop ink.gone` removes what is left of it");
    server.bakeoff(&drop).expect(0);
    // Somebody else's table of such a name.
    server.cql("CREATE TABLE ink.gone_fresh (k int PRIMARY KEY);\n");
    server
        .bakeoff(&drop)
        .expect(2)
        .says("ink.gone_fresh is there already and is not part of a columnar table");
}

/// Adds a deletion to the only place of a table, as a process writes it whose clock is decades ahead.
fn written_ahead(server: &Server, table: &str) {
    server.cql(&format!(
        "UPDATE {table}_places USING TIMESTAMP 1 SET opened = 1, dropped = 0 WHERE shard = 0 AND bucket = 0;
         INSERT INTO {table}_fresh (shard, bucket, generation, key, wt, deleted)
             VALUES (0, 0, 1, 0x01, 4102444800000000, true);\n"
    ));
}
