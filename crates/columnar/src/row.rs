//! The columns outside the key of one row as bytes.
