//! The option to leave no design out by estimates.

use bakeoff_stats::propose::Calibration;
use clap::Args;

use crate::calibration;

/// Whether designs are left out by estimates.
#[derive(Args, Debug, Clone, Copy)]
pub struct AllDesignsOptions {
    /// Leave out no design that another one is estimated to beat by far, after `bakeoff calibrate`
    #[arg(long)]
    all_designs: bool,
}

impl AllDesignsOptions {
    /// Returns what designs cost on this machine, if that was measured and may leave some out.
    pub fn calibration(self) -> Option<Calibration> {
        if self.all_designs {
            None
        } else {
            calibration::of_this_machine()
        }
    }

    /// Returns whether none may be left out.
    pub fn is_given(self) -> bool {
        self.all_designs
    }
}
