#!/usr/bin/env bash
# Loading TimescaleDB by `bakeoff run` beside `psql`'s COPY from prepared files, over the same number
# of connections into the same table, in turns. Needs a server with TimescaleDB, psql and jq:
#
#   BAKEOFF=target/release/bakeoff benches/copy.sh postgresql://me@127.0.0.1:5432/bench
#
# Settings: ROUNDS (3), HOSTS (100, for one day each), CONNECTIONS (2). Prints rows/s of each round and the ratio.
set -euo pipefail
url="${1:?name a server: postgresql://USER@HOST:PORT/DATABASE}"
bakeoff=$(realpath "${BAKEOFF:-target/release/bakeoff}")
workload=$(realpath "$(dirname "$0")/../workloads/timeseries.toml")
rounds="${ROUNDS:-3}" hosts="${HOSTS:-100}" connections="${CONNECTIONS:-2}"
design='timescale/hypertable?chunk=12h'
work=$(mktemp -d)
trap 'psql -q "$url" -c "DROP SCHEMA IF EXISTS bakeoff_copy_bench CASCADE" >/dev/null 2>&1; rm -rf "$work"' EXIT

main() {
    prepare_files
    local round ours theirs
    for round in $(seq "$rounds"); do
        theirs=$(by_psql)
        ours=$(by_bakeoff "$round")
        awk -v round="$round" -v ours="$ours" -v theirs="$theirs" 'BEGIN {
            printf "round %d: bakeoff %d rows/s, psql %d rows/s, ratio %.2f\n",
                round, ours, theirs, ours / theirs }'
    done
}

# One file for each connection, each in order of time. Also the statements that make the table.
prepare_files() {
    "$bakeoff" generate "$workload" --set "hosts=$hosts" | tail -n +2 >"$work/all.csv"
    rows=$(wc -l <"$work/all.csv")
    split -n "r/$connections" "$work/all.csv" "$work/part."
    "$bakeoff" run "$workload" --set "hosts=$hosts" --designs "$design" --dry-run \
        --out "$work/dry" >"$work/statements"
    schema=$(sed -n 's/^  CREATE SCHEMA "\(.*\)"/\1/p' "$work/statements")
    sed -n 's/^  //; /^CREATE TABLE.*"cpu"/p; /^SELECT create_hypertable/p; /^CREATE INDEX/p' \
        "$work/statements" | sed "s/$schema/bakeoff_copy_bench/g; s/$/;/" >"$work/create.sql"
}

by_psql() {
    psql -q -v ON_ERROR_STOP=1 "$url" -c 'DROP SCHEMA IF EXISTS bakeoff_copy_bench CASCADE' \
        -c 'CREATE SCHEMA bakeoff_copy_bench' -f "$work/create.sql" >/dev/null 2>&1
    local began ended part pids=()
    began=$(date +%s.%N)
    for part in "$work"/part.*; do
        psql -q -v ON_ERROR_STOP=1 "$url" \
            -c "\\copy bakeoff_copy_bench.cpu FROM '$part' WITH (FORMAT csv)" &
        pids+=($!)
    done
    wait "${pids[@]}"
    ended=$(date +%s.%N)
    awk -v rows="$rows" -v began="$began" -v ended="$ended" 'BEGIN { print rows / (ended - began) }'
}

# All rows by all seconds of its slices, not the median of the second half that a report shows.
by_bakeoff() {
    "$bakeoff" run "$workload" --set "hosts=$hosts" --designs "$design" --threads "$connections" \
        --rounds 1 --postgres "$url" --out "$work/run-$1" >/dev/null 2>"$work/log" ||
        { cat "$work/log" >&2; exit 1; }
    jq -s '[.[] | select(.record == "loaded")] | (map(.rows) | add) / (map(.seconds) | add)' \
        "$work/run-$1/journal.jsonl"
}

main
