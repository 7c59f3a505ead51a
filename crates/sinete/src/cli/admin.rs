//! The arguments of `sinete admin`.

use crate::commands::log::parse_timestamp;
use clap::{Args, Subcommand};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AssignmentId, MembershipId};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::time::Timestamp;

/// What only whoever holds the command line can do.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Print an API key for a member or a client of an organization
    ///
    /// It is printed once and kept as a digest. It works for what both the holder's roles and its scope say.
    #[command(after_long_help = "Examples:\n  \
        sinete admin api-key --organization operator --client ops --scope \"instance:read organizations:create\"")]
    ApiKey(ApiKeyArgs),
    /// Let an operator act inside an organization, for a reason and a time
    ///
    /// The organization sees it in its trail, with everything done by it. Prints the id of the assignment.
    #[command(after_long_help = "Examples:\n  \
        sinete admin assign --organization acme --member 01936f5e-7c2a-7def-8a1b-2c3d4e5f6071 \
        --reason \"Ticket 42\" --hours 8")]
    Assign(AssignArgs),
    /// End an assignment before its time
    Unassign {
        /// The assignment's id
        id: AssignmentId,
    },
    /// Print a one-time link that makes an operator, or invite somebody by mail
    ///
    /// Without an address: a link that works once, for 15 minutes, and makes whoever opens it an operator.
    /// With one: a mail to that address, which a running server sends.
    #[command(after_long_help = "Examples:\n  \
        sinete admin invite\n  \
        sinete admin invite --email ana@example.com --organization acme --role owner")]
    Invite(InviteArgs),
    /// Print a new secret for a client, to be referred to in a document
    ClientSecret,
    /// Print a new secret for a webhook, to be referred to in a document and given to whoever receives
    WebhookSecret,
    /// Say that this database was restored from a copy, with tools other than ours
    ///
    /// Ends every session and revokes every grant, because what was used up or renewed since the copy was taken
    /// would count again. `sinete restore` does this by itself.
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
    /// A client that carries roles in the organization
    #[arg(long, value_name = "ID")]
    pub client: Option<ClientId>,
}

/// The arguments of `sinete admin api-key`.
#[derive(Debug, Args)]
pub struct ApiKeyArgs {
    /// The organization it speaks for, by its slug
    #[arg(long, value_name = "SLUG")]
    pub organization: OrganizationSlug,
    /// The holder.
    #[command(flatten)]
    pub holder: MemberArgs,
    /// What it may be used for: permissions with spaces between
    #[arg(long, value_name = "SCOPE")]
    pub scope: ScopeSet,
    /// What to call it
    #[arg(long, value_name = "TEXT", default_value = "made by command")]
    pub name: String,
    /// How many days it works, at most 365 [default: 90]
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
    /// Why, in words that the organization will read
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// For how many hours
    #[arg(long, value_name = "HOURS", default_value_t = 8, conflicts_with = "until")]
    pub hours: u32,
    /// Until when, as in 2026-11-15T18:00:00Z; at most 30 days from now
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    pub until: Option<Timestamp>,
    /// Act as this member of the organization instead of inside it, by the membership's id
    #[arg(long = "as", value_name = "ID")]
    pub impersonate: Option<MembershipId>,
}

/// The arguments of `sinete admin invite`.
#[derive(Debug, Args)]
pub struct InviteArgs {
    /// The address to write to; left out, a link for an operator is printed
    #[arg(long, value_name = "ADDRESS", requires = "organization", requires = "role")]
    pub email: Option<EmailAddress>,
    /// The organization to invite to, by its slug
    #[arg(long, value_name = "SLUG", requires = "email")]
    pub organization: Option<OrganizationSlug>,
    /// What they will be there; may be repeated
    #[arg(long, value_name = "NAME", requires = "email")]
    pub role: Vec<String>,
    /// How many hours the invitation works, at most 168 [default: 24]
    #[arg(long, value_name = "HOURS", requires = "email")]
    pub hours: Option<u32>,
}
