//! What is sent to a terminal, and not to programs.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};

use crate::support::{Bench, Ended, READINGS, WORKLOAD};

/// A name of a series that would set the terminal's title, clear it, and turn the text around.
const HOSTILE: &str = "x\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}y";
const ACTED_ON: [char; 4] = ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}'];
const AS_TEXT: &str = "x\\u{1b}]0;owned\\u{7}\\u{9b}2J\\u{202e}y";
const AS_JSON: &str = "x\\u001b]0;owned\\u0007\\u009b2J\\u202ey";

/// Runs a command whose standard output is a terminal, and returns what that is sent.
fn on_terminal(mut command: Command) -> String {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags).unwrap();
    unlockpt(&terminal).unwrap();
    let output = ioctl_tiocgptpeer(&terminal, flags).unwrap();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(output))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It has this process's end of the output, without which the reader below comes to an end.
    drop(command);
    let mut sent = Vec::new();
    // At the end a terminal is not at its end, but gone: that is an error.
    let _ = File::from(terminal).read_to_end(&mut sent);
    assert!(child.wait().unwrap().success());
    String::from_utf8(sent).unwrap()
}

#[test]
fn formats_for_programs_do_not_act_on_the_terminal() {
    let readings = format!("series,time,value\n{HOSTILE},2024-01-01T00:00:00,1\n");
    let bench = Bench::new(WORKLOAD, &readings);
    let keys = ["--partition-key", "series", "--order-key", "time"];
    let ingest = ["ingest", "readings.csv", "--into", "dir:t"];
    bench.bakeoff(&[&ingest[..], &keys].concat()).expect(0);

    let sql = |more: &[&'static str]| {
        let all = ["sql", "SELECT * FROM t", "--dir", "t", "--format"];
        [&all[..], more].concat()
    };
    let csv = sql(&["csv"]);
    let generate = vec!["generate", "w.toml"];
    for (arguments, escaped) in [
        (&csv, AS_TEXT),
        (&sql(&["csv", "--out", "/dev/stdout"]), AS_TEXT),
        (&sql(&["json"]), AS_JSON),
        (&generate, AS_TEXT),
    ] {
        let shown = on_terminal(bench.command(arguments));
        assert!(shown.contains(escaped), "{arguments:?}: {shown:?}");
        assert!(!shown.contains(ACTED_ON), "{arguments:?}: {shown:?}");
    }
    for arguments in [csv, generate] {
        let piped = bench.bakeoff(&arguments).expect(0);
        assert!(piped.stdout.contains(HOSTILE), "{:?}", piped.stdout);
    }
}

#[test]
fn what_is_logged_does_not_act_on_the_terminal() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let records = bench.home.join("engines");
    fs::create_dir_all(&records).unwrap();
    fs::write(records.join("\u{202e}x.json"), "none").unwrap();
    let mut status = bench.command(&["engines", "status"]);
    let ended = Ended::of(status.env("BAKEOFF_LOG", "warn").output().unwrap()).expect(0);
    ended.says("\\u{202e}x.json is not a server's record");
    assert!(!ended.stderr.contains('\u{202e}'), "{}", ended.stderr);
}
