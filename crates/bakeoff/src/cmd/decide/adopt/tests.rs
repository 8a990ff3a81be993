use std::process::Command;

use bakeoff_engines::{Loading, SchemaFile};

use super::*;

/// A name that would do harm wherever it is not quoted.
const HOSTILE: &str = "a'b $(touch harm) `touch harm`\n; touch harm \"c\".toml";

fn adoption(load: Result<Loading, String>) -> Adoption {
    Adoption {
        called_with: "HOST [PORT]",
        schema: Some(SchemaFile {
            file: "schema.cql",
            statements: vec!["CREATE TABLE t (a int PRIMARY KEY)".to_owned()],
            apply: Some("echo applied \"$here/schema.cql\" \"$@\"".to_owned()),
        }),
        load,
        asked_with: Vec::new(),
    }
}

fn loading() -> Loading {
    Loading {
        lines: vec!["echo filled \"$@\" from \"$(cat \"$rows/rows.csv\")\"".to_owned()],
        takes_csv: true,
        statements: Vec::new(),
    }
}

fn id() -> DesignId {
    "cassandra/wide?bucket=1d".parse().unwrap()
}

/// What is said of rows, of which a script loads 600.
fn told(lines: Vec<String>) -> RowsTold {
    RowsTold {
        usual: "600".to_owned(),
        lines,
        beside: None,
        note: None,
    }
}

/// The files of a design, recommended or only ahead, whose workload is in the folder above.
fn files_of(adoption: &Adoption, dir: &Path, from: &str, is_recommended: bool) -> Vec<TakeFile> {
    let above = dir.parent().unwrap_or(dir);
    let taken = Taken {
        design: &id(),
        is_recommended,
        rows: &told(Vec::new()),
        place: &Place::new(dir, &above.join(from), &[]),
        questions: &Questions::default(),
    };
    files(taken, adoption)
}

#[test]
fn scripts_make_and_fill_the_tables_whatever_the_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("it's mine");
    let files = files_of(&adoption(Ok(loading())), &dir, HOSTILE, true);
    let written = write(&dir, &files).unwrap();
    assert_eq!(written.len(), 3);
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    // Stands in for Bakeoff: writes the name of the workload and the number of rows into the file that it is asked for.
    let stand_in = "#!/bin/sh\nprintf '%s, %s' \"$2\" \"$4\" >\"$6\"\n";
    let mut file = OpenOptions::new();
    let path = programs.join("bakeoff");
    let mut file = file
        .write(true)
        .create_new(true)
        .mode(SCRIPT)
        .open(path)
        .unwrap();
    file.write_all(stand_in.as_bytes()).unwrap();
    drop(file);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let applied = |rows: Option<&str>| {
        let output = Command::new("sh")
            .arg(dir.join(APPLY))
            .args(["db 1", "9042"])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env_remove("WORKLOAD_FILE")
            .env_remove("ROWS")
            .envs(rows.map(|rows| ("ROWS", rows)))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let shown = dir.display();
    let expected = |rows: &str| {
        format!(
            "applied {shown}/schema.cql db 1 9042\nfilled db 1 9042 from {shown}/../{HOSTILE}, {rows}\n"
        )
    };
    assert_eq!(applied(None), expected("600"));
    assert_eq!(applied(Some("all")), expected("all"));
    assert!(!folder.path().join("harm").exists());
}

#[test]
fn nothing_is_overwritten_and_scripts_without_a_server_say_how_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert!(check_folder(dir).is_ok());
    let why = "it's encoded".to_owned();
    let encoded = files_of(&adoption(Err(why)), dir, "w.toml", true);
    write(dir, &encoded).unwrap();
    let error = check_folder(dir).unwrap_err().to_string();
    assert!(error.contains("nothing is overwritten"), "{error}");
    let others = files_of(&adoption(Ok(loading())), dir, "w.toml", true);
    let error = write(dir, &others).unwrap_err();
    assert!(error.to_string().contains("schema.cql"), "{error}");
    for (name, words, code, said) in [
        (LOAD, &[][..], 2, "usage: sh load.sh HOST [PORT]"),
        (APPLY, &[][..], 2, "usage: sh apply.sh HOST [PORT]"),
        (LOAD, &["db1"][..], 1, "not filled: it's encoded"),
    ] {
        let output = Command::new("sh")
            .arg(dir.join(name))
            .args(words)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{name}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.trim_end(), said);
    }
}

#[test]
fn files_of_a_design_that_is_only_ahead_say_so() {
    for (is_recommended, schema) in [
        (true, "as `bakeoff decide` recommends.\n"),
        (false, "which is ahead; nothing is recommended yet.\n"),
    ] {
        let dir = Path::new("mine");
        let files = files_of(&adoption(Ok(loading())), dir, "w.toml", is_recommended);
        let first = format!("-- The tables of {}, {schema}", id());
        assert!(files[0].text.starts_with(&first), "{}", files[0].text);
        for file in &files {
            let cautions = file.text.contains("nothing is recommended yet.");
            assert_eq!(cautions, !is_recommended, "{}", file.text);
        }
        for script in &files[1..] {
            let lines = script.text.lines().take_while(|line| *line != "set -eu");
            let mut lines = lines.filter(|line| !line.is_empty());
            assert!(lines.all(|line| line.starts_with('#')), "{}", script.text);
        }
    }
}

#[test]
fn the_same_files_are_there_already_and_others_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("mine");
    let files = files_of(&adoption(Ok(loading())), &dir, "w.toml", true);
    assert!(!has_them(&dir, &files).unwrap(), "there is no such folder");
    write(&dir, &files).unwrap();
    assert!(has_them(&dir, &files).unwrap());
    let refused = |files: &[TakeFile]| {
        let error = has_them(&dir, files).unwrap_err().to_string();
        assert!(error.contains("nothing is overwritten"), "{error}");
    };
    let others = files_of(&adoption(Ok(loading())), &dir, "other.toml", true);
    refused(&others);
    refused(&files[1..]);
    std::fs::write(dir.join("theirs"), "").unwrap();
    refused(&files);
    std::fs::remove_file(dir.join(LOAD)).unwrap();
    refused(&files);
}

/// The text of the file that is called so.
fn text<'a>(files: &'a [TakeFile], name: &str) -> &'a str {
    let found = files.iter().find(|file| file.name == name);
    &found.unwrap_or_else(|| panic!("no {name}")).text
}

#[test]
fn questions_are_in_the_sql_that_is_asked_and_scripts_say_which_rows_they_load() {
    let lines = ["Rows: some.", "ROWS=3 loads fewer."];
    let rows = told(Vec::from(lines.map(str::to_owned)));
    let place = Place::new(Path::new("/no/mine"), Path::new("/no/w.toml"), &[]);
    let mut questions = Questions {
        all: vec![
            ("one".to_owned(), "SELECT 1;\n".to_owned()),
            ("two".to_owned(), "SELECT ${a} -- a".to_owned()),
        ],
        are_of_engine: true,
    };
    let mut adoption = adoption(Ok(loading()));
    adoption.asked_with = vec!["SET TimeZone = 'UTC'".to_owned()];
    let id = id();
    let files_with = |questions: &Questions| {
        let taken = Taken {
            design: &id,
            is_recommended: true,
            rows: &rows,
            place: &place,
            questions,
        };
        files(taken, &adoption)
    };
    let made = files_with(&questions);
    let expected = "-- The questions, as cassandra/wide?bucket=1d is asked them.\n\
                    -- ${NAME} is a parameter: put a value in its place.\n\
                    SET TimeZone = 'UTC';\n\n-- name: one\nSELECT 1;\n\n-- name: two\nSELECT ${a} -- a\n;\n";
    assert_eq!(text(&made, QUESTIONS), expected);
    let load = text(&made, LOAD);
    let head = "# Fills the tables of cassandra/wide?bucket=1d.\n# Rows: some.\n# ROWS=3 loads fewer.\n\
                # WORKLOAD_FILE=PATH ";
    assert!(load.contains(head), "{load}");
    let named =
        "workload=${WORKLOAD_FILE:-$here/../w.toml}\nROWS=${ROWS:-600}\nrows=$(mktemp -d)\n";
    let generate = "bakeoff generate \"$workload\" --rows \"$ROWS\" --out \"$rows/rows.csv\"\n";
    assert!(load.contains(named) && load.contains(generate), "{load}");
    questions.are_of_engine = false;
    let others = files_with(&questions);
    assert!(text(&others, QUESTIONS).starts_with("-- The questions in the SQL of Bakeoff, "));
}

#[test]
fn statements_that_are_only_to_be_read_are_not_applied() {
    let mut adoption = adoption(Ok(loading()));
    let schema = adoption.schema.as_mut().unwrap();
    schema.apply = None;
    let files = files_of(&adoption, Path::new("mine"), "w.toml", true);
    assert!(text(&files, "schema.cql").contains("CREATE TABLE t "));
    let apply = text(&files, APPLY);
    let head = "# Makes and fills cassandra/wide?bucket=1d, which load.sh does at once.\n";
    assert!(
        apply.contains(head) && !apply.contains("applied"),
        "{apply}"
    );
}
