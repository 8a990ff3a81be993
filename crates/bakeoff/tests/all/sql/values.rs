//! Values, names and rows of every kind that CQL has.

use super::{pushed, rows};
use crate::support::server::Server;

pub fn every_type_of_cql(server: &Server) {
    let ended = server
        .bakeoff(&[
            "sql",
            "SELECT * FROM ks.kinds ORDER BY id",
            "--format",
            "json",
        ])
        .expect(0);
    let lines: Vec<serde_json::Value> = { ended.stdout.lines() }
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = serde_json::json!({
        "id": 1, "a": "a", "b": -5, "c": true, "d": "1969-12-31", "e": "-12.5", "f": 1.5,
        "g": 0.25, "h": "10.0.0.1", "i": -300, "j": -7, "k": "08:30:00.000000001",
        "l": "2024-02-29T12:00:00.500", "m": "50554d6e-29bb-11e5-b345-feff819cdc9f",
        "n": "6a1f0b0c-8a7e-41ee-b962-0242ac120002", "o": "123456789012345678901234567890",
        "p": "cafe", "q": "it's", "r": "1mo2d3ns", "s": "[1,2]", "t": "{'x':1}", "u": "{'y'}",
        "v": "{street:'Hof',number:3}", "w": "(4,'z')", "x": "[0.5,1]",
        "y": "{street:'Au',number:null}",
    });
    assert_eq!(lines[0], expected);
    assert!(
        lines[1]
            .as_object()
            .unwrap()
            .iter()
            .all(|(k, v)| k == "id" || v.is_null())
    );
    ended.says("note: read as text, as CQL writes it: r, s, t, u, v, w, x, y");
    let sum = "SELECT sum(CAST(e AS DECIMAL(10, 2))) AS s FROM ks.kinds WHERE i < 0";
    assert_eq!(rows(server, sum), ["-12.50"]);
    numbers_of_any_length(server);
    let quiet = server
        .bakeoff(&["sql", "SELECT count(*) FROM ks.kinds"])
        .expect(0);
    assert!(!quiet.stderr.contains("note"), "{}", quiet.stderr);
}

/// Decimals and varints are compared and added up as numbers, and need a type in a columnar table.
fn numbers_of_any_length(server: &Server) {
    server.cql(
        "CREATE TABLE ks.prices (k text, t int, price decimal, n varint, PRIMARY KEY (k, t));
         INSERT INTO ks.prices (k, t, price, n) VALUES ('a', 1, -999.43, 9);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('a', 2, -0.0397, 10);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('b', 1, 99999.68, 100000000000000000000);
         INSERT INTO ks.prices (k, t, price, n) VALUES ('b', 2, 100000.10, -3);\n",
    );
    for (sql, answer) in [
        ("max(price), min(price)", "100000.1,-999.43"),
        ("max(n), min(n)", "100000000000000000000,-3"),
        ("sum(price), sum(n)", "199000.3103,100000000000000000016"),
    ] {
        let asked = format!("SELECT {sql} FROM ks.prices");
        assert_eq!(rows(server, &asked), [answer], "{sql}");
    }
    for (condition, count) in [
        ("price > 1000", "2"),
        ("price > 1000.5", "2"),
        ("price = 100000.1", "1"),
        ("n > 9", "2"),
        ("n = '10'", "1"),
    ] {
        let asked = format!("SELECT count(*) FROM ks.prices WHERE {condition}");
        assert_eq!(rows(server, &asked), [count], "{condition}");
    }
    let ordered = "SELECT price FROM ks.prices ORDER BY price";
    let expected = ["-999.43", "-0.0397", "99999.68", "100000.1"];
    assert_eq!(rows(server, ordered), expected);
    let copied = ["ingest", "--from", "ks.prices", "--into", "ks.copied"];
    let refused = server.bakeoff(&copied).expect(2);
    refused.says("column `n` is a CQL varint, which a columnar table cannot keep as it is");
    refused.says("--types n=double or n=text");
    let typed = [&copied[..], &["--types", "price=double,n=text"]].concat();
    server.bakeoff(&typed).expect(0);
    let highest = "SELECT max(price) FROM ks.copied";
    assert_eq!(rows(server, highest), ["100000.1"]);
    server.cql(
        "INSERT INTO ks.prices (k, t, price) VALUES ('c', 1, 12345678901234567890123456789.5);\n",
    );
    let too_long = server.bakeoff(&["sql", ordered]).expect(1);
    too_long.says(
        "column price holds 12345678901234567890123456789.5; numbers of up to 28 digits before",
    );
}

pub fn names_with_capitals(server: &Server) {
    let id = "6a1f0b0c-8a7e-41ee-b962-0242ac120002";
    let sql = format!("SELECT \"select\" FROM ks.\"Cased\" WHERE \"Id\" = '{id}'");
    assert_eq!(rows(server, &sql), ["x"]);
    pushed(
        server,
        &sql,
        "FROM \"ks\".\"Cased\" WHERE \"Id\" = ?], partitions=1",
    );
    let whole = format!("{sql} AND \"When\" = '50554d6e-29bb-11e5-b345-feff819cdc9f'");
    assert_eq!(rows(server, &whole), ["x"]);
    pushed(server, &whole, "\"Id\" = ? AND \"When\" = ?");
    // As text it is less, as a time it is not asked.
    let range = format!("{sql} AND \"When\" > '4'");
    assert_eq!(rows(server, &range), ["x"]);
    let named = ["sql", "SELECT \"Id\" FROM t", "--table", "t=ks.Cased"];
    let ended = server.bakeoff(&named).expect(0);
    assert_eq!(ended.stdout, format!("Id\n{id}\n"));
}

pub fn static_columns(server: &Server) {
    // The partition without rows is one row in CQL, whatever is asked of it.
    let all = ["rows,1,both,10", "rows,2,both,20", "static only,,alone,"];
    assert_eq!(rows(server, "SELECT * FROM ks.statics ORDER BY p, c"), all);
    for column in ["*", "p", "s"] {
        let sql = format!("SELECT count({column}) FROM ks.statics");
        assert_eq!(rows(server, &sql), ["3"], "{sql}");
    }
    assert_eq!(rows(server, "SELECT count(c) FROM ks.statics"), ["2"]);
    let one = "SELECT s FROM ks.statics WHERE p = 'rows' AND c >= 2";
    assert_eq!(rows(server, one), ["both"]);
    let none = "SELECT s FROM ks.statics WHERE p = 'static only' AND c >= 0";
    assert_eq!(rows(server, none), Vec::<String>::new());
}

pub fn counters_and_bytes(server: &Server) {
    assert_eq!(
        rows(server, "SELECT page, views + 1 FROM ks.counters"),
        ["home,4"]
    );
    let sql = "SELECT v FROM ks.hex WHERE k = X'00ff'";
    assert_eq!(rows(server, sql), ["1"]);
    pushed(server, sql, "\"k\" = ?], partitions=1");
    assert_eq!(
        rows(server, "SELECT v FROM ks.hex WHERE k = X''"),
        Vec::<String>::new()
    );
}
