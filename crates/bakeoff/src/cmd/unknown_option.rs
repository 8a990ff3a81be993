//! Tips about options that a command does not have.

use std::ffi::OsString;

use bakeoff_report::listing::list;
use bakeoff_workload::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

/// Most commands that a tip names.
const NAMED: usize = 4;
/// The subcommand that repeats all others, to print their help.
const HELP: &str = "help";
/// Options of some commands, and those that are meant by them in other commands.
const MEANT: [(&str, &str); 2] = [("queries", "questions"), ("query", "question")];

/// Replaces the tips of an error about an unknown option: it says which option of its command is meant, or which other
/// commands have the option, or else which option of its command is hardly different. Other errors stay as they are.
///
/// `words` is the command line with the program's name.
pub fn with_tip(mut error: Error, mut program: Command, words: &[OsString]) -> Error {
    let Some(option) = unknown_option(&error) else {
        return error;
    };
    // Names of commands with that of the program, and options such as --version, are there after this.
    program.build();
    let command = called(&program, words);
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Suggested);
    let usage = command.clone().render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    let known: Vec<&str> = { command.get_arguments() }
        .filter_map(|arg| arg.get_long())
        .collect();
    let meant = MEANT
        .iter()
        .find(|(written, meant)| *written == option && known.contains(meant));
    let mut owners = Vec::new();
    find_owners(&program, program.get_name(), &option, &mut owners);
    let similar = match meant {
        Some((_, meant)) => Some(*meant),
        None if owners.is_empty() => nearest(&option, known),
        None => None,
    };
    if let Some(similar) = similar {
        let similar = ContextValue::String(format!("--{similar}"));
        error.insert(ContextKind::SuggestedArg, similar);
    } else if !owners.is_empty() {
        let owners: Vec<&str> = owners.iter().map(String::as_str).collect();
        let owners = list(&owners, NAMED);
        let tip = format!("'--{option}' is an option of {owners}");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![tip.into()]),
        );
    }
    error
}

/// Returns the name of the long option that an error is about, without its dashes; `None` for other errors.
fn unknown_option(error: &Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let option = word.strip_prefix("--")?;
    let name = option.split('=').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns the command that a command line calls.
fn called<'a>(program: &'a Command, words: &[OsString]) -> &'a Command {
    let mut command = program;
    for word in words.iter().skip(1) {
        if let Some(subcommand) = command.find_subcommand(word) {
            command = subcommand;
        }
    }
    command
}

/// Finds the commands that have an option, from `command` on, whose name in full is `name`.
fn find_owners(command: &Command, name: &str, option: &str, owners: &mut Vec<String>) {
    let is_asked = |argument: &Arg| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        argument.get_long() == Some(option) || aliases.contains(&option)
    };
    if command.get_arguments().any(is_asked) {
        owners.push(format!("'{name}'"));
    }
    let shown = |command: &&Command| !command.is_hide_set() && command.get_name() != HELP;
    for subcommand in command.get_subcommands().filter(shown) {
        let name = format!("{name} {}", subcommand.get_name());
        find_owners(subcommand, &name, option, owners);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cmd::Arguments;

    /// What is printed of a command line that is refused.
    fn told(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Arguments::command().try_get_matches_from(&words);
        let told = with_tip(error.unwrap_err(), Arguments::command(), &words);
        told.to_string()
    }

    #[test]
    fn an_option_of_other_commands_is_told_with_them() {
        let of_drive = told("bakeoff run formats --passes read");
        let tip = "\n  tip: '--passes' is an option of 'bakeoff drive'\n";
        assert!(of_drive.contains(tip), "{of_drive}");
        assert!(!of_drive.contains("as a value"), "{of_drive}");
        // `--spark` is written nearly alike, and means something else.
        let of_two = told("bakeoff run formats --shard=1/2");
        let tip = "'--shard' is an option of 'bakeoff drive' and 'bakeoff sweep'\n";
        assert!(of_two.contains(tip), "{of_two}");
        for word in ["--spark", "similar"] {
            assert!(!of_two.contains(word), "{of_two}");
        }
        let usage = "\nUsage: bakeoff run [OPTIONS] <WORKLOAD>\n";
        assert!(of_two.contains(usage), "{of_two}");
        let of_nested = told("bakeoff run formats --port 9042");
        assert!(of_nested.contains("'bakeoff engines start'"), "{of_nested}");
        let below = told("bakeoff engines start --dry-run");
        assert!(below.contains("'--dry-run' is an option of"), "{below}");
        assert!(below.contains(" more\n"), "{below}");
    }

    #[test]
    fn an_option_that_is_hardly_different_is_told_and_no_other() {
        let near = told("bakeoff run formats --bugdet 3m");
        assert!(
            near.contains("a similar argument exists: '--budget'"),
            "{near}"
        );
        for far in ["--foo", "--rates"] {
            let far = told(&format!("bakeoff run formats {far} 5"));
            assert!(!far.contains("tip:"), "{far}");
        }
    }

    #[test]
    fn what_another_command_calls_otherwise_is_told() {
        for (line, meant) in [
            ("bakeoff init t.csv --queries q.sql", "'--questions'"),
            ("bakeoff decide t.csv --query=x", "'--question'"),
        ] {
            let told = told(line);
            let tip = format!("a similar argument exists: {meant}");
            assert!(told.contains(&tip), "{told}");
            assert!(!told.contains("is an option of"), "{told}");
        }
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        for line in [
            "bakeoff run a b",
            "bakeoff rnu",
            "bakeoff run w --rows many",
        ] {
            let error = Arguments::command().try_get_matches_from(line.split(' '));
            assert_eq!(told(line), error.unwrap_err().to_string());
        }
    }
}
