use super::*;

#[test]
fn no_row_is_written_where_a_table_has_rows_unless_they_are_to_be_added() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("mine");
    write(&dir, &files_by_engine("postgres/plain", &dir)).unwrap();
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    // Stand in for Bakeoff, and for psql that finds rows in the table.
    let notes = "#!/bin/sh\nprintf '%s\\n' \"$1\" >>\"$SAID\"\n";
    write_program(&programs.join("bakeoff"), notes);
    let finds = "#!/bin/sh\ncase \"$*\" in *EXISTS*) echo t ;; esac\n";
    write_program(&programs.join("psql"), finds);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let said = folder.path().join("said");
    let filled = |more: Option<&str>| {
        let mut command = Command::new("sh");
        let command = command.arg(dir.join(LOAD)).arg("postgresql://db1/shop");
        let command = command.env("PATH", &path).env("SAID", &said);
        for name in ["WORKLOAD_FILE", "ROWS_FILE", "ROWS", "BAKEOFF", "MORE"] {
            command.env_remove(name);
        }
        command.envs(more.map(|more| ("MORE", more)));
        command.output().unwrap()
    };
    let refused = filled(None);
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("has rows already"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(!said.exists(), "no rows are generated");
    let added = filled(Some("1"));
    let stderr = String::from_utf8_lossy(&added.stderr);
    assert!(added.status.success(), "{stderr}");
    assert_eq!(std::fs::read_to_string(&said).unwrap(), "generate\n");
}
