//! Writes the page of a study: as HTML, and as Markdown with its charts beside it.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use bakeoff_report::study::{self, GoingOn, Page};

use crate::exit::Misuse;
use crate::out_file::OutFile;
use crate::page_file;

/// Name of the page.
pub const HTML: &str = "study.html";

/// Writes the page of a study that goes on into its folder.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_so_far(page: &Page<'_>, dir: &Path, step: &GoingOn<'_>) -> Result<()> {
    write_file(&dir.join(HTML), &study::html_so_far(page, step))
}

/// Writes the page of a study into its folder, as one that stays.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn write_html(page: &Page<'_>, dir: &Path) -> Result<()> {
    write_file(&dir.join(HTML), &study::html(page))
}

/// Writes the page into the study's folder, and to a further Markdown file. Returns what was written, without
/// charts.
///
/// # Errors
/// Fails if a file cannot be written, or the further one is there and is no page of ours.
pub fn write(page: &Page<'_>, dir: &Path, further: Option<&Path>) -> Result<Vec<PathBuf>> {
    let html = dir.join(HTML);
    write_file(&html, &study::html(page))?;
    let mut written = vec![html];
    if let Some(file) = further {
        // Another program may have written it since the study began.
        page_file::check(file)?;
    }
    let own = dir.join("study.md");
    for file in std::iter::once(own.as_path()).chain(further) {
        write_markdown(page, file)?;
        written.push(file.to_owned());
    }
    Ok(written)
}

/// Writes the Markdown page, and its charts into the folder that has its name without the extension.
fn write_markdown(page: &Page<'_>, file: &Path) -> Result<()> {
    let (folder, name) = charts_of(file)?;
    let markdown = study::markdown(page, &name);
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}, the folder of charts", folder.display()))?;
    for (chart, svg) in &markdown.charts {
        write_file(&folder.join(chart), svg)?;
    }
    write_file(file, &markdown.text)
}

/// Returns the folder of a page's charts, and its name.
///
/// # Errors
/// Fails with a misuse if the page has no extension by which it differs from the folder.
pub fn charts_of(file: &Path) -> Result<(PathBuf, String)> {
    let folder = file.with_extension("");
    let name = folder.file_name().and_then(|name| name.to_str());
    match name {
        Some(name) if folder != file => {
            let name = name.to_owned();
            Ok((folder, name))
        }
        _ => Err(Misuse::new(anyhow!(
            "{} of --page has to end in .md: its charts go into the folder without that",
            file.display()
        ))
        .into()),
    }
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    let mut file = OutFile::replace(path)?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    file.complete()
}
