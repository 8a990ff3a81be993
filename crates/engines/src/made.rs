//! What commands have made on servers of others: who made it, by the marker there, and whether that command is still
//! going on, as far as this machine knows.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_stats::drive::DriveRecord;
use bakeoff_stats::sweep::SweepRecord;
use bakeoff_stats::{LogRecord, Record, Run};
use uuid::Uuid;

use crate::EngineError;
use crate::owner::run_name;

/// The number of hexadecimal digits of a token.
const TOKEN_DIGITS: usize = 32;
/// The logs that commands write into their folder.
const LOGS: [&str; 3] = [Record::FILE, DriveRecord::FILE, SweepRecord::FILE];

/// Something on a server that commands of Bakeoff have made, or that is named as if they had.
#[derive(Debug, Clone)]
pub struct Made {
    pub kind: MadeKind,
    /// The name of the keyspace or the schema; of a table `KEYSPACE.TABLE`.
    pub name: String,
    /// What the marker says of the one who made it.
    pub marker: String,
    pub state: MadeState,
}

/// A kind of thing that is dropped in one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeKind {
    Keyspace,
    /// A table or a view in a keyspace that a user has made.
    Table,
    Schema,
}

/// Whether something is needed any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MadeState {
    /// Its command was stopped or killed on this machine. If that is a run, it would go on with it.
    Stopped,
    /// Its command has come to its end on this machine, so that it was kept on purpose.
    Kept,
    /// A process of this machine writes to the folder of its command.
    InUse,
    /// Nothing on this machine tells whether its command is going on, for this reason.
    NotKnown(&'static str),
    /// It is not for Bakeoff to drop, for this reason.
    NotOurs(String),
}

/// The command that a marker names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// The marker without the token.
    pub(crate) name: String,
    /// The name of its machine.
    pub host: String,
    /// The absolute path of its folder there.
    pub dir: PathBuf,
    /// The random token of the command; commands of early versions had none.
    pub token: Option<String>,
}

impl fmt::Display for MadeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MadeKind::Keyspace => "keyspace",
            MadeKind::Table => "table",
            MadeKind::Schema => "schema",
        })
    }
}

impl Made {
    /// Returns the command that made it; `None` if its marker is none of a command.
    pub fn maker(&self) -> Option<Maker> {
        Maker::parse(&self.marker)
    }
}

impl Maker {
    /// Takes the marker of a command apart; returns `None` for any other text.
    pub fn parse(marker: &str) -> Option<Maker> {
        let (name, token) = match marker.rsplit_once(' ') {
            Some((name, token)) if is_token(token) => (name, Some(token.to_owned())),
            _ => (marker, None),
        };
        let (host, rest) = name.split_once(' ')?;
        // The id of the machine may be empty.
        let (_, dir) = rest.split_once(' ')?;
        dir.starts_with('/').then(|| Maker {
            name: name.to_owned(),
            host: host.to_owned(),
            dir: PathBuf::from(dir),
            token,
        })
    }

    /// Returns how long ago the command began; `None` if its token does not tell.
    pub fn age(&self) -> Option<Duration> {
        let token = Uuid::try_parse(self.token.as_deref()?).ok()?;
        let (seconds, _) = token.get_timestamp()?.to_unix();
        let began = UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
        // The clock of the other machine may be ahead.
        Some(SystemTime::now().duration_since(began).unwrap_or_default())
    }

    /// Finds out whether the command is going on, by its folder if it is on this machine.
    pub fn state(&self) -> MadeState {
        if run_name(&self.dir) != self.name {
            return MadeState::NotKnown("it is of another machine");
        }
        if Run::is_being_written(&self.dir) {
            return MadeState::InUse;
        }
        // A container from the same image may have the same name and path, and another file system there.
        let Some(token) = &self.token else {
            return MadeState::NotKnown("it is of an early version");
        };
        match log_of(&self.dir, token) {
            Some(log) if is_complete(&log) => MadeState::Kept,
            Some(_) => MadeState::Stopped,
            None => MadeState::NotKnown("its folder is not here any more, or is another command's"),
        }
    }
}

/// Checks that no process of this machine needs something that is to be dropped.
pub(crate) fn check_unused(found: &Made) -> Result<(), EngineError> {
    match found.maker() {
        Some(maker) if maker.state() == MadeState::InUse => Err(EngineError(format!(
            "{} {} is in use: a process of this machine writes to {}",
            found.kind,
            found.name,
            maker.dir.display()
        ))),
        _ => Ok(()),
    }
}

fn is_token(word: &str) -> bool {
    word.len() == TOKEN_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the log in a folder of the command with this token, which its first line has.
fn log_of(dir: &Path, token: &str) -> Option<String> {
    let mut logs = LOGS.iter().filter_map(|name| {
        let bytes = std::fs::read(dir.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    });
    logs.find(|log| log.lines().next().is_some_and(|line| line.contains(token)))
}

/// Returns whether the last record of a log is that of a command's end.
fn is_complete(log: &str) -> bool {
    let last = log.lines().next_back().unwrap_or_default();
    let record: Option<serde_json::Value> = serde_json::from_str(last).ok();
    record.is_some_and(|record| record["record"] == "finished")
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;
    use crate::Context;
    use crate::owner::{marker, new_token};

    fn maker_in(dir: &Path) -> Maker {
        let context = Context {
            token: Some(new_token()),
            ..Context::of_test(&dir.display().to_string())
        };
        Maker::parse(&marker(&context)).unwrap()
    }

    #[test]
    fn a_marker_says_who_and_since_when() {
        let maker = maker_in(Path::new("/runs/with a space"));
        assert_eq!(maker.dir, Path::new("/runs/with a space"));
        assert!(maker.age().unwrap() < Duration::from_secs(60));
        let other = "desk  /runs/a 0190163d8694739bb6e15e4d63b1ab1c";
        let other = Maker::parse(other).unwrap();
        assert_eq!((&*other.host, &*other.dir), ("desk", Path::new("/runs/a")));
        assert!(other.age().unwrap() > Duration::from_secs(24 * 3600));
        let early = Maker::parse("desk 12ab /runs/a").unwrap();
        assert_eq!((early.token.as_ref(), early.age()), (None, None));
        for none in [
            "",
            "shared by several processes",
            "a title (12345678)",
            "a b",
        ] {
            assert_eq!(Maker::parse(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_needed_is_known_by_the_folder_and_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let maker = maker_in(folder.path());
        let gone = "its folder is not here any more, or is another command's";
        assert_eq!(maker.state(), MadeState::NotKnown(gone));
        let token = maker.token.clone().unwrap();
        let log = folder.path().join(DriveRecord::FILE);
        let begun = format!("{{\"record\":\"started\",\"statements\":\"{token}\"}}\n");
        fs::write(&log, &begun).unwrap();
        assert_eq!(maker.state(), MadeState::Stopped);
        fs::write(&log, format!("{begun}{{\"record\":\"fini")).unwrap();
        assert_eq!(maker.state(), MadeState::Stopped, "a torn line");

        let lock = File::create(folder.path().join("lock")).unwrap();
        lock.lock().unwrap();
        assert_eq!(maker.state(), MadeState::InUse);
        lock.unlock().unwrap();
        fs::write(&log, format!("{begun}{{\"record\":\"finished\"}}\n")).unwrap();
        assert_eq!(maker.state(), MadeState::Kept);

        // Another command is in the folder now, as in a clone of this machine.
        let other = maker_in(folder.path());
        assert_eq!(other.state(), MadeState::NotKnown(gone));
        let elsewhere = format!("another-{} {token}", maker.name);
        let elsewhere = Maker::parse(&elsewhere).unwrap();
        let other_machine = MadeState::NotKnown("it is of another machine");
        assert_eq!(elsewhere.state(), other_machine);
        let early = Maker::parse(&maker.name).unwrap();
        let of_early = MadeState::NotKnown("it is of an early version");
        assert_eq!(early.state(), of_early);
    }
}
