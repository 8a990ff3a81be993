//! Conditions of `bakeoff scan`, and what it says of reads, which are those of `bakeoff sql`.

use super::*;

#[test]
fn a_condition_means_what_it_means_in_a_question() {
    let bench = with_table();
    for (condition, rows_expected) in [
        (
            "startswith(series, 's0') AND time AT TIME ZONE 'Asia/Tokyo' >= TIMESTAMP '2024-01-20 09:00:00'",
            120,
        ),
        (
            "time >= TIMESTAMP '2024-01-20 01:00:00' AT TIME ZONE 'Europe/Berlin' AND value < 40",
            80,
        ),
    ] {
        let scan = ["scan", "dir:t", "--part", "1/1", "--where", condition];
        let found = rows(bench.command(&scan));
        assert_eq!(found.len(), rows_expected, "{condition}");
        assert_eq!(in_order(&[found]), all(&bench, condition));
        let plan = planned(bench.bakeoff(&["scan", "dir:t", "--plan", "2", "--where", condition]));
        let parts: Vec<Vec<String>> = plan.iter().map(|p| part(&bench, &p.token)).collect();
        assert_eq!(in_order(&parts), all(&bench, condition));
    }
    let offset = "time AT TIME ZONE '+02:00' > time";
    bench
        .bakeoff(&["scan", "dir:t", "--plan", "2", "--where", offset])
        .expect(2)
        .says("--where: SQL 1:6: AT TIME ZONE");
}

#[test]
fn rows_that_a_low_consistency_level_may_miss_are_told() {
    let Some(server) = Server::shared() else {
        return;
    };
    let ingest = ["ingest", "readings.csv", "--into", "scanned.t"];
    let making = ["--create-keyspace", "1"];
    server
        .bakeoff(&[&ingest[..], &KEYS[..], &making[..]].concat())
        .expect(0);
    let asked = |arguments: &[&str]| {
        let level = ["--consistency", "one"];
        server.bakeoff(&[arguments, &level].concat()).expect(0)
    };
    let all = [
        &["sql", "SELECT count(*) AS n FROM scanned.t"][..],
        &["scan", "scanned.t", "--plan", "1"],
        &["scan", "scanned.t", "--part", "1/1", "--out", "rows.arrows"],
    ];
    for arguments in all {
        let said = asked(arguments).stderr;
        assert!(!said.contains("may be missing"), "{arguments:?}: {said}");
    }
    // Of three copies, one need not have what others have written.
    server.cql(
        "ALTER KEYSPACE scanned
         WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 3};\n",
    );
    for arguments in all {
        asked(arguments)
            .says("note: rows of scanned.t that others were told are written may be missing")
            .says("it is read at ONE");
    }
}
