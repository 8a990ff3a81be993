//! Readiness of a server by its own state file: another server might answer on its port.

use std::fs;
use std::path::Path;

/// File in which a server keeps its state, one item per line.
const STATE: &str = "postmaster.pid";
const PID_LINE: usize = 0;
const STATUS_LINE: usize = 7;
const READY: &str = "ready";

/// Returns whether that process is ready as the server of these data.
pub(crate) fn accepts_connections(data: &Path, pid: u32) -> bool {
    // The file does not exist before the start and after the end.
    let text = fs::read_to_string(data.join(STATE)).unwrap_or_default();
    let line = |number| text.lines().nth(number).map(str::trim);
    line(PID_LINE) == Some(&*pid.to_string()) && line(STATUS_LINE) == Some(READY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_starting_and_the_one_before_do_not() {
        let data = tempfile::tempdir().unwrap();
        let state = |status: &str| {
            let text = format!("12\n/d\n1\n5432\n\n127.0.0.1\n  1 2\n{status}\n");
            fs::write(data.path().join(STATE), text).unwrap();
        };
        assert!(!accepts_connections(data.path(), 12));
        state("starting");
        assert!(!accepts_connections(data.path(), 12));
        state("ready   ");
        assert!(accepts_connections(data.path(), 12));
        assert!(!accepts_connections(data.path(), 13));
    }
}
