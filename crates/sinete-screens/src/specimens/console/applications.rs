//! The applications of an organization.

use super::{at, called, choices};
use crate::console::applications::{
    ApplicationDetailView, ApplicationFields, ApplicationItem, ApplicationKind, ApplicationListView,
    ClientSecretItem, NewClientSecretView, RegisterApplicationForm,
};
use crate::console::said::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::moment::DisplayTime;
use crate::page::PageFrame;
use crate::specimens::PagePreview;

const LEDGER: ApplicationItem<'static> = ApplicationItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6081",
    name: "Ledger",
    purpose: "",
    kind: ApplicationKind::Application,
    off: false,
    vouched: true,
};

const FIELDS: ApplicationFields<'static> = ApplicationFields {
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

fn list(frame: &PageFrame<'_>, said: Option<ConsoleNotice>) -> String {
    let roles = choices(frame.language);
    let applications = [
        LEDGER,
        ApplicationItem {
            name: "Nightly sync",
            purpose: called(frame.language, "Copies orders every night", "Copia os pedidos toda noite"),
            kind: ApplicationKind::Service,
            vouched: false,
            ..LEDGER
        },
        ApplicationItem {
            name: "Mail sorter",
            purpose: called(frame.language, "Sorts the mail", "Organiza a correspondência"),
            kind: ApplicationKind::Agent,
            vouched: false,
            off: true,
            ..LEDGER
        },
    ];
    let fields = ApplicationFields { roles: &roles[1..], ..FIELDS };
    let typed = ApplicationFields { name: "Ledger", redirects: "https://ledger.example/#callback", ..fields };
    ApplicationListView {
        desk: ConsoleLayout {
            said,
            here: "/console/padaria/applications",
            ..at(ConsoleSection::Applications)
        },
        applications: &applications,
        pages: ListPaging::default(),
        register: Some(RegisterApplicationForm {
            once: "once",
            open: said.is_some(),
            kinds: &[ApplicationKind::Application, ApplicationKind::Service, ApplicationKind::Agent],
            kind: ApplicationKind::Application,
            fields: if said.is_some() { typed } else { fields },
        }),
    }
    .page(frame)
}

fn one(frame: &PageFrame<'_>, may_change: bool) -> String {
    let roles = choices(frame.language);
    let secrets = [
        ClientSecretItem {
            id: "1f2e3d4c5b6a7988",
            since: DisplayTime(1_753_143_505),
            until: Some(DisplayTime(1_763_243_505)),
        },
        ClientSecretItem { id: "8897a6b5c4d3e2f1", since: DisplayTime(1_763_143_505), until: None },
    ];
    ApplicationDetailView {
        desk: ConsoleLayout {
            said: may_change.then_some(ConsoleNotice::ApplicationChanged),
            ..at(ConsoleSection::Applications)
        },
        application: LEDGER,
        roles: "",
        owner: None,
        since: DisplayTime(1_753_143_505),
        version: 3,
        stands: ApplicationFields { name: "Ledger", redirects: ADDRESSES, ..FIELDS },
        fields: ApplicationFields { name: "Ledger", redirects: ADDRESSES, roles: &roles[1..], ..FIELDS },
        shown: "",
        secrets: Some(&secrets),
        may_change,
        once: "once",
    }
    .page(frame)
}

pub(in crate::specimens) const SPECIMENS: &[PagePreview] = &[
    PagePreview { name: "console-applications", page: |frame| list(frame, None) },
    PagePreview {
        name: "console-applications-trouble",
        page: |frame| list(frame, Some(ConsoleNotice::BadRedirects)),
    },
    PagePreview { name: "console-application", page: |frame| one(frame, true) },
    PagePreview { name: "console-application-seen", page: |frame| one(frame, false) },
    PagePreview {
        name: "console-secret-shown",
        page: |frame| {
            let secret = "sn_cs_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam";
            NewClientSecretView {
                desk: at(ConsoleSection::Applications),
                id: LEDGER.id,
                name: "Ledger",
                secret,
            }
            .page(frame)
        },
    },
];
