//! A table: loading, single rows, sealing and reading over any store.
