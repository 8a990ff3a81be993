//! Reads the passes that take the place of loads: `--passes insert,read,update=1000`.

use anyhow::{Result, bail};
use bakeoff_driver::drive::{MOST_PASSES, Pass, PassesFor};
use bakeoff_stats::drive::{PassInfo, Passes};
use bakeoff_workload::{Action, CqlOperation, Mix, Operation, Workload};

use super::Drive;
use crate::cmd::options::choice::parse_rows;

/// Word for a pass of every operation, in the order of the workload.
const ALL: &str = "all";

/// A pass, as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Index into the mix's operations.
    operation: usize,
    /// Number of rows; `None` for all.
    rows: Option<u64>,
}

/// Reads the passes.
///
/// # Errors
/// Fails for an operation that the mix does not have, a number of rows that is none, and too many passes.
pub fn asked(texts: &[String], mix: &Mix) -> Result<Vec<Asked>> {
    let names = || mix.operations.iter().map(|o| o.name.as_str());
    let asked = match texts {
        [word] if word == ALL && !names().any(|name| name == ALL) => {
            let operations = 0..mix.operations.len();
            let all = operations.map(|operation| Asked {
                operation,
                rows: None,
            });
            all.collect()
        }
        texts => {
            let asked = texts.iter().map(|text| one(text, mix));
            asked.collect::<Result<Vec<Asked>>>()?
        }
    };
    if asked.len() > MOST_PASSES {
        bail!(
            "--passes has {} passes, and a round has at most {MOST_PASSES}: name fewer",
            asked.len()
        );
    }
    Ok(asked)
}

fn one(text: &str, mix: &Mix) -> Result<Asked> {
    let named = |name: &str| mix.operations.iter().position(|o| o.name == name);
    // A whole name comes first, since it may have the sign of equality itself.
    if let Some(operation) = named(text) {
        return Ok(Asked {
            operation,
            rows: None,
        });
    }
    let (name, rows) = match text.rsplit_once('=') {
        None => (text, None),
        Some((name, rows)) => match parse_rows(rows) {
            Ok(number) => (name, Some(number)),
            Err(error) => bail!("--passes {text}: {rows:?} is {error}"),
        },
    };
    let Some(operation) = named(name) else {
        let names: Vec<&str> = mix.operations.iter().map(|o| o.name.as_str()).collect();
        bail!(
            "--passes {text}: the [mix] has no operation `{name}`; there are {}",
            names.join(", ")
        );
    };
    Ok(Asked { operation, rows })
}

/// Returns the passes of a round on `rows` rows.
pub fn planned(options: &Drive, asked: &[Asked], rows: u64) -> PassesFor {
    let passes = asked.iter().map(|asked| Pass {
        operation: asked.operation,
        rows: asked.rows.unwrap_or(rows),
    });
    PassesFor {
        from_empty: options.empty,
        passes: passes.collect(),
    }
}

/// Describes the passes for the record of the drive.
pub fn described(passes: &PassesFor, mix: &Mix, workload: &Workload) -> Passes {
    let infos = passes.passes.iter().map(|pass| {
        let operation = &mix.operations[pass.operation];
        PassInfo {
            operation: operation.name.clone(),
            rows: pass.rows,
            checked: checked(operation, workload),
        }
    });
    Passes {
        from_empty: passes.from_empty,
        passes: infos.collect(),
    }
}

/// Describes all passes together: `passes: insert 1000, read 1000`.
pub fn in_words(passes: &Passes) -> String {
    let each = passes.passes.iter();
    let each: Vec<String> = each
        .map(|pass| format!("{} {}", pass.operation, pass.rows))
        .collect();
    format!("passes: {}", each.join(", "))
}

/// Says what is compared of each reply of an operation.
fn checked(operation: &Operation, workload: &Workload) -> String {
    match &operation.action {
        Action::Cql(cql) => checked_of_cql(cql, workload),
        Action::Query { .. } => PassInfo::NOTHING.to_owned(),
        action if action.writes() => "that it was accepted".to_owned(),
        _ => "all columns".to_owned(),
    }
}

fn checked_of_cql(cql: &CqlOperation, workload: &Workload) -> String {
    let reads = cql.statements.last().is_some_and(|last| !last.writes());
    match (cql.expect.as_slice(), cql.expect_row) {
        ([], true) => "that there is a row".to_owned(),
        ([], false) if reads => PassInfo::NOTHING.to_owned(),
        ([], false) => "that it was accepted".to_owned(),
        (columns, _) if columns.len() == workload.table.columns.len() => "all columns".to_owned(),
        (columns, _) => format!("only {}", columns.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::Keys;

    use super::*;

    fn mix(names: &[&str]) -> Mix {
        let operation = |name: &&str| Operation {
            name: (*name).to_owned(),
            weight: 1.0 / names.len() as f64,
            action: Action::ReadRow,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        Mix {
            operations: names.iter().map(operation).collect(),
            schema: Vec::new(),
            populate: Vec::new(),
            background: Vec::new(),
        }
    }

    fn read(text: &str, names: &[&str]) -> Result<Vec<(usize, Option<u64>)>> {
        let texts: Vec<String> = text.split(',').map(str::to_owned).collect();
        let asked = asked(&texts, &mix(names))?;
        Ok(asked.iter().map(|a| (a.operation, a.rows)).collect())
    }

    #[test]
    fn passes_name_operations_with_their_rows() {
        let names = ["write", "read", "a=b"];
        let passes = read("write=20k,read,write,read=7", &names).unwrap();
        let expected = [(0, Some(20_000)), (1, None), (0, None), (1, Some(7))];
        assert_eq!(passes, expected);
        assert_eq!(
            read("a=b,a=b=3", &names).unwrap(),
            [(2, None), (2, Some(3))]
        );
        assert_eq!(
            read("all", &names).unwrap(),
            [(0, None), (1, None), (2, None)]
        );
        assert_eq!(read("all", &["write", "all"]).unwrap(), [(1, None)]);
    }

    #[test]
    fn passes_that_there_are_not_are_refused() {
        let refused = |text: &str, names: &[&str], words: &str| {
            let error = read(text, names).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        let names = ["write", "read"];
        refused("scan", &names, "no operation `scan`; there are write, read");
        refused("read=0", &names, "not a number of rows");
        refused("read=many", &names, "\"many\" is not a number of rows");
        refused("all,read", &names, "no operation `all`");
        let many = ["read"; MOST_PASSES + 1].join(",");
        refused(&many, &names, "at most 30");
    }
}
