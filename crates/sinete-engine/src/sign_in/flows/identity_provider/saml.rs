//! SAML responses. They arrive as a cross-site form post without cookies, so they are verified and stored
//! here, and the holder of the flow then redeems them with a code.

use super::request_state::{ProviderRequestState, derive_state};
use super::{
    FlowActor, ProviderCallback, ProviderReport, find_flow_at_provider, provider_not_trusted,
    record_refused_identity, require_code, requires_fresh_sign_in,
};
use crate::identity_providers;
use crate::identity_providers::callback_url;
use crate::{Engine, Error, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sinete_core::id::{ConnectionId, FlowId};
use sinete_core::identity_providers::oidc::authorization_request::append_query;
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::identity_providers::saml::authn_request::SamlAuthnRequest;
use sinete_core::identity_providers::saml::response::VerifiedSamlAssertion;
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::limits::{SAML_ASSERTION_AGE_MAX, SAML_CLOCK_TOLERANCE};
use sinete_core::refusal::Refusal;
use sinete_core::secret::{Digest, Secret};
use sinete_core::sign_in::flows::AuthenticationFlow;
use sinete_core::sign_in::flows::stage::IdentityProviderRedirect;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::saml_responses;
use sinete_store::identity_providers::saml_responses::NewSamlResponse;
use sinete_store::{JsonDocument, WriteBatch};

/// A SAML response, as received.
#[derive(Clone, Default)]
pub struct SamlCallback {
    /// `RelayState`.
    pub state: String,
    /// `SAMLResponse`, in base64.
    pub response: String,
}

impl std::fmt::Debug for SamlCallback {
    /// Omits the response.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Brought(…)")
    }
}

/// Where the browser continues.
#[derive(Debug)]
pub struct SamlRedirect {
    /// The URL.
    pub address: String,
    /// Why the response was rejected, if it was.
    pub refused: Option<Refusal>,
}

/// A stored assertion. It is valid while the connection's certificates and subject attribute are unchanged.
#[derive(Serialize, Deserialize)]
struct StoredSamlAssertion {
    version: i64,
    reported: IdentityProviderClaims,
}

/// The id of the authentication request of this step.
fn request_id(engine: &Engine, flow: &AuthenticationFlow) -> String {
    format!("_{}", URL_SAFE_NO_PAD.encode(derive_state(engine, flow, b"saml request")))
}

/// The URL of the authentication request.
pub(super) fn authn_request_url(
    engine: &Engine,
    flow: &AuthenticationFlow,
    at: &IdentityProviderRedirect,
    connection: &ConnectionRow,
    saml: &SamlConnectionSettings,
) -> Option<String> {
    let (request_state, id) = (ProviderRequestState::from_flow(engine, flow), request_id(engine, flow));
    let request = SamlAuthnRequest {
        id: &id,
        state: &request_state.state,
        issued_at: engine.now(),
        force_authn: requires_fresh_sign_in(at),
    };
    identity_providers::saml::authn_request_url(engine, connection.id, saml, &request)
}

/// Verifies and stores a response, and returns where the browser continues: to a page that receives its
/// cookies, or to a program. `None` if no flow is at this provider at the step of the `RelayState`:
/// unsolicited responses are rejected.
pub async fn receive_saml_response(
    engine: &Engine,
    connection: ConnectionId,
    saml_callback: &SamlCallback,
    actor: &FlowActor,
) -> Result<Option<SamlRedirect>, Failure> {
    let Some((flow, _)) = find_flow_at_provider(engine, connection, &saml_callback.state).await? else {
        return Ok(None);
    };
    let Some(connection) =
        connections::find_usable_connection(engine.store(), connection, engine.now()).await?
    else {
        return Ok(None);
    };
    let Some(saml) = connection.settings.saml_settings() else { return Ok(None) };
    let request = request_id(engine, &flow);
    let judged = identity_providers::saml::verify_response(
        engine,
        &connection,
        saml,
        &saml_callback.response,
        &request,
    );
    let result = match judged {
        Ok(believed) => store_assertion(engine, &connection, flow.id(), &believed)
            .await?
            .ok_or_else(|| "the assertion was presented before: each is accepted once".to_owned()),
        Err(rejection) => Err(rejection.to_string()),
    };
    let (name, value, refused) = match result {
        Ok(handle) => ("code", handle, None),
        Err(reason) => {
            record_refused_identity(engine, &connection, &reason, actor).await?;
            ("error", "response_not_believed".to_owned(), Some(provider_not_trusted(&reason)))
        }
    };
    let address = append_query(
        &callback_url(engine, connection.id),
        &[("state", &saml_callback.state), (name, &value)],
    );
    Ok(address.map(|address| SamlRedirect { address, refused }))
}

/// Stores the assertion, and returns the code for it; nothing if the assertion was submitted before.
async fn store_assertion(
    engine: &Engine,
    connection: &ConnectionRow,
    flow: FlowId,
    believed: &VerifiedSamlAssertion,
) -> Result<Option<String>, Failure> {
    let now = engine.now();
    let handle = Secret::mint(engine.entropy());
    let step = saml_responses::store_saml_response(&NewSamlResponse {
        digest: &handle.digest(),
        connection: connection.id,
        flow,
        assertion: &Digest::from_parts(&[believed.assertion.as_bytes()]),
        answer: &JsonDocument::from_value(&StoredSamlAssertion {
            version: connection.version,
            reported: believed.claims.clone(),
        })?,
        created_at: now,
        // The assertion may be dated slightly in the future, and is accepted until its maximum age.
        expires_at: now.plus(SAML_ASSERTION_AGE_MAX).plus(SAML_CLOCK_TOLERANCE),
    });
    let committed = engine.store().commit(WriteBatch::new().with_statement(step)).await?;
    Ok(committed.is_committed().then(|| handle.reveal()))
}

/// Loads the assertion stored for this flow.
pub(super) async fn load_stored_assertion(
    engine: &Engine,
    flow: &AuthenticationFlow,
    connection: &ConnectionRow,
    returned: &ProviderCallback,
) -> Result<ProviderReport, Error> {
    let code = require_code(returned)?;
    let Ok(handle) = Secret::parse(code) else {
        return Err(provider_not_trusted("the code of the SAML response is malformed").into());
    };
    let digest = handle.digest();
    let (store, now) = (engine.store(), engine.now());
    let document = saml_responses::find_saml_response(store, &digest, connection.id, flow.id(), now).await?;
    let saml_assertion: Option<StoredSamlAssertion> =
        document.map(|document| document.parse()).transpose()?;
    match saml_assertion {
        Some(saml_assertion) if saml_assertion.version != connection.version => {
            Err(provider_not_trusted("the connection was changed after the response was verified").into())
        }
        Some(saml_assertion) => {
            Ok(ProviderReport { claims: saml_assertion.reported, stored_response: Some(digest) })
        }
        None => Err(provider_not_trusted("no SAML response is stored under this code").into()),
    }
}
