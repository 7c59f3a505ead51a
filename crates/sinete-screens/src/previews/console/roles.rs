//! Previews of roles.

use super::{sample_layout, select_text};
use crate::console::notices::ConsoleNotice;
use crate::console::roles::{
    NewRoleForm, RoleDetailView, RoleFields, RoleItem, RoleListView, RolePermission,
};
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::language::UiLanguage;
use crate::page::PageFrame;
use crate::previews::PagePreview;

const BILLING: RoleItem<'static> = RoleItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075",
    name: "billing",
    description: "",
    built_in: false,
    permissions: 2,
};

fn sample_permissions(language: UiLanguage) -> [RolePermission<'static>; 4] {
    let it = |permission, english, portuguese, chosen, free| RolePermission {
        permission,
        description: select_text(language, english, portuguese),
        is_selected: chosen,
        is_editable: free,
    };
    [
        it("members:read", "See the members", "Ver os membros", true, true),
        it("organization:delete", "Delete the organization", "Excluir a organização", false, false),
        it("invoices:read", "Read invoices", "Ler faturas", true, true),
        RolePermission { permission: "invoices:*", description: "", is_selected: false, is_editable: true },
    ]
}

fn render_role_list(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>) -> String {
    let language = frame.language;
    let permissions = sample_permissions(language);
    let description = select_text(language, "Reads and sends invoices", "Lê e envia faturas");
    let owner = RoleItem {
        name: select_text(language, "owner", "proprietário"),
        built_in: true,
        permissions: 19,
        ..BILLING
    };
    let member = RoleItem { name: select_text(language, "member", "membro"), permissions: 1, ..owner };
    RoleListView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/roles",
            ..sample_layout(ConsoleSection::Roles)
        },
        roles: &[owner, member, RoleItem { description, ..BILLING }],
        pages: ListPaging::default(),
        create_form: Some(NewRoleForm {
            idempotency_key: "once",
            open: notice.is_some(),
            fields: RoleFields {
                name: if notice.is_some() { "Billing!" } else { "" },
                description: "",
                permissions: &permissions,
                hides_some: false,
            },
        }),
    }
    .render(frame)
}

fn render_role(frame: &PageFrame<'_>, may_change: bool) -> String {
    let permissions = sample_permissions(frame.language);
    let (role, is_owners) = if may_change {
        (BILLING, false)
    } else {
        (
            RoleItem {
                name: select_text(frame.language, "owner", "proprietário"),
                built_in: true,
                ..BILLING
            },
            true,
        )
    };
    RoleDetailView {
        layout: sample_layout(ConsoleSection::Roles),
        role,
        is_owner_role: is_owners,
        version: 2,
        original_values: "shown",
        fields: RoleFields { name: role.name, description: "", permissions: &permissions, hides_some: false },
        may_change,
        holders: None,
    }
    .render(frame)
}

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "console-roles", page: |frame| render_role_list(frame, None) },
    PagePreview {
        name: "console-roles-error",
        page: |frame| render_role_list(frame, Some(ConsoleNotice::BadRoleName)),
    },
    PagePreview { name: "console-role", page: |frame| render_role(frame, true) },
    PagePreview { name: "console-role-built-in", page: |frame| render_role(frame, false) },
];
