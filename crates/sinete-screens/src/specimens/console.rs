//! The console, as whoever runs an organization meets it.

pub(super) mod applications;
pub(super) mod connections;
pub(super) mod domains;
pub(super) mod roles;
pub(super) mod trail;
pub(super) mod webhooks;

use super::Specimen;
use super::signing_in::FORM;
use crate::console::choose::{Choose, Workplace};
use crate::console::invitations::{Fate, Invitation, Invitations, Invite};
use crate::console::keys::{Fate as KeyFate, Key, Keys, Make, Scope, ShownKey};
use crate::console::member::{Known, May, OneMember, RoleChoice};
use crate::console::members::{Holder, Member, Members};
use crate::console::overview::Overview;
use crate::console::said::Said;
use crate::console::stopped::{Stopped, Takes};
use crate::console::{Desk, Pages, Section};
use crate::language::Language;
use crate::moment::Moment;

const DESK: Desk<'static> = Desk {
    organization: "Padaria da Esquina",
    slug: "padaria",
    suspended: false,
    sections: &Section::ALL,
    section: Section::Overview,
    asked: None,
    here: "/console/padaria",
    csrf: "token",
    said: None,
    is_lost: false,
};

const fn at(section: Section) -> Desk<'static> {
    Desk { section, ..DESK }
}

/// The role in the words of the reader.
const fn called(language: Language, english: &'static str, portuguese: &'static str) -> &'static str {
    match language {
        Language::English => english,
        Language::Portuguese => portuguese,
    }
}

fn overview(language: Language, suspended: bool) -> Overview<'static> {
    Overview {
        desk: Desk { suspended, ..DESK },
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6070",
        roles: called(language, "owner", "proprietário"),
        may: match language {
            Language::English => {
                &["See the organization", "Invite, change and remove members", "See the roles"]
            }
            Language::Portuguese => {
                &["Ver a organização", "Convidar, alterar e remover membros", "Ver os papéis"]
            }
        },
    }
}

fn members(language: Language) -> [Member<'static>; 5] {
    let member = called(language, "member", "membro");
    let person = Member {
        id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071",
        name: "Ana Sousa",
        address: "ana@example.org",
        roles: called(language, "owner", "proprietário"),
        holder: Holder::Oneself,
        off: false,
    };
    [
        person,
        Member {
            name: "Bruno Lima",
            address: "bruno@example.org",
            roles: member,
            holder: Holder::Person,
            ..person
        },
        Member { name: "", address: "carla@example.org", roles: member, holder: Holder::Nobody, ..person },
        Member { name: "ledger-sync", address: "", roles: "billing", holder: Holder::Machine, ..person },
        Member {
            name: "Davi Rocha",
            address: "",
            roles: member,
            holder: Holder::Person,
            off: true,
            ..person
        },
    ]
}

fn choices(language: Language) -> [RoleChoice<'static>; 4] {
    let role = RoleChoice {
        id: "1",
        name: called(language, "owner", "proprietário"),
        about: "",
        chosen: false,
        free: false,
    };
    [
        role,
        RoleChoice { id: "2", name: called(language, "admin", "administrador"), free: true, ..role },
        RoleChoice { id: "3", name: called(language, "member", "membro"), chosen: true, free: true, ..role },
        RoleChoice {
            id: "4",
            name: "billing",
            about: called(language, "Reads and sends invoices", "Lê e envia faturas"),
            free: true,
            ..role
        },
    ]
}

fn member(language: Language, said: Option<Said>) -> OneMember<'static> {
    OneMember {
        desk: Desk { said, ..at(Section::Members) },
        member: members(language)[1],
        known: Known {
            email: "bruno@padaria.example",
            title: called(language, "Baker", "Padeiro"),
            department: "",
            external: "",
        },
        since: Moment(1_763_143_505),
        version: 3,
        roles: None,
        may: May { switch: true, remove: true, trail: true },
    }
}

fn invitations(frame: &crate::page::Frame<'_>, said: Option<Said>) -> String {
    let choices = choices(frame.language);
    let typed = if said.is_some() { "davi@example" } else { "" };
    Invitations {
        desk: Desk { said, ..at(Section::Invitations) },
        invitations: &[
            Invitation {
                id: "1",
                address: "carla@example.org",
                fate: Fate::Waits,
                at: Moment(1_763_243_505),
            },
            Invitation {
                id: "2",
                address: "bruno@example.org",
                fate: Fate::Accepted,
                at: Moment(1_763_043_505),
            },
            Invitation {
                id: "3",
                address: "erro@example.org",
                fate: Fate::Withdrawn,
                at: Moment(1_762_943_505),
            },
        ],
        pages: Pages { next: Some("cursor"), ..Pages::default() },
        may_withdraw: true,
        invite: Some(Invite { email: typed, roles: &choices[1..], language: None, days: 1 }),
    }
    .page(frame)
}

const LEDGER_KEY: Key<'static> = Key {
    id: "1",
    name: "Ledger",
    holder: None,
    scope: "members:read audit:read",
    fate: KeyFate::Works,
    at: Moment(1_771_143_505),
    used: Some(Moment(1_763_143_505)),
};

fn keys(frame: &crate::page::Frame<'_>, said: Option<Said>) -> String {
    let scope = |permission, english, portuguese| Scope {
        permission,
        about: called(frame.language, english, portuguese),
        chosen: permission == "members:read",
    };
    let scopes = [
        scope("organization:read", "See the organization", "Ver a organização"),
        scope("members:read", "See the members", "Ver os membros"),
        scope("audit:read", "Read the audit trail", "Ler a trilha de auditoria"),
        Scope { permission: "invoices:*", about: "", chosen: false },
    ];
    let holder = Some("01936f5e-7c2a-7def-8a1b-2c3d4e5f6075");
    let old = Key { id: "2", name: "Old import", holder, fate: KeyFate::Revoked, used: None, ..LEDGER_KEY };
    Keys {
        desk: Desk { said, ..at(Section::Keys) },
        keys: &[LEDGER_KEY, old],
        pages: Pages::default(),
        make: Some(Make { once: "once", name: "", scopes: &scopes, days: 90 }),
    }
    .page(frame)
}

pub(super) const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "console-choose",
        page: |frame| {
            let owner = called(frame.language, "owner", "proprietário");
            let workplaces = [
                Workplace { name: "Padaria da Esquina", slug: "padaria", roles: owner, suspended: false },
                Workplace { name: "Acme", slug: "acme", roles: "billing", suspended: true },
            ];
            Choose { workplaces: &workplaces, asked: None }.page(frame)
        },
    },
    Specimen { name: "console-overview", page: |frame| overview(frame.language, false).page(frame) },
    Specimen { name: "console-suspended", page: |frame| overview(frame.language, true).page(frame) },
    Specimen {
        name: "console-members",
        page: |frame| {
            let desk = at(Section::Members);
            let pages = Pages { next: Some("cursor"), later: true, asked: "" };
            Members {
                desk,
                members: &members(frame.language),
                pages,
                search: "",
                further: false,
                early: false,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "console-members-found",
        page: |frame| {
            let (desk, pages) = (at(Section::Members), Pages::default());
            Members {
                desk,
                members: &members(frame.language)[1..2],
                pages,
                search: "bru li",
                further: false,
                early: false,
            }
            .page(frame)
        },
    },
    Specimen {
        name: "console-members-nobody",
        page: |frame| {
            let (desk, pages) = (at(Section::Members), Pages::default());
            Members { desk, members: &[], pages, search: "zé@example", further: false, early: false }
                .page(frame)
        },
    },
    Specimen {
        name: "console-members-early",
        page: |frame| {
            let (desk, pages) = (at(Section::Members), Pages::default());
            Members { desk, members: &[], pages, search: "bru li", further: false, early: true }.page(frame)
        },
    },
    Specimen {
        name: "console-members-further",
        page: |frame| {
            let desk = at(Section::Members);
            let pages = Pages { next: Some("cursor"), later: false, asked: "search=zo%20bru" };
            Members { desk, members: &[], pages, search: "bruno zo", further: true, early: false }.page(frame)
        },
    },
    Specimen {
        name: "console-member",
        page: |frame| {
            let choices = choices(frame.language);
            let said = Some(Said::RolesChanged);
            OneMember { roles: Some(&choices), ..member(frame.language, said) }.page(frame)
        },
    },
    Specimen {
        name: "console-member-changed",
        page: |frame| {
            let choices = choices(frame.language);
            let said = Some(Said::Changed);
            OneMember { roles: Some(&choices), ..member(frame.language, said) }.page(frame)
        },
    },
    Specimen { name: "console-invitations", page: |frame| invitations(frame, None) },
    Specimen { name: "console-invitations-trouble", page: |frame| invitations(frame, Some(Said::BadEmail)) },
    Specimen { name: "console-keys", page: |frame| keys(frame, None) },
    Specimen { name: "console-keys-trouble", page: |frame| keys(frame, Some(Said::NoName)) },
    Specimen {
        name: "console-key-shown",
        page: |frame| {
            let (desk, until) = (at(Section::Keys), Moment(1_771_143_505));
            let secret = "sn_ak_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam";
            ShownKey { desk, name: "Ledger", secret, until }.page(frame)
        },
    },
    Specimen {
        name: "console-prove",
        page: |frame| {
            Stopped { form: FORM, organization: "Padaria da Esquina", takes: Takes::Proof }.page(frame)
        },
    },
    Specimen {
        name: "console-set-up",
        page: |frame| {
            Stopped { form: FORM, organization: "Padaria da Esquina", takes: Takes::SettingUp }.page(frame)
        },
    },
    Specimen {
        name: "console-other-way",
        page: |frame| {
            Stopped { form: FORM, organization: "Padaria da Esquina", takes: Takes::OtherWay }.page(frame)
        },
    },
];
