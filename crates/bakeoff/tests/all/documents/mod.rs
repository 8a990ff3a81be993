//! The README and the pages of docs/: every command in them works, every link leads somewhere, and
//! every option is described. The recipes of the justfile, and what other machines run: what they name is there.

mod desk;
mod figures;
mod guarantees;
mod links;
mod markdown;
mod options;
mod recipes;

use self::desk::Desk;
use self::markdown::{Page, pages};

/// Lines that the first page may have, and those of a program's output in it.
const README_LINES: usize = 200;
const EXCERPT_LINES: usize = 25;

#[test]
fn every_command_in_a_block_is_carried_out_or_checked() {
    let desk = Desk::new();
    desk.measure_formats();
    let mut failures = Vec::new();
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.is_script()) {
            if let Err(why) = desk.carry_out(&block.text) {
                failures.push(format!("{}:{}: {why}", page.name, block.line));
            }
        }
        for command in page.folded_commands() {
            let in_a_pod = format!("JOB_COMPLETION_INDEX=0; {command}");
            if let Err(why) = desk.carry_out(&in_a_pod) {
                failures.push(format!("{}: {command}: {why}", page.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_command_within_a_line_is_one_that_there_is() {
    let desk = Desk::new();
    let mut failures = Vec::new();
    for page in pages() {
        for command in page.commands_in_text() {
            if let Err(why) = desk.check(&command) {
                failures.push(format!("{}: `{command}`: {why}", page.name));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A block without a language, or of another one, would hide its commands from the tests above.
#[test]
fn commands_are_in_blocks_that_are_marked_as_sh() {
    let mut hidden = Vec::new();
    for page in pages() {
        for (line, text) in page.lines_outside_scripts() {
            if markdown::is_command(text.trim_start()) && text.starts_with("    ") {
                hidden.push(format!("{}:{line}: {text}", page.name));
            }
        }
        let others = page.blocks.iter().filter(|block| !block.is_script());
        for block in others.filter(|block| block.language != "yaml") {
            let commands = block.text.lines().filter(|line| markdown::is_command(line));
            hidden.extend(commands.map(|line| format!("{}:{}: {line}", page.name, block.line)));
        }
    }
    assert!(hidden.is_empty(), "not in ```sh:\n{}", hidden.join("\n"));
}

#[test]
fn a_command_that_there_is_not_is_noticed() {
    let desk = Desk::new();
    let mistakes = [
        "bakeoff runn formats",
        "bakeoff run formats --rowz 5",
        "bakeoff run formatz",
        "bakeoff run formats --designs nothing/like-it",
        "bakeoff drive readings --rate fast",
        "cargo run --release -- run nowhere.toml",
        "cargo run --release --example nothing",
        "cargo publish",
        "cargo test --workspace --test nothing",
        "cargo test --workspace --test all nothing::",
        "just nothing",
        "just lint something",
        "scripts/nothing",
        "pip install nothing",
        "unheard-of --option",
        "for i in 1 2; do bakeoff merge a b --into c & done; wait",
        "bakeoff run formats --rowz 5 | cat",
    ];
    for mistake in mistakes {
        assert!(desk.carry_out(mistake).is_err(), "{mistake}");
    }
    assert!(desk.check("bakeoff table sael").is_err());
    assert!(desk.check("bakeoff run WORKLOAD --rounds").is_err());
}

#[test]
fn the_readme_has_one_page_and_a_short_excerpt() {
    let readme = Page::read("README.md");
    assert!(readme.text.lines().count() <= README_LINES);
    let excerpts: Vec<_> = readme.blocks_of("text").collect();
    assert_eq!(excerpts.len(), 1);
    assert!(excerpts[0].text.lines().count() <= EXCERPT_LINES);
}

/// Its designs need servers; the local ones of the same files do not.
#[test]
fn the_readme_s_own_table_is_measured() {
    let desk = Desk::new();
    let local = "parquet?codec=zstd,local/columnar,memory";
    desk.measure(&[
        "run",
        "greenhouse.toml",
        "--designs",
        local,
        "--rounds",
        "3",
    ]);
    let journal = std::fs::read_to_string(desk.path("runs/greenhouse/journal.jsonl")).unwrap();
    let answers: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|record: &serde_json::Value| record["record"] == "timed")
        .collect();
    // Three designs and the twins of two of them.
    assert_eq!(answers.len(), 2 * 5 * 3);
    for answer in answers {
        assert_eq!(answer["outcome"]["outcome"], "right", "{answer}");
    }
}
