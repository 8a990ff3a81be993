use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::{Cluster, EngineOptions};

/// An observer that keeps the troubles that are reported.
#[derive(Default)]
struct Troubles(Mutex<Vec<String>>);

impl Observer for Troubles {
    fn phase(&self, _: &str) {}
    fn note(&self, _: &str) {}
    fn loading(&self, _: &str, _: u64, _: Option<u64>) {}
    fn measuring(&self, _: u64, _: u64) {}
    fn trouble(&self, name: &str, reason: &str) {
        self.0.lock().unwrap().push(format!("{name}: {reason}"));
    }
    fn done(&self, _: &str, _: Duration) {}
}

/// Makes a context with a Cassandra that is not there: at a port that nothing listens on.
fn context() -> Context {
    let mut options = EngineOptions::default();
    options.cassandra.cluster = Some(Cluster {
        address: "127.0.0.1:1".to_owned(),
        ..Cluster::default()
    });
    Context {
        run_dir: "/nowhere".into(),
        token: None,
        threads: 1,
        keys_repeat: false,
        options,
    }
}

fn ids(texts: &[&str]) -> Vec<DesignId> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[tokio::test]
async fn an_engine_is_started_once_for_all_of_its_designs() {
    let (context, observer) = (context(), Troubles::default());
    let designs = ids(&["dry", "memory", "dry"]);
    let checked = Engines::checked(&designs, &context, &observer).await;
    let mut engines = checked.unwrap();
    assert!(engines.get(&designs[0]).is_err(), "not started yet");
    let mut started = Vec::new();
    for id in &designs {
        let info = engines.start(id, &context, &observer).await.unwrap();
        started.push(info.map(|info| info.engine));
        assert_eq!(engines.get(id).unwrap().info().engine, id.engine);
    }
    let expected = [Some("dry".to_owned()), Some("memory".to_owned()), None];
    assert_eq!(started, expected);
    assert!(observer.0.lock().unwrap().is_empty());
    assert!(engines.finish(false).await.is_empty());
}

#[tokio::test]
async fn an_engine_that_is_not_available_is_tried_once_and_fails_its_designs_alone() {
    let (context, observer) = (context(), Troubles::default());
    let designs = ids(&["cassandra/wide", "dry", "cassandra/narrow"]);
    let checked = Engines::checked(&designs, &context, &observer).await;
    let mut engines = checked.unwrap();
    let mut reasons = Vec::new();
    for id in &designs {
        if let Err(error) = engines.start(id, &context, &observer).await {
            assert_eq!(engines.get(id).err().unwrap().0, error.0);
            reasons.push(error.0);
        }
    }
    assert_eq!(reasons.len(), 2);
    assert_eq!(reasons[0], reasons[1]);
    let shown = observer.0.lock().unwrap();
    assert_eq!(*shown, [format!("cassandra: {}", reasons[0])]);
}

#[tokio::test]
async fn where_no_engine_is_available_nothing_is_started() {
    let designs = ids(&["cassandra/wide", "cassandra/narrow"]);
    let checked = Engines::checked(&designs, &context(), &Troubles::default()).await;
    let error = checked.err().unwrap().0;
    assert!(
        error.starts_with("none of the designs can run here"),
        "{error}"
    );
    assert_eq!(error.matches("cassandra: ").count(), 1, "{error}");
}

#[tokio::test]
async fn a_design_that_its_engine_cannot_have_here_fails_alone() {
    let spark = bakeoff_servers::survey::spark().await;
    if let Err(reason) = spark.verdict() {
        return bakeoff_testing::skipped(reason);
    }
    let mut context = context();
    context.options.cassandra.cluster.as_mut().unwrap().tls = true;
    let observer = Troubles::default();
    let designs = ids(&["spark/cassandra", "dry"]);
    let checked = Engines::checked(&designs, &context, &observer).await;
    let mut engines = checked.unwrap();
    let error = engines.start(&designs[0], &context, &observer).await;
    let reason = error.unwrap_err().0;
    assert!(reason.contains("--tls"), "{reason}");
    assert!(!Path::new("/nowhere").exists(), "it was started");
    engines
        .start(&designs[1], &context, &observer)
        .await
        .unwrap();
    let shown = std::mem::take(&mut *observer.0.lock().unwrap());
    assert_eq!(shown, [format!("spark/cassandra: {reason}")]);
    let alone = Engines::checked(&designs[..1], &context, &observer).await;
    let error = alone.err().unwrap().0;
    assert!(
        error.starts_with("none of the designs can run here"),
        "{error}"
    );
}

#[test]
fn a_design_has_a_server_of_its_own_only_where_that_is_asked_for_and_one_is_started() {
    let of = |text: &str, context: &Context| {
        let id: DesignId = text.parse().unwrap();
        let (name, own) = place(&id, context).unwrap();
        (name, own.options.cassandra.server_of.clone() == Some(id))
    };
    let shared = |name: &str| (name.to_owned(), false);
    let mut own = Context::of_test("/run");
    assert_eq!(of("cassandra/wide", &own), shared("cassandra"));
    own.options.cassandra.server_per_design = true;
    for design in ["cassandra/wide?chunk=4KiB", "cassandra-4/wide"] {
        assert_eq!(of(design, &own), (design.to_owned(), true));
    }
    assert_eq!(of("parquet", &own), shared("parquet"));
    assert_eq!(of("spark/cassandra", &own), shared("spark"));
    let mut of_user = context();
    of_user.options.cassandra.server_per_design = true;
    assert_eq!(of("cassandra/wide", &of_user), shared("cassandra"));
}

#[test]
fn the_servers_of_all_designs_have_to_fit_the_memory_together() {
    let mut own = Context::of_test("/run");
    own.options.cassandra.server.memory_mib = Some(1 << 30);
    let designs = ids(&["cassandra/wide", "cassandra/blob", "parquet"]);
    assert!(check_memory(designs.iter(), &own).is_ok(), "they share one");
    own.options.cassandra.server_per_design = true;
    let error = check_memory(designs.iter(), &own).unwrap_err().0;
    assert!(
        error.contains("2 Cassandras run at the same time"),
        "{error}"
    );
    assert!(error.contains("cassandra/blob ") && error.contains("cassandra/wide "));
    assert!(check_memory(designs[..1].iter(), &own).is_ok(), "one alone");
}

#[test]
fn cassandras_of_several_engines_have_to_fit_the_memory_together() {
    let mut own = Context::of_test("/run");
    // More than any machine has, which is not looked at for one server alone.
    own.options.cassandra.server.memory_mib = Some(1 << 30);
    let refused = |texts: &[&str], context: &Context| {
        let checked = check_memory(ids(texts).iter(), context);
        checked.map_err(|error| error.0)
    };
    let alone = ["cassandra/wide", "cassandra/blob", "spark/parquet"];
    assert_eq!(refused(&alone, &own), Ok(()));
    for others in [
        ["cassandra/wide", "cassandra-4/wide"],
        ["cassandra-4/wide", "spark/cassandra"],
    ] {
        let error = refused(&others, &own).unwrap_err();
        assert!(
            error.contains("2 Cassandras run at the same time"),
            "{error}"
        );
    }
    // That of the user is not started.
    let both = ["cassandra/wide", "spark/cassandra"];
    assert_eq!(refused(&both, &context()), Ok(()));
}
