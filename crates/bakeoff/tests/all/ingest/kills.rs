//! `bakeoff ingest` and `bakeoff table seal`, killed at random times and repeated: what was reported as
//! written is there once, and every table opens again.

use std::fmt::Write;
use std::time::{Duration, Instant};

use bakeoff_testing::{Random, times};

use crate::support::processes::Going;
use crate::support::server::Server;
use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const SERIES: u64 = 7;
const TIMES: u64 = 600;
/// One in so many commands that are killed is a seal.
const SEALS: u64 = 4;

#[test]
fn kills_of_ingests_into_a_folder_and_of_its_seals_lose_nothing() {
    // Each look reads all rows, so that no table gets too many.
    let (tables, kills) = times((1, 6), (5, 100));
    for _ in 0..tables {
        let bench = Bench::new(WORKLOAD, READINGS);
        Kills::new(&bench, "dir:t", "t", &["--dir", "t"], &[]).go(kills);
        let check = ["table", "check", "dir:t"];
        bench.bakeoff(&check).expect(0).says("\nsound\n");
    }
}

#[test]
fn kills_of_ingests_into_cassandra_and_of_its_seals_lose_nothing() {
    let Some(server) = Server::shared() else {
        return;
    };
    server.cql(
        "CREATE KEYSPACE killed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\n",
    );
    let cluster = ["--cassandra", &server.address];
    let unlimited = ["--rate-limit", "none"];
    Kills::new(&server.bench, "killed.t", "killed.t", &cluster, &unlimited).go(times(4, 50));
}

/// A table into which file after file is loaded.
struct Kills<'a> {
    bench: &'a Bench,
    /// The name of the table for `ingest` and `table`.
    table: &'a str,
    /// The name of the table in SQL.
    in_sql: &'a str,
    /// Options of `sql`, and those of all other commands with a cluster.
    place: &'a [&'a str],
    /// Further options of commands that write.
    options: &'a [&'a str],
    random: Random,
    /// The number of files that were reported as written.
    written: u64,
}

impl<'a> Kills<'a> {
    fn new(
        bench: &'a Bench,
        table: &'a str,
        in_sql: &'a str,
        place: &'a [&'a str],
        options: &'a [&'a str],
    ) -> Kills<'a> {
        Kills {
            bench,
            table,
            in_sql,
            place,
            options,
            random: Random::printed(table),
            written: 0,
        }
    }

    fn go(mut self, kills: usize) {
        let ingest = took(|| self.ends(&self.ingest()));
        self.written += 1;
        let seal = took(|| self.ends(&self.seal()));
        self.look();
        for _ in 0..kills {
            if self.random.below(SEALS) == 0 {
                self.is_killed(&self.seal(), seal);
            } else if self.is_killed(&self.ingest(), ingest) {
                self.written += 1;
            }
            self.look();
        }
        // The same command again.
        self.ends(&self.ingest());
        self.written += 1;
        self.look();
        self.ends(&self.seal());
        self.look();
    }

    /// Kills a command at some time, and returns whether it had come to its end.
    fn is_killed(&mut self, command: &[String], usual: Duration) -> bool {
        let moment = self.random.below(usual.as_micros() as u64);
        let going = Going::start(&mut self.bench.command(&strs(command)));
        std::thread::sleep(Duration::from_micros(moment));
        let Ended { code, stderr, .. } = going.kill();
        assert!([None, Some(0)].contains(&code), "{command:?}: {stderr}");
        code.is_some()
    }

    fn ends(&self, command: &[String]) {
        self.bench.bakeoff(&strs(command)).expect(0);
    }

    /// The command that loads the next file, which it makes.
    fn ingest(&self) -> Vec<String> {
        let file = format!("{}.csv", self.written);
        std::fs::write(self.bench.path(&file), csv(self.written)).unwrap();
        let mut command = ["ingest", &file, "--into", self.table]
            .map(str::to_owned)
            .to_vec();
        if self.written == 0 {
            let made = "--partition-key series --order-key time --bucket 1000 --chunk-rows 500";
            command.extend(made.split(' ').map(str::to_owned));
        }
        self.on_cluster(command, self.options)
    }

    fn seal(&self) -> Vec<String> {
        let command = ["table", "seal", self.table].map(str::to_owned).to_vec();
        self.on_cluster(command, self.options)
    }

    fn on_cluster(&self, mut command: Vec<String>, options: &[&str]) -> Vec<String> {
        if self.place.contains(&"--cassandra") {
            command.extend(self.place.iter().chain(options).map(|o| (*o).to_owned()));
        }
        command
    }

    /// Checks that each file that was written is there as a whole, that at most the next one is there
    /// in part, and that no key is there twice.
    #[track_caller]
    fn look(&self) {
        let sql = format!(
            "SELECT file, sum(n), max(n), sum(total) FROM (SELECT file, series, time, count(*) AS n, \
             sum(value) AS total FROM {} GROUP BY file, series, time) AS keys GROUP BY file ORDER BY file",
            self.in_sql
        );
        let asked = [&["sql", &sql][..], self.place].concat();
        let answer = self.bench.bakeoff(&asked).expect(0).stdout;
        let rows: Vec<Vec<u64>> = answer.lines().skip(1).map(numbers).collect();
        let whole = |file| {
            vec![
                file,
                SERIES * TIMES,
                1,
                (0..SERIES * TIMES).sum::<u64>() + file,
            ]
        };
        let written: Vec<Vec<u64>> = (0..self.written).map(whole).collect();
        let there = rows.get(..written.len()).unwrap_or(&rows);
        assert_eq!(there, written, "{answer}");
        for further in &rows[written.len()..] {
            assert_eq!((further[0], further[2]), (self.written, 1), "{answer}");
        }
    }
}

/// A file whose rows have keys and values of its own.
fn csv(file: u64) -> String {
    let mut text = "series,time,file,value\n".to_owned();
    for i in 0..SERIES * TIMES {
        let (series, time) = (i % SERIES, file * TIMES + i / SERIES);
        let value = if i == 0 { file } else { i };
        writeln!(text, "s{series},{time},{file},{value}").unwrap();
    }
    text
}

fn numbers(line: &str) -> Vec<u64> {
    line.split(',')
        .map(|number| number.parse().unwrap())
        .collect()
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

fn took(step: impl FnOnce()) -> Duration {
    let began = Instant::now();
    step();
    began.elapsed()
}
