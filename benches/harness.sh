#!/usr/bin/env bash
# What `drive` itself costs: the design `dry` at several rates and numbers of threads.
#
#   benches/harness.sh
#
# For each it prints operations per second, client CPU time per operation (user and system, of the
# whole process, its start included), and how late 99% of the operations were sent at most.
#
# Needs jq.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../target/release/bakeoff}
seconds=${SECONDS_EACH:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

printf '%7s  %-12s %12s %12s %14s\n' threads rate ops/s 'CPU us/op' 'p99 late, us'
for threads in 1 2; do
  for rate in closed 2k 100k 1M 2M 5M; do
    schedule=(--rate "$rate")
    if [ "$rate" = closed ]; then schedule=(); fi
    rm -rf "$work/run"
    "$bakeoff" drive "$here/../workloads/readings.toml" --design dry --threads "$threads" \
      "${schedule[@]}" --for "${seconds}s" --out "$work/run" >"$work/output" 2>&1 ||
      { cat "$work/output" >&2; exit 1; }
    line=$(jq -r '.summary.trials[0] | [.figures.ops_per_second, .figures.client_cpu_micros_per_op,
      (.end.lateness_p99_ns // 0) / 1000] | @tsv' "$work/run/run.json")
    read -r reached cpu late <<<"$line"
    printf '%7s  %-12s %12.0f %12.3f %14.1f\n' "$threads" "$rate" "$reached" "$cpu" "$late"
  done
done
