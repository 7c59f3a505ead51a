//! The form of a connection, and its conversion to the input of the management API.

use super::super::{ActionError, PageContext};
use super::provider_protocol;
use crate::console::flash_form::FlashForm;
use crate::console::submitted_form::{SubmittedForm, encode_original_values};
use crate::identity_providers::connections::handlers::{
    CONNECTION_PATCH, ConnectionInput, NEW_CONNECTION, NewConnectionInput,
};
use crate::management_api::merge_patch::apply_merge_patch;
use crate::schema::SCHEMA_REGISTRY;
use serde_json::{Map, Value, json};
use sinete_core::identity_providers::connections::{ConnectionProtocol, ProviderAuthMethod};
use sinete_core::identity_providers::saml::settings::NAME_ID;
use sinete_core::refusal::Refusal;
use sinete_engine::identity_providers::connections::{ConnectionDraft, ConnectionOverview};
use sinete_screens::console::StepUpFormState;
use sinete_screens::console::connections::{ConnectionFields, ProviderProtocol};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::schema::NamedSchema;

/// The routed domains, which are not covered by the connection's version.
const DOMAINS_FIELD: &str = "domains";

/// The text and selection fields that are displayed again. The domains are the last.
const TEXT_FIELDS: [&str; 9] = [
    "name",
    "issuer",
    "client_id",
    "authentication",
    "scopes",
    "subject",
    "email",
    "full_name",
    DOMAINS_FIELD,
];

/// Fields that are never displayed again: the client secret and the metadata.
const SECRET_FIELD: &str = "client_secret";
const METADATA_FIELD: &str = "metadata";

/// The values of the form.
#[derive(Clone)]
pub(super) struct ConnectionForm {
    protocol: ProviderProtocol,
    exists: bool,
    is_owner: bool,
    has_secret: bool,
    /// Whether this form was submitted and rejected.
    was_submitted: bool,
    /// Whether it contained an input that is not stored.
    needs_retyping: bool,
    texts: [String; TEXT_FIELDS.len()],
}

impl ConnectionForm {
    /// The form of a new connection, with rejected input.
    pub(super) fn new(work: &PageContext<'_>, speaks: ProviderProtocol) -> Self {
        let mut filled = Self {
            protocol: speaks,
            exists: false,
            is_owner: true,
            has_secret: false,
            was_submitted: false,
            needs_retyping: false,
            texts: Default::default(),
        };
        filled.set_text("authentication", "client_secret");
        filled.set_text("scopes", "openid email profile");
        filled.set_text("subject", NAME_ID);
        filled.with_texts(work.flash.as_ref(), form_name(speaks))
    }

    /// The form of an existing connection.
    pub(super) fn from_connection(work: &PageContext<'_>, shown: &ConnectionOverview) -> Self {
        let chosen = &shown.connection.chosen;
        let speaks = provider_protocol(chosen);
        let mut filled = Self {
            protocol: speaks,
            exists: true,
            is_owner: work.access.organization_access().is_owner,
            has_secret: shown.connection.has_secret,
            was_submitted: false,
            needs_retyping: false,
            texts: Default::default(),
        };
        filled.set_text("name", &chosen.name);
        match &chosen.protocol {
            ConnectionProtocol::OpenId(open_id) => {
                filled.set_text("client_id", &open_id.client_id);
                filled.set_text(
                    "authentication",
                    match open_id.authentication {
                        ProviderAuthMethod::ClientSecret => "client_secret",
                        ProviderAuthMethod::PrivateKey => "private_key",
                    },
                );
                filled.set_text("scopes", &open_id.scopes.join(" "));
            }
            ConnectionProtocol::Saml(saml) => {
                filled.set_text("subject", &saml.subject);
                filled.set_text("email", saml.email.as_deref().unwrap_or_default());
                filled.set_text("full_name", saml.full_name.as_deref().unwrap_or_default());
            }
        }
        filled.set_text(DOMAINS_FIELD, &domain_lines(shown));
        filled
    }

    /// The same with the user's unsaved changes. Unchanged fields have the current values.
    pub(super) fn with_submitted_changes(&self, work: &PageContext<'_>) -> Self {
        self.clone().with_texts(work.flash.as_ref(), "change")
    }

    fn with_texts(mut self, left: Option<&FlashForm>, form: &str) -> Self {
        // Also if the input was too large to be stored: its error is shown anyway.
        self.was_submitted =
            left.is_some_and(|left| left.is_form_open(form) && left.notice().is_some_and(|it| it.is_error()));
        let Some(retyped) = SubmittedForm::from_flash(left, form) else { return self };
        let never = if self.protocol == ProviderProtocol::Saml { METADATA_FIELD } else { SECRET_FIELD };
        self.needs_retyping = left.is_some_and(|left| left.needs_retyping(form, never));
        for name in TEXT_FIELDS {
            if let Some(typed) = retyped.changed_text(name) {
                self.set_text(name, typed);
            }
        }
        self
    }

    fn set_text(&mut self, name: &str, text: &str) {
        if let Some((_, place)) = TEXT_FIELDS.iter().zip(&mut self.texts).find(|(known, _)| **known == name) {
            text.clone_into(place);
        }
    }

    /// The displayed values, which the form submits. Domains that are displayed again after a rejection keep
    /// the fingerprint of what was shown originally, because no version covers concurrent changes to them;
    /// after a conflict, the page shows the current ones.
    pub(super) fn original_values(&self, left: Option<&FlashForm>) -> String {
        let texts = TEXT_FIELDS.into_iter().zip(self.texts.iter().map(String::as_str));
        let typed = SubmittedForm::from_flash(
            left.filter(|left| left.notice() != Some(ConsoleNotice::Changed)),
            "change",
        );
        let typed = typed.filter(|typed| typed.changed_text(DOMAINS_FIELD).is_some());
        match typed.as_ref().and_then(|typed| typed.original_fingerprints(TEXT_FIELDS.len())?.last()) {
            Some(before) => {
                encode_original_values(texts.filter(|(name, _)| *name != DOMAINS_FIELD), []) + before
            }
            None => encode_original_values(texts, []),
        }
    }

    /// Whether the error is in a field that only owners see.
    pub(super) const fn is_hidden_field(&self, said: ConsoleNotice) -> bool {
        !self.is_owner
            && matches!(
                said,
                ConsoleNotice::BadMetadata
                    | ConsoleNotice::BadSubject
                    | ConsoleNotice::BadAttribute
                    | ConsoleNotice::BadNameAttribute
                    | ConsoleNotice::BadClientId
                    | ConsoleNotice::BadScopes
            )
    }

    pub(super) fn to_fields<'a>(&'a self, form: &'a str, stands: StepUpFormState) -> ConnectionFields<'a> {
        let [name, issuer, client_id, authentication, scopes, subject, email, full_name, domains] =
            self.texts.each_ref().map(String::as_str);
        let Self {
            protocol: speaks,
            exists,
            is_owner: decides,
            has_secret,
            was_submitted: sent,
            needs_retyping: again,
            ..
        } = *self;
        ConnectionFields {
            form,
            stands,
            sent,
            again,
            speaks,
            exists,
            decides,
            has_secret,
            name,
            issuer,
            client_id,
            authentication,
            scopes,
            subject,
            email,
            full_name,
            domains,
        }
    }
}

/// The routed domains, one per line.
fn domain_lines(shown: &ConnectionOverview) -> String {
    let domains: Vec<String> = shown.domains.iter().map(|domain| domain.to_unicode()).collect();
    domains.join("\n")
}

/// The name of the form for a protocol.
const fn form_name(speaks: ProviderProtocol) -> &'static str {
    match speaks {
        ProviderProtocol::OpenId => "open_id",
        ProviderProtocol::Saml => "saml",
    }
}

/// Converts a form to the API's JSON. Missing fields are omitted.
fn connection_json(form: &FormParams, is_saml: bool) -> Map<String, Value> {
    let (mut body, mut saml) = (Map::new(), Map::new());
    let typed = |name: &str| form.iter().find(|(known, _)| *known == name).map(|(_, text)| text.trim());
    let words = |text: &str| json!(text.split_whitespace().collect::<Vec<_>>());
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    for (name, text) in TEXT_FIELDS.into_iter().filter_map(|name| Some((name, typed(name)?))) {
        match (name, is_saml) {
            ("name", _) => drop(body.insert("name".to_owned(), json!(text))),
            (DOMAINS_FIELD, _) => drop(body.insert(name.to_owned(), words(text))),
            ("subject", true) => drop(saml.insert(name.to_owned(), json!(text))),
            ("email" | "full_name", true) => drop(saml.insert(name.to_owned(), or_null(text))),
            ("scopes", false) => drop(body.insert(name.to_owned(), words(text))),
            ("issuer" | "client_id" | "authentication", false) => {
                drop(body.insert(name.to_owned(), json!(text)));
            }
            _ => {}
        }
    }
    if !saml.is_empty() {
        body.insert("saml".to_owned(), Value::Object(saml));
    }
    // An empty field keeps the stored value. A secret is used as entered; around metadata, white space is
    // ignored.
    if let Some(secret) = form.get(SECRET_FIELD).filter(|_| !is_saml) {
        body.insert(SECRET_FIELD.to_owned(), json!(secret));
    }
    if let Some(document) = form.get(METADATA_FIELD).filter(|_| is_saml) {
        body.insert(METADATA_FIELD.to_owned(), json!(document.trim()));
    }
    body
}

/// Parses a new connection, with its issuer if the form contains one.
pub(super) fn parse_new_connection(
    form: &FormParams,
) -> Result<(Option<String>, ConnectionDraft), ActionError> {
    let is_saml = match form.get("action") {
        Some("saml") => true,
        Some("open_id") => false,
        Some(_) | None => return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)),
    };
    let mut body = connection_json(form, is_saml);
    if is_saml && !body.contains_key(METADATA_FIELD) {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::BadMetadata));
    }
    if let Some(saml) = body.get_mut("saml").and_then(Value::as_object_mut) {
        saml.retain(|_, value| !value.is_null());
    }
    let body = Value::Object(body);
    check_schema(&NEW_CONNECTION, &body)?;
    let new: NewConnectionInput =
        serde_json::from_value(body).map_err(|_| ActionError::ConsoleNotice(ConsoleNotice::NotPossible))?;
    new.into_connection_request().map_err(unreadable_input)
}

/// Parses a change. Fields that were not changed or are not in the form keep their values.
pub(super) fn parse_connection_changes(
    before: &ConnectionOverview,
    form: &FormParams,
) -> Result<ConnectionDraft, ActionError> {
    let is_saml = before.connection.chosen.saml_settings().is_some();
    let sent = SubmittedForm::from_form(form.clone());
    // Without the displayed values, changes cannot be determined.
    sent.original_fingerprints(TEXT_FIELDS.len())
        .ok_or(ActionError::ConsoleNotice(ConsoleNotice::Changed))?;
    let same = |(name, text): &(&str, &str)| TEXT_FIELDS.contains(name) && sent.was_original(name, text);
    let changed = form.iter().filter(|field| !same(field));
    let changed =
        FormParams::from_pairs(changed.map(|(name, text)| (name.to_owned(), text.to_owned())).collect());
    // Domains can be routed to another connection without changing this one's version.
    if changed.iter().any(|(name, _)| name == DOMAINS_FIELD)
        && !sent.was_original(DOMAINS_FIELD, &domain_lines(before))
    {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::Changed));
    }
    let mut patch = connection_json(&changed, is_saml);
    // The issuer cannot change.
    patch.remove("issuer");
    let patch = Value::Object(patch);
    check_schema(&CONNECTION_PATCH, &patch)?;
    merge_into_connection(before, patch)
}

/// The same connection, enabled or disabled.
pub(super) fn with_enabled(before: &ConnectionOverview, on: bool) -> ConnectionDraft {
    ConnectionDraft {
        chosen: before.connection.chosen.clone(),
        secret: None,
        domains: before.domains.iter().map(ToString::to_string).collect(),
        is_enabled: on,
        metadata: None,
    }
}

fn merge_into_connection(before: &ConnectionOverview, patch: Value) -> Result<ConnectionDraft, ActionError> {
    let impossible = |_| ActionError::ConsoleNotice(ConsoleNotice::NotPossible);
    let body = serde_json::to_value(ConnectionInput::from_connection(before)).map_err(impossible)?;
    let text: ConnectionInput = serde_json::from_value(apply_merge_patch(body, patch)).map_err(impossible)?;
    text.into_connection_request().map_err(unreadable_input)
}

/// Checks the API's schema.
fn check_schema(schema: &NamedSchema, body: &Value) -> Result<(), ActionError> {
    match SCHEMA_REGISTRY.check(schema, body).iter().next() {
        Some(fault) => Err(ActionError::ConsoleNotice(notice_for_pointer(&fault.pointer))),
        None => Ok(()),
    }
}

fn unreadable_input(refusal: Refusal) -> ActionError {
    ActionError::from_fields(refusal, notice_for_pointer)
}

/// Converts a refusal to the notice of the first invalid field.
pub(super) fn connection_error(form: &FormParams, refusal: Refusal) -> ActionError {
    match (unreadable_input(refusal), form.get("action")) {
        // The issuer of a SAML provider is in its metadata.
        (ActionError::ConsoleNotice(ConsoleNotice::BadIssuer), Some("saml")) => {
            ActionError::ConsoleNotice(ConsoleNotice::ProviderTaken)
        }
        (trouble, _) => trouble,
    }
}

/// The notice for an error at this pointer.
fn notice_for_pointer(pointer: &str) -> ConsoleNotice {
    let mut places = pointer.trim_start_matches('/').split('/');
    match (places.next().unwrap_or_default(), places.next()) {
        ("name", _) => ConsoleNotice::NoName,
        ("issuer", _) => ConsoleNotice::BadIssuer,
        ("client_id", _) => ConsoleNotice::BadClientId,
        (SECRET_FIELD, _) => ConsoleNotice::BadClientSecret,
        ("scopes", _) => ConsoleNotice::BadScopes,
        (METADATA_FIELD, _) | ("saml", Some("sso_url" | "certificates")) => ConsoleNotice::BadMetadata,
        ("saml", Some("subject")) => ConsoleNotice::BadSubject,
        ("saml", Some("email")) => ConsoleNotice::BadAttribute,
        ("saml", Some("full_name")) => ConsoleNotice::BadNameAttribute,
        (DOMAINS_FIELD, _) => ConsoleNotice::BadDomains,
        _ => ConsoleNotice::OverTheApi,
    }
}
