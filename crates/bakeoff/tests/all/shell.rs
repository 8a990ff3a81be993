//! What Bakeoff says when it is asked nothing, and what shells and `man` get of it.
use std::path::Path;
use std::process::Command;

use crate::support::{Bench, Ended, READINGS, WORKLOAD};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bakeoff");

fn bench() -> Bench {
    Bench::new(WORKLOAD, READINGS)
}

#[test]
fn without_a_command_it_says_in_ten_lines_what_to_do_next() {
    let bench = bench();
    let ended = bench.bakeoff(&[]).expect(2);
    assert_eq!(ended.stdout, "");
    assert!(ended.stderr.lines().count() <= 10, "{}", ended.stderr);
    assert!(ended.stderr.lines().all(|line| line.chars().count() <= 80));
    // What it proposes is there.
    let proposed: Vec<&str> = ended
        .stderr
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("bakeoff "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(proposed, ["doctor", "run", "decide", "init", "run"]);
    for command in proposed {
        bench.bakeoff(&[command, "--help"]).expect(0);
    }
    let dry_run = ["run", "formats", "--budget", "3m", "--dry-run"];
    bench.bakeoff(&dry_run).expect(0).says("local/columnar");
}

fn script(shell: &str) -> String {
    bench().bakeoff(&["completions", shell]).expect(0).stdout
}

/// What bash offers for a command line, in the folder of the bench.
fn completed(bench: &Bench, words: &[&str]) -> Vec<String> {
    std::fs::write(bench.path("completions.bash"), script("bash")).unwrap();
    let complete = "source ./completions.bash
        COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))
        _clap_complete_bakeoff bakeoff \"${@: -1}\" \"${@: -2:1}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(PROGRAM).parent().unwrap().to_owned();
    let folders = std::iter::once(own).chain(std::env::split_paths(&folders));
    let output = Command::new("bash")
        .args(["-c", complete, "bash"])
        .args(words)
        .current_dir(bench.dir.path())
        .env("PATH", std::env::join_paths(folders).unwrap())
        .output();
    let ended = Ended::of(output.unwrap()).expect(0);
    ended.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_names_and_files() {
    let bench = bench();
    assert_eq!(completed(&bench, &["bakeoff", "doc"]), ["doctor"]);
    let formats = completed(&bench, &["bakeoff", "run", "form"]);
    assert_eq!(
        formats,
        [
            "formats",
            "formats_columns",
            "formats_indexes",
            "formats_rows",
            "formats_widths"
        ]
    );
    let both = completed(&bench, &["bakeoff", "drive", "ycsb/"]);
    assert_eq!(both.first().map(String::as_str), Some("ycsb/a"));
    assert_eq!(completed(&bench, &["bakeoff", "run", "w"]), ["w.toml"]);
    let every = completed(&bench, &["bakeoff", "run", ""]);
    assert!(every.contains(&"metrics".to_owned()) && every.contains(&"w.toml".to_owned()));
    assert!(!every.contains(&"readings.csv".to_owned()), "{every:?}");
    assert_eq!(
        completed(&bench, &["bakeoff", "show", "stud"]),
        ["study-2018"]
    );
    let prices = ["bakeoff", "run", "formats", "--prices", "st"];
    assert_eq!(completed(&bench, &prices), ["study-2018"]);
    let options = completed(&bench, &["bakeoff", "run", "formats", "--budg"]);
    assert_eq!(options, ["--budget"]);
}

#[test]
fn scripts_are_for_the_program_wherever_it_is() {
    for (shell, words) in [
        ("bash", "complete -o nospace"),
        ("zsh", "#compdef bakeoff\n"),
        (
            "fish",
            "complete --keep-order --exclusive --command bakeoff",
        ),
    ] {
        let script = script(shell);
        assert!(script.contains(words), "{script}");
        assert!(!script.contains(PROGRAM), "{script}");
        assert!(
            script.contains(&format!("BAKEOFF_COMPLETE=\"{shell}\""))
                || script.contains(&format!("BAKEOFF_COMPLETE={shell}")),
            "{script}"
        );
    }
    let ended = bench().bakeoff(&["completions", "tcsh"]).expect(2);
    ended.says("bash, zsh, fish");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let bench = bench();
    let page = bench.bakeoff(&["man"]).expect(0).stdout;
    assert!(page.contains(".TH bakeoff 1"), "{page}");
    assert!(page.contains("Exit codes"), "{page}");
    bench.bakeoff(&["man", "--out", "share/man1"]).expect(0);
    let written = |name: &str| std::fs::read_to_string(bench.path("share/man1").join(name));
    assert_eq!(written("bakeoff.1").unwrap(), page);
    assert!(written("bakeoff-run.1").unwrap().contains("budget"));
    assert!(written("bakeoff-table-seal.1").is_ok());
    let ended = bench.bakeoff(&["man", "--out", "w.toml"]).expect(1);
    ended.says("cannot write the manual to w.toml");
}

/// The places of the Debian package's files in the folder that `packaging/share` writes.
fn packaged() -> Vec<String> {
    let manifest = include_str!("../../Cargo.toml");
    let paths = manifest.split('"');
    let folder = "../../bakeoff.data/data/share/";
    let paths = paths.filter_map(|path| path.strip_prefix(folder));
    paths.map(str::to_owned).collect()
}

#[test]
fn packages_hold_the_manual_and_the_completions_of_the_program() {
    let bench = bench();
    let share = bench.path("share");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/share");
    let wrote = Command::new(script).arg(PROGRAM).arg(&share).status();
    assert!(wrote.unwrap().success());
    let packaged = packaged();
    assert_eq!(packaged.len(), 4, "{packaged:?}");
    for file in packaged {
        let file = share.join(file.replace('*', "bakeoff-run.1"));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("bakeoff"), "{}", file.display());
    }
    let bash = std::fs::read_to_string(share.join("bash-completion/completions/bakeoff"));
    assert_eq!(bash.unwrap(), self::script("bash"));
    let failed = Command::new(script).arg("/bin/false").arg(&share).status();
    assert!(!failed.unwrap().success(), "nothing is packed without them");
}
