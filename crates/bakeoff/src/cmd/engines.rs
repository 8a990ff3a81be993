//! `bakeoff engines`: starts a server that stays, for trying things out.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use bakeoff_engines::servers::cassandra::{Nodes, Ports, Server, ServerOptions};
use bakeoff_engines::servers::{Home, Listed, Owner, list, stop, stop_orphans};
use bakeoff_workload::suggestion;
use clap::{Args, Subcommand};

use crate::exit::{Exit, Misuse};
use crate::progress::Progress;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// Start, stop and inspect servers of your own on this machine.
#[derive(Args)]
pub struct Engines {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Start a Cassandra on loopback that runs until it is stopped; use it with --cassandra
    Start {
        /// Folder for its data; kept when it is stopped
        #[arg(long)]
        dir: Option<PathBuf>,
        /// Heap in MiB; never more than a quarter of the memory
        #[arg(long)]
        heap_mib: Option<u64>,
        /// Port for clients [default: that of its last start if it is free, else any]
        #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
        port: Option<u16>,
    },
    /// Stop servers by id, or all that `engines start` started
    Stop { ids: Vec<String> },
    /// Show the servers that Bakeoff started
    Status,
    /// Print the log of a server
    Logs { id: Option<String> },
}

impl Engines {
    pub fn run(self) -> Result<Exit> {
        let home = Home::from_env()?;
        let runtime = super::small_runtime()?;
        match self.action {
            Action::Start {
                dir,
                heap_mib,
                port,
            } => runtime.block_on(start(home, dir, heap_mib, port))?,
            Action::Stop { ids } => runtime.block_on(stop_all(&home, ids))?,
            Action::Status => runtime.block_on(status(&home))?,
            Action::Logs { id } => logs(&home, id)?,
        }
        Ok(Exit::Complete)
    }
}

async fn start(
    home: Home,
    dir: Option<PathBuf>,
    heap_mib: Option<u64>,
    port: Option<u16>,
) -> Result<()> {
    for line in stop_orphans(&home).await? {
        print_line(&line);
    }
    let dir = dir.unwrap_or_else(|| home.folder().join("data").join("cassandra"));
    let mut options = ServerOptions::new(home, dir)?;
    options.owner = Owner::NoProcess;
    options.heap_mib = heap_mib.unwrap_or(options.heap_mib);
    options.ports = port.map(Ports::for_clients);
    let before = options.earlier_port();
    let fetched = Nodes::fetches_first(&options);
    let first = fetched.map_or(String::new(), |what| format!("fetching {what}, then "));
    let progress = Progress::begin(&format!("{first}starting Cassandra"));
    let server = Server::start(options).await?;
    progress.finish();
    let address = server.address();
    if let Some(before) = before.filter(|before| port.is_none() && *before != address.port()) {
        print_line(format_args!(
            "port {before} of the last start is in use, so it now has port {}",
            address.port()
        ));
    }
    writeln!(
        stdout(),
        "Cassandra {} answers at {address} (id {}); clients log in as `{}` with the password in\n  \
         {}\nBakeoff finds it there. Measure on it with\n  bakeoff run WORKLOAD.toml --cassandra {address}",
        server.version(),
        server.id(),
        server.login().user(),
        server.password_file().display(),
    )?;
    if let Some(reason) = server.why_root() {
        print_line(format_args!("note: it runs as root, since {reason}"));
    }
    Ok(())
}

async fn stop_all(home: &Home, ids: Vec<String>) -> Result<()> {
    let kept = list(home)?
        .into_iter()
        .filter(|s| s.owner_alive.is_none())
        .map(|s| s.id);
    let ids: Vec<String> = if ids.is_empty() { kept.collect() } else { ids };
    if ids.is_empty() {
        writeln!(stdout(), "no server to stop")?;
    }
    let servers = list(home)?;
    for id in &ids {
        if !servers.iter().any(|server| server.id == *id) {
            return Err(Misuse::new(not_chosen(Some(id), &servers)).into());
        }
    }
    for id in ids {
        let progress = Progress::begin(&format!("stopping {id}"));
        stop(home, &id).await?;
        progress.finish();
        writeln!(stdout(), "stopped {id}")?;
    }
    Ok(())
}

async fn status(home: &Home) -> Result<()> {
    let mut out = stdout();
    let servers = list(home)?;
    if servers.is_empty() {
        writeln!(out, "no server that Bakeoff started")?;
    }
    for server in servers {
        let state = match (server.alive, server.owner_alive) {
            (false, _) => "has ended",
            (true, None) => "runs until it is stopped",
            (true, Some(true)) => "in use by a command",
            (true, Some(false)) => "left behind; the next run stops it",
        };
        writeln!(
            out,
            "{}  {} {} at {}, process {}, {state}\n  data {}\n  log  {}",
            server.id,
            server.engine,
            server.version,
            server.address,
            server.pid,
            server.dir.display(),
            server.log.display()
        )?;
    }
    Ok(())
}

fn logs(home: &Home, id: Option<String>) -> Result<()> {
    let servers = list(home)?;
    let chosen = match &id {
        Some(id) => servers.iter().find(|s| s.id == *id),
        None if servers.len() == 1 => servers.first(),
        None => None,
    };
    let Some(server) = chosen else {
        return Err(Misuse::new(not_chosen(id.as_deref(), &servers)).into());
    };
    let mut file = std::fs::File::open(&server.log)
        .with_context(|| format!("cannot open {}", server.log.display()))?;
    std::io::copy(&mut file, &mut stdout())?;
    Ok(())
}

/// Explains why no server could be chosen.
fn not_chosen(id: Option<&str>, servers: &[Listed]) -> anyhow::Error {
    let ids: Vec<&str> = servers.iter().map(|s| s.id.as_str()).collect();
    match id {
        _ if ids.is_empty() => anyhow!("there is no server that Bakeoff started"),
        None => anyhow!("name one server of: {}", ids.join(", ")),
        Some(id) => anyhow!("there is no server `{id}`{}", suggestion(id, ids)),
    }
}
