//! Defines options that say how the cells of files of text are written, for the commands that read such files without
//! a workload.

use bakeoff_workload::{DecimalMark, ThousandsMark, Zone};
use clap::Args;

#[derive(Args, Debug, Clone)]
pub struct CellOptions {
    /// What is before the decimals of numbers: a comma, with which points and spaces may be before each three digits,
    /// or a point [default: a comma where no number has another form]
    #[arg(long, value_name = "MARK", value_parser = DecimalMark::parse)]
    pub decimal: Option<DecimalMark>,

    /// What is before each three digits of numbers: a comma, a point (with --decimal ,), a space or an apostrophe
    /// [default: what unmistakably is there]
    #[arg(long, value_name = "MARK", value_parser = ThousandsMark::parse)]
    pub thousands: Option<ThousandsMark>,

    /// Time zone of the times that say no offset from UTC, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    pub zone: Option<Zone>,
}

impl CellOptions {
    /// Returns each of these options with whether it is given.
    pub fn given(&self) -> [(&'static str, bool); 3] {
        [
            ("--decimal", self.decimal.is_some()),
            ("--thousands", self.thousands.is_some()),
            ("--zone", self.zone.is_some()),
        ]
    }
}
