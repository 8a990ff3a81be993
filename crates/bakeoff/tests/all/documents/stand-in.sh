#!/bin/bash
# Stands in for each program that the pages call, by the name under which it is called. What it does
# not know is an error. BAKEOFF is the built program and PROGRAMS the path on which it finds others,
# REPOSITORY the root of the repository, FAILURES a file for the commands that fail, which the shell
# does not mind in the background; with CHECK_ONLY only the options of Bakeoff are checked.
set -euo pipefail

main() {
    trap 'if [ $? -ne 0 ]; then echo "${0##*/} $words" >>"$FAILURES"; fi' EXIT
    case "$0" in
        *scripts/* | *.ci/* | *benches/*) script "${0#./}" ;;
        *) "stand_in_for_${0##*/}" "$@" ;;
    esac
}

stand_in_for_bakeoff() {
    if [ -n "${CHECK_ONLY:-}" ]; then
        options "$@"
        return
    fi
    case "${1:-}" in
        run | drive | sweep) dry_run "$@" ;;
        study) study "$@" ;;
        ingest | sql | scan | table) without_server "$@" ;;
        list | show | completions | man) program "$@" ;;
        doctor) program "$@" || [ $? -eq 3 ] ;; # an engine is missing here
        generate) some_rows "$@" ;;
        report) existing "$@" ;;
        engines) servers "$@" ;;
        *) options "$@" ;;
    esac
}

program() {
    PATH="$PROGRAMS" "$BAKEOFF" "$@"
}

# The words before --help are checked, their values too; whether something is missing is not.
options() {
    program "$@" --help >/dev/null
}

dry_run() {
    case " $* " in
        *" --settings-of "*) options "$@" ;; # which asks a server of the reader's
        *" --dry-run "*) program "$@" ;;
        *) program "$@" --dry-run ;;
    esac
}

# Alone it lists the studies.
study() {
    case " $* " in
        " study ") program "$@" ;;
        *" --from "* | *" --page "*) options "$@" ;;
        *) dry_run "$@" ;;
    esac
}

without_server() {
    case " $* " in
        *" --cassandra "*) options "$@" ;;
        *) program "$@" ;;
    esac
}

# Without --out the first row is enough.
some_rows() {
    local header row
    case " $* " in
        *" --out "*) program "$@" ;;
        *) program "$@" | { read -r header && read -r row && echo "$header" "$row"; } ;;
    esac
}

existing() {
    if [ -d "$2" ]; then program "$@"; else options "$@"; fi
}

servers() {
    case "$2" in
        status | stop) program "$@" ;;
        *) options "$@" ;;
    esac
}

stand_in_for_cargo() {
    case "$*" in
        "run --release --"*) stand_in_for_bakeoff "${@:4}" ;;
        run*" --example "*) example "$@" ;;
        "test --workspace"*) tests "$@" ;;
        "build --release"* | "insta review" | "install cargo-"*) ;;
        *) unknown cargo "$@" ;;
    esac
}

example() {
    local example
    example="$REPOSITORY/crates/*/examples/$(value_of --example "$@")"
    there_is "$example.rs" "$example/main.rs"
}

# Of `--test all shipped_workloads::` there have to be the program and the module.
tests() {
    local name program module="${*: -1}"
    name=$(value_of --test "$@")
    if [ -z "$name" ]; then return; fi
    program="$REPOSITORY/crates/*/tests/$name"
    there_is "$program.rs" "$program/main.rs"
    case "$module" in
        *::) there_is "$program/${module%::}.rs" "$program/${module%::}/mod.rs" ;;
    esac
}

# A file that fits one of these patterns.
there_is() {
    local pattern
    for pattern; do
        if compgen -G "$pattern" >/dev/null; then return; fi
    done
    unknown the file "$1"
}

# The word after an option, or nothing.
value_of() {
    local option="$1"
    shift
    while [ $# -gt 1 ]; do
        if [ "$1" = "$option" ]; then echo "$2"; fi
        shift
    done
}

# The recipe has to be there, and to take options if some are given.
stand_in_for_just() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^"$1"(.*):( |$) ]]; then
            if [ $# -eq 1 ] || [ -n "${BASH_REMATCH[1]// /}" ]; then return; fi
        fi
    done <"$REPOSITORY/justfile"
    unknown just "$@"
}

script() {
    if [ ! -x "$REPOSITORY/$1" ]; then unknown the script "$1"; fi
    /bin/bash -n "$REPOSITORY/$1"
}

stand_in_for_pip() {
    case "$*" in
        "install --no-index --find-links dist bakeoff[engines]") wheel_has_extra engines ;;
        "install hdrhistogram") ;;
        "download --only-binary :all: --dest dist "*) wheel_needs "${@:6}" ;;
        *) unknown pip "$@" ;;
    esac
}

wheel_has_extra() {
    grep -q "^$1 = \[" "$REPOSITORY/pyproject.toml"
}

wheel_needs() {
    local package
    for package; do grep -qF "\"$package\"" "$REPOSITORY/pyproject.toml"; done
}

stand_in_for_python3() {
    if [ "${1:-} ${2:-}" != "-m venv" ]; then unknown python3 "$@"; fi
    mkdir -p "$3/bin"
    : >"$3/bin/activate"
}

stand_in_for_sudo() {
    case "$*" in
        "apt-get install "*) ;;
        "tee "*) cat >/dev/null ;;
        *) unknown sudo "$@" ;;
    esac
}

# One of the tasks of an array.
stand_in_for_sbatch() {
    SLURM_ARRAY_TASK_ID=1 /bin/bash -euo pipefail -c "$(value_of --wrap "$@")"
}

stand_in_for_curl() { :; }

stand_in_for_sh() { cat >/dev/null; }

stand_in_for_java() {
    if [ "$1" != "-cp" ]; then unknown java "$@"; fi
}

unknown() {
    echo "unknown: $*" >&2
    exit 1
}

words="$*"
main "$@"
