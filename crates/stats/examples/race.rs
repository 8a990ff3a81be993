//! Plays races over a run that measured everything, and says what they would have recommended.
//!
//! `cargo run -p bakeoff-stats --example race -- RUN [SEEDS]`, where RUN is the folder of a run with
//! `--scales 4x4` and at least five rounds, and SEEDS the number of races, 20 unless given. Each race is played
//! against the run as it was, and as if neither had smaller tables but the rungs of the race.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use bakeoff_stats::Run;
use bakeoff_stats::race::{Played, Replay, replay};

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
    for (title, played) in [
        ("the run as it was", Played::AsItWas),
        ("without smaller tables", Played::WithoutSmaller),
    ] {
        println!("{title}\nseed  regret  time  rounds  dropped  recommended");
        let mut races = Vec::new();
        for seed in 0..seeds {
            let race = replay(run.records(), seed, played)?;
            println!("{}", line(seed, &race));
            races.push(race);
        }
        println!("{}", sum(&races));
    }
    Ok(())
}

fn share(race: &Replay) -> f64 {
    race.seconds / race.all_seconds
}

fn line(seed: u64, race: &Replay) -> String {
    format!(
        "{seed:>4}  {:>5.1}%  {:>3.0}%  {:>6}  {:>7}  {}",
        100.0 * race.regret,
        100.0 * share(race),
        race.rounds,
        race.dropped.len(),
        race.recommended
    )
}

fn sum(races: &[Replay]) -> String {
    let good = races.iter().filter(|race| race.regret <= REGRET).count();
    let quick = races.iter().filter(|race| share(race) <= TIME).count();
    format!(
        "{good} of {} races have a regret of at most 5%, {quick} take at most a third of the time",
        races.len()
    )
}
