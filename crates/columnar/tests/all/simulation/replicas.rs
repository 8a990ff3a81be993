//! Three replicas, and what may happen on the way to them: requests are late, overtake each other or are
//! lost, and replicas are down for a while. Writes that they missed come later, as hints, or never.
//!
//! It all follows from the seed and from the order in which requests come.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use bakeoff_testing::Random;

use super::cells::{Name, Partition, Replica, add};
use super::timeline::part;

const REPLICAS: usize = 3;

/// The time after which a coordinator gives up.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// The time in which replicas go down, and for how long they are at most.
const DOWNS_BEGIN_WITHIN: Duration = Duration::from_secs(240);
const DOWN_AT_MOST: Duration = Duration::from_secs(60);

/// The longest times after which a write that was missed comes as a hint.
const SOON: Duration = Duration::from_secs(60);
const LATE: Duration = Duration::from_secs(2 * 3600);

/// A promise of Cassandra that is broken, for tests that this is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breach {
    /// A write is acknowledged by one replica, and the others get it later.
    OneIsEnough,
    /// Two replicas forget a write that they have acknowledged.
    Forgotten,
    /// The statements of a batch come one by one.
    TornBatches,
}

/// A replica, and what it has of a partition.
pub type Answer = (usize, Partition);

/// The replicas.
pub struct Replicas {
    random: Random,
    breach: Option<Breach>,
    replicas: [Replica; REPLICAS],
    downs: Vec<Down>,
    /// What is on its way, by when it arrives.
    arrivals: BTreeMap<(Duration, u64), Arrival>,
    /// What replicas have answered to reads.
    answers: HashMap<u64, Vec<Answer>>,
    number: u64,
    is_calm: bool,
}

/// The time for which a replica is down.
struct Down {
    replica: usize,
    from: Duration,
    to: Duration,
}

struct Arrival {
    replica: usize,
    name: Name,
    request: Request,
}

enum Request {
    Write(Partition),
    /// A read with its number.
    Read(u64),
}

/// When a request is answered, and how.
pub struct Outcome {
    pub at: Duration,
    pub result: Result<(), Failure>,
}

/// Why a request has failed.
pub enum Failure {
    Unavailable { required: usize, alive: usize },
    TimedOut { required: usize, received: usize },
}

impl Replicas {
    pub fn new(mut random: Random, breach: Option<Breach>) -> Replicas {
        let downs = random.below(5);
        let down = |_| {
            let from = part(&mut random, DOWNS_BEGIN_WITHIN);
            Down {
                replica: random.below(REPLICAS as u64) as usize,
                from,
                to: from + part(&mut random, DOWN_AT_MOST),
            }
        };
        Replicas {
            downs: (0..downs).map(down).collect(),
            random,
            breach,
            replicas: Default::default(),
            arrivals: BTreeMap::new(),
            answers: HashMap::new(),
            number: 0,
            is_calm: false,
        }
    }

    /// Writes the parts of a batch to a partition.
    pub fn write(
        &mut self,
        now: Duration,
        name: &Name,
        parts: &[Partition],
        required: usize,
    ) -> Outcome {
        self.arrive(now);
        let alive = self.alive(now).len();
        if alive < required {
            return Outcome::unavailable(now, required, alive);
        }
        let breach = self.breach.filter(|_| !self.is_calm);
        let keeper = self.below(REPLICAS);
        let forgets = breach == Some(Breach::Forgotten) && self.below(6) == 0;
        let is_one_enough = breach == Some(Breach::OneIsEnough);
        let mut answers = Vec::new();
        for replica in 0..REPLICAS {
            let at = now + self.delay();
            let is_sent = !is_one_enough || replica == keeper;
            let is_received = is_sent && !self.is_lost() && self.is_up(replica, at);
            if is_received {
                answers.push(at + self.delay());
            }
            if forgets && replica != keeper {
                continue;
            }
            let arrives = if is_received {
                Some(at)
            } else {
                self.hint(replica, at)
            };
            if let Some(at) = arrives {
                self.send_write(replica, at, name, parts);
            }
        }
        let required = if is_one_enough { 1 } else { required };
        self.outcome(now, answers, required)
    }

    /// Reads a partition. The answers are there under this number when the outcome is.
    pub fn read(&mut self, now: Duration, name: &Name, required: usize) -> (Outcome, u64) {
        self.arrive(now);
        let mut asked = self.alive(now);
        let number = self.next_number();
        if asked.len() < required {
            return (Outcome::unavailable(now, required, asked.len()), number);
        }
        while asked.len() > required {
            let spared = self.below(asked.len());
            asked.swap_remove(spared);
        }
        let mut answers = Vec::new();
        for replica in asked {
            let at = now + self.delay();
            if !self.is_lost() && self.is_up(replica, at) {
                self.send(replica, at, name, Request::Read(number));
                answers.push(at + self.delay());
            }
        }
        let outcome = self.outcome(now, answers, required);
        if outcome.result.is_ok() {
            self.answers.insert(number, Vec::new());
        }
        (outcome, number)
    }

    /// Returns what the replicas have answered to a read.
    pub fn answers(&mut self, now: Duration, number: u64) -> Vec<Answer> {
        self.arrive(now);
        let answers = self.answers.remove(&number);
        answers.expect("a read that was answered in time")
    }

    /// Writes to these replicas what a read has found at others, before it is answered.
    pub fn repair(
        &mut self,
        now: Duration,
        name: &Name,
        found: &Partition,
        behind: &[usize],
    ) -> Outcome {
        let mut answers = Vec::new();
        for replica in behind {
            let at = now + self.delay();
            if !self.is_lost() && self.is_up(*replica, at) {
                self.send(*replica, at, name, Request::Write(found.clone()));
                answers.push(at + self.delay());
            }
        }
        self.outcome(now, answers, behind.len())
    }

    /// Returns what all replicas together have.
    pub fn whole(&mut self, now: Duration, name: &Name) -> Partition {
        self.arrive(now);
        let mut whole = Partition::default();
        let all = self.replicas.iter().filter_map(|replica| replica.get(name));
        all.for_each(|partition| whole.join(partition));
        whole
    }

    /// Writes to all replicas at once, as a lightweight transaction does.
    pub fn write_everywhere(&mut self, name: &Name, change: &Partition) {
        let all = self.replicas.iter_mut();
        all.for_each(|replica| add(replica, name, change));
    }

    /// Ends all trouble: what is on its way arrives, and the replicas are repaired.
    pub fn calm_down(&mut self) {
        self.is_calm = true;
        self.downs.clear();
        self.arrive(Duration::MAX);
        let mut whole = Replica::new();
        for (name, partition) in self.replicas.iter().flatten() {
            add(&mut whole, name, partition);
        }
        self.replicas = std::array::from_fn(|_| whole.clone());
    }

    /// Changes the last byte of all values of a column at one replica, in the tables whose names end like
    /// this. Returns the number of values.
    pub fn spoil(&mut self, replica: usize, tables: &str, column: &str) -> usize {
        let mut spoiled = 0;
        for ((table, _), partition) in &mut self.replicas[replica] {
            if !table.ends_with(tables) {
                continue;
            }
            let cells = partition.rows.values_mut();
            let cells = cells.filter_map(|row| row.cells.get_mut(column));
            for value in cells.filter_map(|cell| cell.value.as_mut()) {
                let mut bytes = value.to_vec();
                *bytes.last_mut().expect("a value has a byte") ^= 1;
                *value = bytes.into();
                spoiled += 1;
            }
        }
        spoiled
    }

    /// Lets everything arrive that has arrived by now.
    fn arrive(&mut self, now: Duration) {
        while let Some(next) = self.arrivals.first_entry()
            && next.key().0 <= now
        {
            let arrival = next.remove();
            let replica = &mut self.replicas[arrival.replica];
            match arrival.request {
                Request::Write(change) => add(replica, &arrival.name, &change),
                Request::Read(number) => {
                    let there = replica.get(&arrival.name).cloned();
                    if let Some(answers) = self.answers.get_mut(&number) {
                        answers.push((arrival.replica, there.unwrap_or_default()));
                    }
                }
            }
        }
    }

    fn send_write(&mut self, replica: usize, at: Duration, name: &Name, parts: &[Partition]) {
        if self.breach == Some(Breach::TornBatches) && !self.is_calm {
            for part in parts {
                let at = at + self.delay() * 10;
                self.send(replica, at, name, Request::Write(part.clone()));
            }
            return;
        }
        let mut change = Partition::default();
        parts.iter().for_each(|part| change.join(part));
        self.send(replica, at, name, Request::Write(change));
    }

    fn send(&mut self, replica: usize, at: Duration, name: &Name, request: Request) {
        let number = self.next_number();
        let arrival = Arrival {
            replica,
            name: name.clone(),
            request,
        };
        self.arrivals.insert((at, number), arrival);
    }

    /// Returns the outcome of a request that replicas have answered at these moments.
    fn outcome(&mut self, now: Duration, mut answers: Vec<Duration>, required: usize) -> Outcome {
        let limit = now + TIME_LIMIT;
        answers.retain(|at| *at <= limit);
        answers.sort_unstable();
        let is_reply_lost = !self.is_calm && self.below(50) == 0;
        match answers.get(required - 1).filter(|_| !is_reply_lost) {
            Some(at) => Outcome {
                at: *at,
                result: Ok(()),
            },
            None => Outcome {
                at: limit,
                result: Err(Failure::TimedOut {
                    required,
                    received: answers.len().min(required - 1),
                }),
            },
        }
    }

    /// Returns how long a message is on its way.
    fn delay(&mut self) -> Duration {
        let longest = match self.random.below(100) {
            _ if self.is_calm => 1,
            0..70 => 3,
            70..90 => 60,
            90..98 => 500,
            _ => 6_000,
        };
        part(&mut self.random, Duration::from_millis(longest))
    }

    fn is_lost(&mut self) -> bool {
        !self.is_calm && self.below(30) == 0
    }

    /// Returns when a replica gets a write that it missed, unless it never does.
    fn hint(&mut self, replica: usize, missed: Duration) -> Option<Duration> {
        let longest = match self.random.below(10) {
            0..2 => return None,
            2..8 => SOON,
            _ => LATE,
        };
        let mut at = missed + part(&mut self.random, longest);
        while let Some(down) = self.down(replica, at) {
            at = down.to;
        }
        Some(at)
    }

    fn alive(&self, now: Duration) -> Vec<usize> {
        let all = 0..REPLICAS;
        all.filter(|replica| self.is_up(*replica, now)).collect()
    }

    fn is_up(&self, replica: usize, at: Duration) -> bool {
        self.down(replica, at).is_none()
    }

    fn down(&self, replica: usize, at: Duration) -> Option<&Down> {
        let mut downs = self.downs.iter();
        downs.find(|down| down.replica == replica && (down.from..down.to).contains(&at))
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.below(end as u64) as usize
    }
}

impl Outcome {
    fn unavailable(at: Duration, required: usize, alive: usize) -> Outcome {
        Outcome {
            at,
            result: Err(Failure::Unavailable { required, alive }),
        }
    }
}
