//! `bakeoff`: measures how to store time-series and event data.

mod calibration;
mod cmd;
mod exit;
mod interrupt;
mod machine;
mod meant;
mod out_file;
mod page_file;
mod progress;
mod shipped;
mod stderr;
mod terminal;

use std::process::ExitCode;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use exit::Exit;
use stderr::print_line;

fn main() -> ExitCode {
    stderr::clean_panics();
    let Some(arguments) = cmd::Arguments::read() else {
        print_line(cmd::FIRST_STEPS.trim_end());
        return Exit::Misused.into();
    };
    tracing_subscriber::fmt()
        .with_env_filter(log_filter())
        .with_writer(terminal::stderr)
        .init();
    match arguments.run() {
        Ok(exit) => exit.into(),
        Err(error) if exit::is_broken_pipe(&error) => Exit::Complete.into(),
        Err(error) => {
            let meant = meant::run_instead(&error);
            print_line(format_args!("error: {}{meant}", exit::explain(&error)));
            if error.is::<exit::Misuse>() {
                Exit::Misused.into()
            } else {
                Exit::Failed.into()
            }
        }
    }
}

/// Logs nothing unless BAKEOFF_LOG asks for it, since every problem is already shown as a result or an error.
fn log_filter() -> EnvFilter {
    EnvFilter::builder()
        .with_default_directive(LevelFilter::OFF.into())
        .with_env_var("BAKEOFF_LOG")
        .from_env_lossy()
}
