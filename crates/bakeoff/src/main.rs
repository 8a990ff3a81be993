//! `bakeoff`: measures how to store time-series and event data.

mod cmd;
mod exit;
mod machine;
mod progress;

use std::process::ExitCode;

use clap::Parser;

use exit::Exit;

fn main() -> ExitCode {
    let arguments = cmd::Arguments::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("BAKEOFF_LOG"))
        .with_writer(std::io::stderr)
        .init();
    match arguments.run() {
        Ok(exit) => exit.into(),
        Err(error) if exit::is_broken_pipe(&error) => Exit::Complete.into(),
        Err(error) => {
            eprintln!("error: {}", exit::explain(&error));
            Exit::Failed.into()
        }
    }
}
