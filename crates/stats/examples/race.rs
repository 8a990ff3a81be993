//! Plays races over a run that measured everything, and says what they would have recommended.
//!
//! `cargo run -p bakeoff-stats --example race -- RUN [SEEDS]`, where RUN is the folder of a run with
//! `--scales 4x4` and at least five rounds, and SEEDS the number of races, 20 unless given.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use bakeoff_stats::Run;
use bakeoff_stats::race::{Replay, replay};

const SEEDS: u64 = 20;
/// The largest regret and share of the time that a race is meant to have.
const REGRET: f64 = 0.05;
const TIME: f64 = 1.0 / 3.0;

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot play races: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("name the folder of a run")?;
    let seeds = match arguments.next() {
        Some(seeds) => seeds.parse()?,
        None => SEEDS,
    };
    let run = Run::open(Path::new(&dir))?;
    println!("time: of the whole run, and of one without its smaller tables");
    println!("seed  regret  time  without  rounds  dropped  recommended");
    let mut races = Vec::new();
    for seed in 0..seeds {
        let race = replay(run.records(), seed)?;
        println!("{}", line(seed, &race));
        races.push(race);
    }
    println!("{}", sum(&races));
    Ok(())
}

fn share(race: &Replay) -> f64 {
    race.seconds / race.all_seconds
}

fn share_without_smaller(race: &Replay) -> f64 {
    race.seconds / race.seconds_without_smaller
}

fn line(seed: u64, race: &Replay) -> String {
    format!(
        "{seed:>4}  {:>5.1}%  {:>3.0}%  {:>6.0}%  {:>6}  {:>7}  {}",
        100.0 * race.regret,
        100.0 * share(race),
        100.0 * share_without_smaller(race),
        race.rounds,
        race.dropped.len(),
        race.recommended
    )
}

fn sum(races: &[Replay]) -> String {
    let good = races.iter().filter(|race| race.regret <= REGRET).count();
    let quick = |share: fn(&Replay) -> f64| {
        let quick = races.iter().filter(|race| share(race) <= TIME);
        quick.count()
    };
    format!(
        "{good} of {} races have a regret of at most 5%; {} take at most a third of the time, {} of that \
         of a run without smaller tables",
        races.len(),
        quick(share),
        quick(share_without_smaller)
    )
}
