//! Group of this process in the system's tree of control groups for memory or for the disk.

use std::fs;
use std::path::{Path, PathBuf};

use super::group::PROCESSES;

/// The group that this process moves to before its own group distributes resources to those of
/// servers: cgroup v2 allows that only for groups without processes.
const HARNESS: &str = "bakeoff";
const CONTROL: &str = "cgroup.subtree_control";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// A resource that groups can be bounded in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controller {
    Memory,
    Disk,
}

impl Controller {
    fn in_version_1(self) -> &'static str {
        match self {
            Controller::Memory => "memory",
            Controller::Disk => "blkio",
        }
    }

    fn in_version_2(self) -> &'static str {
        match self {
            Controller::Memory => "memory",
            Controller::Disk => "io",
        }
    }
}

/// The tree that accounts for a resource, and the group of this process in it.
#[derive(Debug, PartialEq)]
pub(crate) struct Hierarchy {
    controller: Controller,
    pub(crate) version: Version,
    mount: PathBuf,
    own: PathBuf,
}

impl Hierarchy {
    /// Returns the tree of this machine; `None` if the resource is not accounted for or `/proc` is not
    /// readable.
    pub(crate) fn here(controller: Controller) -> Option<Hierarchy> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        Hierarchy::parse(controller, &mounts, &groups)
    }

    /// Parses the texts of `/proc/self/mountinfo` and `/proc/self/cgroup` (see `proc(5)` and
    /// `cgroups(7)`). Version 1 is preferred: if both are mounted, a resource is in one of them, and
    /// only version 1 names it here.
    fn parse(controller: Controller, mounts: &str, groups: &str) -> Option<Hierarchy> {
        let name = controller.in_version_1();
        let (version, (root, mount), group) = match group_of(groups, name) {
            Some(group) => (Version::V1, mount_of(mounts, "cgroup", name)?, group),
            None => (
                Version::V2,
                mount_of(mounts, "cgroup2", "")?,
                group_of(groups, "")?,
            ),
        };
        let mount = PathBuf::from(mount);
        // In a container the path may be that of the host, of which only a part is mounted.
        let own = Path::new(group)
            .strip_prefix(root)
            .ok()
            .filter(|path| !path.starts_with(".."))
            .map_or_else(|| mount.clone(), |path| mount.join(path));
        Some(Hierarchy {
            controller,
            version,
            mount,
            own,
        })
    }

    /// Creates a group of that name in which the resource can be limited. It is within the group of this
    /// process if the system permits, so that all limits on this process apply to it as well.
    ///
    /// # Errors
    /// Returns the reason why there can be none.
    pub(crate) fn make_group(&self, name: &str) -> Result<PathBuf, String> {
        if self.version == Version::V1 {
            return make(&self.own, name);
        }
        self.distribute();
        let resource = self.controller.in_version_2();
        let mut reason = format!(
            "no control group from {} upwards distributes {resource}",
            self.own.display()
        );
        for parent in self.own.ancestors() {
            if !parent.starts_with(&self.mount) {
                break;
            }
            if has(&parent.join(CONTROL), resource) {
                match make(parent, name) {
                    Ok(group) => return Ok(group),
                    Err(refusal) => reason = refusal,
                }
            }
        }
        Err(reason)
    }

    /// Lets the group above that of a server distribute this resource, too. This may fail: then the
    /// server's group cannot be limited in it.
    pub(crate) fn distribute_below(&self, parent: &Path) {
        let more = format!("+{}", self.controller.in_version_2());
        if let Err(error) = fs::write(parent.join(CONTROL), &more) {
            tracing::debug!("{} distributes no more: {error}", parent.display());
        }
    }

    /// Lets the group of this process distribute the resource, if it was delegated to it and holds no
    /// other process. This may fail: then a group further up has to serve.
    fn distribute(&self) {
        let name = self.controller.in_version_2();
        let this = std::process::id().to_string();
        let alone =
            fs::read_to_string(self.own.join(PROCESSES)).is_ok_and(|list| list.trim() == this);
        let inner = self.own.join(HARNESS);
        // Other processes of the group would have to move as well, which is not Bakeoff's to
        // decide.
        if !alone
            || self.own.ends_with(HARNESS)
            || !has(&self.own.join("cgroup.controllers"), name)
            || make(&self.own, HARNESS).is_err()
        {
            return;
        }
        let shared = fs::write(inner.join(PROCESSES), &this)
            .and_then(|()| fs::write(self.own.join(CONTROL), format!("+{name}")));
        if let Err(error) = shared {
            tracing::debug!("{} cannot distribute {name}: {error}", self.own.display());
            let back = fs::write(self.own.join(PROCESSES), &this);
            if let Err(error) = back.and_then(|()| fs::remove_dir(&inner)) {
                tracing::debug!("{} stays: {error}", inner.display());
            }
        }
    }
}

/// Returns the group of this process for a controller; version 2 has one without a name.
fn group_of<'a>(groups: &'a str, controller: &str) -> Option<&'a str> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let mut controllers = fields.next()?.split(',');
        controllers.any(|c| c == controller).then_some(())?;
        fields.next()
    })
}

/// Returns root and mount point of the first file system of that kind, with that option if one is
/// named.
fn mount_of<'a>(mounts: &'a str, kind: &str, option: &str) -> Option<(&'a str, &'a str)> {
    mounts.lines().find_map(|line| {
        let (location, file_system) = line.split_once(" - ")?;
        let mut fields = file_system.split(' ');
        let fits = fields.next()? == kind
            && (option.is_empty() || fields.nth(1)?.split(',').any(|o| o == option));
        let mut location = location.split(' ').skip(3);
        fits.then_some((location.next()?, location.next()?))
    })
}

/// Creates the group, or recreates it: a group that a crash left behind has no processes and so can
/// be removed.
fn make(parent: &Path, name: &str) -> Result<PathBuf, String> {
    let group = parent.join(name);
    let made = fs::create_dir(&group).or_else(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            fs::remove_dir(&group).and_then(|()| fs::create_dir(&group))
        }
        _ => Err(error),
    });
    made.map(|()| group.clone()).map_err(|error| {
        format!(
            "the control group {} cannot be created: {error}",
            group.display()
        )
    })
}

fn has(list: &Path, word: &str) -> bool {
    fs::read_to_string(list).is_ok_and(|text| text.split_ascii_whitespace().any(|w| w == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(mounts: &str, groups: &str) -> (Version, String) {
        let found = Hierarchy::parse(Controller::Memory, mounts, groups).unwrap();
        (found.version, found.own.display().to_string())
    }

    #[test]
    fn memory_is_found_in_either_version() {
        let v1 = "14 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  20 31 0:38 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n";
        let groups = "4:cpu,memory:/user/a\n1:name=systemd:/\n0::/elsewhere\n";
        assert_eq!(
            parse(v1, groups),
            (Version::V1, "/sys/fs/cgroup/memory/user/a".into())
        );
        let v2 = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        assert_eq!(
            parse(v2, "0::/user.slice/a.scope\n"),
            (Version::V2, "/sys/fs/cgroup/user.slice/a.scope".into())
        );
        assert!(Hierarchy::parse(Controller::Memory, "", groups).is_none());
        assert!(Hierarchy::parse(Controller::Memory, v2, "").is_none());
    }

    #[test]
    fn the_disk_has_another_name_in_each_version() {
        let v1 = "14 31 0:32 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n";
        let v2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let found = |mounts, groups| Hierarchy::parse(Controller::Disk, mounts, groups).unwrap();
        let one = found(v1, "7:blkio:/a\n4:memory:/b\n");
        assert_eq!(
            (one.version, one.own),
            (Version::V1, "/sys/fs/cgroup/blkio/a".into())
        );
        let two = found(v2, "0::/c\n");
        assert_eq!(
            (two.version, two.own),
            (Version::V2, "/sys/fs/cgroup/c".into())
        );
        assert_eq!(two.controller.in_version_2(), "io");
    }

    #[test]
    fn a_containers_group_is_what_is_mounted() {
        let v1 = "1 2 0:3 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        for path in ["/docker/ab", "/../other"] {
            let (_, own) = parse(v1, &format!("4:memory:{path}\n"));
            assert_eq!(own.trim_end_matches('/'), "/sys/fs/cgroup/memory");
        }
        let (_, own) = parse(v1, "4:memory:/docker/ab/inner\n");
        assert_eq!(own, "/sys/fs/cgroup/memory/inner");
    }

    /// Makes a folder that looks like version 2: a slice that distributes memory or not, with a
    /// scope in it.
    fn v2(slice_shares: &str, scope_processes: &str) -> (tempfile::TempDir, Hierarchy) {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("slice/scope");
        fs::create_dir_all(&own).unwrap();
        let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
        write("slice/cgroup.subtree_control", slice_shares);
        write("slice/scope/cgroup.subtree_control", "");
        write("slice/scope/cgroup.controllers", "cpu memory pids");
        write("slice/scope/cgroup.procs", scope_processes);
        let hierarchy = Hierarchy {
            controller: Controller::Memory,
            version: Version::V2,
            mount: folder.path().to_owned(),
            own,
        };
        (folder, hierarchy)
    }

    #[test]
    fn a_shared_group_is_left_alone_and_one_further_up_is_taken() {
        let (folder, hierarchy) = v2("cpu memory", "1\n2\n");
        let group = hierarchy.make_group("a").unwrap();
        assert_eq!(group, folder.path().join("slice/a"));
        assert!(!hierarchy.own.join(HARNESS).exists());
        fs::write(group.join("held"), "").unwrap();
        assert!(
            hierarchy
                .make_group("a")
                .unwrap_err()
                .contains("cannot be created")
        );
        fs::remove_file(group.join("held")).unwrap();
        hierarchy.make_group("a").unwrap();
    }

    #[test]
    fn the_processs_own_group_distributes_memory_once_it_has_left_it() {
        let (_folder, hierarchy) = v2("", &format!("{}\n", std::process::id()));
        let shares = hierarchy.own.join("cgroup.subtree_control");
        hierarchy.distribute();
        // Where the kernel would list the controller.
        assert_eq!(fs::read_to_string(&shares).unwrap(), "+memory");
        let moved = fs::read_to_string(hierarchy.own.join(HARNESS).join(PROCESSES)).unwrap();
        assert_eq!(moved, std::process::id().to_string());
        fs::write(&shares, "memory").unwrap();
        let inner = Hierarchy {
            own: hierarchy.own.join(HARNESS),
            mount: hierarchy.mount.clone(),
            ..hierarchy
        };
        assert_eq!(inner.make_group("a").unwrap(), hierarchy.own.join("a"));
    }

    #[test]
    fn memory_that_no_group_distributes_is_reported() {
        let (_folder, hierarchy) = v2("cpu", "1\n");
        let reason = hierarchy.make_group("a").unwrap_err();
        assert!(reason.contains("distributes memory"), "{reason}");
    }
}
