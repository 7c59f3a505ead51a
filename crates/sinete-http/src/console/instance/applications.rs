//! The applications, services and agents of the instance.

use super::conditions;
use crate::console::operations::form::{FieldKind, FormField, NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, choice_filter, load_table};
use crate::console::operations::values::{
    cell_at, code_at, is_present, items_at, state_at, text_at, time_at,
};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{
    BlockCell, CellTone, FactsBlock, PageBlock, RowButton, TableBlock, TableRow,
};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[
    OperationPage {
        path: "/instance/applications",
        section: ConsoleSection::InstanceApplications,
        reads: &["listInstanceClients"],
        forms: &[CREATE],
        show: |work, _| Box::pin(list_applications(work)),
    },
    OperationPage {
        path: "/instance/applications/{client}",
        section: ConsoleSection::InstanceApplications,
        reads: &["getInstanceClient", "listInstanceClientSecrets"],
        forms: &[CHANGE, ADD_SECRET, REVOKE_SECRET, VERIFY, WITHDRAW_VERIFICATION, DISABLE, ENABLE, DELETE],
        show: |work, id| Box::pin(show_application(work, id)),
    },
];

/// The secret in the response to a registration.
pub(super) const CLIENT_SECRET: &[(&str, Phrase)] = &[("/client_secret", |w| w.instance.client_secret)];
const SECRET: NextPage = NextPage::Secret("/id", CLIENT_SECRET);
const OWN_SECRET: NextPage = NextPage::Secret("", CLIENT_SECRET);

const AUTH_METHODS: &[(&str, Phrase)] = &[
    ("client_secret_basic", |w| w.applications.by_basic),
    ("client_secret_post", |w| w.applications.by_post),
    ("private_key_jwt", |w| w.applications.by_keys),
    ("tls_client_auth", |_| "tls_client_auth"),
    ("self_signed_tls_client_auth", |_| "self_signed_tls_client_auth"),
    ("none", |w| w.applications.by_nothing),
];

const GRANT_TYPES: &[(&str, Phrase)] = &[
    ("authorization_code", |w| w.applications.code),
    ("refresh_token", |w| w.applications.refresh),
    ("client_credentials", |w| w.applications.own),
    ("urn:ietf:params:oauth:grant-type:token-exchange", |w| w.applications.exchange),
    ("urn:ietf:params:oauth:grant-type:device_code", |w| w.applications.device),
    ("urn:openid:params:grant-type:ciba", |w| w.applications.approval),
];

/// What it is; the settings that are left out follow from it.
pub(super) const TYPE: FormField = FormField {
    pointer: "/type",
    label: |w| w.applications.kind,
    kind: FieldKind::Choice(&[
        ("web", |w| w.applications.type_web),
        ("spa", |w| w.applications.type_spa),
        ("native", |w| w.applications.type_native),
    ]),
    ..FormField::TEXT
};
pub(super) const NAME: FormField = FormField {
    pointer: "/metadata/client_name",
    label: |w| w.applications.name,
    hint: |w| w.applications.name_hint,
    is_required: true,
    ..FormField::TEXT
};
const PURPOSE: FormField = FormField {
    pointer: "/purpose",
    label: |w| w.applications.purpose,
    hint: |w| w.applications.purpose_hint,
    ..FormField::TEXT
};
pub(super) const REDIRECTS: FormField = FormField {
    pointer: "/metadata/redirect_uris",
    label: |w| w.applications.redirects,
    hint: |w| w.applications.redirects_hint,
    kind: FieldKind::Lines,
    ..FormField::TEXT
};
const AUTH_METHOD: FormField = FormField {
    pointer: "/metadata/token_endpoint_auth_method",
    label: |w| w.applications.proof,
    hint: |w| w.applications.proof_hint,
    kind: FieldKind::Choice(AUTH_METHODS),
    ..FormField::TEXT
};
const GRANTS: FormField = FormField {
    pointer: "/metadata/grant_types",
    label: |w| w.applications.grants,
    kind: FieldKind::Ticks(GRANT_TYPES),
    ..FormField::TEXT
};
const SCOPE: FormField = FormField {
    pointer: "/metadata/scope",
    label: |w| w.applications.scope,
    hint: |w| w.applications.scope_hint,
    ..FormField::TEXT
};
const JWKS_URI: FormField = FormField {
    pointer: "/metadata/jwks_uri",
    label: |w| w.applications.keys,
    hint: |w| w.applications.keys_hint,
    ..FormField::TEXT
};

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createInstanceClient",
    title: |w| w.applications.register,
    lead: |w| w.instance.application_create_lead,
    button: |w| w.applications.register_now,
    fields: &[
        FormField {
            pointer: "/kind",
            label: |w| w.applications.kind,
            kind: FieldKind::Choice(&[
                ("application", |w| w.applications.application),
                ("service", |w| w.applications.service),
                ("agent", |w| w.applications.agent),
            ]),
            ..FormField::TEXT
        },
        NAME,
        PURPOSE,
        GRANTS,
        REDIRECTS,
        AUTH_METHOD,
        JWKS_URI,
        SCOPE,
    ],
    notice: ConsoleNotice::Created,
    next: SECRET,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateInstanceClient",
    title: |w| w.applications.settings,
    button: |w| w.applications.save,
    fields: &[
        NAME,
        PURPOSE,
        GRANTS,
        REDIRECTS,
        FormField {
            pointer: "/metadata/post_logout_redirect_uris",
            label: |w| w.instance.post_logout,
            kind: FieldKind::Lines,
            ..FormField::TEXT
        },
        AUTH_METHOD,
        JWKS_URI,
        SCOPE,
        FormField {
            pointer: "/metadata/backchannel_logout_uri",
            label: |w| w.instance.backchannel_logout,
            ..FormField::TEXT
        },
        FormField { pointer: "/metadata/client_uri", label: |w| w.instance.client_uri, ..FormField::TEXT },
        FormField { pointer: "/metadata/logo_uri", label: |w| w.instance.logo_uri, ..FormField::TEXT },
        FormField {
            pointer: "/metadata/contacts",
            label: |w| w.instance.contacts,
            kind: FieldKind::Lines,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/metadata/require_pushed_authorization_requests",
            label: |w| w.instance.require_par,
            kind: FieldKind::Tick,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/metadata/dpop_bound_access_tokens",
            label: |w| w.instance.require_dpop,
            kind: FieldKind::Tick,
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Saved,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const ADD_SECRET: PageForm = PageForm {
    action: "add_secret",
    operation: "addInstanceClientSecret",
    title: |w| w.applications.new_secret,
    lead: |w| w.applications.secrets_lead,
    button: |w| w.applications.add_secret,
    fields: &[FormField {
        pointer: "/overlap_seconds",
        label: |w| w.applications.overlap,
        kind: FieldKind::Number,
        hint: |w| w.instance.overlap_hint,
        initial: "86400",
        ..FormField::TEXT
    }],
    next: OWN_SECRET,
    ..PageForm::BUTTON
};

const REVOKE_SECRET: PageForm = PageForm {
    action: "revoke_secret",
    operation: "revokeInstanceClientSecret",
    needs_fresh: false,
    notice: ConsoleNotice::SecretRevoked,
    ..PageForm::BUTTON
};

const VERIFY: PageForm = PageForm {
    action: "verify",
    operation: "verifyClient",
    title: |w| w.instance.verify,
    lead: |w| w.instance.verify_lead,
    button: |w| w.instance.verify_now,
    ..PageForm::BUTTON
};

const WITHDRAW_VERIFICATION: PageForm = PageForm {
    action: "unverify",
    operation: "withdrawClientVerification",
    needs_fresh: false,
    title: |w| w.instance.unverify,
    lead: |w| w.instance.unverify_lead,
    button: |w| w.instance.unverify_now,
    ..PageForm::BUTTON
};

const DISABLE: PageForm = PageForm {
    action: "disable",
    operation: "disableInstanceClient",
    needs_fresh: false,
    title: |w| w.console.switch_off,
    lead: |w| w.applications.off_lead,
    button: |w| w.console.switch_off,
    notice: ConsoleNotice::ApplicationOff,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const ENABLE: PageForm = PageForm {
    action: "enable",
    operation: "enableInstanceClient",
    title: |w| w.console.switch_on,
    lead: |w| w.applications.on_lead,
    button: |w| w.console.switch_on,
    notice: ConsoleNotice::ApplicationOn,
    ..PageForm::BUTTON
};

const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "removeInstanceClient",
    needs_fresh: false,
    title: |w| w.applications.delete,
    lead: |w| w.applications.delete_lead,
    button: |w| w.applications.delete_now,
    notice: ConsoleNotice::ApplicationDeleted,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_applications(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let origins = [("operator", words.instance.origin_operator), ("self", words.instance.origin_self)];
    let list = OperationList {
        id: "applications",
        call: work.operation("listInstanceClients"),
        title: words.instance.applications_all,
        lead: "",
        empty: words.applications.none,
        columns: vec![
            words.instance.name,
            words.console.kind,
            words.console.condition,
            words.instance.verification,
            words.applications.client_id,
        ],
        filters: vec![choice_filter("origin", words.instance.origin, &origins)],
    };
    let table = load_table(work, list, |it| TableRow {
        cells: vec![
            BlockCell::link(
                text_at(it, "/metadata/client_name"),
                format!("/instance/applications/{}", text_at(it, "/id")),
            ),
            cell_at(it, "/kind"),
            state_at(it, "/condition", &conditions(words)),
            verification(work, it),
            code_at(it, "/id"),
        ],
        button: None,
    });
    let blocks = [Some(PageBlock::Table(table.await?)), build_form(work, &CREATE, None)];
    Ok(PageContent {
        title: words.applications.title.to_owned(),
        lead: words.instance.applications_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

fn verification(work: &PageContext<'_>, it: &Value) -> BlockCell {
    let words = work.words();
    match is_present(it, "/verified_at") {
        true => BlockCell::tag(words.instance.verified, CellTone::Good),
        false => BlockCell::tag(words.instance.unverified, CellTone::Plain),
    }
}

async fn show_application(work: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let client = work.send(work.operation("getInstanceClient").path("client", id)).await?.body;
    let facts = FactsBlock {
        id: "application".to_owned(),
        title: words.console.overview.to_owned(),
        facts: vec![
            (words.applications.client_id.to_owned(), code_at(&client, "/id")),
            (words.console.kind.to_owned(), cell_at(&client, "/kind")),
            (words.console.condition.to_owned(), state_at(&client, "/condition", &conditions(words))),
            (words.instance.verification.to_owned(), verification(work, &client)),
            (words.instance.origin.to_owned(), cell_at(&client, "/origin")),
            (words.applications.owner.to_owned(), cell_at(&client, "/owner")),
            (words.applications.grants.to_owned(), cell_at(&client, "/metadata/grant_types")),
            (words.applications.redirects.to_owned(), cell_at(&client, "/metadata/redirect_uris")),
            (words.applications.scope.to_owned(), cell_at(&client, "/metadata/scope")),
            (words.instance.created_at.to_owned(), time_at(&client, "/created_at")),
        ],
        links: Vec::new(),
    };
    let mut blocks = vec![PageBlock::Facts(facts)];
    blocks.extend(build_form(work, &CHANGE, Some(&client)));
    let method = text_at(&client, "/metadata/token_endpoint_auth_method");
    if method.is_empty() || method.starts_with("client_secret") {
        let secrets = work.send(work.operation("listInstanceClientSecrets").path("client", id)).await?.body;
        blocks.push(PageBlock::Table(secrets_table(work, &secrets)));
        blocks.extend(build_form(work, &ADD_SECRET, None));
    }
    let is_enabled = text_at(&client, "/condition") == "enabled";
    let trust = if is_present(&client, "/verified_at") { &WITHDRAW_VERIFICATION } else { &VERIFY };
    let forms = [trust, if is_enabled { &DISABLE } else { &ENABLE }, &DELETE];
    blocks.extend(forms.into_iter().filter_map(|form| build_form(work, form, Some(&client))));
    Ok(PageContent {
        title: text_at(&client, "/metadata/client_name"),
        lead: text_at(&client, "/purpose"),
        blocks,
    })
}

fn secrets_table(work: &PageContext<'_>, secrets: &Value) -> TableBlock {
    let words = work.words();
    let can_revoke = work.may_call(REVOKE_SECRET.operation);
    let row = |it: &Value| TableRow {
        cells: vec![code_at(it, "/id"), time_at(it, "/created_at"), time_at(it, "/expires_at")],
        button: can_revoke.then(|| RowButton {
            action: REVOKE_SECRET.action.to_owned(),
            item: text_at(it, "/id"),
            text: words.applications.revoke.to_owned(),
            about: text_at(it, "/id"),
        }),
    };
    TableBlock {
        id: "secrets".to_owned(),
        title: words.applications.secrets.to_owned(),
        columns: [words.blocks.id, words.instance.created_at, words.instance.expires_at]
            .map(str::to_owned)
            .to_vec(),
        rows: items_at(secrets, "/items").iter().map(row).collect(),
        empty: words.instance.secrets_none.to_owned(),
        ..TableBlock::default()
    }
}
