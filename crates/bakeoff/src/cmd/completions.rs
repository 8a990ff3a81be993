//! `bakeoff completions`: prints a script with which a shell completes commands. The script asks this
//! program, so that names and files are always current.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use anyhow::Result;
use clap::{Args, Command, ValueEnum};
use clap_complete::engine::ValueCompleter;
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter};

use crate::exit::Exit;
use crate::shipped::{PRICES, SCRIPTS, STUDIES, Shelf, WORKLOADS};

/// Environment variable in which a script names its shell.
const VARIABLE: &str = "BAKEOFF_COMPLETE";
const PROGRAM: &str = "bakeoff";
/// Addition for zsh, which loads the script from a folder of functions as a function of this name. The
/// first call has to complete, not only to define the completer.
const ZSH_AUTOLOADED: &str =
    "\nif [[ ${funcstack[1]} == _bakeoff ]]; then _clap_dynamic_completer_bakeoff; fi\n";

/// Print a script with which a shell completes commands, options, workloads and files
///
/// For bash, write it to ~/.local/share/bash-completion/completions/bakeoff; for zsh, to the file
/// _bakeoff in a folder of $fpath; for fish, to ~/.config/fish/completions/bakeoff.fish.
#[derive(Args)]
pub struct Completions {
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    pub fn run(self) -> Result<Exit> {
        let mut script = Vec::new();
        let completer: &dyn EnvCompleter = match self.shell {
            Shell::Bash => &Bash,
            Shell::Zsh => &Zsh,
            Shell::Fish => &Fish,
        };
        completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
        if let Shell::Zsh = self.shell {
            script.extend(ZSH_AUTOLOADED.bytes());
        }
        std::io::stdout().write_all(&script)?;
        Ok(Exit::Complete)
    }
}

/// Answers a shell that asks how to complete a command line, and exits; otherwise does nothing.
pub fn answer_shell(command: fn() -> Command) {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// Completes a workload: a shipped name, or a file.
pub fn workloads() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| names_and_files(&WORKLOADS, current))
}

/// Completes a study: a shipped name, or a file.
pub fn studies() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| names_and_files(&STUDIES, current))
}

/// Completes a price list: a shipped name, or a file.
pub fn prices() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| names_and_files(&PRICES, current))
}

/// Completes the name of anything that is shipped.
pub fn shipped() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let all = [&WORKLOADS, &STUDIES, &PRICES, &SCRIPTS].into_iter();
        all.flat_map(|shelf| names(shelf, current)).collect()
    })
}

fn names_and_files(shelf: &Shelf, current: &OsStr) -> Vec<CompletionCandidate> {
    let is_toml = |path: &Path| path.extension().is_some_and(|e| e == "toml");
    let files = PathCompleter::any().filter(is_toml).complete(current);
    names(shelf, current).chain(files).collect()
}

fn names(shelf: &Shelf, current: &OsStr) -> impl Iterator<Item = CompletionCandidate> {
    let current = current.to_string_lossy().into_owned();
    let files = shelf.files.iter();
    let names = files.map(|file| file.name);
    let fitting = names.filter(move |name| name.starts_with(&current));
    fitting.map(CompletionCandidate::new)
}
