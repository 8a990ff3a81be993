//! Engines that were left out when Bakeoff was built. Their names stay known, so that a workload with
//! designs on them can be read and its other designs measured.

use async_trait::async_trait;
use bakeoff_servers::survey::{Need, Survey};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{DesignId, Workload};

use crate::{Context, Engine, EngineError, Layout, Running};

/// A stand-in for an engine whose cargo feature is off.
#[derive(Debug, Clone, Copy)]
pub struct Absent {
    name: &'static str,
    feature: &'static str,
}

impl Absent {
    /// Makes the stand-in for an engine, with the cargo feature that brings the engine back.
    pub const fn new(name: &'static str, feature: &'static str) -> Absent {
        Absent { name, feature }
    }

    fn reason(&self) -> String {
        format!(
            "{} is not compiled in: build Bakeoff with `cargo build --release -p bakeoff --features \
             {}`, or leave its designs out with --designs",
            self.name, self.feature
        )
    }
}

#[async_trait]
impl Engine for Absent {
    fn name(&self) -> &'static str {
        self.name
    }

    /// Returns no layouts, since they are part of what was left out.
    fn layouts(&self) -> &'static [Layout] {
        &[]
    }

    /// Returns true, so that a sweep is refused because the engine is missing.
    fn takes_inserts(&self, _id: &DesignId) -> bool {
        true
    }

    /// Accepts every design, so that a drive is refused because the engine is missing.
    fn check_operations(&self, _id: &DesignId) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns true, so that the engine's SQL is checked only by builds that have the engine.
    fn speaks_sql(&self) -> bool {
        true
    }

    /// Accepts any layout of the engine, since its real ones are not known.
    fn is_place(&self, name: &str) -> bool {
        name.split('/').next() == Some(self.name)
    }

    async fn survey(&self) -> Survey {
        Survey {
            summary: self.name.to_owned(),
            needs: vec![Need {
                name: "feature",
                found: Err(self.reason()),
                passed_over: None,
            }],
        }
    }

    fn describe(
        &self,
        id: &DesignId,
        _: &Workload,
        _: &Context,
    ) -> Result<DesignInfo, EngineError> {
        Ok(self.info_of(id, Vec::new(), vec![self.reason()]))
    }

    async fn check(&self, _: &Context) -> Result<(), EngineError> {
        Err(EngineError(self.reason()))
    }

    async fn start(&self, _: &Context) -> Result<Box<dyn Running>, EngineError> {
        Err(EngineError(self.reason()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::EngineOptions;

    const ABSENT: Absent = Absent::new("clickhouse", "clickhouse");
    const WORKLOAD: &str = r#"title = "t"
designs = ["clickhouse/table?threads=2", "memory"]

[table]
name = "readings"
columns = { series = "text" }
partition_key = ["series"]

[data]
requires = "--data"

[[queries]]
name = "rows"
sql = "SELECT count(*) AS rows FROM readings"
"#;

    #[tokio::test]
    async fn its_designs_are_described_and_then_fail_with_what_to_do() {
        let workload = Workload::parse(WORKLOAD, Path::new("w.toml")).unwrap();
        let context = Context {
            run_dir: "/nowhere/run".into(),
            token: None,
            threads: 1,
            keys_repeat: false,
            options: EngineOptions::default(),
        };
        let id = &workload.designs[0];
        let info = ABSENT.describe(id, &workload, &context).unwrap();
        assert_eq!(
            (info.id.as_str(), info.engine.as_str()),
            ("clickhouse/table?threads=2", "clickhouse")
        );
        let missing = "clickhouse is not compiled in: build Bakeoff with `cargo build --release -p bakeoff \
                       --features clickhouse`";
        let checked = ABSENT.check(&context).await.unwrap_err().0;
        let started = ABSENT.start(&context).await.err().unwrap().0;
        let available = ABSENT.availability().await.unwrap_err();
        for reason in [&checked, &started, &available, &info.statements[0]] {
            assert!(reason.starts_with(missing), "{reason}");
        }
    }

    #[test]
    fn queries_may_have_sql_for_it_and_its_layouts() {
        assert!(ABSENT.is_place("clickhouse") && ABSENT.is_place("clickhouse/table"));
        assert!(!ABSENT.is_place("clickhouse2") && !ABSENT.is_place("postgres/plain"));
    }
}
