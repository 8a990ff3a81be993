//! Figures of a design's server while one thing was done with the design and nothing else by Bakeoff.

use serde::{Deserialize, Serialize};

use crate::ServerSample;

/// Samples of a server from the beginning of a step to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerWindow {
    pub design: String,
    pub during: During,
    /// Moment at which the step began, in nanoseconds since 1970.
    pub began_at_ns: u64,
    /// Seconds that the step took.
    pub seconds: f64,
    /// Samples in the order of their moments. One of the beginning is missing where the last one before had just been
    /// taken.
    pub samples: Vec<SampleAt>,
}

/// Sample of a server at a moment of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleAt {
    /// Seconds since the step began.
    pub seconds: f64,
    pub server: ServerSample,
}

/// What was done with a design while its server was sampled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum During {
    /// A slice of rows was loaded.
    Load {
        slice: u64,
        rows: u64,
    },
    Settle,
    /// A question of a round was answered.
    Answer {
        query: String,
        round: u32,
    },
    /// A setting of a sweep was measured, in which this number of rows was acknowledged.
    Setting {
        batch_rows: u64,
        workers: u32,
        round: u32,
        rows: u64,
    },
}

impl During {
    /// Returns the rows that were written; `None` for a step that writes none of the client's.
    pub fn rows(&self) -> Option<u64> {
        match self {
            During::Load { rows, .. } | During::Setting { rows, .. } => Some(*rows),
            During::Settle | During::Answer { .. } => None,
        }
    }

    /// Returns whether both are steps of the same kind, such as loading, or measurements of the same setting.
    pub fn is_like(&self, other: &During) -> bool {
        match (self, other) {
            (During::Load { .. }, During::Load { .. })
            | (During::Settle, During::Settle)
            | (During::Answer { .. }, During::Answer { .. }) => true,
            (During::Setting { .. }, During::Setting { .. }) => self == other,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;
    use crate::sweep::SweepRecord;

    fn window(during: During) -> ServerWindow {
        ServerWindow {
            design: "a".to_owned(),
            during,
            began_at_ns: 1_767_225_600_000_000_001,
            seconds: 2.0,
            samples: vec![SampleAt {
                seconds: 0.5,
                server: ServerSample {
                    cpu_seconds: Some(3.0),
                    nodes: Some(2),
                    ..ServerSample::default()
                },
            }],
        }
    }

    #[test]
    fn windows_of_all_kinds_read_back_as_they_were() {
        let query = "q".to_owned();
        let all = [
            During::Load { slice: 3, rows: 5 },
            During::Settle,
            During::Answer { query, round: 1 },
        ];
        for during in all {
            let record = Record::Server(window(during));
            let json = serde_json::to_string(&record).unwrap();
            assert!(json.starts_with(r#"{"record":"server","#), "{json}");
            assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), record);
        }
        let record = SweepRecord::Server(window(During::Setting {
            batch_rows: 100,
            workers: 8,
            round: 1,
            rows: 7,
        }));
        let json = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<SweepRecord>(&json).unwrap(), record);
    }

    #[test]
    fn slices_belong_together_and_settings_do_not() {
        let slice = |slice| During::Load { slice, rows: 1 };
        assert!(slice(0).is_like(&slice(1)) && !slice(0).is_like(&During::Settle));
        let setting = |workers| During::Setting {
            batch_rows: 1,
            workers,
            round: 1,
            rows: 1,
        };
        assert!(setting(1).is_like(&setting(1)) && !setting(1).is_like(&setting(2)));
    }
}
