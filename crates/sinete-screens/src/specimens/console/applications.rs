//! The applications of an organization.

use super::{at, called, choices};
use crate::console::applications::{
    Application, Applications, Fields, Kind, OneApplication, Register, Secret, ShownSecret,
};
use crate::console::said::Said;
use crate::console::{Desk, Pages, Section};
use crate::moment::Moment;
use crate::page::Frame;
use crate::specimens::Specimen;

const LEDGER: Application<'static> = Application {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6081",
    name: "Ledger",
    purpose: "",
    kind: Kind::Application,
    off: false,
    vouched: true,
};

const FIELDS: Fields<'static> = Fields {
    name: "",
    purpose: "",
    redirects: "",
    proof: "client_secret_basic",
    keys: "",
    grants: &["code", "refresh"],
    scope: "openid profile email",
    is_unlimited: false,
    roles: &[],
};

const ADDRESSES: &str = "https://ledger.example/callback\nhttp://localhost:8080/callback";

fn list(frame: &Frame<'_>, said: Option<Said>) -> String {
    let roles = choices(frame.language);
    let applications = [
        LEDGER,
        Application {
            name: "Nightly sync",
            purpose: called(frame.language, "Copies orders every night", "Copia os pedidos toda noite"),
            kind: Kind::Service,
            vouched: false,
            ..LEDGER
        },
        Application {
            name: "Mail sorter",
            purpose: called(frame.language, "Sorts the mail", "Organiza a correspondência"),
            kind: Kind::Agent,
            vouched: false,
            off: true,
            ..LEDGER
        },
    ];
    let fields = Fields { roles: &roles[1..], ..FIELDS };
    let typed = Fields { name: "Ledger", redirects: "https://ledger.example/#callback", ..fields };
    Applications {
        desk: Desk { said, here: "/console/padaria/applications", ..at(Section::Applications) },
        applications: &applications,
        pages: Pages::default(),
        register: Some(Register {
            once: "once",
            open: said.is_some(),
            kinds: &[Kind::Application, Kind::Service, Kind::Agent],
            kind: Kind::Application,
            fields: if said.is_some() { typed } else { fields },
        }),
    }
    .page(frame)
}

fn one(frame: &Frame<'_>, may_change: bool) -> String {
    let roles = choices(frame.language);
    let secrets = [
        Secret { id: "1f2e3d4c5b6a7988", since: Moment(1_753_143_505), until: Some(Moment(1_763_243_505)) },
        Secret { id: "8897a6b5c4d3e2f1", since: Moment(1_763_143_505), until: None },
    ];
    OneApplication {
        desk: Desk { said: may_change.then_some(Said::ApplicationChanged), ..at(Section::Applications) },
        application: LEDGER,
        roles: "",
        owner: None,
        since: Moment(1_753_143_505),
        version: 3,
        stands: Fields { name: "Ledger", redirects: ADDRESSES, ..FIELDS },
        fields: Fields { name: "Ledger", redirects: ADDRESSES, roles: &roles[1..], ..FIELDS },
        shown: "",
        secrets: Some(&secrets),
        may_change,
        once: "once",
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[Specimen] = &[
    Specimen { name: "console-applications", page: |frame| list(frame, None) },
    Specimen { name: "console-applications-trouble", page: |frame| list(frame, Some(Said::BadRedirects)) },
    Specimen { name: "console-application", page: |frame| one(frame, true) },
    Specimen { name: "console-application-seen", page: |frame| one(frame, false) },
    Specimen {
        name: "console-secret-shown",
        page: |frame| {
            let secret = "sn_cs_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam";
            ShownSecret { desk: at(Section::Applications), id: LEDGER.id, name: "Ledger", secret }.page(frame)
        },
    },
];
