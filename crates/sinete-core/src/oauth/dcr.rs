//! Dynamic client registration requests and responses (RFC 7591): unknown members are ignored, known ones are
//! validated, and all errors are reported at once.

use super::client_metadata::{ClientMetadata, GrantType, ResponseType, SubjectType};
use super::redirect_uri::{RedirectUri, parse_submitted_uri};
use crate::access_control::permission_catalog::is_built_in_resource;
use crate::access_control::scope::ScopeSet;
use crate::oauth::scope_ceiling::describe_invalid_scope;
use crate::refusal::Refusal;
use crate::refusal::oauth::OAuthRefusal;
use crate::validation::ValidationErrors;
use serde::Deserialize as _;
use serde_json::{Map, Value};

/// Who registers a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientRegistrar {
    /// The client itself; it is untrusted.
    Client,
    /// An administrator, for their organization, which the client then belongs to.
    Organization,
}

/// Parses and validates metadata from this registrar.
pub fn parse_registration(
    document: &Map<String, Value>,
    registrar: ClientRegistrar,
) -> Result<ClientMetadata, Refusal> {
    let (known_members, mut addresses, mut errors) =
        (select_known_members(document), ValidationErrors::default(), ValidationErrors::default());
    for (member, value) in &known_members {
        match member.as_str() {
            "redirect_uris" | "post_logout_redirect_uris" => read_addresses(member, value, &mut addresses),
            "scope" => read_scope(value, &mut errors),
            _ if is_supported_member(member, value) => {}
            _ => errors.add(
                format!("/{member}"),
                "has a value that is not supported; see the discovery \
                document",
            ),
        }
    }
    if !addresses.is_empty() || !errors.is_empty() {
        return Err(registration_refusal(&addresses, &errors));
    }
    let Ok(mut metadata) = ClientMetadata::deserialize(Value::Object(known_members)) else {
        errors.add("", "is not valid client metadata; compare it with the schema in /openapi.json");
        return Err(registration_refusal(&addresses, &errors));
    };
    if metadata.client_name.is_empty() {
        metadata.client_name = fallback_name(&metadata);
    }
    validate_registration(&metadata, registrar)?;
    Ok(metadata)
}

/// Checks whether this registrar may register such a client.
pub fn validate_registration(metadata: &ClientMetadata, registrar: ClientRegistrar) -> Result<(), Refusal> {
    let (addresses, mut errors) = (metadata.validate_redirect_uris(), metadata.validate());
    let acts_for_itself = metadata.effective_grant_types().contains(&GrantType::ClientCredentials);
    if acts_for_itself && registrar == ClientRegistrar::Client {
        let text = "client_credentials is not allowed in open registration; register the client with the token of an \
             organization";
        errors.add("/grant_types", text);
    }
    let permissions = metadata.allowed_scopes().permissions();
    if let Some(built_in_permission) =
        permissions.iter().find(|permission| is_built_in_resource(permission.resource()))
    {
        let text = format!(
            "{built_in_permission} is a permission of this service, which only a verified client may request"
        );
        errors.add("/scope", text);
    }
    if addresses.is_empty() && errors.is_empty() {
        Ok(())
    } else {
        Err(registration_refusal(&addresses, &errors))
    }
}

/// Whether the sector identifier document lists all redirect URIs of the client (OpenID Registration §5).
pub fn check_sector_document(document: &[u8], redirect_uris: &[RedirectUri]) -> bool {
    let listed_uris: Vec<String> = serde_json::from_slice(document).unwrap_or_default();
    redirect_uris.iter().all(|uri| listed_uris.iter().any(|it| it == uri.as_str()))
}

/// The metadata returned in a registration response, including defaults. A client that registered itself
/// without a scope has no ceiling of its own, so none is returned.
pub fn describe_metadata(metadata: &ClientMetadata, registrar: ClientRegistrar) -> Map<String, Value> {
    let Ok(Value::Object(mut members)) = serde_json::to_value(metadata) else { return Map::new() };
    members.retain(|name, _| !RESTRICTED_MEMBERS.contains(&name.as_str()));
    members.extend(metadata.localized.iter().map(|(name, text)| (name.clone(), text.as_str().into())));
    let grants: Vec<_> = metadata.effective_grant_types().into_iter().map(GrantType::as_str).collect();
    let answers: Vec<_> = match metadata.effective_grant_types().contains(&GrantType::AuthorizationCode) {
        true => ResponseType::ALL.map(ResponseType::as_str).to_vec(),
        false => Vec::new(),
    };
    for (name, value) in [
        ("grant_types", grants.into()),
        ("response_types", answers.into()),
        ("subject_type", SubjectType::Public.as_str().into()),
        ("id_token_signed_response_alg", metadata.id_token_algorithm().as_str().into()),
    ] {
        members.entry(name).or_insert(value);
    }
    if registrar == ClientRegistrar::Organization {
        members.entry("scope").or_insert_with(|| metadata.allowed_scopes().to_string().into());
    }
    members
}

/// Keeps the known members and collects localized ones under one key. A null member counts as absent.
fn select_known_members(document: &Map<String, Value>) -> Map<String, Value> {
    let (mut known_members, mut localized) = (Map::new(), Map::new());
    for (name, value) in document.iter().filter(|(_, value)| !value.is_null()) {
        let plain = name.split_once('#').map(|(plain, _)| plain);
        if plain.is_some_and(|plain| LOCALIZABLE_MEMBERS.contains(&plain)) {
            localized.insert(name.clone(), value.clone());
        } else if ClientMetadata::MEMBERS.contains(&name.as_str())
            && !RESTRICTED_MEMBERS.contains(&name.as_str())
        {
            known_members.insert(name.clone(), value.clone());
        }
    }
    if !localized.is_empty() {
        known_members.insert(LOCALIZED_KEY.to_owned(), localized.into());
    }
    known_members
}

/// The members that can be localized (RFC 7591 §2.2).
const LOCALIZABLE_MEMBERS: [&str; 5] = ["client_name", "client_uri", "logo_uri", "tos_uri", "policy_uri"];
/// The key that holds localized members.
const LOCALIZED_KEY: &str = "localized";
/// Members that a client cannot set itself.
const RESTRICTED_MEMBERS: [&str; 4] = [LOCALIZED_KEY, "interaction_url", "consent", "serves"];

/// Whether we support this value of the member, checked in isolation.
fn is_supported_member(member: &str, value: &Value) -> bool {
    let alone = Map::from_iter([(member.to_owned(), value.clone())]);
    ClientMetadata::deserialize(Value::Object(alone)).is_ok()
}

fn read_addresses(member: &str, value: &Value, errors: &mut ValidationErrors) {
    let Some(addresses) = value.as_array() else {
        return errors.add(format!("/{member}"), "must be an array of URIs");
    };
    for (index, address) in addresses.iter().enumerate() {
        let pointer = format!("/{member}/{index}");
        match address.as_str() {
            Some(address) => drop(parse_submitted_uri(errors, pointer, address)),
            None => errors.add(pointer, "must be a URI"),
        }
    }
}

fn read_scope(value: &Value, errors: &mut ValidationErrors) {
    match value.as_str() {
        Some(scope) if scope.parse::<ScopeSet>().is_err() => {
            errors.add("/scope", describe_invalid_scope(scope))
        }
        Some(_) => {}
        None => errors.add("/scope", "must be a string of scopes separated by spaces"),
    }
}

/// The default name: the host of the redirect URI.
fn fallback_name(metadata: &ClientMetadata) -> String {
    let first = metadata.redirect_uris.first().and_then(|uri| url::Url::parse(uri.as_str()).ok());
    let host = first.as_ref().and_then(|uri| uri.host_str().map(str::to_owned));
    host.unwrap_or_else(|| "Unnamed application".to_owned())
}

/// Builds the refusal. Invalid redirect URIs have their own error code and take precedence.
fn registration_refusal(addresses: &ValidationErrors, others: &ValidationErrors) -> Refusal {
    let reason = match addresses.is_empty() {
        false => OAuthRefusal::RegistrationRedirectUriInvalid,
        true => OAuthRefusal::RegistrationRejected,
    };
    let mut errors = addresses.clone();
    errors.add_nested("", others);
    let detail = errors.iter().map(|fault| format!("{} ", fault.pointer)).collect::<String>();
    Refusal::because(reason, detail.trim_end()).with_validation_errors(errors)
}

#[cfg(test)]
mod tests;
