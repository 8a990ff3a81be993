//! The program as `pip` installs it, with engines beside it in the same Python environment.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// SHA-256 of `abc`.
const SUM: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// The version of Cassandra that is pinned, with which the wheel of its jars has to agree.
fn version() -> &'static str {
    let pinned = include_str!("../../../../engines.toml");
    let line = pinned
        .lines()
        .find_map(|line| line.strip_prefix("version = "));
    line.unwrap().trim_matches('"')
}

/// An environment with a Java that only tells its version, and one jar that is none.
struct Environment(tempfile::TempDir);

impl Environment {
    fn new() -> Environment {
        let environment = Environment(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap());
        let bin = environment.path("bin");
        fs::create_dir_all(&bin).unwrap();
        // A link to the same file, since the program looks beside the one that a symbolic link
        // leads to.
        fs::hard_link(env!("CARGO_BIN_EXE_bakeoff"), bin.join("bakeoff")).unwrap();
        fs::create_dir_all(environment.package("bakeoff-0.1.0.dist-info")).unwrap();
        fs::create_dir_all(environment.jars()).unwrap();
        fs::write(
            environment.jars().join("SHA256SUMS"),
            format!("{SUM}  a.jar\n"),
        )
        .unwrap();
        fs::write(environment.jars().join("a.jar"), "abc").unwrap();
        environment
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn package(&self, below: &str) -> PathBuf {
        self.path("lib/python3.11/site-packages").join(below)
    }

    fn jars(&self) -> PathBuf {
        self.package("bakeoff_cassandra")
            .join(format!("cassandra-{}", version()))
    }

    /// A Java of that version, which is chosen before any other.
    fn java_home(&self, version: &str) -> PathBuf {
        let program = self.path("java/bin/java");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        let script = format!("#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        self.path("java")
    }

    /// What `bakeoff list` says of Cassandra, where no Maven is.
    fn cassandra(&self, program: &Path) -> String {
        let output = Command::new(program)
            .arg("list")
            .env("JAVA_HOME", self.java_home("17.0.9"))
            .env("BAKEOFF_HOME", self.path("home"))
            .env("PATH", self.path("empty"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let engines = text.split_once("Engines:").unwrap().1;
        let line = engines
            .lines()
            .find(|line| line.trim_start().starts_with("cassandra "));
        line.unwrap().to_owned()
    }
}

#[test]
fn jars_of_the_wheel_make_maven_unnecessary_also_through_a_link_to_the_program() {
    let environment = Environment::new();
    let link = environment.path("bakeoff-link");
    symlink(environment.path("bin/bakeoff"), &link).unwrap();
    for program in [environment.path("bin/bakeoff"), link] {
        let line = environment.cassandra(&program);
        assert!(
            line.contains(&format!("Apache Cassandra {} on Java 17.0.9", version())),
            "{line}"
        );
        assert!(!line.contains("not available"), "{line}");
    }
}

#[test]
fn damaged_jars_of_the_wheel_are_named_with_the_command_that_mends_them() {
    let environment = Environment::new();
    fs::write(environment.jars().join("a.jar"), "ab").unwrap();
    let line = environment.cassandra(&environment.path("bin/bakeoff"));
    assert!(line.contains("a.jar is cut or changed"), "{line}");
    assert!(
        line.contains(" install --no-index --find-links DIST --force-reinstall bakeoff-cassandra`"),
        "{line}"
    );
}

#[test]
fn a_wheel_without_its_extra_is_told_to_install_it() {
    let environment = Environment::new();
    fs::remove_dir_all(environment.package("bakeoff_cassandra")).unwrap();
    let command = "install --no-index --find-links DIST --upgrade 'bakeoff[engines]'`";
    let says = |pip: &str| {
        let line = environment.cassandra(&environment.path("bin/bakeoff"));
        let start = format!("Cassandra {} is not installed", version());
        assert!(line.contains(&start), "{line}");
        assert!(line.contains(&format!("`{pip} {command}")), "{line}");
    };
    // As pipx makes environments.
    fs::write(environment.path("bin/python"), "").unwrap();
    let prefix = environment.path("").canonicalize().unwrap();
    says(&format!("pip --python {}", prefix.display()));
    let pip = environment.path("bin/pip");
    fs::write(&pip, "").unwrap();
    says(&pip.display().to_string());
}
