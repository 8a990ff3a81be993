//! Which edition of TimescaleDB is installed is known before a server is started.

use std::path::PathBuf;

use super::{RUN, Watched, on_servers};
use crate::support::READINGS;

/// Adds the edition of TimescaleDB that has no columnstore, and returns the folder of its files.
fn install_timescaledb(watched: &Watched) -> PathBuf {
    let installed = watched.path("installed");
    std::fs::create_dir_all(installed.join("extension")).unwrap();
    let control = installed.join("extension/timescaledb.control");
    std::fs::write(control, "default_version = '2.19.3'\n").unwrap();
    let pg_config = format!("#!/bin/sh\necho '{}'\n", installed.display());
    std::fs::write(watched.path("bin/pg_config"), pg_config).unwrap();
    installed
}

#[test]
fn an_edition_of_timescaledb_that_lacks_what_a_design_needs() {
    let columnstore = "timescale/hypertable?columnstore=on";
    let workload = on_servers()
        .replace("postgres/plain", columnstore)
        .replace(", \"memory\"", "");
    let watched = Watched::new(&workload, READINGS);
    let installed = install_timescaledb(&watched);
    let words = [
        "none of the designs can run here",
        columnstore,
        "needs the edition of TimescaleDB under its own licence; this is TimescaleDB 2.19.3 under apache",
    ];
    watched.refuses(&RUN, &words);
    // With the library of that edition nothing is refused, and the server is started.
    std::fs::write(installed.join("timescaledb-tsl-2.19.3.so"), "").unwrap();
    watched.bakeoff(&RUN);
    assert!(watched.has_started_something());
}

#[test]
fn a_proposal_says_whether_the_edition_that_it_needs_is_here() {
    let mut readings = "series,time,value\n".to_owned();
    for row in 0..1_000 {
        let (series, minute) = (["a", "b"][row % 2], row / 2);
        let (hour, minute) = (minute / 60, minute % 60);
        readings += &format!("{series},2024-01-01T{hour:02}:{minute:02}:00,{row}.5\n");
    }
    let watched = Watched::new(&on_servers(), &readings);
    let installed = install_timescaledb(&watched);
    let not_here = || {
        let ended = watched.bakeoff(&["propose", "w.toml", "--json"]).expect(0);
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        let of_designs = |end: &str| -> Vec<String> {
            let designs = json["designs"].as_array().unwrap().iter();
            let found = designs.filter(|d| d["design"].as_str().unwrap().ends_with(end));
            found.map(|d| d["not_here"].to_string()).collect()
        };
        assert_eq!(of_designs("postgres/plain"), ["null"], "{json}");
        let of_columnstore = of_designs("&columnstore=on");
        assert_eq!(of_columnstore.len(), 1, "{json}");
        of_columnstore[0].clone()
    };
    let lacking = not_here();
    assert!(
        lacking.contains("needs the edition of TimescaleDB under its own licence"),
        "{lacking}"
    );
    std::fs::write(installed.join("timescaledb-tsl-2.19.3.so"), "").unwrap();
    assert_eq!(not_here(), "null");
    assert!(!watched.has_started_something());
}
