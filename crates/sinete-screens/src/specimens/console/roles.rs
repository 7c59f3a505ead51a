//! The roles of an organization.

use super::{at, called};
use crate::console::roles::{Fields, Make, OneRole, Permission, Role, Roles};
use crate::console::said::Said;
use crate::console::{Desk, Pages, Section};
use crate::language::Language;
use crate::page::Frame;
use crate::specimens::Specimen;

const BILLING: Role<'static> = Role {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6075",
    name: "billing",
    about: "",
    built_in: false,
    permissions: 2,
};

fn permissions(language: Language) -> [Permission<'static>; 4] {
    let it = |permission, english, portuguese, chosen, free| Permission {
        permission,
        about: called(language, english, portuguese),
        chosen,
        free,
    };
    [
        it("members:read", "See the members", "Ver os membros", true, true),
        it("organization:delete", "Delete the organization", "Excluir a organização", false, false),
        it("invoices:read", "Read invoices", "Ler faturas", true, true),
        Permission { permission: "invoices:*", about: "", chosen: false, free: true },
    ]
}

fn list(frame: &Frame<'_>, said: Option<Said>) -> String {
    let language = frame.language;
    let permissions = permissions(language);
    let about = called(language, "Reads and sends invoices", "Lê e envia faturas");
    let owner =
        Role { name: called(language, "owner", "proprietário"), built_in: true, permissions: 19, ..BILLING };
    let member = Role { name: called(language, "member", "membro"), permissions: 1, ..owner };
    Roles {
        desk: Desk { said, here: "/console/padaria/roles", ..at(Section::Roles) },
        roles: &[owner, member, Role { about, ..BILLING }],
        pages: Pages::default(),
        make: Some(Make {
            once: "once",
            open: said.is_some(),
            fields: Fields {
                name: if said.is_some() { "Billing!" } else { "" },
                about: "",
                permissions: &permissions,
                hides_some: false,
            },
        }),
    }
    .page(frame)
}

fn one(frame: &Frame<'_>, may_change: bool) -> String {
    let permissions = permissions(frame.language);
    let (role, is_owners) = if may_change {
        (BILLING, false)
    } else {
        (Role { name: called(frame.language, "owner", "proprietário"), built_in: true, ..BILLING }, true)
    };
    OneRole {
        desk: at(Section::Roles),
        role,
        is_owners,
        version: 2,
        shown: "shown",
        fields: Fields { name: role.name, about: "", permissions: &permissions, hides_some: false },
        may_change,
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "console-roles", page: |frame| list(frame, None) },
    Specimen { name: "console-roles-trouble", page: |frame| list(frame, Some(Said::BadRoleName)) },
    Specimen { name: "console-role", page: |frame| one(frame, true) },
    Specimen { name: "console-role-built-in", page: |frame| one(frame, false) },
];
