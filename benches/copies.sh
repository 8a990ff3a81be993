#!/usr/bin/env bash
# What a copy costs: CPU time of all nodes for each row that is loaded, with three copies beside one.
#
#   benches/copies.sh
#
# Runs `sensor` with cassandra/wide on three nodes, with --replication 1 and 3 in turns. The CPU is that
# of the second half of the rows, since the first half still pays for compiling the servers' code. Prints
# each run, and the ratio of the means; it ends with 1 if that is not within 15% of 3.
#
# Settings: ROWS (1000000), SENSORS (300: so many partitions spread over the nodes), ROUNDS (2), and
# BAKEOFF, the program. Needs jq, and what three nodes of Cassandra need.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../target/release/bakeoff}
rows=${ROWS:-1000000} sensors=${SENSORS:-300} rounds=${ROUNDS:-2}
design=cassandra/wide
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

main() {
  printf '%5s  %6s  %9s  %22s  %22s\n' round copies rows/s 'CPU us/row, first half' 'CPU us/row, second half'
  local round copies
  for round in $(seq "$rounds"); do
    for copies in 1 3; do
      run "$round" "$copies"
    done
  done
  verdict
}

# Loads the rows with this many copies, prints the figures and keeps them for the verdict.
run() {
  local round=$1 copies=$2 line
  "$bakeoff" run "$here/../workloads/sensor.toml" --set "sensors=$sensors" --rows "$rows" --designs "$design" \
    --nodes 3 --replication "$copies" --scales 1 --no-twins --no-concurrent --rounds 1 \
    --out "$work/run" >"$work/output" 2>&1 || { cat "$work/output" >&2; exit 1; }
  line=$(jq -rs --arg design "$design" '
    [.[] | select(.record == "loaded" and .design == $design)]
    | (map(.rows) | add) as $all
    | def sum(f): map(f) | add;
      def micros: 1e6 * sum(.cpu.server) / sum(.rows);
      [sum(.rows) / sum(.seconds),
       ([.[] | select(.first_row < $all / 2)] | micros),
       ([.[] | select(.first_row >= $all / 2)] | micros)] | @tsv' "$work/run/journal.jsonl")
  rm -rf "$work/run"
  printf '%s\t%s\n' "$copies" "$line" >>"$work/figures"
  read -r rate first second <<<"$line"
  printf '%5s  %6s  %9.0f  %22.2f  %22.2f\n' "$round" "$copies" "$rate" "$first" "$second"
}

verdict() {
  awk '{ sum[$1] += $4; count[$1]++ }
    END {
      ratio = (sum[3] / count[3]) / (sum[1] / count[1])
      held = ratio >= 3 * 0.85 && ratio <= 3 * 1.15
      printf "three copies take %.2f times the CPU of one; that is %swithin 15%% of 3\n",
        ratio, held ? "" : "not "
      exit !held
    }' "$work/figures"
}

main
