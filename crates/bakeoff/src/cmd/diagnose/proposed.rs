//! The designs that a diagnosis proposes, as they are measured beside the present one.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_engines::registry::engine;
use bakeoff_engines::table_copy::{TableCopy, changed};
use bakeoff_engines::{Context, EngineOptions, new_token};
use bakeoff_stats::diagnose::{Diagnosis, NotTried, Proposed, Urgency};
use bakeoff_workload::{DesignId, Workload};

/// Designs that are measured, and the findings that they are for.
#[derive(Debug)]
pub struct Designs {
    /// Id of the design that the table has now.
    pub present: String,
    /// The others, each once.
    pub others: Vec<DesignId>,
    pub proposed: Vec<Proposed>,
}

/// Returns the findings that have a setting as their cure, with the designs that would show it.
pub fn proposals(diagnosis: &Diagnosis) -> Vec<(Proposed, Vec<DesignId>)> {
    let all = [Urgency::Now, Urgency::Soon, Urgency::Sometime];
    let findings = all.iter().flat_map(|urgency| diagnosis.findings(*urgency));
    let proposals = findings.map(|(check, finding)| {
        let proposed = Proposed {
            rule: check.rule,
            about: check.about.clone(),
            says: finding.says.clone(),
            designs: Vec::new(),
            not_tried: Vec::new(),
        };
        let ids = finding.designs.iter();
        let ids: Vec<DesignId> = ids.filter_map(|id| id.parse().ok()).collect();
        (proposed, ids)
    });
    proposals.filter(|(_, ids)| !ids.is_empty()).collect()
}

/// Returns the columns by whose indexes the proposed designs find rows.
pub fn looked_up(proposed: &[(Proposed, Vec<DesignId>)], copy: &TableCopy) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    for id in proposed.iter().flat_map(|(_, ids)| ids) {
        let Some(index) = id.settings.get("index") else {
            continue;
        };
        let column = index.split(':').next().unwrap_or(index);
        if copy.has_value(column) && !columns.iter().any(|known| known == column) {
            columns.push(column.to_owned());
        }
    }
    columns
}

impl Designs {
    /// Makes of what is proposed designs that differ from the present one in nothing else. Those that do not suit the
    /// copy are noted with the reason. `workload` returns the text of its workload with some designs.
    ///
    /// # Errors
    /// Fails if the present design itself does not suit it.
    pub fn new(
        present: &DesignId,
        proposed: Vec<(Proposed, Vec<DesignId>)>,
        workload: impl Fn(&[String]) -> String,
    ) -> Result<Designs> {
        let unfit = |id: &DesignId| unfit(id, &workload(&[id.to_string()]));
        if let Some(why) = unfit(present) {
            return Err(anyhow!(
                "the table cannot be measured as it is, in the design {present}: {why}"
            ));
        }
        let mut designs = Designs {
            present: present.to_string(),
            others: Vec::new(),
            proposed: Vec::new(),
        };
        for (mut finding, ids) in proposed {
            for id in ids {
                let id = changed(present, finding.rule, &id);
                if id == *present {
                    continue;
                }
                if let Some(why) = unfit(&id) {
                    let design = id.to_string();
                    finding.not_tried.push(NotTried { design, why });
                    continue;
                }
                finding.designs.push(id.to_string());
                if !designs.others.contains(&id) {
                    designs.others.push(id);
                }
            }
            designs.proposed.push(finding);
        }
        Ok(designs)
    }

    /// Returns the ids of all designs, the present one first.
    pub fn ids(&self) -> Vec<String> {
        let others = self.others.iter().map(DesignId::to_string);
        std::iter::once(self.present.clone())
            .chain(others)
            .collect()
    }

    /// Returns the ids of the designs that take the operations of a mix, the present one first.
    pub fn driven(&self) -> Vec<String> {
        let takes =
            |id: &&DesignId| engine(id).is_ok_and(|engine| engine.check_operations(id).is_ok());
        let others = self.others.iter().filter(takes).map(DesignId::to_string);
        std::iter::once(self.present.clone())
            .chain(others)
            .collect()
    }
}

/// Returns why a design does not suit a workload; `None` if it does.
fn unfit(id: &DesignId, workload: &str) -> Option<String> {
    let workload = match Workload::parse(workload, Path::new("copy.toml")) {
        Ok(workload) => workload,
        Err(error) => return Some(error.to_string()),
    };
    let engine = match engine(id) {
        Ok(engine) => engine,
        Err(error) => return Some(error.to_string()),
    };
    let context = Context {
        run_dir: PathBuf::from("/"),
        token: Some(new_token()),
        threads: 1,
        // So it counts for rows of a file.
        keys_repeat: true,
        options: EngineOptions::default(),
    };
    let misfit = engine.unfit(id, &workload);
    misfit.or_else(|| {
        let described = engine.describe(id, &workload, &context);
        described.err().map(|error| error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::diagnose::{Check, Finding, Outcome};

    use super::*;

    const WORKLOAD: &str = "title = \"t\"\n[table]\nname = \"t\"\npartition_key = [\"p\"]\norder_key = [\"c\"]\n\
        [table.columns]\np = \"text\"\nc = \"text\"\nv = \"int\"\n[data]\nfile = \"rows.parquet\"\n\
        [[queries]]\nname = \"q\"\nsql = \"SELECT v FROM t\"\n";

    fn text(designs: &[String]) -> String {
        let quoted: Vec<String> = designs.iter().map(|id| format!("\"{id}\"")).collect();
        format!("designs = [{}]\n{WORKLOAD}", quoted.join(", "))
    }

    fn check(rule: &'static str, urgency: Urgency, designs: &[&str]) -> Check {
        Check {
            rule,
            about: "ks.t".to_owned(),
            outcome: Outcome::Finding(Finding {
                urgency,
                says: "it is bad".to_owned(),
                evidence: Vec::new(),
                threshold: "some",
                source: "somebody",
                meaning: "it is slow".to_owned(),
                designs: designs.iter().map(|id| (*id).to_owned()).collect(),
            }),
        }
    }

    fn diagnosis() -> Diagnosis {
        let chunks = [
            "cassandra/wide?chunk=4KiB",
            "cassandra/wide?chunk=64KiB",
            "cassandra/wide",
        ];
        let buckets = ["cassandra/wide", "cassandra/wide?bucket=1d"];
        let again = ["cassandra/wide?chunk=4KiB", "cassandra/columnar"];
        Diagnosis {
            checks: vec![
                check("rows-per-read", Urgency::Sometime, &again),
                check("heap", Urgency::Now, &[]),
                check("chunk-length", Urgency::Soon, &chunks),
                check("partition-size", Urgency::Now, &buckets),
            ],
        }
    }

    #[test]
    fn each_finding_has_the_designs_that_suit_the_table() {
        let proposed = proposals(&diagnosis());
        let rules: Vec<&str> = proposed.iter().map(|(finding, _)| finding.rule).collect();
        assert_eq!(rules, ["partition-size", "chunk-length", "rows-per-read"]);
        let present: DesignId = "cassandra/wide?chunk=64KiB&order=desc".parse().unwrap();
        let designs = Designs::new(&present, proposed, text).unwrap();
        let changed = "cassandra/wide?chunk=4KiB&order=desc";
        assert_eq!(
            designs.ids(),
            [present.to_string().as_str(), changed, "cassandra/columnar"]
        );
        assert_eq!(designs.driven(), [present.to_string().as_str(), changed]);
        let [partitions, chunks, rows] = &designs.proposed[..] else {
            panic!("{designs:?}");
        };
        // A bucket of a text is none.
        assert!(partitions.designs.is_empty());
        let not = &partitions.not_tried[0];
        assert_eq!(
            not.design,
            "cassandra/wide?bucket=1d&chunk=64KiB&order=desc"
        );
        assert!(not.why.contains("bucket"), "{}", not.why);
        assert_eq!(chunks.designs, [changed]);
        assert_eq!(rows.designs, [changed, "cassandra/columnar"]);
    }

    #[test]
    fn a_present_design_that_cannot_be_measured_is_an_error() {
        let present: DesignId = "cassandra/wide?compaction=LCS:99999MiB".parse().unwrap();
        let error = Designs::new(&present, proposals(&diagnosis()), text).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("as it is") && error.contains("LCS"),
            "{error}"
        );
    }
}
