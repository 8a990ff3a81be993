//! Questions that a separate client asks during a load, so that what they cost the load can be measured.

use serde::{Deserialize, Deserializer, Serialize};

use crate::DesignInfo;

/// Questions that are asked beside loads of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Designs that answer them in turn, each with the same rows; empty if each driven design alone answers. Earlier
    /// records have one `design` in their place.
    #[serde(
        default,
        alias = "design",
        deserialize_with = "one_or_several",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub designs: Vec<DesignInfo>,
    /// Whether each driven design answers in turn with these designs. Without any of them it answers anyway.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub driven: bool,
    /// Questions in the order in which they are asked, over and over.
    pub questions: Vec<BesideQuestion>,
    /// Whether all rows that are asked about stay the same, so that all answers are compared with each other. Otherwise
    /// those of the driven designs are not.
    pub compared: bool,
}

/// Reads the design of an earlier record, or the designs of one of today.
fn one_or_several<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<DesignInfo>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(Box<DesignInfo>),
        Several(Vec<DesignInfo>),
    }
    Ok(match Written::deserialize(input)? {
        Written::One(design) => vec![*design],
        Written::Several(designs) => designs,
    })
}

impl Beside {
    /// Returns the ids of the designs that answer; `None`, as the last one, stands for each driven design itself.
    pub fn answering(&self) -> Vec<Option<&str>> {
        let others = self.designs.iter();
        let mut answering: Vec<Option<&str>> =
            others.map(|design| Some(design.id.as_str())).collect();
        if self.driven || answering.is_empty() {
            answering.push(None);
        }
        answering
    }
}

/// One question, as it was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BesideQuestion {
    /// Name of the workload's query, or the number of the question on the command line.
    pub name: String,
    /// SQL, with `${parameter}` where a round has another value than the next one.
    pub sql: String,
}

/// What became of the questions beside one load; recorded after the end of its trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BesideRecord {
    pub trial: u32,
    /// Design that was driven.
    pub design: String,
    pub round: u32,
    /// Counts of each question, in the header's order.
    pub questions: Vec<AskedBeside>,
}

/// End of a design that answers questions: no further load has questions that it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweringEnded {
    pub design: String,
    pub reason: String,
}

/// Counts of one question beside one load, and the seconds that its answers took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AskedBeside {
    pub name: String,
    /// Answers that were complete before the load ended.
    pub answered: u64,
    /// Times of these answers in seconds; `None` if there are none.
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    pub longest: Option<f64>,
    /// Questions that failed.
    pub failed: u64,
    /// Questions whose answer was not complete when the load ended.
    pub unfinished: u64,
    /// Answers that were compared with the first one to the same question.
    pub compared: u64,
    /// Answers among them that differed from it.
    pub differing: u64,
    /// First reasons of failures and differences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
}

impl AskedBeside {
    /// Sets the times by those of the answers, in seconds.
    pub fn set_times(&mut self, seconds: &[f64]) {
        self.answered = seconds.len() as u64;
        if seconds.is_empty() {
            return;
        }
        let mut sorted = seconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        self.mean = Some(sorted.iter().sum::<f64>() / sorted.len() as f64);
        self.p50 = Some(crate::estimate::median(&sorted));
        self.longest = sorted.last().copied();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{DriveHeader, DriveRecord};

    #[test]
    fn times_are_those_of_the_answers() {
        let mut asked = AskedBeside::default();
        asked.set_times(&[]);
        assert_eq!(asked, AskedBeside::default());
        asked.set_times(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!(asked.answered, 4);
        let times = (asked.mean, asked.p50, asked.longest);
        assert_eq!(times, (Some(2.5), Some(2.5), Some(4.0)));
    }

    #[test]
    fn records_are_read_back_and_loads_without_questions_have_none() {
        let header = crate::drive::testing::header();
        let json = serde_json::to_string(&header).unwrap();
        assert!(!json.contains("beside"), "{json}");
        let header = DriveHeader {
            beside: Some(Beside {
                designs: Vec::new(),
                driven: false,
                questions: vec![BesideQuestion {
                    name: "month".to_owned(),
                    sql: "SELECT 1".to_owned(),
                }],
                compared: false,
            }),
            ..header
        };
        let json = serde_json::to_string(&header).unwrap();
        assert_eq!(serde_json::from_str::<DriveHeader>(&json).unwrap(), header);
        let start = crate::drive::testing::start(1, "a", 1);
        let json = serde_json::to_string(&start).unwrap();
        assert!(start.is_round() && !json.contains("beside"), "{json}");
        let record = DriveRecord::Beside(BesideRecord {
            trial: 2,
            design: "a".to_owned(),
            round: 1,
            questions: vec![AskedBeside::default()],
        });
        let json = serde_json::to_string(&record).unwrap();
        assert!(
            json.starts_with(r#"{"record":"beside","trial":2"#),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<DriveRecord>(&json).unwrap(), record);
    }

    #[test]
    fn a_record_of_the_one_design_that_answered_is_read_as_that_of_several() {
        let design = crate::drive::testing::header().designs[0].clone();
        let id = design.id.clone();
        let beside = Beside {
            designs: vec![design],
            driven: false,
            questions: Vec::new(),
            compared: true,
        };
        let mut written = serde_json::to_value(&beside).unwrap();
        assert_eq!(
            serde_json::from_value::<Beside>(written.clone()).unwrap(),
            beside
        );
        let fields = written.as_object_mut().unwrap();
        let designs = fields.remove("designs").unwrap();
        fields.insert("design".to_owned(), designs[0].clone());
        assert_eq!(serde_json::from_value::<Beside>(written).unwrap(), beside);
        // The loads of such a record do not name it.
        let start = crate::drive::testing::start(1, "a", 1);
        assert_eq!(start.answered_by(&beside), Some(id.as_str()));
        let by_itself = Beside {
            designs: Vec::new(),
            ..beside
        };
        assert_eq!(start.answered_by(&by_itself), None);
        assert_eq!(by_itself.answering(), [None]);
    }

    #[test]
    fn the_driven_design_may_answer_in_turn_with_others() {
        let design = crate::drive::testing::header().designs[0].clone();
        let id = design.id.clone();
        let others = Beside {
            designs: vec![design],
            driven: false,
            questions: Vec::new(),
            compared: true,
        };
        let all = Beside {
            driven: true,
            ..others.clone()
        };
        assert_eq!(others.answering(), [Some(id.as_str())]);
        assert_eq!(all.answering(), [Some(id.as_str()), None]);
        // A load that names nobody was answered by the driven design, and not by the only other one.
        let start = crate::drive::testing::start(1, "a", 1);
        assert_eq!(start.answered_by(&others), Some(id.as_str()));
        assert_eq!(start.answered_by(&all), None);
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Beside>(&json).unwrap(), all);
        let json = serde_json::to_string(&others).unwrap();
        assert!(!json.contains("driven"), "{json}");
        assert_eq!(serde_json::from_str::<Beside>(&json).unwrap(), others);
    }
}
