//! Defines options that name a Spark of the user's.

use std::path::PathBuf;

use anyhow::Result;
use bakeoff_engines::servers::spark::SparkCluster;
use bakeoff_engines::{EngineOptions, OptionGroup};
use clap::Args;

use super::unused::Given;
use crate::exit::Misuse;

/// Variable with the token or the secret. No flag or URL has it, to keep it out of process lists and histories.
const TOKEN_VARIABLE: &str = "BAKEOFF_SPARK_TOKEN";

#[derive(Args, Debug, Clone)]
pub struct SparkOptions {
    /// A Spark of yours: sc://HOST:PORT of a Spark Connect server, or spark://HOST:PORT of a standalone master; its
    /// token or secret comes from BAKEOFF_SPARK_TOKEN. Otherwise one is started on loopback
    #[arg(long, value_name = "URL")]
    spark: Option<String>,

    /// Folder for Parquet files that all workers of --spark have under the same path [default: the run folder]
    #[arg(long, value_name = "DIR", requires = "spark")]
    spark_files: Option<PathBuf>,
}

impl SparkOptions {
    /// Adds the options that are given.
    pub fn add_given(&self, given: &mut Given) {
        given.add("--spark", OptionGroup::Spark, self.spark.is_some());
        let has_folder = self.spark_files.is_some();
        given.add("--spark-files", OptionGroup::SparkFiles, has_folder);
    }

    /// Sets the named Spark in `options`; if none is named, one will be started.
    ///
    /// # Errors
    /// Fails with a misuse for a URL that is invalid or has a token.
    pub fn put_into(&self, options: &mut EngineOptions) -> Result<()> {
        let Some(url) = &self.spark else {
            return Ok(());
        };
        let token = std::env::var(TOKEN_VARIABLE).ok();
        let cluster = SparkCluster::new(url, token.as_deref());
        options.spark.cluster = Some(cluster.map_err(|error| Misuse::new(error.into()))?);
        let files = self.spark_files.as_ref().map(std::path::absolute);
        options.spark.files = files.transpose()?;
        Ok(())
    }

    /// Returns the URL of the named Spark and the folder that its workers share: with others, a run cannot go on.
    pub fn place(&self) -> (Option<&String>, Option<&PathBuf>) {
        (self.spark.as_ref(), self.spark_files.as_ref())
    }
}
