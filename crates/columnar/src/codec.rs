//! Statistics of a chunk as bytes.
