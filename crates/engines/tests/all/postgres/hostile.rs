//! Questions of a workload that is out for harm: none runs a program, reads a file, writes, ends the work of
//! others, or leaves anything to the next question.
//!
//! Most begin with SELECT, since whatever does not is refused before a server sees it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use bakeoff_driver::Design;
use bakeoff_stats::FailureKind;

use super::driven::target;
use super::{number, storable};
use crate::support::load::{READINGS, failures, workload};
use crate::support::{Started, Table, events};

/// The longest time that an operation of a load may take.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// What changes settings for later questions, or for the rest of its own.
const CHANGES: [&str; 3] = [
    "SELECT set_config('work_mem', '123kB', false) AS set",
    "SELECT set_config('default_transaction_read_only', 'off', false) AS set",
    "SELECT set_config('search_path', 'public', false) AS set",
];
/// Settings that a question must not find changed.
const CHANGED: &str = "SELECT count(*) AS n FROM events WHERE current_setting('work_mem') = '123kB' \
    OR current_setting('default_transaction_read_only') = 'off' \
    OR current_setting('transaction_read_only') = 'off'";
/// The same as a question of a load, whose rows are counted.
const CHANGED_IN_A_LOAD: &str = "SELECT 1 AS n FROM readings WHERE (current_setting('work_mem') = '123kB' \
    OR current_setting('default_transaction_read_only') = 'off' \
    OR current_setting('transaction_read_only') = 'off') LIMIT 1";
const LARGE_OBJECTS: &str = "SELECT count(*) AS n FROM pg_largeobject_metadata WHERE oid = 4711";
const LOCKS: &str =
    "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711";

/// On a server that Bakeoff starts: the role of questions can read the table, and that is all.
pub async fn on_a_server_of_our_own(started: &Started) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let file = folder.path().join("made").display().to_string();
    let table = storable(events());
    let design = started.loaded("postgres/plain", &table).await;
    let beside = started.loaded("postgres/brin", &table).await;
    let programs = [
        format!("COPY (SELECT 1) TO PROGRAM 'id > {file}'"),
        format!("/* SELECT */ COPY (SELECT 1) TO '{file}'"),
        format!(
            "SELECT query_to_xml('COPY (SELECT 1) TO PROGRAM ''id > {file}''', true, true, '')::text"
        ),
        format!("SELECT query_to_xml('COPY (SELECT 1) TO ''{file}''', true, true, '')::text AS x"),
        format!("SELECT lo_export(lo_from_bytea(0, 'evil'), '{file}') AS x"),
    ];
    let files = [
        "SELECT pg_read_file('postgresql.conf') AS x",
        "SELECT pg_read_file('../password') AS x",
        "SELECT pg_ls_dir('.') AS x",
        "SELECT lo_import('/etc/passwd') AS x",
    ];
    let rights = [
        "SELECT rolpassword FROM pg_authid",
        "SELECT slice FROM bakeoff_parts",
        "SELECT set_config('role', 'bakeoff', false) AS x",
        "SELECT set_config('session_authorization', 'bakeoff', false) AS x",
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    ];
    let writes = [
        "CREATE TABLE public.made (a int)",
        "SELECT 1 AS a INTO TEMP made",
        "SELECT lo_create(4711)::text AS x",
        "SELECT pg_try_advisory_lock(4711) AS x",
        "SELECT set_config('transaction_read_only', 'off', true) AS x",
        "SELECT query_to_xml('CREATE TABLE public.made (a int)', true, true, '')::text AS x",
        "DO $$ BEGIN PERFORM pg_sleep(0); END $$",
        "SELECT * FROM events FOR UPDATE",
        "SELECT 1; SELECT 2",
    ];
    let programs = programs.iter().map(String::as_str);
    let all = programs.chain(files).chain(rights).chain(writes);
    refuses(design.as_ref(), all).await;
    assert!(!folder.path().join("made").exists());
    leaves_nothing(design.as_ref(), beside.as_ref(), &table).await;
}

/// As operations of a load, which asks on connections of its own: what is refused there is a failure of its operation,
/// and what is not changes nothing for later ones.
pub async fn in_a_load(started: &Started) {
    let refused = [
        "SELECT pg_read_file('postgresql.conf') AS x",
        "SELECT rolpassword FROM pg_authid",
        "SELECT set_config('role', 'bakeoff', false) AS x",
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
        "SELECT lo_create(4711)::text AS x",
        "SELECT pg_try_advisory_lock(4711) AS x",
        "SELECT query_to_xml('CREATE TABLE public.made (a int)', true, true, '')::text AS x",
    ];
    let allowed = [CHANGES[0], CHANGES[1], CHANGED_IN_A_LOAD];
    let questions: Vec<&str> = refused.into_iter().chain(allowed).collect();
    let workload = workload(READINGS, &mix_of(&questions));
    let loaded = target(started, "postgres/plain", &workload, REQUEST_LIMIT).await;
    loaded.fill().await;
    let came = loaded.drive().await;
    let (of_refused, of_allowed) = came.operations.split_at(refused.len());
    for (sql, tally) in refused.iter().zip(of_refused) {
        assert_eq!(tally.successes(), 0, "{sql}");
        let rejected = failures(tally, FailureKind::Rejected);
        assert_eq!(rejected, tally.failed(), "{sql}: {}", came.messages());
    }
    for (sql, tally) in allowed.iter().zip(of_allowed) {
        assert_eq!(tally.failed(), 0, "{sql}: {}", came.messages());
    }
    assert_eq!(of_allowed[2].rows, 0, "a setting stayed changed");
    let design = loaded.target.design().unwrap();
    let made = "SELECT count(*) AS n FROM pg_tables WHERE tablename = 'made'";
    for left in [LARGE_OBJECTS, LOCKS, made] {
        assert_eq!(number(design, left).await, 0, "{left}");
        design.after_answer().await;
    }
}

/// Returns a mix of these questions, each with a tenth of the operations.
fn mix_of(questions: &[&str]) -> String {
    assert_eq!(questions.len(), 10);
    let (mut queries, mut operations) = (String::new(), "[mix]\n".to_owned());
    for (number, sql) in questions.iter().enumerate() {
        queries.push_str(&format!(
            "[[queries]]\nname = \"q{number}\"\nsql = \"SELECT count(*) AS n FROM readings\"\n\
             engine_sql = {{ postgres = {sql:?} }}\n"
        ));
        operations.push_str(&format!(
            "[[mix.operations]]\nname = \"q{number}\"\naction = \"query\"\nquery = \"q{number}\"\n\
             weight = 10\n"
        ));
    }
    queries + &operations
}

/// On a server that runs already: its own user may do more, and all that can be taken back is.
pub async fn on_a_server_that_runs_already(started: &Started) {
    let table = storable(events());
    let design = started.loaded("postgres/plain", &table).await;
    let beside = started.loaded("postgres/brin", &table).await;
    let refused = [
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "SELECT pg_read_file('postgresql.conf') AS x",
        "SELECT 1 AS a INTO TEMP made",
        "SELECT set_config('transaction_read_only', 'off', true) AS x",
        "SELECT query_to_xml('CREATE TABLE made (a int)', true, true, '')::text AS x",
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'bakeoff'",
    ];
    refuses(design.as_ref(), refused).await;
    leaves_nothing(design.as_ref(), beside.as_ref(), &table).await;
}

async fn refuses(design: &dyn Design, questions: impl IntoIterator<Item = &str>) {
    for sql in questions {
        let answered = design.answer(sql).await;
        assert!(answered.is_err(), "{sql}: {:?}", answered.unwrap().batches);
        design.after_answer().await;
    }
}

/// What a question changes is gone when it is answered, whether or not it may be asked at all.
async fn leaves_nothing(design: &dyn Design, beside: &dyn Design, table: &Table) {
    for sql in CHANGES {
        design.answer(sql).await.unwrap();
        // Without `after_answer`: a connection is reset before it is used, if not at once.
        assert_eq!(number(design, CHANGED).await, 0, "{sql}");
        design.after_answer().await;
    }
    for (sql, left) in [
        ("SELECT lo_create(4711)::text AS x", LARGE_OBJECTS),
        ("SELECT pg_try_advisory_lock(4711) AS x", LOCKS),
    ] {
        // Where everyone may call them, they are undone.
        design.answer(sql).await.ok();
        design.after_answer().await;
        assert_eq!(number(beside, left).await, 0, "{sql}");
        beside.after_answer().await;
    }
    let rows = table.rows.num_rows() as i64;
    assert_eq!(
        number(design, "SELECT count(*) AS n FROM events").await,
        rows
    );
    design.after_answer().await;
    let open = "SELECT count(*) AS n FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' \
                AND usename = current_user";
    assert_eq!(number(beside, open).await, 0);
}
