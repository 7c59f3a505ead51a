//! Handlers of the account's profile and session.

use crate::accounts::account_request::begin_account_request;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sinete_core::accounts::language::Language;
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::accounts::standard_claims::{
    AddressText, Birthdate, Locale, StandardClaims, TimeZone, WebAddress,
};
use sinete_core::id::AccountId;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Failure;
use sinete_engine::accounts::deletion;
use sinete_engine::accounts::profile;
use sinete_engine::accounts::profile::{AccountRow, ProfileChange};
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_server::reply::json::{
    JsonTimestamp, json_response, no_content_response, serialize_json, with_etag,
};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn show_own_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    account_response(
        &management_request,
        &profile::show(management_request.engine(), &management_request.caller).await?,
    )
}

pub(crate) async fn update_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let expected_version = management_request.if_match_version()?;
    let before = profile::show(management_request.engine(), &management_request.caller).await?;
    let changed = management_request
        .apply_merge_patch::<AccountPatch>(&AccountPatch::from_account(&before)?)?
        .into_account_changes()?;
    account_response(
        &management_request,
        &profile::change(management_request.engine(), &management_request.caller, expected_version, &changed)
            .await?,
    )
}

pub(crate) async fn delete_account(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    deletion::delete_account(management_request.engine(), &management_request.caller).await?;
    Ok(no_content_response())
}

pub(crate) fn account_response(
    management_request: &ManagementRequest<AccountHolder>,
    account: &AccountRow,
) -> HandlerResult {
    let account_holder = &management_request.caller;
    let session = &account_holder.signed_in.session;
    let view = OwnAccountView {
        account: OwnAccountProfile::from_account(account)?,
        session: CurrentSessionState {
            id: session.id.to_string(),
            acr: account_holder.signed_in.assurance.acr(),
            amr: account_holder.signed_in.evidence.amr_values().into_iter().collect(),
            authenticated_at: JsonTimestamp(session.authenticated_at),
            csrf_token: account_holder.csrf_token(management_request.engine()),
        },
    };
    Ok(with_etag(json_response(StatusCode::OK, serialize_json(&view)?), account.version))
}

/// The account, as returned.
#[derive(Serialize)]
struct OwnAccountView {
    #[serde(flatten)]
    account: OwnAccountProfile,
    session: CurrentSessionState,
}

/// The account's own data.
#[derive(Serialize)]
pub(crate) struct OwnAccountProfile {
    id: AccountId,
    language: Option<String>,
    profile: Map<String, Value>,
    created_at: JsonTimestamp,
    version: i64,
}

impl OwnAccountProfile {
    pub(crate) fn from_account(account: &AccountRow) -> Result<Self, HandlerError> {
        Ok(Self {
            id: account.id,
            language: account.language.clone(),
            profile: account.profile.parse().map_err(Failure::from)?,
            created_at: JsonTimestamp(account.created_at),
            version: account.version,
        })
    }
}

#[derive(Serialize)]
struct CurrentSessionState {
    id: String,
    acr: &'static str,
    amr: Vec<&'static str>,
    authenticated_at: JsonTimestamp,
    csrf_token: String,
}

/// A change of the account.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountPatch {
    #[serde(default)]
    language: Option<Language>,
    #[serde(default)]
    profile: Map<String, Value>,
}

impl AccountPatch {
    fn from_account(account: &AccountRow) -> Result<Self, HandlerError> {
        let mut profile: Map<String, Value> = account.profile.parse().map_err(Failure::from)?;
        profile.remove("updated_at");
        let language = account.language.as_deref().and_then(Language::from_locale_list);
        Ok(Self { language, profile })
    }

    fn into_account_changes(self) -> Result<ProfileChange, HandlerError> {
        let mut errors = ValidationErrors::default();
        for (name, value) in &self.profile {
            match value.as_object() {
                None => check_claim(&mut errors, &format!("/profile/{name}"), name, value),
                Some(parts) => {
                    for (part, value) in parts {
                        check_claim(&mut errors, &format!("/profile/{name}/{part}"), part, value);
                    }
                }
            }
        }
        match StandardClaims::deserialize(Value::Object(self.profile)) {
            Ok(claims) if errors.is_empty() => Ok(ProfileChange { claims, language: self.language }),
            _ => {
                if errors.is_empty() {
                    errors.add(
                        "/profile",
                        "is not a valid profile; compare it with the schema in /openapi.json",
                    );
                }
                Err(Refusal::from_validation_errors(errors).into())
            }
        }
    }
}

/// Adds the errors of one claim.
fn check_claim(errors: &mut ValidationErrors, pointer: &str, name: &str, value: &Value) {
    let Some(text) = value.as_str() else { return };
    let wrong = match name {
        "profile" | "picture" | "website" => {
            text.parse::<WebAddress>().err().map(|invalid_claim| invalid_claim.to_string())
        }
        "birthdate" => text.parse::<Birthdate>().err().map(|invalid_claim| invalid_claim.to_string()),
        "zoneinfo" => text.parse::<TimeZone>().err().map(|invalid_claim| invalid_claim.to_string()),
        "locale" => text.parse::<Locale>().err().map(|invalid_claim| invalid_claim.to_string()),
        "formatted" | "street_address" => {
            text.parse::<AddressText>().err().map(|invalid_claim| invalid_claim.to_string())
        }
        _ => ProfileText::try_from(text.to_owned()).err().map(|profile_text| profile_text.to_string()),
    };
    if let Some(message) = wrong {
        errors.add(pointer, message);
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&ACCOUNT, &PROFILE, &ACCOUNT_PATCH];

/// The schema of the resource.
pub(crate) const ACCOUNT: NamedSchema = NamedSchema::from_json(
    "Account",
    r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "language", "profile", "created_at", "version", "session"],
        "properties": {
            "id": {"type": "string", "format": "uuid", "description": "The id of the account. It is not in any token."},
            "language": {"type": ["string", "null"], "enum": ["en", "pt", "pt-PT", "es", "pt-BR", null]},
            "profile": {"$ref": "#/components/schemas/AccountProfile"},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "description": "The version, which is also the `ETag`."},
            "session": {
                "type": "object", "additionalProperties": false,
                "required": ["id", "acr", "amr", "authenticated_at", "csrf_token"],
                "description": "The session of this request, with its current assurance.",
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "acr": {"type": "string", "enum": ["urn:sinete:aal:1", "urn:sinete:aal:2"]},
                    "amr": {"type": "array", "items": {"type": "string"}},
                    "authenticated_at": {"type": "string", "format": "date-time"},
                    "csrf_token": {"type": "string", "description": "The CSRF token, which a change that is authenticated by cookie must send as `X-CSRF-Token`."}
                }
            }
        }
    }"##,
);

/// The schema of the standard claims.
const PROFILE: NamedSchema = NamedSchema::from_json(
    "AccountProfile",
    r##"{
        "type": "object", "additionalProperties": false,
        "description": "The standard claims of OpenID Connect, as set by the user.",
        "properties": {
            "name": {"type": "string"}, "given_name": {"type": "string"}, "family_name": {"type": "string"},
            "middle_name": {"type": "string"}, "nickname": {"type": "string"},
            "preferred_username": {"type": "string"},
            "profile": {"type": "string", "format": "uri"}, "picture": {"type": "string", "format": "uri"},
            "website": {"type": "string", "format": "uri"},
            "gender": {"type": "string"}, "birthdate": {"type": "string"},
            "zoneinfo": {"type": "string"}, "locale": {"type": "string"},
            "address": {
                "type": "object", "additionalProperties": false,
                "properties": {
                    "formatted": {"type": "string"}, "street_address": {"type": "string"},
                    "locality": {"type": "string"}, "region": {"type": "string"},
                    "postal_code": {"type": "string"}, "country": {"type": "string"}
                }
            },
            "updated_at": {"type": "integer", "description": "Seconds since 1970."}
        }
    }"##,
);

/// The schema of a change.
pub(crate) const ACCOUNT_PATCH: NamedSchema = NamedSchema::from_json(
    "AccountPatch",
    r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "language": {"type": ["string", "null"], "enum": ["en", "pt", "pt-PT", "es", "pt-BR", null]},
            "profile": {
                "type": ["object", "null"], "additionalProperties": false,
                "description": "A JSON merge patch: members that are present are set, null deletes a member, and absent members keep their values.",
                "properties": {
                    "name": {"type": ["string", "null"]}, "given_name": {"type": ["string", "null"]},
                    "family_name": {"type": ["string", "null"]}, "middle_name": {"type": ["string", "null"]},
                    "nickname": {"type": ["string", "null"]},
                    "preferred_username": {"type": ["string", "null"]},
                    "profile": {"type": ["string", "null"]}, "picture": {"type": ["string", "null"]},
                    "website": {"type": ["string", "null"]}, "gender": {"type": ["string", "null"]},
                    "birthdate": {"type": ["string", "null"]}, "zoneinfo": {"type": ["string", "null"]},
                    "locale": {"type": ["string", "null"]},
                    "address": {
                        "type": ["object", "null"], "additionalProperties": false,
                        "properties": {
                            "formatted": {"type": ["string", "null"]},
                            "street_address": {"type": ["string", "null"]},
                            "locality": {"type": ["string", "null"]}, "region": {"type": ["string", "null"]},
                            "postal_code": {"type": ["string", "null"]}, "country": {"type": ["string", "null"]}
                        }
                    }
                }
            }
        },
        "examples": [{"language": "pt", "profile": {"name": "Ana Souza", "birthdate": null}}]
    }"##,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_schemas_cover_every_standard_claim() {
        let claims_json = r#"{"name":"a","given_name":"a","family_name":"a","middle_name":"a","nickname":"a","preferred_username":"a","profile":"https://a.b","picture":"https://a.b","website":"https://a.b","gender":"a","birthdate":"1984","zoneinfo":"UTC","locale":"pt","address":{"formatted":"a","street_address":"a","locality":"a","region":"a","postal_code":"a","country":"a"},"updated_at":1}"#;
        let claims: StandardClaims = serde_json::from_str(claims_json).unwrap();
        // Every field is listed, so that a new one is not forgotten in the schemas.
        let StandardClaims {
            name: Some(_),
            given_name: Some(_),
            family_name: Some(_),
            middle_name: Some(_),
            nickname: Some(_),
            preferred_username: Some(_),
            profile: Some(_),
            picture: Some(_),
            website: Some(_),
            gender: Some(_),
            birthdate: Some(_),
            zoneinfo: Some(_),
            locale: Some(_),
            address: Some(_),
            updated_at: Some(_),
        } = &claims
        else {
            panic!("a claim is missing");
        };
        let mut value = serde_json::to_value(&claims).unwrap();
        assert!(
            crate::schema::SCHEMA_REGISTRY.check(&PROFILE, &value).is_empty(),
            "{:?}",
            crate::schema::SCHEMA_REGISTRY.check(&PROFILE, &value)
        );
        value.as_object_mut().unwrap().remove("updated_at");
        let patch = serde_json::json!({"profile": value});
        assert!(
            crate::schema::SCHEMA_REGISTRY.check(&ACCOUNT_PATCH, &patch).is_empty(),
            "{:?}",
            crate::schema::SCHEMA_REGISTRY.check(&ACCOUNT_PATCH, &patch)
        );
    }
}
