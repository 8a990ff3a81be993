//! The user of the system that a server runs as. If Bakeoff runs as root, that is another user where there is one
//! who can: whoever gets into a server of root's has the machine.
//!
//! The folder of the server stays root's, so that nothing can be put in the place of what root writes there. The
//! folders in it that the server writes are that user's.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::credentials::JMX_PASSWORD;
use super::folder::{CONFIGURATION, ENTERED, Folder, HOME, LOGS, PRIVATE, STORED};
use super::internode::STORE;
use super::jar_files::sorted_jars;
use crate::account::{Account, run_as};
use crate::error::{Error, Result};
use crate::gate::gated;
use crate::limited::{VERSION_LIMIT, output_within};
use crate::opened::OpenFolder;

const ROOT: u32 = 0;

/// Prints the first of the files in its arguments that cannot be read, and fails if there is one.
const FIRST_UNREADABLE: &str =
    r#"for file do test -r "$file" || { printf '%s\n' "$file"; exit 1; }; done"#;

/// The user of the system that a server runs as.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RunsAs {
    /// The user who runs Bakeoff.
    #[default]
    Us,
    /// An account without rights, since Bakeoff runs as root.
    Account(Account),
    /// Root, for this reason.
    Root(String),
}

impl RunsAs {
    /// Chooses the user for a server whose folder has its configuration and passwords, and gives that user what the
    /// server writes.
    ///
    /// # Errors
    /// Fails with `Refused` if root would have to run the server with what another user has written, `Io`.
    pub(super) fn choose(folder: &Folder, java: &Path, jars: &Path) -> Result<RunsAs> {
        let opened = OpenFolder::open(folder.path())?;
        if !rustix::process::geteuid().is_root() {
            opened.set_mode(PRIVATE)?;
            return Ok(RunsAs::Us);
        }
        if opened.owner()? != ROOT {
            opened.set_mode(PRIVATE)?;
            return Ok(RunsAs::Root("its folder is another user's".to_owned()));
        }
        let jars = sorted_jars(jars)?;
        match usable_account(folder, &opened, java, &jars) {
            Ok(account) => {
                folder.give_to(&account, &opened)?;
                Ok(RunsAs::Account(account))
            }
            Err(reason) => {
                opened.set_mode(PRIVATE)?;
                folder.check_is_roots(&reason)?;
                Ok(RunsAs::Root(reason))
            }
        }
    }

    /// Returns the account, if it is another one than that of Bakeoff.
    pub(super) fn account(&self) -> Option<&Account> {
        match self {
            RunsAs::Account(account) => Some(account),
            RunsAs::Us | RunsAs::Root(_) => None,
        }
    }

    /// Returns the value of the setting that a report shows, if there is something to show.
    pub(super) fn setting(&self) -> Option<String> {
        match self {
            RunsAs::Us => None,
            RunsAs::Account(account) => Some(account.name.clone()),
            RunsAs::Root(reason) => Some(format!("root, since {reason}")),
        }
    }
}

/// Returns the account for a server, and lets it enter the server's folder.
///
/// # Errors
/// The reason why there is none that can run the server.
fn usable_account(
    folder: &Folder,
    opened: &OpenFolder,
    java: &Path,
    jars: &[PathBuf],
) -> Result<Account, String> {
    if let Some(link) = folder.link() {
        return Err(format!("`{link}` in its folder is a link"));
    }
    let account = Account::for_cassandra()?;
    let name = &account.name;
    if let Some(jar) = first_unreadable(&account, jars)? {
        return Err(format!(
            "user '{name}' cannot read {jar}: set BAKEOFF_HOME to a folder that others may enter, such as \
             /var/lib/bakeoff"
        ));
    }
    if let Err(reason) = account.runs(java, "-version") {
        let reason = reason.lines().next().unwrap_or_default();
        let java = java.display();
        return Err(format!("user '{name}' cannot run {java}: {reason}"));
    }
    if !is_seen(&account) {
        let hidden = "this system does not show root what processes of other users read and write, which \
                      containers do with --cap-add SYS_PTRACE";
        return Err(hidden.to_owned());
    }
    let entered = { opened.set_group(account.gid) }.and_then(|()| opened.set_mode(ENTERED));
    entered.map_err(|error| error.to_string())?;
    let mut read_first = vec![folder.yaml(), folder.logback(), folder.flags()];
    let classes = [folder.naming(), folder.clock()];
    read_first.extend(classes.into_iter().filter(|classes| classes.is_dir()));
    match first_unreadable(&account, &read_first)? {
        None => Ok(account),
        Some(file) => Err(format!("user '{name}' cannot read {file}")),
    }
}

fn first_unreadable(account: &Account, files: &[PathBuf]) -> Result<Option<String>, String> {
    let mut reading = run_as(Command::new("/bin/sh"), Some(account));
    reading
        .args(["-c", FIRST_UNREADABLE, "sh"])
        .args(files)
        .current_dir("/");
    let read = output_within(&mut reading, VERSION_LIMIT)
        .map_err(|error| format!("user '{}' cannot run /bin/sh: {error}", account.name))?;
    let file = String::from_utf8_lossy(&read.stdout).trim().to_owned();
    Ok((!read.status.success()).then_some(file))
}

/// Returns whether this process sees how much a process of that account reads and writes, as far as the system counts
/// it: figures of a load need it.
fn is_seen(account: &Account) -> bool {
    if fs::read("/proc/self/io").is_err() {
        return true;
    }
    let waiting = run_as(gated(&Command::new("true")), Some(account))
        .current_dir("/")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut waiting) = waiting else {
        return false;
    };
    let seen = fs::read(format!("/proc/{}/io", waiting.id()));
    // It waits at the gate, and ends without having begun.
    let _ = waiting.wait();
    seen.is_ok()
}

/// Returns the names of the folders that the server writes.
fn written() -> impl Iterator<Item = &'static str> {
    STORED.into_iter().chain([LOGS, HOME])
}

impl Folder {
    /// Gives an account the folders that the server writes, with all that an earlier start has left there, and the
    /// password that it reads. All of it is found in the opened folder, where nobody else could put anything: by
    /// their paths, others might be given away.
    fn give_to(&self, account: &Account, opened: &OpenFolder) -> Result<()> {
        for name in written() {
            opened.create_folder(name)?;
            // Cassandra says what is wrong with a file in the place of a folder.
            if self.path().join(name).is_file() {
                continue;
            }
            let folder = opened.folder(name)?;
            folder.give_to(account)?;
            folder.set_mode(PRIVATE)?;
            folder.give_contents_to(account)?;
        }
        let configuration = opened.folder(CONFIGURATION)?;
        if self.store().is_file() {
            configuration.give_file_to(STORE, account)?;
        }
        configuration.give_file_to(JMX_PASSWORD, account)
    }

    /// Returns the first of the folders that the server writes which is a link: what it leads to is not ours to
    /// give away.
    fn link(&self) -> Option<&'static str> {
        let is_link = |name: &&str| self.path().join(name).is_symlink();
        written().find(is_link)
    }

    /// Checks that no other user has written what the server would use: there might be links that root would
    /// follow.
    ///
    /// # Errors
    /// Fails with `Refused` when one has.
    fn check_is_roots(&self, reason: &str) -> Result<()> {
        let of_another = |name: &&str| {
            let found = fs::symlink_metadata(self.path().join(name));
            found.is_ok_and(|found| found.uid() != ROOT)
        };
        match written().find(of_another) {
            None => Ok(()),
            Some(name) => Err(Error::Refused(format!(
                "`{name}` in {} belongs to another user than root, and Cassandra cannot run as such a user: \
                 {reason}. Change that, or choose another folder",
                self.path().display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A server's folder in one, and in another one a Java that does nothing, and a jar.
    struct Place {
        above: tempfile::TempDir,
        programs: tempfile::TempDir,
        folder: Folder,
    }

    impl Place {
        /// Returns `None` where no server runs as somebody else.
        fn new() -> Option<Place> {
            let above = open_to_all();
            let folder = Folder::create(&above.path().join("server")).unwrap();
            for file in [folder.yaml(), folder.logback(), folder.flags()] {
                fs::write(file, "").unwrap();
            }
            folder.prepare_login(None).unwrap();
            let programs = open_to_all();
            let java = programs.path().join("java");
            fs::write(&java, "#!/bin/sh\n").unwrap();
            set_mode(&java, 0o755);
            fs::create_dir(programs.path().join("jars")).unwrap();
            fs::write(programs.path().join("jars/a.jar"), "").unwrap();
            let place = Place {
                above,
                programs,
                folder,
            };
            if !rustix::process::geteuid().is_root() {
                assert_eq!(place.choose().unwrap(), RunsAs::Us);
                bakeoff_testing::skipped("only root starts servers as another user");
                return None;
            }
            let account = Account::for_cassandra().unwrap();
            if !account.reaches(&std::env::temp_dir()) || !is_seen(&account) {
                bakeoff_testing::skipped(format_args!(
                    "user '{}' cannot enter the folder for temporary files, or is not seen",
                    account.name
                ));
                return None;
            }
            Some(place)
        }

        fn choose(&self) -> Result<RunsAs> {
            let programs = self.programs.path();
            RunsAs::choose(&self.folder, &programs.join("java"), &programs.join("jars"))
        }
    }

    fn open_to_all() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        set_mode(folder.path(), 0o755);
        folder
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn owner_and_mode(path: &Path) -> (u32, u32) {
        let found = fs::metadata(path).unwrap();
        (found.uid(), found.permissions().mode() & 0o777)
    }

    #[test]
    fn root_starts_it_as_another_user_who_owns_what_it_writes() {
        let Some(place) = Place::new() else {
            return;
        };
        let folder = &place.folder;
        fs::create_dir_all(folder.data().join("old")).unwrap();
        fs::write(folder.data().join("old/table"), "").unwrap();
        let runs_as = place.choose().unwrap();
        let Some(Account { uid, name, .. }) = runs_as.account() else {
            panic!("{runs_as:?}");
        };
        assert_ne!(*uid, ROOT);
        assert_eq!(runs_as.setting().as_ref(), Some(name));
        assert_eq!(owner_and_mode(folder.path()), (ROOT, ENTERED));
        for name in written() {
            let written = folder.path().join(name);
            assert_eq!(owner_and_mode(&written), (*uid, PRIVATE), "{name}");
        }
        assert_eq!(owner_and_mode(&folder.data().join("old/table")).0, *uid);
        assert_eq!(owner_and_mode(&folder.jmx_password_file()), (*uid, 0o600));
        assert_eq!(owner_and_mode(&folder.password_file()), (ROOT, 0o600));
        for own in [folder.configuration(), folder.flags()] {
            assert_eq!(owner_and_mode(&own).0, ROOT, "{own:?}");
        }
        assert_eq!(place.choose().unwrap(), runs_as);
    }

    #[test]
    fn what_keeps_the_other_user_from_it_is_said() {
        let Some(place) = Place::new() else {
            return;
        };
        let why = || match place.choose().unwrap() {
            RunsAs::Root(reason) => reason,
            other => panic!("{other:?}"),
        };
        set_mode(place.above.path(), 0o700);
        let cannot = format!("cannot read {}", place.folder.yaml().display());
        assert!(why().ends_with(&cannot), "{}", why());
        assert_eq!(owner_and_mode(place.folder.path()), (ROOT, PRIVATE));
        set_mode(place.above.path(), 0o755);
        let jars = place.programs.path().join("jars");
        set_mode(&jars, 0o700);
        let jar = jars.join("a.jar");
        let cannot = format!(
            "cannot read {}: set BAKEOFF_HOME to a folder ",
            jar.display()
        );
        assert!(why().contains(&cannot), "{}", why());
        set_mode(&jars, 0o755);
        set_mode(&place.programs.path().join("java"), 0o700);
        assert!(why().contains("cannot run "), "{}", why());
    }

    #[test]
    fn what_a_link_in_the_folder_leads_to_is_not_given_away() {
        let Some(place) = Place::new() else {
            return;
        };
        let elsewhere = open_to_all();
        fs::write(elsewhere.path().join("of-others"), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.folder.data()).unwrap();
        let runs_as = place.choose().unwrap();
        assert_eq!(
            runs_as,
            RunsAs::Root("`data` in its folder is a link".to_owned())
        );
        assert_eq!(owner_and_mode(elsewhere.path()), (ROOT, 0o755));
        assert_eq!(owner_and_mode(&elsewhere.path().join("of-others")).0, ROOT);
    }

    #[test]
    fn root_runs_nothing_with_what_another_user_has_written() {
        let Some(place) = Place::new() else {
            return;
        };
        let runs_as = place.choose().unwrap();
        assert!(runs_as.account().is_some(), "{runs_as:?}");
        set_mode(place.above.path(), 0o700);
        let error = place.choose().unwrap_err().to_string();
        assert!(error.contains("`data` in "), "{error}");
        assert!(error.contains("belongs to another user"), "{error}");
        // Giving back the tables alone is not enough.
        std::os::unix::fs::chown(place.folder.data(), Some(ROOT), Some(ROOT)).unwrap();
        let error = place.choose().unwrap_err().to_string();
        assert!(error.contains("`commitlog` in "), "{error}");
        assert!(error.contains("cannot read "), "{error}");
    }
}
