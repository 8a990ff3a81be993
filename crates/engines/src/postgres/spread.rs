//! The servers that questions are asked of: one alone, or standbys with the same rows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::asking::Asking;
use super::connect::PostgresServer;

/// Servers with the same rows, each with its own connections.
pub struct Spread {
    servers: Vec<Asking>,
    /// How many questions are under way on each of them.
    under_way: Mutex<Vec<usize>>,
}

/// The server that was chosen for a question, which is under way there until this is dropped.
pub struct Chosen<'a> {
    spread: &'a Spread,
    place: usize,
}

impl Spread {
    /// Makes connections with these settings to each of the servers, of which there is at least one, when they are
    /// needed.
    pub fn over(servers: &[PostgresServer], settings: &str) -> Self {
        Spread {
            servers: servers
                .iter()
                .map(|server| Asking::new(server.clone(), settings))
                .collect(),
            under_way: Mutex::new(vec![0; servers.len()]),
        }
    }

    /// Chooses the server with the fewest questions under way, the first one of several: so one client alone always
    /// asks the same, and many are spread evenly.
    pub fn choose(&self) -> Chosen<'_> {
        let mut under_way = self.locked();
        let places = 0..under_way.len();
        let place = places.min_by_key(|place| under_way[*place]).unwrap_or(0);
        under_way[place] += 1;
        Chosen {
            spread: self,
            place,
        }
    }

    /// Returns the number of servers.
    pub fn count(&self) -> usize {
        self.servers.len()
    }

    /// Makes one used connection to each server ready again, where there is one.
    pub async fn reset_one(&self) {
        for asking in &self.servers {
            asking.reset_one().await;
        }
    }

    /// Closes all connections.
    pub fn close(&self) {
        self.servers.iter().for_each(Asking::close);
    }

    fn locked(&self) -> MutexGuard<'_, Vec<usize>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chosen<'_> {
    /// Returns the connections to the server.
    pub fn asking(&self) -> &Asking {
        &self.spread.servers[self.place]
    }
}

impl Drop for Chosen<'_> {
    fn drop(&mut self) {
        self.spread.locked()[self.place] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(servers: u16) -> Spread {
        let at = |number: u16| PostgresServer::local(([127, 0, 0, 1], number).into(), "reader", "");
        let servers: Vec<PostgresServer> = (1..=servers).map(at).collect();
        Spread::over(&servers, "")
    }

    #[test]
    fn one_client_asks_one_server_and_many_clients_ask_all_alike() {
        let spread = spread(3);
        for _ in 0..5 {
            assert_eq!(spread.choose().place, 0);
        }
        let chosen: Vec<Chosen<'_>> = (0..6).map(|_| spread.choose()).collect();
        let places: Vec<usize> = chosen.iter().map(|chosen| chosen.place).collect();
        assert_eq!(places, [0, 1, 2, 0, 1, 2]);
        assert_eq!(*spread.locked(), [2, 2, 2]);
    }

    #[test]
    fn a_question_goes_where_the_fewest_are_under_way() {
        let spread = spread(2);
        let (first, second) = (spread.choose(), spread.choose());
        drop(second);
        let third = spread.choose();
        assert_eq!(third.place, 1);
        drop(first);
        drop(third);
        assert_eq!(*spread.locked(), [0, 0]);
        let server = spread.choose().asking().server().to_string();
        assert_eq!(server, "reader@127.0.0.1:1/postgres");
    }
}
