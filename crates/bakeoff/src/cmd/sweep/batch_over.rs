//! What the batches of a sweep hold: rows of one partition, or of any.

use anyhow::{Result, anyhow};
use bakeoff_driver::sweep::over_any_id;
use bakeoff_engines::Context;
use bakeoff_engines::registry::engine;
use bakeoff_stats::DesignInfo;
use bakeoff_workload::DesignId;
use clap::ValueEnum;

use crate::exit::Misuse;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BatchOver {
    /// A batch for each partition, as rows are loaded
    Partition,
    /// Unlogged batches of rows of any partitions, in their order
    Any,
}

/// Designs of a sweep by what their batches hold.
pub struct Batches {
    /// Those that are measured, in their order.
    pub designs: Vec<DesignInfo>,
    /// Those among them whose batches hold rows of any partitions.
    pub over_any: Vec<DesignInfo>,
    /// Whether their designs are measured with batches of one partition, too.
    pub over_partition: bool,
}

impl Batches {
    /// Adds designs whose batches hold rows of any partitions, or puts them in the place of theirs. A design
    /// that has no such batches is measured as it is.
    ///
    /// # Errors
    /// Fails with a misuse if they are asked for and no design has them, or a server would refuse those of one.
    pub fn new(
        designs: &[DesignId],
        infos: Vec<DesignInfo>,
        asked: &[BatchOver],
        context: &Context,
    ) -> Result<Batches> {
        let over_partition = asked.contains(&BatchOver::Partition);
        let mut batches = Batches {
            designs: Vec::new(),
            over_any: Vec::new(),
            over_partition,
        };
        for (id, info) in designs.iter().zip(infos) {
            let with_any = { asked.contains(&BatchOver::Any) }
                .then(|| over_any(id, &info))
                .flatten();
            if with_any.is_some()
                && let Some(why) = engine(id)?.over_any_refused(id, context)
            {
                return Err(Misuse::new(anyhow!("--batch-over any: {why}")).into());
            }
            if over_partition || with_any.is_none() {
                batches.designs.push(info);
            }
            batches.designs.extend(with_any.clone());
            batches.over_any.extend(with_any);
        }
        if asked.contains(&BatchOver::Any) && batches.over_any.is_empty() {
            let none = anyhow!(
                "--batch-over any: no design sends batches of rows of any partitions; name one of Cassandra that \
                 keeps rows with --designs, for example cassandra/series"
            );
            return Err(Misuse::new(none).into());
        }
        Ok(batches)
    }
}

/// Describes a design whose batches hold rows of any partitions; `None` if it has no such ones.
fn over_any(id: &DesignId, info: &DesignInfo) -> Option<DesignInfo> {
    let (name, value) = engine(id).ok()?.over_any(id)?;
    let mut info = info.clone();
    info.id = over_any_id(&info.id);
    info.settings.retain(|(setting, _)| *setting != name);
    info.settings.push((name, value));
    Some(info)
}

#[cfg(test)]
mod tests {
    use bakeoff_engines::EngineOptions;
    use bakeoff_stats::Role;

    use super::*;

    fn batches(designs: &[&str], asked: &[BatchOver]) -> Result<Batches> {
        let ids: Vec<DesignId> = designs.iter().map(|id| id.parse().unwrap()).collect();
        let info = |id: &&str| DesignInfo {
            id: (*id).to_owned(),
            engine: id.split('/').next().unwrap_or_default().to_owned(),
            role: Role::Store,
            server: true,
            settings: vec![("writes".to_owned(), "as loaded".to_owned())],
            statements: Vec::new(),
            unit_rows: None,
            not_asked: Vec::new(),
            stored_by: None,
            table_of: None,
        };
        let context = Context {
            run_dir: "/run".into(),
            token: None,
            threads: 1,
            keys_repeat: false,
            options: EngineOptions::default(),
        };
        Batches::new(&ids, designs.iter().map(info).collect(), asked, &context)
    }

    fn ids(designs: &[DesignInfo]) -> Vec<&str> {
        designs.iter().map(|info| info.id.as_str()).collect()
    }

    const DESIGNS: [&str; 3] = ["cassandra/series", "cassandra/columnar", "cassandra/wide"];

    #[test]
    fn batches_of_one_partition_are_the_designs_as_they_are() {
        let batches = batches(&DESIGNS, &[BatchOver::Partition]).unwrap();
        assert_eq!(ids(&batches.designs), DESIGNS);
        assert!(batches.over_any.is_empty() && batches.over_partition);
    }

    #[test]
    fn both_kinds_are_measured_next_to_each_other() {
        let both = [BatchOver::Partition, BatchOver::Any];
        let batches = batches(&DESIGNS, &both).unwrap();
        let expected = [
            "cassandra/series",
            "cassandra/series#any-partition",
            "cassandra/columnar",
            "cassandra/wide",
            "cassandra/wide#any-partition",
        ];
        assert_eq!(ids(&batches.designs), expected);
        let settings = &batches.over_any[0].settings;
        assert_eq!(settings.len(), 1);
        assert!(settings[0].1.contains("any partitions"), "{settings:?}");
    }

    #[test]
    fn batches_of_any_partitions_that_a_server_refuses_are_refused_first() {
        let large = ["cassandra/wide?batch=64KiB"];
        let refused = batches(&large, &[BatchOver::Partition, BatchOver::Any]);
        let error = refused.err().unwrap().to_string();
        assert!(error.contains("choose batch= up to 48KiB"), "{error}");
        assert!(batches(&large, &[BatchOver::Partition]).is_ok());
        assert!(batches(&["cassandra/wide?batch=48KiB"], &[BatchOver::Any]).is_ok());
    }

    #[test]
    fn any_partition_alone_leaves_designs_without_such_batches_as_they_are() {
        let batches = batches(&DESIGNS, &[BatchOver::Any]).unwrap();
        let expected = [
            "cassandra/series#any-partition",
            "cassandra/columnar",
            "cassandra/wide#any-partition",
        ];
        assert_eq!(ids(&batches.designs), expected);
        assert!(!batches.over_partition);
        let refused = self::batches(&["cassandra/columnar"], &[BatchOver::Any]);
        let error = refused.err().unwrap().to_string();
        assert!(error.contains("cassandra/series"), "{error}");
    }
}
