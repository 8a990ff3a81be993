//! Work on all nodes of a cluster, on a few of them at the same time.

use futures::stream::{FuturesOrdered, StreamExt};

/// Nodes that are asked at the same time, each by one query at a time.
pub const NODES_AT_ONCE: usize = 16;
/// Hosts on which nodetool is called, or whose pages of metrics are in memory, at the same time.
pub const HOSTS_AT_ONCE: usize = 4;

/// Waits for all futures, of which at most so many run at the same time, and returns what they make in their order.
pub async fn at_once<F: Future>(most: usize, futures: Vec<F>) -> Vec<F::Output> {
    let mut made = Vec::with_capacity(futures.len());
    let mut waiting = futures.into_iter();
    let mut running: FuturesOrdered<F> = waiting.by_ref().take(most.max(1)).collect();
    while let Some(output) = running.next().await {
        made.push(output);
        running.extend(waiting.next());
    }
    made
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    /// Returns the most futures of so many that ran at the same time, and what they made.
    async fn run(most: usize, number: u64) -> (usize, Vec<u64>) {
        let (running, highest) = (Cell::new(0_usize), Cell::new(0_usize));
        let count = |at: u64| {
            let (running, highest) = (&running, &highest);
            async move {
                running.set(running.get() + 1);
                highest.set(running.get().max(highest.get()));
                // The later ones end first.
                tokio::time::sleep(Duration::from_millis(100 - at)).await;
                running.set(running.get() - 1);
                at
            }
        };
        let made = at_once(most, (0..number).map(count).collect()).await;
        (highest.get(), made)
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_run_at_the_same_time_than_may_and_all_do() {
        assert_eq!(run(3, 10).await, (3, (0..10).collect::<Vec<u64>>()));
        assert_eq!(run(3, 2).await, (2, vec![0, 1]));
        assert_eq!(run(3, 0).await, (0, Vec::new()));
        assert_eq!(run(0, 2).await, (1, vec![0, 1]));
    }
}
