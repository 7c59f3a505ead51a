//! What a provider that speaks SAML has a browser bring. It comes as a form from elsewhere, so that the browser shows no
//! cookies with it: it is judged here, kept, and fetched with a code by whoever holds the flow.

use super::request_state::{ProviderRequestState, derive_state};
use super::{
    FlowActor, ProviderCallback, ProviderReport, find_flow_at_provider, provider_not_trusted,
    record_refused_identity, require_code, requires_fresh_sign_in,
};
use crate::identity_providers;
use crate::identity_providers::callback_url;
use crate::{Engine, Failure};
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

/// What a browser brought, as it came.
#[derive(Clone, Default)]
pub struct SamlCallback {
    /// What we sent along.
    pub state: String,
    /// What the provider answered, in base64.
    pub response: String,
}

impl std::fmt::Debug for SamlCallback {
    /// Without what was answered.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Brought(…)")
    }
}

/// Where a browser goes on with what it brought.
#[derive(Debug)]
pub struct SamlRedirect {
    /// The address.
    pub address: String,
    /// Why what it brought is not believed, if it is not.
    pub refused: Option<Refusal>,
}

/// What was said, as it waits. It counts while the connection is as it was when this was believed: the certificate that
/// verified it, and what people are known by.
#[derive(Serialize, Deserialize)]
struct StoredSamlAssertion {
    version: i64,
    reported: IdentityProviderClaims,
}

/// The id of the request that somebody takes along from where the flow stands.
fn request_id(engine: &Engine, flow: &AuthenticationFlow) -> String {
    format!("_{}", URL_SAFE_NO_PAD.encode(derive_state(engine, flow, b"saml request")))
}

/// Where somebody goes to sign in.
pub(super) fn authn_request_url(
    engine: &Engine,
    flow: &AuthenticationFlow,
    (at, connection): (&IdentityProviderRedirect, &ConnectionRow),
    saml: &SamlConnectionSettings,
) -> Option<String> {
    let (sent, id) = (ProviderRequestState::from_flow(engine, flow), request_id(engine, flow));
    let request = SamlAuthnRequest {
        id: &id,
        state: &sent.state,
        issued_at: engine.now(),
        is_anew: requires_fresh_sign_in(at),
    };
    identity_providers::saml::authn_request_url(engine, connection.id, saml, &request)
}

/// Judges what a browser brought, and says where it goes on: to where it shows its cookies, or is handed on to a program.
/// Nowhere, where no flow stands at this provider from which this was sent along: what a provider says unasked is nobody's.
pub async fn receive_saml_response(
    engine: &Engine,
    connection: ConnectionId,
    brought: &SamlCallback,
    walker: &FlowActor,
) -> Result<Option<SamlRedirect>, Failure> {
    let Some((flow, _)) = find_flow_at_provider(engine, connection, &brought.state).await? else {
        return Ok(None);
    };
    let Some(connection) =
        connections::find_usable_connection(engine.store(), connection, engine.now()).await?
    else {
        return Ok(None);
    };
    let Some(saml) = connection.chosen.saml_settings() else { return Ok(None) };
    let request = request_id(engine, &flow);
    let judged =
        identity_providers::saml::verify_response(engine, &connection, saml, (&brought.response, &request));
    let kept = match judged {
        Ok(believed) => store_assertion(engine, &connection, flow.id(), &believed).await?,
        Err(why) => Err(why.to_string()),
    };
    let (name, value, refused) = match kept {
        Ok(handle) => ("code", handle, None),
        Err(why) => {
            record_refused_identity(engine, &connection, &why, walker).await?;
            ("error", "response_not_believed".to_owned(), Some(provider_not_trusted(&why)))
        }
    };
    let address =
        append_query(&callback_url(engine, connection.id), &[("state", &brought.state), (name, &value)]);
    Ok(address.map(|address| SamlRedirect { address, refused }))
}

/// Keeps what was said, and gives back what it is fetched with; or why it is not kept.
async fn store_assertion(
    engine: &Engine,
    connection: &ConnectionRow,
    flow: FlowId,
    believed: &VerifiedSamlAssertion,
) -> Result<Result<String, String>, Failure> {
    let now = engine.now();
    let handle = Secret::mint(engine.entropy());
    let step = saml_responses::store_saml_response(&NewSamlResponse {
        digest: &handle.digest(),
        connection: connection.id,
        flow,
        assertion: &Digest::from_parts(&[believed.assertion.as_bytes()]),
        answer: &JsonDocument::from_value(&StoredSamlAssertion {
            version: connection.version,
            reported: believed.reported.clone(),
        })?,
        created_at: now,
        // It may be of a little later than now, and is believed for as long as it is not too old.
        expires_at: now.plus(SAML_ASSERTION_AGE_MAX).plus(SAML_CLOCK_TOLERANCE),
    });
    Ok(match engine.store().commit(WriteBatch::new().with_statement(step)).await? {
        Ok(_) => Ok(handle.reveal()),
        Err(_) => Err("the assertion was brought before: each counts once".to_owned()),
    })
}

/// What was kept for this flow.
pub(super) async fn load_stored_assertion(
    engine: &Engine,
    flow: &AuthenticationFlow,
    connection: &ConnectionRow,
    returned: &ProviderCallback,
) -> Result<Result<ProviderReport, Refusal>, Failure> {
    let code = match require_code(returned) {
        Ok(code) => code,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let Ok(handle) = Secret::parse(code) else {
        return Ok(Err(provider_not_trusted("what should fetch an answer is none of ours")));
    };
    let digest = handle.digest();
    let place = (connection.id, flow.id());
    let kept = saml_responses::find_saml_response(engine.store(), &digest, place, engine.now()).await?;
    let kept: Option<StoredSamlAssertion> = kept.map(|kept| kept.parse()).transpose()?;
    Ok(match kept {
        Some(kept) if kept.version != connection.version => {
            Err(provider_not_trusted("the connection was changed after the answer was believed"))
        }
        Some(kept) => Ok(ProviderReport { claims: kept.reported, stored_response: Some(digest) }),
        None => Err(provider_not_trusted("nothing waits there, or no longer")),
    })
}
