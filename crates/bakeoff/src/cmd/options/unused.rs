//! Refuses options that none of the designs would use: they would be ignored, and what was asked for not be measured.

use anyhow::{Result, anyhow};
use bakeoff_engines::OptionGroup;
use bakeoff_engines::registry::engine;
use bakeoff_workload::DesignId;

use crate::exit::Misuse;

/// Options that the command line has, with the groups that they belong to.
#[derive(Debug, Default)]
pub struct Given(Vec<(&'static str, OptionGroup)>);

impl Given {
    /// Adds an option if the command line has it.
    pub fn add(&mut self, option: &'static str, group: OptionGroup, is_given: bool) {
        if is_given {
            self.0.push((option, group));
        }
    }

    /// Checks that each option is for at least one of the designs.
    ///
    /// # Errors
    /// Fails with a misuse that names the first option which is for none of them, and the designs that it is for.
    pub fn check(&self, designs: &[DesignId]) -> Result<()> {
        let uses = |group: &OptionGroup| {
            designs
                .iter()
                .any(|id| engine(id).is_ok_and(|engine| engine.option_groups(id).contains(group)))
        };
        let Some((option, group)) = self.0.iter().find(|(_, group)| !uses(group)) else {
            return Ok(());
        };
        Err(Misuse::new(anyhow!(
            "{option} would be ignored, since it is for designs of {}, and none of them is measured: leave it out, or \
             choose such a design with --designs",
            group.designs()
        ))
        .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(option: &'static str, group: OptionGroup, designs: &[&str]) -> Result<(), String> {
        let mut given = Given::default();
        given.add("--nothing", OptionGroup::Memory, false);
        given.add(option, group, true);
        let designs: Vec<DesignId> = designs.iter().map(|id| id.parse().unwrap()).collect();
        given.check(&designs).map_err(|error| error.to_string())
    }

    #[test]
    fn an_option_that_no_design_uses_is_named_with_the_designs_that_do() {
        let error = checked("--spark", OptionGroup::Spark, &["parquet", "memory"]).unwrap_err();
        assert!(error.starts_with("--spark would be ignored"), "{error}");
        assert!(error.contains("designs of spark, and none"), "{error}");
        let error = checked("--nodes", OptionGroup::Cassandra, &["spark/parquet"]).unwrap_err();
        assert!(error.contains("cassandra-4 or spark/cassandra"), "{error}");
    }

    #[test]
    fn one_design_that_uses_an_option_is_enough() {
        for (group, id) in [
            (OptionGroup::Cassandra, "cassandra-4/wide"),
            (OptionGroup::Cassandra, "spark/cassandra"),
            (OptionGroup::Spark, "spark/parquet"),
            (OptionGroup::Drivers, "adbc/sqlite"),
            (OptionGroup::Memory, "memory"),
        ] {
            assert_eq!(checked("--option", group, &["parquet", id]), Ok(()), "{id}");
        }
        assert!(Given::default().check(&[]).is_ok());
    }
}
