//! What a killed run has left on a cluster is dropped by one command.

use crate::support::server::Server;

/// The run has begun so, and was killed; its keyspace holds a table.
pub fn what_a_killed_run_has_left_is_found_and_dropped(
    server: &Server,
    begun: &str,
    keyspace: &str,
) {
    let out = server.bench.path("out");
    std::fs::write(out.join("journal.jsonl"), begun).unwrap();
    let named = ["clean", keyspace, "--yes"];
    let unmarked = format!("{keyspace} is not for Bakeoff to drop, since it has no marker");
    server.bakeoff(&named).expect(1).says(&unmarked);

    let header: serde_json::Value = serde_json::from_str(begun).unwrap();
    let statements = { header["designs"].as_array().unwrap().iter() }
        .flat_map(|design| design["statements"].as_array().unwrap())
        .map(|statement| statement.as_str().unwrap());
    let of_marker: Vec<&str> = statements
        .filter(|statement| statement.contains(&format!("{keyspace}.bakeoff_marker")))
        .take(2)
        .collect();
    server.cql(&of_marker.join(";\n"));
    let listed = server.bakeoff(&["clean"]).expect(0);
    let found = format!("keyspace {keyspace}: its command was stopped or killed here");
    listed.says(&found).says("/out on ");
    listed.says("repeat with --yes");
    assert!(server.has_keyspace(keyspace), "it was only asked for");

    let lock = std::fs::File::open(out.join("lock")).unwrap();
    lock.lock().unwrap();
    let in_use = "is in use by a command on this machine";
    server.bakeoff(&named).expect(1).says(in_use);
    lock.unlock().unwrap();
    assert!(server.has_keyspace(keyspace), "one in use was dropped");
    // Another keyspace with the marker of that run is none of it.
    server.cql(&format!(
        "CREATE KEYSPACE bakeoff_stranger WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}};\n{}",
        of_marker.join(";\n").replace(keyspace, "bakeoff_stranger")
    ));
    let stranger = ["clean", "bakeoff_stranger", "--yes"];
    let not_its_own = "its name is not that of the run in its marker";
    server.bakeoff(&stranger).expect(1).says(not_its_own);
    server.cql("DROP KEYSPACE bakeoff_stranger");

    server
        .bakeoff(&named)
        .expect(0)
        .says(&format!("dropped keyspace {keyspace}"));
    assert!(!server.has_keyspace(keyspace));
    server.bakeoff(&named).expect(2).says("no command has made");
    // As it was.
    server.cql(&format!(
        "CREATE KEYSPACE {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}};\n\
         CREATE TABLE {keyspace}.theirs (id int PRIMARY KEY)"
    ));
}
