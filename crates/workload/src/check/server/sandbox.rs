//! Checks the keys of `cassandra.yaml` that let functions out of Cassandra's sandbox.
//!
//! Without a thread for each call, a function may run commands of the system, and nothing ends it. That is
//! no harm where all functions are those of designs, which Bakeoff writes itself: nobody else can log in to a
//! server that it starts, and queries are SQL that makes no functions. A `[mix]` may have statements in CQL.

use toml::{Spanned, Value};

use super::super::text::Text;
use crate::{Result, wire};

/// Allows functions that Cassandra cannot confine.
const INSECURE: &str = "allow_insecure_udfs";
/// Gives each call of a function a thread of its own.
const THREADS: &str = "user_defined_functions_threads_enabled";

/// Checks that functions leave the sandbox only where all of them are those of designs, and as Cassandra
/// wants it.
///
/// # Errors
/// A key is set that has no place here, or lacks another one.
pub fn check(
    document: Text<'_>,
    written: &wire::Names<Spanned<Value>>,
    has_mix: bool,
) -> Result<()> {
    let mut insecure = None;
    let mut unthreaded = None;
    for (key, value) in written {
        match key.get_ref().as_str() {
            INSECURE if is(value, true) => insecure = Some(key.span()),
            THREADS if is(value, false) => unthreaded = Some(key.span()),
            _ => {}
        }
    }
    if let (Some(place), true) = (&insecure, has_mix) {
        let message = format!(
            "`{INSECURE}` lets functions run commands on this machine, and statements of a [mix] may make \
             functions: leave out the one or the other"
        );
        return Err(document.error(place.clone(), message));
    }
    if let (Some(place), None) = (unthreaded, insecure) {
        let message = format!(
            "Cassandra takes {THREADS} = false only with {INSECURE} = true: add that line, or leave this \
             one out"
        );
        return Err(document.error(place, message));
    }
    Ok(())
}

/// Returns whether a value, which has the form of a switch, is on or off as asked.
fn is(value: &Spanned<Value>, switch: bool) -> bool {
    match value.get_ref() {
        Value::Boolean(written) => *written == switch,
        Value::String(written) => *written == switch.to_string(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Error, Workload};

    const MIX: &str = "[mix]\n[[mix.operations]]\nname = \"read\"\naction = \"read-row\"\nkeys = \
                       \"uniform\"\nweight = 100\n";

    /// Checks a workload with these lines in `[server.cassandra]` and these after it.
    fn parse(lines: &str, after: &str) -> Result<usize, String> {
        let text = format!(
            "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
             sql = \"SELECT value FROM sensor\"\n[server.cassandra]\n{lines}\n{after}"
        );
        match Workload::parse(&text, Path::new("w.toml")) {
            Ok(workload) => Ok(workload.server.cassandra.len()),
            Err(Error::Workload { line, message, .. }) => Err(format!("{}: {message}", line - 7)),
            Err(other) => Err(other.to_string()),
        }
    }

    #[test]
    fn functions_of_designs_may_do_without_threads() {
        let both = "user_defined_functions_threads_enabled = false\nallow_insecure_udfs = true";
        assert_eq!(parse(both, ""), Ok(2));
        let as_shipped =
            "user_defined_functions_threads_enabled = true\nallow_insecure_udfs = false";
        assert_eq!(parse(as_shipped, MIX), Ok(2));
    }

    #[test]
    fn what_lets_other_functions_out_of_the_sandbox_is_refused_at_its_place() {
        let both =
            "user_defined_functions_threads_enabled = \"false\"\nallow_insecure_udfs = \"true\"";
        let error = parse(both, MIX).unwrap_err();
        assert!(
            error.starts_with("2: `allow_insecure_udfs` lets"),
            "{error}"
        );
        let alone = "user_defined_functions_threads_enabled = false";
        for lines in [
            alone.to_owned(),
            format!("{alone}\nallow_insecure_udfs = false"),
        ] {
            let error = parse(&lines, "").unwrap_err();
            assert!(error.starts_with("1: Cassandra takes"), "{error}");
            assert!(error.contains("allow_insecure_udfs = true"), "{error}");
        }
    }
}
