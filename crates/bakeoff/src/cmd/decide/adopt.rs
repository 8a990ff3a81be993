//! Writes the files by which a user takes a recommended design: its statements, a script that fills it, and one that
//! does both. None of them has a password, and none replaces a file.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_engines::{Adoption, in_shell};
use bakeoff_workload::DesignId;

use crate::cmd::measure::folder::is_empty;

const LOAD: &str = "load.sh";
const APPLY: &str = "apply.sh";
/// Permissions of a script and of a file to read, of which the umask takes some away.
const SCRIPT: u32 = 0o777;
const FILE: u32 = 0o666;

/// The design that files are of.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    pub design: &'a DesignId,
    /// Whether it is recommended, and not only ahead at the rows that were measured.
    pub is_recommended: bool,
}

impl Taken<'_> {
    /// Returns what a comment says of it: the sentence, and a caution if it is not recommended.
    fn comment(self, sentence: &str) -> String {
        if self.is_recommended {
            return sentence.to_owned();
        }
        format!(
            "{sentence}\n# {} is ahead at the rows that were measured; nothing is recommended yet.",
            self.design
        )
    }
}

/// A file by which a design is taken.
#[derive(Debug)]
pub struct TakeFile {
    name: &'static str,
    text: String,
    mode: u32,
}

/// Checks that nothing is in the folder for the files.
///
/// # Errors
/// Fails if something is.
pub fn check_folder(dir: &Path) -> Result<()> {
    if is_empty(dir) {
        return Ok(());
    }
    bail!(
        "--adopt {}: there is something in it, and nothing is overwritten: name a new folder",
        dir.display()
    )
}

/// Returns the files of a design. `from` is the workload with the options that say which rows it has, as a shell takes
/// them.
pub fn files(taken: Taken<'_>, adoption: &Adoption, from: &str) -> Vec<TakeFile> {
    let mut files = Vec::new();
    if let Some(schema) = &adoption.schema {
        let statements = schema.statements.iter();
        let statements: String = statements.map(|s| format!("{s};\n")).collect();
        let design = taken.design;
        let first = if taken.is_recommended {
            format!("-- The tables of {design}, as `bakeoff decide` recommends.\n")
        } else {
            format!("-- The tables of {design}, which is ahead; nothing is recommended yet.\n")
        };
        files.push(TakeFile {
            name: schema.file,
            text: first + &statements,
            mode: FILE,
        });
    }
    files.push(TakeFile {
        name: LOAD,
        text: load_script(taken, adoption, from),
        mode: SCRIPT,
    });
    files.push(TakeFile {
        name: APPLY,
        text: apply_script(taken, adoption),
        mode: SCRIPT,
    });
    files
}

/// Returns whether the folder has exactly these files already; `false` if nothing is in it.
///
/// # Errors
/// Fails with a misuse if something else is in it.
pub fn has_them(dir: &Path, files: &[TakeFile]) -> Result<bool> {
    let is_there = |file: &TakeFile| {
        let found = std::fs::read(dir.join(file.name));
        found.is_ok_and(|found| found == file.text.as_bytes())
    };
    let entries = std::fs::read_dir(dir).map_or(0, Iterator::count);
    if entries == files.len() && files.iter().all(is_there) {
        return Ok(true);
    }
    check_folder(dir)?;
    Ok(false)
}

/// Writes the files, and returns their paths.
///
/// # Errors
/// Fails if a file is there already, or cannot be written.
pub fn write(dir: &Path, files: &[TakeFile]) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let written = files.iter().map(|TakeFile { name, text, mode }| {
        let path = dir.join(name);
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(*mode)
            .open(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        Ok::<PathBuf, anyhow::Error>(path)
    });
    written.collect()
}

/// Returns the script that fills the tables with all rows.
fn load_script(taken: Taken<'_>, adoption: &Adoption, from: &str) -> String {
    let what = format!("Fills the tables of {} with all rows.", taken.design);
    let mut text = head(&taken.comment(&what), LOAD, adoption);
    match &adoption.load {
        Err(why) => {
            text += &format!(
                "printf '%s\\n' {} >&2\nexit 1\n",
                in_shell(&format!("not filled: {why}"))
            );
        }
        Ok(load) => {
            if load.takes_csv {
                text += "rows=$(mktemp -d)\ntrap 'rm -rf \"$rows\"' EXIT\ntrap 'exit 130' HUP INT TERM\n";
                text += &format!("bakeoff generate {from} --rows all --out \"$rows/rows.csv\"\n");
            }
            for line in &load.lines {
                text += line;
                text.push('\n');
            }
        }
    }
    text
}

/// Returns the script that makes the tables on a server of the user's and fills them.
fn apply_script(taken: Taken<'_>, adoption: &Adoption) -> String {
    let design = taken.design;
    let what = match &adoption.schema {
        Some(_) => format!("Makes the tables of {design} on a server of yours, and fills them."),
        None => format!("Makes {design} and fills it."),
    };
    let mut text = head(&taken.comment(&what), APPLY, adoption);
    text += "here=$(dirname -- \"$0\")\n";
    if let Some(schema) = &adoption.schema {
        text += &format!("{}\n", schema.apply);
    }
    text + &format!("sh \"$here/{LOAD}\" \"$@\"\n")
}

/// Returns the beginning of a script, which says what it is called with and ends if it is called with nothing.
fn head(what: &str, name: &str, adoption: &Adoption) -> String {
    let usage = format!("sh {name} {}", adoption.called_with);
    let usage_in_shell = in_shell(&format!("usage: {usage}"));
    format!(
        "#!/bin/sh\n# {what}\n#   {usage}\n# Passwords are in no file of this folder: the tools that it calls ask for \
         them, or have files of their own.\nset -eu\nif [ $# -eq 0 ]; then\n  printf '%s\\n' {usage_in_shell} >&2\n  \
         exit 2\nfi\n"
    )
}

#[cfg(test)]
mod tests {
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
                apply: "echo applied \"$here/schema.cql\" \"$@\"".to_owned(),
            }),
            load,
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

    /// The files of a design, recommended or only ahead.
    fn files_of(adoption: &Adoption, from: &str, is_recommended: bool) -> Vec<TakeFile> {
        let taken = Taken {
            design: &id(),
            is_recommended,
        };
        files(taken, adoption, from)
    }

    #[test]
    fn scripts_make_and_fill_the_tables_whatever_the_file_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("it's mine");
        let files = files_of(&adoption(Ok(loading())), &in_shell(HOSTILE), true);
        let written = write(&dir, &files).unwrap();
        assert_eq!(written.len(), 3);
        let programs = folder.path().join("programs");
        std::fs::create_dir(&programs).unwrap();
        // Stands in for Bakeoff: writes the name of the workload into the file that it is asked for.
        let stand_in = "#!/bin/sh\nprintf '%s' \"$2\" >\"$6\"\n";
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
        let output = Command::new("sh")
            .arg(dir.join(APPLY))
            .args(["db 1", "9042"])
            .current_dir(folder.path())
            .env("PATH", path)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let schema = dir.join("schema.cql");
        let expected = format!(
            "applied {} db 1 9042\nfilled db 1 9042 from {HOSTILE}\n",
            schema.display()
        );
        assert_eq!(said, expected);
        assert!(!folder.path().join("harm").exists());
    }

    #[test]
    fn nothing_is_overwritten_and_scripts_without_a_server_say_how_they_are_called() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(check_folder(dir).is_ok());
        let encoded = files_of(&adoption(Err("it's encoded".to_owned())), "w.toml", true);
        write(dir, &encoded).unwrap();
        let error = check_folder(dir).unwrap_err().to_string();
        assert!(error.contains("nothing is overwritten"), "{error}");
        let error = write(dir, &files_of(&adoption(Ok(loading())), "w.toml", true)).unwrap_err();
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
            let files = files_of(&adoption(Ok(loading())), "w.toml", is_recommended);
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
        let files = files_of(&adoption(Ok(loading())), "w.toml", true);
        assert!(!has_them(&dir, &files).unwrap(), "there is no such folder");
        write(&dir, &files).unwrap();
        assert!(has_them(&dir, &files).unwrap());
        let refused = |files: &[TakeFile]| {
            let error = has_them(&dir, files).unwrap_err().to_string();
            assert!(error.contains("nothing is overwritten"), "{error}");
        };
        refused(&files_of(&adoption(Ok(loading())), "other.toml", true));
        refused(&files[1..]);
        std::fs::write(dir.join("theirs"), "").unwrap();
        refused(&files);
        std::fs::remove_file(dir.join(LOAD)).unwrap();
        refused(&files);
    }
}
