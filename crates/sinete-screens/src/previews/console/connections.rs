//! Previews of identity provider connections.

use super::sample_layout;
use crate::console::connection_wizard::{ConnectionWizardView, WizardProvider};
use crate::console::connections::{
    CertificateExpiry, CertificateItem, ConnectionDetailView, ConnectionDomainItem, ConnectionFields,
    ConnectionItem, ConnectionListView, ConnectionSettingsView, NewConnectionForm, ProviderProtocol,
};
use crate::console::notices::ConsoleNotice;
use crate::console::{ConsoleLayout, ConsoleSection, ListPaging, StepUpFormState};
use crate::display_time::DisplayTime;
use crate::page::PageFrame;
use crate::previews::PagePreview;
use crate::setup_link::{SetupLinkView, SetupStartView, UnopenedLink};

const PADARIA: ConnectionItem<'static> = ConnectionItem {
    id: "01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
    name: "Padaria",
    issuer: "https://login.padaria.example",
    protocol: ProviderProtocol::OpenId,
    is_disabled: false,
};

const TRIGO: ConnectionItem<'static> = ConnectionItem {
    name: "Moinho Trigo",
    issuer: "https://sso.trigo.example/saml",
    protocol: ProviderProtocol::Saml,
    is_disabled: true,
    ..PADARIA
};

const OPEN_ID: ConnectionFields<'static> = ConnectionFields {
    form: "open_id",
    form_state: StepUpFormState::Closed,
    was_submitted: false,
    needs_retyping: false,
    protocol: ProviderProtocol::OpenId,
    guide: None,
    is_for_setup_link: false,
    exists: false,
    can_change_trust: true,
    has_secret: false,
    name: "",
    issuer: "",
    metadata_url: "",
    client_id: "",
    authentication: "client_secret",
    scopes: "openid email profile",
    subject: "NameID",
    email: "",
    full_name: "",
    domains: "",
};

const SAML: ConnectionFields<'static> =
    ConnectionFields { form: "saml", protocol: ProviderProtocol::Saml, ..OPEN_ID };

fn render_connection_list(
    frame: &PageFrame<'_>,
    notice: Option<ConsoleNotice>,
    open_id: ConnectionFields<'_>,
    saml: ConnectionFields<'_>,
) -> String {
    ConnectionListView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/connections",
            ..sample_layout(ConsoleSection::Connections)
        },
        connections: &[PADARIA, TRIGO],
        pages: ListPaging::default(),
        new_connection: Some(NewConnectionForm { idempotency_key: "once", oidc: open_id, saml }),
    }
    .render(frame)
}

fn sample_connection<'a>(notice: Option<ConsoleNotice>, wrong: &'a str) -> ConnectionDetailView<'a> {
    ConnectionDetailView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/connections/1",
            ..sample_layout(ConsoleSection::Connections)
        },
        connection: PADARIA,
        set: ConnectionSettingsView::OpenId {
            client_id: "sinete",
            jwks_url: "",
            scopes: "openid email profile",
        },
        domains: &[
            ConnectionDomainItem { name: "padaria.example", verified: true },
            ConnectionDomainItem { name: "pao.example", verified: false },
        ],
        has_unlisted_settings: true,
        version: 3,
        fields: ConnectionFields {
            form: "change",
            exists: true,
            has_secret: true,
            name: PADARIA.name,
            client_id: "sinete",
            domains: "padaria.example\npao.example",
            ..OPEN_ID
        },
        original_values: "shown",
        callback: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
        since: DisplayTime(1_763_143_505),
        may_change: true,
        test_error: wrong,
    }
}

fn render_saml_connection(frame: &PageFrame<'_>) -> String {
    let print = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    ConnectionDetailView {
        connection: TRIGO,
        set: ConnectionSettingsView::Saml {
            entity_id: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078/metadata",
            sso_url: "https://sso.trigo.example/saml/sso",
            certificates: &[
                CertificateItem {
                    fingerprint: print,
                    expires_at: DisplayTime(1_823_143_505),
                    expiry: CertificateExpiry::Later,
                },
                CertificateItem {
                    fingerprint: print,
                    expires_at: DisplayTime(1_764_143_505),
                    expiry: CertificateExpiry::Soon,
                },
            ],
            subject: "NameID",
            email: "mail",
            full_name: "",
        },
        domains: &[],
        has_unlisted_settings: false,
        fields: ConnectionFields {
            form: "change",
            form_state: StepUpFormState::Open,
            exists: true,
            name: TRIGO.name,
            email: "mail",
            ..SAML
        },
        ..sample_connection(Some(ConsoleNotice::ConnectionOff), "")
    }
    .render(frame)
}

fn render_setup_link(frame: &PageFrame<'_>) -> String {
    SetupLinkView {
        layout: ConsoleLayout {
            notice: Some(ConsoleNotice::Saved),
            current_path: "/setup-link",
            ..sample_layout(ConsoleSection::Connections)
        },
        expires_at: DisplayTime(1_764_143_505),
        provider: Some(WizardProvider::Okta),
        callback: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
        entity_id: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078/metadata",
        fields: ConnectionFields {
            name: "Okta",
            guide: Some(WizardProvider::Okta),
            is_for_setup_link: true,
            form_state: StepUpFormState::Open,
            ..OPEN_ID
        },
        connection: Some(("Okta", "https://padaria.okta.com")),
        scim_endpoint: "https://id.example.com/scim/v2",
        has_scim: true,
        scim_token: "sn_ak_4pQJ7xkq0vN5m2Zr8tYw",
        domain: Some(("padaria.example", "_sinete-challenge.padaria.example", "sinete-verification=3f9c")),
        typed_domain: "",
    }
    .render(frame)
}

fn render_setup_start(frame: &PageFrame<'_>, link: Option<UnopenedLink<'_>>) -> String {
    SetupStartView { form_path: "/setup-link", link }.render(frame)
}

fn render_wizard(
    frame: &PageFrame<'_>,
    provider: WizardProvider,
    notice: Option<ConsoleNotice>,
    fields: ConnectionFields<'_>,
) -> String {
    ConnectionWizardView {
        layout: ConsoleLayout {
            notice,
            current_path: "/console/padaria/connections/new/okta",
            ..sample_layout(ConsoleSection::Connections)
        },
        provider,
        connection_id: PADARIA.id,
        callback: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078",
        entity_id: "https://id.example.com/sign-in/provider/01936f5e-7c2a-7def-8a1b-2c3d4e5f6078/metadata",
        idempotency_key: "once",
        fields: ConnectionFields { guide: Some(provider), ..fields },
    }
    .render(frame)
}

pub(in crate::previews) const PREVIEWS: &[PagePreview] = &[
    PagePreview {
        name: "console-connections",
        page: |frame| {
            let with_step_up = |form| ConnectionFields { form_state: StepUpFormState::NeedsStepUp, ..form };
            render_connection_list(frame, None, with_step_up(OPEN_ID), with_step_up(SAML))
        },
    },
    PagePreview {
        name: "console-connections-open-id",
        page: |frame| {
            let open = ConnectionFields {
                form_state: StepUpFormState::Open,
                was_submitted: true,
                needs_retyping: true,
                name: "Forno",
                issuer: "https://login.forno.example",
                client_id: "sinete",
                ..OPEN_ID
            };
            render_connection_list(frame, Some(ConsoleNotice::TypeAgain), open, SAML)
        },
    },
    PagePreview {
        name: "console-connections-saml",
        page: |frame| {
            render_connection_list(
                frame,
                Some(ConsoleNotice::Proven),
                OPEN_ID,
                ConnectionFields { form_state: StepUpFormState::Open, ..SAML },
            )
        },
    },
    PagePreview { name: "console-connection", page: |frame| sample_connection(None, "").render(frame) },
    PagePreview {
        name: "console-connection-error",
        page: |frame| {
            let wrong = "the provider refused what this service showed: invalid_client";
            sample_connection(Some(ConsoleNotice::NotTaken), wrong).render(frame)
        },
    },
    PagePreview { name: "console-connection-saml", page: render_saml_connection },
    PagePreview {
        name: "console-connection-wizard",
        page: |frame| {
            let fields = ConnectionFields { name: "Okta", ..OPEN_ID };
            render_wizard(frame, WizardProvider::Okta, None, fields)
        },
    },
    PagePreview {
        name: "console-connection-wizard-entra",
        page: |frame| {
            let fields = ConnectionFields { name: "Microsoft", was_submitted: true, ..OPEN_ID };
            render_wizard(frame, WizardProvider::EntraId, Some(ConsoleNotice::BadIssuer), fields)
        },
    },
    PagePreview { name: "console-setup-link", page: render_setup_link },
    PagePreview {
        name: "console-setup-link-start",
        page: |frame| {
            render_setup_start(frame, Some(UnopenedLink { organization: "Padaria", token: "sn_sl_4pQJ" }))
        },
    },
    PagePreview { name: "console-setup-link-expired", page: |frame| render_setup_start(frame, None) },
    PagePreview {
        name: "console-connection-wizard-saml",
        page: |frame| render_wizard(frame, WizardProvider::Saml, None, SAML),
    },
];
