//! The settings of an organization: name, policies, deletion, and the way to the branding.

use crate::console::instance::organizations::{DELETE, WITHDRAW_DELETION};
use crate::console::operations::form::{FieldKind, FormField, PageForm, build_form};
use crate::console::operations::values::{cell_at, code_at, text_at, time_at};
use crate::console::operations::{OperationPage, PageContent, Phrase};
use crate::console::page_context::PageContext;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockLink, FactsBlock, PageBlock};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/settings",
    section: ConsoleSection::Settings,
    reads: &["getOrganization", "listAssignments"],
    forms: &[CHANGE, DELETE, WITHDRAW_DELETION],
    show: |context, _| Box::pin(show_settings(context)),
}];

const CREDENTIALS: &[(&str, Phrase)] = &[
    ("passkey", |w| w.instance.method_passkey),
    ("password", |w| w.instance.method_password),
    ("totp", |w| w.instance.method_totp),
    ("email_code", |w| w.settings.email_code),
    ("magic_link", |w| w.settings.magic_link),
    ("sms_code", |w| w.settings.sms_code),
    ("recovery_code", |w| w.instance.method_recovery_codes),
    ("single_sign_on", |w| w.instance.method_single_sign_on),
];

const GRANTS: &[(&str, Phrase)] = &[
    ("client_credentials", |w| w.applications.own),
    ("token_exchange", |w| w.applications.exchange),
    ("device_code", |w| w.applications.device),
    ("backchannel", |w| w.applications.approval),
    ("api_key", |w| w.api_keys.title),
];

const CHANGE: PageForm = PageForm {
    action: "change",
    operation: "updateOrganization",
    title: |w| w.settings.policies,
    introduction: |w| w.settings.policies_lead,
    button: |w| w.settings.save,
    fields: &[
        FormField {
            pointer: "/name",
            label: |w| w.instance.name,
            hint: |w| w.instance.organization_name_hint,
            is_required: true,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/language",
            label: |w| w.settings.language,
            hint: |w| w.settings.language_hint,
            kind: FieldKind::Choice(&[
                ("en", |_| "English"),
                ("pt", |_| "Português (Brasil)"),
                ("pt-PT", |_| "Português (Portugal)"),
                ("es", |_| "Español"),
            ]),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/least_assurance",
            label: |w| w.settings.least_assurance,
            hint: |w| w.settings.least_assurance_hint,
            kind: FieldKind::Choice(&[("aal1", |w| w.settings.aal1), ("aal2", |w| w.settings.aal2)]),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/single_sign_on",
            label: |w| w.settings.single_sign_on,
            hint: |w| w.settings.single_sign_on_hint,
            kind: FieldKind::Choice(&[
                ("optional", |w| w.settings.optional),
                ("required", |w| w.settings.required),
            ]),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/unverified_clients",
            label: |w| w.instance.unverified_clients,
            hint: |w| w.settings.unverified_hint,
            kind: FieldKind::Choice(&[
                ("allow", |w| w.instance.unverified_allow),
                ("refuse", |w| w.instance.unverified_refuse),
            ]),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/allowed_credentials",
            label: |w| w.settings.allowed_credentials,
            hint: |w| w.settings.allowed_credentials_hint,
            kind: FieldKind::Checkboxes(CREDENTIALS),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/refused_grants",
            label: |w| w.settings.refused_grants,
            hint: |w| w.settings.refused_grants_hint,
            kind: FieldKind::Checkboxes(GRANTS),
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/audit_log/retention_days",
            label: |w| w.settings.audit_retention,
            hint: |w| w.settings.audit_retention_hint,
            kind: FieldKind::Number,
            ..FormField::TEXT
        },
        FormField {
            pointer: "/settings/delegation/own_agents",
            label: |w| w.settings.own_agents,
            kind: FieldKind::Checkbox,
            initial: "on",
            ..FormField::TEXT
        },
    ],
    notice: ConsoleNotice::Saved,
    ..PageForm::BUTTON
};

async fn show_settings(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let organization = context.send(context.operation("getOrganization")).await?.body;
    let facts = FactsBlock {
        id: "organization".to_owned(),
        title: phrases.console.overview.to_owned(),
        facts: vec![
            (phrases.instance.name.to_owned(), cell_at(&organization, "/name")),
            (phrases.instance.slug.to_owned(), code_at(&organization, "/slug")),
            (phrases.blocks.id.to_owned(), code_at(&organization, "/id")),
            (phrases.instance.ends_at.to_owned(), time_at(&organization, "/ends_at")),
        ],
        links: vec![BlockLink {
            text: phrases.branding.open.to_owned(),
            path: format!("{}/branding", context.return_to.organization_path()),
        }],
    };
    let mut blocks = vec![PageBlock::Facts(facts)];
    let is_ending = !text_at(&organization, "/ends_at").is_empty();
    let can_end = text_at(&organization, "/kind") == "customer";
    let forms = [Some(&CHANGE), can_end.then_some(if is_ending { &WITHDRAW_DELETION } else { &DELETE })];
    let forms = forms.into_iter().flatten();
    blocks.extend(forms.filter_map(|form| build_form(context, form, Some(&organization))));
    blocks.extend(super::grants::load_assignments(context).await?);
    Ok(PageContent {
        title: phrases.settings.title.to_owned(),
        introduction: phrases.settings.lead.to_owned(),
        blocks,
    })
}
