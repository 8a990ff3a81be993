//! The page of `bakeoff compare --page`: what it is made of, and its file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_report::between::page::{self, Figures, Folder, Page};
use bakeoff_stats::Run;
use bakeoff_stats::between::{Between, Measured};
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::per_node::PerNode;
use bakeoff_stats::sweep::SweepRun;

use crate::cmd::report::sizes::Kind;
use crate::out_file::OutFile;
use crate::page_file;

/// A file that gets its name when the page is complete.
pub struct PageFile {
    path: PathBuf,
    file: OutFile,
}

impl PageFile {
    /// Begins the file, so that one that cannot be written is known before anything is read.
    ///
    /// # Errors
    /// Fails if it cannot be written, or is there already and is no page of ours.
    pub fn begin(path: &Path) -> Result<PageFile> {
        page_file::check(path)?;
        let file = OutFile::create(path).context("--page needs a file that can be written")?;
        Ok(PageFile {
            path: path.to_owned(),
            file,
        })
    }

    /// Writes the page of these folders: of two with their comparison and what was asked of it, of several with their
    /// rates per node.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(
        mut self,
        folders: &[Folder],
        between: Option<&Between>,
        judged: Option<&str>,
        sizes: &[(String, PerNode)],
    ) -> Result<()> {
        let counts = match folders.first().map(|folder| &folder.figures) {
            Some(Figures::Load(_)) => Kind::Drive,
            Some(Figures::Sweep(_)) => Kind::Sweep,
            Some(Figures::Run(_)) | None => Kind::Run,
        };
        let page = page::render(&Page {
            folders,
            between,
            judged,
            sizes,
            counts: counts.counts(),
            command: &crate::cmd::command_line(),
            version: env!("CARGO_PKG_VERSION"),
        });
        let written = self.file.write_all(page.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        self.file.complete()
    }
}

/// Reads what was measured in a folder.
///
/// # Errors
/// Fails if there is nothing, or it cannot be read.
pub fn read(dir: &Path) -> Result<Folder> {
    let figures = match Kind::of(dir) {
        Kind::Run => Figures::Run(Box::new(Run::open(dir)?.summary()?)),
        Kind::Drive => Figures::Load(Box::new(DriveRun::open(dir)?.summary()?)),
        Kind::Sweep => Figures::Sweep(Box::new(SweepRun::open(dir)?.summary())),
    };
    Ok(Folder {
        name: dir.display().to_string(),
        figures,
    })
}

/// Takes a load or a sweep as it is compared.
///
/// # Errors
/// Fails for a run, which is compared in another way.
pub fn measured(folder: &Folder) -> Result<Measured> {
    match &folder.figures {
        Figures::Load(load) => Ok(Measured::of_load(&folder.name, load)),
        Figures::Sweep(sweep) => Ok(Measured::of_sweep(&folder.name, sweep)),
        Figures::Run(_) => bail!("{} is a run, not a load or a sweep", folder.name),
    }
}
