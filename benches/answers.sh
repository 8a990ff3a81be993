#!/usr/bin/env bash
# Whether the answers of `bakeoff run` hold: each subcommand measures one promise and prints the figures.
#
#   benches/answers.sh decisions   # what small runs recommend, checked by runs of all the data; 25 minutes
#   benches/answers.sh forecast    # times and bytes at 2.1 M events, predicted from smaller tables; 10 minutes
#   benches/answers.sh slow        # the same at 130 k events, with designs that read row by row; 6 minutes
#   benches/answers.sh star        # 400 hosts for 3 days, predicted from 100 for a day by the runs of `decisions`
#   benches/answers.sh twins       # 20 pairs of the same design over 4 starts: how many are called different; 8 minutes
#   benches/answers.sh race        # races replayed over a run that measured all twelve designs; 8 minutes
#   benches/answers.sh search      # two searches for the highest rate, each on a fresh server
#   benches/answers.sh warm        # one question that does no work, at each scale of the run of `forecast`
#
# Every run is kept in $OUT (./answers unless set); one that is complete is not repeated. Servers are started and
# stopped. Nothing else should run meanwhile. Needs jq, and npm and python3 for `decisions`.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
bakeoff=${BAKEOFF:-$here/target/release/bakeoff}
out=$(realpath -m "${OUT:-answers}")
mkdir -p "$out"
timeseries='timescale/hypertable?chunk=12h,cassandra/columnar?bucket=1h,local/columnar,parquet?codec=zstd'

# Runs a workload into a folder of $out, unless it is complete there.
run() { # folder, workload and its options
  local folder="$out/$1"
  shift
  [ -e "$folder/run.json" ] && return
  echo "bakeoff run $*" >&2
  "$bakeoff" run "$@" --out "$folder" >"$folder.log" 2>&1 || [ $? -eq 3 ] || { cat "$folder.log" >&2; exit 1; }
}

decisions() { # names of cases, all unless given
  local case
  [ $# -gt 0 ] || set -- birdstrikes flights sensor timeseries
  for case in "$@"; do "case_$case"; done
}

case_birdstrikes() {
  fetch_vega
  check_decision birdstrikes "$here/benches/answers/birdstrikes.toml" \
    "--data $out/birdstrikes.csv --rows 10k" "--data $out/birdstrikes.csv --rows 500k"
}

case_flights() {
  fetch_vega
  check_decision flights "$here/benches/answers/flights.toml" \
    "--data $out/package/data/flights-3m.parquet --rows 60k" "--data $out/package/data/flights-3m.parquet --rows 3M"
}

case_sensor() {
  scaled sensor 's/^rows = 1_000_000 /rows = 200_000 /; s/^full_rows = 10_000_000 /full_rows = 2_000_000 /'
  local designs='cassandra/wide,cassandra/wide?bucket=100000,cassandra/wide?chunk=64KiB&compressor=Zstd'
  designs+=',cassandra/blob,parquet?codec=zstd,parquet?codec=snappy,memory'
  check_decision sensor "$out/sensor.toml" "--rows 200k --designs $designs" \
    "--rows 2M --scales 1 --designs $designs"
}

case_timeseries() {
  scaled timeseries 's/^full_rows = 103_680_000 /full_rows = 10_368_000 /; s/^series = 40 /series = 4 /'
  check_decision timeseries "$out/timeseries.toml" "--no-concurrent --scales star --designs $timeseries" \
    "--set hosts=400 --set days=3 --no-concurrent --scales 1 --rounds 5 --designs $timeseries"
}

# Writes a shipped workload with another scale into $out.
scaled() { # name and what sed changes
  "$bakeoff" show "$1" | sed "$2" >"$out/$1.toml"
}

# Prints what a small run recommends and how that design does in a large one.
check_decision() { # name, workload, options of the small and of the large run
  local name=$1 workload=$2
  # shellcheck disable=SC2086 # options are words
  run "$name-small" "$workload" $3
  # shellcheck disable=SC2086
  run "$name-large" "$workload" $4
  jq -r --arg name "$name" --slurpfile large "$out/$name-large/run.json" '
    .summary.decision as $small | $large[0].summary.decision as $big
    | ($big.designs | map(select(.out == null and .time != null))) as $ranked
    | ($ranked | min_by(.time.point)) as $best
    | $small.recommendation as $r
    | "\($name): \(.summary.rows) rows: "
      + (if $r then "\($r.design), \($r.certainty), for \($small.rows) rows" else "nothing" end)
      + (if $small.no_forecast then " [no forecast: \($small.no_forecast)]" else "" end)
      + "; \($large[0].summary.rows) rows: best \($best.id)"
      + (if $r then ", the recommended one takes " + (
          ($ranked[] | select(.id == $r.design) | .time.point / $best.time.point * 100 | round / 100 | tostring)
          // "unknown") + " times as long" else "" end)' "$out/$name-small/run.json"
}

# The data of the first two cases, from npm. Bird strikes: 50 times the file, each time 29 minutes later.
fetch_vega() {
  [ -e "$out/birdstrikes.csv" ] && return
  (cd "$out" && npm pack --silent vega-datasets@3.2.1 >/dev/null && tar xzf vega-datasets-3.2.1.tgz \
    package/data/birdstrikes.csv package/data/flights-3m.parquet)
  python3 - "$out" <<'END'
import csv, datetime, sys

folder = sys.argv[1]
names = {"Origin State": "state", "Airport Name": "airport", "Aircraft Make Model": "aircraft",
         "Aircraft Airline Operator": "operator", "Phase of flight": "phase", "Wildlife Size": "size",
         "Wildlife Species": "species", "Cost Total $": "cost", "Speed IAS in knots": "speed"}
with open(f"{folder}/package/data/birdstrikes.csv") as file:
    rows = sorted(csv.DictReader(file), key=lambda row: row["Flight Date"])
with open(f"{folder}/birdstrikes.part", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["time", "number", *names.values()])
    for copy in range(50):
        later = datetime.timedelta(minutes=copy * 29)
        for number, row in enumerate(rows):
            time = datetime.datetime.fromisoformat(row["Flight Date"]) + later
            writer.writerow([f"{time.isoformat()}Z", copy * len(rows) + number, *(row[name] for name in names)])
END
  mv "$out/birdstrikes.part" "$out/birdstrikes.csv"
}

forecast() {
  run forecast formats --rows 2.1M --scales 5x2 --rounds 7 --limit 30m \
    --designs 'cassandra/columnar,cassandra/columnar?profile=compact,local/columnar,parquet?codec=zstd,parquet?codec=snappy'
  validate forecast
}

slow() {
  run slow formats --rows 130k --scales 5x2 --rounds 7 --limit 30m \
    --designs 'cassandra/narrow,cassandra/wide,cassandra/blob,cassandra/compact'
  validate slow
}

validate() { # folder
  "$bakeoff" forecast "$out/$1" --validate
  "$bakeoff" forecast "$out/$1" --validate --json | jq '{time, bytes, recommended, proportional}'
}

# The runs are those of `decisions`.
star() {
  "$bakeoff" forecast "$out/timeseries-small" --validate-at "$out/timeseries-large"
}

# Five pairs of one design, ten questions, four starts of the servers.
twins() {
  local start
  for start in 1 2 3 4; do
    run "twins-$start" "$here/benches/answers/twins.toml" --scales 1
  done
  example twins "$out"/twins-[1-4]
}

race() {
  run exhaustive formats --rows 100k --scales 4x4 --rounds 12 --limit 30m
  example race "$out/exhaustive" 20
}

# Runs an example of the statistics; it needs no optimisation.
example() { # name and arguments
  cargo run --quiet --manifest-path "$here/Cargo.toml" -p bakeoff-stats --example "$1" -- "${@:2}"
}

search() {
  local start
  for start in 1 2; do
    [ -e "$out/search-$start/run.json" ] || "$bakeoff" drive readings --design cassandra/wide --within 'p99<50ms' \
      --for 10s --out "$out/search-$start" >"$out/search-$start.log" 2>&1
    grep -m1 -i 'ops/s' "$out/search-$start.log"
  done
}

# Medians of one design and question at each scale, and the largest as a multiple of the smallest.
warm() {
  jq -r '
    .summary as $s
    | ("cassandra/columnar", "cassandra/columnar?profile=compact") as $design
    | [$s.instances[] | select(.instance.design == $design) | .figures]
      + [$s.designs[] | select(.info.id == $design)]
    | map({rows: .rows_loaded, ms: (.queries[] | select(.query == "scan") | .time.median * 1000)})
    | sort_by(.rows) as $all
    | "\($design) scan, a count from statistics: "
      + ($all | map("\(.rows) rows \(.ms * 100 | round / 100) ms") | join(", "))
      + "; largest / smallest \(($all | map(.ms) | max / min) * 100 | round / 100)"' "$out/forecast/run.json"
}

case "${1:-}" in
  decisions | forecast | slow | star | twins | race | search | warm) "$@" ;;
  *) sed -n '2,14p' "$0" >&2; exit 2 ;;
esac
