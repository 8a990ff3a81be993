//! A model of the protocol by which processes share a table in Cassandra, and a search through everything
//! that may happen in it: in whichever order requests are applied, whenever processes pause or die, and
//! whatever clocks do. It has one place, a few rows, and the time limits of the store.
//!
//! A request is one step, which comes at any time after the one before. A process that dies in a write leaves
//! it behind: it comes to further replicas whenever it likes, or never. The steps and their names are those of
//! `src/store/cassandra`; a change there has to be made here, too.
//!
//! Each rule of the protocol can be turned off ([`rules::Rules`]). That the search finds a fault then shows
//! that it would find it in the protocol, and what the rule is good for.

mod cells;
mod faults;
mod model;
mod rules;
mod world;

use std::time::Duration;

use bakeoff_columnar::GRACE;
use bakeoff_testing::times;

use self::cells::Time;
use self::model::Model;
use self::rules::{Rules, Sleep};
use self::world::commit::Commit;
use self::world::insert::Insert;
use self::world::read::Read;
use self::world::removal::{DropPlace, Sweep};
use self::world::{Process, Task};

/// Rows, a bit for each: a fresh one, one in a chunk, and two that come.
const FRESH: u8 = 1;
const CHUNK: u8 = 2;
const ROW: u8 = 4;
const OTHER: u8 = 8;

/// The rules with ticks in which a lease is shorter than the wait of a freeze.
fn leases(ticks: Time) -> Rules {
    Rules {
        ticks,
        ..Rules::with_ticks_of(Duration::from_millis(50))
    }
}

/// The rules with ticks of which a version of the index needs three to settle.
fn versions(ticks: Time) -> Rules {
    Rules {
        ticks,
        ..Rules::with_ticks_of(Duration::from_secs(20))
    }
}

/// The rules with ticks of which a renewal holds for two.
fn renewals(ticks: Time) -> Rules {
    Rules {
        ticks,
        ..Rules::with_ticks_of(Duration::from_secs(5 * 24 * 3600))
    }
}

/// The rules with ticks of which the grace of a sweep has three.
fn graces(ticks: Time) -> Rules {
    let tick = GRACE / 3;
    Rules {
        grace: 3,
        promised: 3,
        ticks,
        ..Rules::with_ticks_of(tick)
    }
}

fn model<const N: usize>(rules: Rules, tasks: [Task; N]) -> Model {
    let processes = tasks.into_iter().map(Process::new).collect();
    Model::new(rules, FRESH, CHUNK, processes)
}

/// Two commits at the same time, and a reader that remembers the index. The wall clocks of the reader and of one
/// writer are ahead by these ticks.
fn two_commits(rules: Rules, reader: Time, writer: Time) -> Model {
    let processes = vec![
        Process::new(Read::queries(2)).ahead(reader),
        Process::new(Commit::load(1, ROW)),
        Process::new(Commit::load(2, OTHER)).ahead(writer),
    ];
    Model::new(rules, FRESH, CHUNK, processes)
}

/// Checks that nothing goes wrong, whatever happens, and that everything may come to a good end.
#[track_caller]
fn holds(model: Model) {
    let searched = model.search(None);
    println!("{} states", searched.states);
    if let Some((fault, told)) = searched.fault {
        panic!("{fault:?}:\n{told}");
    }
    assert!(searched.all_done, "not everything comes to a good end");
}

#[test]
fn inserts_lose_nothing_to_a_seal() {
    let tasks = || [Insert::of(ROW), Commit::seal(1)];
    holds(model(leases(6), tasks()));
    holds(model(leases(6), tasks()).remembering());
    let two = [Insert::of(ROW), Insert::of(OTHER), Commit::seal(1)];
    let rules = times(leases(0).without_waits(), leases(6));
    holds(model(rules, two).remembering());
}

#[test]
fn inserts_lose_nothing_while_clocks_stand_still() {
    for sleep in [Sleep::SteadyClock, Sleep::BothClocks] {
        let rules = Rules { sleep, ..leases(6) };
        let tasks = [Insert::of(ROW), Commit::seal(1)];
        holds(model(rules, tasks).remembering().with_sleeps(times(2, 6)));
    }
}

#[test]
fn reads_see_what_was_acknowledged_while_it_is_sealed() {
    let tasks = || [Read::queries(2), Commit::seal(1)];
    holds(model(leases(6), tasks()));
    let sleeping = model(leases(6), tasks()).remembering();
    holds(sleeping.with_sleeps(times(2, 6)));
    let with_insert = [Read::queries(2), Commit::seal(1), Insert::of(ROW)];
    holds(model(leases(times(5, 6)), with_insert).remembering());
}

#[test]
fn readers_that_remember_the_index_see_commits_at_the_same_time() {
    // Two ticks between clocks are more than the store allows.
    for (reader, writer) in [(0, 0), (1, -1)] {
        holds(two_commits(versions(times(3, 5)), reader, writer));
    }
    // A virtual machine is paused for a tick. If it were two, its clock would be too far behind.
    let paused = Rules {
        sleep: Sleep::BothClocks,
        ..versions(times(2, 4))
    };
    holds(two_commits(paused, 0, 0).with_sleeps(1));
}

#[test]
fn sweeps_take_nothing_that_is_being_committed() {
    let load = [Commit::load(1, ROW), Sweep::begin()];
    holds(model(renewals(3), load).with_sleeps(3));
    // The commit of a process that has died comes later, but not after the days for which a renewal holds.
    let dying = [Commit::seal(1), Sweep::begin()];
    holds(model(renewals(1), dying).with_deaths(1));
    let two = [Commit::seal(1), Sweep::begin(), Commit::load(2, ROW)];
    holds(model(renewals(times(1, 2)), two));
}

#[test]
fn queries_find_replaced_chunks_until_the_grace_is_over() {
    let tasks = |queries| [Read::queries(queries), Commit::seal(1), Sweep::begin()];
    holds(model(graces(times(2, 4)), tasks(1)));
    holds(model(graces(times(1, 2)), tasks(2)));
}

#[test]
fn drops_take_what_was_there_and_nothing_that_comes_later() {
    let load = [DropPlace::begin(), Commit::load(1, ROW)];
    holds(model(leases(6), load).remembering());
    let at_once = || leases(0).without_waits();
    let seen = [DropPlace::begin(), Commit::load(1, ROW), Read::queries(2)];
    holds(model(at_once(), seen).remembering());
    let insert = [DropPlace::begin(), Insert::of(ROW), Read::queries(1)];
    holds(model(times(at_once(), leases(6)), insert).remembering());
    // A sweep does the rest of a drop whose process has died.
    let interrupted = [
        DropPlace::begin(),
        Sweep::begin(),
        Commit::load(1, ROW),
        Read::queries(1),
    ];
    holds(model(at_once(), interrupted).with_deaths(1));
}
