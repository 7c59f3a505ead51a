//! Handlers of the account's credentials.

use crate::accounts::account_request::{begin_account_request, paginate_list};
use crate::management_api::pagination::ResourceView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::id::CredentialId;
use sinete_core::limits::CREDENTIAL_NAME_CHARACTERS_MAX;
use sinete_engine::sign_in::credentials;
use sinete_engine::sign_in::credentials::{ListedCredential, kind_name};
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_credentials(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let all = credentials::list(management_request.engine(), &management_request.caller).await?;
    paginate_list(&management_request, all)
}

pub(crate) async fn rename_credential(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    let name = management_request.parse_body::<CredentialNameInput>()?.name;
    let id = management_request.path_id("credential")?;
    let overview =
        credentials::rename(management_request.engine(), &management_request.caller, id, &name).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&overview.to_view()?)?))
}

pub(crate) async fn remove_credential(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = begin_account_request(state, request).await?;
    credentials::remove(
        management_request.engine(),
        &management_request.caller,
        management_request.path_id("credential")?,
    )
    .await?;
    Ok(no_content_response())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CredentialNameInput {
    #[schemars(length(min = 1, max = CREDENTIAL_NAME_CHARACTERS_MAX))]
    name: String,
}

/// A credential, as returned, without secrets.
#[derive(Serialize, JsonSchema)]
struct CredentialView<'a> {
    id: CredentialId,
    #[schemars(extend("enum" = ["passkey", "password", "totp", "recovery_codes"]))]
    kind: &'static str,
    /// The name that its owner gave it.
    name: &'a str,
    created_at: JsonTimestamp,
    used_at: Option<JsonTimestamp>,
    /// When its enrollment was confirmed. It can be used from then on.
    confirmed_at: Option<JsonTimestamp>,
    /// When it was disabled after too many failed attempts.
    disabled_at: Option<JsonTimestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passkey: Option<PasskeyView<'a>>,
    /// The number of unused recovery codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    codes_left: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct PasskeyView<'a> {
    /// Whether it can be synced to other devices (WebAuthn backup eligibility).
    backup_eligible: bool,
    /// Whether it was synced when it was last used (WebAuthn backup state).
    backed_up: bool,
    transports: &'a [String],
}

impl ResourceView for ListedCredential {
    fn cursor(&self) -> String {
        self.credential.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let credential = &self.credential;
        Ok(CredentialView {
            id: credential.id,
            kind: kind_name(credential.kind),
            name: &credential.name,
            created_at: JsonTimestamp(credential.created_at),
            used_at: credential.used_at.map(JsonTimestamp),
            confirmed_at: credential.confirmed_at.map(JsonTimestamp),
            disabled_at: credential.disabled_at.map(JsonTimestamp),
            passkey: self.passkey.as_ref().map(|passkey| PasskeyView {
                backup_eligible: passkey.backup_eligible,
                backed_up: passkey.backed_up,
                transports: &passkey.transports,
            }),
            codes_left: self.codes_left,
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&CREDENTIAL, &CREDENTIAL_NAME];

/// The schema of the resource.
pub(crate) const CREDENTIAL: NamedSchema = NamedSchema::response::<CredentialView<'_>>("Credential");

/// The schema for renaming a credential.
pub(crate) const CREDENTIAL_NAME: NamedSchema =
    NamedSchema::request::<CredentialNameInput>("CredentialName").with_example(r#"{"name": "my phone"}"#);
