//! Tables in a directory.
