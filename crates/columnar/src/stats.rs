//! What is known of a column without reading it: nulls, bounds, sum, distinct values.
