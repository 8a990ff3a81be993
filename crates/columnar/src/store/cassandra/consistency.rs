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
    pub(super) async fn look_up(client: &Client) -> Result<Self> {
        let at = Moment::now();
        let why_not = why_not_to_write(client).await?;
        Ok(MayWrite::looked_up(at, why_not))
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
    let options = &client.options;
    let (read, write) = (options.read_consistency, options.write_consistency);
    let copies = copies(client).await?;
    if overlap(read, write, &copies) {
        return Ok(None);
    }
    let places: Vec<String> = copies
        .iter()
        .map(|(datacenter, copies)| match datacenter.as_str() {
            "" => format!("{copies} copies"),
            datacenter => format!("{copies} in datacenter {datacenter}"),
        })
        .collect();
    Ok(Some(format!(
        "reads of {} at {} may miss writes at {}: of each row there are {}. Seals would lose rows, so \
         that nothing is written: use QUORUM, or LOCAL_QUORUM if there is one datacenter",
        client.names.whole(),
        name(read),
        name(write),
        places.join(", ")
    )))
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
mod tests {
    use std::cell::Cell;

    use scylla::statement::Consistency::{
        All, Any, EachQuorum, LocalOne, LocalQuorum, One, Quorum, Two,
    };

    use super::*;

    #[tokio::test]
    async fn it_is_looked_up_again_after_a_while_and_not_before() {
        let of_age = |age| MayWrite::looked_up(Moment::ago(age), None);
        let weak = || async { Ok(Some("too few copies".to_owned())) };
        let recent = of_age(LOOKED_UP_AGAIN_AFTER / 2);
        recent.check_by(weak).await.unwrap();
        let old = of_age(LOOKED_UP_AGAIN_AFTER);
        for _ in 0..2 {
            let error = old.check_by(weak).await.unwrap_err();
            assert_eq!(error.to_string(), "too few copies");
        }
        // It was looked up just now.
        old.check_by(|| async { Ok(None) }).await.unwrap_err();
    }

    #[tokio::test]
    async fn nothing_is_written_while_it_cannot_be_looked_up() {
        let may_write = MayWrite::looked_up(Moment::ago(LOOKED_UP_AGAIN_AFTER), None);
        let fails = || async { Err(server(&"looking", "no answer")) };
        may_write.check_by(fails).await.unwrap_err();
        may_write.check_by(|| async { Ok(None) }).await.unwrap();
    }

    #[tokio::test]
    async fn all_that_wait_for_a_look_up_fail_with_it() {
        let may_write = MayWrite::looked_up(Moment::ago(LOOKED_UP_AGAIN_AFTER), None);
        let looked_up = Cell::new(0);
        let fails = || {
            looked_up.set(looked_up.get() + 1);
            async { Err(server(&"looking", "no answer")) }
        };
        let held = may_write.0.lock().await;
        // Both wait before the first of them may look it up.
        let (one, other, ()) = futures::join!(
            may_write.check_by(fails),
            may_write.check_by(fails),
            async { drop(held) }
        );
        assert_eq!(looked_up.get(), 1);
        for failed in [one, other] {
            assert_eq!(failed.unwrap_err().to_string(), "looking: no answer");
        }
        // Who comes later asks again.
        may_write.check_by(fails).await.unwrap_err();
        assert_eq!(looked_up.get(), 2);
    }

    fn copies(each: &[u64]) -> Copies {
        let datacenter = |(at, copies): (usize, &u64)| (format!("dc{at}"), *copies);
        each.iter().enumerate().map(datacenter).collect()
    }

    #[test]
    fn reads_and_writes_overlap_in_one_datacenter() {
        let is_safe = |level, number| overlap(level, level, &copies(&[number]));
        for level in [One, LocalOne, LocalQuorum, Quorum, EachQuorum, All] {
            assert!(is_safe(level, 1), "{level:?}");
        }
        assert!(!is_safe(Any, 1));
        for number in 2..6 {
            assert!(!is_safe(One, number) && !is_safe(LocalOne, number));
            assert!(is_safe(LocalQuorum, number) && is_safe(Quorum, number));
            assert!(is_safe(EachQuorum, number) && is_safe(All, number));
            assert!(overlap(One, All, &copies(&[number])));
            assert!(overlap(All, One, &copies(&[number])));
        }
        assert!(is_safe(Two, 3) && !is_safe(Two, 4));
    }

    #[test]
    fn a_local_quorum_does_not_overlap_with_that_of_another_datacenter() {
        for each in [[1, 1], [3, 3], [3, 1]] {
            let copies = copies(&each);
            assert!(!overlap(LocalQuorum, LocalQuorum, &copies), "{each:?}");
            assert!(!overlap(LocalOne, EachQuorum, &copies) || each == [1, 1]);
            assert!(overlap(LocalQuorum, EachQuorum, &copies));
            assert!(overlap(EachQuorum, LocalQuorum, &copies));
            assert!(overlap(Quorum, Quorum, &copies));
            assert!(overlap(EachQuorum, EachQuorum, &copies));
            assert!(overlap(LocalOne, All, &copies));
        }
        assert!(!overlap(LocalQuorum, Quorum, &copies(&[3, 3])));
    }

    #[test]
    fn what_is_seen_depends_on_both_levels() {
        assert!(reads_see_writes(One, All, &[3]));
        assert!(!reads_see_writes(One, Quorum, &[3]));
        assert!(reads_see_writes(Quorum, Quorum, &[3]));
        assert!(!reads_see_writes(LocalQuorum, LocalQuorum, &[3, 3]));
    }

    #[test]
    fn copies_are_where_the_replication_says() {
        let of = |pairs: &[(&str, &str)]| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            copies_of(pairs.iter().map(owned).collect())
        };
        let simple = "org.apache.cassandra.locator.SimpleStrategy";
        assert_eq!(
            of(&[("class", simple), ("replication_factor", "3")]),
            [(String::new(), 3)]
        );
        let network = "org.apache.cassandra.locator.NetworkTopologyStrategy";
        let two = of(&[("class", network), ("b", "3/1"), ("a", "2"), ("c", "0")]);
        assert_eq!(two, [("a".to_owned(), 2), ("b".to_owned(), 3)]);
        assert!(of(&[("class", "org.apache.cassandra.locator.LocalStrategy")]).is_empty());
        assert!(overlap(One, One, &of(&[])));
    }
}
