//! Figures of a run that another one does not measure: what was slow may have been taken out.

use serde::Serialize;

use super::{LOADING, Run, Unknown, What, has_time};

/// Figure of run A that is not compared, since run B does not measure it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Absent {
    pub design: String,
    pub what: What,
    pub why: Unknown,
}

impl Run<'_> {
    /// Returns the figures of this run that another one does not measure: those of designs and questions that it
    /// does not have, and loads that did not end.
    pub fn absent_in(&self, other: &Run<'_>) -> Vec<Absent> {
        let compared = self.queries(other);
        let queries = self.summary.header.queries.iter().map(|query| &query.name);
        let counts = |name: &&String| self.is_compared(name) && !self.is_at_fault_with(other, name);
        let mut absent = Vec::new();
        for design in &self.summary.designs {
            let its = other.summary.design(&design.info.id);
            let no_design = its.is_none().then_some(Unknown::NoDesign);
            let mut add = |what: What, why: Unknown| {
                absent.push(Absent {
                    design: design.info.id.clone(),
                    what,
                    why: no_design.unwrap_or(why),
                });
            };
            for query in queries.clone().filter(counts) {
                let is_asked = its.is_some() && compared.contains(&query.as_str());
                if !is_asked && has_time(design, query) {
                    add(What::Query(query.clone()), Unknown::NoQuestion);
                }
            }
            let is_loaded = its.is_some_and(|its| its.loading.rate().is_some());
            if self.is_compared(LOADING) && !is_loaded && design.loading.rate().is_some() {
                add(What::Loading, Unknown::NotMeasured);
            }
        }
        absent
    }

    /// Returns the designs of both runs whose bytes this one knows and the other one does not.
    pub fn without_bytes_in(&self, other: &Run<'_>) -> Vec<String> {
        let lost = self.designs(other).filter(|(one, two)| {
            one.bytes_per_row.is_some_and(|bytes| bytes > 0.0) && two.bytes_per_row.is_none()
        });
        lost.map(|(one, _)| one.info.id.clone()).collect()
    }
}
