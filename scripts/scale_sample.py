"""Steps of scripts/scale-sample, each a subcommand. Needs Python 3.9 and no package."""

import csv
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict

TENTH = 10
FEWEST_SERIES = 20  # of which a tenth is taken
MOST_BYTES, MOST_SELECTIVITY = 0.05, 0.10  # by which a grown table may differ from the whole one
LEAST_VALUES = 1.0  # million values a second of processor time
DRAWS = 2000  # of the parameters of a question
FEWEST_ROWS = 100  # that a filter selects of as many rows as the sample has: of fewer, chance alone is a tenth
GOLDEN = 0.6180339887498949
PAIR = r'\s*("[^"]*"|\w+)\s*=\s*("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{.*\}|[^#]+)'
PARAMETER = r'(\w+) = \{ (\w+) = "([^"]*)"(?:, column = "([^"]*)")? \}'


class Workload:
    """What `bakeoff init` wrote, as far as it is needed here."""

    def __init__(self, path):
        self.sections = [("", [])]
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith("["):
                    self.sections.append((line.split("#")[0].strip(), []))
                self.sections[-1][1].append(line)
        table = dict(self.values("[table]"))
        self.name = json.loads(table["name"])
        self.partition_key = json.loads(table["partition_key"])
        self.order_key = json.loads(table.get("order_key", "[]"))
        columns = self.values("[table.columns]")
        self.types = {json.loads(name) if name[0] == '"' else name: json.loads(kind) for name, kind in columns}

    def values(self, section):
        """The keys of a section and the texts of their values, without comments."""
        return [pair for name, lines in self.sections if name == section for pair in self.pairs(lines)]

    @staticmethod
    def pairs(lines):
        found = (re.match(PAIR, line) for line in lines)
        return [(pair[1], pair[2].strip()) for pair in found if pair]

    def time(self):
        """The column by which series go on: the first of the order key, or a time of the partition key."""
        for name in self.order_key[:1] + self.partition_key:
            if self.types[name] == "timestamp" or name in self.order_key:
                return name
        return None

    def series(self):
        """The columns of the partition key that say which series a row belongs to."""
        return [name for name in self.partition_key if self.types[name] != "timestamp"]

    def questions(self):
        """Each question's name, what follows its WHERE, and its parameters."""
        questions = []
        for name, lines in self.sections:
            if name != "[[queries]]":
                continue
            keys = dict(self.pairs(lines))
            sql = json.loads(keys["sql"]) if keys.get("sql", "").startswith('"') else ""
            where = re.search(r"\sWHERE\s(.*?)(?=\s(?:GROUP|ORDER) BY\s|\sLIMIT\s|$)", sql, re.S)
            given = re.findall(PARAMETER, keys.get("parameters", ""))
            if where:
                questions.append((json.loads(keys["name"]), where[1], given))
        return questions

    def written(self, rows, data):
        """The workload for other rows, which asks one question only: loading is what is measured."""
        kept = []
        for name, lines in self.sections:
            if not name.startswith(("[data", "[scale", "[[queries")):
                kept += lines
        scale = f"[scale]\nrows = {rows}\nfull_rows = {rows}\nreplication = 1"
        query = f'[[queries]]\nname = "count_rows"\nsql = "SELECT count(*) AS n FROM {self.name}"'
        return "\n".join(kept) + f"\n\n[data]\n{data}\n\n{scale}\n\n{query}\n"


def read(path):
    """The names of the columns, and the rows."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        return next(rows), list(rows)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def hold_back(folder):
    """Takes a tenth of whole.csv as a sample in each way there is, and writes the workloads."""
    workload = Workload(f"{folder}/init.toml")
    names, rows = read(f"{folder}/whole.csv")
    write(f"{folder}/whole.toml", workload.written(len(rows), 'file = "whole.csv"'))
    for axis, taken in (("series", tenth_of_series), ("time", tenth_of_time)):
        sample, why = taken(workload, names, rows)
        print(f"  along {axis}: {why}", flush=True)
        if sample is None:
            continue
        at = f"{folder}/{axis}"
        os.makedirs(at, exist_ok=True)
        with open(f"{at}/sample.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([names] + sample)
        # Whole copies of the sample, so that no series is cut.
        copies = max(2, round(len(rows) / len(sample)))
        for name, wanted in (("grown", copies * len(sample)), ("longer", TENTH * copies * len(sample))):
            data = f'file = "sample.csv"\nscale_sample = {{ rows = {wanted}, along = "{axis}" }}'
            write(f"{at}/{name}.toml", workload.written(wanted, data))


def keys(workload, names, rows):
    places = [names.index(name) for name in workload.series()]
    return [tuple(row[place] for place in places) for row in rows]


def tenth_of_series(workload, names, rows):
    """Whole series: every tenth one by the number of its rows, so that short and long ones are in the sample."""
    of_rows = keys(workload, names, rows)
    counts = Counter(of_rows)
    if len(counts) < FEWEST_SERIES:
        return None, f"left out, since {len(counts)} series are fewer than {FEWEST_SERIES}"
    by_rows = sorted(counts, key=lambda key: (counts[key], hashlib.sha256(repr(key).encode()).digest()))
    taken = set(by_rows[TENTH // 2 :: TENTH])
    sample = [row for key, row in zip(of_rows, rows) if key in taken]
    why = "every tenth series by the number of its rows, so that short and long ones are in the sample"
    return sample, f"{len(taken)} of {len(counts)} series, {len(sample)} rows ({why})"


def tenth_of_time(workload, names, rows):
    """The first tenth in time, which is what one has of a table that has just begun."""
    column = workload.time()
    if column is None:
        return None, "left out, since the key has no time"
    place = names.index(column)
    kind = int if workload.types[column] in ("int", "bigint") else str
    times = [kind(row[place]) for row in rows]
    last = sorted(times)[len(times) // TENTH]
    sample = [row for at, row in zip(times, rows) if at < last]
    if len(set(times)) < 2 * TENTH or not sample:
        return None, "left out, since there are too few times"
    of_sample, of_all = (len(set(keys(workload, names, some))) for some in (sample, rows))
    if 2 * of_sample < of_all:
        return None, f"left out, since {of_sample} of {of_all} series have begun in the first tenth of the rows"
    why = "the first ones in time, as of a table that has just begun"
    return sample, f"{len(sample)} rows ({why}), {of_sample} of {of_all} series"


def run(command):
    """The hash of what a program writes, the seconds of processor time, and the most MiB of memory."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    digest = hashlib.sha256()
    for part in iter(lambda: child.stdout.read(1 << 20), b""):
        digest.update(part)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"`{' '.join(command)}` failed")
    return digest.hexdigest(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def speed(program, folder, example):
    """Whether rows are the same again, what memory ten times as many take, and how fast they are made."""
    grown, longer = f"{folder}/grown.toml", f"{folder}/longer.toml"
    first, _, memory = run([program, "generate", grown])
    again, _, _ = run([program, "generate", grown])
    _, seconds, more_memory = run([program, "generate", longer])
    with open(longer, encoding="utf-8") as file:
        rows = int(re.search(r"^rows = (\d+)", file.read(), re.M)[1])
    values = rows * len(Workload(grown).types) / seconds / 1e6
    how = "as CSV"
    if os.access(example, os.X_OK):
        made = subprocess.run([example, "3", longer], stdout=subprocess.PIPE, check=True, text=True)
        values, how = float(made.stdout.split()[-1]), "as Arrow batches"
    outcomes = {
        "same rows again": first == again,
        "bounded memory": more_memory <= 1.25 * memory + 8,
        f"{LEAST_VALUES:g} M values/s": values >= LEAST_VALUES,
    }
    rows_again = "the same" if first == again else "OTHER"
    print(f"  {values:.1f} M values/s per core ({how}); {memory:.0f} MiB of memory, {more_memory:.0f} MiB for ten "
          f"times the rows; {rows_again} rows when they are made again")
    note(folder, [{"what": what, "met": met, "sample": True} for what, met in outcomes.items()], "speed")


def note(folder, outcomes, name):
    write(f"{folder}/{name}.json", json.dumps(outcomes))


def bytes_per_row(folder):
    """Bytes per row of each design that was measured."""
    try:
        with open(f"{folder}/run.json", encoding="utf-8") as file:
            designs = json.load(file)["summary"]["designs"]
    except FileNotFoundError:
        return {}
    return {design["info"]["id"]: design["bytes_per_row"] for design in designs if design["bytes_per_row"]}


class Column:
    """What is known of a column's values, which are texts."""

    def __init__(self, cells, series):
        self.counts = Counter(cells)
        self.rows = len(cells)
        self.nulls = self.counts.pop("", 0) / self.rows
        values = self.rows * (1 - self.nulls)
        self.length = sum(len(cell) * count for cell, count in self.counts.items()) / max(values, 1)
        last, changes = {}, 0
        for cell, key in zip(cells, series):
            changes += last.get(key) != cell
            last[key] = cell
        self.runs = changes / self.rows

    def share(self, chosen):
        return sum(count for cell, count in self.counts.items() if chosen(cell)) / self.rows


class Table:
    """A table that was read from a CSV file."""

    def __init__(self, workload, path):
        self.workload = workload
        names, rows = read(path)
        series = keys(workload, names, rows)
        self.rows = len(rows)
        self.columns = {name: Column([row[at] for row in rows], series) for at, name in enumerate(names)}
        affinity = {"double": "REAL", "float": "REAL", "int": "INTEGER", "bigint": "INTEGER"}
        self.sql = sqlite3.connect(":memory:")
        columns = ", ".join(f'"{name}" {affinity.get(workload.types[name], "TEXT")}' for name in names)
        self.sql.execute(f"CREATE TABLE t ({columns})")
        cells = ([cell or None for cell in row] for row in rows)
        self.sql.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", cells)
        at = workload.time()
        indexed = workload.series() + [at] * (at is not None)
        for columns in (indexed, indexed[-1:]):
            listed = ", ".join(f'"{name}"' for name in columns)
            self.sql.execute(f"CREATE INDEX IF NOT EXISTS i{len(columns)} ON t ({listed})")

    def selectivity(self, where, given):
        """The mean share of the rows that a filter selects, over evenly spread parameters."""
        total, draws = 0.0, DRAWS if given else 1
        windows = {name: self.window(length, column) for name, kind, length, column in given if kind == "window"}
        asked = re.sub(r"\$\{(\w+)(?:\.(\w+))?\}", lambda found: ":" + "_".join(filter(None, found.groups())), where)
        for draw in range(draws):
            values = {}
            for name, kind, what, _ in given:
                if kind == "column":
                    row = 1 + (2 * draw + 1) * self.rows // (2 * draws)
                    values[name] = self.sql.execute(f'SELECT "{what}" FROM t WHERE rowid = ?', (row,)).fetchone()[0]
                elif kind == "window":
                    first, room, length, written = windows[name]
                    begin = first + room * ((draw + 1) * GOLDEN % 1)
                    values[f"{name}_begin"], values[f"{name}_end"] = written(begin), written(begin + length)
                else:
                    raise ValueError(f"a parameter of the kind `{kind}`")
            total += self.sql.execute(f"SELECT count(*) FROM t WHERE {asked}", values).fetchone()[0]
        return total / draws / self.rows

    def window(self, length, column):
        """The first time, the room for the beginning of a window after it, its length, and how times are written."""
        column = column or self.workload.time()
        first, last = self.sql.execute(f'SELECT min("{column}"), max("{column}") FROM t').fetchone()
        if isinstance(first, int):
            length = float(length)
            return first, max(0, last - first - length), length, round
        found = re.match(r"(\d+)(ms|s|m|h|d|w)$", length)
        length = int(found[1]) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}[found[2]]
        seconds = "SELECT (julianday(?) - 2440587.5) * 86400.0"
        first, last = (self.sql.execute(seconds, (at,)).fetchone()[0] for at in (first, last))
        return first, max(0, last - first - length), length, self.written_time

    @staticmethod
    def written_time(seconds):
        # Without the Z: a time of the same second is then not before it.
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def ratio(grown, whole):
    return grown / whole if whole else float(grown == whole) or float("inf")


def is_near(share, other):
    return abs(ratio(share, other) - 1) <= MOST_SELECTIVITY


def judged(name, whole, grown, sample):
    """Prints what a filter selects, and returns whether that is within the bound."""
    met = is_near(grown, whole)
    # A miss is that of the sample only if the grown table has kept to it.
    is_of_sample = not met and not is_near(sample, whole) and is_near(grown, sample)
    word = "" if met else "missed, as by the sample" if is_of_sample else "missed"
    ratios = f"{ratio(grown, whole):7.3f} {ratio(sample, whole):9.3f}"
    print(f"    {name:44} {whole:12.5g} {grown:12.5g} {ratios}  {word}")
    return {"what": f"selectivity of {name}", "met": met, "sample": not is_of_sample}


def compare(folder, axes):
    """Prints the whole table beside those that were grown."""
    workload = Workload(f"{folder}/init.toml")
    whole = Table(workload, f"{folder}/whole.csv")
    for axis in axes.split():
        at = f"{folder}/{axis}"
        grown, sample = Table(workload, f"{at}/grown.csv"), Table(workload, f"{at}/sample.csv")
        print(f"\n{os.path.basename(folder)}, grown along {axis}: {grown.rows} rows of {sample.rows}, for {whole.rows}")
        outcomes = compare_bytes(bytes_per_row(f"{folder}/whole"), bytes_per_row(f"{at}/grown"))
        print(f"    {'selectivity':44} {'whole':>12} {'grown':>12} {'ratio':>7} {'of sample':>9}")
        for name, where, given in filters(workload, whole):
            try:
                shares = [table.selectivity(where, given) for table in (whole, grown, sample)]
            except (sqlite3.Error, ValueError) as error:
                print(f"    {name:44} left out: {error}")
                continue
            # A window has more of a shorter time, and a series more of fewer series.
            more = axis == "time" and any(kind == "window" for _, kind, _, _ in given)
            more = more or axis == "series" and any(what in workload.series() for _, _, what, _ in given)
            shares[2] *= sample.rows / whole.rows if more else 1
            if given or shares[0] * sample.rows >= FEWEST_ROWS:
                outcomes.append(judged(name, *shares))
        print_columns(whole, grown)
        note(at, outcomes, "outcomes")


def compare_bytes(of_whole, of_grown):
    outcomes = []
    print(f"    {'bytes/row':44} {'whole':>12} {'grown':>12} {'ratio':>7}")
    for design, ours in of_whole.items():
        if design not in of_grown:
            print(f"    {design:44} {ours:12.5g} {'failed':>12} {'':7}  missed")
            outcomes.append({"what": f"bytes/row of {design}", "met": False, "sample": True})
            continue
        other = of_grown[design]
        met = abs(other / ours - 1) <= MOST_BYTES
        print(f"    {design:44} {ours:12.5g} {other:12.5g} {other / ours:7.3f}  {'' if met else 'missed'}")
        outcomes.append({"what": f"bytes/row of {design}", "met": met, "sample": True})
    for design in of_grown.keys() - of_whole.keys():
        print(f"    {design:44} {'failed':>12} {of_grown[design]:12.5g} {'':7}  left out")
    return outcomes


def filters(workload, whole):
    """The filters of the questions, and of each column that is not in the key its frequent and its high values."""
    yield from workload.questions()
    for name, column in whole.columns.items():
        if name in workload.partition_key + workload.order_key or not column.counts:
            continue
        (value, _), quoted = column.counts.most_common(1)[0], '"' + name.replace('"', '""') + '"'
        kind = workload.types[name]
        if kind in ("int", "bigint", "float", "double"):
            yield f"{name} = {value}", f"{quoted} = {value}", []
            high = high_value(column)
            yield f"{name} > {high}", f"{quoted} > {high}", []
        elif kind == "text":
            yield f"{name} = '{value}'"[:44], quoted + " = '" + value.replace("'", "''") + "'", []


def high_value(column):
    """The least number that nine tenths of the values do not exceed."""
    left = 0.9 * sum(column.counts.values())
    for value in sorted(column.counts, key=float):
        left -= column.counts[value]
        if left <= 0:
            break
    return value


def print_columns(whole, grown):
    print(f"    {'column':24} {'different values':>26} {'null share':>17} {'mean length':>15} {'changes/row':>17}")
    for name, ours in whole.columns.items():
        other = grown.columns[name]
        different, others = len(ours.counts), len(other.counts)
        print(f"    {name:24} {different:8} {others:8} {ratio(others, different):8.3f}"
              f" {ours.nulls:8.4f} {other.nulls:8.4f} {ours.length:7.2f} {other.length:7.2f}"
              f" {ours.runs:8.4f} {other.runs:8.4f}")


def end(*folders):
    """Prints one line: what met the bounds, and what did not."""
    counts = defaultdict(lambda: [0, 0, 0])
    for folder in folders:
        for name in ("outcomes", "speed"):
            with open(f"{folder}/{name}.json", encoding="utf-8") as file:
                for outcome in json.load(file):
                    kind = outcome["what"].split(" of ")[0]
                    counts[kind][0 if outcome["met"] else 1 if outcome["sample"] else 2] += 1
    parts = []
    for kind, (met, missed, unseen) in counts.items():
        of_sample = f", {unseen} of the others miss it in the sample, too" if unseen else ""
        parts.append(f"{kind} {met} of {met + missed + unseen}{of_sample}")
    is_met = not any(missed for _, missed, _ in counts.values())
    is_shown = not any(unseen for _, _, unseen in counts.values())
    word = "NOT MET" if not is_met else "MET" if is_shown else "MET as far as the samples show it"
    bounds = f"selectivities within {MOST_SELECTIVITY:.0%}"
    if "bytes/row" in counts:
        bounds = f"bytes/row within {MOST_BYTES:.0%}, {bounds}"
    else:
        parts.append("bytes/row of no design, since none was measured")
    print(f"{word} ({bounds}): " + "; ".join(parts))
    sys.exit(0 if is_met else 1)


if __name__ == "__main__":
    {"hold-back": hold_back, "speed": speed, "compare": compare, "end": end}[sys.argv[1]](*sys.argv[2:])
