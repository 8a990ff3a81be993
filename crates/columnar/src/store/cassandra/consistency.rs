//! Whether what one process writes is seen by all that read: the replicas that answer a read and those that
//! have taken a write must have one in common, whichever they are, and in whichever datacenter the
//! processes are.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use scylla::statement::Consistency;
use tokio::sync::Mutex;

use super::client::{Client, as_rows, each_row};
use super::names::Part;
use super::retry::server;
use super::time::Moment;
use crate::{Error, Result};

/// The time after which it is looked up again where the copies are before something is written: somebody may
/// have changed the keyspace meanwhile.
const LOOKED_UP_AGAIN_AFTER: Duration = Duration::from_secs(60);

/// Whether this process may write, as it was looked up last.
pub(super) struct MayWrite(Mutex<LookedUp>);

/// The reason why nothing may be written, if there is one, and when that was looked up.
struct LookedUp {
    at: Moment,
    why_not: Option<String>,
    failed: Option<Failed>,
}

/// A look-up that has failed since, for all that were waiting for it.
struct Failed {
    began: Instant,
    doing: String,
    reason: String,
}

impl MayWrite {
    /// Looks up whether this process may write, and also returns what its reads may miss of writes at QUORUM, in words.
    pub(super) async fn look_up(client: &Client) -> Result<(Self, Option<String>)> {
        let at = Moment::now();
        let copies = copies(client).await?;
        let may_write = MayWrite::looked_up(at, unseen(client, &copies));
        let read = client.options.read_consistency;
        Ok((may_write, missed(&client.names.whole(), read, &copies)))
    }

    fn looked_up(at: Moment, why_not: Option<String>) -> Self {
        MayWrite(Mutex::new(LookedUp {
            at,
            why_not,
            failed: None,
        }))
    }

    /// Checks that a write is seen by all processes that read.
    pub(super) async fn check(&self, client: &Client) -> Result<()> {
        self.check_by(|| why_not_to_write(client)).await
    }

    /// Checks it by a function that looks it up. Others wait meanwhile instead of doing the same, also if it
    /// fails: a server that does not answer would otherwise be waited for by each of them in turn.
    async fn check_by<F>(&self, look_up: impl FnOnce() -> F) -> Result<()>
    where
        F: Future<Output = Result<Option<String>>>,
    {
        let asked = Instant::now();
        let mut last = self.0.lock().await;
        if last.at.elapsed() >= LOOKED_UP_AGAIN_AFTER {
            if let Some(failed) = last.failed.as_ref().filter(|it| it.began >= asked) {
                return Err(failed.error());
            }
            let (at, began) = (Moment::now(), Instant::now());
            match look_up().await {
                Ok(why_not) => {
                    *last = LookedUp {
                        at,
                        why_not,
                        failed: None,
                    };
                }
                Err(error) => {
                    last.failed = Failed::of(&error, began);
                    return Err(error);
                }
            }
        }
        match &last.why_not {
            None => Ok(()),
            Some(reason) => Err(Error::Invalid(reason.clone())),
        }
    }
}

impl Failed {
    /// Remembers that the server has failed. Other errors are not waited for.
    fn of(error: &Error, began: Instant) -> Option<Self> {
        match error {
            Error::Server { doing, reason } => Some(Failed {
                began,
                doing: doing.clone(),
                reason: reason.clone(),
            }),
            _ => None,
        }
    }

    fn error(&self) -> Error {
        server(&self.doing, self.reason.as_str())
    }
}

/// The datacenters that have copies, and how many.
type Copies = Vec<(String, u64)>;

/// Replicas that answer a request at least: some in each datacenter, and some more anywhere.
#[derive(Debug, Clone)]
struct Answering {
    in_each: Vec<u64>,
    anywhere: u64,
}

/// Returns the reason why nothing may be written with the consistencies of this process, if there is one.
pub(super) async fn why_not_to_write(client: &Client) -> Result<Option<String>> {
    Ok(unseen(client, &copies(client).await?))
}

/// Returns why writes of this process may not be seen by its reads, if that may be.
fn unseen(client: &Client, copies: &Copies) -> Option<String> {
    let options = &client.options;
    let (read, write) = (options.read_consistency, options.write_consistency);
    (!overlap(read, write, copies)).then(|| {
        format!(
            "reads of {} at {} may miss writes at {}: of each row there are {}. Seals would lose rows, so \
             that nothing is written: use QUORUM, or LOCAL_QUORUM if there is one datacenter",
            client.names.whole(),
            name(read),
            name(write),
            in_words(copies)
        )
    })
}

/// Returns what reads of a table at a level may miss of what others have written at QUORUM; `None` if each read meets
/// each such write. Writes at other levels are not looked at.
fn missed(table: &str, read: Consistency, copies: &Copies) -> Option<String> {
    (!overlap(read, Consistency::Quorum, copies)).then(|| {
        format!(
            "rows of {table} that others were told are written may be missing: it is read at {}, and of each row \
             there are {}; read at QUORUM, or LOCAL_QUORUM if there is one datacenter",
            name(read),
            in_words(copies)
        )
    })
}

/// Says how many copies of each row there are, and where.
fn in_words(copies: &Copies) -> String {
    let places: Vec<String> = copies
        .iter()
        .map(|(datacenter, copies)| match datacenter.as_str() {
            "" => format!("{copies} copies"),
            datacenter => format!("{copies} in datacenter {datacenter}"),
        })
        .collect();
    places.join(", ")
}

/// Reads where the copies of a keyspace are. There are none if it is not known.
async fn copies(client: &Client) -> Result<Copies> {
    let task = client.task_of_all("reading where the copies are", Part::Catalogue);
    let cql = "SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let keyspace = (&client.names.keyspace,);
    let rows = as_rows(&task, client.once(&task, cql, keyspace).await?)?;
    let found = each_row(&task, &rows, |row: (HashMap<String, String>,)| Ok(row.0))?;
    Ok(found.into_iter().next().map_or(Vec::new(), copies_of))
}

/// Returns where the copies of a keyspace with this replication are.
fn copies_of(replication: HashMap<String, String>) -> Copies {
    let class = replication.get("class").map_or("", String::as_str);
    // A transient copy, the `1` in `3/1`, counts as any other.
    let number = |text: &String| text.split('/').next()?.parse::<u64>().ok();
    match class.rsplit('.').next() {
        Some("NetworkTopologyStrategy") => {
            let datacenters = replication.iter().filter_map(|(datacenter, copies)| {
                let copies = number(copies).filter(|copies| *copies > 0)?;
                Some((datacenter.clone(), copies))
            });
            let mut copies: Copies = datacenters.collect();
            copies.sort();
            copies
        }
        Some("SimpleStrategy") => {
            let copies = replication.get("replication_factor").and_then(number);
            copies.map_or(Vec::new(), |copies| vec![(String::new(), copies)])
        }
        _ => Vec::new(),
    }
}

/// Returns whether reads at one consistency level see everything that was acknowledged at another one, if
/// each row has that many copies in each of the datacenters, and reader and writer may be in different ones.
pub fn reads_see_writes(read: Consistency, write: Consistency, copies: &[u64]) -> bool {
    let copies = copies.iter().map(|copies| (String::new(), *copies));
    overlap(read, write, &copies.collect())
}

/// Returns whether every read has a replica in common with every write.
fn overlap(read: Consistency, write: Consistency, copies: &Copies) -> bool {
    let all: u64 = copies.iter().map(|(_, copies)| copies).sum();
    let reads = answering(read, copies);
    let writes = answering(write, copies);
    let meet = |read: &Answering, write: &Answering| {
        let in_one =
            |((read, write), (_, copies)): ((&u64, &u64), &(String, u64))| read + write > *copies;
        let both = read.in_each.iter().zip(&write.in_each);
        let total = |of: &Answering| of.in_each.iter().sum::<u64>() + of.anywhere;
        both.zip(copies).any(in_one) || total(read) + total(write) > all
    };
    copies.is_empty()
        || reads
            .iter()
            .all(|read| writes.iter().all(|write| meet(read, write)))
}

/// Returns which replicas answer at least, for each datacenter in which a process may be.
fn answering(level: Consistency, copies: &Copies) -> Vec<Answering> {
    let quorum = |copies: u64| copies / 2 + 1;
    let all: u64 = copies.iter().map(|(_, copies)| copies).sum();
    let none = vec![0; copies.len()];
    let anywhere = |anywhere| {
        vec![Answering {
            in_each: none.clone(),
            anywhere,
        }]
    };
    let local = |number: &dyn Fn(u64) -> u64| -> Vec<Answering> {
        let here = |(at, (_, copies)): (usize, &(String, u64))| {
            let mut in_each = none.clone();
            in_each[at] = number(*copies);
            Answering {
                in_each,
                anywhere: 0,
            }
        };
        copies.iter().enumerate().map(here).collect()
    };
    match level {
        Consistency::Any => anywhere(0),
        Consistency::One => anywhere(1),
        Consistency::Two => anywhere(2),
        Consistency::Three => anywhere(3),
        Consistency::Quorum | Consistency::Serial => anywhere(quorum(all)),
        Consistency::All => anywhere(all),
        Consistency::LocalOne => local(&|_| 1),
        Consistency::LocalQuorum | Consistency::LocalSerial => local(&quorum),
        Consistency::EachQuorum => vec![Answering {
            in_each: copies.iter().map(|(_, copies)| quorum(*copies)).collect(),
            anywhere: 0,
        }],
    }
}

fn name(level: Consistency) -> &'static str {
    match level {
        Consistency::Any => "ANY",
        Consistency::One => "ONE",
        Consistency::Two => "TWO",
        Consistency::Three => "THREE",
        Consistency::Quorum => "QUORUM",
        Consistency::All => "ALL",
        Consistency::LocalQuorum => "LOCAL_QUORUM",
        Consistency::EachQuorum => "EACH_QUORUM",
        Consistency::LocalOne => "LOCAL_ONE",
        Consistency::Serial => "SERIAL",
        Consistency::LocalSerial => "LOCAL_SERIAL",
    }
}

#[cfg(test)]
mod tests;
