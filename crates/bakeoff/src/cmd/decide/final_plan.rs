//! The note in the folder of a decision that says which final is measured in it. It is written when the race has ended,
//! so that a decision that has none, like those of earlier versions, has no final either, and one that is stopped goes on
//! with the same.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};

use crate::out_file::OutFile;

/// Name of the folder of a final in that of a decision.
pub const FINAL: &str = "final";
/// Name of the note.
pub const FILE: &str = "final.txt";
/// First words of its lines.
const ROWS: &str = "rows ";
const MILLISECONDS: &str = "milliseconds ";
const DESIGN: &str = "design ";

/// What a final measures, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalPlan {
    /// The recommended design, and up to three of the next ones.
    pub designs: Vec<String>,
    pub rows: u64,
    /// Time for all of it. A final that is stopped has it anew.
    pub budget: Duration,
}

impl FinalPlan {
    /// Reads the note of a folder; `None` if it has none.
    ///
    /// # Errors
    /// Fails if the note cannot be read, or is none of this program.
    pub fn read(dir: &Path) -> Result<Option<FinalPlan>> {
        let path = dir.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let plan = parse(&text).ok_or_else(|| {
            anyhow!(
                "{} does not say which final is measured: remove it, and the decision rests on its run alone",
                path.display()
            )
        })?;
        Ok(Some(plan))
    }

    /// Writes the note; the folder has to be there.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let mut text = format!(
            "{ROWS}{}\n{MILLISECONDS}{}\n",
            self.rows,
            self.budget.as_millis()
        );
        for design in &self.designs {
            text += &format!("{DESIGN}{design}\n");
        }
        let mut file = OutFile::replace(&path)?;
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.complete()
    }
}

fn parse(text: &str) -> Option<FinalPlan> {
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
        assert_eq!(FinalPlan::read(dir).unwrap(), None);
        let plan = FinalPlan {
            designs: vec![
                "local/columnar".to_owned(),
                "parquet?codec=zstd&rows=65536".to_owned(),
            ],
            rows: 7_324_550,
            budget: Duration::from_millis(367_041),
        };
        plan.write(dir).unwrap();
        assert_eq!(FinalPlan::read(dir).unwrap(), Some(plan));
        for bad in [
            "",
            "rows 1\nmilliseconds 1\n",
            "rows x\nmilliseconds 1\ndesign a\n",
        ] {
            std::fs::write(dir.join(FILE), bad).unwrap();
            let error = FinalPlan::read(dir).unwrap_err().to_string();
            assert!(error.contains("does not say which final"), "{bad}: {error}");
        }
    }
}
