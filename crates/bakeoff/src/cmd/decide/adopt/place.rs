//! Where a script finds the workload and the files of its rows: from its own folder, so that it may be moved together
//! with them and be called from anywhere.

use std::path::{Component, Path, PathBuf};

use bakeoff_engines::in_shell;

use crate::cmd::measure::folder::resolved;

/// Line of a script that sets `here` to its own folder, whatever that is called: the name may begin with a `-` or end
/// with a newline, which the output of a command would lose.
pub const HERE: &str = "case $0 in /*) here=${0%/*} ;; */*) here=./${0%/*} ;; *) here=. ;; esac";

/// Where a script finds the rows.
#[derive(Debug)]
pub struct Place {
    /// Lines that set the variables of the script, unless the environment says otherwise.
    pub lines: Vec<String>,
    /// A comment that says what the environment may say.
    pub comment: String,
    /// The workload with the options that say which rows it has, as a shell takes them.
    pub words: String,
}

impl Place {
    /// Returns the place of a workload, and of the files of its rows if it does not name them from its own folder, for
    /// a script in `folder`.
    pub fn new(folder: &Path, workload: &Path, files: &[PathBuf]) -> Place {
        let set = |variable: &str, named: &str, path: &Path| {
            format!("{variable}=${{{named}:-{}}}", from_script(folder, path))
        };
        let mut lines = vec![HERE.to_owned(), set("workload", "WORKLOAD_FILE", workload)];
        let mut words = "\"$workload\"".to_owned();
        for (index, file) in files.iter().enumerate() {
            let number = match files.len() {
                1 => String::new(),
                _ => format!("_{}", index + 1),
            };
            let variable = format!("file{number}");
            lines.push(set(&variable, &format!("ROWS_FILE{number}"), file));
            words += &format!(" --data \"${variable}\"");
        }
        let of_rows = match files.len() {
            0 => "",
            1 => ", ROWS_FILE=PATH the file of its rows",
            _ => ", ROWS_FILE_1=PATH and so on the files of its rows",
        };
        Place {
            lines,
            comment: format!(
                "WORKLOAD_FILE=PATH in the environment names the workload if it has been moved{of_rows}."
            ),
            words,
        }
    }
}

/// Names a path from the folder `$here` of a script, or from the root on if they have no other folder in common.
fn from_script(folder: &Path, path: &Path) -> String {
    let folder = resolved(folder);
    // A file may be a link, whose own name says of what form it is.
    let path = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => resolved(path),
    };
    let parts = folder.components().zip(path.components());
    let common = parts.take_while(|(one, other)| one == other).count();
    // The first part is the root.
    if common < 2 {
        return in_shell(&path.display().to_string());
    }
    let up = folder
        .components()
        .skip(common)
        .map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path.components().skip(common)).collect();
    format!("$here/{}", in_shell(&relative.display().to_string()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A name that would do harm, or end a variable, wherever it is not quoted.
    const HOSTILE: &str = "a'b} ${c $(touch harm) `touch harm`\n; touch harm \"d\" \\*";

    #[test]
    fn files_are_named_from_the_folder_of_the_script() {
        let place = |folder: &str, files: &[&str]| {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            Place::new(
                Path::new(folder),
                Path::new("/no/out/workload.toml"),
                &files,
            )
        };
        let beside = place("/no/mine", &["/no/rows.csv"]);
        let expected = [
            HERE,
            "workload=${WORKLOAD_FILE:-$here/../out/workload.toml}",
            "file=${ROWS_FILE:-$here/../rows.csv}",
        ];
        assert_eq!(beside.lines, expected);
        assert_eq!(beside.words, "\"$workload\" --data \"$file\"");
        assert!(
            beside
                .comment
                .ends_with(" moved, ROWS_FILE=PATH the file of its rows.")
        );
        let within = place("/no/out/mine", &[]);
        assert_eq!(
            within.lines[1..],
            ["workload=${WORKLOAD_FILE:-$here/../workload.toml}"]
        );
        assert_eq!(within.words, "\"$workload\"");
        let elsewhere = place("/other/mine", &["/no/a.csv", "/other/b.csv"]);
        let expected = [
            "workload=${WORKLOAD_FILE:-/no/out/workload.toml}",
            "file_1=${ROWS_FILE_1:-/no/a.csv}",
            "file_2=${ROWS_FILE_2:-$here/../b.csv}",
        ];
        assert_eq!(elsewhere.lines[1..], expected);
        assert_eq!(
            elsewhere.words,
            "\"$workload\" --data \"$file_1\" --data \"$file_2\""
        );
    }

    #[test]
    fn files_are_found_whatever_they_are_called_from_anywhere_after_a_move_and_where_the_environment_says()
     {
        let root = tempfile::tempdir().unwrap();
        let first = root.path().join("first");
        let folder = first.join("it's mine\n");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::create_dir(first.join(HOSTILE)).unwrap();
        let workload = first.join(HOSTILE).join("workload.toml");
        let data = first.join(format!("{HOSTILE}.csv"));
        // The link leads away, but what it is called says what the file is.
        std::os::unix::fs::symlink(root.path().join("elsewhere"), &data).unwrap();
        let place = Place::new(&folder, &workload, &[data]);
        let script = format!(
            "set -eu\n{}\nprintf '%s|' {}\n",
            place.lines.join("\n"),
            place.words
        );
        std::fs::write(folder.join("load.sh"), script).unwrap();
        std::fs::rename(&first, root.path().join("-second")).unwrap();
        let called = |script: &str, named: &[(&str, &str)]| {
            let output = Command::new("sh")
                .args(["--", script])
                .current_dir(root.path())
                .env_remove("WORKLOAD_FILE")
                .env_remove("ROWS_FILE")
                .envs(named.iter().copied())
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{stderr}");
            String::from_utf8(output.stdout).unwrap()
        };
        let script = "-second/it's mine\n/load.sh";
        let up = "./-second/it's mine\n/..";
        assert_eq!(
            called(script, &[]),
            format!("{up}/{HOSTILE}/workload.toml|--data|{up}/{HOSTILE}.csv|")
        );
        assert_eq!(
            called(
                script,
                &[("WORKLOAD_FILE", "my w.toml"), ("ROWS_FILE", "my rows")]
            ),
            "my w.toml|--data|my rows|"
        );
        assert!(!root.path().join("harm").exists());
    }
}
