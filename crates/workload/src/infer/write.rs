//! Writes what was found of a file as a commented workload.

mod data;
mod mix;

use std::fmt::Write as _;

use super::questions::{Question, questions};
use super::{AskedQuestion, Inferred};

const DAY: i64 = 24 * 3_600_000;

/// Rows that are loaded at most unless the user says more.
const MOST_ROWS: u64 = 1_000_000;

/// Rows of a first look at what a run does.
const FIRST_LOOK: u64 = 10_000;

/// Repeated keys that are few.
const FEW_REPEATED: f64 = 0.000_5;

impl Inferred {
    /// Writes a workload that runs as it is. `file` is the file as the workload names it; `designs` are ids of
    /// designs; `asked` are questions instead of those that it would have.
    pub fn workload(&self, file: &str, designs: &[String], asked: &[AskedQuestion]) -> String {
        let mut out = String::new();
        self.head(file, &mut out);
        put_designs(designs, &mut out);
        self.table(&mut out);
        match &self.made {
            None => self.data(file, &mut out),
            Some(made) => self.generators(made, file, &mut out),
        }
        self.scale(&mut out);
        self.decide(&mut out);
        let numbered = |index: usize| format!("question_{}", index + 1);
        for (index, asked) in asked.iter().enumerate() {
            for about in &asked.about {
                line(&mut out, &format!("# {}", clean(about)));
            }
            let question = Question {
                name: asked.name.clone().unwrap_or_else(|| numbered(index)),
                sql: asked.sql.trim().trim_end_matches(';').to_owned(),
                parameters: asked.parameters.clone(),
            };
            put_question(&question, &mut out);
        }
        if asked.is_empty() {
            for question in &questions(self) {
                put_question(question, &mut out);
            }
        }
        if let Some(mix) = &self.mix {
            mix::put(mix, &mut out);
        }
        out
    }

    /// Returns whether there are more rows than a first look needs.
    pub fn is_large(&self) -> bool {
        self.rows_there() > FIRST_LOOK
    }

    /// Returns the number of rows that fit, with those by which the file grows.
    fn rows_there(&self) -> u64 {
        let grown = self.grown.as_ref().map_or(0, |grown| grown.rows);
        self.rows_that_fit().max(grown)
    }

    /// Returns the number of rows of the file that are not set aside, at least 1.
    pub fn rows_that_fit(&self) -> u64 {
        let set_aside = self.bad_rows.saturating_add(self.repeats_set_aside());
        self.rows.saturating_sub(set_aside).max(1)
    }

    /// Returns the days from the first row to the last, if rows are ordered by a time first.
    pub fn days(&self) -> Option<u64> {
        u64::try_from(self.milliseconds()? / DAY).ok()
    }

    /// Returns the milliseconds from the first row to the last, if rows are ordered by a time first, and are those of a
    /// file that does not go on beyond them.
    pub fn milliseconds_of_file(&self) -> Option<i64> {
        let is_file = self.made.is_none() && self.grown.is_none();
        self.milliseconds().filter(|_| is_file)
    }

    fn milliseconds(&self) -> Option<i64> {
        let by_time = self.time.is_some() && self.order_key.first() == self.time.as_ref();
        let span = self.span.as_ref().filter(|_| by_time)?;
        Some(span.end.saturating_sub(span.start))
    }

    /// Returns the milliseconds from one row to the next, on average, if all rows are one series over time that no
    /// column of the file names.
    pub fn step_of_one_series(&self) -> Option<f64> {
        let mut columns = self.columns.iter();
        let is_one = columns.any(|column| column.constant.is_some());
        self.days().filter(|_| is_one)?;
        let span = self.span.as_ref()?;
        Some(span.end.saturating_sub(span.start) as f64 / self.rows.max(1) as f64)
    }

    fn head(&self, file: &str, out: &mut String) {
        let of = self
            .origin
            .as_ref()
            .map_or(file, |origin| origin.name.as_str());
        let what = match self.made {
            None => format!("Rows of {}, as `bakeoff init` found them", clean(of)),
            Some(_) => format!("Table {}, as `bakeoff init` read it", clean(of)),
        };
        line(out, &format!("# {what}. Change what is not meant."));
        if let Some(origin) = self
            .origin
            .as_ref()
            .filter(|origin| !origin.about.is_empty())
        {
            line(out, "#");
            for about in &origin.about {
                line(out, &format!("# {}", clean(about)));
            }
        }
        line(out, "#");
        let rows = if self.is_large() {
            format!(" --rows {FIRST_LOOK}")
        } else {
            String::new()
        };
        line(
            out,
            &format!("#   bakeoff run THIS.toml{rows} --dry-run   # what would be done"),
        );
        line(out, "#   bakeoff run THIS.toml --budget 3m");
        if self.mix.is_some() {
            line(
                out,
                "#   bakeoff drive THIS.toml --for 60s   # the operations of [mix]",
            );
        }
        line(out, "");
        let name = of.rsplit('/').next().unwrap_or(of);
        let title = match self.made {
            None => format!("Rows of {}", clean(name)),
            Some(_) => format!("Table {}", self.table),
        };
        line(out, &format!("title = {}", quoted(&title)));
        line(out, "");
    }

    fn table(&self, out: &mut String) {
        line(out, "[table]");
        line(out, &format!("name = \"{}\"", self.table));
        line(
            out,
            &format!(
                "partition_key = {} # which rows belong together",
                list(&self.partition_key)
            ),
        );
        line(
            out,
            &format!(
                "order_key = {} # how they are ordered there",
                list(&self.order_key)
            ),
        );
        let all = if self.repeated > 0.0 {
            "almost all"
        } else {
            "all"
        };
        let told = match self.partition_key.len() + self.order_key.len() {
            1 => format!("It tells {all} rows apart."),
            2 => format!("Both together tell {all} rows apart."),
            _ => format!("All together tell {all} rows apart."),
        };
        let is_told_here = self.repeated > FEW_REPEATED && self.repeats_set_aside() == 0;
        let repeated = self.repeated_keys().filter(|_| is_told_here);
        line(out, &format!("# {}", repeated.unwrap_or(told)));
        line(out, "");
        line(
            out,
            "# Types: boolean, int (32 bits), bigint (64 bits), float (32 bits), double, text, uuid, \
             timestamp (milliseconds, UTC), date.",
        );
        line(out, "[table.columns]");
        for column in &self.columns {
            let kind = column.kind.name();
            let evidence = clean(&column.evidence);
            line(out, &format!("{} = \"{kind}\" # {evidence}", column.name));
            if let Some(days) = &column.days {
                line(out, &format!("# {}", clean(days)));
            }
        }
        for left_out in &self.left_out {
            line(out, &format!("# left out: {}", clean(left_out)));
        }
        line(out, "");
    }

    /// Writes the generators that make the rows of a table that `file` declares.
    fn generators(&self, made: &[String], file: &str, out: &mut String) {
        let sample = format!("  bakeoff init {} --data ROWS.csv", clean(file));
        for about in [
            "No rows are known. They are made, and each line below is a guess by type and key, without nulls.",
            "Put in what your values are like (docs/mixed-load.md has all generators), or take real rows:",
            sample.as_str(),
            "Sizes and times with made rows are not those with yours.",
        ] {
            line(out, &format!("# {about}"));
        }
        line(out, "[data]");
        line(out, "generator = \"columns\"");
        line(out, "");
        line(out, "[data.columns]");
        for (column, generator) in self.columns.iter().zip(made) {
            line(out, &format!("{} = {generator} # a guess", column.name));
        }
        line(out, "");
    }

    fn scale(&self, out: &mut String) {
        let of_mix = self.mix.as_ref().and_then(|mix| mix.most_rows);
        let rows = self.rows_there().min(MOST_ROWS);
        let (rows, why) = match of_mix.filter(|most| *most < rows) {
            None => (rows, ""),
            Some(most) => (
                most,
                ": as many as fit into the memory from which operations of the mix draw rows",
            ),
        };
        line(out, "[scale]");
        line(out, &format!("rows = {rows} # that a run loads{why}"));
        let known = self.origin.as_ref().and_then(|origin| origin.rows.as_ref());
        let (all, how) = known.map_or((0, "that there will be"), |(all, how)| (*all, how.as_str()));
        let (all, how) = match self.grown {
            // A table of which the file is a sample grows by as much.
            Some(_) => {
                let fit = self.rows_that_fit();
                let factor = self.rows_there() as f64 / fit as f64;
                let grown = (all.max(fit) as f64 * factor).round() as u64;
                (grown.max(rows), "that there will be, as `grow` says")
            }
            None => (self.rows.max(rows).max(all), how),
        };
        line(
            out,
            &format!(
                "full_rows = {all} # {}, which the forecast is for: put in your own",
                clean(how)
            ),
        );
        line(out, "replication = 3 # copies of each row in production");
        line(out, "");
    }

    fn decide(&self, out: &mut String) {
        let Some(design) = self
            .origin
            .as_ref()
            .and_then(|origin| origin.design.as_ref())
        else {
            return;
        };
        line(out, "[decide]");
        line(
            out,
            &format!("baseline = {} # like the table as it is", quoted(design)),
        );
        line(out, "");
    }
}

fn put_designs(designs: &[String], out: &mut String) {
    line(
        out,
        "# What is compared, engine/layout?setting=value; `bakeoff list` has all of them.",
    );
    line(out, "designs = [");
    for design in designs {
        line(out, &format!("  {},", quoted(design)));
    }
    line(out, "]");
    line(out, "");
}

fn put_question(question: &Question, out: &mut String) {
    line(out, "[[queries]]");
    line(out, &format!("name = \"{}\"", question.name));
    line(out, &format!("sql = {}", quoted(&question.sql)));
    if !question.parameters.is_empty() {
        line(out, "# Drawn for each round, the same for all designs.");
        line(
            out,
            &format!("parameters = {{ {} }}", question.parameters.join(", ")),
        );
    }
    line(out, "");
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

fn list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", quoted.join(", "))
}

/// Returns a text as a string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns a text for a comment, which ends at the end of a line.
fn clean(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod parquet_tests;
#[cfg(test)]
mod tests;
