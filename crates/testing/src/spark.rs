//! Servers of Spark on loopback, from the distribution in the Python package `pyspark`: a standalone master with a
//! worker, or a server of Spark Connect.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::skipped;

/// The longest wait for a server that starts.
const PATIENCE: Duration = Duration::from_secs(180);
const POLL: Duration = Duration::from_millis(100);
/// What a log says when another process has taken a port since it was found to be free.
const TAKEN: [&str; 2] = ["Address already in use", "could not bind on port"];
/// The class of the server of Spark Connect.
const CONNECT: &str = "org.apache.spark.sql.connect.service.SparkConnectServer";

/// What servers of Spark need: a Python with `pyspark`, and the folder of a Java.
#[derive(Debug, Clone)]
pub struct Distribution {
    pub python: PathBuf,
    pub java_home: PathBuf,
}

/// Servers of Spark, killed when this is dropped.
#[derive(Debug)]
pub struct SparkServers {
    /// The processes, each with those that it started in a group.
    processes: Vec<Child>,
    url: String,
    /// The port of the pages of the Spark Connect server.
    pages: u16,
    logs: Vec<PathBuf>,
}

impl SparkServers {
    /// Starts a master, and a worker with two cores to which a folder looks empty, with their files in another folder.
    ///
    /// # Panics
    /// Panics if one of them ends, or does not listen.
    #[track_caller]
    pub fn standalone(of: &Distribution, folder: &Path, hidden: Option<&Path>) -> SparkServers {
        on_free_ports(|| SparkServers::on_port(of, folder, hidden))
    }

    /// Starts a master and a worker; `None` if the port was taken meanwhile.
    fn on_port(of: &Distribution, folder: &Path, hidden: Option<&Path>) -> Option<SparkServers> {
        let port = free_port();
        let mut servers = SparkServers::none(format!("spark://127.0.0.1:{port}"));
        let spark = of.folder();
        let class = spark.join("bin/spark-class");
        let run = |what: &str| {
            let mut words: Vec<OsString> = vec![class.clone().into()];
            words.push(format!("org.apache.spark.deploy.{}.{what}", what.to_lowercase()).into());
            words.extend(["--host", "127.0.0.1", "--webui-port", "0"].map(OsString::from));
            words
        };
        let mut master = run("Master");
        master.extend(["--port", &port.to_string()].map(OsString::from));
        servers.start(of, &spark, folder, "master", master);
        if !servers.await_port(port) {
            return None;
        }
        let mut worker = hiding(hidden);
        worker.extend(run("Worker"));
        worker.extend(["--cores", "2", "--memory", "2g", "--work-dir"].map(OsString::from));
        worker.push(folder.join("work").into());
        worker.push(servers.url.clone().into());
        servers.start(of, &spark, folder, "worker", worker);
        Some(servers)
    }

    /// Starts a server of Spark Connect with two cores, to which a folder looks empty, with its files in another
    /// folder. `None`, with the reason printed, where its jar is missing; a failure in CI.
    ///
    /// # Panics
    /// Panics if it ends, or does not listen.
    #[track_caller]
    pub fn connect(
        of: &Distribution,
        folder: &Path,
        hidden: Option<&Path>,
    ) -> Option<SparkServers> {
        let Some(jar) = of.connect_jar() else {
            skipped(
                "the server of Spark Connect is missing: scripts/install-spark FOLDER --with-connect-server",
            );
            return None;
        };
        let starting = || SparkServers::connect_on_ports(of, &jar, folder, hidden);
        Some(on_free_ports(starting))
    }

    /// Starts a server of Spark Connect, whose jar this is; `None` if a port was taken meanwhile.
    fn connect_on_ports(
        of: &Distribution,
        jar: &Path,
        folder: &Path,
        hidden: Option<&Path>,
    ) -> Option<SparkServers> {
        let (port, pages) = (free_port(), free_port());
        let mut servers = SparkServers::none(format!("sc://127.0.0.1:{port}"));
        servers.pages = pages;
        let spark = of.folder();
        let mut words = hiding(hidden);
        words.push(spark.join("bin/spark-submit").into());
        words.extend(["--class", CONNECT, "--master", "local[2]"].map(OsString::from));
        words.extend(["--driver-memory", "1g", "--jars"].map(OsString::from));
        words.push(jar.into());
        for (name, value) in [
            ("spark.connect.grpc.binding.port", port.to_string()),
            ("spark.ui.port", pages.to_string()),
            ("spark.driver.host", "127.0.0.1".to_owned()),
            ("spark.driver.bindAddress", "127.0.0.1".to_owned()),
        ] {
            words.push("--conf".into());
            words.push(format!("{name}={value}").into());
        }
        servers.start(of, &spark, folder, "connect", words);
        servers.await_port(port).then_some(servers)
    }

    fn none(url: String) -> SparkServers {
        SparkServers {
            processes: Vec::new(),
            url,
            pages: 0,
            logs: Vec::new(),
        }
    }

    /// Returns the URL that clients name.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns how many tables the server of Spark Connect has in its memory, as its own pages say.
    ///
    /// # Panics
    /// Panics if the page cannot be read.
    #[track_caller]
    pub fn cached(&self) -> usize {
        let applications = self.page("/api/v1/applications");
        let applications: serde_json::Value =
            serde_json::from_str(&applications).expect("a list of applications");
        let id = applications[0]["id"].as_str().expect("an application");
        let stored = self.page(&format!("/api/v1/applications/{id}/storage/rdd"));
        let stored: serde_json::Value = serde_json::from_str(&stored).expect("a list of tables");
        stored.as_array().expect("a list of tables").len()
    }

    #[track_caller]
    fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.pages)).expect("the server's pages");
        let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("a reply");
        let (_, body) = reply.split_once("\r\n\r\n").expect("a head and a body");
        body.to_owned()
    }

    /// Returns the CPU time of all their processes in clock ticks.
    pub fn cpu_ticks(&self) -> u64 {
        let groups: Vec<u64> = { self.processes.iter() }
            .map(|process| u64::from(process.id()))
            .collect();
        let processes = fs::read_dir("/proc").expect("/proc");
        let ticks = processes.flatten().filter_map(|process| {
            // One that has just ended has no such file.
            let stat = fs::read_to_string(process.path().join("stat")).ok()?;
            // Behind the name: state, parent, group, and from the 12th on the times in user and system mode.
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
            let is_ours = groups.contains(&number(2)?);
            is_ours.then_some(number(11)? + number(12)?)
        });
        ticks.sum()
    }

    /// Kills all of them, as a crash would.
    pub fn kill(&mut self) {
        for mut process in self.processes.drain(..) {
            let group = format!("-{}", process.id());
            let killed = Command::new("kill").args(["-9", "--", &group]).status();
            killed.expect("kill");
            process.wait().ok();
        }
    }

    #[track_caller]
    fn start(
        &mut self,
        of: &Distribution,
        spark: &Path,
        folder: &Path,
        name: &str,
        words: Vec<OsString>,
    ) {
        let own = folder.join(name);
        fs::create_dir_all(own.join("tmp")).expect("a folder for a server");
        let log = own.join("log");
        let output = File::create(&log).expect("a log");
        let errors = output.try_clone().expect("a log");
        let (program, arguments) = words.split_first().expect("a program");
        let started = Command::new(program)
            .args(arguments)
            .env("JAVA_HOME", &of.java_home)
            .env("SPARK_HOME", spark)
            .env("SPARK_LOCAL_IP", "127.0.0.1")
            .env("SPARK_LOCAL_DIRS", own.join("tmp"))
            .env("SPARK_DAEMON_MEMORY", "512m")
            .env_remove("SPARK_CONF_DIR")
            .current_dir(&own)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn();
        self.processes.push(started.expect("a server of Spark"));
        self.logs.push(log);
    }

    /// Waits until a server listens; returns false if its log says that another process does.
    #[track_caller]
    fn await_port(&mut self, port: u16) -> bool {
        let began = Instant::now();
        loop {
            let log = self.logs.last().expect("a log");
            let log = fs::read_to_string(log).unwrap_or_default();
            if is_taken(&log) {
                return false;
            }
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return true;
            }
            let has_ended = |process: &mut Child| process.try_wait().is_ok_and(|end| end.is_some());
            let ended = self.processes.iter_mut().any(has_ended);
            if ended || began.elapsed() > PATIENCE {
                panic!("no server of Spark at {}:\n{log}", self.url);
            }
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for SparkServers {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Distribution {
    /// Returns the folder of Spark in the Python package.
    #[track_caller]
    fn folder(&self) -> PathBuf {
        let find = "import importlib.util; print(importlib.util.find_spec('pyspark').origin)";
        let found = Command::new(&self.python).args(["-c", find]).output();
        let found = found.expect("the Python of Spark").stdout;
        let file = PathBuf::from(String::from_utf8_lossy(&found).trim());
        file.parent().expect("the folder of pyspark").to_owned()
    }

    /// Returns the jar of the server of Spark Connect, which `scripts/install-spark` puts beside the Python.
    fn connect_jar(&self) -> Option<PathBuf> {
        let environment = self.python.parent()?.parent()?;
        let files = fs::read_dir(environment.join("connect-server")).ok()?;
        let mut files = files.flatten().map(|file| file.path());
        files.find(|file| file.extension().is_some_and(|end| end == "jar"))
    }
}

/// Returns the beginning of a command whose program sees an empty folder in the place of this one.
fn hiding(folder: Option<&Path>) -> Vec<OsString> {
    let Some(folder) = folder else {
        return Vec::new();
    };
    let script = "mount -t tmpfs none \"$0\" && exec \"$@\"";
    let mut words = ["unshare", "--mount", "sh", "-c", script]
        .map(OsString::from)
        .to_vec();
    words.push(folder.into());
    words
}

/// Returns a port that nothing listens on.
fn free_port() -> u16 {
    let listening = TcpListener::bind("127.0.0.1:0").expect("a port");
    listening.local_addr().expect("its number").port()
}

/// Starts servers, and once more if their ports were taken meanwhile.
#[track_caller]
fn on_free_ports(starting: impl Fn() -> Option<SparkServers>) -> SparkServers {
    let started = starting().or_else(&starting);
    started.expect("ports that stay free until a server of Spark takes them")
}

fn is_taken(log: &str) -> bool {
    TAKEN.iter().any(|taken| log.contains(taken))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn servers_whose_port_was_taken_start_once_more() {
        let starts = Cell::new(0);
        let servers = on_free_ports(|| {
            starts.set(starts.get() + 1);
            (starts.get() == 2).then(|| SparkServers::none("spark://127.0.0.1:1".to_owned()))
        });
        assert_eq!((servers.url(), starts.get()), ("spark://127.0.0.1:1", 2));
        assert!(is_taken(
            "WARN Utils: Service 'sparkMaster' could not bind on port 7077. Attempting port 7078."
        ));
        assert!(is_taken(
            "Caused by: java.net.BindException: Address already in use"
        ));
        assert!(!is_taken(
            "INFO Utils: Successfully started service 'sparkMaster' on port 7077."
        ));
    }
}
