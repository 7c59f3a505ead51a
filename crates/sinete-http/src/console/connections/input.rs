//! The form of a connection as the input of the management API, and its errors as notices.

use super::super::{ActionError, PageContext};
use super::form::{
    DOMAINS_FIELD, METADATA_FIELD, METADATA_URL_FIELD, SECRET_FIELD, TEXT_FIELDS, domain_lines,
};
use crate::console::submitted_form::SubmittedForm;
use crate::identity_providers::connections::handlers::{
    CONNECTION_PATCH, ConnectionInput, NEW_CONNECTION, NewConnectionInput,
};
use crate::management_api::merge_patch::apply_merge_patch;
use crate::schema::SCHEMA_REGISTRY;
use serde_json::{Map, Value, json};
use sinete_core::refusal::identity_providers::IdentityProviderRefusal;
use sinete_core::refusal::{Refusal, RefusalCode, RefusalReason};
use sinete_engine::identity_providers::connections;
use sinete_engine::identity_providers::connections::{ConnectionDraft, ConnectionOverview};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::schema::NamedSchema;

/// Converts a form to the API's JSON. Missing fields are omitted.
fn connection_json(form: &FormParams, is_saml: bool) -> Map<String, Value> {
    let (mut body, mut saml) = (Map::new(), Map::new());
    let field_text = |name: &str| form.iter().find(|(key, _)| *key == name).map(|(_, text)| text.trim());
    let words = |text: &str| json!(text.split_whitespace().collect::<Vec<_>>());
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    for (name, text) in TEXT_FIELDS.into_iter().filter_map(|name| Some((name, field_text(name)?))) {
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

/// The form with the metadata that its URL leads to, if it has a URL and no metadata.
pub(super) async fn with_fetched_metadata(
    context: &PageContext<'_>,
    form: &FormParams,
) -> Result<FormParams, ActionError> {
    let url = form.get(METADATA_URL_FIELD).map(str::trim).filter(|_| form.get(METADATA_FIELD).is_none());
    let Some(url) = url else { return Ok(form.clone()) };
    let fetched =
        connections::fetch_metadata(context.engine(), context.access.organization_access(), url).await;
    let document = fetched.map_err(|error| {
        ActionError::from_engine(error, |refusal| match refusal.code() {
            RefusalCode::Unprocessable => ActionError::ConsoleNotice(ConsoleNotice::BadMetadataUrl),
            _ => ActionError::Refused(refusal),
        })
    })?;
    let others = form.iter().filter(|(name, _)| *name != METADATA_FIELD);
    let pairs = others.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(FormParams::from_pairs(pairs.chain([(METADATA_FIELD.to_owned(), document)]).collect()))
}

/// Parses a connection that the holder of a set-up link prepares; the error is the notice of the invalid field.
pub(in crate::console) fn parse_prepared_connection(
    form: &FormParams,
) -> Result<(Option<String>, ConnectionDraft), ConsoleNotice> {
    parse_new_connection(form).map_err(|error| match error {
        ActionError::ConsoleNotice(notice) => notice,
        ActionError::Fields { .. } | ActionError::Refused(..) | ActionError::Handler(_) => {
            ConsoleNotice::NotPossible
        }
    })
}

/// The notice of the first invalid field of a prepared connection.
pub(in crate::console) fn prepared_connection_notice(refusal: &Refusal) -> Option<ConsoleNotice> {
    match refusal.reason() {
        RefusalReason::IdentityProviders(IdentityProviderRefusal::ProviderNotDiscovered) => {
            Some(ConsoleNotice::NotDiscovered)
        }
        _ => refusal.validation_errors().iter().next().map(|fault| notice_for_pointer(&fault.pointer)),
    }
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
    let is_saml = before.connection.settings.saml_settings().is_some();
    let submitted_form = SubmittedForm::from_form(form.clone());
    // Without the displayed values, changes cannot be determined.
    submitted_form
        .original_fingerprints(TEXT_FIELDS.len())
        .ok_or(ActionError::ConsoleNotice(ConsoleNotice::Changed))?;
    let same =
        |(name, text): &(&str, &str)| TEXT_FIELDS.contains(name) && submitted_form.was_original(name, text);
    let changed = form.iter().filter(|field| !same(field));
    let changed =
        FormParams::from_pairs(changed.map(|(name, text)| (name.to_owned(), text.to_owned())).collect());
    // Domains can be routed to another connection without changing this one's version.
    if changed.iter().any(|(name, _)| name == DOMAINS_FIELD)
        && !submitted_form.was_original(DOMAINS_FIELD, &domain_lines(before))
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
        settings: before.connection.settings.clone(),
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
        (error, _) => error,
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
