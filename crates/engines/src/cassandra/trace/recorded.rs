//! What Cassandra has recorded of a request, in `system_traces`. Nodes write there after they have answered, and
//! write nothing more to it when they are overloaded, so that a trace may never be complete.

use std::net::IpAddr;
use std::time::Duration;

use bakeoff_stats::trace::{RecordedTrace, Trace, TraceEvent, coordinator_of};
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
    let events = format!(
        "SELECT source, source_elapsed, thread, activity FROM system_traces.events \
         WHERE session_id = ? LIMIT {MOST_EVENTS}"
    );
    let events: Vec<EventRow> = rows(session, &events, id).await?;
    Ok(of_rows(id, found.into_iter().next(), events))
}

/// Makes a trace of its rows. The coordinator may not have recorded its session, and the events are in the order of the
/// clocks of their nodes.
fn of_rows(id: Uuid, session: Option<SessionRow>, events: Vec<EventRow>) -> RecordedTrace {
    let (coordinator, duration) = session.unwrap_or_default();
    let events: Vec<TraceEvent> = events.into_iter().map(event).collect();
    let coordinator = coordinator.map(|node| node.to_string());
    RecordedTrace {
        id: id.to_string(),
        coordinator: { coordinator.or_else(|| coordinator_of(&events)) }.unwrap_or_default(),
        total_micros: duration.and_then(|micros| u64::try_from(micros).ok()),
        events,
    }
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

    /// Rows of a read at QUORUM: the first node asks the second one and itself.
    fn quorum() -> (Vec<EventRow>, Vec<EventRow>) {
        let row = |last: u8, elapsed: i32, activity: &str| -> EventRow {
            (
                Some(IpAddr::from([10, 0, 0, last])),
                Some(elapsed),
                Some("ReadStage-1".to_owned()),
                Some(activity.to_owned()),
            )
        };
        let own = vec![
            row(1, 90, "Parsing SELECT v FROM ks.t WHERE k = 1"),
            row(1, 300, "reading data locally"),
            row(1, 320, "reading digest from /10.0.0.2:7000"),
            row(
                1,
                350,
                "Sending READ_REQ message to /10.0.0.2:7000 message size 163 bytes",
            ),
            row(1, 500, "Merged data from memtables and 1 sstables"),
            row(1, 80_350, "READ_RSP message received from /10.0.0.2:7000"),
        ];
        let of_second = vec![
            row(2, 20, "READ_REQ message received from /10.0.0.1:7000"),
            row(2, 700, "Merged data from memtables and 3 sstables"),
            row(2, 900, "Enqueuing response to /10.0.0.1:7000"),
        ];
        (own, of_second)
    }

    /// A clock that is behind puts the events of the second node first, one that is ahead puts them last.
    #[test]
    fn clocks_that_are_apart_change_neither_times_nor_the_coordinator() {
        let (own, of_second) = quorum();
        let behind = [of_second.clone(), own.clone()].concat();
        let ahead = [own, of_second].concat();
        let session = (Some(IpAddr::from([10, 0, 0, 1])), Some(80_500));
        let mut found = Vec::new();
        // With the row of the session, without it, and with one that names no coordinator.
        for session in [Some(session), None, Some((None, None))] {
            for rows in [&behind, &ahead] {
                let trace = Trace::new(&of_rows(Uuid::from_u128(7), session, rows.clone()));
                assert_eq!(trace.coordinator, "10.0.0.1");
                assert_eq!(trace.answers[0].micros, 80_000);
                assert_eq!(trace.answers[0].own_micros, Some(900));
                let mut starts: Vec<(u64, String)> = { trace.steps.iter() }
                    .map(|step| (step.start_micros, step.activity.clone()))
                    .collect();
                starts.sort();
                // From when the first node has sent the request on, by that node's count.
                assert!(starts.contains(&(
                    1_050,
                    "Merged data from memtables and 3 sstables".to_owned()
                )));
                let asked: Vec<&str> = trace.replicas.iter().map(|r| r.node.as_str()).collect();
                assert_eq!(asked, ["10.0.0.1", "10.0.0.2"]);
                let total = session.and_then(|(_, micros)| micros).unwrap_or(80_350);
                assert_eq!(i64::try_from(trace.total_micros), Ok(i64::from(total)));
                assert_eq!(trace.complete, total == 80_500);
                found.push(starts);
            }
        }
        assert!(found.iter().all(|starts| *starts == found[0]), "{found:?}");
    }

    #[test]
    fn what_only_other_nodes_have_recorded_is_a_trace_without_an_end() {
        let (_, of_second) = quorum();
        let recorded = of_rows(Uuid::from_u128(7), None, of_second);
        let trace = Trace::new(&recorded);
        assert_eq!(trace.coordinator, "10.0.0.1");
        assert!(!trace.complete);
        assert_eq!((trace.total_micros, trace.work.len()), (900, 1));
        // Nobody has said when the request was sent, so that its node's count is all that is known.
        assert_eq!(trace.steps[0].start_micros, 20);
        let none = of_rows(Uuid::from_u128(7), None, Vec::new());
        assert_eq!((none.coordinator.as_str(), none.total_micros), ("", None));
    }

    /// A node's count that has no value, or is no number of microseconds, is none.
    #[test]
    fn rows_that_lack_values_are_read() {
        let events = vec![(None, None, None, None), (None, Some(-5), None, None)];
        let trace = of_rows(Uuid::from_u128(7), Some((None, Some(-1))), events);
        assert_eq!(trace.total_micros, None);
        assert!(trace.events.iter().all(|event| event.elapsed_micros == 0));
        assert_eq!(Trace::new(&trace).total_micros, 0);
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
