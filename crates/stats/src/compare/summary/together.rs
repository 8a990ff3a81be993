//! Two designs that are kept at the same time, such as rows in Cassandra and a copy of them in Parquet files: every row
//! is stored and loaded twice, and each question is asked of the design that answers it faster.

use serde::Serialize;

use super::{Cost, DesignSummary, Difference, PairedComparison, Summary};

/// Figures of two designs, of each by itself and of both together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Together {
    /// Ids of the designs, in the order in which they were named.
    pub designs: [String; 2],
    /// Figures of each of them, if it answered all questions by itself.
    pub each: [KeptFigures; 2],
    pub both: KeptFigures,
    pub queries: Vec<TogetherQuery>,
    /// Currency of a month; `None` without prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// What it takes to keep rows. What is unknown of one design is unknown of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KeptFigures {
    /// Bytes of one copy of a row.
    pub bytes_per_row: Option<f64>,
    /// Forecast of the bytes to buy for all copies at full scale.
    pub bytes_to_buy: Option<f64>,
    /// Rows loaded a second; into both, one after the other.
    pub rows_per_second: Option<f64>,
    /// Forecast of the machines at full scale, each design on machines of its own; `None` without prices.
    pub machines: Option<u32>,
    /// Whether there may have to be more machines, since the CPU time of some question has no forecast.
    pub machines_are_least: bool,
    /// Forecast of what storage and machines cost a month.
    pub month: Option<f64>,
}

/// Times of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TogetherQuery {
    pub query: String,
    /// Median seconds of each design; `None` without right answers only.
    pub seconds: [Option<f64>; 2],
    /// Id of the faster design, which is the one that is asked; `None` if neither has times.
    pub asked: Option<String>,
    /// Whether the rounds show that it is the faster one, or it is the only one with times.
    pub is_shown: bool,
}

impl TogetherQuery {
    /// Returns the seconds of the design that is asked, of these two.
    pub fn of_asked(&self, designs: &[String; 2]) -> Option<f64> {
        let asked = self.asked.as_ref()?;
        let place = designs.iter().position(|design| design == asked)?;
        self.seconds[place]
    }
}

impl Together {
    /// Returns how many questions are asked of the first design, and how many of the second one.
    pub fn asked_of_each(&self) -> [usize; 2] {
        let of = |design: &String| {
            let queries = self.queries.iter();
            queries
                .filter(|query| query.asked.as_ref() == Some(design))
                .count()
        };
        [of(&self.designs[0]), of(&self.designs[1])]
    }
}

impl Summary {
    /// Adds what two of the designs take that are kept together, with costs if the summary has prices.
    ///
    /// # Errors
    /// Says why they cannot be kept together: one of them is not in the run, is no store of the rows or failed, or
    /// both are the same.
    pub fn kept_together(mut self, designs: [&str; 2]) -> Result<Summary, String> {
        let [one, other] = designs;
        if one == other {
            return Err(format!("{one} is named twice; name two designs"));
        }
        let pair = [self.keepable(one)?, self.keepable(other)?];
        let together = self.both(pair);
        self.together = Some(together);
        Ok(self)
    }

    /// Returns a design that rows can be kept in.
    fn keepable(&self, id: &str) -> Result<&DesignSummary, String> {
        let Some(design) = self.design(id) else {
            let ids: Vec<&str> = self.designs.iter().map(|d| d.info.id.as_str()).collect();
            return Err(format!(
                "the run has no design {id}, but {}",
                ids.join(", ")
            ));
        };
        if design.info.is_yardstick() {
            return Err(format!("{id} is a yardstick, in which no rows are kept"));
        }
        if design.is_out_of_race() {
            return Err(format!(
                "{id} was dropped by the race, so that it was not measured whole"
            ));
        }
        if let Some(failure) = self.failure_of_table(design) {
            return Err(format!("{id} failed: {}", failure.reason));
        }
        if self.loses_rows(id) {
            return Err(format!("{id} loses rows that other designs keep"));
        }
        Ok(design)
    }

    fn both(&self, pair: [&DesignSummary; 2]) -> Together {
        let queries = self.faster_of(pair);
        let each = pair.map(|design| self.kept(design));
        let [one, other] = each;
        let cost = self.cost.as_ref();
        let machines = cost.and_then(|cost| self.machines_of_both(cost, pair, &queries));
        let month = cost.zip(machines).and_then(|(cost, (count, _))| {
            let storage = pair.map(|design| cost.design(&design.info.id)?.storage_month);
            let machines = f64::from(count) * cost.prices.machine_month;
            Some(storage[0]? + storage[1]? + machines)
        });
        Together {
            designs: pair.map(|design| design.info.id.clone()),
            both: KeptFigures {
                bytes_per_row: sum(one.bytes_per_row, other.bytes_per_row),
                bytes_to_buy: sum(one.bytes_to_buy, other.bytes_to_buy),
                rows_per_second: { one.rows_per_second.zip(other.rows_per_second) }
                    .map(|(one, other)| (one.recip() + other.recip()).recip()),
                machines: machines.map(|(count, _)| count),
                machines_are_least: machines.is_some_and(|(_, is_least)| is_least),
                month,
            },
            each,
            queries,
            currency: cost.map(|cost| cost.prices.currency.clone()),
        }
    }

    /// Returns the figures of a design by itself.
    fn kept(&self, design: &DesignSummary) -> KeptFigures {
        let id = &design.info.id;
        let forecast = self.forecast.as_ref();
        let bytes_to_buy = forecast.and_then(|forecast| {
            let storage = forecast.design(id)?.storage.as_ref()?;
            Some(storage.to_buy(forecast.has_purchases()))
        });
        let cost = self.cost.as_ref().and_then(|cost| cost.design(id));
        let machines = cost.and_then(|cost| cost.machines.known());
        KeptFigures {
            bytes_per_row: design.bytes_per_row,
            bytes_to_buy,
            rows_per_second: { design.load_rate }
                .map(|rate| rate.median)
                .filter(|rate| *rate > 0.0),
            machines: machines.map(|machines| machines.count),
            machines_are_least: machines.is_some_and(|machines| machines.is_least),
            month: cost.and_then(|cost| cost.month),
        }
    }

    /// Returns the machines of both designs, of which each takes all inserts and answers the questions that are asked
    /// of it, and whether there may have to be more.
    fn machines_of_both(
        &self,
        cost: &Cost,
        pair: [&DesignSummary; 2],
        queries: &[TogetherQuery],
    ) -> Option<(u32, bool)> {
        let needed = pair.map(|design| {
            let is_asked = |name: &str| {
                let query = queries.iter().find(|query| query.query == name);
                query.is_some_and(|query| query.asked.as_ref() == Some(&design.info.id))
            };
            self.machines_for(design, &cost.demand, &is_asked)
        });
        let (one, other) = (needed[0].known()?, needed[1].known()?);
        Some((one.count + other.count, one.is_least || other.is_least))
    }

    /// Returns the times of each question, with the design that answers it faster.
    fn faster_of(&self, pair: [&DesignSummary; 2]) -> Vec<TogetherQuery> {
        let [one, other] = pair.map(|design| design.info.id.as_str());
        let comparison = PairedComparison::of_two(self, one, other);
        let names = self.header.queries.iter().map(|query| &query.name);
        names
            .map(|name| {
                let seconds = pair.map(|design| {
                    let right = design.failure_behind(name).is_none();
                    let time = design.query(name)?.time.filter(|_| right)?;
                    Some(time.median)
                });
                let (asked, is_shown) = match seconds {
                    [Some(a), Some(b)] => {
                        let (faster, slower) = if a <= b { (one, other) } else { (other, one) };
                        let against = comparison.design(name, slower);
                        let is_shown = against.is_some_and(|a| a.difference == Difference::Slower);
                        (Some(faster), is_shown)
                    }
                    [Some(_), None] => (Some(one), true),
                    [None, Some(_)] => (Some(other), true),
                    [None, None] => (None, false),
                };
                TogetherQuery {
                    query: name.clone(),
                    seconds,
                    asked: asked.map(str::to_owned),
                    is_shown,
                }
            })
            .collect()
    }
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? + other?)
}

#[cfg(test)]
mod tests;
