//! What the tests of a program share, such as a server, and what has to end with the program however
//! that ends: another process of the same program keeps it.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Is set in the processes that keep something.
const ROLE: &str = "BAKEOFF_TEST_KEEPER";
/// Comes before what is told of what is kept.
const MARK: &str = "kept: ";

/// Another process of this test program, which keeps something until this one ends.
#[derive(Debug)]
pub struct Keeper {
    words: String,
    /// The end of the pipe to its input is its end, and comes also if this process is killed. The one
    /// of its output stays open for what the test harness says of a test that takes long.
    _process: Child,
}

impl Keeper {
    /// Starts a process that runs this test alone, and waits until it calls [`keep`].
    ///
    /// # Panics
    /// If it ends before.
    #[track_caller]
    pub fn start(test: &str) -> Keeper {
        let program = std::env::current_exe().expect("the program's name");
        let mut child = Command::new(program)
            .args([test, "--exact", "--nocapture"])
            .env(ROLE, test)
            // Ctrl-C reaches whole groups, and this one still has to tidy up.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a second process of this program");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut told = output.by_ref().lines().map_while(Result::ok);
        let words = told.find_map(|line| line.strip_prefix(MARK).map(str::to_owned));
        child.stdout = Some(output.into_inner());
        Keeper {
            words: words.unwrap_or_else(|| panic!("{test} ended before it kept anything")),
            _process: child,
        }
    }

    /// What [`keep`] was called with.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// Whether this process is to keep something. The tests that are named to [`Keeper::start`] do
/// nothing in others.
pub fn is_keeper() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// Tells the other process how to find what is kept, in one line, and waits for that process's end.
/// What has to be done then is to be followed by [`std::process::exit`]: nobody reads any more what
/// the test harness would print.
pub fn keep(words: &str) {
    // The test harness may have begun a line.
    println!("\n{MARK}{words}");
    // Nothing is ever written there.
    let _ = std::io::stdin().read(&mut [0]);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::*;

    /// Longer than any machine needs to delete a file.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Keeps a file; no test of its own.
    #[test]
    fn keeps_a_file() {
        if !is_keeper() {
            return;
        }
        let name = format!("bakeoff-keeper-{}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, "kept").expect("a file");
        keep(&file.display().to_string());
        std::fs::remove_file(file).expect("the file");
        std::process::exit(0);
    }

    #[test]
    fn what_is_kept_ends_with_the_process_that_asked_for_it() {
        let keeper = Keeper::start("keeper::tests::keeps_a_file");
        let file = PathBuf::from(keeper.words());
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), "kept");
        drop(keeper);
        let began = Instant::now();
        while file.exists() {
            assert!(began.elapsed() < PATIENCE, "{} is left", file.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    #[should_panic(expected = "no_such_test ended before it kept anything")]
    fn a_keeper_that_ends_at_once_is_told() {
        Keeper::start("no_such_test");
    }
}
