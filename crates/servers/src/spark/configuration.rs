//! The settings that Spark is given, which reports show. None of them is a secret.

use std::net::IpAddr;
use std::path::Path;

use super::options::SparkOptions;

/// The share of the heap that the rows of one answer may take, as a divisor, before it fails by itself.
const ANSWER_SHARE: u64 = 4;

/// Settings of each session, wherever Spark runs.
const OF_SESSIONS: [(&str, &str); 7] = [
    // SQL as in other engines: an overflow is an error, and times have no zone.
    ("spark.sql.ansi.enabled", "true"),
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.timestampType", "TIMESTAMP_NTZ"),
    // Files have the days of one calendar, also those before 1582, at which Spark would stop otherwise.
    ("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED"),
    // A question reads the table of its workload, and no file or variable that it names.
    ("spark.sql.runSQLOnFiles", "false"),
    ("spark.sql.variable.substitute", "false"),
    // It skips batches of a cached table by their highest values, in which NaN does not count.
    (
        "spark.sql.inMemoryColumnarStorage.partitionPruning",
        "false",
    ),
];

/// What the settings of a driver on this machine depend on.
pub(super) struct DriverPlace<'a> {
    /// The heap of its Java.
    pub(super) heap_mib: u64,
    /// The folder for what it writes for itself.
    pub(super) temporary: &'a Path,
    /// The address at which executors reach it.
    pub(super) address: IpAddr,
}

/// Returns the settings of a Spark, with those of its driver if that is on this machine.
pub(super) fn configuration(
    options: &SparkOptions,
    driver: Option<&DriverPlace<'_>>,
) -> Vec<(String, String)> {
    let of_driver = driver.map(|driver| of_driver(options, driver));
    let of_sessions = OF_SESSIONS.map(|(name, value)| (name, value.to_owned()));
    of_driver
        .into_iter()
        .flatten()
        .chain(of_sessions)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn of_driver(options: &SparkOptions, driver: &DriverPlace<'_>) -> Vec<(&'static str, String)> {
    let threads = options.threads;
    let DriverPlace {
        heap_mib,
        temporary,
        address,
    } = driver;
    let temporary_name = temporary.file_name().unwrap_or_default();
    let mut settings = vec![
        ("spark.app.name", "bakeoff".to_owned()),
        ("spark.driver.memory", format!("{heap_mib}m")),
        (
            "spark.driver.maxResultSize",
            format!("{}m", heap_mib / ANSWER_SHARE),
        ),
        // On this machine alone that is loopback. Executors of a cluster need an address in the network, and without a
        // secret whoever reaches its ports runs code as the user of this process.
        ("spark.driver.host", address.to_string()),
        ("spark.driver.bindAddress", address.to_string()),
        ("spark.ui.enabled", "false".to_owned()),
        ("spark.ui.showConsoleProgress", "false".to_owned()),
        // Within its working folder, whose name Spark would divide at commas.
        (
            "spark.local.dir",
            temporary_name.to_string_lossy().into_owned(),
        ),
        ("spark.sql.warehouse.dir", "warehouse".to_owned()),
        (
            "spark.driver.extraJavaOptions",
            format!(
                "-XX:-UsePerfData \"-Djava.io.tmpdir={}\"",
                { temporary.display().to_string() }
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"")
            ),
        ),
    ];
    match &options.cluster {
        None => settings.extend([
            ("spark.master", format!("local[{threads}]")),
            // By default it makes 200 parts of whatever is grouped or joined.
            ("spark.sql.shuffle.partitions", threads.to_string()),
            // Other users of this machine do not know the secret, which Spark makes for each start.
            ("spark.authenticate", "true".to_owned()),
        ]),
        Some(cluster) => settings.extend([
            ("spark.master", cluster.to_string()),
            // The secret is that of the cluster, which refuses any other one. If it has none, anyone is let in.
            ("spark.authenticate", cluster.secret().is_some().to_string()),
        ]),
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::super::cluster::SparkCluster;
    use super::*;

    fn options(url: Option<&str>, token: Option<&str>) -> SparkOptions {
        let cluster = url.map(|url| SparkCluster::new(url, token).unwrap());
        SparkOptions {
            cluster,
            ..SparkOptions::new("/runs/a/spark", 3)
        }
    }

    fn driver() -> DriverPlace<'static> {
        DriverPlace {
            heap_mib: 2048,
            temporary: Path::new("/runs/a, \"b\"/spark/tmp"),
            address: IpAddr::from([127, 0, 0, 1]),
        }
    }

    fn value<'a>(settings: &'a [(String, String)], name: &str) -> Option<&'a str> {
        let setting = settings.iter().find(|setting| setting.0 == name);
        setting.map(|setting| setting.1.as_str())
    }

    #[test]
    fn a_spark_of_this_machine_computes_on_its_threads() {
        let settings = configuration(&options(None, None), Some(&driver()));
        for (name, expected) in [
            ("spark.master", "local[3]"),
            ("spark.sql.shuffle.partitions", "3"),
            ("spark.driver.maxResultSize", "512m"),
            ("spark.driver.host", "127.0.0.1"),
            ("spark.authenticate", "true"),
            ("spark.local.dir", "tmp"),
            ("spark.sql.ansi.enabled", "true"),
            (
                "spark.driver.extraJavaOptions",
                r#"-XX:-UsePerfData "-Djava.io.tmpdir=/runs/a, \"b\"/spark/tmp""#,
            ),
        ] {
            assert_eq!(value(&settings, name), Some(expected), "{name}");
        }
    }

    #[test]
    fn an_application_of_a_cluster_shows_its_master_and_no_secret() {
        let of = |token| {
            let options = options(Some("spark://db1"), token);
            configuration(&options, Some(&driver()))
        };
        let plain = of(None);
        assert_eq!(value(&plain, "spark.master"), Some("spark://db1:7077"));
        assert_eq!(value(&plain, "spark.authenticate"), Some("false"));
        assert_eq!(value(&plain, "spark.sql.shuffle.partitions"), None);
        let secret = of(Some("hidden"));
        assert_eq!(value(&secret, "spark.authenticate"), Some("true"));
        assert!(!format!("{secret:?}").contains("hidden"));
    }

    #[test]
    fn a_client_of_spark_connect_sets_what_sessions_have() {
        let settings = configuration(&options(Some("sc://db1"), Some("hidden")), None);
        assert_eq!(settings.len(), OF_SESSIONS.len());
        assert_eq!(value(&settings, "spark.sql.session.timeZone"), Some("UTC"));
    }
}
