use super::*;

/// The files of a design whose rows are 600 unless all of them are asked for.
fn files_for(adoption: &Adoption, dir: &Path) -> Vec<TakeFile> {
    let rows = RowsTold {
        written: Some("6,000 rows, about 310 KiB as CSV".to_owned()),
        ..told(Vec::new())
    };
    let taken = Taken {
        design: &id(),
        caution: None,
        rows: &rows,
        place: &Place::new(dir, &dir.join("w.toml"), &[]),
        questions: &Questions::default(),
    };
    files(taken, adoption)
}

#[test]
fn rows_that_are_made_are_told_with_about_their_bytes_before_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("mine");
    let files = files_for(&adoption(Ok(loading())), &dir);
    let comment = "\n# ROWS=all writes 6,000 rows, about 310 KiB as CSV, below TMPDIR before the tables are filled.\n";
    assert!(
        text(&files, LOAD).contains(comment),
        "{}",
        text(&files, LOAD)
    );
    write(&dir, &files).unwrap();
    // Stands in for Bakeoff: writes the number of rows into the file that it is asked for.
    let stand_in = folder.path().join("bakeoff");
    write_program(&stand_in, "#!/bin/sh\nprintf '%s' \"$4\" >\"$6\"\n");
    let told = |rows: Option<&str>| {
        let output = Command::new("sh")
            .arg(dir.join(LOAD))
            .arg("db1")
            .env("BAKEOFF", &stand_in)
            .env("TMPDIR", folder.path())
            .env_remove("WORKLOAD_FILE")
            .env_remove("ROWS")
            .envs(rows.map(|rows| ("ROWS", rows)))
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        stderr.into_owned()
    };
    let expected = format!(
        "writing 6,000 rows, about 310 KiB as CSV, below {} first\n",
        folder.path().display()
    );
    assert_eq!(told(Some("all")), expected);
    assert_eq!(told(Some("700")), "");
    assert_eq!(told(None), "");
}

#[test]
fn a_script_that_writes_no_rows_to_a_file_tells_nothing_of_it() {
    let without = Loading {
        takes_csv: false,
        ..loading()
    };
    let files = files_for(&adoption(Ok(without)), Path::new("mine"));
    assert!(
        !text(&files, LOAD).contains("CSV"),
        "{}",
        text(&files, LOAD)
    );
}
