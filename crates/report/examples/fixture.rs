//! Renders the run that the tests use: `cargo run -p bakeoff-report --example fixture -- html`,
//! `-- json` or `-- terminal 80`.

use std::io::Write;

use bakeoff_report::{html, json, terminal};

#[path = "../tests/all/fixture.rs"]
mod fixture;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let summary = fixture::summary()?;
    let text = match arguments.first().map(String::as_str) {
        Some("html") => html::render(&summary),
        Some("json") => json::render(&summary, &fixture::records())?,
        _ => {
            let width = arguments.get(1).map_or(Ok(120), |w| w.parse())?;
            terminal::render(&summary, width, true)
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
