//! Parses the options of a command for tests.

use clap::{Args, Parser};

use super::cluster::ClusterOptions;

/// A command line with the options of a cluster, and others that refer to them.
#[derive(Parser)]
pub struct Line<Options: Args> {
    #[command(flatten)]
    pub cluster: ClusterOptions,
    #[command(flatten)]
    pub options: Options,
}

impl<Options: Args> Line<Options> {
    /// Parses what stands behind the name of the program.
    pub fn of(arguments: &[&str]) -> Result<Line<Options>, clap::Error> {
        Line::try_parse_from([&["bakeoff"], arguments].concat())
    }
}
