//! What goes wrong if a rule of the protocol is turned off: that the search finds it shows that it would
//! find such a fault.

use super::model::Model;
use super::rules::{FOREVER, Rules, Sleep};
use super::world::commit::Commit;
use super::world::insert::Insert;
use super::world::read::Read;
use super::world::removal::{DropPlace, Sweep};
use super::world::{Fault, Process, Task};
use super::{CHUNK, FRESH, OTHER, ROW, graces, leases, model, renewals, two_commits, versions};

/// Checks that this goes wrong.
#[track_caller]
fn finds(fault: Fault, model: Model) {
    let searched = model.search(Some(fault));
    println!("{} states", searched.states);
    let (_, told) = searched.fault.expect("nothing goes wrong");
    println!("{told}");
}

#[test]
fn inserts_that_rely_on_a_clock_that_stands_still() {
    let tasks = || [Insert::of(ROW), Commit::seal(1)];
    let trusting = |wall_clock_counts, sleep| Rules {
        asks_whether_open: false,
        wall_clock_counts,
        sleep,
        ..leases(6)
    };
    // The machine sleeps while the row is being written.
    let only_steady = model(trusting(false, Sleep::SteadyClock), tasks()).remembering();
    finds(Fault::Lost, only_steady.with_sleeps(6));
    // The wall clock tells that, but not that a virtual machine was paused.
    let both = model(trusting(true, Sleep::BothClocks), tasks()).remembering();
    finds(Fault::Lost, both.with_sleeps(6));
    // With clocks that go on, the lease is enough.
    super::holds(model(trusting(true, Sleep::SteadyClock), tasks()).remembering());
}

#[test]
fn replicas_that_do_not_overlap() {
    let rules = Rules {
        replicas: 2,
        ..leases(0).without_waits()
    };
    let tasks = [Insert::of(ROW), Commit::seal(1)];
    finds(Fault::Lost, model(rules, tasks));
}

#[test]
fn freezes_that_do_not_wait() {
    let rules = Rules {
        freeze_wait: 0,
        ..leases(3)
    };
    let tasks = [Read::queries(1), Commit::seal(1)];
    finds(Fault::Unseen, model(rules, tasks).remembering());
}

#[test]
fn reads_that_rely_on_a_clock_that_stands_still() {
    let tasks = || [Read::queries(1), Commit::seal(1)];
    let rules = |wall_clock_counts, sleep| Rules {
        wall_clock_counts,
        sleep,
        ..leases(6)
    };
    let sleeps = model(rules(false, Sleep::SteadyClock), tasks()).remembering();
    finds(Fault::Unseen, sleeps.with_sleeps(6));
    // Nothing protects a read during which all clocks of its machine stand still.
    let paused = model(rules(true, Sleep::BothClocks), tasks()).remembering();
    finds(Fault::Unseen, paused.with_sleeps(6));
}

#[test]
fn commits_that_are_not_one_batch() {
    let rules = Rules {
        one_batch: false,
        ..leases(0).without_waits()
    };
    finds(
        Fault::Twice,
        model(rules, [Read::queries(1), Commit::seal(1)]),
    );
}

#[test]
fn versions_that_are_trusted_at_once() {
    let rules = Rules {
        settled_after: 0,
        ..versions(1)
    };
    finds(Fault::Unseen, two_commits(rules, 0, -1));
}

#[test]
fn late_commits_that_write_no_second_version() {
    let rules = Rules {
        applied_within: FOREVER,
        ..versions(3)
    };
    finds(Fault::Unseen, two_commits(rules, 0, 0));
}

/// The clocks of a machine that was paused for longer than clocks may differ tell nothing of it.
#[test]
fn commits_of_a_machine_that_was_paused_for_long() {
    let paused = Rules {
        sleep: Sleep::BothClocks,
        ..versions(3)
    };
    finds(Fault::Unseen, two_commits(paused, 0, 0).with_sleeps(2));
}

#[test]
fn sweeps_and_commits_that_do_not_look_for_each_other() {
    let tasks = || [Commit::load(1, ROW), Sweep::begin()];
    let hasty_commit = Rules {
        renews: false,
        ..renewals(0)
    };
    finds(Fault::Lost, model(hasty_commit, tasks()));
    let hasty_sweep = Rules {
        looks_again: false,
        ..renewals(0)
    };
    finds(Fault::Lost, model(hasty_sweep, tasks()));
}

/// The machine sleeps between the renewal and the commit, which then retires others, and adds nothing.
#[test]
fn commits_that_are_sent_long_after_they_were_renewed() {
    let tasks = || [Commit::load(1, ROW), Sweep::begin()];
    let late_commit = Rules {
        commits_within: FOREVER,
        ..renewals(3)
    };
    finds(Fault::Lost, model(late_commit, tasks()));
    let only_steady = Rules {
        wall_clock_counts: false,
        ..renewals(3)
    };
    finds(Fault::Lost, model(only_steady, tasks()).with_sleeps(3));
}

/// A commit whose process has died is applied after its chunk was swept: it retires others, and adds nothing.
#[test]
fn renewals_that_do_not_hold() {
    let rules = Rules {
        renewal_holds: 0,
        ..renewals(1)
    };
    let tasks = [Commit::seal(1), Sweep::begin()];
    finds(Fault::Lost, model(rules, tasks).with_deaths(1));
}

#[test]
fn sweeps_without_grace() {
    let rules = Rules {
        grace: 0,
        ..graces(1)
    };
    let tasks = [Read::queries(1), Commit::seal(1), Sweep::begin()];
    finds(Fault::Swept, model(rules, tasks));
}

#[test]
fn drops_that_do_not_wait() {
    let rules = Rules {
        freeze_wait: 0,
        ..leases(2)
    };
    let tasks = [DropPlace::begin(), Commit::load(1, ROW), Task::Done];
    finds(Fault::Lost, model(rules, tasks).remembering());
}

/// The chunk of a process whose clock is ahead is named after the drop, and comes back with the place. The
/// store does not promise that it does not.
#[test]
fn drops_by_a_clock_that_is_behind() {
    let processes = vec![
        Process::new(Commit::load(1, ROW)).ahead(3),
        Process::new(DropPlace::begin()),
        Process::new(Insert::of(OTHER)),
        Process::new(Read::queries(1)),
    ];
    let rules = leases(0).without_waits();
    finds(Fault::Back, Model::new(rules, FRESH, CHUNK, processes));
}
