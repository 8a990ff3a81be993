//! Creating the CQL tables of a table, which one process at a time does.
//!
//! Two processes that create a CQL table at the same moment may create two of the same name, and the rows
//! of one of them are lost. So the catalogue comes first. Once all nodes agree on it, there is only one,
//! and a row of it says which process creates the other tables. That row expires, in case the process
//! does not come to its end.

use std::time::Duration;

use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::value::{CqlValue, Row};
use uuid::Uuid;

use super::client::{Client, Task, as_rows, each_row};
use super::ddl::{
    CLAIM, CLAIMED_SECONDS, claim_statement, create_statements, release_statement,
    renewal_statement,
};
use super::names::Part;
use super::retry::server;
use super::schema::Found;
use crate::machine::sleep;
use crate::{Result, failpoint};

/// The pause between two looks at what another process does.
const PAUSE: Duration = Duration::from_millis(250);

/// The number of looks after which another process is given up on: several times as long as a process
/// that is no more is waited for.
const LOOKS_AT_MOST: u32 = 400;

/// Creates the CQL tables that are missing.
///
/// A node lists a table a moment before it can be asked, so tables that are listed do not suffice: a process
/// goes on when it has created them itself, or when nobody is creating them any more.
pub(super) async fn make_parts(client: &Client) -> Result<()> {
    let statements = create_statements(&client.names, client.options.compression);
    let (catalogue, others): (Vec<_>, Vec<_>) = statements
        .into_iter()
        .partition(|(part, _)| *part == Part::Catalogue);
    for (part, statement) in catalogue {
        // It creates nothing if the table is there. When it returns, all nodes agree on the schema.
        make(client, part, &statement).await?;
    }
    let me = Uuid::now_v7().to_string();
    claim(client, &me).await?;
    let found = Found::look(client).await?;
    for (part, statement) in others {
        if !found.has(part) {
            let renewal = renewal_statement(&client.names);
            if !is_applied(client, &renewal, (&me, &me)).await? {
                return Err(too_slow(&task(client)));
            }
            make(client, part, &statement).await?;
        }
    }
    let release = release_statement(&client.names);
    // If an attempt was repeated, the first one may have done it, and then nobody holds the claim. If somebody
    // else does, the last table was made while that process may have been making it, too.
    if is_applied(client, &release, (&me,)).await? || claimant(client).await?.is_none() {
        return Ok(());
    }
    Err(too_slow(&task(client)))
}

async fn make(client: &Client, part: Part, statement: &str) -> Result<()> {
    let task = client.task_of_all("making a table", part);
    client.once(&task, statement, ()).await?;
    failpoint::hit("cassandra.create.part");
    Ok(())
}

/// Waits until no other process creates the tables, and makes this one the one that does.
async fn claim(client: &Client, me: &str) -> Result<()> {
    let claim = claim_statement(&client.names);
    for _ in 0..LOOKS_AT_MOST {
        // If an attempt was repeated, the first one may have done it.
        if is_applied(client, &claim, (me,)).await?
            || claimant(client).await?.as_deref() == Some(me)
        {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
    Err(server(
        &task(client),
        "another process has been doing that for a long time; end it, or wait for it, and try again",
    ))
}

/// Returns the process that creates the tables.
async fn claimant(client: &Client) -> Result<Option<String>> {
    let task = task(client);
    let catalogue = client.names.cql(Part::Catalogue);
    let cql = format!("SELECT definition FROM {catalogue} WHERE id = '{CLAIM}'");
    let rows = as_rows(&task, client.once(&task, &cql, ()).await?)?;
    let names = each_row(&task, &rows, |row: (Option<String>,)| Ok(row.0))?;
    Ok(names.into_iter().next().flatten())
}

/// Sends a conditional statement and returns whether its condition was true.
async fn is_applied(client: &Client, cql: &str, values: impl SerializeRow + Sync) -> Result<bool> {
    let task = task(client);
    let answer: QueryResult = client.once(&task, cql, values).await?;
    let rows = as_rows(&task, answer)?;
    let applied = each_row(&task, &rows, |row: Row| {
        let first = row.columns.into_iter().next().flatten();
        Ok(matches!(first, Some(CqlValue::Boolean(true))))
    })?;
    Ok(applied.into_iter().any(|applied| applied))
}

fn task(client: &Client) -> Task<'_> {
    client.task_of_all("agreeing on who makes the tables", Part::Catalogue)
}

fn too_slow(task: &Task<'_>) -> crate::Error {
    server(
        task,
        format!(
            "making one of them took more than {CLAIMED_SECONDS} s, so that another process may make \
             them now; check that the nodes are not overloaded, and try again"
        ),
    )
}
