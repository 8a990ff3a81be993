//! A user who measures on a server of his own, and again and again does not let the run come to its end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bakeoff_testing::Random;
use serde_json::Value;

use crate::support::processes::{Going, wait_until};
use crate::support::{Bench, Ended, of_kind};

/// A kill comes after up to so many further records of the run, and then after up to so long.
const MOST_RECORDS: u64 = 60;
const MOST_WAITED: Duration = Duration::from_millis(800);
/// In one of so many cases the next run is another one, and the one that was killed is left as it is.
const LEFT_AS_IT_IS: u64 = 5;

/// The server of a user, on which others depend.
pub trait Theirs {
    /// Options by which a run finds it.
    fn options(&self) -> Vec<String>;

    /// Variable and value of the password for that.
    fn password(&self) -> (&str, &str);

    /// What comes before the name in the statement that makes a keyspace or schema.
    fn makes(&self) -> &str;

    /// Checks what others have there, and that what is ours carries the marker of its run.
    fn check(&self, run_of: &BTreeMap<String, String>);

    /// Drops keyspaces or schemas of ours, as users do with those that they do not need any more.
    fn drop_by_hand(&self, names: &BTreeSet<String>);

    /// The keyspaces or schemas there whose names begin as ours do.
    fn left(&self) -> BTreeSet<String>;
}

pub struct User<'a> {
    bench: &'a Bench,
    theirs: &'a dyn Theirs,
    random: Random,
    /// Folders of runs that have not come to their end; the last one is gone on with.
    begun: Vec<String>,
    folders: usize,
    /// The run folder of each keyspace or schema.
    run_of: BTreeMap<String, String>,
    kills: BTreeMap<&'static str, usize>,
}

impl<'a> User<'a> {
    pub fn new(bench: &'a Bench, theirs: &'a dyn Theirs, random: Random) -> User<'a> {
        User {
            bench,
            theirs,
            random,
            begun: Vec::new(),
            folders: 0,
            run_of: BTreeMap::new(),
            kills: BTreeMap::new(),
        }
    }

    /// The names of all keyspaces or schemas that the runs may have made.
    pub fn names(&self) -> BTreeSet<String> {
        self.run_of.keys().cloned().collect()
    }

    /// Begins a run, or goes on with one, and kills it.
    pub fn kills_a_run(&mut self) {
        let out = self.next_folder();
        let orphans = self.servers();
        let mut going = Going::start(&mut self.command(&out));
        self.waits(&mut going, &out);
        let how = ["-KILL", "-TERM", "-INT", "-INT twice"][self.random.below(4) as usize];
        let was_running = going.is_running();
        going.signal(how.split(' ').next().unwrap());
        if how == "-INT twice" {
            std::thread::sleep(self.moment(MOST_WAITED / 4));
            going.signal("-INT");
        }
        let ended = going.end();
        if was_running {
            *self.kills.entry(how).or_default() += 1;
        }
        println!("{how} of {out}: {:?}", ended.code);
        self.learns_names(&out);
        if ["-TERM", "-INT"].contains(&how) {
            let left: Vec<String> = self.servers().difference(&orphans).cloned().collect();
            assert_eq!(left, [""; 0], "{how} left a server: {}", ended.stderr);
        }
        self.comes_back(&out, &ended);
        self.theirs.check(&self.run_of);
    }

    /// Lets every run come to its end, or drops what it has left there.
    pub fn tidies_up(&mut self) {
        let has_cleaned = (0..50).any(|_| self.cleans_after_a_kill());
        assert!(has_cleaned, "no killed run has left anything with a marker");
        println!("kills: {:?}", self.kills);
        let mut begun = std::mem::take(&mut self.begun);
        let last = begun.pop();
        for (i, out) in begun.iter().enumerate() {
            match i % 2 {
                0 => self.gives_up(out),
                _ => self.completes(out),
            }
        }
        // Whatever server is left over, the next run stops it.
        let last = last.unwrap_or_else(|| self.next_folder());
        self.completes(&last);
        println!("{last} has {} records", self.bench.journal(&last).len());
        self.theirs.check(&self.run_of);
        assert_eq!(self.theirs.left(), BTreeSet::new());
        let nothing = "0 to drop, 1 not Bakeoff's";
        self.clean(&["--yes"]).expect(0).says(nothing);
        let status = self.bench.bakeoff(&["engines", "status"]).expect(0);
        status.says("no server that Bakeoff started");
        assert_eq!(processes_of(self.bench.dir.path()), [""; 0]);
    }

    pub fn kills(&self) -> usize {
        self.kills.values().sum()
    }

    fn next_folder(&mut self) -> String {
        let another = self.random.below(LEFT_AS_IT_IS) == 0;
        if let Some(out) = self.begun.last().filter(|_| !another) {
            return out.clone();
        }
        self.folders += 1;
        let out = format!("out-{}", self.folders);
        self.begun.push(out.clone());
        out
    }

    /// Reads the names of a run's keyspaces or schemas in its journal, which has them before they are made.
    fn learns_names(&mut self, out: &str) {
        let records = self.bench.journal(out);
        let designs = of_kind(&records, "started").flat_map(|begun| begun["designs"].as_array());
        let designs = designs.flatten();
        let statements = designs.flat_map(|design| design["statements"].as_array());
        let makes = |statement: &Value| {
            let name = statement.as_str()?.strip_prefix(self.theirs.makes())?;
            let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = name.find(|c| !is_in_name(c)).unwrap_or(name.len());
            Some(name[..end].to_owned())
        };
        let names: Vec<String> = statements.flatten().filter_map(makes).collect();
        assert!(records.is_empty() || !names.is_empty(), "{records:?}");
        let of_run = names.into_iter().map(|name| (name, out.to_owned()));
        self.run_of.extend(of_run);
    }

    fn command(&self, out: &str) -> Command {
        let run = [
            "run",
            "w.toml",
            "--rows",
            "3k",
            "--rounds",
            "5",
            "--no-concurrent",
            "--out",
            out,
        ];
        let mut command = self.bench.command(&run);
        let (variable, password) = self.theirs.password();
        command.args(self.theirs.options()).env(variable, password);
        command
    }

    /// Waits for a random moment of the run, or for its end.
    fn waits(&mut self, going: &mut Going, out: &str) {
        let bench = self.bench;
        let records = || bench.journal(out).len() as u64;
        // One in three kills comes before there is much.
        let further = match self.random.below(3) {
            0 => 0,
            _ => self.random.below(MOST_RECORDS),
        };
        let awaited = records() + further;
        wait_until("a record, or the end of the run", || {
            records() >= awaited || !going.is_running()
        });
        std::thread::sleep(self.moment(MOST_WAITED));
    }

    fn moment(&mut self, most: Duration) -> Duration {
        Duration::from_micros(self.random.below(most.as_micros() as u64))
    }

    /// Checks that nothing has failed, and forgets the run if it is complete.
    fn comes_back(&mut self, out: &str, ended: &Ended) {
        let records = self.bench.journal(out);
        let reason = |failed: &Value| failed["reason"].as_str().unwrap().to_owned();
        let failed: Vec<String> = of_kind(&records, "failed").map(reason).collect();
        let said = format!("{out}: {:?} {failed:?} {}", ended.code, ended.stderr);
        assert!([None, Some(0), Some(130)].contains(&ended.code), "{said}");
        assert_eq!(failed, [""; 0], "{said}");
        if of_kind(&records, "finished").next().is_some() {
            self.begun.retain(|begun| begun != out);
        }
    }

    fn completes(&mut self, out: &str) {
        for _ in 0..2 {
            let ended = Ended::of(self.command(out).output().unwrap());
            self.learns_names(out);
            if ended.code == Some(0) {
                return;
            }
            self.comes_back(out, &ended);
        }
        panic!("{out} does not come to its end");
    }

    /// Kills a run, and drops what it has left if that is anything with a marker.
    fn cleans_after_a_kill(&mut self) -> bool {
        self.kills_a_run();
        let Some(out) = self.begun.last().cloned() else {
            return false;
        };
        let has_left = !self.marked_of(&out).is_empty();
        if has_left {
            self.gives_up(&out);
        }
        has_left
    }

    /// Drops what a run has left and marked, unless something writes to its folder.
    fn drops_what_is_marked(&self, out: &str) {
        let marked = self.marked_of(out);
        if marked.is_empty() {
            return;
        }
        let before = self.theirs.left();
        let mut drop = marked.iter().map(String::as_str).collect::<Vec<_>>();
        drop.push("--yes");
        let lock = File::open(self.bench.path(out).join("lock")).unwrap();
        lock.lock().unwrap();
        let why = "is in use by a command on this machine";
        self.clean(&drop).expect(1).says(why);
        assert_eq!(self.theirs.left(), before);
        lock.unlock().unwrap();
        self.clean(&drop).expect(0);
        let mut others = before;
        others.retain(|name| !marked.contains(name));
        assert_eq!(self.theirs.left(), others);
    }

    /// The keyspaces or schemas of a killed run that `clean` would drop.
    fn marked_of(&self, out: &str) -> Vec<String> {
        let listed = self.clean(&[]).expect(0).stdout;
        let is_listed = |name: &str| {
            let line = format!(" {name}: its command was stopped or killed here");
            listed.contains(&line)
        };
        let of_run = self.run_of.iter().filter(|(_, run)| *run == out);
        let names = of_run.map(|(name, _)| name.clone());
        names.filter(|name| is_listed(name)).collect()
    }

    fn clean(&self, arguments: &[&str]) -> Ended {
        let mut command = self.bench.command(&[&["clean"][..], arguments].concat());
        let (variable, password) = self.theirs.password();
        command.args(self.theirs.options()).env(variable, password);
        Ended::of(command.output().unwrap())
    }

    /// Drops what a run has left on the server, and forgets its folder.
    fn gives_up(&mut self, out: &str) {
        self.drops_what_is_marked(out);
        // A kill may have come before the marker.
        let of_run = self.run_of.iter().filter(|(_, run)| *run == out);
        let names = of_run.map(|(name, _)| name.clone()).collect();
        self.theirs.drop_by_hand(&names);
        let _ = std::fs::remove_dir_all(self.bench.path(out));
        self.begun.retain(|begun| begun != out);
    }

    /// The processes of servers that Bakeoff started.
    fn servers(&self) -> BTreeSet<String> {
        let status = self.bench.bakeoff(&["engines", "status"]).expect(0).stdout;
        let running = status.lines().filter(|line| !line.contains("has ended"));
        let process = |line: &str| {
            let (_, rest) = line.split_once(", process ")?;
            Some(rest.split(',').next()?.to_owned())
        };
        running.filter_map(process).collect()
    }
}

/// The processes that have this folder in their command line or in their environment.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let of_folder = |process: &std::fs::DirEntry| {
        let has = |name: &str| {
            let bytes = std::fs::read(process.path().join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(folder)
        };
        has("cmdline") || has("environ")
    };
    let named = |process: std::fs::DirEntry| process.file_name().to_string_lossy().into_owned();
    processes.filter(of_folder).map(named).collect()
}
