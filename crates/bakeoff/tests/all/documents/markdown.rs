//! What a Markdown page consists of, as far as the tests look at it.

use std::path::{Path, PathBuf};

/// First words of what counts as a command.
const COMMANDS: [&str; 12] = [
    "bakeoff", "cargo", "just", "pip", "python3", "curl", "sudo", "sbatch", "java", "scripts/",
    "benches/", ".ci/",
];

pub struct Page {
    /// Path from the root of the repository.
    pub name: String,
    pub text: String,
    pub blocks: Vec<Block>,
    /// Lines outside of blocks, with their numbers.
    prose: Vec<(usize, String)>,
}

/// Lines between two fences.
pub struct Block {
    /// Number of the line after the first fence.
    pub line: usize,
    pub language: String,
    pub text: String,
}

impl Block {
    pub fn is_script(&self) -> bool {
        self.language == "sh"
    }
}

impl Page {
    pub fn read(name: &str) -> Page {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        let mut page = Page {
            name: name.to_owned(),
            blocks: Vec::new(),
            prose: Vec::new(),
            text,
        };
        page.divide();
        page
    }

    /// Sorts the lines into blocks and prose.
    fn divide(&mut self) {
        let mut open: Option<Block> = None;
        for (index, line) in self.text.lines().enumerate() {
            let fence = line.trim_start().strip_prefix("```");
            match (fence, open.take()) {
                (Some(language), None) => {
                    open = Some(Block {
                        line: index + 2,
                        language: language.trim().to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(block)) => self.blocks.push(block),
                (None, Some(mut block)) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                    open = Some(block);
                }
                (None, None) => self.prose.push((index + 1, line.to_owned())),
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.name);
    }

    pub fn blocks_of<'a>(&'a self, language: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |b| b.language == language)
    }

    /// The block of a language that follows a line with these words.
    pub fn block_after(&self, words: &str, language: &str) -> &str {
        let is_it = |(_, line): &&(usize, String)| line.contains(words);
        let (line, _) = self.prose.iter().find(is_it).unwrap();
        let is_block = |block: &&Block| block.language == language && block.line > *line;
        &self.blocks.iter().find(is_block).unwrap().text
    }

    pub fn lines_outside_scripts(&self) -> impl Iterator<Item = (usize, &str)> {
        self.prose.iter().map(|(line, text)| (*line, text.as_str()))
    }

    /// Commands in YAML that are folded over several lines, each as one line.
    pub fn folded_commands(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for block in self.blocks_of("yaml") {
            for part in block.text.split("- >-\n").skip(1) {
                let depth = indentation(part);
                let lines = part.lines().take_while(|line| indentation(line) >= depth);
                let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
                commands.push(words.join(" "));
            }
        }
        commands
    }

    /// Everything between backticks in the prose, as it is shown.
    pub fn code_in_text(&self) -> Vec<String> {
        let mut text = String::new();
        for (_, line) in &self.prose {
            text.push_str(line);
            text.push('\n');
        }
        let paragraphs = text.split("\n\n");
        let odd = |paragraph: &str| -> Vec<String> {
            let parts = paragraph.split('`').skip(1).step_by(2);
            parts
                .map(|part| part.replace("\\|", "|").replace('\n', " "))
                .collect()
        };
        paragraphs.flat_map(odd).collect()
    }

    /// Commands of more than one word between backticks.
    pub fn commands_in_text(&self) -> Vec<String> {
        let mut code = self.code_in_text();
        code.retain(|text| text.contains(' ') && is_command(text));
        code
    }
}

pub fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    COMMANDS
        .iter()
        .any(|command| first == *command || is_in_folder(first, command))
}

fn is_in_folder(program: &str, folder: &str) -> bool {
    folder.ends_with('/') && program.starts_with(folder)
}

/// The README, its neighbours, docs/ and the pages of studies.
pub fn pages() -> Vec<Page> {
    let mut names = Vec::new();
    for folder in ["", "docs/", "docs/studies/"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            if file.ends_with(".md") {
                names.push(format!("{folder}{file}"));
            }
        }
    }
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names.iter().map(|name| Page::read(name)).collect()
}

fn indentation(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}
