//! The arguments of `sinete mail`.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use sinete_core::accounts::language::Language;
use std::path::PathBuf;

/// The commands of `sinete mail`.
#[derive(Debug, Subcommand)]
pub enum MailCommand {
    /// Preview e-mail with the branding and the templates of the configuration
    ///
    /// Without a message: lists all of them. With --output: writes every message as HTML and text files. It needs
    /// neither a server nor a database, and prints every template that cannot be used; exit code 2 means that
    /// there is one.
    #[command(after_long_help = "Examples:\n  \
        sinete mail preview\n  \
        sinete mail preview invitation --language es\n  \
        sinete mail preview sign_in --format html > sign-in.html\n  \
        sinete mail preview --output ./previews --organization padaria")]
    Preview(MailPreviewArgs),
}

/// The arguments of `sinete mail preview`.
#[derive(Debug, Args)]
pub struct MailPreviewArgs {
    /// The message, such as invitation or sign_in
    #[arg(value_name = "MESSAGE")]
    pub message: Option<String>,
    /// The language: en, pt-BR, pt-PT or es [default: en; with --output, all]
    #[arg(long, value_name = "LANGUAGE", value_parser = parse_language)]
    pub language: Option<Language>,
    /// Use the templates of the organization with this slug
    #[arg(long, value_name = "SLUG")]
    pub organization: Option<String>,
    /// What to print
    #[arg(long, value_enum, default_value_t = MailFormat::Text)]
    pub format: MailFormat,
    /// Write all messages into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "message")]
    pub output: Option<PathBuf>,
}

/// What `sinete mail preview` prints.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MailFormat {
    /// The subject and the plain text
    Text,
    /// The HTML
    Html,
}

fn parse_language(text: &str) -> Result<Language, String> {
    let language = Language::ALL.into_iter().find(|it| it.tag().eq_ignore_ascii_case(text));
    language.ok_or_else(|| format!("the languages are {}", Language::ALL.map(Language::tag).join(", ")))
}
