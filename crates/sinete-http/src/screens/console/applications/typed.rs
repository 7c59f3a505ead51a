//! What is typed about an application, as the management API writes it, and what the console calls what is wrong with it.

use super::super::members::chosen;
use super::super::{ActionError, PageContext};
use super::touched::{ApplicationChanges, TEXTS, plain};
use crate::extract::pairs::FormParams;
use crate::manage::clients::{CLIENT_PATCH, ClientPatch, NEW_CLIENT, NewClientInput};
use crate::manage::merge::merged;
use crate::reply::HandlerError;
use crate::schema::NamedSchema;
use serde_json::{Map, Value, json};
use sinete_core::client::metadata::{ClientMetadata, GrantType};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::Failure;
use sinete_engine::clients::{ClientOverview, ClientRequest, ClientUpdate};
use sinete_screens::console::applications::GRANTS;
use sinete_screens::console::said::ConsoleNotice;
use std::collections::HashSet;

/// The application that a form asks for. Whoever registers an agent answers for it.
pub(super) fn wanted(
    work: &PageContext<'_>,
    form: &FormParams,
) -> Result<Result<ClientRequest, ActionError>, HandlerError> {
    let kind = form.get("kind").unwrap_or("application");
    let mut metadata = Map::new();
    write(&mut metadata, form);
    let mut body = json!({
        "kind": kind,
        "purpose": form.get("purpose").unwrap_or_default().trim(),
        "roles": chosen(form),
        "metadata": metadata,
    });
    if kind == "agent" {
        body["owner"] = json!(work.at.membership);
    }
    if let Some(trouble) = unfit(&NEW_CLIENT, &body, form) {
        return Ok(Err(trouble));
    }
    let Ok(new) = serde_json::from_value::<NewClientInput>(body) else {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    };
    told(new.wanted(), form)
}

/// What a form makes of an application. What nobody changed in it stays as it is, and so does what it does not speak of.
pub(super) fn changed(
    before: &ClientOverview,
    form: &FormParams,
) -> Result<Result<ClientUpdate, ActionError>, HandlerError> {
    // A form that does not say what was shown cannot say what was changed.
    let Some(touched) = ApplicationChanges::of(form) else {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::Changed)));
    };
    let (mut patch, mut metadata) = (json!({}), Map::new());
    for (name, text) in touched.texts() {
        match name {
            "purpose" => patch["purpose"] = json!(text),
            name => put(&mut metadata, name, text),
        }
    }
    if touched.has_grants() {
        let before: ClientMetadata = before.client.metadata.read().map_err(Failure::from)?;
        let held: Vec<&str> = before.grants().iter().copied().map(GrantType::as_str).collect();
        let ticked = GRANTS.iter().filter(|it| touched.grant(it.name).unwrap_or(held.contains(&it.wire)));
        metadata.insert("grant_types".to_owned(), json!(ticked.map(|it| it.wire).collect::<Vec<_>>()));
    }
    patch["metadata"] = Value::Object(metadata);
    if let Some(roles) = touched.roles() {
        // Others give and take roles without changing the application.
        let (carried, shown): (HashSet<_>, _) = (before.carried().into_iter().collect(), &touched.shown);
        if carried != shown.iter().copied().collect() {
            return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::Changed)));
        }
        patch["roles"] = json!(roles);
    }
    if let Some(trouble) = unfit(&CLIENT_PATCH, &patch, form) {
        return Ok(Err(trouble));
    }
    let body = serde_json::to_value(ClientPatch::of(before)?).map_err(|_| Failure::Interrupted)?;
    let body = merged(body, patch);
    let Ok(patch) = serde_json::from_value::<ClientPatch>(body) else {
        return Ok(Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible)));
    };
    told(patch.changed(before), form)
}

/// Puts what was typed where nothing was.
fn write(metadata: &mut Map<String, Value>, form: &FormParams) {
    for name in TEXTS.into_iter().filter(|name| *name != "purpose") {
        let usual = if name == "proof" { "client_secret_basic" } else { "" };
        put(metadata, name, &plain(name, form.get(name).unwrap_or(usual)));
    }
    let ticked = GRANTS.iter().filter(|grant| form.get(&format!("grant.{}", grant.name)).is_some());
    metadata.insert("grant_types".to_owned(), json!(ticked.map(|grant| grant.wire).collect::<Vec<_>>()));
    metadata.retain(|_, value| !value.is_null());
}

/// Puts down what was typed into a field. What is to go is null, as in a patch.
fn put(metadata: &mut Map<String, Value>, name: &str, text: &str) {
    let (member, value) = match name {
        "name" => ("client_name", json!(text)),
        "redirects" => ("redirect_uris", json!(text.lines().collect::<Vec<_>>())),
        "proof" => ("token_endpoint_auth_method", json!(text)),
        // An empty scope is nothing at all; left out, it would be everything about a person.
        "scope" => ("scope", json!(text)),
        "keys" => ("jwks_uri", if text.is_empty() { Value::Null } else { json!(text) }),
        _ => return,
    };
    // Keys are published or written down here, never both.
    if name == "keys" && !text.is_empty() {
        metadata.insert("jwks".to_owned(), Value::Null);
    }
    metadata.insert(member.to_owned(), value);
}

/// What the API's own schema does not allow in what a form makes.
fn unfit(schema: &NamedSchema, body: &Value, form: &FormParams) -> Option<ActionError> {
    let faults = schema.check(body);
    let said = typed(said_of(&faults.iter().next()?.pointer), form);
    Some(ActionError::ConsoleNotice(match said {
        // A way of proving oneself that there is not was not chosen from what was offered.
        ConsoleNotice::MustProve => ConsoleNotice::NotPossible,
        ConsoleNotice::NeedsRole => ConsoleNotice::TooMuch,
        said => said,
    }))
}

fn told<T>(read: Result<T, HandlerError>, form: &FormParams) -> Result<Result<T, ActionError>, HandlerError> {
    match read {
        Ok(read) => Ok(Ok(read)),
        Err(HandlerError::Refused(refusal)) => Ok(Err(trouble(refusal, ConsoleNotice::NotPossible, form))),
        Err(declined) => Err(declined),
    }
}

/// A form about an application was refused. The first thing that is wrong is told beside its field.
pub(super) fn trouble(refusal: Refusal, conflict: ConsoleNotice, form: &FormParams) -> ActionError {
    let first = refusal.faults().iter().next().map(|fault| typed(said_of(&fault.pointer), form));
    match (refusal.code(), first) {
        (RefusalCode::Unprocessable, Some(said)) => ActionError::ConsoleNotice(said),
        _ => ActionError::of_roles(refusal, conflict, form),
    }
}

/// The same, where it depends on what was typed: whoever said what something is for said it too long, or unreadably.
fn typed(said: ConsoleNotice, form: &FormParams) -> ConsoleNotice {
    let is_said = form.get("purpose").is_some_and(|text| !text.trim().is_empty());
    if said == ConsoleNotice::NoPurpose && is_said { ConsoleNotice::BadDescription } else { said }
}

/// What is wrong at this place of the document that the API takes.
fn said_of(pointer: &str) -> ConsoleNotice {
    let place = pointer.strip_prefix("/metadata").unwrap_or(pointer);
    let member = place.trim_start_matches('/').split('/').next().unwrap_or_default();
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
        // The form does not speak of anything else.
        _ => ConsoleNotice::OverTheApi,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: &str, before: Value) -> Value {
        let mut metadata = before;
        write(metadata.as_object_mut().unwrap(), &FormParams::parse(form.as_bytes()).unwrap());
        metadata
    }

    #[test]
    fn what_is_typed_becomes_what_the_api_takes() {
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
    fn an_address_of_keys_takes_the_place_of_keys_that_were_written_down() {
        let mut patch = Map::new();
        put(&mut patch, "keys", "https://a.example/keys");
        let patched = merged(json!({"jwks": {"keys": []}, "contacts": ["c"]}), Value::Object(patch.clone()));
        assert_eq!(patched, json!({"jwks_uri": "https://a.example/keys", "contacts": ["c"]}));
        put(&mut patch, "keys", "");
        assert_eq!(patch["jwks_uri"], Value::Null);
    }

    #[test]
    fn what_is_wrong_is_told_where_it_was_typed() {
        for (pointer, said) in [
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
            assert_eq!(said_of(pointer), said, "{pointer}");
        }
    }

    #[test]
    fn every_way_of_getting_tokens_is_offered_by_the_name_it_goes_by() {
        use sinete_core::client::metadata::ClientAuthMethod;
        use sinete_screens::console::applications::PROOFS;
        assert_eq!(GRANTS.map(|grant| grant.wire), GrantType::ALL.map(GrantType::as_str));
        let known = ClientAuthMethod::ALL.map(ClientAuthMethod::as_str);
        assert!(PROOFS.iter().all(|proof| known.contains(proof)));
    }
}
