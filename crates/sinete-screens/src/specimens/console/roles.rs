//! The roles of an organization.

use super::{at, called};
use crate::console::roles::{
    NewRoleForm, RoleDetailView, RoleFields, RoleItem, RoleListView, RolePermission,
};
use crate::console::said::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::language::UiLanguage;
use crate::page::PageFrame;
use crate::specimens::PagePreview;

const BILLING: RoleItem<'static> = RoleItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075",
    name: "billing",
    about: "",
    built_in: false,
    permissions: 2,
};

fn permissions(language: UiLanguage) -> [RolePermission<'static>; 4] {
    let it = |permission, english, portuguese, chosen, free| RolePermission {
        permission,
        about: called(language, english, portuguese),
        chosen,
        free,
    };
    [
        it("members:read", "See the members", "Ver os membros", true, true),
        it("organization:delete", "Delete the organization", "Excluir a organização", false, false),
        it("invoices:read", "Read invoices", "Ler faturas", true, true),
        RolePermission { permission: "invoices:*", about: "", chosen: false, free: true },
    ]
}

fn list(frame: &PageFrame<'_>, said: Option<ConsoleNotice>) -> String {
    let language = frame.language;
    let permissions = permissions(language);
    let about = called(language, "Reads and sends invoices", "Lê e envia faturas");
    let owner = RoleItem {
        name: called(language, "owner", "proprietário"),
        built_in: true,
        permissions: 19,
        ..BILLING
    };
    let member = RoleItem { name: called(language, "member", "membro"), permissions: 1, ..owner };
    RoleListView {
        desk: ConsoleLayout { said, here: "/console/padaria/roles", ..at(ConsoleSection::Roles) },
        roles: &[owner, member, RoleItem { about, ..BILLING }],
        pages: ListPaging::default(),
        make: Some(NewRoleForm {
            once: "once",
            open: said.is_some(),
            fields: RoleFields {
                name: if said.is_some() { "Billing!" } else { "" },
                about: "",
                permissions: &permissions,
                hides_some: false,
            },
        }),
    }
    .page(frame)
}

fn one(frame: &PageFrame<'_>, may_change: bool) -> String {
    let permissions = permissions(frame.language);
    let (role, is_owners) = if may_change {
        (BILLING, false)
    } else {
        (RoleItem { name: called(frame.language, "owner", "proprietário"), built_in: true, ..BILLING }, true)
    };
    RoleDetailView {
        desk: at(ConsoleSection::Roles),
        role,
        is_owners,
        version: 2,
        shown: "shown",
        fields: RoleFields { name: role.name, about: "", permissions: &permissions, hides_some: false },
        may_change,
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[PagePreview] = &[
    PagePreview { name: "console-roles", page: |frame| list(frame, None) },
    PagePreview {
        name: "console-roles-trouble",
        page: |frame| list(frame, Some(ConsoleNotice::BadRoleName)),
    },
    PagePreview { name: "console-role", page: |frame| one(frame, true) },
    PagePreview { name: "console-role-built-in", page: |frame| one(frame, false) },
];
