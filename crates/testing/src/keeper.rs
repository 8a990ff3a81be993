//! Resources that all tests of a program share, such as a server. A second process of the same
//! program owns them and releases them when the first one ends, even if that is killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The environment variable that is set in keeper processes.
const ROLE: &str = "BAKEOFF_TEST_KEEPER";
/// The start of the line in which a keeper says how to find its resource.
const MARK: &str = "kept: ";

/// A second process of this test program, which owns a resource until this process ends.
#[derive(Debug)]
pub struct Keeper {
    words: String,
    /// The child ends when the pipe to its input is closed, which the system does even if this
    /// process is killed. The pipe from its output stays open, since the test harness prints to it.
    _process: Child,
}

impl Keeper {
    /// Starts a process that runs this test alone, and waits until it calls [`keep`].
    ///
    /// # Panics
    /// Panics if the process ends before.
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
        let mut lines = output.by_ref().lines().map_while(Result::ok);
        let words = lines.find_map(|line| line.strip_prefix(MARK).map(str::to_owned));
        child.stdout = Some(output.into_inner());
        Keeper {
            words: words.unwrap_or_else(|| panic!("{test} ended before it kept anything")),
            _process: child,
        }
    }

    /// Returns the words that [`keep`] was called with.
    pub fn words(&self) -> &str {
        &self.words
    }
}

/// Returns whether this process is a keeper. A test that is passed to [`Keeper::start`] does
/// nothing in other processes.
pub fn is_keeper() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// Prints one line that says how to find the resource, and waits until the first process has ended.
/// The caller then releases the resource and calls [`std::process::exit`]: the pipe that the test
/// harness would print to is closed.
pub fn keep(words: &str) {
    // The test harness may have begun a line. If the first process has ended already, the line is
    // not read, and the resource is released at once.
    let mut output = std::io::stdout();
    let _ = writeln!(output, "\n{MARK}{words}").and_then(|()| output.flush());
    // Nothing is ever written there.
    let _ = std::io::stdin().read(&mut [0]);
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::*;

    /// Time that is longer than any machine needs to delete a file.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Owns a file in a keeper process; tests nothing.
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
    fn a_keeper_that_ends_at_once_is_reported() {
        Keeper::start("no_such_test");
    }
}
