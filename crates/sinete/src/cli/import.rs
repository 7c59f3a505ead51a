//! The arguments of `sinete import`.

use clap::{Args, ValueEnum, ValueHint};
use sinete_core::administration::import::{AccountImportFormat, ImportSourceName};
use sinete_core::organizations::OrganizationSlug;
use std::path::PathBuf;

/// The arguments of `sinete import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The export; - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// A name for the source; a user is imported once under the same name
    #[arg(long, value_name = "NAME")]
    pub source: ImportSourceName,
    /// The system that wrote the export
    #[arg(long, value_name = "PROGRAM", default_value = "sinete")]
    pub from: ImportSource,
    /// Read and check everything, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Trust addresses that the source marks as verified
    #[arg(long)]
    pub trust_addresses: bool,
    /// The organization of the new members, by its slug
    #[arg(long, value_name = "SLUG", default_value = "home")]
    pub organization: OrganizationSlug,
    /// A role of the new members; may be repeated
    #[arg(long, value_name = "NAME", default_value = "member")]
    pub role: Vec<String>,
    /// The password hash parameters of the Firebase project, as its console shows them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub firebase_parameters: Option<PathBuf>,
}

/// The system that wrote an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportSource {
    /// Any system, in the JSON Lines format of the documentation
    Sinete,
    /// Keycloak: a realm export with its users
    Keycloak,
    /// Auth0: one JSON object a line
    Auth0,
    /// Firebase: what `firebase auth:export` writes as JSON
    Firebase,
}

impl From<ImportSource> for AccountImportFormat {
    fn from(program: ImportSource) -> Self {
        match program {
            ImportSource::Sinete => Self::Sinete,
            ImportSource::Keycloak => Self::Keycloak,
            ImportSource::Auth0 => Self::Auth0,
            ImportSource::Firebase => Self::Firebase,
        }
    }
}
