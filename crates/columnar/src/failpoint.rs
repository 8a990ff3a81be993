//! Points at which a test kills the process.
