//! Carries out a scan: looks at the table, prints parts, or reads one.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, anyhow};
use bakeoff_engines::tables::{
    Connection, Location, Options, ScanRequest, Scanner, Share, TableError,
};
use bakeoff_report::units;

use super::output::{Sink, Stream};
use crate::cmd::to_cli_error;
use crate::exit::{Exit, Misuse};
use crate::interrupt::written_or_interrupted;
use crate::progress::Progress;
use crate::stderr::print_line;

pub struct Plan {
    pub connection: Connection,
    pub options: Options,
    pub table: Location,
    pub task: Task,
    pub out: Option<PathBuf>,
}

/// What is to be done with the table.
pub enum Task {
    /// Print this many parts.
    Plan(ScanRequest, u32),
    /// Read a part of this number, from 1, of the table as it is now.
    Now(ScanRequest, u32, u32),
    /// Read a part of a plan.
    Token(String),
}

/// Scans until the end or an interruption.
pub async fn execute(plan: Plan) -> Result<Exit> {
    written_or_interrupted(tokio::spawn(carry_out(plan))).await
}

async fn carry_out(plan: Plan) -> Result<()> {
    let shown = Progress::begin("opening the table");
    let scanner = Scanner::open(&plan.connection, &plan.table, &plan.options).await;
    let scanner = scanner.map_err(to_cli_error)?;
    let out = plan.out.as_deref();
    let (share, is_planned) = match plan.task {
        Task::Plan(request, count) => {
            let shares = scanner.shares(&request, count).await;
            let shares = shares.map_err(in_condition)?;
            shown.finish();
            print_plan(&scanner, &shares, out)?;
            tell_missed(&scanner);
            return Ok(());
        }
        Task::Now(request, number, of) => {
            let shares = scanner.shares(&request, of).await;
            let mut shares = shares.map_err(in_condition)?;
            (shares.swap_remove(number as usize - 1), false)
        }
        Task::Token(token) => (scanner.share(&token).map_err(to_cli_error)?, true),
    };
    let name = format!(
        "part {}/{} of snapshot {}",
        share.number, share.of, share.snapshot
    );
    shown.step("reading");
    let began = Instant::now();
    let rows = read(&scanner, share, out).await?;
    shown.finish();
    tell_missed(&scanner);
    let rows = units::plural(rows, "row", "rows");
    print_line(format_args!(
        "{name}: {rows} in {:.2} s",
        began.elapsed().as_secs_f64()
    ));
    if !is_planned {
        print_line("note: other parts go with this one only if they name the same snapshot");
    }
    Ok(())
}

/// Prints what may be missing at this consistency level, if anything.
fn tell_missed(scanner: &Scanner) {
    if let Some(missed) = scanner.missed() {
        print_line(format_args!("note: {missed}"));
    }
}

/// Prints a line for each part: its number, the snapshot, bytes, and the token.
fn print_plan(scanner: &Scanner, shares: &[Share], out: Option<&Path>) -> Result<()> {
    // All tokens come before any output: one of them may be too large.
    let token = |share: &Share| scanner.token(share);
    let tokens: Result<Vec<String>, TableError> = shares.iter().map(token).collect();
    let tokens = tokens.map_err(to_cli_error)?;
    let mut sink = Sink::open(out)?;
    for (share, token) in shares.iter().zip(tokens) {
        let Share {
            number,
            of,
            snapshot,
            cost,
            ..
        } = share;
        writeln!(sink, "{number}/{of}\t{snapshot}\t{cost}\t{token}")?;
    }
    sink.complete()
}

/// Reads a part, writes it, and returns the number of its rows.
async fn read(scanner: &Scanner, share: Share, out: Option<&Path>) -> Result<u64> {
    let mut scan = scanner.read(share).await.map_err(in_condition)?;
    // The first rows come before any output: a scan that fails usually has no rows at all.
    let mut next = scan.next().await.map_err(in_condition)?;
    let mut stream = Stream::begin(out, scan.schema())?;
    while let Some(rows) = next {
        // Writing may have to wait for the reader.
        tokio::task::block_in_place(|| stream.write(&rows))?;
        next = scan.next().await.map_err(in_condition)?;
    }
    let rows = stream.rows;
    tokio::task::block_in_place(|| stream.finish())?;
    Ok(rows)
}

/// Converts an error of tables, and says where SQL is wrong.
fn in_condition(error: TableError) -> anyhow::Error {
    match error {
        TableError::Sql(error) => Misuse::new(anyhow!("--where: {error}")).into(),
        error => to_cli_error(error),
    }
}
