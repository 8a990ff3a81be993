//! The steps of the model, and the search through all that may happen, which Stateright does.

use std::fmt::Write;

use stateright::{Checker, HasDiscoveries, Path, Property};

use super::cells::{CHUNKS, Cells, Rows};
use super::rules::{Rules, Sleep};
use super::world::read::Part;
use super::world::{Fault, Process, Request, START, Task, World};

/// A model that leads to more states than this, the same ones counted again, has become too large to be
/// searched in a test.
const STATES_AT_MOST: usize = 50_000_000;

/// The properties that are checked.
const SAFE: &str = "nothing goes wrong";
const ENDS: &str = "everything may come to a good end";

/// Rules, and where it begins.
pub struct Model {
    pub rules: Rules,
    pub start: World,
    /// The only fault that is searched for, or all if there is none.
    wanted: Option<Fault>,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A process does its next step, with these replicas (a bit for each).
    Goes(usize, Part, u8),
    /// A process dies in a write that came to these replicas and may come to the others later.
    Dies(usize, u8),
    /// A late write comes to its replica.
    Late(usize),
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
        Model {
            rules,
            start,
            wanted: None,
        }
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

    /// Searches all states for this fault, or for any. The first that is found is one with the fewest steps.
    pub fn search(mut self, wanted: Option<Fault>) -> Searched {
        self.wanted = wanted;
        let checker = stateright::Model::checker(self)
            .finish_when(HasDiscoveries::AnyFailures)
            .target_state_count(STATES_AT_MOST)
            .spawn_bfs()
            .join();
        assert!(
            checker.state_count() < STATES_AT_MOST,
            "the model is too large"
        );
        let path = checker.discovery(SAFE);
        let fault = path.and_then(|path| {
            let fault = checker.model().fault(path.last_state())?;
            Some((fault, told(path)))
        });
        Searched {
            states: checker.unique_state_count(),
            fault,
            all_done: checker.discovery(ENDS).is_some(),
        }
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

    /// Returns the world after a process has died in a write that came to too few replicas.
    fn died(&self, world: &World, number: usize, at: u8) -> World {
        // The write is what a replica has afterwards that had nothing.
        let mut empty = world.clone();
        empty.replicas = vec![Cells::default(); self.rules.replicas];
        let write = self.gone_on(&empty, number, Part::Row, 1).replicas[0];
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
        after
    }

    /// Returns the world after a late write has come to a replica.
    fn came(world: &World, number: usize) -> World {
        let mut after = world.clone();
        let (write, replica) = after.late.remove(number);
        after.replicas[replica].join(&write);
        after
    }

    /// Returns the world a tick later, in which the machine of a process may have slept.
    fn ticked(&self, world: &World, asleep: Option<usize>) -> World {
        let mut after = world.clone();
        after.now += 1;
        if let Some(number) = asleep {
            after.sleeps -= 1;
            let process = &mut after.processes[number];
            process.stood_still += 1;
            if self.rules.sleep == Sleep::BothClocks {
                process.ahead -= 1;
            }
        }
        after
    }
}

impl stateright::Model for Model {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        vec![self.start.clone()]
    }

    fn actions(&self, world: &World, steps: &mut Vec<Step>) {
        let rules = &self.rules;
        for (number, process) in world.processes.iter().enumerate() {
            for (part, request) in self.next(process, world) {
                let at = match request {
                    Request::Read => sets(rules.replicas, rules.reads),
                    Request::Write => sets(rules.replicas, rules.writes),
                    Request::None => vec![0],
                };
                steps.extend(at.into_iter().map(|at| Step::Goes(number, part, at)));
                if request == Request::Write && world.deaths > 0 {
                    let at = (0..rules.writes).flat_map(|size| sets(rules.replicas, size));
                    steps.extend(at.map(|at| Step::Dies(number, at)));
                }
            }
        }
        steps.extend((0..world.late.len()).map(Step::Late));
        if world.now < START + rules.ticks {
            if world.sleeps > 0 {
                steps.extend((0..world.processes.len()).map(Step::Sleeps));
            }
            steps.push(Step::Tick);
        }
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        let mut after = match step {
            Step::Goes(number, part, at) => self.gone_on(world, number, part, at),
            Step::Dies(number, at) => self.died(world, number, at),
            Step::Late(number) => Model::came(world, number),
            Step::Tick => self.ticked(world, None),
            Step::Sleeps(number) => self.ticked(world, Some(number)),
        };
        after.forget(&self.rules);
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Model>> {
        vec![
            Property::always(SAFE, |model: &Model, world| match model.fault(world) {
                Some(fault) => model.wanted.is_some_and(|wanted| wanted != fault),
                None => true,
            }),
            Property::sometimes(ENDS, |_, world: &World| {
                world
                    .processes
                    .iter()
                    .all(|process| process.task == Task::Done)
            }),
        ]
    }
}

/// Returns all sets of this many replicas, a bit for each replica.
fn sets(replicas: usize, size: usize) -> Vec<u8> {
    let all = 0..1_u8 << replicas;
    all.filter(|set| set.count_ones() as usize == size)
        .collect()
}

/// Tells what happened on the way to a state.
fn told(path: Path<World, Step>) -> String {
    let worlds = path.into_vec();
    let mut told = String::new();
    for pair in worlds.windows(2) {
        let [(_, Some(step)), (world, _)] = pair else {
            continue;
        };
        let _ = writeln!(told, "{step:?} at {}", world.now);
        if let Step::Goes(process, ..) = step {
            let _ = writeln!(told, "    {:?}", world.processes[*process].task);
        }
    }
    told
}
