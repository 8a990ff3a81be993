//! The store in a folder: what it keeps, who may open it, and what is there after a process was
//! killed, a file was damaged or a disk was full. The blobs are made up: they are the rows of the
//! chunk as JSON, so that the tests can say which rows are where.

mod access;
mod checks;
mod clocks;
mod concurrent;
mod damage;
mod disk_full;
mod kills;
mod pauses;
mod power;
mod repairs;
mod rows;
mod steps;
mod support;
mod sweeps;
mod unsynced;

/// Runs as the child process of a test; it is no test by itself.
#[test]
#[ignore = "started by other tests, with what to do in its environment"]
fn child() {
    let Ok(task) = std::env::var(support::TASK) else {
        return;
    };
    match &task[..] {
        "script" => kills::script(),
        "random" => kills::random(),
        "concurrent" => concurrent::child(),
        "full" => disk_full::child(),
        "given up" => pauses::given_up(),
        "hold" => access::hold(),
        "pauses" => pauses::child(),
        "reads" => pauses::unsynced(),
        "replaced lock" => access::replaced_lock(),
        "shown" => power::child(),
        "unsynced" => unsynced::child(),
        other => panic!("no such task: {other}"),
    }
}
