//! The steps of the model, and the search through all that may happen.

use std::collections::HashSet;
use std::fmt::Write;
use std::rc::Rc;

use super::cells::{CHUNKS, Cells, Rows};
use super::rules::{Rules, Sleep};
use super::world::read::Part;
use super::world::{Fault, Process, Request, START, Task, World};

/// A model with more states than this has become too large to be searched in a test.
const STATES_AT_MOST: usize = 2_000_000;

/// Rules, and where it begins.
pub struct Model {
    pub rules: Rules,
    pub start: World,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A process does its next step, with these replicas (a bit for each).
    Goes(usize, Part, u8),
    /// A process dies in a write that came to these replicas and may come to the others later.
    Dies(usize, u8),
    /// A late write comes to a replica.
    Late(usize, usize),
    /// Time passes.
    Tick,
    /// Time passes while the machine of a process sleeps.
    Sleeps(usize),
}

/// What a search has found.
pub struct Searched {
    pub states: usize,
    /// How the first fault came about, in words.
    pub fault: Option<(Fault, String)>,
    /// Whether all processes may come to a good end.
    pub all_done: bool,
}

impl Model {
    /// Makes a model of a place with an open generation, fresh rows in it, and rows in a valid chunk.
    pub fn new(mut rules: Rules, fresh: Rows, chunk: Rows, processes: Vec<Process>) -> Model {
        let seals =
            |process: &&Process| matches!(&process.task, Task::Commit(commit) if commit.is_seal());
        let removes = |process: &Process| matches!(process.task, Task::Sweep(_) | Task::Drop(_));
        rules.seals = processes.iter().filter(seals).count();
        rules.anything_is_removed = processes.iter().any(removes);
        let mut cells = Cells {
            opened: 1,
            ..Cells::default()
        };
        cells.fresh[1].rows = fresh;
        let mut chunks = [(0, 0); CHUNKS];
        if chunk != 0 {
            let named = START - rules.settled_after.min(START / 2) - 1;
            chunks[0] = (named, chunk);
            cells.entries[0].put = named;
            cells.entries[0].committed = named;
            cells.version = (named, 1);
        }
        let start = World {
            now: START,
            replicas: vec![cells; rules.replicas],
            late: Vec::new(),
            chunks,
            processes,
            acknowledged: fresh | chunk,
            dropped: 0,
            dropping: None,
            sleeps: 0,
            deaths: 0,
            fault: None,
        };
        Model { rules, start }
    }

    /// Lets each process have read the row of the place at the beginning, and the index.
    pub fn remembering(mut self) -> Model {
        let cells = self.start.replicas[0];
        for process in &mut self.start.processes {
            let moment = process.moment(START);
            process.read_row(&cells, moment);
            process.index = cells.version().map(|version| (version, 1));
        }
        self
    }

    pub fn with_sleeps(mut self, ticks: u8) -> Model {
        self.start.sleeps = ticks;
        self
    }

    pub fn with_deaths(mut self, deaths: u8) -> Model {
        self.start.deaths = deaths;
        self
    }

    /// Searches all states for this fault, or for any.
    pub fn search(&self, wanted: Option<Fault>) -> Searched {
        let mut seen = HashSet::new();
        let mut all: Vec<(Rc<World>, usize, Option<Step>)> = Vec::new();
        let first = Rc::new(self.start.clone());
        seen.insert(Rc::clone(&first));
        all.push((first, 0, None));
        let mut searched = Searched {
            states: 0,
            fault: None,
            all_done: false,
        };
        let mut number = 0;
        while number < all.len() {
            let world = Rc::clone(&all[number].0);
            let is_done = |process: &Process| process.task == Task::Done;
            searched.all_done |= world.processes.iter().all(is_done);
            match self.fault(&world) {
                Some(fault) if wanted.is_none_or(|wanted| wanted == fault) => {
                    searched.fault = Some((fault, told(&all, number)));
                    break;
                }
                _ => {}
            }
            for (step, mut after) in self.steps(&world) {
                after.forget(&self.rules);
                let after = Rc::new(after);
                if seen.insert(Rc::clone(&after)) {
                    all.push((after, number, Some(step)));
                }
            }
            assert!(all.len() < STATES_AT_MOST, "the model is too large");
            number += 1;
        }
        searched.states = all.len();
        searched
    }

    /// Returns what is wrong, if anything is.
    fn fault(&self, world: &World) -> Option<Fault> {
        if world.fault.is_some() {
            return world.fault;
        }
        let is_shown = |at: u8| world.acknowledged & !world.shown(&world.read(at)) == 0;
        if !is_shown(u8::MAX) {
            return Some(Fault::Lost);
        }
        let quorums = sets(self.rules.replicas, self.rules.reads);
        (!quorums.into_iter().all(is_shown)).then_some(Fault::Unseen)
    }

    fn steps(&self, world: &World) -> Vec<(Step, World)> {
        let mut steps = Vec::new();
        for (number, process) in world.processes.iter().enumerate() {
            for (part, request) in self.next(process, world) {
                let sets = match request {
                    Request::Read => sets(self.rules.replicas, self.rules.reads),
                    Request::Write => sets(self.rules.replicas, self.rules.writes),
                    Request::None => vec![0],
                };
                for at in sets {
                    let after = self.gone_on(world, number, part, at);
                    steps.push((Step::Goes(number, part, at), after));
                }
                if request == Request::Write && world.deaths > 0 {
                    self.deaths(world, number, &mut steps);
                }
            }
        }
        for (number, (write, replica)) in world.late.iter().enumerate() {
            let mut after = world.clone();
            after.late.remove(number);
            after.replicas[*replica].join(write);
            steps.push((Step::Late(number, *replica), after));
        }
        if world.now < START + self.rules.ticks {
            self.ticks(world, &mut steps);
        }
        steps
    }

    fn next(&self, process: &Process, world: &World) -> Vec<(Part, Request)> {
        let request = match &process.task {
            Task::Insert(insert) => Some(insert.next(process, world, &self.rules)),
            Task::Commit(commit) => commit.next(process, world, &self.rules),
            Task::Read(read) => return read.next(),
            Task::Sweep(sweep) => Some(sweep.next()),
            Task::Drop(drop) => drop.next(process, world),
            Task::Done | Task::Failed | Task::Dead => None,
        };
        request
            .into_iter()
            .map(|request| (Part::Row, request))
            .collect()
    }

    /// Returns the world after a step of a process.
    fn gone_on(&self, world: &World, number: usize, part: Part, at: u8) -> World {
        let mut after = world.clone();
        let mut process = after.processes[number].clone();
        let (before, rules) = (process.task.clone(), &self.rules);
        let task = match before {
            Task::Insert(insert) => insert.step(&mut process, &mut after, at, rules),
            Task::Commit(commit) => commit.step(&mut process, &mut after, at, rules),
            Task::Read(read) => read.step(part, &mut process, &mut after, at, rules),
            Task::Sweep(sweep) => sweep.step(&mut process, &mut after, at, rules),
            Task::Drop(drop) => drop.step(&mut process, &mut after, at, rules),
            ended => ended,
        };
        // What else a step changes, such as that a drop has begun, it changes in the world.
        after.processes[number] = Process { task, ..process };
        after
    }

    /// Adds the deaths of a process in a write that came to too few replicas.
    fn deaths(&self, world: &World, number: usize, steps: &mut Vec<(Step, World)>) {
        // The write is what a replica has afterwards that had nothing.
        let mut empty = world.clone();
        empty.replicas = vec![Cells::default(); self.rules.replicas];
        let write = self.gone_on(&empty, number, Part::Row, 1).replicas[0];
        for at in (0..self.rules.writes).flat_map(|size| sets(self.rules.replicas, size)) {
            let mut after = self.gone_on(world, number, Part::Row, at);
            let others = (0..self.rules.replicas).filter(|replica| at & 1 << replica == 0);
            after.late.extend(others.map(|replica| (write, replica)));
            after.late.sort_unstable();
            after.deaths -= 1;
            after.processes[number].task = Task::Dead;
            // Nothing is acknowledged, and a drop that has begun has not ended.
            after.acknowledged &= world.acknowledged;
            after.dropping = world.dropping.or(after.dropping);
            after.dropped = world.dropped;
            steps.push((Step::Dies(number, at), after));
        }
    }

    fn ticks(&self, world: &World, steps: &mut Vec<(Step, World)>) {
        let mut after = world.clone();
        after.now += 1;
        if world.sleeps > 0 {
            for number in 0..world.processes.len() {
                let mut asleep = after.clone();
                asleep.sleeps -= 1;
                let process = &mut asleep.processes[number];
                process.stood_still += 1;
                if self.rules.sleep == Sleep::BothClocks {
                    process.ahead -= 1;
                }
                steps.push((Step::Sleeps(number), asleep));
            }
        }
        steps.push((Step::Tick, after));
    }
}

/// Returns all sets of this many replicas, a bit for each replica.
fn sets(replicas: usize, size: usize) -> Vec<u8> {
    let all = 0..1_u8 << replicas;
    all.filter(|set| set.count_ones() as usize == size)
        .collect()
}

/// Tells what happened up to a state.
fn told(all: &[(Rc<World>, usize, Option<Step>)], mut number: usize) -> String {
    let mut steps = Vec::new();
    while let (world, before, Some(step)) = &all[number] {
        steps.push((step, world));
        number = *before;
    }
    let mut told = String::new();
    for (step, world) in steps.into_iter().rev() {
        let _ = writeln!(told, "{step:?} at {}", world.now);
        if let Step::Goes(process, ..) = step {
            let _ = writeln!(told, "    {:?}", world.processes[*process].task);
        }
    }
    told
}
