//! Converts an application's form to the input of the management API, and its errors to notices.

use super::super::members::parse_chosen_roles;
use super::super::{ActionError, PageContext};
use crate::console::applications::changes::{ApplicationChanges, TEXT_FIELDS, normalize_text};
use crate::console::flash_form::FlashForm;
use crate::management_api::merge_patch::apply_merge_patch;
use crate::oauth::clients::handlers::{CLIENT_PATCH, ClientPatch, NEW_CLIENT, NewClientInput};
use crate::schema::SCHEMA_REGISTRY;
use serde_json::{Map, Value, json};
use sinete_core::oauth::client_metadata::{ClientMetadata, GrantType};
use sinete_core::refusal::Refusal;
use sinete_engine::Failure;
use sinete_engine::oauth::clients::{ClientOverview, ClientUpdate, NewClientRequest};
use sinete_screens::console::application_types::ApplicationTypeChoice;
use sinete_screens::console::applications::{CLAIMS_IN_ID_TOKEN, GRANT_TYPES};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;
use sinete_server::schema::NamedSchema;
use std::collections::HashSet;

/// Parses a registration. The user who registers an agent becomes its owner.
pub(super) fn parse_new_application(
    context: &PageContext<'_>,
    form: &FormParams,
) -> Result<NewClientRequest, ActionError> {
    let mut body =
        match form.get("type").filter(|type_name| *type_name != ApplicationTypeChoice::Custom.name()) {
            Some(type_name) => application_of_type(type_name, form),
            None => custom_application(form),
        };
    if body["kind"] == "agent" || body["type"] == "agent" {
        body["owner"] = json!(context.access.membership);
    }
    if let Some(error) = check_schema(&NEW_CLIENT, &body, form) {
        return Err(error);
    }
    let Ok(new) = serde_json::from_value::<NewClientInput>(body) else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    with_form_error(new.into_client_request(), form)
}

/// An application whose settings follow from what it is. Fields that the form hides for this type are ignored.
fn application_of_type(type_name: &str, form: &FormParams) -> Value {
    let text = |name: &str| normalize_text(name, form.get(name).unwrap_or_default());
    let mut metadata = Map::from_iter([("client_name".to_owned(), json!(text("name")))]);
    let mut body = json!({"type": type_name});
    if ["service", "agent"].contains(&type_name) {
        body["purpose"] = json!(text("purpose"));
        body["roles"] = json!(parse_chosen_roles(form));
    } else {
        set_metadata_field(&mut metadata, "redirects", &text("redirects"));
        set_metadata_field(&mut metadata, "claims", &text("claims"));
    }
    set_metadata_field(&mut metadata, "role_claims", &text("role_claims"));
    metadata.retain(|_, value| !value.is_null());
    body["metadata"] = Value::Object(metadata);
    body
}

/// An application with every setting as entered.
fn custom_application(form: &FormParams) -> Value {
    let mut metadata = Map::new();
    write_typed_fields(&mut metadata, form);
    json!({
        "kind": form.get("kind").unwrap_or("application"),
        "purpose": form.get("purpose").unwrap_or_default().trim(),
        "roles": parse_chosen_roles(form),
        "metadata": metadata,
    })
}

/// The type that the form shows: the one of the rejected form, or the first.
pub(super) fn chosen_type(
    flash: Option<&FlashForm>,
    choices: &[ApplicationTypeChoice],
) -> ApplicationTypeChoice {
    let rejected = flash.filter(|flash| flash.has_input_of("register"));
    // A rejected form without a type has every setting.
    let name = rejected.map(|flash| flash.typed_field("type").unwrap_or("custom"));
    let choice = name.and_then(|name| choices.iter().copied().find(|it| it.name() == name));
    choice.or_else(|| choices.first().copied()).unwrap_or(ApplicationTypeChoice::Custom)
}

/// Parses a change. Fields that were not changed or are not in the form keep their values.
pub(super) fn parse_application_changes(
    before: &ClientOverview,
    form: &FormParams,
) -> Result<ClientUpdate, ActionError> {
    // Without the displayed values, changes cannot be determined.
    let Some(touched) = ApplicationChanges::from_form(form) else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::Changed));
    };
    let (mut patch, mut metadata) = (json!({}), Map::new());
    for (name, text) in touched.changed_texts() {
        match name {
            "purpose" => patch["purpose"] = json!(text),
            name => set_metadata_field(&mut metadata, name, text),
        }
    }
    if touched.has_grant_changes() {
        let before: ClientMetadata = before.client.metadata.parse().map_err(Failure::from)?;
        let current_grant_types: Vec<&str> =
            before.effective_grant_types().iter().copied().map(GrantType::as_str).collect();
        let choices = GRANT_TYPES.iter().filter(|it| {
            touched.changed_grant(it.name).unwrap_or(current_grant_types.contains(&it.grant_type))
        });
        metadata.insert("grant_types".to_owned(), json!(choices.map(|it| it.grant_type).collect::<Vec<_>>()));
    }
    patch["metadata"] = Value::Object(metadata);
    if let Some(roles) = touched.resulting_roles() {
        // Roles can change without changing the application's version.
        let (current_roles, original_roles): (HashSet<_>, _) =
            (before.role_ids().into_iter().collect(), &touched.original_roles);
        if current_roles != original_roles.iter().copied().collect() {
            return Err(ActionError::ConsoleNotice(ConsoleNotice::Changed));
        }
        patch["roles"] = json!(roles);
    }
    if let Some(error) = check_schema(&CLIENT_PATCH, &patch, form) {
        return Err(error);
    }
    let body = serde_json::to_value(ClientPatch::from_client(before)?).map_err(|_| Failure::Interrupted)?;
    let body = apply_merge_patch(body, patch);
    let Ok(patch) = serde_json::from_value::<ClientPatch>(body) else {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    };
    with_form_error(patch.into_client_changes(before), form)
}

/// Adds the entered fields to new metadata.
fn write_typed_fields(metadata: &mut Map<String, Value>, form: &FormParams) {
    for name in TEXT_FIELDS.into_iter().filter(|name| *name != "purpose") {
        let default_value = if name == "proof" { "client_secret_basic" } else { "" };
        set_metadata_field(metadata, name, &normalize_text(name, form.get(name).unwrap_or(default_value)));
    }
    let choices = GRANT_TYPES.iter().filter(|grant| form.get(&format!("grant.{}", grant.name)).is_some());
    metadata
        .insert("grant_types".to_owned(), json!(choices.map(|grant| grant.grant_type).collect::<Vec<_>>()));
    metadata.retain(|_, value| !value.is_null());
}

/// Sets a field. A cleared field is null, as in a merge patch.
fn set_metadata_field(metadata: &mut Map<String, Value>, name: &str, text: &str) {
    let (member, value) = match name {
        "name" => ("client_name", json!(text)),
        "redirects" => ("redirect_uris", json!(text.lines().collect::<Vec<_>>())),
        "proof" => ("token_endpoint_auth_method", json!(text)),
        // An empty scope means none; omitted, it would mean all identity scopes.
        "scope" => ("scope", json!(text)),
        "keys" => ("jwks_uri", if text.is_empty() { Value::Null } else { json!(text) }),
        "claims" => {
            let included = if text == CLAIMS_IN_ID_TOKEN { Value::Bool(true) } else { Value::Null };
            ("include_claims_in_id_token", included)
        }
        "role_claims" => {
            let names: Vec<&str> = text.split_whitespace().collect();
            ("role_claims", if names.is_empty() { Value::Null } else { json!(names) })
        }
        _ => return,
    };
    // `jwks_uri` and `jwks` exclude each other.
    if name == "keys" && !text.is_empty() {
        metadata.insert("jwks".to_owned(), Value::Null);
    }
    metadata.insert(member.to_owned(), value);
}

/// The first violation of the API's schema.
fn check_schema(schema: &NamedSchema, body: &Value, form: &FormParams) -> Option<ActionError> {
    let errors = SCHEMA_REGISTRY.check(schema, body);
    let notice = purpose_error(notice_for_pointer(&errors.iter().next()?.pointer), form);
    Some(ActionError::ConsoleNotice(match notice {
        // An authentication method that does not exist was not selected from the list.
        ConsoleNotice::MustProve => ConsoleNotice::NotPossible,
        ConsoleNotice::NeedsRole => ConsoleNotice::TooMuch,
        notice => notice,
    }))
}

fn with_form_error<T>(read: Result<T, HandlerError>, form: &FormParams) -> Result<T, ActionError> {
    match read {
        Ok(read) => Ok(read),
        Err(HandlerError::Refused(refusal)) => Err(application_error(refusal, form)),
        Err(error) => Err(error.into()),
    }
}

/// Converts a refusal to the notice of the first invalid field.
pub(super) fn application_error(refusal: Refusal, form: &FormParams) -> ActionError {
    ActionError::from_fields(refusal, |pointer| purpose_error(notice_for_pointer(pointer), form))
}

/// Distinguishes a missing from an invalid purpose.
fn purpose_error(notice: ConsoleNotice, form: &FormParams) -> ConsoleNotice {
    let is_said = form.get("purpose").is_some_and(|text| !text.trim().is_empty());
    if notice == ConsoleNotice::NoPurpose && is_said { ConsoleNotice::BadDescription } else { notice }
}

/// The notice for an error at this pointer.
fn notice_for_pointer(pointer: &str) -> ConsoleNotice {
    let path = pointer.strip_prefix("/metadata").unwrap_or(pointer);
    let member = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    match member {
        "client_name" => ConsoleNotice::NoName,
        "purpose" => ConsoleNotice::NoPurpose,
        "redirect_uris" => ConsoleNotice::BadRedirects,
        "token_endpoint_auth_method" => ConsoleNotice::MustProve,
        "jwks" | "jwks_uri" => ConsoleNotice::BadPublicKeys,
        "grant_types" | "response_types" => ConsoleNotice::BadGrants,
        "scope" => ConsoleNotice::BadScope,
        "roles" => ConsoleNotice::NeedsRole,
        "kind" => ConsoleNotice::NotPossible,
        // The form has no other fields.
        _ => ConsoleNotice::OverTheApi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: &str, before: Value) -> Value {
        let mut metadata = before;
        write_typed_fields(metadata.as_object_mut().unwrap(), &FormParams::parse(form.as_bytes()).unwrap());
        metadata
    }

    #[test]
    fn application_form_converts_to_client_metadata() {
        let form = "name=+Ledger+&redirects=https%3A%2F%2Fa.example%2Fcb%0D%0A%0D%0A+http%3A%2F%2Flocalhost%2Fcb&\
                    grant.code=on&grant.own=on&proof=none&keys=&scope=openid+email";
        let expected = json!({
            "client_name": "Ledger",
            "redirect_uris": ["https://a.example/cb", "http://localhost/cb"],
            "grant_types": ["authorization_code", "client_credentials"],
            "token_endpoint_auth_method": "none",
            "scope": "openid email",
        });
        assert_eq!(written(form, json!({})), expected);
        let nothing = written("name=Ledger&scope=", json!({}));
        assert_eq!(nothing["scope"], "", "an empty scope is nothing, not everything");
    }

    #[test]
    fn application_form_choices_of_claims_convert_to_client_metadata() {
        let metadata = written("name=Ledger&scope=&claims=id_token&role_claims=groups+roles", json!({}));
        assert_eq!(metadata["include_claims_in_id_token"], true);
        assert_eq!(metadata["role_claims"], json!(["groups", "roles"]));
        for form in ["name=Ledger&scope=&claims=&role_claims=", "name=Ledger&scope=&claims=all"] {
            let none = written(form, json!({}));
            assert!(none.get("include_claims_in_id_token").is_none(), "{none}");
            assert!(none.get("role_claims").is_none(), "{none}");
        }
    }

    #[test]
    fn application_form_jwks_uri_replaces_inline_jwks() {
        let mut patch = Map::new();
        set_metadata_field(&mut patch, "keys", "https://a.example/keys");
        let patched =
            apply_merge_patch(json!({"jwks": {"keys": []}, "contacts": ["c"]}), Value::Object(patch.clone()));
        assert_eq!(patched, json!({"jwks_uri": "https://a.example/keys", "contacts": ["c"]}));
        set_metadata_field(&mut patch, "keys", "");
        assert_eq!(patch["jwks_uri"], Value::Null);
    }

    #[test]
    fn application_form_errors_map_to_their_field() {
        for (pointer, notice) in [
            ("/metadata/client_name", ConsoleNotice::NoName),
            ("/metadata/redirect_uris/3", ConsoleNotice::BadRedirects),
            ("/metadata/scope", ConsoleNotice::BadScope),
            ("/metadata/grant_types", ConsoleNotice::BadGrants),
            ("/metadata/token_endpoint_auth_method", ConsoleNotice::MustProve),
            ("/metadata/jwks", ConsoleNotice::BadPublicKeys),
            ("/roles", ConsoleNotice::NeedsRole),
            ("/roles/1", ConsoleNotice::NeedsRole),
            ("/purpose", ConsoleNotice::NoPurpose),
            ("/metadata/logo_uri", ConsoleNotice::OverTheApi),
            ("/owner", ConsoleNotice::OverTheApi),
            ("/kind", ConsoleNotice::NotPossible),
        ] {
            assert_eq!(notice_for_pointer(pointer), notice, "{pointer}");
        }
    }

    #[test]
    fn application_form_offers_every_grant_type_and_authentication_method() {
        use sinete_core::oauth::client_metadata::ClientAuthMethod;
        use sinete_screens::console::applications::AUTH_METHODS;
        assert_eq!(GRANT_TYPES.map(|grant| grant.grant_type), GrantType::ALL.map(GrantType::as_str));
        let known_methods = ClientAuthMethod::ALL.map(ClientAuthMethod::as_str);
        assert!(AUTH_METHODS.iter().all(|proof| known_methods.contains(proof)));
    }

    /// The members of a registration that the form does not have, with the reason.
    const WITHOUT_FIELD: &[(&str, &str)] = &[
        ("id", "only operators choose the client_id"),
        ("owner", "the user who registers an agent becomes its owner; all settings change it"),
        ("verified", "only operators verify clients"),
    ];

    #[test]
    fn application_registration_has_a_field_or_a_reason_for_every_member_of_the_api() {
        let form = FormParams::parse(b"name=Ledger&kind=service&purpose=Books").unwrap();
        let bodies = [custom_application(&form), application_of_type("service", &form)];
        let schema = SCHEMA_REGISTRY.find(NEW_CLIENT.name).unwrap();
        for member in schema["properties"].as_object().unwrap().keys() {
            let has_field = bodies.iter().any(|body| body.get(member).is_some());
            let has_reason = WITHOUT_FIELD.iter().any(|(listed_member, _)| *listed_member == member.as_str());
            assert!(has_field != has_reason, "{member} is on the form: {has_field}");
        }
    }
}
