//! A traced request as a file keeps it.

use serde::{Deserialize, Serialize};

use super::cluster::ClusterSeen;
use super::record::RecordedTrace;
use super::summary::Trace;
use crate::quantile::place;

/// Version of the form of such files.
const FORM: u32 = 1;

/// The times of one page of rows, as the client saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageTimes {
    /// Microseconds from sending the request until all of the answer was there.
    pub request_micros: u64,
    /// Microseconds of these until the driver had given the request to a connection; absent in traces of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_micros: Option<u64>,
    /// Microseconds of making values of the answer's bytes.
    pub decode_micros: u64,
    pub rows: u64,
}

impl PageTimes {
    /// Returns the microseconds of request and decoding together.
    pub fn micros(self) -> u64 {
        self.request_micros.saturating_add(self.decode_micros)
    }
}

/// The client's own share of the time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientTimes {
    /// Microseconds until the driver was connected to the cluster and knew its tables.
    pub connect_micros: u64,
    /// Microseconds in which DataFusion made requests of a question; absent of what is none, and in traces of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_micros: Option<u64>,
    /// Microseconds that DataFusion computed to answer the question, all of its threads together and without reading
    /// rows; absent as well of a question that takes more than one request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_micros: Option<u64>,
    pub prepare_micros: u64,
    /// Microseconds of the whole request, of each time that it was sent, in order.
    pub times_micros: Vec<u64>,
    /// Number of the time that is shown, from 0 on.
    pub shown_time: usize,
    /// Pages of the time that is shown.
    pub pages: Vec<PageTimes>,
    /// Number of the page that is shown, from 0 on.
    pub shown_page: usize,
    /// Whether there were further pages that were not asked for.
    pub has_more_pages: bool,
}

impl ClientTimes {
    /// Returns the times of the page that is shown.
    pub fn page(&self) -> Option<PageTimes> {
        self.pages.get(self.shown_page).copied()
    }
}

/// A request that was traced, with what the client saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    form: u32,
    pub cql: String,
    pub keyspace: Option<String>,
    /// Consistency level, in Cassandra's words.
    pub consistency: String,
    /// Largest number of rows of a page.
    pub page_rows: u32,
    /// Which request of a question this is, in words; `None` for a statement of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    pub client: ClientTimes,
    pub cluster: ClusterSeen,
    pub recorded: RecordedTrace,
}

/// What was asked, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub cql: String,
    pub keyspace: Option<String>,
    pub consistency: String,
    pub page_rows: u32,
    /// Which request of a question it was, in words.
    pub of: Option<String>,
}

impl Traced {
    pub fn new(
        asked: Asked,
        client: ClientTimes,
        cluster: ClusterSeen,
        recorded: RecordedTrace,
    ) -> Traced {
        Traced {
            form: FORM,
            cql: asked.cql,
            keyspace: asked.keyspace,
            consistency: asked.consistency,
            page_rows: asked.page_rows,
            of: asked.of,
            client,
            cluster,
            recorded,
        }
    }

    /// Sums up what was recorded.
    pub fn summary(&self) -> Trace {
        Trace::new(&self.recorded)
    }

    /// Returns the microseconds of the shown request that neither its queue in the driver nor the coordinator took, by
    /// the summary of its trace: the way there and back, and waiting at both of its ends. 0 if they took all of it;
    /// `None` if the coordinator recorded no end.
    pub fn wire_micros(&self, trace: &Trace) -> Option<u64> {
        let page = self.client.page().filter(|_| trace.complete)?;
        let queue = page.queue_micros.unwrap_or(0);
        let known = queue.saturating_add(trace.total_micros);
        Some(page.request_micros.saturating_sub(known))
    }

    /// Reads what [`Traced::to_json`] wrote.
    ///
    /// # Errors
    /// Fails if the text is of another form.
    pub fn from_json(text: &str) -> Result<Traced, String> {
        #[derive(Deserialize)]
        struct Form {
            form: u32,
        }
        let no_trace =
            |error: serde_json::Error| format!("this is no trace that --save wrote: {error}");
        let found: Form = serde_json::from_str(text).map_err(no_trace)?;
        if found.form != FORM {
            return Err(format!(
                "this trace is of form {}, and this Bakeoff reads form {FORM}: trace the request again",
                found.form
            ));
        }
        serde_json::from_str(text).map_err(no_trace)
    }

    /// Writes a text that [`Traced::from_json`] reads.
    ///
    /// # Errors
    /// Fails if it cannot be written as JSON, which no value prevents.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map_err(|error| error.to_string())
    }
}

/// Returns the index of the item that is at a percentile of all by their sizes; `None` if there are none.
pub fn at_percentile(sizes: &[u64], percentile: f64) -> Option<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|at| sizes[*at]);
    order.get(place(sizes.len(), percentile / 100.0)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_item_at_a_percentile_is_one_of_them() {
        let sizes = [40, 10, 30, 20];
        for (percentile, index) in [
            (0.0, 1),
            (25.0, 1),
            (50.0, 3),
            (51.0, 2),
            (99.0, 0),
            (100.0, 0),
        ] {
            assert_eq!(
                at_percentile(&sizes, percentile),
                Some(index),
                "{percentile}"
            );
        }
        assert_eq!(at_percentile(&[7], 99.0), Some(0));
        assert_eq!(at_percentile(&[], 50.0), None);
    }

    fn traced() -> Traced {
        let asked = Asked {
            cql: "SELECT v FROM t".to_owned(),
            keyspace: Some("ks".to_owned()),
            consistency: "LOCAL_ONE".to_owned(),
            page_rows: 5000,
            of: None,
        };
        let recorded = RecordedTrace {
            id: "1".to_owned(),
            coordinator: "127.0.0.1".to_owned(),
            total_micros: None,
            events: Vec::new(),
        };
        Traced::new(
            asked,
            ClientTimes::default(),
            ClusterSeen::default(),
            recorded,
        )
    }

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let text = traced().to_json().unwrap();
        assert_eq!(Traced::from_json(&text), Ok(traced()));
    }

    #[test]
    fn the_wire_has_what_queue_and_coordinator_leave_and_is_never_negative() {
        let wire = |request_micros, queue_micros, total_micros| {
            let mut traced = traced();
            traced.client.pages = vec![PageTimes {
                request_micros,
                queue_micros,
                decode_micros: 5,
                rows: 1,
            }];
            traced.recorded.total_micros = total_micros;
            let summary = traced.summary();
            traced.wire_micros(&summary)
        };
        assert_eq!(wire(12_000, Some(500), Some(3_000)), Some(8_500));
        assert_eq!(wire(12_000, None, Some(3_000)), Some(9_000));
        assert_eq!(wire(2_000, Some(100), Some(3_000)), Some(0));
        assert_eq!(wire(12_000, Some(500), None), None);
        assert_eq!(traced().wire_micros(&traced().summary()), None, "no page");
    }

    #[test]
    fn a_trace_of_an_earlier_version_has_no_queue() {
        let mut early = traced();
        early.client.pages = vec![PageTimes {
            request_micros: 7,
            queue_micros: None,
            decode_micros: 5,
            rows: 1,
        }];
        let text = early.to_json().unwrap();
        assert!(!text.contains("queue_micros"), "{text}");
        assert!(!text.contains("plan_micros"), "{text}");
        assert!(!text.contains("compute_micros"), "{text}");
        assert_eq!(Traced::from_json(&text), Ok(early));
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let other = traced()
            .to_json()
            .unwrap()
            .replace("\"form\": 1", "\"form\": 7");
        for (text, why) in [
            ("", "no trace"),
            ("{}", "no trace"),
            ("{\"form\": 1}", "no trace"),
            (other.as_str(), "form 7"),
        ] {
            let error = Traced::from_json(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
