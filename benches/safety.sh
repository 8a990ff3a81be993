#!/usr/bin/env bash
# What safety costs: inserts, an ingest and point reads of columnar tables, in a folder and in Cassandra, with an
# older revision and with this one, in turns.
#
#   benches/safety.sh [REVISION]     # 8c81991 unless given: before the review that closed the known losses
#
# Builds the example `writes` of both with optimisation, the older one in a worktree that is removed afterwards.
# Prints the mean times of each round, and the median over the rounds of new / old with the least and the greatest.
#
# Settings: ROUNDS (5). Needs git, Java and Maven. Nothing else should run meanwhile.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
revision=${1:-8c81991} rounds=${ROUNDS:-5}
target=${CARGO_TARGET_DIR:-$here/target}
work=$(mktemp -d)
trap 'git -C "$here" worktree remove --force "$work/old" 2>/dev/null; rm -rf "$work"' EXIT

main() {
  git -C "$here" worktree add --quiet --detach "$work/old" "$revision"
  cp -r "$here/crates/columnar/examples/writes" "$work/old/crates/columnar/examples/"
  build "$work/old" old
  build "$here" new
  local round version
  for round in $(seq "$rounds"); do
    for version in old new; do
      "$work/$version.program" | sed "s/^/$round\t$version\t/" | tee -a "$work/times"
    done
  done
  ratios
}

# Builds the example with the features of the whole workspace, for which its dependencies are compiled already.
build() { # folder and name
  # Crates of two folders look alike to Cargo, which compares times only.
  touch "$1"/crates/*/src/lib.rs
  CARGO_TARGET_DIR=$target cargo build --quiet --release --manifest-path "$1/Cargo.toml" --workspace --example writes
  cp "$target/release/examples/writes" "$work/$2.program"
}

# Prints for each operation the median, the least and the greatest ratio of the rounds.
ratios() {
  awk -F'\t' '{ time[$3 ", " $4, $1, $2] = $5; what[$3 ", " $4] }
    END {
      for (name in what)
        for (round = 1; (name, round, "new") in time; round++)
          printf "%s\t%.3f\n", name, time[name, round, "new"] / time[name, round, "old"]
    }' "$work/times" | sort -t $'\t' -k1,1 -k2,2n |
    awk -F'\t' '
      function show() {
        if (n) printf "%-40s new / old %.2f (%.2f to %.2f)\n", name, ratio[int((n + 1) / 2)], ratio[1], ratio[n]
      }
      $1 != name { show(); name = $1; n = 0 }
      { ratio[++n] = $2 }
      END { show() }'
}

main
