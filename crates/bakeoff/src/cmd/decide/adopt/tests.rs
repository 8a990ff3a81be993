mod rows_there;
mod rows_written;

use std::process::Command;

use bakeoff_engines::registry::engine;
use bakeoff_engines::{AdoptedRows, EngineOptions, Loading, SchemaFile};
use bakeoff_workload::Workload;

use super::*;

/// What is said of a design that is not recommended for all rows.
const CAUTION: &str = "To take for now: it; there is no forecast for 7 rows yet.";

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
        asked_by: None,
    }
}

fn loading() -> Loading {
    Loading {
        checks: Vec::new(),
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
        written: None,
        beside: None,
        note: None,
    }
}

/// The files of a design, recommended for all rows or not, whose workload is in the folder above.
fn files_of(adoption: &Adoption, dir: &Path, from: &str, is_recommended: bool) -> Vec<TakeFile> {
    let above = dir.parent().unwrap_or(dir);
    let taken = Taken {
        design: &id(),
        caution: (!is_recommended).then_some(CAUTION),
        rows: &told(Vec::new()),
        place: &Place::new(dir, &above.join(from), &[]),
        questions: &Questions::default(),
    };
    files(taken, adoption)
}

/// Writes a script that can be run.
fn write_program(path: &Path, text: &str) {
    let mut file = OpenOptions::new();
    let file = file.write(true).create_new(true).mode(SCRIPT);
    let mut file = file.open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The files of a design, as its engine says how that is made, with a question in the SQL of Bakeoff.
fn files_by_engine(design: &str, dir: &Path) -> Vec<TakeFile> {
    let text = r#"
        title = "t"
        designs = ["memory"]
        [table]
        name = "readings"
        columns = { room = "text", time = "timestamp", value = "double" }
        partition_key = ["room"]
        order_key = ["time"]
        [data]
        file = "none.csv"
        [[queries]]
        name = "most"
        sql = "SELECT max(value) AS most FROM readings"
        [scale]
        rows = 10
        full_rows = 10
    "#;
    let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
    let design: DesignId = design.parse().unwrap();
    let context = bakeoff_engines::Context {
        run_dir: PathBuf::from("run"),
        token: None,
        threads: 1,
        keys_repeat: false,
        options: EngineOptions::default(),
    };
    let place = Place::new(dir, &dir.join("w.toml"), &[]);
    let adopted = AdoptedRows {
        from: "w.toml",
        from_in_script: &place.words,
        usual: "600",
    };
    let questions = Questions {
        all: vec![("most".to_owned(), workload.queries[0].sql.clone())],
        are_of_engine: false,
    };
    let engine = engine(&design).unwrap();
    let adoption = engine.adoption(&design, &workload, &context, &adopted);
    let taken = Taken {
        design: &design,
        caution: None,
        rows: &told(Vec::new()),
        place: &place,
        questions: &questions,
    };
    files(taken, &adoption.unwrap())
}

#[test]
fn a_columnar_table_is_filled_and_sealed_by_the_program_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("mine");
    write(&dir, &files_by_engine("local/columnar", &dir)).unwrap();
    // Stands in for Bakeoff: notes what it is to do.
    let stand_in = folder.path().join("it's bakeoff");
    write_program(&stand_in, "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$SAID\"\n");
    let said = folder.path().join("said");
    let applied_by = |program: &Path| {
        let mut command = Command::new("sh");
        let command = command.arg(dir.join(APPLY)).arg("my table");
        let command = command.env_remove("WORKLOAD_FILE").env_remove("ROWS");
        let command = command.env("BAKEOFF", program).env("SAID", &said);
        command.output().unwrap()
    };
    let none = applied_by(&folder.path().join("none"));
    assert_eq!(none.status.code(), Some(127));
    let stderr = String::from_utf8_lossy(&none.stderr);
    let told = "/none cannot be found: put it on PATH, or name the program of Bakeoff, as in \
                BAKEOFF=/path/to/bakeoff sh apply.sh FOLDER\n";
    assert!(stderr.ends_with(told), "{stderr}");
    let filled = applied_by(&stand_in);
    let stderr = String::from_utf8_lossy(&filled.stderr);
    assert!(filled.status.success(), "{stderr}");
    let said = std::fs::read_to_string(&said).unwrap();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].starts_with("generate "), "{}", said[0]);
    let ingest = "/rows.csv --into dir:my table --partition-key room ";
    assert!(
        said[1].starts_with("ingest ") && said[1].contains(ingest),
        "{}",
        said[1]
    );
    assert_eq!(said[2], "table seal dir:my table");
}

#[test]
fn questions_name_the_command_that_asks_them() {
    for (design, asked_by) in [
        (
            "local/columnar",
            "-- Outside of a run: bakeoff sql --table readings=dir:FOLDER - <questions.sql\n",
        ),
        (
            "parquet?codec=zstd",
            "-- Outside of a run, a program that reads Parquet files by SQL can be asked them",
        ),
    ] {
        let files = files_by_engine(design, Path::new("mine"));
        let questions = text(&files, QUESTIONS_FILE);
        let begins = format!(
            "-- The questions in the SQL of Bakeoff, as a run asks them of {design}.\n{asked_by}"
        );
        assert!(questions.starts_with(&begins), "{questions}");
    }
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
    write_program(&programs.join("bakeoff"), stand_in);
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let applied = |rows: Option<&str>| {
        let output = Command::new("sh")
            .arg(dir.join(APPLY))
            .args(["db 1", "9042"])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env_remove("WORKLOAD_FILE")
            .env_remove("ROWS")
            .env_remove("BAKEOFF")
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
fn files_of_a_design_that_is_not_recommended_for_all_rows_say_so() {
    for is_recommended in [true, false] {
        let dir = Path::new("mine");
        let files = files_of(&adoption(Ok(loading())), dir, "w.toml", is_recommended);
        let first = if is_recommended {
            format!(
                "-- The tables of {}, as `bakeoff decide` recommends.\n",
                id()
            )
        } else {
            format!("-- The tables of {}.\n-- {CAUTION}\n", id())
        };
        assert!(files[0].text.starts_with(&first), "{}", files[0].text);
        for file in &files {
            assert_eq!(
                file.text.contains(CAUTION),
                !is_recommended,
                "{}",
                file.text
            );
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
            caution: None,
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
    assert_eq!(text(&made, QUESTIONS_FILE), expected);
    let load = text(&made, LOAD);
    let head = "# Fills the tables of cassandra/wide?bucket=1d.\n# Rows: some.\n# ROWS=3 loads fewer.\n\
                # WORKLOAD_FILE=PATH ";
    assert!(load.contains(head), "{load}");
    let named =
        "workload=${WORKLOAD_FILE:-$here/../w.toml}\nROWS=${ROWS:-600}\nrows=$(mktemp -d)\n";
    let generate =
        "\"$bakeoff\" generate \"$workload\" --rows \"$ROWS\" --out \"$rows/rows.csv\"\n";
    assert!(load.contains(named) && load.contains(generate), "{load}");
    questions.are_of_engine = false;
    let others = files_with(&questions);
    let begins = "-- The questions in the SQL of Bakeoff, as a run asks them of cassandra/wide?bucket=1d.\n\
                  -- Outside of a run no command of Bakeoff asks them.\n-- ${NAME} is";
    let asked = text(&others, QUESTIONS_FILE);
    assert!(asked.starts_with(begins), "{asked}");
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
