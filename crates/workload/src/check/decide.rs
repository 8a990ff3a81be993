//! Checks `[decide]`: the rule by which a report chooses one design.

use toml::Spanned;

use super::limit;
use super::text::{Text, suggestion};
use crate::decide::alike;
use crate::{Concurrent, Decide, DesignId, Limit, Minimise, Query, Result, parse_percentage, wire};

/// Bound of `same_within` in percent.
const SAME_WITHIN_BELOW_PERCENT: f64 = 100.0;

/// The parts of a workload that a rule is checked against.
pub struct About<'a> {
    pub document: Text<'a>,
    pub queries: &'a [Query],
    pub designs: &'a [DesignId],
    pub concurrent: Option<&'a Concurrent>,
}

impl About<'_> {
    /// Checks the rule; without one, returns the default rule.
    pub fn check(&self, wire: Option<&Spanned<wire::Decide>>) -> Result<Decide> {
        let unless_stated = Decide::unless_stated(self.queries.len());
        let Some(written) = wire else {
            return Ok(unless_stated);
        };
        if self.queries.is_empty() {
            let message = "[decide] chooses a design by the workload's [[queries]], and there are \
                           none; add some, or leave [decide] out";
            return Err(self.document.error(written.span(), message));
        }
        let rule = written.get_ref();
        let minimise = rule.minimise.as_ref().map(|m| self.minimise(m));
        let same_within = rule.same_within.as_ref().map(|s| self.same_within(s));
        let baseline = rule.baseline.as_ref().map(|b| self.baseline(b));
        Ok(Decide {
            is_stated: true,
            minimise: minimise.transpose()?.unwrap_or(unless_stated.minimise),
            weights: self.weights(rule)?,
            has_weights: rule.weights.is_some(),
            limits: self.limits(&rule.limits)?,
            same_within: same_within
                .transpose()?
                .unwrap_or(unless_stated.same_within),
            baseline: baseline.transpose()?,
        })
    }

    fn minimise(&self, written: &Spanned<String>) -> Result<Minimise> {
        let known = Minimise::ALL.iter().find(|m| m.0 == written.get_ref());
        known.map(|(_, minimise)| *minimise).ok_or_else(|| {
            let names = Minimise::ALL.map(|(name, _)| name);
            let hint = suggestion(written.get_ref(), names);
            let message = format!("`{written}` cannot be minimised{hint}");
            self.document.error(written.span(), message)
        })
    }

    /// Returns the share of each query; they add up to 1. A query without a weight has none if others have
    /// one.
    fn weights(&self, rule: &wire::Decide) -> Result<Vec<f64>> {
        let Some(written) = &rule.weights else {
            return Ok(alike(self.queries.len()));
        };
        let mut weights = vec![0.0; self.queries.len()];
        for (name, weight) in written.get_ref() {
            let index = self.query(name)?;
            if weights[index] > 0.0 {
                let message = format!("`{name}` has a weight already (case is ignored)");
                return Err(self.document.error(name.span(), message));
            }
            weights[index] = self.weight(name, weight)?;
        }
        let sum: f64 = weights.iter().sum();
        if sum > 0.0 && sum.is_finite() {
            return Ok(weights.iter().map(|weight| weight / sum).collect());
        }
        let message = "no query has a weight; write weights = { query = 2 }, or leave `weights` \
                       out, and all queries count equally";
        Err(self.document.error(written.span(), message))
    }

    fn weight(&self, name: &Spanned<String>, written: &Spanned<f64>) -> Result<f64> {
        let weight = *written.get_ref();
        if weight > 0.0 && weight.is_finite() {
            return Ok(weight);
        }
        let message = format!(
            "the weight of `{name}` is {weight}, but has to be above 0; leave the query out, and it \
             does not count"
        );
        Err(self.document.error(written.span(), message))
    }

    fn query(&self, name: &Spanned<String>) -> Result<usize> {
        let wanted = name.get_ref().to_lowercase();
        let index = self.queries.iter().position(|q| q.name == wanted);
        index.ok_or_else(|| {
            let names = self.queries.iter().map(|q| q.name.as_str());
            let hint = suggestion(name.get_ref(), names);
            let message = format!("there is no query `{name}` to give a weight to{hint}");
            self.document.error(name.span(), message)
        })
    }

    fn limits(&self, written: &[Spanned<String>]) -> Result<Vec<Limit>> {
        let mut limits: Vec<Limit> = Vec::with_capacity(written.len());
        for text in written {
            let limit = limit::check(self.document, text, self.queries, self.concurrent)?;
            if let Some(other) = limits.iter().find(|other| other.of == limit.of) {
                let message = format!(
                    "`{}` limits the same figure as `{}`; keep the stricter one",
                    limit.text, other.text
                );
                return Err(self.document.error(text.span(), message));
            }
            limits.push(limit);
        }
        Ok(limits)
    }

    fn same_within(&self, written: &Spanned<String>) -> Result<f64> {
        match parse_percentage(written.get_ref()) {
            Some(percent) if (0.0..SAME_WITHIN_BELOW_PERCENT).contains(&percent) => {
                Ok(percent / 100.0)
            }
            _ => {
                let message = format!(
                    "`same_within` is `{written}`, but has to be a percentage from 0% to below \
                     {SAME_WITHIN_BELOW_PERCENT}%: same_within = \"5%\""
                );
                Err(self.document.error(written.span(), message))
            }
        }
    }

    /// Checks the baseline. If the workload lists no designs, any is accepted, since those of the command
    /// line are not known here.
    fn baseline(&self, written: &Spanned<String>) -> Result<DesignId> {
        let error = |message: String| self.document.error(written.span(), message);
        let design: DesignId = written.get_ref().parse().map_err(error)?;
        if self.designs.is_empty() || self.designs.contains(&design) {
            return Ok(design);
        }
        let ids: Vec<String> = self.designs.iter().map(DesignId::to_string).collect();
        let hint = suggestion(&design.to_string(), ids.iter().map(String::as_str));
        Err(error(format!(
            "the baseline `{design}` is not among the `designs`, so it would not be measured{hint}"
        )))
    }
}
