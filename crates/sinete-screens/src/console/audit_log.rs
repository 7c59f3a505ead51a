//! What happened in an organization: the trail, and one entry of it.

use super::notices::ConsoleField;
use super::{ConsoleLayout, ConsoleSection, ListPaging, build_query};
use crate::display_time::DisplayTime;
use crate::locales::{LocalePhrases, find_event_kind};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// What happened, on this page.
    pub entries: &'a [AuditLogItem<'a>],
    /// Where the list goes on.
    pub pages: ListPaging<'a>,
    /// What is shown of the trail.
    pub filter: AuditLogFilterForm<'a>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogItem<'a> {
    /// What its page is found under.
    pub id: &'a str,
    /// What happened, by the name of its kind.
    pub kind: &'a str,
    /// What the thing is called that it was done to; empty, where that is not known.
    pub about: &'a str,
    /// Who did it.
    pub who: AuditLogParty<'a>,
    /// When.
    pub at: DisplayTime,
}

/// Who did something, or whom it was done to.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogParty<'a> {
    /// What kind of thing they are.
    pub kind: &'a str,
    /// Their id; empty, where they have none.
    pub id: &'a str,
    /// What they are called; empty, where that is not known.
    pub name: &'a str,
    /// Whether it is the reader.
    pub own: bool,
    /// What they are to the organization.
    pub standing: PartyRelation,
}

/// What somebody in the trail is to the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartyRelation {
    /// A member, who has a page that the reader may see.
    Member,
    /// No member any more.
    Former,
    /// A member, or one who was; the reader may not know.
    Undisclosed,
    /// Never a member of it.
    NeverMember,
}

/// What is asked for; each is empty where it is not.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditLogFilterForm<'a> {
    /// Only this kind.
    pub kind: &'a str,
    /// Only from this day on.
    pub from: &'a str,
    /// Only until this day.
    pub to: &'a str,
    /// Only what this actor did.
    pub actor: Option<AuditLogParty<'a>>,
}

/// One entry, with everything that is known of it.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogDetailView<'a> {
    /// What stands around it.
    pub desk: ConsoleLayout<'a>,
    /// The entry.
    pub entry: AuditLogItem<'a>,
    /// When, to the last digit.
    pub exactly: &'a str,
    /// What it was done to.
    pub whom: Option<AuditLogParty<'a>>,
    /// Why; empty, where nobody was asked.
    pub reason: &'a str,
    /// Facts about it, by name.
    pub facts: &'a [(&'a str, &'a str)],
}

/// The kinds that stand in the trail of an organization, as they are chosen from: those that belong together under one
/// heading.
pub const EVENT_KIND_GROUPS: &[EventKindGroup] = &[
    EventKindGroup {
        name: |words| words.trail.organization,
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
        name: |words| words.trail.members,
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
            "account.created",
            "account.imported",
            "account.deleted",
            "import.finished",
        ],
    },
    EventKindGroup {
        name: |words| words.trail.roles,
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
        name: |words| words.trail.clients,
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
            "api.created",
            "api.changed",
            "api.removed",
            "relationships.changed",
        ],
    },
    EventKindGroup {
        name: |words| words.trail.sign_on,
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
            "identity.linked",
            "credential.failed",
        ],
    },
    EventKindGroup {
        name: |words| words.trail.webhooks,
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
        name: |words| words.trail.operators,
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
        ],
    },
];

/// Kinds that belong together.
#[derive(Clone, Copy, Debug)]
pub struct EventKindGroup {
    name: fn(&LocalePhrases) -> &'static str,
    /// The kinds.
    pub kinds: &'static [&'static str],
}

impl EventKindGroup {
    pub(crate) fn text(&self, words: &LocalePhrases) -> &'static str {
        (self.name)(words)
    }
}

#[derive(Template)]
#[template(path = "console/trail.html")]
struct AuditLogPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a AuditLogView<'a>,
}

#[derive(Template)]
#[template(path = "console/event.html")]
struct AuditLogDetailPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'a str,
    desk: &'a ConsoleLayout<'a>,
    view: &'a AuditLogDetailView<'a>,
}

impl AuditLogView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        render_template(&AuditLogPage {
            frame,
            words,
            title: words.trail.title,
            desk: &self.desk,
            view: self,
        })
    }

    pub(crate) fn is_kind_selected(&self, kind: &str) -> bool {
        self.filter.kind == kind
    }

    /// Whether a kind is asked for that is not among those that are chosen from.
    pub(crate) fn has_unlisted_kind(&self) -> bool {
        let is_offered = EVENT_KIND_GROUPS.iter().any(|heading| heading.kinds.contains(&self.filter.kind));
        !self.filter.kind.is_empty() && !is_offered
    }

    pub(crate) fn is_filtered(&self) -> bool {
        let AuditLogFilterForm { kind, from, to, actor } = self.filter;
        let is_asked = actor.is_some() || [kind, from, to].iter().any(|it| !it.is_empty());
        // What was not understood was asked for all the same.
        is_asked || self.desk.said.is_some_and(|said| said.is_error())
    }

    /// The trail's own address, which the form goes to: what it asks for stands in its fields.
    pub(crate) fn form_action(&self, frame: &PageFrame<'_>) -> String {
        format!("{}{}", frame.base_path, self.desk.here)
    }
}

impl AuditLogDetailView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (words, title) = (frame.words(), self.entry.event_label(frame));
        render_template(&AuditLogDetailPage { frame, words, title, desk: &self.desk, view: self })
    }

    /// The trail, narrowed.
    pub(crate) fn filtered_url(&self, frame: &PageFrame<'_>, name: &str, value: &str) -> String {
        self.desk.filtered_url(frame, name, value)
    }
}

impl ConsoleLayout<'_> {
    /// The trail, narrowed by one thing.
    pub(crate) fn filtered_url(&self, frame: &PageFrame<'_>, name: &str, value: &str) -> String {
        self.section_url(
            frame,
            &format!("{}?{}", ConsoleSection::AuditLog.path(), build_query([(name, value)])),
        )
    }

    /// The page of an entry.
    pub(crate) fn entry_url(&self, frame: &PageFrame<'_>, id: &str) -> String {
        self.section_url(frame, &format!("{}/{id}", ConsoleSection::AuditLog.path()))
    }
}

impl<'a> AuditLogItem<'a> {
    /// What happened: in words where we have them, or else by the name of its kind.
    pub(crate) fn event_label(&self, frame: &PageFrame<'_>) -> &'a str {
        frame.event_kind_label(self.kind)
    }
}

impl PageFrame<'_> {
    /// What an event of this kind is called; one that we do not know, by the name of its kind.
    pub(crate) fn event_kind_label<'k>(&self, kind: &'k str) -> &'k str {
        find_event_kind(kind).map_or(kind, |known| known.text(self.language))
    }
}

impl<'a> AuditLogParty<'a> {
    pub(crate) fn has_page(&self) -> bool {
        self.standing == PartyRelation::Member
    }

    /// What they are called.
    pub(crate) fn display_name(&self, words: &LocalePhrases) -> &'a str {
        let words = &words.trail;
        match (self.own, self.name, self.kind) {
            (true, ..) => words.you,
            (false, "", "membership") => match self.standing {
                PartyRelation::Member | PartyRelation::Undisclosed => words.member,
                PartyRelation::Former => words.former,
                // Only those who run the service act in an organization that they do not belong to.
                PartyRelation::NeverMember => words.operator,
            },
            (false, "", "account") => words.person,
            (false, "", "client") => words.client,
            (false, "", "api_key") => words.key,
            (false, "", "system") => words.system,
            (false, "", "anonymous") => words.unknown,
            (false, "", "role") => words.role,
            (false, "", "invitation") => words.invitation,
            (false, "", "client_secret") => words.secret,
            (false, "", "api") => words.api,
            (false, "", "domain") => words.domain,
            (false, "", "connection") => words.connection,
            (false, "", "webhook") => words.webhook,
            (false, "", "assignment") => words.assignment,
            (false, "", "grant") => words.grant,
            (false, "", kind) => kind,
            (false, name, _) => name,
        }
    }
}
