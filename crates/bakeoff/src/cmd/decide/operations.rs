//! What has to be known before designs are driven with the operations of a workload: which of them take these, and that
//! a server which others depend on is not driven as fast as it goes.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use bakeoff_engines::DriveRequest;
use bakeoff_engines::registry::engine;
use bakeoff_stats::propose::{Misfit, Proposals};
use bakeoff_workload::{DesignId, RowSource, Workload, source};

use super::Decide;
use crate::cmd::drive::{check_new_rows, keys_repeat};
use crate::cmd::options::data::{DataOptions, to_cli_error};
use crate::exit::Misuse;

/// Checks that a server that others may depend on is driven at a rate.
///
/// # Errors
/// Fails with a misuse if it would be driven as fast as it goes.
pub fn check_servers(options: &Decide) -> Result<()> {
    let limit = options.rate_limit_of_writing();
    let is_limited = limit.limit(&options.cluster, options.postgres.url())?;
    if options.load.rate.is_some() || is_limited.is_none() {
        return Ok(());
    }
    Err(Misuse::new(anyhow!(
        "without --rate the server is driven as fast as it goes, and others may depend on it: give a --rate that it \
         can spare or, if nobody does, say --rate-limit none"
    ))
    .into())
}

/// Why a design that answers questions is left out.
const TAKES_NONE: &str = "this engine or layout takes no operations of a mix";

/// Keeps the proposed designs that take the operations of the workload with the number of rows that are loaded before,
/// and notes why others do not suit.
///
/// # Errors
/// Fails if the rows cannot be read, or with a misuse if none are left to insert.
pub fn keep_driven(workload: &Workload, loaded: u64, proposals: &mut Proposals) -> Result<()> {
    let Some(mix) = &workload.mix else {
        return Ok(());
    };
    let rows: Arc<dyn RowSource> = DataOptions::default().open(workload)?.into();
    let values = source::row_values(workload, rows, loaded).map_err(to_cli_error)?;
    check_new_rows(mix, values.as_ref(), loaded).map_err(Misuse::new)?;
    let request = DriveRequest {
        keys_repeat: keys_repeat(mix, values.as_ref(), loaded),
        ..DriveRequest::plain(workload, mix)
    };
    for proposal in std::mem::take(&mut proposals.designs) {
        let why = if proposal.takes_operations {
            // Whether keys repeat was not known.
            let id = proposal.design.parse::<DesignId>().ok();
            let checked = id.map(|id| engine(&id).and_then(|it| it.check_drive(&id, &request)));
            checked.and_then(|checked| checked.err().map(|why| why.to_string()))
        } else {
            Some(TAKES_NONE.to_owned())
        };
        match why {
            None => proposals.designs.push(proposal),
            Some(why) => proposals.misfits.push(Misfit {
                design: proposal.design,
                why,
            }),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_stats::propose::Proposal;

    use super::*;
    use crate::shipped::WORKLOADS;

    #[test]
    fn designs_that_take_no_operations_are_left_out_and_told() {
        let text = WORKLOADS.get("readings").unwrap().text;
        let workload = Workload::parse(text, Path::new("readings.toml")).unwrap();
        let proposal = |design: &str, takes_operations: bool| Proposal {
            design: design.to_owned(),
            reasons: Vec::new(),
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations,
            not_here: None,
            estimated: Vec::new(),
        };
        let mut proposals = Proposals {
            designs: vec![proposal("parquet", false), proposal("cassandra/wide", true)],
            ..Proposals::default()
        };
        keep_driven(&workload, workload.scale.default_rows, &mut proposals).unwrap();
        let kept: Vec<&str> = { proposals.designs.iter() }
            .map(|proposal| proposal.design.as_str())
            .collect();
        assert_eq!(kept, ["cassandra/wide"]);
        assert_eq!(
            proposals.misfits_by_reason(),
            [(TAKES_NONE, vec!["parquet"])]
        );
    }
}
