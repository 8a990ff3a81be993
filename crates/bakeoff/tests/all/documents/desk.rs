//! A folder in which the commands of the pages can be given: with the files that they name, and with
//! stand-ins for all programs, so that nothing is built, installed or measured.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::markdown::{Page, root};

const SHELL: &str = "/bin/bash";
const STAND_IN: &str = include_str!("stand-in.sh");
/// A certificate whose key was thrown away.
const CERTIFICATE: &str = include_str!("ca.pem");
/// Programs that the stand-in takes the place of.
const PROGRAMS: [&str; 10] = [
    "bakeoff", "cargo", "just", "pip", "python3", "curl", "sh", "sudo", "sbatch", "java",
];
/// Programs that do no harm.
const TOOLS: [&str; 4] = ["date", "mkdir", "cat", "grep"];

pub struct Desk {
    dir: TempDir,
}

impl Desk {
    pub fn new() -> Desk {
        let desk = Desk {
            dir: TempDir::new().unwrap(),
        };
        desk.install_stand_ins();
        desk.write_files();
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("here").join(name)
    }

    /// Gives these commands. What is quick and needs no server of the user's is really done; of
    /// other commands only what they would do is asked for, or their options are checked.
    pub fn carry_out(&self, script: &str) -> Result<(), String> {
        self.run(script, false)
    }

    /// Checks only that there is such a command with such options; it may name what is not there.
    pub fn check(&self, command: &str) -> Result<(), String> {
        self.run(command, true)
    }

    fn run(&self, script: &str, check_only: bool) -> Result<(), String> {
        let failures = self.dir.path().join("failures");
        fs::write(&failures, "").unwrap();
        let mut shell = Command::new(SHELL);
        shell
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", self.programs())
            .env("HOME", self.dir.path().join("home"))
            .env("BAKEOFF", env!("CARGO_BIN_EXE_bakeoff"))
            .env("BAKEOFF_HOME", self.dir.path().join("home/bakeoff"))
            .env("PROGRAMS", std::env::var_os("PATH").unwrap_or_default())
            .env("REPOSITORY", root())
            .env("FAILURES", &failures);
        if check_only {
            shell.env("CHECK_ONLY", "yes");
        }
        let output = shell.output().unwrap();
        let failed = fs::read_to_string(failures).unwrap();
        if output.status.success() && failed.is_empty() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("{}: {failed}{stderr}", output.status))
    }

    fn programs(&self) -> PathBuf {
        self.dir.path().join("programs")
    }

    fn install_stand_ins(&self) {
        fs::create_dir_all(self.programs()).unwrap();
        for program in PROGRAMS {
            write_program(&self.programs().join(program));
        }
        for tool in TOOLS {
            symlink(Path::new("/bin").join(tool), self.programs().join(tool)).unwrap();
        }
        for folder in ["scripts", ".ci", "benches"] {
            fs::create_dir_all(self.path(folder)).unwrap();
            for entry in fs::read_dir(root().join(folder)).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_file() {
                    write_program(&self.path(folder).join(entry.file_name()));
                }
            }
        }
    }

    /// The files that commands name: those of the repository, those of the README, and what is the
    /// reader's own.
    fn write_files(&self) {
        fs::create_dir_all(self.dir.path().join("home")).unwrap();
        symlink(root().join("prices"), self.path("prices")).unwrap();
        fs::create_dir_all(self.path("workloads")).unwrap();
        for entry in fs::read_dir(root().join("workloads")).unwrap() {
            let entry = entry.unwrap();
            symlink(entry.path(), self.path("workloads").join(entry.file_name())).unwrap();
        }
        let own = fs::read_to_string(root().join("workloads/readings.toml")).unwrap();
        for name in ["workloads/NAME.toml", "mine.toml"] {
            fs::write(self.path(name), &own).unwrap();
        }
        fs::create_dir_all(self.path("studies")).unwrap();
        fs::copy(
            root().join("studies/s4.toml"),
            self.path("studies/NAME.toml"),
        )
        .unwrap();
        let readme = Page::read("README.md");
        for (name, language) in [("greenhouse.csv", "csv"), ("greenhouse.toml", "toml")] {
            let text = readme.block_after(&format!("`{name}`"), language);
            fs::write(self.path(name), text).unwrap();
        }
        let events = Page::read("docs/gdelt-generator.md");
        let workload = events.block_after("`gdelt-1979.toml`", "toml");
        fs::write(self.path("gdelt-1979.toml"), workload).unwrap();
        write_events(&self.path("1979.zip"));
        fs::write(self.path("ca.pem"), CERTIFICATE).unwrap();
        let readings = "host,time,value\na,2026-01-01T00:00:00Z,1.5\nb,2026-01-01T00:00:00Z,2.5\n";
        fs::write(self.path("readings.csv"), readings).unwrap();
        write_gzip(
            &self.path("metrics.csv.gz"),
            &readings.replace("host", "series"),
        );
    }

    /// Makes a run that the pages render again.
    pub fn measure_formats(&self) {
        let run = "run workloads/formats.toml --designs memory --rows 10k --rounds 1";
        self.measure(&run.split(' ').collect::<Vec<_>>());
    }

    /// Runs the built program to its end, which has to be a good one.
    pub fn measure(&self, arguments: &[&str]) {
        let mut program = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
        let output = program
            .args(arguments)
            .current_dir(self.path(""))
            .env("BAKEOFF_HOME", self.dir.path().join("home/bakeoff"))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {stderr}", output.status);
    }
}

fn write_program(path: &Path) {
    fs::write(path, STAND_IN).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Writes an event in the form of GDELT's files: 57 fields without names, of which the actors and places are
/// empty here.
fn write_events(path: &Path) {
    let (actors, places) = ("\t".repeat(20), "\t".repeat(21));
    let event = format!(
        "1\t19790101\t197901\t1979\t1979.0027{actors}\t1\t010\t010\t01\t1\t0.0\t2\t1\t2\t1.5{places}\t19790101\n"
    );
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    zip.start_file("1979.csv", SimpleFileOptions::default())
        .unwrap();
    zip.write_all(event.as_bytes()).unwrap();
    zip.finish().unwrap();
}

fn write_gzip(path: &Path, text: &str) {
    let mut file = GzEncoder::new(fs::File::create(path).unwrap(), Compression::fast());
    file.write_all(text.as_bytes()).unwrap();
    file.finish().unwrap();
}
