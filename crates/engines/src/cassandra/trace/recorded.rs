//! What Cassandra has recorded of a request, in `system_traces`. Nodes write there after they have answered, and
//! write nothing more to it when they are overloaded, so that a trace may never be complete.

use std::net::IpAddr;
use std::time::Duration;

use bakeoff_stats::trace::{RecordedTrace, Trace, TraceEvent};
use scylla::client::session::Session;
use scylla::deserialize::row::DeserializeRow;
use scylla::statement::{Consistency, Statement};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::error::TraceError;

/// Interval between two looks at a trace.
const POLL: Duration = Duration::from_millis(100);
/// The longest that is waited for events of nodes that were asked, once the coordinator has recorded its end.
const OTHERS_LIMIT: Duration = Duration::from_secs(2);
/// Number of looks in a row that have to find the same: copies of a trace are written one after another, and one is
/// enough for an answer.
const SAME_LOOKS: u32 = 3;
/// Largest number of events that are read.
const MOST_EVENTS: usize = 20_000;

type SessionRow = (Option<IpAddr>, Option<i32>);
type EventRow = (Option<IpAddr>, Option<i32>, Option<String>, Option<String>);

/// Reads a trace when it is complete, or as far as it has come when the time limit has passed.
///
/// # Errors
/// Fails if the tables of traces cannot be read, or if nothing at all was recorded.
pub async fn recorded(
    session: &Session,
    id: Uuid,
    limit: Duration,
) -> Result<RecordedTrace, TraceError> {
    until_complete(limit, move || read(session, id)).await
}

/// Looks at a trace until it is complete or the time limit has passed. Once it was read, it is looked at on although a
/// node that has it dies.
async fn until_complete<F>(
    limit: Duration,
    look: impl Fn() -> F,
) -> Result<RecordedTrace, TraceError>
where
    F: Future<Output = Result<RecordedTrace, TraceError>>,
{
    let began = Instant::now();
    let mut trace = look().await?;
    let mut same = 1;
    let mut ended_at: Option<Instant> = None;
    let mut failed: Option<TraceError> = None;
    loop {
        if trace.total_micros.is_some() {
            let ended_at = ended_at.get_or_insert_with(Instant::now);
            let has_all = has_all_nodes(&trace) || ended_at.elapsed() >= OTHERS_LIMIT;
            if has_all && same >= SAME_LOOKS {
                return Ok(trace);
            }
        }
        if began.elapsed() >= limit {
            return if trace.events.is_empty() && trace.total_micros.is_none() {
                Err(failed.unwrap_or_else(|| nothing(limit)))
            } else {
                Ok(trace)
            };
        }
        sleep(POLL).await;
        match look().await {
            Ok(now) => {
                same = if now == trace { same + 1 } else { 1 };
                trace = now;
                failed = None;
            }
            Err(error) => {
                same = 0;
                failed = Some(error);
            }
        }
    }
}

fn nothing(limit: Duration) -> TraceError {
    TraceError::Failed(format!(
        "Cassandra recorded nothing of the request within {limit:?}: look at the log of the nodes for dropped \
         mutations, or wait longer with --wait"
    ))
}

/// Returns whether each node that was asked has recorded something.
fn has_all_nodes(recorded: &RecordedTrace) -> bool {
    let has = |node: &String| recorded.events.iter().any(|event| event.node == *node);
    let asked = Trace::new(recorded).replicas;
    asked.iter().all(|replica| has(&replica.node))
}

async fn read(session: &Session, id: Uuid) -> Result<RecordedTrace, TraceError> {
    let sessions = "SELECT coordinator, duration FROM system_traces.sessions WHERE session_id = ?";
    let found: Vec<SessionRow> = rows(session, sessions, id).await?;
    let (coordinator, duration) = found.into_iter().next().unwrap_or_default();
    let events = format!(
        "SELECT source, source_elapsed, thread, activity FROM system_traces.events \
         WHERE session_id = ? LIMIT {MOST_EVENTS}"
    );
    let events: Vec<EventRow> = rows(session, &events, id).await?;
    let events: Vec<TraceEvent> = events.into_iter().map(event).collect();
    // Without a session, the first event is that of the coordinator.
    let first = events.first().map(|event| event.node.clone());
    Ok(RecordedTrace {
        id: id.to_string(),
        coordinator: coordinator.map_or(first.unwrap_or_default(), |node| node.to_string()),
        total_micros: duration.and_then(|micros| u64::try_from(micros).ok()),
        events,
    })
}

fn event((source, elapsed, thread, activity): EventRow) -> TraceEvent {
    TraceEvent {
        elapsed_micros: elapsed
            .and_then(|micros| u64::try_from(micros).ok())
            .unwrap_or(0),
        node: source.map_or_else(String::new, |node| node.to_string()),
        thread: thread.unwrap_or_default(),
        activity: activity.unwrap_or_default(),
    }
}

async fn rows<R>(session: &Session, cql: &str, id: Uuid) -> Result<Vec<R>, TraceError>
where
    R: for<'f> DeserializeRow<'f, 'f>,
{
    let failed = |error: &dyn std::fmt::Display| {
        TraceError::Failed(format!(
            "cannot read the trace {id} in system_traces, which takes the right to SELECT there: {error}"
        ))
    };
    let mut statement = Statement::new(cql);
    statement.set_consistency(Consistency::One);
    let reply = session.query_unpaged(statement, (id,)).await;
    let reply = reply.map_err(|e| failed(&e))?;
    let reply = reply.into_rows_result().map_err(|e| failed(&e))?;
    let rows: Result<Vec<R>, _> = reply.rows::<R>().map_err(|e| failed(&e))?.collect();
    rows.map_err(|e| failed(&e))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn trace(events: &[&str], total_micros: Option<u64>) -> RecordedTrace {
        let event = |activity: &&str| TraceEvent {
            elapsed_micros: 1,
            node: "10.0.0.1".to_owned(),
            thread: String::new(),
            activity: (*activity).to_owned(),
        };
        RecordedTrace {
            id: "7".to_owned(),
            coordinator: "10.0.0.1".to_owned(),
            total_micros,
            events: events.iter().map(event).collect(),
        }
    }

    fn gone() -> TraceError {
        TraceError::Failed("a node is gone".to_owned())
    }

    /// Waits for a trace of which each look finds the next of these, and the last one again and again. Returns what was
    /// found, and the number of looks.
    async fn waited(
        looks: &[Result<RecordedTrace, TraceError>],
    ) -> (Result<RecordedTrace, TraceError>, usize) {
        let looked = Cell::new(0_usize);
        let look = || {
            let at = looked.get();
            looked.set(at + 1);
            let found = looks[at.min(looks.len() - 1)].clone();
            async move { found }
        };
        let found = until_complete(LIMIT, look).await;
        (found, looked.get())
    }

    #[tokio::test(start_paused = true)]
    async fn a_trace_is_complete_when_it_stays_the_same() {
        let begun = trace(&["one"], None);
        let more = trace(&["one"], Some(9));
        let all = trace(&["one", "two"], Some(9));
        let (found, looks) =
            waited(&[Ok(begun), Ok(more.clone()), Ok(more), Ok(all.clone())]).await;
        assert_eq!(found.unwrap(), all);
        assert_eq!(looks, 3 + SAME_LOOKS as usize);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_read_is_kept_when_a_node_dies() {
        let begun = trace(&["one"], None);
        let all = trace(&["one", "two"], Some(9));
        let (found, _) = waited(&[Ok(begun.clone()), Err(gone()), Ok(all.clone())]).await;
        assert_eq!(found.unwrap(), all);
        let (found, _) = waited(&[Ok(begun.clone()), Err(gone())]).await;
        assert_eq!(found.unwrap(), begun);
    }

    #[tokio::test(start_paused = true)]
    async fn a_trace_of_nothing_is_an_error_with_its_reason() {
        let (found, _) = waited(&[Ok(trace(&[], None))]).await;
        let why = found.unwrap_err().to_string();
        assert!(
            why.contains("recorded nothing of the request within 10s"),
            "{why}"
        );
        let (found, _) = waited(&[Ok(trace(&[], None)), Err(gone())]).await;
        assert_eq!(found.unwrap_err().to_string(), "a node is gone");
        let (found, looks) = waited(&[Err(gone())]).await;
        assert_eq!(found.unwrap_err().to_string(), "a node is gone");
        assert_eq!(looks, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_was_asked_and_says_nothing_is_waited_for_a_short_time() {
        let silent = trace(&["reading data from /10.0.0.2:7000"], Some(9));
        let (found, looks) = waited(&[Ok(silent.clone())]).await;
        assert_eq!(found.unwrap(), silent);
        assert_eq!(
            looks,
            1 + (OTHERS_LIMIT.as_millis() / POLL.as_millis()) as usize
        );
    }
}
