//! Rows of a design of Spark in a table of Cassandra. The table is that of the layout `wide`, in a Cassandra and a keyspace
//! that the designs of the engine `cassandra` do not share.

use bakeoff_driver::Design;
use bakeoff_servers::Home;
use bakeoff_servers::cassandra::{Release, ServerOptions};
use bakeoff_servers::spark::{CassandraTable, Source, check_connector, resolve_connector};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{DesignId, Workload};

use super::storage::Storage;
use super::{ENGINE, Spark};
use crate::cassandra::{Cassandra, Cluster, RunningCassandra, own_server, place, wide_id};
use crate::{Context, Engine, EngineError, Running, SharedTables};

/// The connector's name as a format of Spark's reader.
const FORMAT: &str = "org.apache.spark.sql.cassandra";
/// Settings of the table that are about questions which Bakeoff answers.
const OF_OUR_READER: [&str; 2] = ["page", "aggregate"];

/// Returns the reason why a workload cannot have such a table, if there is one.
pub fn unfit(id: &DesignId, workload: &Workload) -> Option<String> {
    let rows = wide_id(id);
    let why = Cassandra::FIVE.unfit(&rows, workload)?;
    Some(in_words_of(id, &rows, &why))
}

/// Describes the design without touching anything.
///
/// # Errors
/// Fails if the layout cannot hold the workload's table.
pub fn describe(
    id: &DesignId,
    storage: Storage,
    workload: &Workload,
    context: &Context,
) -> Result<DesignInfo, EngineError> {
    let (of, (rows, context)) = (table_of(id, context), rows_of(id, context));
    let stored = Cassandra::FIVE
        .describe(&rows, workload, &context)
        .map_err(|error| EngineError(in_words_of(id, &rows, &error.0)))?;
    let (keyspace, table) = place(&rows, workload, &context)?;
    let mut statements = stored.statements;
    let options = [("keyspace", keyspace.as_str()), ("table", table.as_str())];
    statements.extend(storage.statements(&workload.table.name, FORMAT, &options));
    let mut settings = stored.settings;
    settings.retain(|(name, _)| !OF_OUR_READER.contains(&name.as_str()));
    settings.push(storage.cached());
    Ok(DesignInfo {
        unit_rows: stored.unit_rows,
        stored_by: Some(stored.engine),
        table_of: of.map(|of| of.to_string()),
        ..Spark.info_of(id, settings, statements)
    })
}

/// Checks that there is, or could be, a Cassandra and the connector to it.
///
/// # Errors
/// Returns what is missing, and how to get it.
pub async fn check(id: &DesignId, context: &Context) -> Result<(), EngineError> {
    let cluster = context.options.cassandra.cluster.as_ref();
    if cluster.is_some_and(Cluster::has_tls) {
        return Err(EngineError(format!(
            "design {id}: Spark's connector cannot use the certificates of --tls: leave it out with --designs"
        )));
    }
    if let (Some(spark), None) = (&context.options.spark.cluster, cluster) {
        return Err(EngineError(format!(
            "design {id}: the Spark at {spark} cannot reach a Cassandra that Bakeoff starts, which listens on loopback \
             only: name one that its workers reach with --cassandra, or leave the design out with --designs"
        )));
    }
    Cassandra::FIVE.check(&beside(context)).await?;
    Ok(check_connector(&Home::from_env()?)?)
}

/// Returns the options and the number of nodes of the Cassandra that would be started; `None` where a cluster is named.
pub fn own_cassandra(context: &Context) -> Option<(ServerOptions, u8)> {
    let (mut server, nodes) = own_server(Release::Five, &beside(context))?;
    "spark/cassandra".clone_into(&mut server.name);
    Some((server, nodes))
}

/// Starts a Cassandra unless a cluster was named, and connects to it.
///
/// # Errors
/// Those of the engine `cassandra`.
pub async fn start(context: &Context) -> Result<RunningCassandra, EngineError> {
    RunningCassandra::start(Release::Five, &beside(context)).await
}

/// Makes the table of a design, and says where Spark finds it.
///
/// # Errors
/// Fails if the table cannot be made, or the connector cannot be fetched.
pub async fn stored(
    cassandra: &RunningCassandra,
    id: &DesignId,
    workload: &Workload,
    context: &Context,
) -> Result<(Box<dyn Design>, Source), EngineError> {
    let (rows, context) = rows_of(id, context);
    let jars = resolve_connector(&Home::from_env()?).await?;
    let stored = cassandra.design(&rows, workload, &context).await?;
    let (keyspace, table) = place(&rows, workload, &context)?;
    let cluster = cassandra.cluster();
    let level = Storage::new(id)?.consistency.or(cluster.consistency);
    let (host, port) = host_and_port(&cluster.full_address())?;
    let columns = workload.table.columns.iter();
    let table = CassandraTable {
        host,
        port,
        login: cluster.login(),
        consistency: level.map(|level| level.to_string()),
        keyspace,
        table,
        columns: columns.map(|column| column.name.clone()).collect(),
    };
    Ok((stored, Source::cassandra(table, jars)))
}

/// Returns the design whose table a design reads; `None` for a design with a table of its own.
fn table_of(id: &DesignId, context: &Context) -> Option<DesignId> {
    context.options.shared_tables.table_of(id)
}

/// Returns the id of a design's rows, and the context of the Cassandra that has them, in which they are those of the
/// design whose table it reads.
fn rows_of(id: &DesignId, context: &Context) -> (DesignId, Context) {
    let (rows, mut own) = (wide_id(id), beside(context));
    own.options.shared_tables = SharedTables::default();
    if let Some(of) = table_of(id, context) {
        own.options.shared_tables.add(rows.clone(), wide_id(&of));
    }
    (rows, own)
}

/// Returns the context of the Cassandra: its own folder, and thereby its own keyspace.
fn beside(context: &Context) -> Context {
    Context {
        run_dir: context.folder_of(ENGINE),
        ..context.clone()
    }
}

/// Names in a message the design that users know instead of that of its rows.
fn in_words_of(id: &DesignId, rows: &DesignId, message: &str) -> String {
    message.replace(&rows.to_string(), &id.to_string())
}

/// Splits an address into what the connector of Spark takes as host and port: an IPv6 address without its brackets.
fn host_and_port(address: &str) -> Result<(String, u16), EngineError> {
    let split = address.rsplit_once(':');
    let parsed = split.and_then(|(host, port)| {
        let host = host.trim_matches(['[', ']']).to_owned();
        Some((host, port.parse().ok()?))
    });
    parsed.ok_or_else(|| EngineError(format!("{address} is not HOST:PORT")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_servers::spark::SparkCluster;

    use super::*;
    use crate::share_tables;

    #[test]
    fn a_dry_run_shows_the_table_of_cassandra_and_that_of_spark() {
        let text = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                    sql = \"SELECT value FROM sensor\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let context = Context::of_test("/runs/a");
        let id: DesignId = "spark/cassandra?cache=true".parse().unwrap();
        let info = Spark.describe(&id, &workload, &context).unwrap();
        assert_eq!(info.id, "spark/cassandra?cache=true");
        assert_eq!(info.engine, "spark");
        assert!(info.server);
        let (keyspace, table) = place(&wide_id(&id), &workload, &beside(&context)).unwrap();
        let has = |start: &str| info.statements.iter().any(|s| s.starts_with(start));
        assert!(
            has(&format!("CREATE TABLE {keyspace}.{table} ")),
            "{info:?}"
        );
        assert!(has(&format!(
            "CREATE TEMPORARY VIEW `sensor` USING org.apache.spark.sql.cassandra OPTIONS (keyspace \
             '{keyspace}', table '{table}')"
        )));
        assert_eq!(info.statements.last().unwrap(), "CACHE TABLE `sensor`");
        assert!(info.settings.iter().all(|(name, _)| name != "page"));
    }

    #[test]
    fn designs_that_read_at_other_levels_share_a_table_and_those_with_a_cache_do_not() {
        let text = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                    sql = \"SELECT value FROM sensor\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let id = |id: &str| id.parse::<DesignId>().unwrap();
        let designs =
            ["one", "quorum"].map(|level| id(&format!("spark/cassandra?consistency={level}")));
        let mut context = Context::of_test("/runs/a");
        context.options.shared_tables = share_tables(&designs);
        let [one, quorum] = designs;
        let info = Spark.describe(&quorum, &workload, &context).unwrap();
        assert_eq!(info.table_of, Some(one.to_string()));
        let table = |id: &DesignId| {
            let (rows, context) = rows_of(id, &context);
            place(&rows, &workload, &context).unwrap()
        };
        assert_eq!(table(&one), table(&quorum));
        let twin = |id: &DesignId| DesignId {
            tag: Some("twin".to_owned()),
            ..id.clone()
        };
        assert_eq!(table(&twin(&one)), table(&twin(&quorum)));
        assert_ne!(table(&twin(&one)), table(&one));

        let cached = ["spark/cassandra", "spark/cassandra?cache=true"].map(id);
        assert!(share_tables(&cached).is_empty());
        let files = ["spark/parquet", "spark/parquet?cache=true"].map(id);
        assert!(share_tables(&files).is_empty());
    }

    #[test]
    fn a_level_of_reads_at_which_rows_could_be_missed_is_refused() {
        let text = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                    sql = \"SELECT value FROM sensor\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let mut context = Context::of_test("/runs/a");
        let described = |level: &str, context: &Context| {
            let id: DesignId = format!("spark/cassandra?consistency={level}")
                .parse()
                .unwrap();
            Spark.describe(&id, &workload, context)
        };
        context.options.cassandra.replication.copies = Some(3);
        let refused = described("one", &context).unwrap_err().0;
        assert!(
            refused.contains("spark/cassandra?consistency=one: reads at ONE may miss rows"),
            "{refused}"
        );
        let info = described("all", &context).unwrap();
        assert_eq!(info.stored_by.as_deref(), Some("cassandra"));
        let level = ("consistency of reads".to_owned(), "ALL".to_owned());
        assert!(info.settings.contains(&level), "{info:?}");
    }

    #[test]
    fn an_address_is_a_host_and_a_port() {
        let expected = ("db1".to_owned(), 9042);
        assert_eq!(host_and_port("db1:9042").unwrap(), expected);
        let expected = ("fd00::7".to_owned(), 9042);
        assert_eq!(host_and_port("[fd00::7]:9042").unwrap(), expected);
        assert!(host_and_port("db1").is_err());
    }

    #[tokio::test]
    async fn workers_elsewhere_need_a_cassandra_that_they_reach() {
        let mut context = Context::of_test("/runs/a");
        let spark = SparkCluster::new("spark://db1", None).unwrap();
        context.options.spark.cluster = Some(spark);
        let id = "spark/cassandra".parse().unwrap();
        let error = check(&id, &context).await.unwrap_err().0;
        assert!(error.contains("the Spark at spark://db1:7077"), "{error}");
        assert!(error.contains("--cassandra"), "{error}");
    }

    #[tokio::test]
    async fn encrypted_connections_are_refused_before_anything_is_started() {
        let mut context = Context::of_test("/runs/a");
        context.options.cassandra.cluster = Some(Cluster {
            address: "127.0.0.1:1".to_owned(),
            tls: true,
            ..Cluster::default()
        });
        let id = "spark/cassandra".parse().unwrap();
        let error = check(&id, &context).await.unwrap_err().0;
        assert!(error.contains("--tls"), "{error}");
    }
}
