//! The JVM's flags, in argument files of one quoted flag a line.

use std::path::{Path, PathBuf};

use super::clock;
use super::config::quoted;
use super::datacenter;
use super::folder::{Folder, utf8};
use super::gc_log;
use super::jar_files::{jar_named, sorted_jars};
use super::naming;
use super::node::Node;
use super::ports::Ports;
use super::quick;
use super::release::Release;
use super::tuning::{Collector, Tuning};
use crate::error::{Error, Result};
use crate::files::write_synced;

const EXPORTS: [&str; 10] = [
    "java.base/java.lang.ref",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    // Its constructor of the authenticator for JMX is called by reflection.
    "java.management/com.sun.jmx.remote.security",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "jdk.unsupported/sun.misc",
];

const OPENS: [&str; 17] = [
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.module",
    "java.base/java.lang.reflect",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "java.rmi/sun.rmi.transport.tcp",
    "jdk.management/com.sun.management.internal",
];

/// Further packages whose objects 4.1 may look into, to know the memory that they take: its agent, which is older
/// than Java 17, asks for fields where that of 5.0 does not.
const OPENS_FOR_FOUR: [&str; 6] = [
    "java.base/java.lang.invoke",
    "java.base/java.lang.ref",
    "java.base/java.math",
    "java.base/java.net",
    "java.base/java.util.concurrent.locks",
    "java.base/java.util.function",
];

/// The flags that Cassandra is shipped with, so that it is measured as it is used. Those of its collector
/// come after them.
const GENERAL: [&str; 7] = [
    "-ea",
    "-da:net.openhft...",
    "-Xss256k",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseNUMA",
    "-XX:+PerfDisableSharedMem",
    "-XX:+UseThreadPriorities",
];

/// The collector that Cassandra is shipped with, and its flags.
const G1: [&str; 7] = [
    "-XX:+UseG1GC",
    "-XX:+ParallelRefProcEnabled",
    "-XX:MaxTenuringThreshold=1",
    "-XX:G1HeapRegionSize=16m",
    "-XX:G1RSetUpdatingPauseTimePercent=5",
    "-XX:MaxGCPauseMillis=300",
    "-XX:InitiatingHeapOccupancyPercent=70",
];

/// ZGC, which is experimental in Java 11.
const ZGC: [&str; 2] = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"];

/// The flags of the network that Cassandra is shipped with.
const NETWORK: [&str; 4] = [
    "-Djava.net.preferIPv4Stack=true",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.useCacheForAllThreads=true",
    "-Dio.netty.allocator.maxOrder=11",
];

/// The flags that spare a node its own waiting for others, since Bakeoff waits for them itself, and
/// that make it end if it cannot continue.
const NO_WAITING: [&str; 7] = [
    "-XX:+ExitOnOutOfMemoryError",
    "-Dcassandra-foreground=yes",
    "-Dcassandra.skip_wait_for_gossip_to_settle=0",
    "-Dcassandra.superuser_setup_delay_ms=0",
    // Since 5.0.9 a password can be changed only 5 s after it was set, and a start sets that of its role twice.
    "-Dcassandra.role_password_update_min_interval_in_ms=0",
    // Passwords are random and long, so that slow hashing would only delay logins.
    "-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4",
    "-Dcassandra.shutdown_announce_in_ms=0",
];

/// The package above the package of the class that [`super::naming`] compiles.
const NAMING_PACKAGE: &str = "bakeoff";

const TOOL: [&str; 3] = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"];

/// Writes the flags that a server of that release and its tools have in common.
pub(crate) fn write_shared(folder: &Folder, jars: &Path, release: Release) -> Result<()> {
    let mut flags: Vec<_> = EXPORTS
        .iter()
        .map(|package| format!("--add-exports={package}=ALL-UNNAMED"))
        .collect();
    let further: &[&str] = match release {
        Release::Four => &OPENS_FOR_FOUR,
        Release::Five => &[],
    };
    let opens = OPENS.iter().chain(further);
    flags.extend(opens.map(|package| format!("--add-opens={package}=ALL-UNNAMED")));
    flags.extend([
        "-Djdk.attach.allowAttachSelf=true".to_owned(),
        "-Djna.nosys=true".to_owned(),
        format!("-Dcassandra.config={}", file_url(&folder.yaml())?),
        format!("-Dcassandra.storagedir={}", utf8(folder.path())?),
        format!(
            "-Dlogback.configurationFile={}",
            file_url(&folder.logback())?
        ),
        format!("-Duser.home={}", utf8(&folder.home())?),
        format!("-Djava.naming.factory.url.pkgs={NAMING_PACKAGE}"),
        "-cp".to_owned(),
        class_path(jars)? + &further_path(&folder.naming())? + &further_path(&folder.clock())?,
    ]);
    let lines: Vec<_> = flags.iter().map(quoted).collect();
    write_synced(&folder.flags(), &(lines.join("\n") + "\n"))
}

/// Returns the option that makes `java` read the shared flags.
pub(crate) fn argument_file(folder: &Folder) -> Result<String> {
    Ok(format!("@{}", utf8(&folder.flags())?))
}

/// Returns the server's own flags, which follow those in the shared file.
pub(crate) fn server(
    folder: &Folder,
    agent: &Path,
    heap_mib: u64,
    ports: Ports,
    node: Node,
    tuning: &Tuning,
) -> Result<Vec<String>> {
    let mut flags = vec![
        format!("-javaagent:{}", utf8(agent)?),
        format!("-Xms{heap_mib}M"),
        format!("-Xmx{heap_mib}M"),
        format!("-XX:ErrorFile={}", utf8(&folder.logs().join("hs_err.log"))?),
        format!("-Dbakeoff.log={}", utf8(&folder.log())?),
        gc_log::flag(&utf8(&gc_log::path(&folder.logs()))?, tuning.collector()),
        format!("-Dcassandra.jmx.local.port={}", ports.jmx),
        "-Dcom.sun.management.jmxremote.authenticate=true".to_owned(),
        format!(
            "-Dcom.sun.management.jmxremote.password.file={}",
            utf8(&folder.jmx_password_file())?
        ),
    ];
    if node.is_alone() {
        flags.extend(quick::alone(tuning).map(|flag| (*flag).to_owned()));
    }
    if datacenter::is_own(node, tuning) {
        let file = file_url(&folder.datacenter())?;
        flags.push(format!("-D{}={file}", datacenter::PROPERTY));
    }
    flags.extend(clock::flags(node, tuning));
    flags.extend(common_flags(tuning));
    Ok(flags)
}

/// Returns a tool's own flags: it lives for a second, so it should neither warm up nor use many
/// threads.
pub(crate) fn tool(folder: &Folder, tuning: &Tuning) -> Result<Vec<String>> {
    let all = TOOL.iter().chain(quick::tool(tuning));
    let mut flags: Vec<_> = all.map(|flag| (*flag).to_owned()).collect();
    flags.push(format!(
        "-Dbakeoff.log={}",
        utf8(&folder.logs().join("nodetool.log"))?
    ));
    Ok(flags)
}

/// Returns the server's flags that a report shows: those that every server with the same tuning has.
pub(crate) fn reported(tuning: &Tuning) -> String {
    common_flags(tuning).join(" ")
}

fn common_flags(tuning: &Tuning) -> Vec<String> {
    let collector: &[&str] = match tuning.collector() {
        Collector::G1 => &G1,
        Collector::Zgc => &ZGC,
        Collector::Parallel => &["-XX:+UseParallelGC"],
        Collector::Serial => &["-XX:+UseSerialGC"],
    };
    let shipped = GENERAL.iter().chain(collector).chain(&NETWORK);
    let flags = shipped
        .chain(&NO_WAITING)
        .chain(quick::server(tuning))
        .copied();
    let young = tuning.young_mib.map(|mib| format!("-Xmn{mib}M"));
    let processors = tuning
        .processors
        .map(|n| format!("-XX:ActiveProcessorCount={n}"));
    let chosen = young.into_iter().chain(processors);
    flags.map(str::to_owned).chain(chosen).collect()
}

/// Returns the jar whose name begins with `name`.
pub(crate) fn agent(jars: &Path, name: &str) -> Result<PathBuf> {
    jar_named(jars, name)?.ok_or_else(|| {
        Error::Refused(format!(
            "there is no {name}*.jar in {}: delete that folder, and it is fetched again",
            jars.display()
        ))
    })
}

/// Returns the addition to the class path of a folder of classes, if there is one.
fn further_path(classes: &Path) -> Result<String> {
    if !classes.is_dir() {
        return Ok(String::new());
    }
    naming::check_colon(classes)?;
    Ok(format!(":{}", utf8(classes)?))
}

/// Returns the class path of Cassandra's jars.
pub(crate) fn class_path(jars: &Path) -> Result<String> {
    let jars: Vec<_> = sorted_jars(jars)?
        .iter()
        .map(|jar| utf8(jar))
        .collect::<Result<_>>()?;
    if let Some(jar) = jars.iter().find(|jar| jar.contains(':')) {
        return Err(Error::Refused(format!(
            "Java cannot find {jar} because of the colon in its name: set BAKEOFF_HOME to another folder"
        )));
    }
    Ok(jars.join(":"))
}

fn file_url(path: &Path) -> Result<String> {
    let mut url = "file://".to_owned();
    for byte in utf8(path)?.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_file_has_a_quoted_flag_a_line_and_the_jars_in_order() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(&parent.path().join("a b")).unwrap();
        for name in ["b.jar", "a.jar", "jamm-0.4.0.jar", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        write_shared(&folder, folder.path(), Release::Five).unwrap();
        let text = std::fs::read_to_string(folder.flags()).unwrap();
        assert!(
            text.lines()
                .all(|line| line.starts_with('"') && line.ends_with('"')),
            "{text}"
        );
        assert!(text.contains("a%20b/conf/cassandra.yaml\"\n"), "{text}");
        let path = text.lines().last().unwrap();
        let names: Vec<_> = path
            .trim_matches('"')
            .split(':')
            .map(|p| p.rsplit('/').next())
            .collect();
        assert_eq!(
            names,
            [Some("a.jar"), Some("b.jar"), Some("jamm-0.4.0.jar")]
        );
        assert!(
            agent(folder.path(), "jamm-")
                .unwrap()
                .ends_with("jamm-0.4.0.jar")
        );
        assert!(agent(folder.path(), "other-").is_err());
        let locks = "--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED";
        assert!(!text.contains(locks), "{text}");
        write_shared(&folder, folder.path(), Release::Four).unwrap();
        let text = std::fs::read_to_string(folder.flags()).unwrap();
        assert!(text.contains(locks), "{text}");
    }

    #[test]
    fn a_report_shows_every_flag_that_all_servers_have() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::create(parent.path()).unwrap();
        let ports = Ports::for_clients(1);
        let tuning = Tuning::default();
        let (agent, node) = (Path::new("/jamm.jar"), Node::default());
        let started_with = server(&folder, agent, 512, ports, node, &tuning).unwrap();
        let reported = reported(&tuning);
        let own = started_with.len() - reported.split(' ').count();
        assert_eq!(started_with[own..].join(" "), reported);
        let holds_heap = |flag: &String| flag.starts_with("-Xmx");
        assert!(started_with[..own].iter().any(holds_heap));
    }

    #[test]
    fn a_server_has_one_collector_with_its_own_flags() {
        for (collector, flag) in [
            (None, "-XX:+UseG1GC"),
            (Some(Collector::G1), "-XX:+UseG1GC"),
            (Some(Collector::Zgc), "-XX:+UseZGC"),
            (Some(Collector::Parallel), "-XX:+UseParallelGC"),
            (Some(Collector::Serial), "-XX:+UseSerialGC"),
        ] {
            let tuning = Tuning {
                collector,
                ..Tuning::default()
            };
            let flags = common_flags(&tuning);
            let collectors = flags.iter().filter(|flag| flag.ends_with("GC"));
            assert_eq!(collectors.collect::<Vec<_>>(), [flag]);
            let of_g1 = flags
                .iter()
                .filter(|flag| flag.starts_with("-XX:G1"))
                .count();
            assert_eq!(of_g1 > 0, flag == "-XX:+UseG1GC", "{flags:?}");
            assert!(
                !flags.iter().any(|flag| flag.starts_with("-Xmn")),
                "{flags:?}"
            );
        }
    }

    #[test]
    fn processors_are_reported_where_they_are_chosen() {
        let tuning = Tuning {
            processors: Some(1),
            ..Tuning::default()
        };
        let with = reported(&tuning);
        assert!(with.ends_with(" -XX:ActiveProcessorCount=1"), "{with}");
        let without = reported(&Tuning::default());
        assert!(!without.contains("ActiveProcessorCount"), "{without}");
    }

    #[test]
    fn a_young_generation_is_reported() {
        let tuning = Tuning {
            young_mib: Some(256),
            ..Tuning::default()
        };
        let reported = reported(&tuning);
        assert!(reported.ends_with(" -Xmn256M"), "{reported}");
    }

    #[test]
    fn classes_for_a_java_that_lacks_them_come_after_the_jars() {
        let parent = tempfile::tempdir().unwrap();
        for (name, fits) in [("a", true), ("a:b", false)] {
            let folder = Folder::create(&parent.path().join(name)).unwrap();
            assert_eq!(further_path(&folder.naming()).unwrap(), "");
            std::fs::create_dir(folder.naming()).unwrap();
            assert_eq!(further_path(&folder.naming()).is_ok(), fits, "{name}");
        }
    }

    #[test]
    fn a_folder_that_would_split_the_class_path_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let jars = parent.path().join("a:b");
        std::fs::create_dir(&jars).unwrap();
        std::fs::write(jars.join("a.jar"), "").unwrap();
        assert!(class_path(&jars).unwrap_err().to_string().contains("colon"));
    }
}
