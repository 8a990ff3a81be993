//! The protocol of a comparison, step by step.

use std::collections::BTreeMap;
use std::sync::Arc;

use bakeoff_stats::{Journal, Moment};
use bakeoff_workload::{DuplicateKeys, RowSource, Workload};

use super::accounts::read_accounts;
use super::context::{Context, RunError, Settings};
use super::duplicates::{duplicates_within, find_duplicates};
use super::further::{self, Further, Instances};
use super::open::drop_by_open_questions;
use super::partitions::read_partitions;
use super::parts::Parts;
use super::plans::ask_plans;
use super::profile::record_profiles;
use super::questions::{Questions, check_expectation};
use super::race::{self, Race};
use super::rows_by_partition::RowsByPartition;
use super::selected::{count_columns_read, count_distinct, count_selected};
use super::space::Highest;
use super::state::Log;
use super::stored::read_stored;
use super::tables::{create, read_footprints, settle};
use super::{concurrent, measure};
use crate::server_watch::ServerWatch;
use crate::{Design, Observer, Oracle};

/// The designs of a comparison, whose engines run.
pub struct Designs<'a> {
    pub started: &'a [Arc<dyn Design>],
    /// Makes further tables of them.
    pub instances: &'a mut dyn Instances,
}

/// Runs a comparison to its end, or goes on with one that was stopped: steps that the journal
/// holds are not done again. The journal's header has been written by the caller, who also
/// appends the last record, and who has checked what the workload expects of its first rows
/// ([`check_expectations`]).
pub async fn run(
    workload: &Workload,
    source: Arc<dyn RowSource>,
    designs: Designs<'_>,
    oracle: &mut dyn Oracle,
    settings: &Settings,
    journal: &mut Journal,
    observer: &dyn Observer,
) -> Result<(), RunError> {
    let race = Race {
        workload,
        source: source.clone(),
        settings,
        observer,
    };
    let (started, instances) = (designs.started, designs.instances);
    read_accounts(started, settings, Moment::Before, &mut Log::new(journal)).await?;
    race.climb(started, instances, oracle, journal).await?;
    let settings = &race::settings_after(settings);
    let log = Log::new(journal);
    let mut run = Context {
        workload,
        source,
        designs: started,
        settings,
        log,
        observer,
        highest: Highest::default(),
        server: ServerWatch::default(),
        by_partition: RowsByPartition::default(),
        long_answers: BTreeMap::new(),
        confined_to: None,
    };
    create(&mut run).await?;
    // A count of rows that no design holds would be taken for that of all by a run that goes on.
    if run.live().is_empty() {
        return Ok(());
    }
    let rows = race::load(&mut run).await?;
    if run.live().is_empty() {
        return Ok(());
    }
    drop_by_open_questions(&mut run, rows, oracle).await?;
    let Further {
        designs: made,
        parts,
    } = further::make(&mut run, instances).await?;
    let mut run = run.with_designs(&made);
    create(&mut run).await?;
    further::load(&mut run, &parts).await?;
    let all: Vec<Arc<dyn Design>> = started.iter().chain(&made).cloned().collect();
    let mut run = run.with_designs(&all);
    let duplicates = find_duplicates(&mut run, rows).await?;
    settle(&mut run).await?;
    read_footprints(&mut run).await?;
    read_accounts(run.designs, run.settings, Moment::AtRest, &mut run.log).await?;
    read_partitions(&mut run, rows).await?;
    read_stored(&mut run).await?;
    oracle.prepare(rows, Arc::new(duplicates)).await?;
    check_all_rows(&run, rows, oracle).await?;
    let mut questions = Questions::new(workload, run.source.clone(), rows, oracle);
    add_scales(&run, &parts, &mut questions, oracle).await?;
    count_selected(&mut run, &mut questions, oracle).await?;
    count_columns_read(&mut run, &mut questions, oracle).await?;
    count_distinct(&mut run, oracle).await?;
    measure::verify(&mut run, &mut questions).await?;
    ask_plans(&mut run, &mut questions).await?;
    let warm = measure::measure(&mut run, &mut questions).await?;
    concurrent::measure(&mut run, &mut questions, warm).await?;
    read_accounts(run.designs, run.settings, Moment::After, &mut run.log).await?;
    record_profiles(&mut run, &mut questions).await
}

/// Adds the questions of smaller tables, each about its own rows.
async fn add_scales<'a>(
    run: &Context<'_>,
    parts: &Parts,
    questions: &mut Questions<'a>,
    oracle: &dyn Oracle,
) -> Result<(), RunError> {
    for instance in run.log.state().instances.iter().flatten() {
        let Some((source, rows)) = further::rows_of(run, parts, instance.kind) else {
            continue;
        };
        if !questions.has_scale(instance.kind) {
            let duplicates = duplicates_within(run, source.clone(), rows).await?;
            let mut smaller = oracle.over(source.clone());
            smaller.prepare(rows, Arc::new(duplicates)).await?;
            questions.add_scale(instance.kind, (source, rows), smaller);
        }
        questions.add_smaller_table(&instance.id, instance.kind);
    }
    Ok(())
}

/// Checks the answers that the workload file expects over the first rows of its data, which needs no
/// engine: are these the rows that the file was written for? What it expects of all rows is checked
/// where there are no more than `certain`, which are loaded in any case: of a part it says nothing.
///
/// # Errors
/// [`RunError::Expectation`] names the query; others say that the rows cannot be read or asked.
pub async fn check_expectations(
    workload: &Workload,
    source: &Arc<dyn RowSource>,
    certain: u64,
    oracle: &mut dyn Oracle,
) -> Result<(), RunError> {
    let queries = workload.queries.iter();
    let expecting: Vec<_> = queries
        .filter_map(|query| Some((query, query.expect.as_ref()?)))
        .collect();
    let mut all = None;
    if expecting
        .iter()
        .any(|(_, expected)| expected.rows.is_none())
    {
        all = count_all(source.clone(), certain).await?;
    }
    let mut prepared = None;
    for (query, expectation) in expecting {
        let Some(rows) = expectation.rows.or(all) else {
            continue;
        };
        if prepared != Some(rows) {
            let no_duplicates = Arc::new(DuplicateKeys::none());
            oracle.prepare(rows, no_duplicates).await?;
            prepared = Some(rows);
        }
        check_expectation(query, expectation, oracle).await?;
    }
    Ok(())
}

/// The number of all rows of a source; `None` if there are more than `most`.
async fn count_all(source: Arc<dyn RowSource>, most: u64) -> Result<Option<u64>, RunError> {
    let counted = tokio::task::spawn_blocking(move || source.count_rows(most.saturating_add(1)));
    let counted = counted
        .await
        .map_err(|e| RunError::Reader(e.to_string()))??;
    Ok(counted.filter(|rows| *rows <= most))
}

/// Checks expectations over all rows where a budget allowed all of them, which was not certain
/// before.
async fn check_all_rows(run: &Context<'_>, rows: u64, oracle: &dyn Oracle) -> Result<(), RunError> {
    let queries = run.workload.queries.iter();
    let expecting: Vec<_> = queries
        .filter_map(|query| Some((query, query.expect.as_ref()?)))
        .filter(|(_, expectation)| expectation.rows.is_none())
        .collect();
    if expecting.is_empty() || !are_all(run.source.clone(), rows).await? {
        return Ok(());
    }
    for (query, expectation) in expecting {
        check_expectation(query, expectation, oracle).await?;
    }
    Ok(())
}

/// Returns whether a source ends after this many rows.
async fn are_all(source: Arc<dyn RowSource>, rows: u64) -> Result<bool, RunError> {
    if let Some(known) = source.known_rows() {
        return Ok(known == rows);
    }
    let next = tokio::task::spawn_blocking(move || source.read(rows, 1)?.next().transpose());
    let next = next.await.map_err(|e| RunError::Reader(e.to_string()))??;
    Ok(next.is_none())
}
