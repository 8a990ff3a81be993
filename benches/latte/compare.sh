#!/usr/bin/env bash
# Bakeoff's client beside latte's: the same statements on the same server, in turns.
#
#   benches/latte/compare.sh                          # starts a Cassandra, and stops it at the end
#   benches/latte/compare.sh 127.0.0.1:9042           # uses one that runs
#   PAIRS=7 SECONDS_EACH=30 benches/latte/compare.sh
#
# For point reads, and for half reads and half writes, it prints client CPU time per operation (user
# and system, of the whole process) and operations per second of each run, and the ratios Bakeoff /
# latte over all pairs. Both have one thread, 32 operations in flight, LOCAL_ONE, and a table of their
# own for each mix: made, filled with the same rows and flushed by Bakeoff before the first pair. The
# order of a pair alternates, so that drift hits both. A run that fails ends the comparison.
#
# What is not the same: Bakeoff's CPU time includes its warm-up, latte's does not; Bakeoff makes each
# value while it is measured and compares each reply with what was written, latte writes one of 1,000
# values that it made before and looks at no reply; latte tries failed operations again. Each runs
# with what its client does by itself, connections among it.
#
# Keyspaces have the time and the script's process number in their names. They go with the server that
# the script starts; on another one latte drops them at the end.
#
# Needs latte (cargo install latte-cli --version 0.29.0 --locked), jq and awk.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bakeoff=${BAKEOFF:-$here/../../target/release/bakeoff}
latte=${LATTE:-latte}
pairs=${PAIRS:-5}
seconds=${SECONDS_EACH:-20}
warm_up=5 # seconds, not measured
rows=${ROWS:-100000}
in_flight=${IN_FLIGHT:-32}
run=$(date +%s)_$$
work=$(mktemp -d)
address=${1:-}
started=
made=()

finish() {
  if [ -n "$started" ]; then
    "$bakeoff" engines stop "$started" >&2 || true
  else
    local keyspace
    for keyspace in "${made[@]}"; do
      "$latte" --log-dir "$work" schema -P "keyspace=\"$keyspace\"" "$here/drop_keyspace.rn" "$address" \
        >"$work/output" 2>&1 || echo "keyspace $keyspace is still there: drop it yourself" >&2
    done
  fi
  rm -rf "$work"
}
trap finish EXIT

if [ -z "$address" ]; then
  # "Cassandra 5.0.9 answers at 127.0.0.1:22126 (id cassandra-1); measure on it with ..."
  line=$("$bakeoff" engines start --dir "$work/cassandra" | grep -m1 ' answers at ')
  started=$(sed -E 's/.*\(id ([^)]+)\).*/\1/' <<<"$line")
  address=$(sed -E 's/.* answers at ([^ ]+) .*/\1/' <<<"$line")
fi

quietly() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; echo "failed: $*" >&2; exit 1; }
}

keyspace_of() { # tool, mix
  echo "bakeoff_${run}_$1_$2"
}

# The same rows for both tools; runs only overwrite them with rows of the same size. The short load
# after the filling is of reads alone, so that tables stay as they were flushed.
fill() { # tool, mix
  local keyspace
  keyspace=$(keyspace_of "$1" "$2")
  made+=("$keyspace")
  quietly "$bakeoff" drive "$here/point_read.toml" --cassandra "$address" --keyspace "$keyspace" \
    --rows "$rows" --in-flight "$in_flight" --for 1s --out "$work/fill-$1-$2"
}

# Each prints: CPU microseconds per operation, operations per second, failed operations.
run_latte() { # mix
  local functions=(-f read)
  if [ "$1" = key_value ]; then functions+=(-f write); fi
  rm -f "$work/latte.json"
  quietly "$latte" --log-dir "$work" run -q "${functions[@]}" -P "rows=$rows" -t 1 -p "$in_flight" \
    --consistency LOCAL_ONE -w "${warm_up}s" -d "${seconds}s" -o "$work/latte.json" \
    -P "keyspace=\"$(keyspace_of latte "$1")\"" "$here/key_value.rn" "$address"
  jq -r '.result | "\(.cpu_time_s * 1e6 / .request_count) \(.request_count / .elapsed_time_s) \(.error_count)"' \
    "$work/latte.json"
}

run_bakeoff() { # mix
  rm -rf "$work/bakeoff"
  quietly "$bakeoff" drive "$here/$1.toml" --cassandra "$address" \
    --keyspace "$(keyspace_of bakeoff "$1")" --no-load --rows "$rows" --threads 1 --in-flight "$in_flight" \
    --for "$((seconds + warm_up))s" --out "$work/bakeoff"
  jq -r "$figures" "$work/bakeoff/run.json"
}
figures='.summary.trials[0].figures
  | "\(.client_cpu_micros_per_op // error("no CPU time")) \(.ops_per_second)
     \([.operations[].failures[][1]] | add // 0)" | gsub("\\s+"; " ")'

compare() { # mix, what it is
  printf '\n%s, %s in flight, one thread, %s s each\n' "$2" "$in_flight" "$seconds"
  printf '%4s  %-8s %12s %12s %8s\n' pair tool 'CPU us/op' ops/s failed
  local pair tool order line
  : >"$work/$1.runs"
  for ((pair = 1; pair <= pairs; pair++)); do
    order=(latte bakeoff)
    if ((pair % 2 == 0)); then order=(bakeoff latte); fi
    for tool in "${order[@]}"; do
      # A line of its own: a run that fails inside of another command's arguments would be lost.
      line=$("run_$tool" "$1")
      printf '%s %s %s\n' "$pair" "$tool" "$line" >>"$work/$1.runs"
      tail -n1 "$work/$1.runs" | awk '{printf "%4d  %-8s %12.2f %12.0f %8d\n", $1, $2, $3, $4, $5}'
    done
  done
  ratios 3 'CPU/op' <"$work/$1.runs"
  ratios 4 'ops/s' <"$work/$1.runs"
}

ratios() { # column, name
  awk -v column="$1" '{value[$1, $2] = $column; if ($1 > n) n = $1}
    END {for (i = 1; i <= n; i++) print value[i, "bakeoff"] / value[i, "latte"]}' |
    sort -g | awk -v name="$2" '{r[NR] = $1}
      END {m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
        printf "Bakeoff / latte, %-6s  min %.3f  median %.3f  max %.3f\n", name, r[1], m, r[NR]}'
}

for mix in point_read key_value; do
  for tool in latte bakeoff; do fill "$tool" "$mix"; done
done
compare point_read 'point reads'
compare key_value 'half reads, half writes'
