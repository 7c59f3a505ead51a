//! The audit log of an organization, and one entry of it.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging, build_query};
use crate::display_time::DisplayTime;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The entries on this page.
    pub entries: &'a [AuditLogItem<'a>],
    /// The pagination of the list.
    pub pages: ListPaging<'a>,
    /// The filter.
    pub filter: AuditLogFilterForm<'a>,
}

/// An entry.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogItem<'a> {
    /// The id in the URL of its page.
    pub id: &'a str,
    /// The kind of event.
    pub kind: &'a str,
    /// The name of the subject; empty if unknown.
    pub subject_name: &'a str,
    /// The actor.
    pub actor: AuditLogParty<'a>,
    /// The time.
    pub at: DisplayTime,
    /// The network address; empty if unknown.
    pub address: &'a str,
}

/// The actor or subject of an entry.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogParty<'a> {
    /// The kind.
    pub kind: &'a str,
    /// The id; empty if there is none.
    pub id: &'a str,
    /// The name; empty if unknown.
    pub name: &'a str,
    /// Whether it is the current user.
    pub is_self: bool,
    /// The relation to the organization.
    pub relation: PartyRelation,
}

/// The relation of an actor or subject to the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartyRelation {
    /// A member whose page the user may see.
    Member,
    /// A former member.
    FormerMember,
    /// A current or former member, which the user may not see.
    HiddenMember,
    /// Never a member.
    NeverMember,
}

/// The filter values; each is empty if not set.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditLogFilterForm<'a> {
    /// The kind of event.
    pub kind: &'a str,
    /// The first day.
    pub from: &'a str,
    /// The last day.
    pub to: &'a str,
    /// The actor.
    pub actor: Option<AuditLogParty<'a>>,
    /// The id of the subject.
    pub subject: &'a str,
    /// The network address.
    pub address: &'a str,
    /// Whether sign-ins are left out.
    pub is_without_sign_ins: bool,
}

/// An entry with all its details.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogDetailView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The entry.
    pub entry: AuditLogItem<'a>,
    /// The exact time.
    pub exact_time: &'a str,
    /// The subject.
    pub subject: Option<AuditLogParty<'a>>,
    /// The reason; empty if none was required.
    pub reason: &'a str,
    /// The network address; empty if unknown.
    pub address: &'a str,
    /// The user agent; empty if unknown.
    pub user_agent: &'a str,
    /// The details by name.
    pub facts: &'a [(&'a str, &'a str)],
}

/// The kinds of events in an audit log, grouped for selection.
pub const EVENT_KIND_GROUPS: &[EventKindGroup] = &[
    EventKindGroup {
        name: |phrases| phrases.audit_log.organization,
        kinds: &[
            "organization.created",
            "organization.changed",
            "organization.suspended",
            "organization.restored",
            "organization.deletion_asked",
            "organization.deletion_withdrawn",
        ],
    },
    EventKindGroup {
        name: |phrases| phrases.audit_log.members,
        kinds: &[
            "invitation.sent",
            "invitation.accepted",
            "invitation.revoked",
            "membership.created",
            "membership.claimed",
            "membership.changed",
            "membership.disabled",
            "membership.enabled",
            "membership.ended",
            "scim.attributes_ignored",
            "account.created",
            "account.imported",
            "account.deleted",
            "import.finished",
        ],
    },
    EventKindGroup {
        name: |phrases| phrases.audit_log.roles,
        kinds: &[
            "membership.roles_changed",
            "role.created",
            "role.changed",
            "role.removed",
            "api_key.issued",
            "api_key.revoked",
        ],
    },
    EventKindGroup {
        name: |phrases| phrases.audit_log.clients,
        kinds: &[
            "client.created",
            "client.changed",
            "client.disabled",
            "client.enabled",
            "client.removed",
            "client.verified",
            "client_secret.added",
            "client_secret.revoked",
            "grant.revoked",
            "approval.denied",
            "api.created",
            "api.changed",
            "api.removed",
            "relationships.changed",
        ],
    },
    EventKindGroup {
        name: |phrases| phrases.audit_log.sign_on,
        kinds: &[
            "domain.added",
            "domain.verified",
            "domain.missing",
            "domain.lost",
            "domain.removed",
            "connection.created",
            "connection.changed",
            "connection.tested",
            "connection.removed",
            "setup_link.issued",
            "setup_link.opened",
            "setup_link.prepared",
            "setup_link.revoked",
            "setup_link.confirmed",
            "identity.linked",
            "credential.failed",
        ],
    },
    EventKindGroup { name: |phrases| phrases.audit_log.sign_ins, kinds: &["grant.given"] },
    EventKindGroup {
        name: |phrases| phrases.audit_log.webhooks,
        kinds: &[
            "webhook.created",
            "webhook.changed",
            "webhook.secret_rotated",
            "webhook.paused",
            "webhook.resumed",
            "webhook.tested",
            "webhook.replayed",
            "webhook.removed",
        ],
    },
    EventKindGroup {
        name: |phrases| phrases.audit_log.operators,
        kinds: &[
            "organization.administered",
            "assignment.made",
            "assignment.ended",
            "membership.impersonated",
            "operator.invited",
            "account.disabled",
            "account.enabled",
            "account.sessions_ended",
            "account.reset_started",
            "instance.sessions_ended",
            "message.resent",
        ],
    },
];

/// A group of event kinds.
#[derive(Clone, Copy, Debug)]
pub struct EventKindGroup {
    name: fn(&LocalePhrases) -> &'static str,
    /// The kinds.
    pub kinds: &'static [&'static str],
}

impl EventKindGroup {
    pub(crate) fn text(&self, phrases: &LocalePhrases) -> &'static str {
        (self.name)(phrases)
    }
}

#[derive(Template)]
#[template(path = "console/audit_log.html")]
struct AuditLogPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a AuditLogView<'a>,
}

#[derive(Template)]
#[template(path = "console/audit_log_entry.html")]
struct AuditLogDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a AuditLogDetailView<'a>,
}

impl AuditLogView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        render_template(&AuditLogPage {
            frame,
            phrases,
            title: phrases.audit_log.title,
            layout: &self.layout,
            view: self,
        })
    }

    pub(crate) fn is_kind_selected(&self, kind: &str) -> bool {
        self.filter.kind == kind
    }

    /// Whether the selected kind is not among the listed ones.
    pub(crate) fn has_unlisted_kind(&self) -> bool {
        let is_offered = EVENT_KIND_GROUPS.iter().any(|heading| heading.kinds.contains(&self.filter.kind));
        !self.filter.kind.is_empty() && !is_offered
    }

    pub(crate) fn is_filtered(&self) -> bool {
        let AuditLogFilterForm { kind, from, to, .. } = self.filter;
        let is_asked = self.has_more_filters() || [kind, from, to].iter().any(|it| !it.is_empty());
        // The filter is also shown if its values were rejected.
        is_asked || self.layout.notice.is_some_and(|notice| notice.is_error())
    }

    /// Whether a filter below *More filters* is in use.
    pub(crate) fn has_more_filters(&self) -> bool {
        let AuditLogFilterForm { actor, subject, address, is_without_sign_ins, .. } = self.filter;
        actor.is_some() || is_without_sign_ins || !subject.is_empty() || !address.is_empty()
    }

    /// The URL of the audit log without a query, which the filter form submits to.
    pub(crate) fn form_action(&self, frame: &PageFrame<'_>) -> String {
        format!("{}{}", frame.base_path, self.layout.current_path)
    }
}

impl AuditLogDetailView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (phrases, title) = (frame.phrases(), self.entry.event_label(frame));
        render_template(&AuditLogDetailPage { frame, phrases, title, layout: &self.layout, view: self })
    }

    /// The URL of the filtered audit log.
    pub(crate) fn filtered_url(&self, frame: &PageFrame<'_>, name: &str, value: &str) -> String {
        self.layout.filtered_url(frame, name, value)
    }
}

impl ConsoleLayout<'_> {
    /// The URL of the audit log, filtered by one value.
    pub(crate) fn filtered_url(&self, frame: &PageFrame<'_>, name: &str, value: &str) -> String {
        self.section_url(
            frame,
            &format!("{}?{}", ConsoleSection::AuditLog.path(), build_query([(name, value)])),
        )
    }

    /// The URL of an entry's page.
    pub(crate) fn entry_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::AuditLog.path()))
    }
}

impl<'a> AuditLogItem<'a> {
    /// The label of the event, or the name of its kind if it is unknown.
    pub(crate) fn event_label(&self, frame: &PageFrame<'_>) -> &'a str {
        frame.event_kind_label(self.kind)
    }
}

impl PageFrame<'_> {
    /// The label of an event kind, or its name if it is unknown.
    pub fn event_kind_label<'k>(&self, kind: &'k str) -> &'k str {
        self.phrases().event_kind.label(kind).unwrap_or(kind)
    }
}

impl<'a> AuditLogParty<'a> {
    pub(crate) fn has_page(&self) -> bool {
        self.relation == PartyRelation::Member
    }

    /// The name that its owner gave an API key, which is shown after what it is.
    pub(crate) fn key_name(&self) -> &'a str {
        if self.kind == "api_key" { self.name } else { "" }
    }

    /// The display name.
    pub(crate) fn display_name(&self, phrases: &LocalePhrases) -> &'a str {
        let phrases = &phrases.audit_log;
        match (self.is_self, self.name, self.kind) {
            (true, ..) => phrases.you,
            (false, _, "api_key") => phrases.key,
            (false, "", "membership") => match self.relation {
                PartyRelation::Member | PartyRelation::HiddenMember => phrases.member,
                PartyRelation::FormerMember => phrases.former,
                // Only operators act in an organization of which they are not members.
                PartyRelation::NeverMember => phrases.operator,
            },
            (false, "", "account") => phrases.person,
            (false, "", "client") => phrases.client,
            (false, "", "setup_link") => phrases.setup_link,
            (false, "", "system") => phrases.system,
            (false, "", "anonymous") => phrases.unknown,
            (false, "", "role") => phrases.role,
            (false, "", "invitation") => phrases.invitation,
            (false, "", "client_secret") => phrases.secret,
            (false, "", "api") => phrases.api,
            (false, "", "domain") => phrases.domain,
            (false, "", "connection") => phrases.connection,
            (false, "", "webhook") => phrases.webhook,
            (false, "", "assignment") => phrases.assignment,
            (false, "", "grant") => phrases.grant,
            (false, "", kind) => kind,
            (false, name, _) => name,
        }
    }
}
