//! Renders the decisions that the tests use: `cargo run -p bakeoff-report --example decision -- events html`,
//! or `-- events terminal 80`; also `crowd`, `nothing` and `not-settled`.

use std::io::Write;

use bakeoff_report::decide::{html, terminal};
use bakeoff_stats::decide::Decision;

#[path = "../tests/all/decide/fixture.rs"]
mod fixture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let input = match arguments.first().map(String::as_str) {
        Some("crowd") => fixture::crowd(),
        Some("nothing") => fixture::nothing(),
        Some("not-settled") => fixture::not_settled(),
        _ => fixture::events(),
    };
    let decision = Decision::of(&input);
    let text = match arguments.get(1).map(String::as_str) {
        Some("html") => html::page(&decision, "Events of 1979, in Cassandra and in files"),
        _ => {
            let width = arguments.get(2).map_or(Ok(100), |width| width.parse())?;
            terminal::render(&decision, width, true)
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
