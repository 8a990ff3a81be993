//! One file per subcommand.

mod choice;
mod cluster;
mod data;
mod drive;
mod engines;
mod generate;
mod ingest;
mod list;
mod merge;
mod nodes;
mod postgres;
mod prices;
mod report;
mod run;
mod sql;
mod sweep;
mod table;

use anyhow::{Result, anyhow};
use bakeoff_engines::tables::TableError;
use clap::{Parser, Subcommand};

use crate::exit::{Exit, Misuse};

/// Measures how to store time-series and event data: lays a table out in every sensible way on
/// real engines, proves that all give the same answers, and measures storage, loading, queries and
/// mixed load.
///
/// Exit codes of all commands: 0 all was done; 1 nothing was measured or answered, as a file, a
/// server or the data are not what is needed; 2 the command line asks for what cannot be, also with
/// a design, a URL, a price list, a table or SQL that it names; 3 some designs failed or answered
/// wrongly, the others are measured; 130 interrupted. Set BAKEOFF_LOG=debug to see more.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(Box<run::Run>),
    Drive(Box<drive::Drive>),
    Sweep(Box<sweep::Sweep>),
    Merge(merge::Merge),
    Generate(generate::Generate),
    List(list::List),
    Report(report::Report),
    Sql(Box<sql::Sql>),
    Ingest(Box<ingest::Ingest>),
    Table(table::Table),
    Engines(engines::Engines),
}

impl Arguments {
    pub fn run(self) -> Result<Exit> {
        match self.command {
            Command::Run(run) => run.run(),
            Command::Drive(drive) => drive.run(),
            Command::Sweep(sweep) => sweep.run(),
            Command::Merge(merge) => merge.run(),
            Command::Generate(generate) => generate.run(),
            Command::List(list) => list.run(),
            Command::Report(report) => report.run(),
            Command::Sql(sql) => sql.run(),
            Command::Ingest(ingest) => ingest.run(),
            Command::Table(table) => table.run(),
            Command::Engines(engines) => engines.run(),
        }
    }
}

/// An error of tables; the exit code says whether it was asked wrongly or went wrong.
fn told(error: TableError) -> anyhow::Error {
    match error {
        TableError::Asked(text) => Misuse::of(anyhow!(text)).into(),
        TableError::Sql(error) => Misuse::of(anyhow!(error.to_string())).into(),
        TableError::Misfit(text) | TableError::Failed(text) => anyhow!(text),
    }
}

/// Runs a command on threads of its own. What still works for an interrupted one is not waited for.
fn on_threads(threads: usize, command: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()?;
    let exit = runtime.block_on(command);
    runtime.shutdown_background();
    exit
}

/// The command line, for the record; secrets are never in it.
fn command_line() -> String {
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    words.join(" ")
}

/// A runtime for commands whose work is waiting.
fn small_runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?)
}
