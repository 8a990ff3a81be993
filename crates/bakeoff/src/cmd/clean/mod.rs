//! `bakeoff clean`: finds what commands have left on servers of the user's, and drops it.

mod listed;

use std::io::Write;

use anyhow::{Result, anyhow, bail};
#[cfg(feature = "postgres")]
use bakeoff_engines::MadeOnPostgres;
use bakeoff_engines::{EngineError, Made, MadeOnCassandra, MadeState};
use bakeoff_workload::suggestion;
use clap::Args;

use crate::cmd::options::cluster::ClusterOptions;
use crate::cmd::options::confirm::{can_ask, is_confirmed};
#[cfg(feature = "postgres")]
use crate::cmd::options::postgres::PostgresServerOptions;
use crate::cmd::{on_threads, small_runtime};
use crate::exit::{Exit, Misuse};
use crate::interrupt::asked_to_stop_leaving;
use crate::progress::Progress;
use crate::stderr::print_line;
use crate::terminal::stdout;

/// Message about what a second Ctrl-C leaves behind.
const LEFT_BEHIND: &str = "interrupted again: the same command drops what is left";

/// Help of --postgres.
#[cfg(feature = "postgres")]
const POSTGRES_HELP: &str = "A database, for example postgresql://me@db1:5432/metrics; its password comes from \
    BAKEOFF_POSTGRES_PASSWORD";

/// Find what stopped and killed commands left on a server of yours, and drop it after asking
///
/// Lists keyspaces and schemas that carry the marker of a command, and its tables in keyspaces that you have marked
/// for Bakeoff, with the machine and the folder of the command, and when it began. What was stopped or killed on this
/// machine is dropped if you say yes. What a complete command has kept, or what is of another machine, of another user
/// or of a folder that is gone, is dropped only if you name it. What a command on this machine uses is never dropped,
/// nor anything without a marker. The exit code is 3 if something could not be dropped.
#[derive(Args, Debug)]
#[command(mut_arg("cassandra", |a| a.required(true).help("A node of the cluster")))]
#[cfg_attr(feature = "postgres", command(mut_arg("cassandra", |a| a.required(false).required_unless_present("postgres"))))]
#[cfg_attr(feature = "postgres", command(mut_arg("postgres", |a| a.help(POSTGRES_HELP))))]
pub struct Clean {
    /// What to drop: a keyspace, KEYSPACE.TABLE or a schema [default: all whose command was stopped or killed on this
    /// machine]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Do not ask
    #[arg(long)]
    yes: bool,

    #[command(flatten)]
    cluster: ClusterOptions,

    #[cfg(feature = "postgres")]
    #[command(flatten)]
    postgres: PostgresServerOptions,
}

/// The servers that were named.
struct Servers {
    cassandra: Option<MadeOnCassandra>,
    #[cfg(feature = "postgres")]
    postgres: Option<MadeOnPostgres>,
}

impl Clean {
    pub fn run(self) -> Result<Exit> {
        let found = small_runtime()?.block_on(self.find())?;
        let chosen = choose(&found, &self.names)?;
        write!(stdout(), "{}", listed::in_words(&found, chosen.len()))?;
        if chosen.is_empty() {
            return Ok(Exit::Complete);
        }
        if !self.yes {
            if !can_ask() && !self.names.is_empty() {
                return Err(Misuse::new(anyhow!(
                    "this drops {}: confirm with --yes, since there is no terminal to ask on",
                    listed::to_drop(&chosen)
                ))
                .into());
            }
            if !can_ask() {
                print_line(
                    "nothing was dropped, since there is no terminal to ask on: repeat with --yes",
                );
                return Ok(Exit::Complete);
            }
            if !is_confirmed(&listed::to_drop(&chosen))? {
                print_line("nothing was dropped");
                return Ok(Exit::Complete);
            }
        }
        on_threads(1, async {
            tokio::select! {
                done = self.drop_all(&chosen) => done,
                () = asked_to_stop_leaving(LEFT_BEHIND) => {
                    print_line("interrupted: the same command drops what is left");
                    Ok(Exit::Interrupted)
                }
            }
        })
    }

    async fn connect(&self) -> Result<Servers> {
        Ok(Servers {
            cassandra: match self.cluster.cluster() {
                Some(cluster) => Some(MadeOnCassandra::connect(&cluster).await?),
                None => None,
            },
            #[cfg(feature = "postgres")]
            postgres: match self.postgres.server()? {
                Some(server) => Some(MadeOnPostgres::connect(&server).await?),
                None => None,
            },
        })
    }

    async fn find(&self) -> Result<Vec<Made>> {
        let progress = Progress::begin("looking for what commands have made");
        let found = self.connect().await?.find().await?;
        progress.finish();
        Ok(found)
    }

    /// Drops each of these, whatever becomes of the others.
    async fn drop_all(&self, chosen: &[&Made]) -> Result<Exit> {
        let servers = self.connect().await?;
        let mut failed = 0;
        for made in chosen {
            match servers.drop(made).await {
                Ok(()) => writeln!(stdout(), "dropped {} {}", made.kind, made.name)?,
                Err(error) => {
                    failed += 1;
                    print_line(format_args!(
                        "not dropped: {} {}: {error}",
                        made.kind, made.name
                    ));
                }
            }
        }
        if failed == 0 {
            return Ok(Exit::Complete);
        }
        let all = chosen.len();
        print_line(format_args!("{failed} of {all} could not be dropped"));
        Ok(Exit::Partial)
    }
}

impl Servers {
    async fn find(&self) -> Result<Vec<Made>, EngineError> {
        let mut found = Vec::new();
        if let Some(cassandra) = &self.cassandra {
            found.extend(cassandra.find().await?);
        }
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &self.postgres {
            found.extend(postgres.find().await?);
        }
        Ok(found)
    }

    async fn drop(&self, made: &Made) -> Result<(), EngineError> {
        #[cfg(feature = "postgres")]
        if let (bakeoff_engines::MadeKind::Schema, Some(postgres)) = (made.kind, &self.postgres) {
            return postgres.drop(made).await;
        }
        match &self.cassandra {
            Some(cassandra) => cassandra.drop(made).await,
            None => Err(EngineError(format!(
                "{} is on no server that was named",
                made.name
            ))),
        }
    }
}

/// Returns what to drop: what the user names or, without names, what commands left that were stopped or killed.
///
/// # Errors
/// Fails for a name that nothing has, and for something that is in use or not Bakeoff's.
fn choose<'a>(found: &'a [Made], names: &[String]) -> Result<Vec<&'a Made>> {
    if names.is_empty() {
        let stopped = found.iter().filter(|made| made.state == MadeState::Stopped);
        return Ok(stopped.collect());
    }
    for name in names {
        if !found.iter().any(|made| made.name == *name) {
            let names = found.iter().map(|made| &*made.name);
            return Err(Misuse::new(anyhow!(
                "no command has made `{name}` there{}",
                suggestion(name, names)
            ))
            .into());
        }
    }
    let chosen: Vec<&Made> = { found.iter() }
        .filter(|made| names.contains(&made.name))
        .collect();
    for made in &chosen {
        match &made.state {
            MadeState::InUse => bail!(
                "{} {} is in use by a command on this machine: wait until that has ended",
                made.kind,
                made.name
            ),
            MadeState::NotOurs(why) => bail!(
                "{} {} is not for Bakeoff to drop, since {why}: drop it yourself if it is not needed",
                made.kind,
                made.name
            ),
            MadeState::Stopped | MadeState::Kept | MadeState::NotKnown(_) => {}
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use bakeoff_engines::MadeKind;

    use super::*;

    fn made(name: &str, state: MadeState) -> Made {
        Made {
            kind: MadeKind::Keyspace,
            name: name.to_owned(),
            marker: "desk  /runs/a".to_owned(),
            state,
        }
    }

    #[test]
    fn without_a_name_only_what_was_stopped_here_is_dropped() {
        let found = [
            made("stopped", MadeState::Stopped),
            made("kept", MadeState::Kept),
            made("used", MadeState::InUse),
            made("unknown", MadeState::NotKnown("it is of another machine")),
            made("theirs", MadeState::NotOurs("it has no marker".to_owned())),
        ];
        let chosen = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            let chosen = choose(&found, &names);
            chosen.map(|made| {
                made.into_iter()
                    .map(|made| made.name.clone())
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(chosen(&[]).unwrap(), ["stopped"]);
        assert_eq!(chosen(&["unknown", "kept"]).unwrap(), ["kept", "unknown"]);
        for (name, why) in [
            ("used", "is in use by a command on this machine"),
            ("theirs", "since it has no marker"),
            ("stoped", "did you mean `stopped`?"),
        ] {
            let refused = chosen(&["stopped", name]).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
