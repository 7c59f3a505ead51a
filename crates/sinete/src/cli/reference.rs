//! The command reference, generated from the command line. `docs/reference/commands.md` is its output.

use crate::cli::CommandLine;
use clap::{Command, CommandFactory as _};

const OPENING: &str = "\
# Commands

This page is the output of `sinete reference`. Every command also explains itself with `--help`. Completions
for your shell come from `sinete completions`.
";

/// Renders the whole reference in Markdown.
pub fn render_markdown() -> String {
    let mut root = CommandLine::command().term_width(100);
    root.build();
    let mut page = OPENING.to_owned();
    write_command(&mut root, &mut page);
    page
}

fn write_command(command: &mut Command, page: &mut String) {
    let name = command.get_bin_name().unwrap_or("sinete").to_owned();
    let help = command.render_long_help().to_string();
    let help: Vec<_> = help.lines().map(str::trim_end).collect();
    page.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", help.join("\n").trim_end()));
    for below in command.get_subcommands_mut().filter(|below| !below.is_hide_set()) {
        write_command(below, page);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn cli_reference_in_the_docs_matches_the_program() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
        let page = std::fs::read_to_string(path).unwrap();
        assert!(
            page == render_markdown(),
            "docs/reference/commands.md is out of step: cargo run -- reference > docs/reference/commands.md"
        );
    }
}
