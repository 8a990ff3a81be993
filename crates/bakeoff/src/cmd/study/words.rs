//! Writes commands and times of a study as people read and repeat them.

use std::path::Path;
use std::time::Duration;

use bakeoff_engines::in_shell;

/// Writes a time in whole seconds, with units.
pub fn in_words(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// Writes a time as an option takes it: `10m`, `90s`.
pub fn as_option(time: Duration) -> String {
    match time.as_secs().max(1) {
        hours if hours % 3600 == 0 => format!("{}h", hours / 3600),
        minutes if minutes % 60 == 0 => format!("{}m", minutes / 60),
        seconds => format!("{seconds}s"),
    }
}

/// Writes a command for a shell: the program, its words, further options and the folder.
pub fn command(words: &[String], options: &[String], dir: &Path) -> String {
    let dir = dir.display().to_string();
    let folder = ["--out".to_owned(), dir];
    let all = words.iter().chain(options).chain(&folder);
    let quoted: Vec<String> = all.map(|word| in_shell(word)).collect();
    format!("bakeoff {}", quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let words = ["run", "a b", "x?chunk=4KiB&y", "it's", ""].map(str::to_owned);
        assert_eq!(
            command(&words, &[], Path::new("runs/s1")),
            "bakeoff run 'a b' 'x?chunk=4KiB&y' 'it'\\''s' '' --out runs/s1"
        );
    }

    #[test]
    fn times_are_written_in_whole_seconds() {
        assert_eq!(in_words(Duration::from_millis(90_700)), "1m 30s");
        let as_options = [90, 600, 7200].map(|seconds| as_option(Duration::from_secs(seconds)));
        assert_eq!(as_options, ["90s", "10m", "2h"]);
    }
}
