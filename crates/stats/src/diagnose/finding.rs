//! What a rule says.

use serde::Serialize;

/// When something is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    Now,
    Soon,
    Sometime,
}

/// A rule that was applied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// Name such as `partition-size`.
    pub rule: &'static str,
    /// The table as `KEYSPACE.TABLE`, or `the cluster`.
    pub about: String,
    #[serde(flatten)]
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    Finding(Finding),
    Healthy,
    NotChecked(NotChecked),
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub urgency: Urgency,
    /// What is wrong, without a full stop.
    pub says: String,
    /// Figures that show it.
    pub evidence: Vec<Observed>,
    /// The limit that the figures pass.
    pub threshold: &'static str,
    /// Who states that limit.
    pub source: &'static str,
    /// What it means for requests, and what helps.
    pub meaning: String,
    /// Designs that would show what a setting brings; empty if no setting is the cure.
    pub designs: Vec<String>,
}

/// A figure, and where it was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observed {
    /// Address of a node; `None` if the figure is of the schema or of all nodes.
    pub node: Option<String>,
    pub figure: String,
    pub value: f64,
    pub unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Bytes,
    Count,
    Microseconds,
    /// From 0 to 1.
    Share,
    /// None: what the figure says is so, and its value is 1.
    Fact,
}

/// A rule that could not be applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    pub reason: String,
    /// The option, right or machine that would bring what is missing.
    pub brings: Option<&'static str>,
}

/// All rules that were applied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diagnosis {
    pub checks: Vec<Check>,
}

impl Diagnosis {
    /// Returns the findings of one urgency, in the order of the rules.
    pub fn findings(&self, urgency: Urgency) -> impl Iterator<Item = (&Check, &Finding)> {
        let findings = self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::Finding(finding) => Some((check, finding)),
            _ => None,
        });
        findings.filter(move |(_, finding)| finding.urgency == urgency)
    }

    /// Returns the checks that could not be made.
    pub fn not_checked(&self) -> impl Iterator<Item = (&Check, &NotChecked)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::NotChecked(not) => Some((check, not)),
            _ => None,
        })
    }

    /// Returns whether there is anything to do now.
    pub fn is_urgent(&self) -> bool {
        self.findings(Urgency::Now).next().is_some()
    }
}

impl Observed {
    /// A figure of a node.
    pub fn of(node: &str, figure: impl Into<String>, value: f64, unit: Unit) -> Self {
        Observed {
            node: Some(node.to_owned()),
            figure: figure.into(),
            value,
            unit,
        }
    }

    /// What is so on a node.
    pub fn fact(node: &str, says: impl Into<String>) -> Self {
        Observed::of(node, says, 1.0, Unit::Fact)
    }

    /// A figure that is of no single node.
    pub fn of_all(figure: impl Into<String>, value: f64, unit: Unit) -> Self {
        Observed {
            node: None,
            figure: figure.into(),
            value,
            unit,
        }
    }
}

impl NotChecked {
    pub fn new(reason: impl Into<String>) -> Self {
        NotChecked {
            reason: reason.into(),
            brings: None,
        }
    }
}

impl From<NotChecked> for Outcome {
    fn from(not: NotChecked) -> Self {
        Outcome::NotChecked(not)
    }
}

impl From<Finding> for Outcome {
    fn from(finding: Finding) -> Self {
        Outcome::Finding(finding)
    }
}
