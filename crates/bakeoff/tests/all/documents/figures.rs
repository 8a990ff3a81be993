//! Figures: each one comes with the command that repeats it and the date of the run.

use super::markdown::Page;

#[test]
fn every_section_with_figures_names_its_command_and_its_date() {
    for page in [
        "docs/performance.md",
        "docs/compression.md",
        "docs/gdelt-generator.md",
    ] {
        let text = Page::read(page).text;
        for section in text.split("\n## ") {
            let has_figures = section.contains("\n|---|") || section.contains("```text");
            if has_figures {
                assert!(has_date(section), "{page}: no date in {}", title(section));
                assert!(
                    has_command(section),
                    "{page}: no command in {}",
                    title(section)
                );
            }
        }
    }
}

#[test]
fn a_section_without_a_date_or_a_command_is_noticed() {
    assert!(has_date("on 2026-11-22,"));
    assert!(!has_date("on 2026-11,"));
    assert!(!has_command("```text\nbakeoff run\n```"));
}

fn title(section: &str) -> &str {
    section.lines().next().unwrap_or_default()
}

fn has_command(section: &str) -> bool {
    section.contains("```sh\n")
}

/// Whether there is a day such as 2026-11-22.
fn has_date(section: &str) -> bool {
    let bytes = section.as_bytes();
    bytes.windows(10).any(|day| {
        day.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    })
}
