//! `bakeoff compare`: shows what became faster or slower from one saved run, load or sweep to another, and how the
//! rates of several grow with their nodes.

mod page;

use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use bakeoff_report::between::page::{Figures, Folder};
use bakeoff_report::between::{self, Judged, sizes};
use bakeoff_stats::Run;
use bakeoff_stats::between::{Between, FailIf, Failing, Gate, Worse};
use bakeoff_stats::per_node::{MeasuredRate, PerNode, Wanted};
use clap::Args;
use glob::Pattern;

use crate::cmd::options::wanted::WantedOptions;
use crate::cmd::report::sizes::{Kind, read_all, read_runs};
use crate::exit::{Exit, Misuse};
use crate::terminal::{json, stdout};
use page::PageFile;

/// Largest limit, in percent.
const GREATEST_LIMIT: f64 = 100_000.0;

/// Compare two runs, loads or sweeps of one workload: with other settings, another version, on another cluster or on
/// another day.
///
/// Says whether they may be compared and what else differs, then what became slower, faster or stayed the same, and
/// what is not settled. Of three and more, each on another number of nodes, it says how their rates grow with the
/// nodes.
#[derive(Args)]
pub struct Compare {
    /// Folder to compare with, as `bakeoff run`, `drive`, `merge` or `sweep` wrote it
    a: PathBuf,

    /// Folder to judge, of the same command
    b: PathBuf,

    /// Further folders of the same measurement, all on other numbers of nodes
    others: Vec<PathBuf>,

    /// Exit with 1 if anything is slower by more than this, for example 5%, and with 3 if that is not
    /// settled
    #[arg(long, value_name = "P%", value_parser = parse_limit, allow_negative_numbers = true)]
    fail_if_slower: Option<f64>,

    /// Exit with 4 if B is certain to be worse by more than this: slower:10% (a query or an operation), rate-lower:10%
    /// (loading, or operations or rows a second), larger:5% (storage); with 5 if that cannot be compared, and with 0
    /// otherwise
    #[arg(
        long,
        value_name = "WHAT:P%,...",
        value_delimiter = ',',
        value_parser = parse_condition,
        conflicts_with = "fail_if_slower"
    )]
    fail_if: Vec<FailIf>,

    /// Figures to compare, by their names: those of queries, and `loading`; of a load or a sweep such as 'read p99' and
    /// 'highest rate'; globs [default: all]
    #[arg(long, value_name = "GLOB,...", value_delimiter = ',')]
    only: Vec<String>,

    #[command(flatten)]
    wanted: WantedOptions,

    /// Write an HTML page to this file, too, with charts: each figure of all folders with its interval, curves of loads
    /// and sweeps over each other, and rates, times and money by the number of nodes where that differs
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Rates per node of folders on several numbers of nodes, each by its name.
type Sizes = Vec<(String, PerNode)>;

impl Compare {
    pub fn run(self) -> Result<Exit> {
        if !self.others.is_empty() {
            return self.sizes();
        }
        if self.wanted.is_given() && self.page.is_none() {
            let told = anyhow!(
                "--prices and --need are for three folders and more, each on another number of nodes, and for --page; \
                 of two, `bakeoff report {} --other-sizes {}` takes them",
                self.a.display(),
                self.b.display()
            );
            return Err(Misuse::new(told).into());
        }
        self.names_two()?;
        let page = self.page.as_deref().map(PageFile::begin).transpose()?;
        let folders = self.both()?;
        let compared = self.compared(&folders)?;
        let sizes = match &page {
            Some(_) => self.sizes_of_two()?,
            None => Sizes::new(),
        };
        let write = |judged: Option<&str>| match page {
            Some(page) => page.write(&folders, Some(&compared), judged, &sizes),
            None => Ok(()),
        };
        if !self.fail_if.is_empty() {
            return self.judge(&compared, write);
        }
        let gate = self
            .fail_if_slower
            .map(|limit| (limit, compared.fail_if_slower(limit)));
        let judged = gate.as_ref().map(|(limit, gate)| Judged {
            limit: *limit,
            gate,
        });
        let text = if self.json {
            json(&between::json(&compared, judged)?)
        } else {
            between::render(&compared, judged)
        };
        let answer = judged.map(|judged| between::answer(&compared, judged));
        write(answer.as_deref())?;
        self.print(&text)?;
        Ok(exit_of(&compared, gate.as_ref().map(|(_, gate)| gate)))
    }

    /// Checks that the two folders are not one and the same.
    ///
    /// # Errors
    /// Fails with a misuse if they are.
    fn names_two(&self) -> Result<()> {
        let is_one = match (self.a.canonicalize(), self.b.canonicalize()) {
            (Ok(a), Ok(b)) => a == b,
            // One that is not there is told when it is read.
            _ => false,
        };
        if is_one {
            let told = anyhow!(
                "{} and {} are the same folder, which does not differ from itself; name another one",
                self.a.display(),
                self.b.display()
            );
            return Err(Misuse::new(told).into());
        }
        Ok(())
    }

    /// Reads the two folders.
    ///
    /// # Errors
    /// Fails with a misuse for folders of different commands, or if one of them cannot be read.
    fn both(&self) -> Result<[Folder; 2]> {
        let kinds = [&self.a, &self.b].map(|dir| Kind::of(dir));
        if kinds[0] != kinds[1] {
            return Err(self.of_two_kinds(kinds));
        }
        Ok([page::read(&self.a)?, page::read(&self.b)?])
    }

    /// Compares the two folders.
    ///
    /// # Errors
    /// Fails with a misuse if no figure has a name that is asked for.
    fn compared(&self, [one, two]: &[Folder; 2]) -> Result<Between> {
        if let (Figures::Run(a), Figures::Run(b)) = (&one.figures, &two.figures) {
            let only = self.figures(&Between::figures(a, b))?;
            return Ok(Between::of_figures((&one.name, a), (&two.name, b), only));
        }
        let (one, two) = (page::measured(one)?, page::measured(two)?);
        let only = self.figures(&Between::figures_of_measured(&one, &two))?;
        Ok(Between::of_measured(&one, &two, only))
    }

    /// Returns the rates per node of the two folders for a page, if they are of one measurement on other numbers of
    /// nodes.
    ///
    /// # Errors
    /// Fails with a misuse if prices or a rate are given and there are no such rates.
    fn sizes_of_two(&self) -> Result<Sizes> {
        let wanted = self.wanted.read()?;
        match read_all(&self.a, std::slice::from_ref(&self.b)) {
            Ok(all) => Ok(per_node(&all, &wanted)),
            Err(error) if self.wanted.is_given() => Err(error),
            Err(_) => Ok(Sizes::new()),
        }
    }

    /// Says that the folders are of different commands, or that one of them is of none.
    fn of_two_kinds(&self, [one, other]: [Kind; 2]) -> anyhow::Error {
        for (dir, kind) in [(&self.a, one), (&self.b, other)] {
            let opened = (kind == Kind::Run).then(|| Run::open(dir));
            if let Some(Err(error)) = opened {
                return error.into();
            }
        }
        Misuse::new(anyhow!(
            "{} is of `bakeoff {}`, {} of `bakeoff {}`: these have no figures in common; name two folders of the same \
             command",
            self.a.display(),
            one.command(),
            self.b.display(),
            other.command()
        ))
        .into()
    }

    /// Shows how the rates of all folders grow with their nodes.
    ///
    /// # Errors
    /// Fails with a misuse for options that two folders take, and if the folders are not of the same measurement on
    /// other numbers of nodes.
    fn sizes(&self) -> Result<Exit> {
        let judges = self.fail_if_slower.is_some() || !self.fail_if.is_empty();
        if judges || !self.only.is_empty() {
            let told = anyhow!(
                "--fail-if, --fail-if-slower and --only are for two folders; leave them out, or name two"
            );
            return Err(Misuse::new(told).into());
        }
        let wanted = self.wanted.read()?;
        let page = self.page.as_deref().map(PageFile::begin).transpose()?;
        let mut dirs = vec![self.b.clone()];
        dirs.extend(self.others.iter().cloned());
        let shows_times = page.is_some() && Kind::of(&self.a) == Kind::Run;
        let all = if shows_times && !self.wanted.is_given() {
            read_runs(&self.a, &dirs)?
        } else {
            read_all(&self.a, &dirs)?
        };
        let folders = per_node(&all, &wanted);
        let counts = Kind::of(&self.a).counts();
        let text = if self.json {
            json(&sizes::json(&folders, counts)?)
        } else {
            sizes::render(&folders, counts)
        };
        if let Some(page) = page {
            let all = std::iter::once(&self.a).chain(&dirs);
            let read: Result<Vec<Folder>> = all.map(|dir| page::read(dir)).collect();
            page.write(&read?, None, None, &folders)?;
        }
        self.print(&text)?;
        Ok(Exit::Complete)
    }

    /// Prints the comparison with what became of the conditions, whose outcome is the exit code, and writes the page
    /// with it.
    fn judge(
        &self,
        compared: &Between,
        write: impl FnOnce(Option<&str>) -> Result<()>,
    ) -> Result<Exit> {
        let outcome = compared.fail_if(&self.fail_if);
        let sentence = between::fail_if::sentence(&self.fail_if, &outcome);
        write(Some(sentence.as_str()))?;
        let text = if self.json {
            json(&between::json_of_conditions(
                compared,
                &self.fail_if,
                &outcome,
            )?)
        } else {
            let answer = between::fail_if::answer(&self.fail_if, &outcome);
            format!("{answer}\n\n{}", between::render(compared, None))
        };
        self.print(&text)?;
        Ok(match outcome {
            Failing::Worse { .. } => Exit::Worse,
            Failing::NotComparable { .. } => Exit::NotComparable,
            Failing::NotShown { .. } => Exit::Complete,
        })
    }

    /// Prints a text, and where the page is. The exit code counts even if the reader, such as `head`, has read enough.
    fn print(&self, text: &str) -> Result<()> {
        let page = self.page.as_ref().filter(|_| !self.json);
        let page = page.map_or_else(String::new, |page| format!("\n\nPage: {}", page.display()));
        match writeln!(stdout(), "{}{page}", text.trim_end()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the known figures that are asked for, in their order; `None` for all of them.
    ///
    /// # Errors
    /// Fails with a misuse for a pattern that matches none.
    fn figures(&self, known: &[String]) -> Result<Option<Vec<String>>> {
        let mut chosen: Vec<&String> = Vec::new();
        for text in &self.only {
            let pattern = Pattern::new(text)
                .map_err(|error| Misuse::new(anyhow!("--only {text}: {error}")))?;
            let found = chosen.len();
            chosen.extend(known.iter().filter(|name| pattern.matches(name)));
            if chosen.len() == found {
                let known = known.join(", ");
                let none =
                    anyhow!("no figure of these runs matches --only {text}; they have {known}");
                return Err(Misuse::new(none).into());
            }
        }
        let in_order = known.iter().filter(|name| chosen.contains(name));
        Ok((!self.only.is_empty()).then(|| in_order.cloned().collect()))
    }
}

/// Computes the rates per node of each folder, next to those of the others.
fn per_node(all: &[(PathBuf, Vec<MeasuredRate>)], wanted: &Wanted) -> Sizes {
    let rates: Vec<_> = all.iter().map(|(_, rates)| rates.clone()).collect();
    let of_folder = |place: usize| {
        let mut others = rates.clone();
        let own = others.remove(place);
        PerNode::new(own, wanted, &others)
    };
    let folders = all
        .iter()
        .enumerate()
        .filter_map(|(place, (dir, _))| Some((dir.display().to_string(), of_folder(place)?)));
    folders.collect()
}

fn exit_of(compared: &Between, gate: Option<&Gate>) -> Exit {
    match gate {
        Some(Gate::Slower { .. }) => Exit::Failed,
        Some(Gate::CannotTell { .. }) => Exit::Partial,
        None if !compared.obstacles.is_empty() => Exit::Failed,
        Some(Gate::NotSlower) | None => Exit::Complete,
    }
}

/// Reads `5%` or `5` as a share.
fn parse_limit(text: &str) -> Result<f64, String> {
    match text.strip_suffix('%').unwrap_or(text).parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= GREATEST_LIMIT => Ok(percent / 100.0),
        _ => Err("not a limit such as 5%".to_owned()),
    }
}

/// Reads a condition: `slower:10%`, `larger:5%` or `rate-lower:10%`.
fn parse_condition(text: &str) -> Result<FailIf, String> {
    let told = || "not a condition such as slower:10%, larger:5% or rate-lower:10%".to_owned();
    let (what, limit) = text.split_once(':').ok_or_else(told)?;
    let worse = match what {
        "slower" => Worse::Slower,
        "larger" => Worse::Larger,
        "rate-lower" => Worse::RateLower,
        _ => return Err(told()),
    };
    let limit = parse_limit(limit)?;
    if worse == Worse::RateLower && limit >= 1.0 {
        return Err("no rate is lower by 100% or more".to_owned());
    }
    Ok(FailIf { worse, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_positive_percentage() {
        assert_eq!(parse_limit("5%"), Ok(0.05));
        assert_eq!(parse_limit("12.5"), Ok(0.125));
        for bad in [
            "", "%", "5%%", "-5%", "0%", "0", "NaN", "inf", "five", "100001%",
        ] {
            assert!(parse_limit(bad).is_err(), "{bad}");
        }
    }
    #[test]
    fn a_condition_says_what_is_worse_and_by_how_much() {
        let parsed = |text| parse_condition(text).map(|c| (c.worse, c.limit));
        assert_eq!(parsed("slower:10%"), Ok((Worse::Slower, 0.1)));
        assert_eq!(parsed("larger:5"), Ok((Worse::Larger, 0.05)));
        assert_eq!(parsed("rate-lower:50%"), Ok((Worse::RateLower, 0.5)));
        for bad in [
            "slower",
            "slower:",
            "slower:0%",
            "faster:5%",
            ":5%",
            "rate-lower:100%",
        ] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
