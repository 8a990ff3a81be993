//! Says which designs are compared, with which options, and how long that may take, as far as it is known before they
//! are.

use std::time::Duration;

use anyhow::{Result, anyhow};
use bakeoff_driver::rows_to_forecast;
use bakeoff_engines::{Context, OptionGroup};
use bakeoff_report::units::plural;
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Data, DesignId, RowSource, Workload};

use super::{Run, columns};
use crate::cmd::measure::preview::{Preview, row_bytes};
use crate::cmd::options::choice::{self, Rows};
use crate::cmd::options::nodes::given;
use crate::exit::Misuse;

impl Run {
    /// Returns the designs that are compared.
    ///
    /// # Errors
    /// Fails with a misuse if there are none, if `--queries` names others, if one has a number of columns of its own
    /// beside `--columns`, and if `--columns` leaves no baseline.
    pub fn designs(&self, workload: &Workload) -> Result<Vec<DesignId>> {
        let designs = choice::designs(workload, &self.designs)?;
        let all = workload.table.columns.len();
        let baseline = workload.decide.baseline.as_ref();
        let designs = columns::in_each(designs, &self.columns, all, baseline)?;
        self.queries.check_designs(&designs)?;
        Ok(designs)
    }

    /// Returns whether a query is asked of a design.
    pub fn asks(&self, query: &str, design: &DesignId) -> bool {
        self.queries.asks(query, &design.to_string())
    }

    /// Leaves out of a workload the queries that are not asked.
    ///
    /// # Errors
    /// Fails with a misuse for a query that does not exist or that the workload's rule needs, and for one that only
    /// some designs are asked in a race, or by clients that ask all questions in turn.
    pub fn choose_queries(&self, workload: &mut Workload) -> Result<()> {
        if self.race && self.queries.differ() {
            return Err(Misuse::new(anyhow!(
                "--race drops designs that another one beats in everything, so that all of them are asked the same: \
                 leave it out, or leave @ and what is behind it out of --queries"
            ))
            .into());
        }
        let clients = self.concurrent.plan(workload);
        let is_permuted = clients.is_some_and(|clients| !clients.one_query_at_a_time);
        if is_permuted && self.queries.differ() {
            return Err(Misuse::new(anyhow!(
                "--queries with @: several clients ask a design all of its questions in turn, so that designs with \
                 other questions cannot be compared: give --concurrent-one-query-at-a-time or --no-concurrent, or \
                 leave @ and what is behind it out"
            ))
            .into());
        }
        self.queries.choose(workload)
    }

    /// Checks that each option is for at least one of the designs.
    ///
    /// # Errors
    /// Fails with a misuse for one that would be ignored.
    pub fn check_use(&self, designs: &[DesignId]) -> Result<()> {
        let mut given = given(&self.cluster, &self.nodes, self.consistency);
        self.postgres.add_given(&mut given);
        self.spark.add_given(&mut given);
        self.adbc.add_given(&mut given);
        given.add("--memory", OptionGroup::Memory, self.memory.is_some());
        given.add("--show-stored", OptionGroup::Cassandra, self.show_stored);
        self.profile.add_given(&mut given);
        given.check(designs)
    }

    /// Returns whether drivers of databases are named, whose libraries would be loaded.
    pub fn loads_drivers(&self) -> bool {
        self.adbc.is_given()
    }

    /// Returns the option that names a server of the user's, if there is one.
    pub fn server(&self) -> Option<&'static str> {
        let spark = || self.spark.place().0.is_some().then_some("--spark");
        let server = self.cluster.option().or_else(|| self.postgres.option());
        server.or_else(spark)
    }

    /// Returns the time that the whole run may take, if one was given.
    pub fn time(&self) -> Option<Duration> {
        self.budget
    }

    /// Returns the rows to load, as far as the command says how many and no file has to be read for that.
    pub fn rows_to_load(&self, workload: &Workload) -> Option<u64> {
        match (self.rows?, &workload.data) {
            (Rows::Number(rows), _) => Some(rows),
            (Rows::All, Data::Generator(_)) => {
                let source = self.data.open(workload).ok()?;
                Some(source.known_rows().unwrap_or(workload.scale.full_rows))
            }
            (Rows::All, Data::Files(_) | Data::FileFromCommandLine) => None,
        }
    }

    /// Returns the number of rounds, if one was given.
    pub fn rounds(&self) -> Option<u32> {
        self.rounds
    }

    /// Says how much a server of the user's would get.
    ///
    /// # Errors
    /// Fails if rows cannot be read.
    pub(super) fn preview(
        &self,
        workload: &Workload,
        (designs, infos, rows): (&[DesignId], &[DesignInfo], Option<u64>),
        source: &dyn RowSource,
        context: &Context,
    ) -> Result<Vec<String>> {
        let columns = workload.table.columns.len();
        let own = infos.iter().filter(|info| info.has_own_table());
        let fewest = rows_to_forecast(own);
        let tables = self.further.tables();
        let work = rows.map(|rows| tables.work(&workload.scale, rows, &fewest));
        let servers = vec![
            (self.cluster.option(), OptionGroup::Cassandra),
            (self.postgres.option(), OptionGroup::Postgres),
        ];
        let preview = Preview {
            row_bytes: row_bytes(&servers, source, columns)?,
            servers,
            designs,
            rows,
            work: work.unwrap_or(1.0),
            context,
            then: vec![("then", reads_in_words(workload.queries.len()))],
        };
        Ok(preview.lines())
    }
}

/// Says what a run reads of a server once the rows are loaded.
fn reads_in_words(questions: usize) -> String {
    format!(
        "{} of each design in each round, which only read, whole tables where they need them, as fast as the server \
         answers: --rate-limit does not hold for rows that are read",
        plural(questions as u64, "question", "questions")
    )
}
