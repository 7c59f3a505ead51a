//! The providers of an organization.

use super::at;
use crate::console::connections::{Connect, Connection, Connections, Fields, OneConnection, Set, Speaks};
use crate::console::said::Said;
use crate::console::{Desk, Pages, Section, Stands};
use crate::moment::Moment;
use crate::page::Frame;
use crate::specimens::Specimen;

const PADARIA: Connection<'static> = Connection {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
    name: "Padaria",
    issuer: "https://login.padaria.example",
    speaks: Speaks::OpenId,
    off: false,
};

const TRIGO: Connection<'static> = Connection {
    name: "Moinho Trigo",
    issuer: "https://sso.trigo.example/saml",
    speaks: Speaks::Saml,
    off: true,
    ..PADARIA
};

const OPEN_ID: Fields<'static> = Fields {
    form: "open_id",
    stands: Stands::Closed,
    sent: false,
    again: false,
    speaks: Speaks::OpenId,
    exists: false,
    decides: true,
    has_secret: false,
    name: "",
    issuer: "",
    client_id: "",
    authentication: "client_secret",
    scopes: "openid email profile",
    subject: "NameID",
    email: "",
    full_name: "",
    domains: "",
};

const SAML: Fields<'static> = Fields { form: "saml", speaks: Speaks::Saml, ..OPEN_ID };

fn connections(frame: &Frame<'_>, said: Option<Said>, open_id: Fields<'_>, saml: Fields<'_>) -> String {
    Connections {
        desk: Desk { said, here: "/console/padaria/connections", ..at(Section::Connections) },
        connections: &[PADARIA, TRIGO],
        pages: Pages::default(),
        connect: Some(Connect { once: "once", open_id, saml }),
    }
    .page(frame)
}

fn one<'a>(said: Option<Said>, wrong: &'a str) -> OneConnection<'a> {
    OneConnection {
        desk: Desk { said, here: "/console/padaria/connections/1", ..at(Section::Connections) },
        connection: PADARIA,
        set: Set::OpenId { client_id: "sinete", keys: "", scopes: "openid email profile" },
        domains: &["padaria.example", "pao.example"],
        has_more: true,
        version: 3,
        fields: Fields {
            form: "change",
            exists: true,
            has_secret: true,
            name: PADARIA.name,
            client_id: "sinete",
            domains: "padaria.example\npao.example",
            ..OPEN_ID
        },
        shown: "shown",
        callback: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
        since: Moment(1_763_143_505),
        may_change: true,
        wrong,
    }
}

fn saml(frame: &Frame<'_>) -> String {
    let print = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    OneConnection {
        connection: TRIGO,
        set: Set::Saml {
            entity_id: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078/metadata",
            sso_url: "https://sso.trigo.example/saml/sso",
            certificates: &[(print, Moment(1_823_143_505))],
            subject: "NameID",
            email: "mail",
            full_name: "",
        },
        domains: &[],
        has_more: false,
        fields: Fields {
            form: "change",
            stands: Stands::Open,
            exists: true,
            name: TRIGO.name,
            email: "mail",
            ..SAML
        },
        ..one(Some(Said::ConnectionOff), "")
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "console-connections",
        page: |frame| {
            let behind = |form| Fields { stands: Stands::Behind, ..form };
            connections(frame, None, behind(OPEN_ID), behind(SAML))
        },
    },
    Specimen {
        name: "console-connections-open-id",
        page: |frame| {
            let open = Fields {
                stands: Stands::Open,
                sent: true,
                again: true,
                name: "Forno",
                issuer: "https://login.forno.example",
                client_id: "sinete",
                ..OPEN_ID
            };
            connections(frame, Some(Said::TypeAgain), open, SAML)
        },
    },
    Specimen {
        name: "console-connections-saml",
        page: |frame| {
            connections(frame, Some(Said::Proven), OPEN_ID, Fields { stands: Stands::Open, ..SAML })
        },
    },
    Specimen { name: "console-connection", page: |frame| one(None, "").page(frame) },
    Specimen {
        name: "console-connection-trouble",
        page: |frame| {
            let wrong = "the provider refused what this service showed: invalid_client";
            one(Some(Said::NotTaken), wrong).page(frame)
        },
    },
    Specimen { name: "console-connection-saml", page: saml },
];
