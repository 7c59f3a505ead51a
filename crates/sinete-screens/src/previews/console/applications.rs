//! Previews of applications.

use super::{sample_layout, sample_role_choices, select_text};
use crate::console::application_test::{ApplicationTestView, DecodedTokenText, TestResultView};
use crate::console::application_types::ApplicationTypeChoice;
use crate::console::applications::{
    ApplicationDetailView, ApplicationFields, ApplicationItem, ApplicationKind, ApplicationListView,
    RegisterApplicationForm,
};
use crate::console::client_secrets::{ClientSecretItem, NewClientSecretView};
use crate::console::notices::ConsoleNotice;
use crate::console::quickstarts::{QuickstartSettings, SampleSelection};
use crate::console::refused_requests::RefusedRequestItem;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging};
use crate::display_time::DisplayTime;
use crate::page::PageFrame;
use crate::previews::PagePreview;

const LEDGER: ApplicationItem<'static> = ApplicationItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6081",
    name: "Ledger",
    purpose: "",
    kind: ApplicationKind::Application,
    is_disabled: false,
    is_verified: true,
};

const FIELDS: ApplicationFields<'static> = ApplicationFields {
    name: "",
    purpose: "",
    redirect_uris: "",
    auth_method: "client_secret_basic",
    jwks_uri: "",
    grant_types: &["code", "refresh"],
    scope: "openid profile email",
    is_unlimited: false,
    claims: "",
    role_claims: "groups",
    roles: &[],
};

const ADDRESSES: &str = "https://ledger.example/callback\nhttp://localhost:8080/callback";

fn render_application_list(frame: &PageFrame<'_>, notice: Option<ConsoleNotice>) -> String {
    let roles = sample_role_choices(frame.language);
    let applications = [
        LEDGER,
        ApplicationItem {
            name: "Nightly sync",
            purpose: select_text(frame.language, "Copies orders every night", "Copia os pedidos toda noite"),
            kind: ApplicationKind::Service,
            is_verified: false,
            ..LEDGER
        },
        ApplicationItem {
            name: "Mail sorter",
            purpose: select_text(frame.language, "Sorts the mail", "Organiza a correspondência"),
            kind: ApplicationKind::Agent,
            is_verified: false,
            is_disabled: true,
            ..LEDGER
        },
    ];
    let fields = ApplicationFields { roles: &roles[1..], ..FIELDS };
    let application_fields =
        ApplicationFields { name: "Ledger", redirect_uris: "https://ledger.example/#callback", ..fields };
    ApplicationListView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/applications",
            ..sample_layout(ConsoleSection::Applications)
        },
        applications: &applications,
        pages: ListPaging::default(),
        registration_form: Some(RegisterApplicationForm {
            idempotency_key: "once",
            open: notice.is_some(),
            types: &[
                ApplicationTypeChoice::Web,
                ApplicationTypeChoice::Spa,
                ApplicationTypeChoice::Native,
                ApplicationTypeChoice::Service,
                ApplicationTypeChoice::Agent,
                ApplicationTypeChoice::Custom,
            ],
            chosen_type: ApplicationTypeChoice::Web,
            kinds: &[ApplicationKind::Application, ApplicationKind::Service, ApplicationKind::Agent],
            kind: ApplicationKind::Application,
            fields: if notice.is_some() { application_fields } else { fields },
        }),
    }
    .render(frame)
}

fn render_application(frame: &PageFrame<'_>, may_change: bool) -> String {
    let roles = sample_role_choices(frame.language);
    let secrets = [
        ClientSecretItem {
            id: "1f2e3d4c5b6a7988",
            since: DisplayTime(1_753_143_505),
            expires_at: Some(DisplayTime(1_763_243_505)),
        },
        ClientSecretItem { id: "8897a6b5c4d3e2f1", since: DisplayTime(1_763_143_505), expires_at: None },
    ];
    ApplicationDetailView {
        layout: ConsoleLayout {
            notice: may_change.then_some(ConsoleNotice::ApplicationChanged),
            ..sample_layout(ConsoleSection::Applications)
        },
        application: LEDGER,
        roles: "",
        owner: None,
        since: DisplayTime(1_753_143_505),
        version: 3,
        stored_fields: ApplicationFields { name: "Ledger", redirect_uris: ADDRESSES, ..FIELDS },
        fields: ApplicationFields { name: "Ledger", redirect_uris: ADDRESSES, roles: &roles[1..], ..FIELDS },
        original_values: "",
        secrets: Some(&secrets),
        quickstart: Some(QuickstartSettings { samples: SampleSelection::One(""), ..CONNECTION }),
        refused_requests: &[RefusedRequestItem {
            at: DisplayTime(1_763_143_505),
            reason: "redirect_uri_not_registered",
            description: "The redirect_uri is not registered for this client.",
            value: "https://ledger.example.com/other",
            reference: "01a1eeab-20c9-7000-8000-000000000001",
            count: 3,
        }],
        may_change,
        may_test: may_change,
        idempotency_key: "once",
    }
    .render(frame)
}

fn render_application_test(frame: &PageFrame<'_>) -> String {
    let header = "{\n  \"alg\": \"EdDSA\",\n  \"kid\": \"k1\"\n}";
    let claims = "{\n  \"iss\": \"https://id.example.com\",\n  \"email\": \"ana@example.com\"\n}";
    let token = DecodedTokenText { header, claims };
    ApplicationTestView {
        layout: sample_layout(ConsoleSection::Applications),
        application: LEDGER.id,
        result: TestResultView::Tokens {
            id_token: Some(token),
            access_token: token,
            scope: "openid profile email",
            seconds: 600,
        },
    }
    .render(frame)
}

const CONNECTION: QuickstartSettings<'static> = QuickstartSettings {
    issuer: "https://id.example.com",
    id: LEDGER.id,
    redirect_uris: ADDRESSES,
    post_logout_redirect_uris: "",
    is_public: false,
    samples: SampleSelection::All,
};

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview { name: "console-applications", page: |frame| render_application_list(frame, None) },
    PagePreview {
        name: "console-applications-error",
        page: |frame| render_application_list(frame, Some(ConsoleNotice::BadRedirects)),
    },
    PagePreview { name: "console-application", page: |frame| render_application(frame, true) },
    PagePreview { name: "console-application-read-only", page: |frame| render_application(frame, false) },
    PagePreview { name: "console-application-test", page: render_application_test },
    PagePreview {
        name: "console-new-client-secret",
        page: |frame| {
            let secret = "sn_cs_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam";
            NewClientSecretView {
                layout: sample_layout(ConsoleSection::Applications),
                id: LEDGER.id,
                name: "Ledger",
                secret,
                quickstart: Some(CONNECTION),
            }
            .render(frame)
        },
    },
];
