//! Processes that are waited for, and interrupted at a moment that does not depend on the machine.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::Ended;

/// After this long it is no longer slowness.
const PATIENCE: Duration = Duration::from_secs(180);
/// The bit of SIGINT in the sets of signals of `/proc`.
const SIGINT: u64 = 1 << 1;
/// Processor time that planning a query does not need, in the ticks of `/proc`, of which Linux has
/// a hundred in a second.
const COMPUTING_TICKS: u64 = 150;

/// # Panics
/// If it takes longer than any machine should.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "waited for too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Interrupts a program once it hears of it and has computed for a while, and waits for its end.
#[track_caller]
pub fn interrupt_while_it_computes(mut child: Child) -> Ended {
    let (hears, ticks) = (|| catches_interruptions(child.id()), || ticks(child.id()));
    wait_until("it computes", || hears() && ticks() >= COMPUTING_TICKS);
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    interrupt(&child);
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it goes on after it was interrupted");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ended::of(child.wait_with_output().unwrap())
}

pub fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.unwrap().success());
}

fn catches_interruptions(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    caught.is_some_and(|set| set & SIGINT != 0)
}

/// Processor time that a process has used.
fn ticks(id: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // Of the figures behind the name, which is in brackets, the 12th and the 13th.
    let figures = stat.rsplit_once(") ").map_or("", |(_, figures)| figures);
    let times = figures.split(' ').skip(11).take(2);
    times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}
