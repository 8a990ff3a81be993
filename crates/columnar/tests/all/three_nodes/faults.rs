//! What happens to nodes, their links and the workers.

use std::time::Duration;

use bakeoff_testing::{Random, times};
use rustix::process::Signal;
use tokio::time::sleep;

use super::cluster::{Cluster, NODES};
use super::links::Links;
use super::workers::{WORKERS, Workers};

/// The least time for which a fault lasts, in milliseconds, and by how much longer it may last. Nodes take each
/// other for gone after some 20 s.
const LASTS_MS: u64 = 3_000;
const LONGER_BY_MS: (u64, u64) = (5_000, 30_000);

/// Something that happens for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A node stands still.
    NodePaused,
    /// Two of three nodes stand still, so that nothing can be acknowledged.
    MajorityPaused,
    /// A node reaches no other one, but clients reach it.
    NodeCutOff,
    /// Two nodes do not reach each other, but the third one.
    LinkCut,
    /// A node is killed, and started again.
    NodeKilled,
    /// A worker stands still, as on a machine that sleeps.
    WorkerPaused,
    /// A worker is killed, and another one begins with a clock that is wrong in another way.
    WorkerKilled,
}

impl Fault {
    const ALL: [Fault; 7] = [
        Fault::NodePaused,
        Fault::MajorityPaused,
        Fault::NodeCutOff,
        Fault::LinkCut,
        Fault::NodeKilled,
        Fault::WorkerPaused,
        Fault::WorkerKilled,
    ];

    /// Returns all of them in any order.
    pub fn shuffled(random: &mut Random) -> Vec<Fault> {
        let mut faults = Fault::ALL.to_vec();
        for last in (1..faults.len()).rev() {
            faults.swap(last, random.below(last as u64 + 1) as usize);
        }
        faults
    }

    /// Lets it happen until it is over.
    pub async fn strike(
        self,
        cluster: &mut Cluster,
        links: Option<&Links>,
        workers: &mut Workers,
        random: &mut Random,
    ) {
        let one = random.below(NODES as u64) as usize;
        let other = (one + 1 + random.below(NODES as u64 - 1) as usize) % NODES;
        let third = NODES - one - other;
        let longer = random.below(times(LONGER_BY_MS.0, LONGER_BY_MS.1));
        let lasts = Duration::from_millis(LASTS_MS + longer);
        match self {
            Fault::NodePaused => pause(cluster, &[one], lasts).await,
            Fault::MajorityPaused => pause(cluster, &[one, other], lasts).await,
            Fault::NodeCutOff => cut(cluster, links, &[(one, other), (one, third)], lasts).await,
            Fault::LinkCut => cut(cluster, links, &[(one, other)], lasts).await,
            Fault::NodeKilled => {
                cluster.node(one).kill().await.unwrap();
                sleep(lasts).await;
                cluster.start_again(one).await;
            }
            Fault::WorkerPaused => {
                workers.signal(one % WORKERS, Signal::STOP);
                sleep(lasts).await;
                workers.signal(one % WORKERS, Signal::CONT);
            }
            Fault::WorkerKilled => {
                sleep(Duration::from_millis(longer % 1_000)).await;
                workers.kill_and_replace(one % WORKERS, random);
            }
        }
    }
}

async fn pause(cluster: &Cluster, nodes: &[usize], lasts: Duration) {
    for node in nodes {
        cluster.node(*node).pause().unwrap();
    }
    sleep(lasts).await;
    for node in nodes {
        cluster.node(*node).resume().unwrap();
    }
}

/// Cuts links, or lets a node stand still where that cannot be done: others do not hear from it either.
async fn cut(cluster: &Cluster, links: Option<&Links>, pairs: &[(usize, usize)], lasts: Duration) {
    let Some(links) = links else {
        return pause(cluster, &[pairs[0].0], lasts).await;
    };
    let nodes = |(one, other): &(usize, usize)| (cluster.node(*one), cluster.node(*other));
    let pairs: Vec<_> = pairs.iter().map(nodes).collect();
    let cut = links.cut(&pairs).await;
    sleep(lasts).await;
    cut.heal();
}
