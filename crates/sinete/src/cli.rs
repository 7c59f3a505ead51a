//! The command line: commands, arguments and help texts.

pub mod admin;
pub mod declarative;
pub mod dev;
pub mod error_reference;
pub mod import;
pub mod init;
pub mod log;
pub mod mail;
pub mod reference;
pub mod resources;
mod timestamp;

use crate::config::log_archive::ArchiveLocation;
use crate::exit::{CommandError, CommandExit};
use admin::AdminCommand;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use declarative::{ApplyArgs, ExportArgs};
use dev::DevArgs;
use import::ImportArgs;
use init::InitArgs;
use log::LogCommand;
use mail::MailCommand;
use resources::ResourceCommand;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use std::ffi::OsString;
use std::path::PathBuf;

/// The parsed command line.
#[derive(Debug, Parser)]
#[command(
    name = "sinete",
    version,
    about = "Sinete, a self-hosted identity provider: OAuth 2.1 and OpenID Connect for people, services and agents.",
    long_about = "Sinete, a self-hosted identity provider: OAuth 2.1 and OpenID Connect for people, services and \
                  agents.\n\nWithout a command it serves. Without a configuration it is a complete development \
                  instance at http://localhost:8080, with a SQLite database and keys in ./sinete-data.",
    after_long_help = "Examples:\n  \
        sinete                           start a development instance\n  \
        sinete config check              show every setting and its source\n  \
        sinete doctor --production       list what production needs\n  \
        sinete backup                    copy the database of a running server\n  \
        SINETE_LISTEN=127.0.0.1:9000 sinete serve\n\n\
        Exit codes:\n  \
        0  success\n  \
        1  failure; the message says why\n  \
        2  invalid usage or configuration; nothing was changed\n  \
        3  refused because it would be unsafe\n  \
        4  data is damaged or was changed by someone else",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct CommandLine {
    /// The configuration file [default: the one SINETE_CONFIG names, else ./sinete.toml if it exists]
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// The command; `serve` by default.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Start the server
    ///
    /// SIGTERM and SIGINT stop it after the requests in progress; SIGHUP reads certificates and signing keys
    /// from their files again. In production it refuses to start while anything is unsafe, and lists
    /// everything that is.
    Serve,
    /// Start a development instance with demo data
    ///
    /// An organization, an owner, a member and a user without a membership, a web application, a single-page
    /// application, a service and an API. Prints the passwords, client ids, secrets and redirect URIs. Running it
    /// again changes nothing but what was changed in the demo. It is refused in production, and where other
    /// machines could reach the instance.
    Dev(DevArgs),
    /// Write a production configuration with its keys
    ///
    /// Asks for the issuer, the database, where TLS ends, the mail server, the name of the service and the
    /// folder of the keys; options answer in advance. The configuration goes to the file that --config names, else
    /// ./sinete.toml. Existing files are never replaced. At the end it runs `doctor` and lists what is left to do.
    #[command(after_long_help = "Examples:\n  \
        sinete init\n  \
        sinete --config /etc/sinete/sinete.toml init --base-url https://id.example.com --keys /etc/sinete/keys\n  \
        sinete init --yes --base-url https://id.example.com --database postgres://sinete@db.example.com/sinete")]
    Init(Box<InitArgs>),
    /// Migrate the database schema
    ///
    /// `serve` does this at start-up unless database.migrate_on_start is false. Several nodes may do it at
    /// the same time. A schema never goes back to an older version.
    Migrate,
    /// Manage signing keys and the instance key
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Check and describe the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check this instance and show how to fix what is wrong
    ///
    /// Lists what would keep production from starting, what needs attention, and what is fine. It changes
    /// nothing. Exit code 3 means that production would refuse to start, and 2 that a development instance
    /// would too.
    Doctor(DoctorArgs),
    /// Verify, show, export or archive the security log
    #[command(subcommand)]
    Log(LogCommand),
    /// Apply a declarative configuration
    ///
    /// Organizations with their roles and settings, APIs and clients. The changes are shown first. It works
    /// beside a running server, which follows at once.
    #[command(after_long_help = "Examples:\n  \
        sinete apply -f instance.toml --plan      show the changes\n  \
        sinete apply -f instance.toml --yes       without confirmation\n  \
        sinete export | ssh other sinete apply -f - --yes")]
    Apply(ApplyArgs),
    /// Export the instance as a declarative configuration
    ///
    /// Organizations, roles, APIs and clients. It contains no accounts, and of secrets only digests.
    Export(ExportArgs),
    /// Import users from another system, with their password hashes
    ///
    /// Each user is imported completely or not at all. An interrupted import can be repeated: imported users
    /// are left as they are. It works beside a running server.
    #[command(after_long_help = "Examples:\n  \
        sinete import people.jsonl --source old-shop --dry-run\n  \
        sinete import realm.json --from keycloak --source keycloak --trust-addresses\n  \
        sinete import users.json --from firebase --firebase-parameters hash.txt --source firebase")]
    Import(ImportArgs),
    /// Administer the instance from the command line
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Commands for daily work.
    #[command(flatten)]
    Resource(ResourceCommand),
    /// Preview e-mail
    #[command(subcommand)]
    Mail(MailCommand),
    /// Back up the database while it serves
    ///
    /// The copy is checked before it gets its name, so that a file of that name is a complete backup. It
    /// contains every secret of the database: keep it where only you can read it, and keep the instance key
    /// elsewhere.
    Backup(BackupArgs),
    /// Restore the database from a backup
    ///
    /// Nothing is changed before the backup has been checked. Stop the server first. Every session and grant
    /// ends, because what was used up since the backup would work again: all users sign in again.
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
    /// Generate signing keys
    ///
    /// Without an algorithm: each key that the instance needs and does not have. With a folder they are
    /// written there as files; otherwise to the database, encrypted with the instance key.
    Generate {
        /// The algorithm: RS256, PS256, ES256 or EdDSA
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: Vec<SigningAlgorithm>,
        /// Write files into this folder instead of the database
        #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
        folder: Option<PathBuf>,
    },
    /// Import a private signing key into the database
    Import {
        /// A PEM or JWK file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// The algorithm an RSA key is for
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: Option<SigningAlgorithm>,
    },
    /// List every signing key with its state
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Rotate a signing key: publish a successor, which signs once every cache can know it
    Rotate {
        /// The algorithm whose key is replaced
        #[arg(long, value_name = "ALGORITHM")]
        algorithm: SigningAlgorithm,
    },
    /// Revoke a signing key at once
    ///
    /// Every token it signed becomes invalid. For a key that others may have.
    Revoke {
        /// The key's id, as `keys list` shows it
        #[arg(allow_hyphen_values = true)]
        kid: String,
    },
    /// Encrypt stored secrets again with the current instance key
    ///
    /// Run it after the instance key was replaced and the old one moved to previous_instance_keys. When it
    /// is done, the previous keys are no longer needed.
    #[command(alias = "reseal")]
    Reencrypt,
    /// Print a new instance key
    InstanceKey,
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
    /// Show every setting with its source, and everything that is wrong
    Check,
    /// Print the reference of every key, in Markdown
    Reference,
}

/// The arguments of `sinete doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check for production, whatever the mode
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
    /// Leave out free pages, such as those of archived events: the file is as small as its content
    #[arg(long)]
    pub compact: bool,
    /// Leave out the events of the security log that are in the archive, after their files were verified
    #[arg(long)]
    pub without_archived: bool,
    /// The archive: a folder, or s3://BUCKET/PREFIX [default: log.archive]
    #[arg(long, value_name = "PLACE", requires = "without_archived", value_parser = ArchiveLocation::parse)]
    pub archive: Option<ArchiveLocation>,
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
    /// Keep sessions and grants: the instance was not used since the backup
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
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty() && !line.starts_with("For more")).collect();
    let message = lines.join("; ").replace(":; ", ": ");
    format!("{} (see sinete --help)", message.trim_start_matches("error: "))
}
