//! `--columns`: each design in tables of several numbers of columns.

use anyhow::{Result, anyhow};
use bakeoff_stats::{DesignInfo, Role};
use bakeoff_workload::DesignId;

use crate::exit::Misuse;

/// Setting of a design that stores some columns of the table only.
const SETTING: &str = "columns";

/// Reads one of the numbers of `--columns`.
pub fn parse(text: &str) -> Result<u32, String> {
    let number = text.trim().parse::<u32>().ok();
    let number = number.filter(|number| *number > 0);
    number.ok_or_else(|| "not a number of columns such as 5, or several as 5,20".to_owned())
}

/// Says that none of the designs stores all columns of the table, if so: then none of them is a choice.
pub fn without_choice(designs: &[DesignInfo], all: usize) -> Option<String> {
    let stores_some = |design: &DesignInfo| design.role == Role::SomeColumns;
    let is_without =
        designs.iter().all(DesignInfo::is_yardstick) && designs.iter().any(stores_some);
    is_without.then(|| {
        format!(
            "no design stores all {all} columns of the table, so that none can be recommended: add {all} to --columns, \
             or choose a design without {SETTING}="
        )
    })
}

/// Returns each design with each of these numbers of columns; with the number that the table has, it is the design
/// itself. Without any number the designs stay as they are.
///
/// # Errors
/// Fails with a misuse for a number that is there twice or is more than `all`, for a design whose id says how many
/// columns it stores, and if the `baseline`, with which the others are compared, would not be measured any more.
pub fn in_each(
    designs: Vec<DesignId>,
    columns: &[u32],
    all: usize,
    baseline: Option<&DesignId>,
) -> Result<Vec<DesignId>> {
    if columns.is_empty() {
        return Ok(designs);
    }
    check_numbers(columns, all)?;
    let baseline = baseline.filter(|baseline| designs.contains(baseline));
    let mut own = designs.iter();
    if let Some(id) = own.find(|id| id.settings.contains_key(SETTING)) {
        let twice = anyhow!(
            "design {id} says itself how many columns it stores: leave --columns out, or choose others with --designs"
        );
        return Err(Misuse::new(twice).into());
    }
    let mut taken: Vec<DesignId> = Vec::new();
    for design in designs {
        for number in columns {
            let mut id = design.clone();
            if usize::try_from(*number) != Ok(all) {
                id.settings.insert(SETTING.to_owned(), number.to_string());
            }
            taken.push(id);
        }
    }
    if let Some(baseline) = baseline.filter(|baseline| !taken.contains(baseline)) {
        let missing = anyhow!(
            "--columns: {baseline}, the baseline of [decide], would not be measured: add {all} to --columns, which is \
             the design with all columns"
        );
        return Err(Misuse::new(missing).into());
    }
    Ok(taken)
}

fn check_numbers(columns: &[u32], all: usize) -> Result<()> {
    for (index, number) in columns.iter().enumerate() {
        if columns[..index].contains(number) {
            let twice = anyhow!("--columns has {number} twice: leave it out once");
            return Err(Misuse::new(twice).into());
        }
        if usize::try_from(*number).is_ok_and(|number| number > all) {
            let too_many = anyhow!(
                "--columns {number}: the table has {all} columns: choose no more of them; {all} is the design itself"
            );
            return Err(Misuse::new(too_many).into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(designs: &[&str], columns: &[u32]) -> Result<Vec<String>> {
        let designs = designs.iter().map(|id| id.parse().unwrap()).collect();
        let taken = in_each(designs, columns, 57, None)?;
        Ok(taken.iter().map(DesignId::to_string).collect())
    }

    #[test]
    fn a_number_of_columns_is_above_nothing() {
        assert_eq!(parse("5"), Ok(5));
        for bad in ["", "0", "-5", "five", "5.5", "4294967296"] {
            let error = parse(bad).unwrap_err();
            assert!(error.contains("not a number of columns"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_number_that_is_there_twice_or_too_large_is_refused() {
        let error = taken(&["parquet"], &[5, 57, 5]).unwrap_err().to_string();
        assert!(error.contains("--columns has 5 twice"), "{error}");
        let error = taken(&["parquet"], &[5, 200]).unwrap_err().to_string();
        let words = "--columns 200: the table has 57 columns";
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn each_design_is_taken_with_each_number() {
        let designs = ["parquet", "cassandra/wide?page=7"];
        assert_eq!(taken(&designs, &[]).unwrap(), designs);
        assert_eq!(
            taken(&designs, &[5, 57]).unwrap(),
            [
                "parquet?columns=5",
                "parquet",
                "cassandra/wide?columns=5&page=7",
                "cassandra/wide?page=7"
            ]
        );
    }

    #[test]
    fn the_baseline_stays_among_the_designs() {
        let of = |columns: &[u32], baseline: &str| {
            let designs = ["parquet", "local/columnar"].map(|id| id.parse::<DesignId>().unwrap());
            in_each(
                designs.into(),
                columns,
                57,
                Some(&baseline.parse().unwrap()),
            )
        };
        let error = of(&[5, 10], "parquet").unwrap_err().to_string();
        assert!(error.contains("add 57 to --columns"), "{error}");
        assert!(of(&[5, 57], "parquet").is_ok() && of(&[], "parquet").is_ok());
        // It was not chosen by --designs.
        assert!(of(&[5, 10], "memory").is_ok());
    }

    #[test]
    fn a_design_with_a_number_of_its_own_is_refused() {
        let error = taken(&["parquet?columns=3"], &[5]).unwrap_err();
        let words = "design parquet?columns=3 says itself how many columns it stores";
        assert!(error.to_string().contains(words), "{error}");
        assert!(taken(&["parquet?columns=3"], &[]).is_ok());
    }
}
