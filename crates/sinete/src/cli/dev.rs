//! The arguments of `sinete dev`.

use clap::Args;

/// The arguments of `sinete dev`.
#[derive(Debug, Args)]
pub struct DevArgs {
    /// Only write the demo data, for a server that runs already
    #[arg(long)]
    pub prepare: bool,
}
