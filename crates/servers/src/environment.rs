//! The environment of the programs that Bakeoff runs. Its passwords stay out of it: whoever may read
//! `/proc/PID/environ`, and every plugin of Maven, would see them.

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// The variables that the server and its tools get. Others could change the JVM's flags or its memory
/// without the report showing it.
const KEPT: [&str; 10] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TZ",
    "TMPDIR",
    "JAVA_HOME",
    // The certificates that a client of Spark Connect trusts.
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];
const KEPT_BEGINNING: &str = "LC_";
/// The beginning of the names of Bakeoff's own variables.
const OWN_BEGINNING: &str = "BAKEOFF_";

/// Leaves a command for the server or one of its tools only the variables that it needs.
pub(crate) fn keep_needed(command: &mut Command) {
    command.env_clear();
    command.envs(std::env::vars_os().filter(|(name, _)| is_needed(name)));
}

/// Takes Bakeoff's own variables from a command. Maven gets all others, since its settings may use
/// any of them, and so do programs that only print their version or a setting.
pub(crate) fn remove_own(command: &mut Command) {
    for name in own_variables(std::env::vars_os().map(|(name, _)| name)) {
        command.env_remove(name);
    }
}

fn is_needed(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| KEPT.contains(&name) || name.starts_with(KEPT_BEGINNING))
}

fn own_variables(names: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    names.filter(|name| {
        name.as_encoded_bytes()
            .starts_with(OWN_BEGINNING.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Returns what a program would be started with, from this process's variables and those set before.
    fn environment(command: &Command) -> HashMap<&OsStr, Option<&OsStr>> {
        command.get_envs().collect()
    }

    #[test]
    fn a_server_gets_what_it_needs_and_nothing_else() {
        let mut command = Command::new("java");
        command.env("BAKEOFF_CASSANDRA_PASSWORD", "secret");
        command.env("JAVA_TOOL_OPTIONS", "-Xmx1m");
        keep_needed(&mut command);
        let found = environment(&command);
        assert_eq!(
            found.get(OsStr::new("PATH")).copied().flatten(),
            std::env::var_os("PATH").as_deref()
        );
        assert!(found.keys().all(|name| is_needed(name)), "{found:?}");
        for name in ["BAKEOFF_POSTGRES_PASSWORD", "_JAVA_OPTIONS", "CLASSPATH"] {
            assert!(!is_needed(OsStr::new(name)), "{name}");
        }
        assert!(is_needed(OsStr::new("LC_ALL")));
    }

    #[test]
    fn of_bakeoffs_own_variables_maven_gets_none() {
        let all = [
            "PATH",
            "BAKEOFF_CASSANDRA_PASSWORD",
            "MAVEN_OPTS",
            "BAKEOFF_HOME",
        ];
        let own: Vec<_> = own_variables(all.map(OsString::from).into_iter()).collect();
        assert_eq!(own, ["BAKEOFF_CASSANDRA_PASSWORD", "BAKEOFF_HOME"]);
    }
}
