//! `bakeoff report`: renders a saved run again, from its folder alone.

pub mod beside;
mod export;
pub mod follow;
pub mod page;
pub mod sizes;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::{drive, json, sweep, terminal};
use bakeoff_stats::drive::{BesideFigures, DriveDesign, DriveRun, DriveSummary, PassFigures};
use bakeoff_stats::per_node::{MeasuredRate, Wanted};
use bakeoff_stats::sweep::{Cell, SweepRun, SweepSummary};
use bakeoff_stats::{DesignSummary, Run, Summary};
use clap::Args;

use crate::cmd::options::wanted::WantedOptions;
use crate::exit::{Exit, Misuse};
use crate::out_file::OutFile;
use crate::progress::Progress;
use crate::terminal::{has_colors, stdout_with_colors};
use export::ExportOptions;

/// Name of the page in a run folder.
pub const PAGE: &str = "report.html";
/// Name of the file for programs in it.
pub const DATA: &str = "run.json";
/// Narrowest and widest table, in characters.
const WIDTHS: std::ops::RangeInclusive<usize> = 80..=160;

/// Render a saved run again: prints the tables, and writes report.html and run.json to its folder.
#[derive(Args)]
pub struct Report {
    /// Folder that `bakeoff run`, `drive`, `merge` or `sweep` wrote to
    dir: PathBuf,

    /// Print how each design answers each query, as its engine told it, in place of the tables
    #[arg(long)]
    plans: bool,

    /// Print how the first rows of each design are stored, of a run with --show-stored, in place of the tables
    #[arg(long, conflicts_with = "plans")]
    stored: bool,

    /// Print whether the rules that proposed designs held, of a run of a workload that `propose --out` wrote, in place
    /// of the tables
    #[arg(long, conflicts_with_all = ["plans", "stored"])]
    rules: bool,

    /// Two designs of a comparison, such as rows in Cassandra and Parquet files: the report then also shows what both
    /// of them, kept together, take, with each question asked of the faster one, and with --prices what that costs
    #[arg(
        long,
        value_name = "DESIGN,DESIGN",
        value_delimiter = ',',
        conflicts_with_all = ["plans", "stored", "rules"]
    )]
    together: Vec<String>,

    /// Keep report.html up to date until the run ends, which another process or another machine carries out; the page
    /// reloads itself. Of a study's folder, keep study.html and the page of the step that is measured. Making them
    /// takes some of this machine's time
    #[arg(long, conflicts_with_all = ["plans", "stored", "rules", "together", "other_sizes", "prometheus", "parquet"])]
    follow: bool,

    #[command(flatten)]
    wanted: WantedOptions,

    /// Folders of the same measurement on clusters of other numbers of nodes; the report then shows how rates grow with
    /// the nodes
    #[arg(long, value_name = "DIR,...", value_delimiter = ',')]
    other_sizes: Vec<PathBuf>,

    #[command(flatten)]
    export: ExportOptions,
}

/// What a report is asked for, none of which is in the folder that it is of.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    pub wanted: Wanted,
    /// Rates of the same measurement on clusters of other sizes.
    pub others: Vec<Vec<MeasuredRate>>,
    /// Two designs of a comparison that are kept together.
    pub together: Option<[String; 2]>,
    /// Whether what was measured is for a recommendation, which is then all that is printed of it once it has ended.
    pub is_for_recommendation: bool,
}

impl From<Wanted> for Shown {
    fn from(wanted: Wanted) -> Shown {
        Shown {
            wanted,
            ..Shown::default()
        }
    }
}

impl Report {
    pub fn run(self) -> Result<Exit> {
        let wanted = self.wanted.read()?;
        if self.follow {
            return follow::follow(&self.dir, &Shown::from(wanted));
        }
        let of_runs = [
            ("--plans", self.plans),
            ("--stored", self.stored),
            ("--rules", self.rules),
            ("--together", !self.together.is_empty()),
        ];
        let named = of_runs.iter().find(|(_, is_named)| *is_named);
        if let Some((option, _)) = named
            && (DriveRun::is_one(&self.dir) || SweepRun::is_one(&self.dir))
        {
            let told = anyhow!(
                "{option} is for folders of `bakeoff run`, whose designs answer queries; leave it out here"
            );
            return Err(Misuse::new(told).into());
        }
        self.export.check()?;
        let together = self.pair()?;
        let others = sizes::read(&self.dir, &self.other_sizes, &wanted)?;
        let shown = Shown {
            wanted,
            others,
            together,
            is_for_recommendation: false,
        };
        let exit = match (self.plans, self.stored) {
            (true, _) => render_as(&self.dir, &shown, terminal::render_plans),
            (_, true) => render_as(&self.dir, &shown, terminal::render_stored),
            _ if self.rules => render_as(&self.dir, &shown, terminal::render_rules),
            _ => render_folder(&self.dir, &shown),
        }?;
        self.export.write(&self.dir)?;
        Ok(exit)
    }

    /// Returns the folder that is to be followed, if one is.
    pub fn followed(&self) -> Option<&Path> {
        self.follow.then_some(self.dir.as_path())
    }

    /// Returns what the pages of a folder show that is followed.
    ///
    /// # Errors
    /// Those of the options --prices and --need.
    pub fn shown_while_followed(&self) -> Result<Shown> {
        Ok(Shown::from(self.wanted.read()?))
    }

    /// Returns the two designs that are kept together, if they are asked for.
    fn pair(&self) -> Result<Option<[String; 2]>> {
        match &self.together[..] {
            [] => Ok(None),
            [one, other] => Ok(Some([one.clone(), other.clone()])),
            all => {
                let told = anyhow!(
                    "--together needs two designs, and got {}: cassandra/wide,parquet",
                    all.len()
                );
                Err(Misuse::new(told).into())
            }
        }
    }
}

/// Prints the tables of whatever was measured in a folder, writes the files, and returns how complete it is.
fn render_folder(dir: &Path, shown: &Shown) -> Result<Exit> {
    if DriveRun::is_one(dir) {
        render_drive(dir, shown)
    } else if SweepRun::is_one(dir) {
        render_sweep(dir, shown)
    } else {
        render(dir, shown)
    }
}

/// Sums up a run with what its report is asked for.
///
/// # Errors
/// Fails if its records contradict each other, and with a misuse if two designs cannot be kept together.
pub fn summary_of_run(run: &Run, shown: &Shown) -> Result<Summary> {
    let summary = run.summary()?.per_node(&shown.wanted, &shown.others);
    let summary = match &shown.wanted.prices {
        Some(prices) => summary.priced(prices.clone()),
        None => summary,
    };
    let Some([one, other]) = &shown.together else {
        return Ok(summary);
    };
    summary.kept_together([one, other]).map_err(|why| {
        let dir = run.dir().display();
        Misuse::new(anyhow!("designs of {dir} cannot be kept together: {why}")).into()
    })
}

/// Sums up a load with what its report is asked for.
///
/// # Errors
/// Fails if its records contradict each other, or a log of times cannot be read.
pub fn summary_of_load(run: &DriveRun, shown: &Shown) -> Result<DriveSummary> {
    Ok(run.summary()?.per_node(&shown.wanted, &shown.others))
}

fn summary_of_sweep(run: &SweepRun, shown: &Shown) -> SweepSummary {
    run.summary().per_node(&shown.wanted, &shown.others)
}

/// Writes what is printed of a run, from its summary, the width and whether there are colours.
type Printed = fn(&Summary, usize, bool) -> String;

/// Prints the tables of a run, to a file without cutting any text, writes the files, and returns how complete the run
/// is.
pub fn render(dir: &Path, shown: &Shown) -> Result<Exit> {
    let printed: Printed = if std::io::stdout().is_terminal() {
        terminal::render
    } else {
        terminal::render_whole
    };
    render_as(dir, shown, printed)
}

fn render_as(
    dir: &Path,
    shown: &Shown,
    printed: impl Fn(&Summary, usize, bool) -> String,
) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = Run::open(dir)?;
    let summary = summary_of_run(&run, shown)?;
    let files = Files {
        html: beside::render(dir, &summary),
        json: json::render(&summary, run.records())?,
    };
    let is_printed = !(shown.is_for_recommendation && summary.finished);
    let tables = |color: bool| printed(&summary, width(), color);
    files.write(dir, &progress, is_printed.then_some(tables))?;
    Ok(exit_of_run(&summary))
}

/// Returns how complete a run is.
pub fn exit_of_run(summary: &Summary) -> Exit {
    let is_measured = |d: &DesignSummary| d.queries.iter().any(|q| q.time.is_some());
    if summary.interrupted && !summary.finished {
        Exit::Interrupted
    } else if !summary.designs.iter().any(is_measured) {
        Exit::Failed
    } else if summary.failures().next().is_some() {
        Exit::Partial
    } else {
        Exit::Complete
    }
}

/// Prints the tables of a load, writes the files, and returns how complete the load is.
pub fn render_drive(dir: &Path, shown: &Shown) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = DriveRun::open(dir)?;
    let summary = summary_of_load(&run, shown)?;
    let files = Files {
        html: drive::html::render(&summary),
        json: drive::json::render(&summary, run.records())?,
    };
    let is_printed = !(shown.is_for_recommendation && summary.finished);
    let tables = |color: bool| drive::terminal::render(&summary, width(), color);
    files.write(dir, &progress, is_printed.then_some(tables))?;
    Ok(exit_of_drive(&summary))
}

/// Returns how complete a load is.
pub fn exit_of_drive(summary: &DriveSummary) -> Exit {
    let has_trouble = |d: &DriveDesign| !d.failures.is_empty() || too_many_failed(d);
    // A pass is for all of its rows, so that one failure is too many.
    let is_incomplete = |pass: &PassFigures| pass.failed > 0 || pass.whole == 0;
    let is_unknown = |beside: &BesideFigures| beside.pairs == 0 || beside.has_trouble();
    if summary.interrupted && !summary.finished {
        Exit::Interrupted
    } else if !summary.designs.iter().any(has_result)
        && !summary.passes.iter().any(|pass| pass.whole > 0)
    {
        Exit::Failed
    } else if summary.designs.iter().any(has_trouble)
        || summary.passes.iter().any(is_incomplete)
        || summary.beside.iter().any(is_unknown)
        || !summary.answering_ended.is_empty()
    {
        Exit::Partial
    } else {
        Exit::Complete
    }
}

/// Returns whether a design has a result. A search in which no rate holds its objective is one, too.
fn has_result(design: &DriveDesign) -> bool {
    let figures = design.figures.as_ref();
    !design.found.is_empty() || figures.is_some_and(|f| f.successes() > 0)
}

/// Returns whether too many operations failed for its response times to be a result. A search judges that
/// by its objective.
fn too_many_failed(design: &DriveDesign) -> bool {
    let figures = design.figures.as_ref();
    design.found.is_empty() && figures.is_some_and(|f| f.too_many_failed())
}

/// Prints the tables of a sweep, writes the files, and returns how complete the sweep is.
pub fn render_sweep(dir: &Path, shown: &Shown) -> Result<Exit> {
    let progress = Progress::begin(&format!("reading {}", dir.display()));
    let run = SweepRun::open(dir)?;
    let summary = summary_of_sweep(&run, shown);
    let files = Files {
        html: sweep::html::render(&summary),
        json: sweep::json::render(&summary, run.records())?,
    };
    let tables = |color: bool| sweep::terminal::render(&summary, width(), color);
    files.write(dir, &progress, Some(tables))?;
    Ok(exit_of_sweep(&summary))
}

/// Returns the exit code of a sweep. Settings that are not available are a result; missing rows, or a
/// missing design, are not.
fn exit_of_sweep(summary: &SweepSummary) -> Exit {
    let is_wrong = |c: &Cell| c.check.as_ref().is_some_and(|c| c.is_wrong());
    if summary.interrupted && !summary.finished {
        Exit::Interrupted
    } else if !summary.designs.iter().any(|d| d.best.is_some()) {
        Exit::Failed
    } else if summary
        .settings()
        .flat_map(|setting| &setting.rounds)
        .any(is_wrong)
        || summary.designs.iter().any(|d| !d.failures.is_empty())
    {
        Exit::Partial
    } else {
        Exit::Complete
    }
}

/// The files of a report.
struct Files {
    html: String,
    json: String,
}

impl Files {
    /// Writes the files, and prints the tables, if there are some to print, and the paths of the files.
    fn write(
        &self,
        dir: &Path,
        progress: &Progress,
        tables: Option<impl Fn(bool) -> String>,
    ) -> Result<()> {
        let write = |name: &str, text: &str| {
            let path = dir.join(name);
            let mut file = OutFile::replace(&path)?;
            file.write_all(text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            file.complete()?;
            Ok::<PathBuf, anyhow::Error>(path)
        };
        let html = write(PAGE, &self.html)?;
        let json = write(DATA, &self.json)?;
        progress.finish();
        let Some(tables) = tables else {
            return Ok(());
        };
        let color = has_colors();
        let mut out = stdout_with_colors(color);
        writeln!(out, "{}", tables(color))?;
        writeln!(
            out,
            "Report: {}\nData:   {}",
            html.display(),
            json.display()
        )?;
        Ok(())
    }
}

/// Returns the columns of the terminal, limited to [`WIDTHS`].
pub fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(100, |size| usize::from(size.ws_col))
        .clamp(*WIDTHS.start(), *WIDTHS.end())
}
