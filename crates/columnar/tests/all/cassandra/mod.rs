//! Tables in a real Cassandra: chunks are read as they were put, acknowledged rows are neither missing
//! nor seen twice, whichever process is killed at any time, and unavailable nodes are reported.
//!
//! A test prints why it is skipped and passes if no Cassandra can be started, unless
//! `BAKEOFF_REQUIRE_ENGINES=1`.

mod at_once;
mod checks;
mod child;
mod chunks;
mod clocks;
mod faults;
mod fresh;
mod kills;
mod remembered;
mod removal;
pub mod support;
mod tables;
mod tasks;
mod whole_table;

use std::time::Instant;

use support::{Cassandra, has_cassandra};

/// Runs a step and reports how long it took.
macro_rules! timed {
    ($step:expr) => {
        let began = Instant::now();
        // On the heap: together the steps would not fit on a stack without optimisation.
        Box::pin($step).await;
        println!(
            "{:6.1} s: {}",
            began.elapsed().as_secs_f64(),
            stringify!($step)
        );
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stores_in_a_real_cassandra() {
    if !has_cassandra().await {
        return;
    }
    let cassandra = Cassandra::shared().await;
    timed!(tables::is_made_once_and_found_again(&cassandra));
    timed!(tables::another_definition_is_refused(&cassandra));
    timed!(tables::what_is_not_ours_is_left_alone(&cassandra));
    timed!(tables::a_table_that_is_half_made_or_half_dropped(
        &cassandra
    ));
    timed!(tables::tables_have_the_compression_that_they_were_created_with(&cassandra));
    timed!(tables::a_newer_format_is_refused(&cassandra));
    timed!(fresh::the_last_write_wins(&cassandra));
    timed!(fresh::a_range_of_keys(&cassandra));
    timed!(fresh::rows_that_are_sealed_are_gone_and_later_ones_stay(
        &cassandra
    ));
    timed!(fresh::sealing_many_rows_leaves_nothing_to_read_past(
        &cassandra
    ));
    timed!(fresh::what_was_never_frozen_is_not_sealed(&cassandra));
    timed!(fresh::rows_of_a_generation_that_was_closed_meanwhile_are_written_again(&cassandra));
    timed!(clocks::write_times_come_after_those_of_other_processes(
        &cassandra
    ));
    timed!(clocks::what_a_process_with_a_clock_behind_writes_counts(
        &cassandra
    ));
    timed!(checks::what_is_damaged_is_said(&cassandra));
    timed!(checks::a_definition_that_was_changed_is_refused(&cassandra));
    timed!(checks::nothing_is_written_that_others_may_not_see(
        &cassandra
    ));
    timed!(checks::a_table_that_another_process_is_making_is_waited_for(&cassandra));
    timed!(chunks::what_is_committed_is_read(&cassandra));
    timed!(chunks::blobs_of_many_chunks(&cassandra));
    timed!(chunks::a_big_chunk(&cassandra));
    timed!(chunks::what_does_not_fit_is_refused(&cassandra));
    timed!(chunks::a_blob_that_is_missing(&cassandra));
    timed!(chunks::a_chunk_that_was_never_put_is_not_committed(
        &cassandra
    ));
    timed!(removal::what_is_replaced_is_swept(&cassandra));
    timed!(removal::what_is_never_committed_is_swept(&cassandra));
    timed!(removal::a_commit_and_a_sweep_at_once(&cassandra));
    timed!(removal::dropped_places_leave_nothing_behind(&cassandra));
    timed!(removal::a_dropped_place_can_be_used_again(&cassandra));
    timed!(removal::a_drop_after_the_clock_was_set_back_changes_nothing(&cassandra));
    timed!(at_once::readers_miss_nothing_while_others_write_and_seal(
        &cassandra
    ));
    timed!(at_once::a_drop_by_another_process_loses_nothing_that_came_later(&cassandra));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_are_killed() {
    if !has_cassandra().await {
        return;
    }
    let cassandra = Cassandra::shared().await;
    // These come first, since they are looked at again a minute later.
    let committed = remembered::commit(&cassandra).await;
    let weakened = checks::weaken(&cassandra).await;
    timed!(kills::at_every_step(&cassandra));
    timed!(kills::at_random(&cassandra));
    timed!(kills::while_places_are_dropped(&cassandra));
    timed!(kills::while_tables_are_made_and_dropped(&cassandra));
    timed!(remembered::the_index_is_read_again_after_each_commit(
        &cassandra, &committed
    ));
    timed!(checks::copies_that_were_added_are_noticed(&weakened));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whole_tables_whose_writers_are_killed() {
    if !has_cassandra().await {
        return;
    }
    let cassandra = Cassandra::shared().await;
    timed!(whole_table::sealed_with_few_requests_at_once(&cassandra));
    timed!(whole_table::killed_at_every_step(&cassandra));
    timed!(whole_table::killed_at_random(&cassandra));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_that_fail() {
    if !has_cassandra().await {
        return;
    }
    let cassandra = Cassandra::start().await;
    timed!(faults::a_server_that_halts_is_given_up_on(&cassandra));
    timed!(faults::a_server_that_is_back_soon_is_waited_for(cassandra));
}

/// Runs as the child that is to be killed, or does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child() {
    tasks::perform().await;
}
