//! What `bakeoff run --dry-run` prints.

use anyhow::Result;
use bakeoff_engines::Context;
use bakeoff_stats::{DesignInfo, NotAsked};
use bakeoff_workload::Workload;

use crate::cmd::measure::{DryRun, would_touch};
use crate::exit::Exit;

/// Prints what a run would touch and ask.
pub fn dry_run(
    workload: &Workload,
    infos: &[DesignInfo],
    context: &Context,
    further: Vec<String>,
) -> Result<Exit> {
    let is_asked = |engine: &str| infos.iter().any(|info| info.engine == engine);
    let touched = would_touch(is_asked, context).into_iter();
    let mut touched: Vec<String> = touched.map(|what| format!("and {what}.")).collect();
    touched.extend(further);
    let heading = "\nQueries, asked of every design but where one has its own or it is translated:"
        .to_owned();
    let mut queries = vec![heading];
    for query in &workload.queries {
        queries.push(format!("  {}: {}", query.name, query.sql.trim()));
        for (design, sql) in &query.engine_sql {
            queries.push(format!("  {} of {design}: {}", query.name, sql.trim()));
        }
    }
    for info in infos {
        for NotAsked { query, why } in &info.not_asked {
            queries.push(format!(
                "  {query} is not asked of {}, since it {why}",
                info.id
            ));
        }
    }
    DryRun {
        what: "run",
        dir: &context.run_dir,
        before: &touched,
        designs: infos,
        after: &queries,
    }
    .print()
}
