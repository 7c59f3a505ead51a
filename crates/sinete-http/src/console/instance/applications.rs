//! The applications, services and agents of the instance.

use super::condition_labels;
use crate::console::client_settings::fields::{
    AUTH_METHOD, CLIENT_ID, GRANTS, JWKS_URI, KIND, OWNER, PURPOSE, SCOPE, SERVES,
};
pub(super) use crate::console::client_settings::fields::{NAME, REDIRECT_URIS, TYPE};
use crate::console::client_settings::{can_change, settings_link, with_effective_grants};
use crate::console::operations::form::{FieldKind, FormField, NextPage, PageForm, build_form};
use crate::console::operations::list::{OperationList, choice_filter, load_table};
use crate::console::operations::values::{
    cell_at, code_at, is_present, items_at, state_at, text_at, time_at,
};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use crate::console::refused_requests::build_refused_table;
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
        forms: &[REGISTER, CREATE],
        show: |context, _| Box::pin(list_applications(context)),
    },
    OperationPage {
        path: "/instance/applications/{client}",
        section: ConsoleSection::InstanceApplications,
        reads: &["getInstanceClient", "listInstanceClientSecrets"],
        forms: &[CHANGE, ADD_SECRET, REVOKE_SECRET, VERIFY, WITHDRAW_VERIFICATION, DISABLE, ENABLE, DELETE],
        show: |context, id| Box::pin(show_application(context, id)),
    },
];

/// The secret in the response to a registration.
pub(super) const CLIENT_SECRET: &[(&str, Phrase)] = &[("/client_secret", |w| w.instance.client_secret)];
const REGISTERED_CLIENT_SECRET: NextPage = NextPage::Secret("/id", CLIENT_SECRET);
const ADDED_CLIENT_SECRET: NextPage = NextPage::Secret("", CLIENT_SECRET);

/// What it is and for whom; the rest follows from what it is.
const REGISTER: PageForm = PageForm {
    action: "register",
    operation: "createInstanceClient",
    title: |w| w.applications.register,
    introduction: |w| w.instance.application_create_lead,
    button: |w| w.applications.register_now,
    fields: &[TYPE, SERVES, NAME, REDIRECT_URIS, CLIENT_ID],
    notice: ConsoleNotice::Created,
    next: REGISTERED_CLIENT_SECRET,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CREATE: PageForm = PageForm {
    action: "create",
    operation: "createInstanceClient",
    title: |w| w.client_settings.register_custom,
    introduction: |w| w.applications.type_custom_about,
    button: |w| w.applications.register_now,
    fields: &[
        KIND,
        SERVES,
        NAME,
        PURPOSE,
        OWNER,
        GRANTS,
        REDIRECT_URIS,
        AUTH_METHOD,
        JWKS_URI,
        SCOPE,
        CLIENT_ID,
    ],
    notice: ConsoleNotice::Created,
    next: REGISTERED_CLIENT_SECRET,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateInstanceClient",
    title: |w| w.applications.settings,
    button: |w| w.applications.save,
    fields: &[NAME, PURPOSE, GRANTS, REDIRECT_URIS, AUTH_METHOD, JWKS_URI, SCOPE],
    notice: ConsoleNotice::Saved,
    // A client that authenticates with a secret from then on gets one.
    next: ADDED_CLIENT_SECRET,
    is_collapsed: true,
    ..PageForm::BUTTON
};

const ADD_SECRET: PageForm = PageForm {
    action: "add_secret",
    operation: "addInstanceClientSecret",
    title: |w| w.applications.new_secret,
    introduction: |w| w.applications.secrets_lead,
    button: |w| w.applications.add_secret,
    fields: &[FormField {
        pointer: "/overlap_seconds",
        label: |w| w.applications.overlap,
        kind: FieldKind::Number,
        hint: |w| w.instance.overlap_hint,
        initial: "86400",
        ..FormField::TEXT
    }],
    next: ADDED_CLIENT_SECRET,
    ..PageForm::BUTTON
};

const REVOKE_SECRET: PageForm = PageForm {
    action: "revoke_secret",
    operation: "revokeInstanceClientSecret",
    requires_fresh_authentication: false,
    notice: ConsoleNotice::SecretRevoked,
    ..PageForm::BUTTON
};

const VERIFY: PageForm = PageForm {
    action: "verify",
    operation: "verifyClient",
    title: |w| w.instance.verify,
    introduction: |w| w.instance.verify_lead,
    button: |w| w.instance.verify_now,
    ..PageForm::BUTTON
};

const WITHDRAW_VERIFICATION: PageForm = PageForm {
    action: "unverify",
    operation: "withdrawClientVerification",
    requires_fresh_authentication: false,
    title: |w| w.instance.unverify,
    introduction: |w| w.instance.unverify_lead,
    button: |w| w.instance.unverify_now,
    ..PageForm::BUTTON
};

const DISABLE: PageForm = PageForm {
    action: "disable",
    operation: "disableInstanceClient",
    requires_fresh_authentication: false,
    title: |w| w.console.switch_off,
    introduction: |w| w.applications.off_lead,
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
    introduction: |w| w.applications.on_lead,
    button: |w| w.console.switch_on,
    notice: ConsoleNotice::ApplicationOn,
    ..PageForm::BUTTON
};

const DELETE: PageForm = PageForm {
    action: "delete",
    operation: "removeInstanceClient",
    requires_fresh_authentication: false,
    title: |w| w.applications.delete,
    introduction: |w| w.applications.delete_lead,
    button: |w| w.applications.delete_now,
    notice: ConsoleNotice::ApplicationDeleted,
    next: NextPage::List,
    is_danger: true,
    is_collapsed: true,
    ..PageForm::BUTTON
};

async fn list_applications(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let origins = [("operator", phrases.instance.origin_operator), ("self", phrases.instance.origin_self)];
    let list = OperationList {
        id: "applications",
        call: context.operation("listInstanceClients"),
        title: phrases.instance.applications_all,
        introduction: "",
        empty: phrases.instance.applications_none,
        columns: vec![
            phrases.instance.name,
            phrases.console.kind,
            phrases.console.condition,
            phrases.instance.verification,
            phrases.applications.client_id,
        ],
        filters: vec![choice_filter("origin", phrases.instance.origin, &origins)],
    };
    let table = load_table(context, list, |it| TableRow {
        cells: vec![
            BlockCell::link(
                text_at(it, "/metadata/client_name"),
                format!("/instance/applications/{}", text_at(it, "/id")),
            ),
            cell_at(it, "/kind"),
            state_at(it, "/condition", &condition_labels(phrases)),
            verification_cell(context, it),
            code_at(it, "/id"),
        ],
        button: None,
    });
    let blocks = [
        Some(PageBlock::Table(table.await?)),
        build_form(context, &REGISTER, None),
        build_form(context, &CREATE, None),
    ];
    Ok(PageContent {
        title: phrases.applications.title.to_owned(),
        introduction: phrases.instance.applications_lead.to_owned(),
        blocks: blocks.into_iter().flatten().collect(),
    })
}

fn verification_cell(context: &PageContext<'_>, it: &Value) -> BlockCell {
    let phrases = context.phrases();
    match is_present(it, "/verified_at") {
        true => BlockCell::tag(phrases.instance.verified, CellTone::Good),
        false => BlockCell::tag(phrases.instance.unverified, CellTone::Plain),
    }
}

async fn show_application(context: &PageContext<'_>, id: &str) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let client = context.send(context.operation("getInstanceClient").path("client", id)).await?.body;
    let client = with_effective_grants(client);
    let facts = FactsBlock {
        id: "application".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.applications.client_id.to_owned(), code_at(&client, "/id")),
            (phrases.console.kind.to_owned(), cell_at(&client, "/kind")),
            (
                phrases.console.condition.to_owned(),
                state_at(&client, "/condition", &condition_labels(phrases)),
            ),
            (phrases.instance.verification.to_owned(), verification_cell(context, &client)),
            (phrases.instance.origin.to_owned(), cell_at(&client, "/origin")),
            (phrases.applications.owner.to_owned(), cell_at(&client, "/owner")),
            (phrases.applications.grants.to_owned(), cell_at(&client, "/metadata/grant_types")),
            (phrases.applications.redirects.to_owned(), cell_at(&client, "/metadata/redirect_uris")),
            (phrases.applications.scope.to_owned(), cell_at(&client, "/metadata/scope")),
            (phrases.instance.created_at.to_owned(), time_at(&client, "/created_at")),
        ],
        links: vec![settings_link(context, id)],
    };
    let mut blocks = vec![PageBlock::Facts(facts)];
    if can_change(context, &client) {
        blocks.extend(build_form(context, &CHANGE, Some(&client)));
    }
    let method = text_at(&client, "/metadata/token_endpoint_auth_method");
    if method.is_empty() || method.starts_with("client_secret") {
        let secrets =
            context.send(context.operation("listInstanceClientSecrets").path("client", id)).await?.body;
        blocks.push(PageBlock::Table(secrets_table(context, &secrets)));
        blocks.extend(build_form(context, &ADD_SECRET, None));
    }
    if text_at(&client, "/metadata/grant_types").contains("authorization_code") {
        blocks.push(PageBlock::Table(build_refused_table(context, id)));
    }
    let is_enabled = text_at(&client, "/condition") == "enabled";
    let trust = if is_present(&client, "/verified_at") { &WITHDRAW_VERIFICATION } else { &VERIFY };
    let forms = [trust, if is_enabled { &DISABLE } else { &ENABLE }, &DELETE];
    blocks.extend(forms.into_iter().filter_map(|form| build_form(context, form, Some(&client))));
    Ok(PageContent {
        title: text_at(&client, "/metadata/client_name"),
        introduction: text_at(&client, "/purpose"),
        blocks,
    })
}

fn secrets_table(context: &PageContext<'_>, secrets: &Value) -> TableBlock {
    let phrases = context.phrases();
    let can_revoke = context.can_call(REVOKE_SECRET.operation);
    let row = |it: &Value| TableRow {
        cells: vec![code_at(it, "/id"), time_at(it, "/created_at"), time_at(it, "/expires_at")],
        button: can_revoke.then(|| RowButton {
            action: REVOKE_SECRET.action.to_owned(),
            item: text_at(it, "/id"),
            text: phrases.applications.revoke.to_owned(),
            row_name: text_at(it, "/id"),
        }),
    };
    TableBlock {
        id: "secrets".to_owned(),
        title: phrases.applications.secrets.to_owned(),
        columns: [phrases.blocks.id, phrases.instance.created_at, phrases.instance.expires_at]
            .map(str::to_owned)
            .to_vec(),
        rows: items_at(secrets, "/items").iter().map(row).collect(),
        empty: phrases.instance.secrets_none.to_owned(),
        ..TableBlock::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SCHEMA_REGISTRY;

    /// The members of a registration that no form has, with the reason.
    const WITHOUT_FIELD: &[(&str, &str)] = &[
        ("/roles", "a client of the instance has no roles"),
        ("/verified", "the page of the application verifies it, which needs another permission"),
    ];

    #[test]
    fn instance_client_registration_has_a_field_or_a_reason_for_every_member_of_the_api() {
        let fields: Vec<&str> =
            [REGISTER, CREATE].iter().flat_map(|form| form.fields).map(|field| field.pointer).collect();
        let schema = SCHEMA_REGISTRY.find("CreateClientRequest").unwrap();
        for name in schema["properties"].as_object().unwrap().keys() {
            let member = format!("/{name}");
            let below = format!("{member}/");
            let has_field = fields.iter().any(|field| *field == member || field.starts_with(&below));
            let has_reason = WITHOUT_FIELD.iter().any(|(listed_member, _)| *listed_member == member);
            assert!(has_field != has_reason, "{member} is on a form: {has_field}");
        }
    }
}
