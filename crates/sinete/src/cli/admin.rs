//! The arguments of `sinete admin`.

use crate::cli::timestamp::parse_timestamp;
use clap::{Args, Subcommand};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::time::Timestamp;

/// The commands of `sinete admin`.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Print an API key for a member or a client of an organization
    ///
    /// It is printed once and stored as a digest. It works for what the holder's roles and its scope both allow.
    #[command(after_long_help = "Examples:\n  \
        sinete admin api-key --organization operator --client ops --scope \"instance:read organizations:create\"")]
    ApiKey(ApiKeyArgs),
    /// Let an operator act inside an organization, for a reason and a time
    ///
    /// It is in the organization's audit log, with everything done by it. Prints the id of the assignment.
    #[command(after_long_help = "Examples:\n  \
        sinete admin assign --organization acme --member 01936f5e-7c2a-7def-8a1b-2c3d4e5f6071 \
        --reason \"Ticket 42\" --hours 8")]
    Assign(AssignArgs),
    /// End an assignment before its time
    Unassign {
        /// The assignment's id
        id: AssignmentId,
    },
    /// Print a one-time link that makes an operator, or invite a user by mail
    ///
    /// Without an address: a link that works once, for 15 minutes, and makes the user who opens it an
    /// operator. With one: an e-mail to that address, which a running server sends.
    #[command(after_long_help = "Examples:\n  \
        sinete admin invite\n  \
        sinete admin invite --email ana@example.com --organization acme --role owner")]
    Invite(InviteArgs),
    /// Print a new client secret, for a declarative configuration to refer to
    ClientSecret,
    /// Print a new webhook secret, for a declarative configuration to refer to and for the receiver
    WebhookSecret,
    /// Record that this database was restored from a copy with other tools
    ///
    /// Ends every session and revokes every grant, because what was used up since the copy was taken would work
    /// again. `sinete restore` does this itself.
    Restored {
        /// When the copy was taken, as in 2026-11-15T00:00:00Z
        #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
        taken_at: Option<Timestamp>,
    },
}

/// A member of an organization, by membership id or by client.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct MemberArgs {
    /// The membership's id
    #[arg(long, value_name = "ID")]
    pub member: Option<MembershipId>,
    /// A client that has roles in the organization
    #[arg(long, value_name = "ID")]
    pub client: Option<ClientId>,
}

/// The arguments of `sinete admin api-key`.
#[derive(Debug, Args)]
pub struct ApiKeyArgs {
    /// The organization of the key, by its slug
    #[arg(long, value_name = "SLUG")]
    pub organization: OrganizationSlug,
    /// The holder.
    #[command(flatten)]
    pub holder: MemberArgs,
    /// The scope: permissions separated by spaces
    #[arg(long, value_name = "SCOPE")]
    pub scope: ScopeSet,
    /// The name of the key
    #[arg(long, value_name = "TEXT", default_value = "made by command")]
    pub name: String,
    /// The lifetime in days, at most 365 [default: 90]
    #[arg(long, value_name = "DAYS")]
    pub days: Option<u16>,
}

/// The arguments of `sinete admin assign`.
#[derive(Debug, Args)]
pub struct AssignArgs {
    /// The organization to act in, by its slug
    #[arg(long, value_name = "SLUG")]
    pub organization: OrganizationSlug,
    /// The assigned operator.
    #[command(flatten)]
    pub holder: MemberArgs,
    /// The reason, which the organization will read
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The duration in hours
    #[arg(long, value_name = "HOURS", default_value_t = 8, conflicts_with = "until")]
    pub hours: u32,
    /// The end, as in 2026-11-15T18:00:00Z; at most 30 days from now
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub until: Option<Timestamp>,
    /// Act as this member of the organization instead of inside it, by the membership's id
    #[arg(long = "as", value_name = "ID")]
    pub impersonate: Option<MembershipId>,
}

/// The arguments of `sinete admin invite`.
#[derive(Debug, Args)]
pub struct InviteArgs {
    /// The e-mail address; without it, a link for an operator is printed
    #[arg(long, value_name = "ADDRESS", requires = "organization", requires = "role")]
    pub email: Option<EmailAddress>,
    /// The organization to invite to, by its slug
    #[arg(long, value_name = "SLUG", requires = "email")]
    pub organization: Option<OrganizationSlug>,
    /// A role in the organization; may be repeated
    #[arg(long, value_name = "NAME", requires = "email")]
    pub role: Vec<String>,
    /// The lifetime of the invitation in hours, at most 168 [default: 24]
    #[arg(long, value_name = "HOURS", requires = "email")]
    pub hours: Option<u32>,
}
