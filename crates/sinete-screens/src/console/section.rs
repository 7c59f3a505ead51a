//! The sections of the console: those of an organization, and those of the instance.

use crate::locales::LocalePhrases;

/// A section of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleSection {
    /// The overview.
    Overview,
    /// Members.
    Members,
    /// Invitations.
    Invitations,
    /// Roles.
    Roles,
    /// Applications, services and agents.
    Applications,
    /// API keys.
    ApiKeys,
    /// APIs.
    Apis,
    /// Access that members granted.
    Grants,
    /// Requests for approval (CIBA).
    Approvals,
    /// Domains.
    Domains,
    /// Identity provider connections.
    Connections,
    /// Provisioning by SCIM.
    Scim,
    /// Webhooks.
    Webhooks,
    /// The audit log.
    AuditLog,
    /// Usage.
    Usage,
    /// The organization's settings.
    Settings,
    /// The overview of the instance.
    InstanceOverview,
    /// The organizations of the instance.
    Organizations,
    /// The users of the instance.
    Users,
    /// The applications of the instance.
    InstanceApplications,
    /// The APIs of the instance.
    InstanceApis,
    /// Signing keys.
    SigningKeys,
    /// Messages.
    Messages,
    /// The webhooks of the instance.
    InstanceWebhooks,
    /// The security log.
    SecurityLog,
    /// The usage of the instance.
    InstanceUsage,
    /// Assignments of operators.
    Assignments,
    /// The settings of the instance.
    InstanceSettings,
    /// The nodes and the database of the instance.
    Health,
    /// The checks of the instance.
    HealthChecks,
}

impl ConsoleSection {
    /// Whether its list can be downloaded.
    pub(crate) const fn has_list_file(&self) -> bool {
        matches!(
            self,
            Self::Members
                | Self::Invitations
                | Self::Roles
                | Self::Applications
                | Self::ApiKeys
                | Self::Domains
        )
    }

    /// The sections of an organization, in display order.
    pub const ALL: [Self; 16] = [
        Self::Overview,
        Self::Members,
        Self::Invitations,
        Self::Roles,
        Self::Applications,
        Self::ApiKeys,
        Self::Apis,
        Self::Grants,
        Self::Approvals,
        Self::Domains,
        Self::Connections,
        Self::Scim,
        Self::Webhooks,
        Self::AuditLog,
        Self::Usage,
        Self::Settings,
    ];

    /// The sections of the instance, in display order.
    pub const INSTANCE: [Self; 14] = [
        Self::InstanceOverview,
        Self::Organizations,
        Self::Users,
        Self::InstanceApplications,
        Self::InstanceApis,
        Self::SigningKeys,
        Self::Messages,
        Self::InstanceWebhooks,
        Self::SecurityLog,
        Self::InstanceUsage,
        Self::Assignments,
        Self::InstanceSettings,
        Self::Health,
        Self::HealthChecks,
    ];

    /// Whether it is a section of the instance.
    pub const fn is_of_instance(self) -> bool {
        matches!(
            self,
            Self::InstanceOverview
                | Self::Organizations
                | Self::Users
                | Self::InstanceApplications
                | Self::InstanceApis
                | Self::SigningKeys
                | Self::Messages
                | Self::InstanceWebhooks
                | Self::SecurityLog
                | Self::InstanceUsage
                | Self::Assignments
                | Self::InstanceSettings
                | Self::Health
                | Self::HealthChecks
        )
    }

    /// The path below the organization's, or below that of the instance.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Overview | Self::InstanceOverview => "",
            Self::Members => "/members",
            Self::Invitations => "/invitations",
            Self::Roles => "/roles",
            Self::Applications | Self::InstanceApplications => "/applications",
            Self::ApiKeys | Self::SigningKeys => "/keys",
            Self::Apis | Self::InstanceApis => "/apis",
            Self::Grants => "/grants",
            Self::Approvals => "/approvals",
            Self::Domains => "/domains",
            Self::Connections => "/connections",
            Self::Scim => "/scim",
            Self::Webhooks | Self::InstanceWebhooks => "/webhooks",
            Self::AuditLog => "/audit-log",
            Self::Settings | Self::InstanceSettings => "/settings",
            Self::Organizations => "/organizations",
            Self::Users => "/users",
            Self::Messages => "/messages",
            Self::SecurityLog => "/events",
            Self::Usage | Self::InstanceUsage => "/usage",
            Self::Assignments => "/assignments",
            Self::Health => "/health",
            Self::HealthChecks => "/doctor",
        }
    }

    /// The name.
    pub const fn name(&self, phrases: &LocalePhrases) -> &'static str {
        match self {
            Self::Overview | Self::InstanceOverview => phrases.console.overview,
            Self::Members => phrases.console.members,
            Self::Invitations => phrases.console.invitations,
            Self::Roles => phrases.console.roles,
            Self::Applications | Self::InstanceApplications => phrases.applications.title,
            Self::ApiKeys => phrases.api_keys.title,
            Self::Apis | Self::InstanceApis => phrases.instance.apis,
            Self::Grants => phrases.settings.grants,
            Self::Approvals => phrases.ciba_requests.title,
            Self::Domains => phrases.domains.title,
            Self::Connections => phrases.connections.title,
            Self::Scim => phrases.settings.scim,
            Self::Webhooks | Self::InstanceWebhooks => phrases.webhooks.title,
            Self::AuditLog => phrases.audit_log.title,
            Self::Settings | Self::InstanceSettings => phrases.settings.title,
            Self::Organizations => phrases.instance.organizations,
            Self::Users => phrases.instance.users,
            Self::SigningKeys => phrases.instance.keys,
            Self::Messages => phrases.instance.messages,
            Self::SecurityLog => phrases.instance.events,
            Self::Usage | Self::InstanceUsage => phrases.usage.title,
            Self::Assignments => phrases.instance.assignments,
            Self::Health => phrases.health.title,
            Self::HealthChecks => phrases.instance.checks,
        }
    }
}
