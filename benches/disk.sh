#!/usr/bin/env bash
# Whether a slower disk is forecast rightly: the workload `compression` with its disk as it is, and again with
# `disk_read` in its [server].
#
#   benches/disk.sh
#
# Prints the table of `bakeoff forecast LOAD --validate-at BOUNDED`. It ends with 1 if less than 80% of the
# designs are within 20% of the forecast.
#
# Settings: DISK_READ (50MB/s), DESIGNS (four chunk lengths with LZ4), SECONDS_EACH (30), ROUNDS (3), IN_FLIGHT
# (32), and BAKEOFF, the program. Needs jq, root or a delegated control group, and what Cassandra needs.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../target/release/bakeoff}
disk_read=${DISK_READ:-50MB/s} designs=${DESIGNS:-'cassandra/wide?chunk=*&compressor=LZ4'}
seconds=${SECONDS_EACH:-30} rounds=${ROUNDS:-3} in_flight=${IN_FLIGHT:-32}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

main() {
  cp "$here/../workloads/compression.toml" "$work/free.toml"
  sed "s|^\[server\]|&\ndisk_read = \"$disk_read\"|" "$work/free.toml" >"$work/bounded.toml"
  drive free
  drive bounded
  "$bakeoff" forecast "$work/free" --validate-at "$work/bounded"
  "$bakeoff" forecast "$work/free" --validate-at "$work/bounded" --json | jq -e '.within_20 >= 0.8' >/dev/null
}

drive() {
  "$bakeoff" drive "$work/$1.toml" --designs "$designs" --in-flight "$in_flight" --for "${seconds}s" \
    --rounds "$rounds" --out "$work/$1" >"$work/output" 2>&1 || { cat "$work/output" >&2; exit 1; }
}

main
