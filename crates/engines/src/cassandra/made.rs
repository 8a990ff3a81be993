//! What commands have made on a Cassandra: keyspaces of runs, and their tables in keyspaces that users have made.
//!
//! Nothing is found by its name alone. A keyspace is a run's if it carries the marker of that run and has a name that
//! this marker gives; a table is a run's if the marker table of its keyspace says so.

use std::collections::BTreeSet;

use scylla::client::session::Session;

use super::cluster::connect::Cluster;
use super::cluster::keyspace::{Keyspace, NAME_START, Owner, SHARED, is_named_by, is_valid_name};
use super::cluster::relations::{MARKER_TABLE, marks, query_names, query_pairs};
use super::cluster::shared::noted_table;
use crate::made::{Made, MadeKind, MadeState, Maker};
use crate::{EngineError, made};

/// A connection to a Cassandra that finds there what commands have made, and drops it.
pub struct MadeOnCassandra {
    session: Session,
}

impl MadeOnCassandra {
    /// Connects to a cluster.
    ///
    /// # Errors
    /// Fails if it does not answer, or refuses the login.
    pub async fn connect(cluster: &Cluster) -> Result<Self, EngineError> {
        let session = cluster.connect().await?;
        Ok(MadeOnCassandra { session })
    }

    /// Finds what commands have made, and what is only named as if they had. It only reads.
    ///
    /// # Errors
    /// Fails if the schema cannot be read.
    pub async fn find(&self) -> Result<Vec<Made>, EngineError> {
        let all = "SELECT keyspace_name FROM system_schema.keyspaces";
        let mut keyspaces = query_names(&self.session, all).await?;
        keyspaces.sort();
        let tables = "SELECT keyspace_name, table_name FROM system_schema.tables";
        let marked = marked_keyspaces(query_pairs(&self.session, tables).await?);
        let mut found = Vec::new();
        for keyspace in keyspaces {
            if is_read(&keyspace, &marked) {
                match marks(&self.session, &keyspace).await {
                    Ok(marks) => found.extend(in_keyspace(&keyspace, &marks)),
                    Err(error) => {
                        found.push(not_ours(
                            &keyspace,
                            format!("its marker cannot be read: {error}"),
                        ));
                    }
                }
            } else if keyspace.starts_with(NAME_START) {
                found.push(not_ours(&keyspace, NO_MARKER.to_owned()));
            }
        }
        let views = "SELECT keyspace_name, view_name FROM system_schema.views";
        let views = query_pairs(&self.session, views).await?;
        views_first(&mut found, views);
        Ok(found)
    }

    /// Drops what was found, after it has looked at the marker again.
    ///
    /// # Errors
    /// Fails if it is not what it was any more, if a process of this machine needs it, or if the user may not drop
    /// it.
    pub async fn drop(&self, found: &Made) -> Result<(), EngineError> {
        let (_lock, _) = made::hold(found)?;
        let (keyspace, table) = place_of(found);
        match table {
            Some(table) => {
                let dropping = keyspace.drop_table_of(&self.session, table, &found.marker);
                dropping.await
            }
            None => keyspace.drop(&self.session).await,
        }
    }
}

/// Returns the keyspaces that have a marker table, of all keyspaces with their tables.
fn marked_keyspaces(tables: Vec<(String, Option<String>)>) -> BTreeSet<String> {
    let tables = tables.into_iter();
    let marked = tables.filter(|(_, table)| table.as_deref() == Some(MARKER_TABLE));
    marked.map(|(keyspace, _)| keyspace).collect()
}

/// Returns whether the marker of a keyspace is read. Names that would have to be quoted are none of ours.
fn is_read(keyspace: &str, marked: &BTreeSet<String>) -> bool {
    marked.contains(keyspace) && is_valid_name(keyspace)
}

/// Puts the views of keyspaces before everything else: a table cannot be dropped before its views.
fn views_first(found: &mut [Made], views: Vec<(String, Option<String>)>) {
    let views = views.into_iter();
    let views: BTreeSet<String> = views
        .map(|(keyspace, view)| format!("{keyspace}.{}", view.unwrap_or_default()))
        .collect();
    found.sort_by_key(|made| !views.contains(&made.name));
}

/// Returns the keyspace that is dropped, or else the one that stays and the table that is dropped from it.
fn place_of(found: &Made) -> (Keyspace, Option<&str>) {
    match (found.kind, found.name.split_once('.')) {
        (MadeKind::Table, Some((keyspace, table))) => {
            (Keyspace::found(keyspace, Owner::Shared), Some(table))
        }
        _ => {
            let owner = Owner::Run(found.marker.clone());
            (Keyspace::found(&found.name, owner), None)
        }
    }
}

/// Why a keyspace is left alone that is named as if it were a run's.
const NO_MARKER: &str = "it has no marker";

/// Says what there is in a keyspace with a marker table, by what that holds.
fn in_keyspace(keyspace: &str, marks: &[(String, Option<String>)]) -> Vec<Made> {
    if marks.iter().any(|(mark, _)| mark == SHARED) {
        return tables_in(keyspace, marks);
    }
    let [(marker, _)] = marks else {
        let why = match marks {
            [] => NO_MARKER,
            _ => "it has the markers of several runs",
        };
        return vec![not_ours(keyspace, why.to_owned())];
    };
    let state = match Maker::parse(marker) {
        Some(maker) if is_named_by(keyspace, marker) || is_named_by(keyspace, &maker.name) => {
            maker.state()
        }
        Some(_) => MadeState::NotOurs("its name is not that of the run in its marker".to_owned()),
        None => MadeState::NotOurs("its marker is not that of a run".to_owned()),
    };
    vec![Made {
        kind: MadeKind::Keyspace,
        name: keyspace.to_owned(),
        marker: marker.clone(),
        state,
    }]
}

/// Returns the tables that commands have noted as their own in a keyspace that stays.
fn tables_in(keyspace: &str, marks: &[(String, Option<String>)]) -> Vec<Made> {
    let noted = marks.iter().filter_map(|(mark, value)| {
        let table = noted_table(mark)?;
        // Names that would have to be quoted are none of ours.
        is_valid_name(table).then_some((table, value.clone().unwrap_or_default()))
    });
    let made = noted.map(|(table, marker)| Made {
        kind: MadeKind::Table,
        name: format!("{keyspace}.{table}"),
        state: Maker::parse(&marker)
            .map_or(OF_A_LOAD, |maker| state_of_table(keyspace, table, &maker)),
        marker,
    });
    made.collect()
}

/// Says what a table is that a command has noted as its own. Where the log of that is here, the table has to be one
/// that the command makes: whoever may write the notes could name any.
fn state_of_table(keyspace: &str, table: &str, maker: &Maker) -> MadeState {
    maker.state_of(
        |begun| has_like(begun, keyspace, table),
        "the run in its note makes no such table",
    )
}

/// Returns whether the first line of a log has a table whose name begins as this one's does, with the layout.
fn has_like(begun: &str, keyspace: &str, table: &str) -> bool {
    let layout = table.split('_').next().unwrap_or(table);
    begun.contains(&format!("{keyspace}.{layout}"))
}

/// The state of a table whose note names a workload.
const OF_A_LOAD: MadeState =
    MadeState::NotKnown("it is of a load or a sweep, whose tables stay for the next one");

fn not_ours(keyspace: &str, why: String) -> Made {
    Made {
        kind: MadeKind::Keyspace,
        name: keyspace.to_owned(),
        marker: String::new(),
        state: MadeState::NotOurs(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::owner::new_token;

    /// A keyspace of a run of this machine whose folder is gone.
    fn of_a_run() -> (String, String) {
        let context = Context {
            token: Some(new_token()),
            ..Context::of_test("/no/such/folder")
        };
        let keyspace = Keyspace::new("w", &context).unwrap();
        (keyspace.name, crate::owner::marker(&context))
    }

    fn marks(of: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        let owned =
            |(mark, value): &(&str, Option<&str>)| ((*mark).to_owned(), value.map(str::to_owned));
        of.iter().map(owned).collect()
    }

    #[test]
    fn a_keyspace_is_a_runs_by_its_marker_and_its_name() {
        let (keyspace, marker) = of_a_run();
        let (keyspace, marker) = (&*keyspace, &*marker);
        let state = |keyspace: &str, of: &[(&str, Option<&str>)]| {
            let found = in_keyspace(keyspace, &marks(of));
            assert_eq!((found.len(), &*found[0].name), (1, keyspace));
            found[0].state.clone()
        };
        let own = state(keyspace, &[(marker, None)]);
        assert!(matches!(own, MadeState::NotKnown(_)), "{own:?}");
        let two = [(marker, None), ("desk  /runs/a", None)];
        type Marks<'a> = &'a [(&'a str, Option<&'a str>)];
        let other_name = "its name is not that of the run in its marker";
        let not_ours: [(&str, Marks, &str); 5] = [
            (keyspace, &[], NO_MARKER),
            (keyspace, &two, "it has the markers of several runs"),
            (
                keyspace,
                &[("something", None)],
                "its marker is not that of a run",
            ),
            ("shop", &[(marker, None)], other_name),
            ("bakeoff_w_0badcafe", &[(marker, None)], other_name),
        ];
        for (keyspace, of, why) in not_ours {
            let why = MadeState::NotOurs(why.to_owned());
            assert_eq!(state(keyspace, of), why, "{keyspace} {of:?}");
        }
    }

    #[test]
    fn only_marker_tables_whose_keyspaces_need_no_quotes_are_read() {
        let marked = marked_keyspaces(marks(&[
            ("bench", Some("wide")),
            ("bench", Some(MARKER_TABLE)),
            ("Bench", Some(MARKER_TABLE)),
            ("shop", Some("orders")),
        ]));
        assert_eq!(marked.iter().collect::<Vec<_>>(), ["Bench", "bench"]);
        assert!(is_read("bench", &marked));
        assert!(!is_read("Bench", &marked) && !is_read("shop", &marked));
    }

    #[test]
    fn a_keyspace_is_dropped_with_all_or_stays_without_a_table() {
        let (keyspace, marker) = of_a_run();
        let (keyspace, marker) = (&*keyspace, &*marker);
        let whole = in_keyspace(keyspace, &marks(&[(marker, None)]));
        let of_run = Keyspace::found(keyspace, Owner::Run(marker.to_owned()));
        assert_eq!(place_of(&whole[0]), (of_run, None));
        let notes = marks(&[
            (SHARED, None),
            ("table wide", Some(marker)),
            ("table by_city", Some(marker)),
        ]);
        let mut tables = in_keyspace("bench", &notes);
        // A view of the same name in another keyspace is another one.
        let views = marks(&[("bench", Some("by_city")), ("shop", Some("wide"))]);
        views_first(&mut tables, views);
        let stays = || Keyspace::found("bench", Owner::Shared);
        assert_eq!(place_of(&tables[0]), (stays(), Some("by_city")));
        assert_eq!(place_of(&tables[1]), (stays(), Some("wide")));
    }

    #[test]
    fn of_a_keyspace_of_a_user_only_noted_tables_are_ours() {
        let (_, marker) = of_a_run();
        let marker = Some(&*marker);
        let notes = marks(&[
            (SHARED, None),
            ("table wide", marker),
            ("table loaded", Some("a title (12345678)")),
            ("table Important", marker),
            ("start 17", Some("tables are made")),
        ]);
        let found = in_keyspace("bench", &notes);
        let names: Vec<&str> = found.iter().map(|made| &*made.name).collect();
        assert_eq!(names, ["bench.wide", "bench.loaded"]);
        assert!(found.iter().all(|made| made.kind == MadeKind::Table));
        assert_eq!(found[1].state, OF_A_LOAD);
        assert_eq!(
            found[0].maker().unwrap().dir.to_str(),
            Some("/no/such/folder")
        );
        assert_eq!(found[1].maker(), None);
    }

    #[test]
    fn a_noted_table_is_one_that_the_log_has() {
        let begun = r#"{"statements":["CREATE TABLE my_bench.wide (id int PRIMARY KEY)"]}"#;
        for (keyspace, table, is_there) in [
            ("my_bench", "wide", true),
            ("my_bench", "wide_0badcafe", true),
            ("my_bench", "important", false),
            ("shop", "wide", false),
        ] {
            assert_eq!(
                has_like(begun, keyspace, table),
                is_there,
                "{keyspace}.{table}"
            );
        }
    }
}
