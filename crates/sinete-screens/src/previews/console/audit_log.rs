//! Previews of the audit log.

use super::sample_layout;
use crate::console::audit_log::{
    AuditLogDetailView, AuditLogFilterForm, AuditLogItem, AuditLogParty, AuditLogView, PartyRelation,
};
use crate::console::notices::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::page::PageFrame;
use crate::previews::PagePreview;

const ANA: AuditLogParty<'static> = AuditLogParty {
    kind: "membership",
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
    name: "Ana Sousa",
    is_self: true,
    relation: PartyRelation::Member,
};
const BRUNO: AuditLogParty<'static> =
    AuditLogParty { id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072", name: "Bruno Lima", is_self: false, ..ANA };
const FORMER_MEMBER: AuditLogParty<'static> = AuditLogParty {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073",
    name: "",
    is_self: false,
    relation: PartyRelation::FormerMember,
    ..ANA
};
const KEY: AuditLogParty<'static> =
    AuditLogParty { kind: "api_key", id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6074", ..FORMER_MEMBER };
const SYSTEM: AuditLogParty<'static> = AuditLogParty { kind: "system", id: "", ..FORMER_MEMBER };

const ROLE_CREATED: AuditLogItem<'static> = AuditLogItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6076",
    kind: "role.created",
    subject_name: "billing",
    actor: BRUNO,
    at: DisplayTime(1_763_143_505),
    address: "192.0.2.7",
};

fn render_audit_log(
    frame: &PageFrame<'_>,
    filter: AuditLogFilterForm<'static>,
    notice: Option<ConsoleNotice>,
) -> String {
    let entries = [
        AuditLogItem {
            kind: "membership.roles_changed",
            subject_name: "Bruno Lima",
            actor: ANA,
            ..ROLE_CREATED
        },
        ROLE_CREATED,
        AuditLogItem {
            kind: "domain.verified",
            subject_name: "",
            actor: SYSTEM,
            address: "",
            at: DisplayTime(1_763_133_505),
            ..ROLE_CREATED
        },
        AuditLogItem {
            kind: "client_secret.added",
            subject_name: "",
            actor: KEY,
            at: DisplayTime(1_763_123_505),
            ..ROLE_CREATED
        },
        AuditLogItem {
            kind: "invitation.sent",
            subject_name: "",
            actor: FORMER_MEMBER,
            at: DisplayTime(1_763_043_505),
            ..ROLE_CREATED
        },
        AuditLogItem {
            kind: "payroll.closed",
            subject_name: "",
            actor: KEY,
            at: DisplayTime(1_763_003_505),
            ..ROLE_CREATED
        },
    ];
    let entries = match (notice, filter.kind) {
        (Some(_), _) => &[],
        (None, "") => &entries[..],
        (None, _) => &entries[1..2],
    };
    let layout = ConsoleLayout {
        notice,
        current_path: "/console/padaria/audit-log",
        ..sample_layout(ConsoleSection::AuditLog)
    };
    AuditLogView {
        layout,
        entries,
        pages: ListPaging { next: notice.map_or(Some("cursor"), |_| None), ..ListPaging::default() },
        filter,
    }
    .render(frame)
}

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview {
        name: "console-audit-log",
        page: |frame| render_audit_log(frame, AuditLogFilterForm::default(), None),
    },
    PagePreview {
        name: "console-audit-log-filtered",
        page: |frame| {
            let filter = AuditLogFilterForm {
                kind: "role.created",
                from: "2025-11-01",
                actor: Some(BRUNO),
                address: "192.0.2.7",
                ..AuditLogFilterForm::default()
            };
            render_audit_log(frame, filter, None)
        },
    },
    PagePreview {
        name: "console-audit-log-error",
        page: |frame| render_audit_log(frame, AuditLogFilterForm::default(), Some(ConsoleNotice::BadDay)),
    },
    PagePreview {
        name: "console-audit-log-entry",
        page: |frame| {
            let whom = AuditLogParty {
                kind: "role",
                id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075",
                name: "billing",
                ..FORMER_MEMBER
            };
            AuditLogDetailView {
                layout: sample_layout(ConsoleSection::AuditLog),
                entry: ROLE_CREATED,
                exact_time: "2025-11-14T18:05:05.000042Z",
                subject: Some(whom),
                reason: "",
                address: "192.0.2.7",
                user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0",
                facts: &[("name", "billing"), ("permissions", "invoices:read, invoices:send")],
            }
            .render(frame)
        },
    },
];
