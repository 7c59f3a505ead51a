//! The arguments of `sinete org`, `user`, `client`, `role` and `key`.

use clap::{Args, Subcommand, ValueEnum};
use sinete_core::access_control::permission::Permission;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::accounts::email_address::{EmailAddress, InvalidEmailAddress};
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, ApiKeyId};
use sinete_core::organizations::OrganizationSlug;
use std::str::FromStr;

/// The commands for daily work, by the kind of resource. They work beside a running server.
#[derive(Debug, Subcommand)]
pub enum ResourceCommand {
    /// List, show and create organizations
    Org {
        /// The command.
        #[command(subcommand)]
        command: OrgCommand,
        /// How the result is printed.
        #[command(flatten)]
        output: OutputArgs,
    },
    /// List, show, disable and enable accounts
    User {
        /// The command.
        #[command(subcommand)]
        command: UserCommand,
        /// How the result is printed.
        #[command(flatten)]
        output: OutputArgs,
    },
    /// List, show, register and remove clients
    Client {
        /// The command.
        #[command(subcommand)]
        command: ClientCommand,
        /// How the result is printed.
        #[command(flatten)]
        output: OutputArgs,
    },
    /// List, show and create roles of an organization
    Role {
        /// The command.
        #[command(subcommand)]
        command: RoleCommand,
        /// How the result is printed.
        #[command(flatten)]
        output: OutputArgs,
    },
    /// List, show and revoke API keys; `admin api-key` creates one
    Key {
        /// The command.
        #[command(subcommand)]
        command: KeyCommand,
        /// How the result is printed.
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// How the result of a command is printed.
#[derive(Clone, Copy, Debug, Args)]
pub struct OutputArgs {
    /// As JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// The maximum number of rows of a list
    #[arg(long, global = true, value_name = "NUMBER", default_value_t = 1000)]
    pub limit: u32,
}

/// The commands of `sinete org`.
#[derive(Debug, Subcommand)]
pub enum OrgCommand {
    /// List the organizations, oldest first
    List,
    /// Show an organization
    Show {
        /// The slug
        slug: OrganizationSlug,
    },
    /// Create an organization
    Add {
        /// The slug
        slug: OrganizationSlug,
        /// The display name [default: the slug]
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
}

/// The commands of `sinete user`.
#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// List the accounts, oldest first
    List,
    /// Show an account with its contacts, memberships and sign-in methods
    Show {
        /// A verified e-mail address of the account, or its id
        #[arg(value_name = "EMAIL|ID")]
        account: AccountArg,
    },
    /// Disable an account: its sessions and grants stop working
    Disable {
        /// A verified e-mail address of the account, or its id
        #[arg(value_name = "EMAIL|ID")]
        account: AccountArg,
    },
    /// Enable a disabled account
    Enable {
        /// A verified e-mail address of the account, or its id
        #[arg(value_name = "EMAIL|ID")]
        account: AccountArg,
    },
}

/// An account, as a command line names it.
#[derive(Clone, Debug)]
pub enum AccountArg {
    /// By a verified e-mail address.
    Email(EmailAddress),
    /// By its id, also if it has no verified address.
    Id(AccountId),
}

impl FromStr for AccountArg {
    type Err = InvalidEmailAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map_or_else(|_| text.parse().map(Self::Email), |id| Ok(Self::Id(id)))
    }
}

/// The commands of `sinete client`.
#[derive(Debug, Subcommand)]
pub enum ClientCommand {
    /// List the clients of the instance, or of an organization
    List {
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: Option<OrganizationSlug>,
    },
    /// Show a client
    Show {
        /// The client id
        id: ClientId,
        /// The organization that owns it, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: Option<OrganizationSlug>,
    },
    /// Register a client; its secret is printed once
    #[command(after_long_help = "Examples:\n  \
        sinete client add shop --type web --redirect-uri https://shop.example/callback\n  \
        sinete client add shop --type web --for everyone --redirect-uri https://shop.example/callback\n  \
        sinete client add robot --type service --organization acme --role clerk --scope invoices:read")]
    Add(Box<ClientAddArgs>),
    /// Remove a client; its grants and tokens stop working
    Remove {
        /// The client id
        id: ClientId,
        /// The organization that owns it, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: Option<OrganizationSlug>,
    },
}

/// The arguments of `sinete client add`.
#[derive(Debug, Args)]
pub struct ClientAddArgs {
    /// The client id
    pub id: ClientId,
    /// What the client is
    #[arg(long = "type", value_name = "TYPE")]
    pub client_type: ClientType,
    /// The name shown to users [default: the client id]
    #[arg(long, value_name = "TEXT")]
    pub name: Option<String>,
    /// A redirect URI; may be repeated
    #[arg(long, value_name = "URI")]
    pub redirect_uri: Vec<String>,
    /// The allowed scopes, separated by spaces [default: openid profile email; none for a service]
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<ScopeSet>,
    /// The organization that owns it, by its slug; it serves only that one [default: the instance]
    #[arg(long, value_name = "SLUG")]
    pub organization: Option<OrganizationSlug>,
    /// Whom a client of the instance serves [default: every user, in any of their organizations]
    #[arg(long = "for", value_name = "USERS", conflicts_with = "organization")]
    pub serves: Option<ClientUsers>,
    /// A role of a service in its organization; may be repeated
    #[arg(long, value_name = "NAME", requires = "organization")]
    pub role: Vec<String>,
}

/// Whom a client of the instance serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClientUsers {
    /// Everyone who can sign up here, in the home organization
    Everyone,
    /// The members of all organizations but the home organization
    Organizations,
}

/// What a client is, which decides how it authenticates and which grants it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClientType {
    /// An application on a server, with a secret
    Web,
    /// A single-page application in a browser, without a secret
    Spa,
    /// An application on a phone or a computer, without a secret
    Native,
    /// A service that acts for itself, with a secret
    Service,
}

/// The commands of `sinete role`.
#[derive(Debug, Subcommand)]
pub enum RoleCommand {
    /// List the roles of an organization
    List {
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
    },
    /// Show a role
    Show {
        /// The name of the role
        name: String,
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
    },
    /// Create a role
    Add {
        /// The name of the role
        name: String,
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
        /// A permission, as in invoices:read; may be repeated
        #[arg(long, value_name = "PERMISSION", required = true)]
        permission: Vec<Permission>,
        /// The description
        #[arg(long, value_name = "TEXT", default_value = "")]
        description: String,
    },
}

/// The commands of `sinete key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// List the API keys of an organization, without their secrets
    List {
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
    },
    /// Show an API key, without its secret
    Show {
        /// The id of the key
        id: ApiKeyId,
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
    },
    /// Revoke an API key at once
    Revoke {
        /// The id of the key
        id: ApiKeyId,
        /// The organization, by its slug
        #[arg(long, value_name = "SLUG")]
        organization: OrganizationSlug,
    },
}
