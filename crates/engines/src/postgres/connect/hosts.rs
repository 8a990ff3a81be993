//! The hosts of a URL, each of which is a server of its own.

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::{PostgresServer, limit_times};

impl PostgresServer {
    /// Returns a server for each host of the URL, in its order.
    pub fn each(&self) -> Vec<PostgresServer> {
        match self.places().len() {
            0 | 1 => vec![self.clone()],
            several => (0..several).map(|place| self.only(place)).collect(),
        }
    }

    /// Returns one of the hosts of the URL.
    fn only(&self, place: usize) -> PostgresServer {
        let all = &self.config;
        let mut config = Config::new();
        match all.get_hosts().get(place) {
            Some(Host::Tcp(name)) => {
                config.host(name.clone());
            }
            Some(Host::Unix(path)) => {
                config.host_path(path.clone());
            }
            None => {}
        }
        if let Some(address) = all.get_hostaddrs().get(place) {
            config.hostaddr(*address);
        }
        let ports = all.get_ports();
        if let Some(port) = ports.get(place).or(ports.first()) {
            config.port(*port);
        }
        if let Some(user) = all.get_user() {
            config.user(user);
        }
        if let Some(password) = all.get_password() {
            config.password(password);
        }
        if let Some(database) = all.get_dbname() {
            config.dbname(database);
        }
        if let Some(options) = all.get_options() {
            config.options(options);
        }
        config
            .ssl_mode(all.get_ssl_mode())
            .ssl_negotiation(all.get_ssl_negotiation())
            .channel_binding(all.get_channel_binding());
        limit_times(&mut config);
        PostgresServer {
            config,
            tls: self.tls.clone(),
            names: self.names,
        }
    }

    /// Returns each host of the URL with its port; a socket is its path.
    pub fn places(&self) -> Vec<(String, u16)> {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        });
        let mut places: Vec<String> = hosts.collect();
        if places.is_empty() {
            let addresses = self.config.get_hostaddrs().iter();
            places.extend(addresses.map(ToString::to_string));
        }
        let mut ports = self.config.get_ports().iter().copied().cycle();
        let with_port = |host| (host, ports.next().unwrap_or(5432));
        places.into_iter().map(with_port).collect()
    }
}
