//! The arguments of `sinete apply` and `sinete export`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

/// The arguments of `sinete apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The document, in TOML or JSON; - for standard input
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Show the changes, and change nothing
    #[arg(long)]
    pub plan: bool,
    /// Remove clients, roles and APIs that the document does not mention, of the instance and of
    /// organizations it does mention
    #[arg(long)]
    pub prune: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub yes: bool,
}

/// The arguments of `sinete export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}
