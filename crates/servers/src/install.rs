//! Commands that install a package of Debian on this system.

use std::fs;

const RELEASE: &str = "/etc/os-release";
/// The last Debian with a Java that Cassandra 5.0 runs on.
const LAST_DEBIAN_WITH_JAVA: u32 = 12;
const JAVA: &str = "openjdk-17-jre-headless";

/// Returns the command that installs a package here, in backquotes, or what to do if there is no
/// such command.
pub(crate) fn by_system(package: &str) -> String {
    // The packages of a system without this file are not known here.
    by_system_of(&fs::read_to_string(RELEASE).unwrap_or_default(), package)
}

fn by_system_of(release: &str, package: &str) -> String {
    let value = |key: &str| {
        let lines = release.lines().filter_map(|line| line.split_once('='));
        let mut values = lines
            .filter(|(name, _)| *name == key)
            .map(|(_, value)| value);
        values.next().unwrap_or_default().trim_matches('"')
    };
    let is_debian = value("ID") == "debian";
    let kin = value("ID_LIKE").split_whitespace().chain([value("ID")]);
    if !kin.into_iter().any(|id| ["debian", "ubuntu"].contains(&id)) {
        return format!("the package manager of this system (in Debian the package is {package})");
    }
    // Debian testing has no number yet.
    let version = value("VERSION_ID").parse().unwrap_or(u32::MAX);
    if is_debian && package == JAVA && version > LAST_DEBIAN_WITH_JAVA {
        return "an archive of Java 17, whose folder is then named in JAVA_HOME (this Debian has no \
                package of it)"
            .to_owned();
    }
    format!("`apt-get install {package}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN_12: &str =
        "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n";

    #[test]
    fn debian_and_its_kin_have_packages() {
        let ubuntu = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n";
        let mint = "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\n";
        for release in [DEBIAN_12, ubuntu, mint] {
            assert_eq!(
                by_system_of(release, JAVA),
                format!("`apt-get install {JAVA}`")
            );
        }
    }

    #[test]
    fn a_package_that_a_debian_does_not_have_is_not_proposed() {
        let testing = "ID=debian\nVERSION_CODENAME=forky\n";
        for release in [&*DEBIAN_12.replace("\"12\"", "\"13\""), testing] {
            assert!(
                by_system_of(release, JAVA).contains("JAVA_HOME"),
                "{release}"
            );
            assert_eq!(by_system_of(release, "maven"), "`apt-get install maven`");
        }
    }

    #[test]
    fn elsewhere_no_command_is_made_up() {
        for release in [
            "ID=fedora\nVERSION_ID=42\n",
            "ID=\"alpine\"\n",
            "",
            "broken\n=\n",
        ] {
            let advice = by_system_of(release, "maven");
            assert_eq!(
                advice,
                "the package manager of this system (in Debian the package is maven)"
            );
        }
    }
}
