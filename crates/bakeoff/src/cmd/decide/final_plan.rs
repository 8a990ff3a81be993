//! The note in the folder of a decision that says which final is measured in it, or that none is. It is written when the
//! race has ended, so that a decision that is stopped goes on with the same. Without it the race has not ended, or a
//! command was stopped before it was written: then the final is still to be planned.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::out_file::OutFile;

pub use crate::cmd::report::beside::FINAL;

/// Name of the note.
pub const FILE: &str = "final.txt";
/// First words of its lines.
const ROWS: &str = "rows ";
const MILLISECONDS: &str = "milliseconds ";
const DESIGN: &str = "design ";
/// All that the note says where there is no final.
const NONE: &str = "none";

/// What the note says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    /// This final is to be measured, or was.
    Final(FinalPlan),
    /// None is: the race forecasts all rows or recommends nothing, or no final fitted into the time that was left.
    NoFinal,
}

/// What a final measures, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalPlan {
    /// The recommended design, and up to three of the next ones.
    pub designs: Vec<String>,
    pub rows: u64,
    /// Time for all of it. A final that is stopped has it anew.
    pub budget: Duration,
}

impl Noted {
    /// Reads the note of a folder; `None` if it has none.
    ///
    /// # Errors
    /// Fails if the note cannot be read, or is none of this program.
    pub fn read(dir: &Path) -> Result<Option<Noted>> {
        let path = dir.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let noted = parse(&text).ok_or_else(|| {
            anyhow!(
                "{} does not say which final is measured: remove it and, if it is there, the folder {}, and the same \
                 command plans another final",
                path.display(),
                dir.join(FINAL).display()
            )
        })?;
        Ok(Some(noted))
    }

    /// Writes the note; the folder has to be there.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let text = match self {
            Noted::Final(plan) => plan.text(),
            Noted::NoFinal => format!("{NONE}\n"),
        };
        let mut file = OutFile::replace(&path)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()
    }

    /// Returns the final, if there is one.
    pub fn plan(self) -> Option<FinalPlan> {
        match self {
            Noted::Final(plan) => Some(plan),
            Noted::NoFinal => None,
        }
    }
}

impl FinalPlan {
    /// Returns the text of the note.
    fn text(&self) -> String {
        let mut text = format!(
            "{ROWS}{}\n{MILLISECONDS}{}\n",
            self.rows,
            self.budget.as_millis()
        );
        for design in &self.designs {
            text += &format!("{DESIGN}{design}\n");
        }
        text
    }
}

fn parse(text: &str) -> Option<Noted> {
    if text.trim_end() == NONE {
        return Some(Noted::NoFinal);
    }
    parse_plan(text).map(Noted::Final)
}

fn parse_plan(text: &str) -> Option<FinalPlan> {
    let mut lines = text.lines();
    let rows = lines.next()?.strip_prefix(ROWS)?.parse().ok()?;
    let milliseconds = lines.next()?.strip_prefix(MILLISECONDS)?.parse().ok()?;
    let designs = lines.map(|line| line.strip_prefix(DESIGN).map(str::to_owned));
    let designs: Vec<String> = designs.collect::<Option<_>>()?;
    (!designs.is_empty()).then_some(FinalPlan {
        designs,
        rows,
        budget: Duration::from_millis(milliseconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_is_read_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert_eq!(Noted::read(dir).unwrap(), None);
        let plan = FinalPlan {
            designs: vec![
                "local/columnar".to_owned(),
                "parquet?codec=zstd&rows=65536".to_owned(),
            ],
            rows: 7_324_550,
            budget: Duration::from_millis(367_041),
        };
        for noted in [Noted::Final(plan), Noted::NoFinal] {
            noted.write(dir).unwrap();
            assert_eq!(Noted::read(dir).unwrap(), Some(noted));
        }
        for bad in [
            "",
            "none\ndesign a\n",
            "rows 1\nmilliseconds 1\n",
            "rows x\nmilliseconds 1\ndesign a\n",
        ] {
            std::fs::write(dir.join(FILE), bad).unwrap();
            let error = Noted::read(dir).unwrap_err().to_string();
            assert!(error.contains("does not say which final"), "{bad}: {error}");
        }
    }
}
