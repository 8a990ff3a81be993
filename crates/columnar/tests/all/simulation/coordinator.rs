//! The node that takes statements, and sends reads and writes to the replicas.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::{BufMut, Bytes};

use super::cells::{Name, Partition};
use super::machine::server_clock;
use super::meaning::{self, Bound};
use super::parser::parse;
use super::replicas::{Answer, Failure, Replicas};
use super::statement::{Marker, OnlyIf, Select, Statement, Write};
use super::system::{self, Tables};
use super::table::{Table, Type};
use super::timeline::Timeline;
use super::wire::{self, Parameters, Rows, Value};

/// The time that a lightweight transaction takes, each of which succeeds.
const TRANSACTION: Duration = Duration::from_millis(2);

/// The answer to a request: its opcode and its body.
pub type Reply = (u8, Bytes);

/// A statement of a batch, and its values.
pub type Part = (String, Vec<Value>);

/// The node.
pub struct Coordinator {
    pub timeline: Arc<Timeline>,
    state: Mutex<State>,
}

struct State {
    replicas: Replicas,
    tables: Tables,
    parsed: HashMap<String, Arc<Parsed>>,
}

/// A statement, and what its markers stand for.
struct Parsed {
    statement: Statement,
    markers: Vec<Marker>,
}

impl Coordinator {
    pub fn new(timeline: &Arc<Timeline>, replicas: Replicas) -> Arc<Coordinator> {
        Arc::new(Coordinator {
            timeline: Arc::clone(timeline),
            state: Mutex::new(State {
                replicas,
                tables: system::tables(),
                parsed: HashMap::new(),
            }),
        })
    }

    /// Ends all trouble.
    pub fn calm_down(&self) {
        self.lock().replicas.calm_down();
    }

    /// Ends all trouble but for one replica, which has wrong values from now on. Returns how many.
    pub fn spoil(&self, replica: usize, tables: &str, column: &str) -> usize {
        let mut state = self.lock();
        state.replicas.calm_down();
        state.replicas.spoil(replica, tables, column)
    }

    pub fn prepare(&self, cql: &str) -> Reply {
        let parsed = self.parsed(cql);
        let (table, select) = match &parsed.statement {
            Statement::Select(select) => (&select.table, Some(select)),
            Statement::Write(write) => (&write.table, None),
            Statement::Create(_) => panic!("nobody prepares {cql}"),
        };
        let table = self.table(table);
        let columns = select.map(|select| meaning::columns(select, &table));
        let markers = meaning::markers(&parsed.markers, &table);
        (
            wire::RESULT,
            wire::prepared(cql, &markers, columns.as_deref()),
        )
    }

    pub async fn execute(&self, cql: &str, parameters: &Parameters) -> Reply {
        let parsed = self.parsed(cql);
        match &parsed.statement {
            Statement::Create(table) => {
                let table = Arc::new(table.clone());
                let mut state = self.lock();
                state.tables.entry(table.name.clone()).or_insert(table);
                done()
            }
            Statement::Select(select) => self.select(select, parameters).await,
            Statement::Write(write) => match &write.only_if {
                Some(only_if) => self.transact(write, only_if, &parameters.values).await,
                None => {
                    let (name, change) = self.change(write, &parameters.values);
                    let consistency = parameters.consistency;
                    self.write(name, &[change], consistency, "SIMPLE").await
                }
            },
        }
    }

    /// Executes the writes of a batch, all in the same partition.
    pub async fn batch(&self, parts: &[Part], consistency: u16) -> Reply {
        let changes = parts.iter().map(|(cql, values)| {
            let parsed = self.parsed(cql);
            match &parsed.statement {
                Statement::Write(write) => self.change(write, values),
                other => panic!("a batch with {other:?}"),
            }
        });
        let (mut names, changes): (Vec<Name>, Vec<Partition>) = changes.unzip();
        names.dedup();
        assert_eq!(names.len(), 1, "a batch is in one partition");
        let name = names.remove(0);
        self.write(name, &changes, consistency, "UNLOGGED_BATCH")
            .await
    }

    async fn write(
        &self,
        name: Name,
        changes: &[Partition],
        consistency: u16,
        kind: &str,
    ) -> Reply {
        let (now, required) = (self.timeline.now(), required(consistency));
        let outcome = {
            let mut state = self.lock();
            state.replicas.write(now, &name, changes, required)
        };
        self.timeline.sleep_until(outcome.at).await;
        match outcome.result {
            Ok(()) => done(),
            Err(failure) => failed(&failure, Some(kind), consistency),
        }
    }

    async fn select(&self, select: &Select, parameters: &Parameters) -> Reply {
        let table = self.table(&select.table);
        let bound = self.bound(&table, &parameters.values);
        let of_system = system::partition(&select.table, &self.lock().tables);
        let partition = match of_system {
            Some(partition) => partition,
            None => match self.read(select, &bound, parameters.consistency).await {
                Ok(partition) => partition,
                Err(failure) => return failed(&failure, None, parameters.consistency),
            },
        };
        let rows = bound.rows(select, &partition, parameters.is_paged, &parameters.from);
        (wire::RESULT, wire::rows(&rows))
    }

    /// Reads a partition. If replicas differ in what is read, those that are behind are repaired before the
    /// read is answered, as Cassandra does unless a table says otherwise (`read_repair`).
    async fn read(
        &self,
        select: &Select,
        bound: &Bound<'_>,
        consistency: u16,
    ) -> Result<Partition, Failure> {
        let name = bound.partition_of(select);
        let (now, required) = (self.timeline.now(), required(consistency));
        let (outcome, number) = self.lock().replicas.read(now, &name, required);
        self.timeline.sleep_until(outcome.at).await;
        outcome.result?;
        let answers = self.lock().replicas.answers(outcome.at, number);
        let mut whole = Partition::default();
        answers.iter().for_each(|(_, answer)| whole.join(answer));
        let found = bound.part(select, &whole);
        let is_behind = |answer: &&Answer| bound.part(select, &answer.1) != found;
        let behind = answers.iter().filter(is_behind);
        let behind: Vec<usize> = behind.map(|(replica, _)| *replica).collect();
        if !behind.is_empty() {
            let now = self.timeline.now();
            let outcome = self.lock().replicas.repair(now, &name, &found, &behind);
            self.timeline.sleep_until(outcome.at).await;
            outcome.result?;
        }
        Ok(whole)
    }

    /// Executes a lightweight transaction.
    async fn transact(&self, write: &Write, only_if: &OnlyIf, values: &[Value]) -> Reply {
        let table = self.table(&write.table);
        let bound = self.bound(&table, values);
        let (name, change) = bound.change(write);
        let applied = {
            let mut state = self.lock();
            let whole = state.replicas.whole(self.timeline.now(), &name);
            let applied = bound.is_true(only_if, write, &whole);
            if applied {
                state.replicas.write_everywhere(&name, &change);
            }
            applied
        };
        self.timeline.sleep(TRANSACTION).await;
        let answer = Rows {
            columns: vec![("[applied]".to_owned(), Type::Boolean)],
            rows: vec![vec![Some(Bytes::from(vec![u8::from(applied)]))]],
            next: None,
        };
        (wire::RESULT, wire::rows(&answer))
    }

    fn change(&self, write: &Write, values: &[Value]) -> (Name, Partition) {
        let table = self.table(&write.table);
        self.bound(&table, values).change(write)
    }

    fn bound<'a>(&self, table: &'a Table, values: &'a [Value]) -> Bound<'a> {
        Bound {
            table,
            values,
            now: server_clock(&self.timeline),
        }
    }

    fn parsed(&self, cql: &str) -> Arc<Parsed> {
        let mut state = self.lock();
        if let Some(parsed) = state.parsed.get(cql) {
            return Arc::clone(parsed);
        }
        let (statement, markers) = parse(cql);
        let parsed = Arc::new(Parsed { statement, markers });
        state.parsed.insert(cql.to_owned(), Arc::clone(&parsed));
        parsed
    }

    fn table(&self, name: &str) -> Arc<Table> {
        let state = self.lock();
        let table = state.tables.get(name);
        Arc::clone(table.unwrap_or_else(|| panic!("no table {name}")))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

/// Returns how many replicas have to answer.
fn required(consistency: u16) -> usize {
    match consistency {
        // ONE and LOCAL_ONE.
        1 | 10 => 1,
        // QUORUM and LOCAL_QUORUM.
        4 | 6 => 2,
        5 => 3,
        other => panic!("no consistency {other}"),
    }
}

fn done() -> Reply {
    (wire::RESULT, wire::void())
}

/// Returns the error of a request. Writes have a kind.
fn failed(failure: &Failure, write: Option<&str>, consistency: u16) -> Reply {
    let (code, numbers) = match failure {
        Failure::Unavailable { required, alive } => (0x1000, [*required, *alive]),
        Failure::TimedOut { required, received } => {
            let code = if write.is_some() { 0x1100 } else { 0x1200 };
            (code, [*received, *required])
        }
    };
    let mut body = wire::error(code, "simulated", consistency);
    for number in numbers {
        body.put_i32(number as i32);
    }
    if matches!(failure, Failure::TimedOut { .. }) {
        match write {
            Some(kind) => wire::put_text(&mut body, kind),
            // Whether the answer had data.
            None => body.put_u8(0),
        }
    }
    (wire::ERROR, body.freeze())
}
