//! What the programs that Bakeoff runs get of its environment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const SECRET: &str = "not-for-others";

/// Writes a script in the place of a program, which notes its environment in a folder and then does something.
fn put(program: &Path, notes: &Path, does: &str) {
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    let note = notes.join(program.file_name().unwrap());
    // Some programs also run as a user who may not write there.
    let script = format!(
        "#!/bin/sh\n{{ env >> '{}'; }} 2>/dev/null\n{does}\n",
        note.display()
    );
    fs::write(program, script).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_program_gets_a_password() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("notes")).unwrap();
    for (name, does) in [
        ("bin/postgres", "echo 'postgres (PostgreSQL) 17.11'"),
        ("bin/initdb", ""),
        ("bin/pg_config", "echo /nowhere"),
        ("bin/mvn", "exit 1"),
        ("bin/python3", "echo 3.5.9 26.0.1"),
        ("java/bin/java", "echo 'openjdk version \"17.0.9\"' >&2"),
    ] {
        put(&at(name), &at("notes"), does);
    }
    let bakeoff = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .args(arguments)
            .current_dir(folder.path())
            .env("PATH", format!("{}:/usr/bin:/bin", at("bin").display()))
            .env("JAVA_HOME", at("java"))
            .env("BAKEOFF_HOME", at("home"))
            .env("BAKEOFF_POSTGRES_BIN", at("bin"))
            .env_remove("BAKEOFF_SPARK_PYTHON")
            .env("BAKEOFF_CASSANDRA_PASSWORD", SECRET)
            .env("BAKEOFF_POSTGRES_PASSWORD", SECRET)
            .env("BAKEOFF_SPARK_TOKEN", SECRET)
            .output();
        output.unwrap()
    };
    let listed = bakeoff(&["list"]);
    assert!(listed.status.success(), "{listed:?}");
    let started = bakeoff(&["engines", "start", "--dir", "server"]);
    let said = String::from_utf8_lossy(&started.stderr);
    assert!(said.contains("Maven could not fetch"), "{said}");
    for program in ["postgres", "pg_config", "mvn", "java", "python3"] {
        let environment = fs::read_to_string(at("notes").join(program)).unwrap();
        assert!(environment.contains("PATH="), "{program}: {environment}");
        assert!(!environment.contains(SECRET), "{program}: {environment}");
    }
}
