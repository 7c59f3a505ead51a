//! The providers of an organization.

use super::at;
use crate::console::connections::{Connection, Connections, OneConnection, Set, Speaks};
use crate::console::said::Said;
use crate::console::{Desk, Pages, Section};
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

fn one<'a>(said: Option<Said>, wrong: &'a str) -> OneConnection<'a> {
    OneConnection {
        desk: Desk { said, here: "/console/padaria/connections/1", ..at(Section::Connections) },
        connection: PADARIA,
        set: Set::OpenId { client_id: "sinete", keys: "", scopes: "openid email profile" },
        domains: &["padaria.example", "pao.example"],
        has_more: true,
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
            entity_id: "https://id.example.com/saml/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
            sso_url: "https://sso.trigo.example/saml/sso",
            certificates: &[(print, Moment(1_823_143_505))],
            subject: "NameID",
            email: "mail",
        },
        domains: &[],
        has_more: false,
        ..one(Some(Said::ConnectionOff), "")
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen {
        name: "console-connections",
        page: |frame| {
            let desk = Desk { here: "/console/padaria/connections", ..at(Section::Connections) };
            Connections { desk, connections: &[PADARIA, TRIGO], pages: Pages::default() }.page(frame)
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
