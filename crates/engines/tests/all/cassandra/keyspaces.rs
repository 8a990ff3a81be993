//! Keyspaces of others, of another run, and of a run that was killed.

use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, Running};
use bakeoff_workload::DesignId;
use scylla::client::session::Session;

use super::{address_of, count, cql};
use crate::support::load::{on_cluster, session_at};
use crate::support::{Started, events};

pub async fn what_is_not_ours_is_left_alone(cassandra: &Started) {
    let address = address_of(&cassandra.context.run_dir);
    let session = session_at(&address).await;
    let table = events();
    let context = Context {
        run_dir: cassandra.context.run_dir.with_file_name("another run"),
        options: on_cluster(&address, None),
        ..cassandra.context.clone()
    };
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let engine = engine(&id).unwrap();
    let statements = engine
        .describe(&id, &table.workload, &context)
        .unwrap()
        .statements;
    let keyspace = statements[0].split(" ").nth(5).unwrap().to_owned();
    let refusal = async || {
        let other: Box<dyn Running> = engine.start(&context).await.unwrap();
        let refused = other.design(&id, &table.workload, &context).await;
        let message = refused.err().unwrap().to_string();
        other.finish(false).await.unwrap();
        assert!(message.contains(&keyspace), "{message}");
        message
    };

    cql(&session, &statements[0]).await;
    cql(
        &session,
        &format!("CREATE TABLE {keyspace}.wide (id int PRIMARY KEY)"),
    )
    .await;
    cql(
        &session,
        &format!("INSERT INTO {keyspace}.wide (id) VALUES (1)"),
    )
    .await;
    assert!(refusal().await.contains("does not carry Bakeoff's marker"));

    cql(&session, &statements[1]).await;
    let marker = format!("INSERT INTO {keyspace}.bakeoff_marker (run) VALUES ('/somewhere/else')");
    cql(&session, &marker).await;
    assert!(refusal().await.contains("belongs to another run"));

    let left = session
        .query_unpaged(format!("SELECT id FROM {keyspace}.wide"), ())
        .await
        .unwrap();
    assert_eq!(
        left.into_rows_result().unwrap().rows_num(),
        1,
        "it was touched"
    );

    cql(&session, &format!("DROP KEYSPACE {keyspace}")).await;
    let other = Started {
        running: engine.start(&context).await.unwrap(),
        context,
    };
    let design = other.loaded("cassandra/wide", &table).await;
    assert_eq!(count(design.as_ref(), "events").await, 84);
    other.running.finish(false).await.unwrap();
    assert!(
        !has_keyspace(&session, &keyspace).await,
        "our keyspace was not dropped"
    );
}

pub async fn what_a_kill_left_without_a_marker_is_ours_if_its_name_is_random(cassandra: &Started) {
    let address = address_of(&cassandra.context.run_dir);
    let session = session_at(&address).await;
    let table = events();
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let engine = engine(&id).unwrap();
    for (token, is_ours) in [(None, false), (Some("random"), true)] {
        let context = Context {
            run_dir: cassandra.context.run_dir.with_file_name("killed run"),
            token: token.map(str::to_owned),
            options: on_cluster(&address, None),
            ..cassandra.context.clone()
        };
        let info = engine.describe(&id, &table.workload, &context).unwrap();
        let keyspace = info.statements[0].split(' ').nth(5).unwrap();
        let [keyspace_made, table_made] = [1, 2].map(|made| info.statements[..made].to_vec());
        let another =
            format!("INSERT INTO {keyspace}.bakeoff_marker (run) VALUES ('/somewhere/else')");
        let marked = [&table_made[..], &[another]].concat();
        // The kill came after the keyspace was made, or after the table for its marker was; or it is another run's.
        for (made, is_ours) in [
            (keyspace_made, is_ours),
            (table_made, is_ours),
            (marked, false),
        ] {
            for statement in &made {
                cql(&session, statement).await;
            }
            let running = engine.start(&context).await.unwrap();
            let claimed = running.design(&id, &table.workload, &context).await;
            assert_eq!(claimed.map(drop).is_ok(), is_ours, "{token:?}, {made:?}");
            running.finish(false).await.unwrap();
            assert_eq!(has_keyspace(&session, keyspace).await, !is_ours);
            cql(&session, &format!("DROP KEYSPACE IF EXISTS {keyspace}")).await;
        }
    }
}

pub async fn a_keyspace_of_a_user_is_refused_before_a_run_and_has_copies_of_its_own(
    cassandra: &Started,
) {
    let address = address_of(&cassandra.context.run_dir);
    let session = session_at(&address).await;
    let mut context = Context {
        options: on_cluster(&address, Some("of_a_user")),
        ..cassandra.context.clone()
    };
    context.options.cassandra.owns_tables = true;
    let id: DesignId = "cassandra/wide".parse().unwrap();
    let engine = engine(&id).unwrap();
    // One that is missing would be made.
    engine.check(&context).await.unwrap();
    cql(
        &session,
        "CREATE KEYSPACE of_a_user WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}",
    )
    .await;
    let refused = engine.check(&context).await.unwrap_err().to_string();
    assert!(
        refused.contains("does not carry Bakeoff's marker"),
        "{refused}"
    );
    let running = engine.start(&context).await.unwrap();
    let settings = running.info().settings;
    let copies = ("replication factor".to_owned(), "2".to_owned());
    assert!(settings.contains(&copies), "{settings:?}");
    running.finish(false).await.unwrap();
    assert!(has_keyspace(&session, "of_a_user").await, "it was dropped");
    cql(&session, "DROP KEYSPACE of_a_user").await;
}

async fn has_keyspace(session: &Session, keyspace: &str) -> bool {
    let query = "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?";
    let found = session.query_unpaged(query, (keyspace,)).await.unwrap();
    found.into_rows_result().unwrap().rows_num() > 0
}
