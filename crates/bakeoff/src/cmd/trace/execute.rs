//! Traces a request, and shows and keeps what was found.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::{TraceError, TraceRequest, trace};
use bakeoff_report::COLUMNS;
use bakeoff_report::trace::{Shown, json, render};
use bakeoff_stats::trace::{Beside, Traced};

use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::stderr::print_line;
use crate::terminal;

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: an unfinished file of --save may be left in its folder, with a \
    name that begins with a dot";

pub struct Plan {
    pub request: TraceRequest,
    /// An earlier trace to compare with.
    pub beside: Option<Traced>,
    pub save: Option<PathBuf>,
    pub json: bool,
}

/// Traces the request until the end or an interruption.
pub async fn execute(plan: Plan) -> Result<Exit> {
    tokio::select! {
        done = carry_out(plan) => done.map(|()| Exit::Complete),
        () = asked_to_stop_leaving(LEFT_BEHIND) => {
            print_line("interrupted");
            Ok(Exit::Interrupted)
        }
    }
}

async fn carry_out(plan: Plan) -> Result<()> {
    // A file that cannot be written is noticed before anything is asked.
    let file = plan.save.as_deref().map(OutFile::create).transpose()?;
    let progress = Progress::begin("tracing");
    let traced = trace(&plan.request).await;
    progress.finish();
    let traced = traced.map_err(to_cli_error)?;
    if let Some(file) = file {
        save(file, &traced)?;
    }
    show(&plan, &traced)
}

fn to_cli_error(error: TraceError) -> anyhow::Error {
    match error {
        TraceError::Asked(why) => Misuse::new(anyhow!(why)).into(),
        TraceError::Failed(why) => anyhow!(why),
    }
}

fn save(mut file: OutFile, traced: &Traced) -> Result<()> {
    let text = traced
        .to_json()
        .map_err(|why| anyhow!("cannot write the trace as JSON: {why}"))?;
    file.write_all(text.as_bytes())
        .context("cannot write the file of --save")?;
    file.complete()
}

fn show(plan: &Plan, traced: &Traced) -> Result<()> {
    let beside = plan.beside.as_ref().map(|other| Beside::new(traced, other));
    if plan.json {
        let text = json(traced, beside.as_ref())?;
        writeln!(terminal::stdout(), "{}", terminal::json(&text))?;
        return Ok(());
    }
    let color = terminal::has_colors();
    let shown = Shown {
        color,
        width: COLUMNS,
    };
    let text = render(traced, beside.as_ref(), shown);
    writeln!(terminal::stdout_with_colors(color), "{text}")?;
    Ok(())
}
