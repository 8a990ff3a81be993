//! The settings of a server that whoever starts it chooses, besides its limits.

use serde::{Deserialize, Serialize};

use super::defaults::is_needed;
use crate::error::{Error, Result};

/// The settings of a server that whoever starts it chooses, besides its limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tuning {
    /// Whether requests time out as in a Cassandra as it is shipped, instead of after Bakeoff's much longer
    /// times.
    pub shipped_time_outs: bool,
    /// The size of the JVM's young generation in MiB; `None` leaves it to the JVM.
    pub young_mib: Option<u64>,
    /// The garbage collector; `None` means G1, as shipped.
    pub collector: Option<Collector>,
    /// The number of processors that the JVM takes the machine to have, by which it and Cassandra size their pools of
    /// threads; `None` leaves it to the JVM. Threads may still run on all of them.
    pub processors: Option<u32>,
    /// The milliseconds by which the clock of the last one of several nodes is ahead of that of this machine, or
    /// behind it if they are negative: for tests, with Cassandra 5.0 alone.
    #[serde(skip)]
    pub last_node_ahead_ms: i64,
    /// Whether each of several nodes is in a datacenter of its own, which are called `dc1`, `dc2` and so on: for
    /// tests.
    #[serde(skip)]
    pub own_datacenters: bool,
    /// Keys of `cassandra.yaml` with their values, in place of Bakeoff's own or in addition to them. A
    /// server does not start with a key that Bakeoff needs itself, nor with a value that is more than a
    /// word or a number. `sstable_format` stands for the format within the entry `sstable`.
    pub settings: Vec<(String, String)>,
    /// Whether a build without optimisation starts the server with the flags of one with it, instead of those by which
    /// tests start it quickly.
    #[serde(skip)]
    pub as_released: bool,
    /// Whether users have only the rights that they are granted, as on many clusters. The login that Bakeoff makes has
    /// all of them then.
    #[serde(skip)]
    pub checks_rights: bool,
}

/// A garbage collector of the JVM. G1 has the flags that Cassandra is shipped with, the others have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Collector {
    #[default]
    G1,
    Zgc,
    Parallel,
    Serial,
}

impl Collector {
    /// Returns its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Collector::G1 => "G1",
            Collector::Zgc => "ZGC",
            Collector::Parallel => "Parallel",
            Collector::Serial => "Serial",
        }
    }
}

impl Tuning {
    /// Returns the collector that the server is started with.
    pub(crate) fn collector(&self) -> Collector {
        self.collector.unwrap_or_default()
    }

    /// Checks that a server with this heap can be started so, as far as it is known without Cassandra.
    ///
    /// # Errors
    /// Fails with `Refused` for a young generation that the heap or the collector does not have, no processor, a key of
    /// `cassandra.yaml` that Bakeoff needs itself, or a value that is more than a word or a number.
    pub(crate) fn check(&self, heap_mib: u64) -> Result<()> {
        if let Some(young_mib) = self.young_mib {
            if self.collector() == Collector::Zgc {
                return Err(Error::Refused(
                    "ZGC has no young generation in Java 11 and 17: leave its size out".to_owned(),
                ));
            }
            if young_mib >= heap_mib {
                return Err(Error::Refused(format!(
                    "a young generation of {young_mib} MiB does not fit into Cassandra's heap of \
                     {heap_mib} MiB: make it smaller, or the heap larger"
                )));
            }
        }
        if self.processors == Some(0) {
            return Err(Error::Refused(
                "a JVM needs a processor: choose 1 or more, or leave their number out".to_owned(),
            ));
        }
        for (name, value) in &self.settings {
            if !is_name(name) || is_needed(name) {
                return Err(Error::Refused(format!(
                    "`{name}` of cassandra.yaml cannot be chosen: Bakeoff sets it itself, or it is no \
                     key; leave it out"
                )));
            }
            if !is_plain(value) {
                return Err(Error::Refused(format!(
                    "`{name}` of cassandra.yaml cannot be {value:?}: only words and numbers are written \
                     there"
                )));
            }
        }
        Ok(())
    }

    /// Describes the settings that may keep a server from starting, by their names in a workload; `None`
    /// if there are none.
    pub(crate) fn described(&self) -> Option<String> {
        let list = |settings: Vec<String>, table: &str| {
            let all = settings.join(", ");
            (!all.is_empty()).then(|| format!("[server.{table}] {all}"))
        };
        let settings = self.settings.iter();
        let settings = settings.map(|(name, value)| format!("{name} = {value}"));
        let young = self.young_mib.map(|mib| format!("young = {mib}MiB"));
        let collector = self.collector.map(|c| format!("collector = {}", c.name()));
        let processors = self.processors.map(|n| format!("processors = {n}"));
        let jvm = young.into_iter().chain(collector).chain(processors);
        let tables = [
            list(settings.collect(), "cassandra"),
            list(jvm.collect(), "jvm"),
        ];
        let tables: Vec<String> = tables.into_iter().flatten().collect();
        (!tables.is_empty()).then(|| tables.join("; "))
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == '_';
    !name.is_empty() && name.chars().all(is_letter)
}

/// Returns whether a value is one plain scalar in YAML, whatever follows it.
fn is_plain(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '/';
    digits.starts_with(|c: char| c.is_ascii_alphanumeric()) && digits.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, value: &str) -> Tuning {
        Tuning {
            settings: vec![(name.to_owned(), value.to_owned())],
            ..Tuning::default()
        }
    }

    #[test]
    fn plain_settings_pass() {
        for (name, value) in [
            ("row_cache_size", "512MiB"),
            ("compaction_throughput", "160MiB/s"),
            ("page_size_fail_threshold", "-1"),
            ("memtable_allocation_type", "offheap_objects"),
            ("hinted_handoff_enabled", "false"),
            ("sstable_format", "bti"),
        ] {
            of(name, value).check(512).unwrap();
        }
    }

    #[test]
    fn what_bakeoff_needs_cannot_be_chosen() {
        for name in [
            "cluster_name",
            "data_file_directories",
            "commitlog_directory",
            "listen_address",
            "rpc_address",
            "native_transport_port",
            "seed_provider",
            "authenticator",
            "authorizer",
            "roles_validity",
            "partitioner",
            "commitlog_sync",
            "commitlog_sync_period",
            "disk_failure_policy",
            "storage_compatibility_mode",
            "disk_access_mode",
            "auto_bootstrap",
            "initial_token",
            "sstable",
            "",
            "x y",
            "x: y\nauthenticator",
            "<<",
        ] {
            let refused = of(name, "x").check(512).unwrap_err().to_string();
            assert!(refused.contains("cannot be chosen"), "{name}: {refused}");
        }
    }

    #[test]
    fn a_value_that_is_more_than_a_value_is_refused() {
        for value in [
            "",
            "-",
            "- a",
            "a b",
            "a: b",
            "a\nauthenticator: AllowAllAuthenticator",
            "[a]",
            "{a: b}",
            "!!a",
            "&a",
            "*a",
            "#a",
            "'a'",
            "\"a\"",
            "|",
            "/a",
            "_a",
            "é",
        ] {
            let refused = of("row_cache_size", value).check(512).unwrap_err();
            let said = refused.to_string();
            assert!(said.contains("only words and numbers"), "{value:?}: {said}");
        }
    }

    #[test]
    fn a_young_generation_is_smaller_than_the_heap() {
        let young = |mib, collector| Tuning {
            young_mib: Some(mib),
            collector,
            ..Tuning::default()
        };
        young(511, None).check(512).unwrap();
        young(256, Some(Collector::Serial)).check(512).unwrap();
        let large = young(512, None).check(512).unwrap_err().to_string();
        assert!(
            large.contains("heap of 512 MiB: make it smaller"),
            "{large}"
        );
        let zgc = young(256, Some(Collector::Zgc)).check(512).unwrap_err();
        assert!(zgc.to_string().contains("ZGC has no young"), "{zgc}");
    }

    #[test]
    fn a_jvm_has_a_processor() {
        let with = |processors| Tuning {
            processors: Some(processors),
            ..Tuning::default()
        };
        with(1).check(512).unwrap();
        let none = with(0).check(512).unwrap_err().to_string();
        assert!(none.contains("a JVM needs a processor"), "{none}");
    }

    #[test]
    fn settings_are_named_as_in_a_workload() {
        assert_eq!(Tuning::default().described(), None);
        let time_outs = Tuning {
            shipped_time_outs: true,
            ..Tuning::default()
        };
        assert_eq!(time_outs.described(), None);
        let settings = of("row_cache_size", "512MiB").described();
        assert_eq!(
            settings.unwrap(),
            "[server.cassandra] row_cache_size = 512MiB"
        );
        let all = Tuning {
            young_mib: Some(256),
            collector: Some(Collector::G1),
            processors: Some(1),
            ..of("row_cache_size", "512MiB")
        };
        assert_eq!(
            all.described().unwrap(),
            "[server.cassandra] row_cache_size = 512MiB; [server.jvm] young = 256MiB, collector = G1, processors = 1"
        );
    }
}
