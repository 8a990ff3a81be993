//! Lines of Spark's log that explain why it ended.

use std::path::Path;
use std::process::ExitStatus;

use crate::log::{FULL_DISK, LINES, how_ended, tail};

/// The name of the log in Spark's folder.
pub(super) const LOG: &str = "spark.log";
/// Marks of lines that name a cause, rather than a place in the code or what Spark was doing.
const CAUSES: [&str; 5] = [
    " ERROR ",
    "Error:",
    "Exception:",
    "error:",
    "OutOfMemoryError",
];

/// Describes the end of Spark in one sentence, followed by the last lines of its log that name a cause.
pub(super) fn why_stopped(status: Option<ExitStatus>, log: &Path) -> String {
    let text = tail(log);
    let mut reason = how_ended(status);
    if text.contains(FULL_DISK) {
        reason.push_str(&format!("; the disk of {} is full", log.display()));
    }
    for line in last_causes(&text) {
        reason.push_str("\n  ");
        reason.push_str(line);
    }
    reason
}

/// Returns the last lines that name a cause, or otherwise the last lines of any kind.
fn last_causes(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let names_cause = |line: &&str| CAUSES.iter().any(|mark| line.contains(mark));
    let mut causes: Vec<&str> = lines.iter().copied().filter(names_cause).collect();
    if causes.is_empty() {
        causes = lines;
    }
    causes.split_off(causes.len().saturating_sub(LINES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_and_places_in_the_code_are_not() {
        let text = "26/11/25 07:38:12 WARN NativeCodeLoader: Unable to load native-hadoop library\n\
                    26/11/25 07:38:29 ERROR Executor: Exception in task 1.0 in stage 11.0\n\
                    java.lang.OutOfMemoryError: Java heap space\n\
                    \tat org.apache.spark.scheduler.Task.run(Task.scala:141)\n";
        assert_eq!(
            last_causes(text),
            [
                "26/11/25 07:38:29 ERROR Executor: Exception in task 1.0 in stage 11.0",
                "java.lang.OutOfMemoryError: Java heap space"
            ]
        );
        assert_eq!(last_causes("one\n\ntwo\n"), ["one", "two"]);
        assert_eq!(last_causes(""), [""; 0]);
    }

    #[test]
    fn of_a_spark_that_has_no_log_only_its_end_is_told() {
        let told = why_stopped(None, Path::new("/nowhere/spark.log"));
        assert_eq!(told, "its exit status is not known");
    }
}
