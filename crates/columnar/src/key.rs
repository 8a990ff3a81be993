//! Keys whose bytes compare as the rows do.
