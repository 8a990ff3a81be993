# Everyday commands. Each works without just, too.

_list:
    @just --list

# Compare designs, e.g. `just run workloads/sensor.toml --rows 1M`
run *OPTIONS='workloads/formats.toml --budget 3m':
    cargo run --release -- run {{OPTIONS}}

# All tests; those that lack Java or Maven say so and pass
test *OPTIONS:
    cargo test --workspace {{OPTIONS}}

# All tests, those that take long as often as every night: kills at random times, stress, questions
test-all *OPTIONS:
    BAKEOFF_TEST_ALL=1 cargo test --workspace {{OPTIONS}}

# Whether tests notice faults that are put into columnar tables, by a share of them, e.g. `just mutants 3/24`; tests that
# start servers are left out (cargo install cargo-mutants --locked)
mutants SHARE='0/24' *OPTIONS:
    cargo mutants --package bakeoff-columnar --shard {{SHARE}} --sharding round-robin {{OPTIONS}} -- --lib --test all -- \
        --skip real_cassandra --skip processes_that_are_killed --skip whose_writers_are_killed \
        --skip servers_that_fail --skip faults_lose_and_double --skip two_datacenters

# Formatting and lints
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# What a bare machine has to pass: installs what is missing, then tests and lints
ci:
    .ci/run

# The table of CPU per row in docs/performance.md, client and server: loading, then the first query (needs jq)
cpu RUN='runs/formats':
    @jq -r 'def cells: [.client, .server | . * 100 | round / 100 | "\(.) µs"] \
            + ["\(100 * .client / (.client + .server) | round)%"] | join(" | "); \
        .summary.designs[] | select(.load_cpu.server and .queries[0].cpu) | .rows_loaded as $rows \
        | "| `\(.info.id)` | \([.load_cpu, .queries[0].cpu] \
            | map(map_values(. * 1e6 / $rows) | cells) | join(" | ")) |"' {{RUN}}/run.json

# Compare generated GDELT events with a file of real ones, column by column
fidelity SAMPLE:
    cargo run --release --example gdelt_fidelity -- {{SAMPLE}}

# Rows and values that each generator makes per second of processor time
bench-generators SECONDS='3':
    cargo run --release -p bakeoff-workload --example generator_speed -- {{SECONDS}}

# Whether rows beyond a sample are like the real ones that were held back, e.g. `just bench-scale-sample my-folder`
bench-scale-sample *FILES:
    cargo build --release --workspace --bin bakeoff --example generator_speed
    scripts/scale-sample "${CARGO_TARGET_DIR:-target}/release/bakeoff" {{FILES}}

# What `init` makes of 24 real files that packages ship, and whether that runs, e.g. `just messy-files pvlib`
messy-files *PATTERNS:
    cargo build --release
    scripts/messy-files "${CARGO_TARGET_DIR:-target}/release/bakeoff" {{PATTERNS}}

# Client CPU and throughput of `drive` beside latte's, in turns on one server (needs latte 0.29, jq)
bench-latte *ADDRESS:
    cargo build --release
    benches/latte/compare.sh {{ADDRESS}}

# What `drive` itself costs: CPU per operation, highest rate, lateness (needs jq)
bench-harness:
    cargo build --release
    benches/harness.sh

# Columnar tables beside CQL rows and Parquet: storage, loading, queries, one long series (needs jq)
bench-columnar:
    cargo build --release --workspace --bin bakeoff --example series --example encoders
    benches/columnar.sh

# Loading TimescaleDB beside psql's COPY from files, in turns, on a server of yours (needs psql, jq)
bench-copy URL:
    cargo build --release
    benches/copy.sh {{URL}}

# CPU time of a loaded row with three copies beside one, on three nodes of Cassandra (needs jq)
bench-copies:
    cargo build --release
    benches/copies.sh

# CPU time of three idle nodes of Cassandra with a sample a second, beside that without
bench-samples *OPTIONS:
    cargo run --release -p bakeoff-engines --example sampling_cost -- {{OPTIONS}}

# What a slower disk leaves of a load, forecast and measured with a bounded disk (needs root, jq)
bench-disk:
    cargo build --release
    benches/disk.sh

# What safety costs inserts, ingests and point reads: an older revision beside this one
bench-safety *REVISION:
    benches/safety.sh {{REVISION}}

# Whether answers hold, e.g. `just bench-answers forecast`: benches/answers.sh says what there is (needs jq)
bench-answers *WHAT:
    cargo build --release
    benches/answers.sh {{WHAT}}

# Questions on a cluster of Spark on loopback: answers, division, failures (needs Java 17; installs Spark from PyPI)
test-spark *ARGUMENTS:
    scripts/test-spark {{ARGUMENTS}}

# Wheels in dist/ that run on every Linux since glibc 2.28: the program, and Cassandra's jars
wheel:
    scripts/package program jars

# A Debian package in dist/
deb:
    scripts/package deb

# Install what dist/ holds into bare systems and run a workload there, e.g. `just test-package deb`
test-package *ARGUMENTS:
    scripts/test-package {{ARGUMENTS}}
