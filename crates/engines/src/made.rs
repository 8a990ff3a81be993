//! What commands have made on servers of others: who made it, by the marker there, and whether that command is still
//! going on, as far as this machine knows.

mod log;

use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bakeoff_stats::Run;
use uuid::Uuid;

use self::log::Log;
use crate::EngineError;
use crate::owner::run_name;

/// The number of hexadecimal digits of a token.
const TOKEN_DIGITS: usize = 32;

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
        let log = self.log();
        if self.is_in_use(log.is_some()) {
            return MadeState::InUse;
        }
        self.state_at_rest(log)
    }

    /// Finds out the same where the log of the command may tell that it does not make what its marker is on: `is_made`
    /// is asked about the first line of the log, and `otherwise` says why such a thing is not the command's.
    pub(crate) fn state_of(
        &self,
        is_made: impl FnOnce(&str) -> bool,
        otherwise: &str,
    ) -> MadeState {
        let log = self.log();
        if self.is_in_use(log.is_some()) {
            return MadeState::InUse;
        }
        let is_made = log.as_ref().is_some_and(|log| is_made(&log.first_line));
        match self.state_at_rest(log) {
            MadeState::Stopped | MadeState::Kept if !is_made => {
                MadeState::NotOurs(otherwise.to_owned())
            }
            state => state,
        }
    }

    /// Returns whether a process of this machine writes to the command's folder, if the folder is here: its log says
    /// so, also if the machine had another name when the command began.
    fn is_in_use(&self, has_log: bool) -> bool {
        (has_log || self.is_of_this_machine()) && Run::is_being_written(&self.dir)
    }

    /// Finds out what has become of the command, by its log if that is here, if no process writes to its folder.
    fn state_at_rest(&self, log: Option<Log>) -> MadeState {
        if !self.is_of_this_machine() {
            return MadeState::NotKnown("it is of another machine");
        }
        if Run::is_hidden(&self.dir) {
            let why = "its folder may be in use, and may be looked into by another user only";
            return MadeState::NotOurs(why.to_owned());
        }
        // A container from the same image may have the same name and path, and another file system there.
        if self.token.is_none() {
            return MadeState::NotKnown("it is of an early version");
        }
        let Some(log) = log else {
            return MadeState::NotKnown("its folder is not here any more, or is another command's");
        };
        if Some(log.owner) != this_user() {
            return MadeState::NotKnown("it is of another user of this machine");
        }
        match log.has_ended() {
            Ok(true) => MadeState::Kept,
            Ok(false) => MadeState::Stopped,
            Err(_) => MadeState::NotKnown("its log cannot be read"),
        }
    }

    fn is_of_this_machine(&self) -> bool {
        run_name(&self.dir) == self.name
    }

    /// Opens the log in the command's folder, if that is here.
    fn log(&self) -> Option<Log> {
        Log::find(&self.dir, self.token.as_deref()?)
    }
}

/// Checks that something is still what it was found to be. Returns the lock of its command's folder and the first line
/// of the log there, where they are here. No command of this machine goes on with it while the lock is held.
pub(crate) fn hold(found: &Made) -> Result<(Option<File>, Option<String>), EngineError> {
    let refused = |why: &str| {
        EngineError(format!(
            "{} {} is left alone, since {why}",
            found.kind, found.name
        ))
    };
    match &found.state {
        MadeState::NotOurs(why) => return Err(refused(why)),
        MadeState::InUse => return Err(refused("it is in use")),
        MadeState::Stopped | MadeState::Kept | MadeState::NotKnown(_) => {}
    }
    let Some(maker) = found.maker() else {
        return Ok((None, None));
    };
    // A marker of somebody else may name any folder of this machine: only that of the command itself is locked.
    let is_here = maker.log().is_some();
    if maker.is_in_use(is_here) {
        return Err(refused(&format!(
            "a process of this machine writes to {}",
            maker.dir.display()
        )));
    }
    let lock = is_here.then(|| Run::lock(&maker.dir)).transpose();
    let lock = lock.map_err(|error| refused(&error.to_string()))?;
    // Nobody writes to the log any more.
    let log = maker.log();
    let begun = log.as_ref().map(|log| log.first_line.clone());
    if maker.state_at_rest(log) != found.state {
        return Err(refused(
            "its command has gone on meanwhile: repeat this to see what it is now",
        ));
    }
    Ok((lock, begun))
}

fn is_token(word: &str) -> bool {
    word.len() == TOKEN_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the id of the user that this process runs as.
fn this_user() -> Option<u32> {
    fs::metadata("/proc/self").ok().map(|process| process.uid())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::chown;
    use std::path::Path;

    use bakeoff_stats::drive::DriveRecord;
    use bakeoff_stats::{LogRecord, Record};

    use super::*;
    use crate::Context;
    use crate::owner::{marker, new_token};

    const NOBODY: u32 = 65_534;

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

        // Only root can give it to another user.
        if chown(&log, Some(NOBODY), None).is_ok() {
            let of_another = "it is of another user of this machine";
            assert_eq!(maker.state(), MadeState::NotKnown(of_another));
            chown(&log, this_user(), None).unwrap();
        }

        // Another command is in the folder now, as in a clone of this machine.
        let other = maker_in(folder.path());
        assert_eq!(other.state(), MadeState::NotKnown(gone));
        let elsewhere = format!("another-{} {token}", maker.name);
        let elsewhere = Maker::parse(&elsewhere).unwrap();
        let other_machine = MadeState::NotKnown("it is of another machine");
        assert_eq!(elsewhere.state(), other_machine);
        lock.lock().unwrap();
        assert_eq!(elsewhere.state(), MadeState::InUse, "a renamed machine");
        lock.unlock().unwrap();
        let early = Maker::parse(&maker.name).unwrap();
        let of_early = MadeState::NotKnown("it is of an early version");
        assert_eq!(early.state(), of_early);
    }

    #[test]
    fn what_is_dropped_cannot_be_gone_on_with_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let maker = maker_in(folder.path());
        let token = maker.token.clone().unwrap();
        let log = folder.path().join(Record::FILE);
        let begun = format!("{{\"record\":\"started\",\"token\":\"{token}\"}}\n");
        fs::write(&log, &begun).unwrap();
        let made = |state: MadeState| Made {
            kind: MadeKind::Keyspace,
            name: "bakeoff_w_0badcafe".to_owned(),
            marker: format!("{} {token}", maker.name),
            state,
        };
        let stopped = made(MadeState::Stopped);
        let (lock, first_line) = hold(&stopped).unwrap();
        assert_eq!(first_line.as_deref(), Some(begun.trim_end()));
        assert!(lock.is_some() && Run::is_being_written(folder.path()));
        let refused = hold(&stopped).unwrap_err().to_string();
        assert!(refused.contains("writes to"), "{refused}");
        drop(lock);
        for other in [
            MadeState::Kept,
            MadeState::InUse,
            MadeState::NotOurs("it has no marker".to_owned()),
        ] {
            let refused = hold(&made(other)).unwrap_err().to_string();
            assert!(refused.contains("is left alone, since"), "{refused}");
        }
        let unmarked = Made {
            marker: "a title (12345678)".to_owned(),
            ..made(MadeState::NotKnown("it is of a load"))
        };
        assert!(hold(&unmarked).unwrap().0.is_none());
    }
}
