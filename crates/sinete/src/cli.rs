//! The command line: commands, arguments and help texts.

pub mod admin;
pub mod declarative;
pub mod error_reference;
pub mod import;
pub mod reference;

use crate::commands::log::parse_timestamp;
use crate::exit::{CommandError, CommandExit};
use admin::AdminCommand;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use declarative::{ApplyArgs, ExportArgs};
use import::ImportArgs;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::OrganizationId;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use std::ffi::OsString;
use std::path::PathBuf;

/// What the program was asked.
#[derive(Debug, Parser)]
#[command(
    name = "sinete",
    version,
    about = "Sinete, a self-hosted identity provider: OAuth 2.1 and OpenID Connect for people, services and agents.",
    long_about = "Sinete, a self-hosted identity provider: OAuth 2.1 and OpenID Connect for people, services and \
                  agents.\n\nWithout a command it serves. Without a configuration that is a complete development \
                  instance: a SQLite database and keys of its own in ./sinete-data, at http://localhost:8080.",
    after_long_help = "Examples:\n  \
        sinete                           try it out on this machine\n  \
        sinete config check              see every setting and where it comes from\n  \
        sinete doctor --production       ask what is missing before going to production\n  \
        sinete backup                    copy the database while it serves\n  \
        SINETE_LISTEN=127.0.0.1:9000 sinete serve\n\n\
        Exit codes:\n  \
        0  done\n  \
        1  failed; the message says why\n  \
        2  wrong usage or configuration; nothing was changed\n  \
        3  refused because it would be unsafe\n  \
        4  data is damaged or was tampered with",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct CommandLine {
    /// The configuration file [default: the one SINETE_CONFIG names, else ./sinete.toml if it exists]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// What to do; serve, where nothing is said.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Serve until told to stop
    ///
    /// SIGTERM and SIGINT stop it after the requests it has begun; SIGHUP reads certificates and signing
    /// keys from their files again. In production it refuses to start while anything is unsafe, and says
    /// everything that is.
    Serve,
    /// Bring the database schema up to date
    ///
    /// `serve` does this by itself unless database.migrate_on_start is false. Several nodes may do it at
    /// the same time. A schema is never taken back to an older version.
    Migrate,
    /// Signing keys and the instance key
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Explain and describe the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Examine this instance and say how to mend what is wrong
    ///
    /// Lists everything that would keep it from production, what deserves attention, and what is well. It
    /// changes nothing. Exit code 3 means that production would refuse to start, and 2 that a development
    /// instance would too.
    Doctor(DoctorArgs),
    /// Check the security log, show its signed head, or write it out
    #[command(subcommand)]
    Log(LogCommand),
    /// Make the instance what a document says
    ///
    /// Organizations with their roles and settings, APIs and clients. What would change is shown first, and
    /// what is as it should be is left alone. It works beside a running server, which follows at once.
    #[command(after_long_help = "Examples:\n  \
        sinete apply -f instance.toml --plan      see what would change\n  \
        sinete apply -f instance.toml --yes       without being asked\n  \
        sinete export | ssh other sinete apply -f - --yes")]
    Apply(ApplyArgs),
    /// Write the instance down as a document that can be applied
    ///
    /// Organizations, roles, APIs and clients; people are not in it, and of secrets only digests.
    Export(ExportArgs),
    /// Bring people over from somewhere else, with their passwords
    ///
    /// Each of them is brought over whole or not at all. A run that broke off is run again: whoever was brought
    /// over is left as they are. It works beside a running server.
    #[command(after_long_help = "Examples:\n  \
        sinete import people.jsonl --source old-shop --dry-run\n  \
        sinete import realm.json --from keycloak --source keycloak --trust-addresses\n  \
        sinete import users.json --from firebase --firebase-parameters hash.txt --source firebase")]
    Import(ImportArgs),
    /// What only whoever holds the command line can do
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Copy the database to a file while it serves
    ///
    /// The copy is checked before it gets its name, so that a file of that name is a whole backup. It holds
    /// every secret the database holds: keep it where only you can read it, and keep the instance key
    /// somewhere else.
    Backup(BackupArgs),
    /// Put a backup in the place of the database
    ///
    /// Nothing is touched before the backup has been checked. Stop the server first. Whatever may have been used up
    /// or renewed since the backup was taken is worth nothing afterwards: everybody signs in again.
    Restore(RestoreArgs),
    /// Print a completion script for a shell
    #[command(after_long_help = "Examples:\n  \
        sinete completions bash > ~/.local/share/bash-completion/completions/sinete\n  \
        sinete completions fish > ~/.config/fish/completions/sinete.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a page of the reference, in Markdown
    #[command(hide = true)]
    Reference {
        /// The page
        #[arg(value_enum, default_value_t = ReferencePage::Commands)]
        page: ReferencePage,
    },
}

/// The commands of `sinete keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make signing keys
    ///
    /// Without an algorithm: each one that an instance needs and does not have. With a folder they are
    /// written there as files; otherwise into the database, encrypted with the instance key.
    Generate {
        /// The algorithm: RS256, PS256, ES256 or EdDSA
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: Vec<SigningAlgorithm>,
        /// Write files into this folder instead of the database
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
    /// Bring a private signing key into the database
    Import {
        /// A PEM or JWK file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// The algorithm an RSA key is for
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: Option<SigningAlgorithm>,
    },
    /// List every signing key and where it is in its life
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a successor that takes over once everybody can know it
    Rotate {
        /// The algorithm whose key is replaced
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: SigningAlgorithm,
    },
    /// Withdraw a key at once
    ///
    /// Every token it signed becomes worthless. For a key that others may have.
    Revoke {
        /// The key's id, as `keys list` shows it
        #[arg(allow_hyphen_values = true)]
        kid: String,
    },
    /// Encrypt stored secrets anew with the current instance key
    ///
    /// Run it after the instance key was replaced and the old one moved to previous_instance_keys. When it
    /// is done, the previous keys are needed no more.
    Reseal,
    /// Print a new instance key
    InstanceKey,
}

/// The commands of `sinete log`.
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Check that nobody changed the log
    ///
    /// Reads all of it, beside a running server if there is one, and prints a line for each thing that is
    /// wrong. Exit code 4 means that something is.
    Verify(LogVerifyArgs),
    /// Print the signed end of the log, to be noted somewhere else
    Head,
    /// Write sealed events as JSON lines, oldest first
    Export(LogExportArgs),
}

/// The arguments of `sinete log verify`.
#[derive(Debug, Args)]
pub struct LogVerifyArgs {
    /// A head noted earlier, as POSITION:HASH or a file of what `log head` printed; may be repeated
    #[arg(long, value_name = "HEAD")]
    pub head: Vec<String>,
    /// Check this export instead of the database
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub export: Option<PathBuf>,
    /// The key that must have signed the export
    #[arg(long, value_name = "KID", requires = "export", allow_hyphen_values = true)]
    pub key: Option<String>,
}

/// The arguments of `sinete log export`.
#[derive(Debug, Args)]
pub struct LogExportArgs {
    /// Only what comes after this position
    #[arg(long, value_name = "POSITION", default_value_t = 0)]
    pub after: i64,
    /// Only what happened at this moment or later, as in 2026-11-15T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub since: Option<Timestamp>,
    /// Only what happened before this moment
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub until: Option<Timestamp>,
    /// Only events of this kind, as in signing_key.rotated; may be repeated
    #[arg(long, value_name = "KIND", value_parser = parse_event_kind)]
    pub kind: Vec<EventKind>,
    /// Only what concerns this organization
    #[arg(long, value_name = "ID")]
    pub organization: Option<OrganizationId>,
    /// Include addresses and user agents; that you asked for them is recorded
    #[arg(long)]
    pub with_personal: bool,
    /// The file to write [default: standard output]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// Parses the name of an event kind.
fn parse_event_kind(text: &str) -> Result<EventKind, String> {
    let known = EventKind::ALL.iter().copied().find(|kind| kind.name() == text);
    known.ok_or_else(|| {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kinds are {}", names.join(", "))
    })
}

/// The pages of `sinete reference`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ReferencePage {
    /// Every command
    Commands,
    /// Every reason for which a request is refused
    Errors,
}

/// The commands of `sinete config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting, where it comes from, and everything that is wrong
    Check,
    /// Print the reference of every key, in Markdown
    Reference,
}

/// The arguments of `sinete doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Judge as production would, whatever the mode
    #[arg(long)]
    pub production: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `sinete backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write [default: a name with the time, in the working directory]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

/// The arguments of `sinete restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Replace a database that exists; it is kept beside the new one
    #[arg(long)]
    pub replace: bool,
    /// Keep sessions and grants: nobody has used the instance since the backup was taken
    #[arg(long)]
    pub moved: bool,
}

/// The result of parsing the command line.
#[derive(Debug)]
pub enum ParsedCommand {
    /// A command to run.
    Run(CommandLine),
    /// A text to print.
    PrintText(String),
}

impl CommandLine {
    /// Parses the arguments, the program's name first.
    pub fn parse_arguments(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<ParsedCommand, CommandError> {
        match Self::try_parse_from(arguments) {
            Ok(cli) => Ok(ParsedCommand::Run(cli)),
            Err(error) => match error.kind() {
                ErrorKind::DisplayHelp
                | ErrorKind::DisplayVersion
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                    let wrong = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
                    if wrong {
                        Err(CommandError::invalid_usage(describe_missing_subcommand(&error)))
                    } else {
                        Ok(ParsedCommand::PrintText(error.to_string()))
                    }
                }
                _ => Err(CommandError::new(CommandExit::InvalidUsage, to_one_line(&error.to_string()))),
            },
        }
    }

    /// The completion script for a shell.
    pub fn completion_script(shell: Shell) -> String {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut Self::command(), "sinete", &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

/// The message for a command group without a subcommand.
fn describe_missing_subcommand(error: &clap::Error) -> String {
    let usage = error.to_string();
    let usage = usage.lines().find_map(|line| line.strip_prefix("Usage: ")).unwrap_or("sinete --help");
    format!("a command is missing here: {usage}")
}

/// Joins clap's explanation into one line.
fn to_one_line(text: &str) -> String {
    let said = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let said: Vec<_> = said.filter(|line| !line.is_empty() && !line.starts_with("For more")).collect();
    let said = said.join("; ").replace(":; ", ": ");
    format!("{} (see sinete --help)", said.trim_start_matches("error: "))
}
