#!/usr/bin/env bash
# Columnar tables beside CQL rows and beside DataFusion on local Parquet, on the same machine.
#
#   benches/columnar.sh                                   # 4.16 million events of 57 columns; an hour
#   ROWS=200k ROUNDS=3 SERIES_ROWS=1000000 benches/columnar.sh          # minutes
#   METRICS=metrics.csv.gz benches/columnar.sh            # and series,time,value of your file
#
# Prints, from one run of `bakeoff run` (medians; every answer compared):
#   bytes per row, times those of Parquet zstd, and how many times less than cassandra/narrow;
#   rows loaded per second, of the loading and with the settling after it, times cassandra/narrow's;
#   each query's time, how many times faster than cassandra/narrow, and than Parquet zstd.
# Then what the example `series` measures of one series of 10 million rows: averages beside
# Cassandra's own avg(), point reads, ranges of 100 rows, and the distance to the memory's bandwidth.
# Then, from the example `encoders`, what chunks of fewer rows cost.
#
# Starts its own Cassandra, and stops it. Nothing else should run meanwhile. Needs jq.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
bakeoff=${BAKEOFF:-$here/target/release/bakeoff}
examples=${EXAMPLES:-$here/target/release/examples}
rows=${ROWS:-4.16M}
rounds=${ROUNDS:-5}
series_rows=${SERIES_ROWS:-10000000}
encoder_rows=${ENCODER_ROWS:-524288}
out=${OUT:-$(mktemp -d)}

# A run folder goes on where it was stopped.
compare() { # folder, workload and its options
  local folder="$out/$1"
  shift
  "$bakeoff" run "$@" --rounds "$rounds" --limit 30m --out "$folder" \
    --designs 'cassandra/narrow,cassandra/columnar,cassandra/columnar?profile=compact,cassandra/columnar?cache=2048,local/columnar,local/columnar?profile=compact,local/columnar?cache=2048,parquet?codec=zstd' \
    >"$folder.log" 2>&1 || { cat "$folder.log" >&2; exit 1; }
  ratios <"$folder/run.json"
}

# Of a run.json.
ratios() {
  jq -r '
    def r2: if . == null then "-" else . * 100 | round / 100 | tostring end;
    def r4: . * 10000 | round / 10000 | tostring;
    .summary as $s
    | ($s.designs | map({key: .info.id, value: .}) | from_entries) as $d
    | $d["cassandra/narrow"] as $narrow | $d["parquet?codec=zstd"] as $parquet
    | def time($design; $query): $design.queries[] | select(.query == $query) | .time.median;
      def loaded: .rows_loaded / (.load_seconds + .settle_seconds);
      "\n\($s.rows) rows",
      (["design", "B/row", "x parquet", "narrow x", "load rows/s", "x narrow", "load+settle rows/s", "x narrow"],
       ($s.designs[]
        | [.info.id, (.bytes_per_row | r2), (.bytes_per_row / $parquet.bytes_per_row | r2),
           ($narrow.bytes_per_row / .bytes_per_row | r2),
           (.rows_loaded / .load_seconds | round),
           ((.rows_loaded / .load_seconds) / ($narrow.rows_loaded / $narrow.load_seconds) | r2),
           (loaded | round), (loaded / ($narrow | loaded) | r2)])
       | @tsv),
      ($narrow.queries[].query as $q
       | "\n\($q)",
         (["design", "s", "times faster than narrow", "times faster than parquet"],
          ($s.designs[]
           | time(.; $q) as $t
           | [.info.id, ($t | r4), (time($narrow; $q) / $t | r2), (time($parquet; $q) / $t | r2)])
          | @tsv)),
      ($s.designs[] | .failures[]? | "FAILED: \(.)")'
}

main() {
  compare events "$here/workloads/formats.toml" --rows "$rows"
  if [ -n "${METRICS:-}" ]; then
    compare metrics "$here/workloads/metrics.toml" --data "$METRICS"
  fi
  echo
  "$examples/series" "$series_rows"
  for chunk in 1000 10000 32768; do
    echo
    "$examples/encoders" "$here/workloads/formats.toml" "$encoder_rows" --chunk "$chunk"
  done
}

main
