//! The port of a server that stays, and servers that are named wrongly.

use std::net::TcpListener;

use crate::support::{Bench, READINGS, WORKLOAD};

/// Ends its servers when it goes.
struct Desk(Bench);

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.0.command(&["engines", "stop"]).output();
    }
}

impl Desk {
    /// Starts a server in the folder `data`; its port, and what was said beside.
    fn start(&self, arguments: &[&str]) -> (u16, String) {
        let data = self.0.path("data").display().to_string();
        let start = ["engines", "start", "--heap-mib", "512", "--dir", &data];
        let started = self.0.bakeoff(&[&start[..], arguments].concat()).expect(0);
        let address = started
            .stdout
            .split("answers at 127.0.0.1:")
            .nth(1)
            .unwrap();
        let port = address.split(' ').next().unwrap().parse().unwrap();
        (port, started.stderr)
    }

    fn stop(&self) {
        self.0
            .bakeoff(&["engines", "stop"])
            .expect(0)
            .says("stopped");
    }
}

/// A port that nobody listens on, below those that the system gives to outgoing connections.
fn free_port() -> u16 {
    let first = 10_000 + (std::process::id() % 9_000) as u16;
    (first..20_000)
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .unwrap()
}

#[test]
fn a_server_that_stays_has_its_port_again() {
    let Some(bench) = Bench::with_cassandra(WORKLOAD, READINGS) else {
        return;
    };
    let desk = Desk(bench);
    let chosen = free_port();
    let (port, _) = desk.start(&["--port", &chosen.to_string()]);
    assert_eq!(port, chosen);
    let status = desk.0.bakeoff(&["engines", "status"]).expect(0);
    status.says("runs until it is stopped");
    let logs = desk
        .0
        .bakeoff(&["engines", "logs", "cassandra-1"])
        .expect(0);
    logs.says("INFO");
    let wrong = desk.0.bakeoff(&["engines", "logs", "casandra-1"]).expect(2);
    wrong.says("there is no server `casandra-1`; did you mean `cassandra-1`?");
    let wrong = desk.0.bakeoff(&["engines", "stop", "postgres-1"]).expect(2);
    wrong.says("there is no server `postgres-1`; there are `cassandra-1`");
    desk.stop();

    let (port, stderr) = desk.start(&[]);
    assert_eq!(port, chosen);
    assert!(!stderr.contains("in use"), "{stderr}");
    desk.stop();

    let _busy = TcpListener::bind(("127.0.0.1", chosen)).unwrap();
    let (port, stderr) = desk.start(&[]);
    assert_ne!(port, chosen);
    assert!(
        stderr.contains(&format!("port {chosen} of the last start is in use")),
        "{stderr}"
    );
    desk.stop();
    let taken = desk
        .0
        .bakeoff(&["engines", "start", "--port", &chosen.to_string()])
        .expect(1);
    taken.says(&format!("port {chosen} of 127.0.0.1 is in use"));
}

#[test]
fn without_servers_none_can_be_named() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for action in [
        &["engines", "logs"][..],
        &["engines", "logs", "cassandra-1"],
    ] {
        let ended = bench.bakeoff(action).expect(2);
        ended.says("there is no server that Bakeoff started");
    }
    bench
        .bakeoff(&["engines", "start", "--port", "0"])
        .expect(2)
        .says("--port");
}
