//! A test sign-in: an administrator signs in at the identity provider of a connection, enabled or not, and sees what
//! the provider reports and what a sign-in would do with it. No account, session or identity is created.
//!
//! The state of the request is derived from the connection, the administrator's account and a random id, so nothing
//! is stored, and the response counts only for that account
//! (docs/contribute/decisions/0306-sso-wizard-with-a-reserved-redirect-uri.md).

mod preview;

pub(super) use preview::find_obstacle;
pub use preview::{SignInDecision, SignInObstacle, SignInPreview};

use super::identity_provider::{ProviderCallback, SamlCallback};
use crate::access_control::organization_access::OrganizationAccess;
use crate::identity_providers;
use crate::identity_providers::connections as connection_management;
use crate::identity_providers::{ProviderCallError, callback_url};
use crate::{Engine, Error, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinete_core::id::{AccountId, ConnectionId, FlowId};
use sinete_core::identity_providers::connections::ConnectionProtocol;
use sinete_core::identity_providers::oidc::authorization_request;
use sinete_core::identity_providers::oidc::authorization_request::{
    OidcAuthorizationRequest, OidcRelyingParty, append_query,
};
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::identity_providers::saml::authn_request::SamlAuthnRequest;
use sinete_core::identity_providers::saml::response::{SamlAttribute, SamlResponseRejection};
use sinete_core::identity_providers::saml::settings::SamlConnectionSettings;
use sinete_core::limits::{CONNECTION_TEST_LIFETIME, SAML_ASSERTION_AGE_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::{Digest, Secret};
use sinete_crypto::platform::mac::{MAC_BYTES, MacPurpose};
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::saml_responses;
use sinete_store::identity_providers::saml_responses::NewSamlResponse;
use sinete_store::{JsonDocument, WriteBatch};

/// The result of a test sign-in.
#[derive(Debug)]
pub struct ConnectionTestReport {
    /// What the provider reported, by name, as text.
    pub claims: Vec<SamlAttribute>,
    /// What a sign-in would do, or why the response is rejected.
    pub outcome: Result<SignInPreview, String>,
}

/// What was verified in a response.
#[derive(Serialize, Deserialize)]
struct VerifiedReport {
    claims: IdentityProviderClaims,
    attributes: Vec<SamlAttribute>,
}

/// The response of a provider. One of SAML is stored between the POST that delivered it and the page that shows it.
#[derive(Serialize, Deserialize)]
enum ProviderTestResponse {
    Verified(Box<VerifiedReport>),
    Rejected(String),
    /// Rejected only because the connection recognizes no user in it: why, and what it contains.
    Unidentified(String, Vec<SamlAttribute>),
}

/// A test sign-in in progress.
struct ConnectionTest<'a> {
    engine: &'a Engine,
    connection: ConnectionId,
    id: FlowId,
}

impl<'a> ConnectionTest<'a> {
    fn derive(&self, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        let mut all: Vec<&[u8]> = vec![self.connection.as_bytes(), self.id.as_bytes()];
        all.extend(parts);
        self.engine.instance_keys().compute_mac(MacPurpose::ConnectionTest, &all)
    }

    fn state(&self, account: AccountId) -> String {
        let stamps = [self.derive(&[b"state"]), self.derive(&[b"account", account.as_bytes()])].concat();
        URL_SAFE_NO_PAD.encode([self.id.as_bytes().as_slice(), &stamps].concat())
    }

    fn nonce(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.derive(&[b"nonce"]))
    }

    fn verifier(&self) -> String {
        URL_SAFE_NO_PAD.encode([self.derive(&[b"verifier"]), self.derive(&[b"verifier, more"])].concat())
    }

    fn saml_request_id(&self) -> String {
        format!("_{}", URL_SAFE_NO_PAD.encode(self.derive(&[b"saml request"])))
    }

    /// The test of a `state` that we issued for this connection and that is not too old.
    fn parse(engine: &'a Engine, connection: ConnectionId, state: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(state).ok().filter(|it| it.len() == 16 + 2 * MAC_BYTES)?;
        let test = Self { engine, connection, id: FlowId::from_bytes(*bytes.first_chunk()?) };
        let stamp = bytes.get(16..16 + MAC_BYTES)?.first_chunk()?;
        let parts: [&[u8]; 3] = [connection.as_bytes(), test.id.as_bytes(), b"state"];
        let is_ours = engine.instance_keys().verify_mac(MacPurpose::ConnectionTest, &parts, stamp);
        let is_fresh = engine.now().since(test.id.minted_at()) <= CONNECTION_TEST_LIFETIME;
        (is_ours && is_fresh).then_some(test)
    }

    /// Whether this account started the test.
    fn was_started_by(&self, account: AccountId, state: &str) -> bool {
        self.state(account) == state
    }
}

/// Starts a test sign-in, and returns the URL at the provider.
pub async fn start_connection_test(
    engine: &Engine,
    access: &OrganizationAccess,
    account: AccountId,
    id: ConnectionId,
) -> Result<String, Error> {
    let connection = connection_management::find_testable(engine, access, id).await?.connection;
    let test = ConnectionTest { engine, connection: id, id: FlowId::mint(engine.now(), engine.entropy()) };
    let state = test.state(account);
    let url = match &connection.settings.protocol {
        ConnectionProtocol::Saml(saml) => {
            let request = SamlAuthnRequest {
                id: &test.saml_request_id(),
                state: &state,
                issued_at: engine.now(),
                force_authn: false,
            };
            identity_providers::saml::authn_request_url(engine, id, saml, &request)
        }
        ConnectionProtocol::OpenId(open_id) => {
            let provider = identity_providers::refetch_provider(engine, &connection)
                .await
                .map_err(|error| Refusal::because(SignInRefusal::ProviderUnreachable, error.to_string()))?;
            let back = callback_url(engine, id);
            let us = OidcRelyingParty { client_id: &open_id.client_id, callback: &back };
            let request = OidcAuthorizationRequest {
                state: &state,
                nonce: &test.nonce(),
                verifier: &test.verifier(),
                scopes: &open_id.scopes,
                requires_reauthentication: false,
                login_hint: None,
            };
            Some(authorization_request::build_authorization_url(&provider, us, &request))
        }
    };
    Ok(url.ok_or(Failure::Interrupted)?)
}

/// The organization whose connection this response is a test of; `None` if it is no test.
pub async fn find_tested_connection(
    engine: &Engine,
    connection: ConnectionId,
    state: &str,
) -> Result<Option<ConnectionRow>, Failure> {
    if ConnectionTest::parse(engine, connection, state).is_none() {
        return Ok(None);
    }
    Ok(connections::find_connection_by_id(engine.store(), connection).await?)
}

/// Verifies the SAML response of a test and keeps what it says for the page that shows it, for a moment. Returns the
/// parameters of that page; `None` if it is no test.
pub async fn receive_test_response(
    engine: &Engine,
    connection: &ConnectionRow,
    saml_callback: &SamlCallback,
) -> Result<Option<Vec<(&'static str, String)>>, Failure> {
    let Some(test) = ConnectionTest::parse(engine, connection.id, &saml_callback.state) else {
        return Ok(None);
    };
    let Some(saml) = connection.settings.saml_settings() else { return Ok(None) };
    let request = test.saml_request_id();
    let judged = identity_providers::saml::verify_response(
        engine,
        connection,
        saml,
        &saml_callback.response,
        &request,
    );
    let (answer, handle) = match judged {
        Ok(believed) => {
            let report = VerifiedReport { claims: believed.claims, attributes: believed.attributes };
            (ProviderTestResponse::Verified(Box::new(report)), Secret::mint(engine.entropy()))
        }
        Err(rejection) => {
            (describe_rejection(saml, &rejection, &saml_callback.response), Secret::mint(engine.entropy()))
        }
    };
    let (now, digest) = (engine.now(), handle.digest());
    let step = saml_responses::store_saml_response(&NewSamlResponse {
        digest: &digest,
        connection: connection.id,
        flow: test.id,
        // A test signs no user in, so the assertion itself is not used up.
        assertion: &Digest::from_parts(&[test.id.as_bytes(), digest.as_bytes()]),
        answer: &JsonDocument::from_value(&answer)?,
        created_at: now,
        expires_at: now.plus(SAML_ASSERTION_AGE_MAX),
    });
    let _ = engine.store().commit(WriteBatch::new().with_statement(step)).await?;
    Ok(Some(vec![("state", saml_callback.state.clone()), ("code", handle.reveal())]))
}

/// Why a SAML response is rejected, with what it contains if only the subject is missing.
fn describe_rejection(
    saml: &SamlConnectionSettings,
    rejection: &SamlResponseRejection,
    response: &str,
) -> ProviderTestResponse {
    let is_subject = *rejection == SamlResponseRejection::Subject;
    let described =
        is_subject.then(|| identity_providers::saml::describe_rejected_subject(saml, response)).flatten();
    match described {
        Some(subject) => {
            ProviderTestResponse::Unidentified(subject.explain(&saml.subject), subject.attributes)
        }
        None => rejected_response(rejection.to_string()),
    }
}

/// Completes a test sign-in, and records it.
pub async fn finish_connection_test(
    engine: &Engine,
    access: &OrganizationAccess,
    account: AccountId,
    id: ConnectionId,
    returned: &ProviderCallback,
) -> Result<ConnectionTestReport, Error> {
    let connection = connection_management::find_testable(engine, access, id).await?.connection;
    let test = ConnectionTest::parse(engine, id, &returned.state)
        .filter(|test| test.was_started_by(account, &returned.state))
        .ok_or_else(|| Refusal::because(SignInRefusal::FlowOfAnotherBrowser, "no test of this account"))?;
    let verified = match &connection.settings.protocol {
        ConnectionProtocol::OpenId(_) => redeem_code(&test, &connection, returned).await?,
        ConnectionProtocol::Saml(_) => load_response(&test, returned).await?,
    };
    let report = match verified {
        ProviderTestResponse::Verified(report) => ConnectionTestReport {
            outcome: Ok(preview::preview_sign_in(engine, &connection, &report.claims).await?),
            claims: report.attributes,
        },
        ProviderTestResponse::Rejected(reason) => {
            ConnectionTestReport { claims: Vec::new(), outcome: Err(reason) }
        }
        ProviderTestResponse::Unidentified(reason, claims) => {
            ConnectionTestReport { claims, outcome: Err(reason) }
        }
    };
    let result = match &report.outcome {
        Ok(preview) => preview.decision.name(),
        Err(_) => "rejected",
    };
    connection_management::record_test_sign_in(engine, access, id, result).await?;
    Ok(report)
}

fn rejected_response(reason: impl Into<String>) -> ProviderTestResponse {
    ProviderTestResponse::Rejected(reason.into())
}

/// Redeems the code of an OpenID Connect provider.
async fn redeem_code(
    test: &ConnectionTest<'_>,
    connection: &ConnectionRow,
    returned: &ProviderCallback,
) -> Result<ProviderTestResponse, Failure> {
    let code = match (&returned.code, &returned.error) {
        (Some(code), None) => code,
        (_, Some(error)) => {
            return Ok(rejected_response(format!("the provider returned the error {}", plain_text(error))));
        }
        (None, None) => return Ok(rejected_response("the response of the provider contains no code")),
    };
    let ConnectionProtocol::OpenId(open_id) = &connection.settings.protocol else {
        return Err(Failure::Interrupted);
    };
    let (nonce, verifier) = (test.nonce(), test.verifier());
    let request = OidcAuthorizationRequest {
        state: &returned.state,
        nonce: &nonce,
        verifier: &verifier,
        scopes: &open_id.scopes,
        requires_reauthentication: false,
        login_hint: None,
    };
    if returned.iss.as_deref().is_some_and(|iss| iss != connection.issuer.as_str()) {
        return Ok(rejected_response("the response is from another provider (iss)"));
    }
    match identity_providers::redeem_for_id_token(test.engine, connection, code, &request).await {
        Ok(token) => {
            let attributes = token.payload.into_iter().map(|(name, value)| claim_text(name, &value));
            let report = VerifiedReport { attributes: attributes.collect(), claims: token.claims };
            Ok(ProviderTestResponse::Verified(Box::new(report)))
        }
        Err(ProviderCallError::Provider(error)) => Ok(rejected_response(error.to_string())),
        Err(ProviderCallError::Failed(failure)) => Err(failure),
    }
}

/// A claim as text.
fn claim_text(name: String, value: &Value) -> SamlAttribute {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let values = match value {
        Value::Array(items) => items.iter().map(text).collect(),
        other => vec![text(other)],
    };
    SamlAttribute { name, values }
}

/// The visible characters of an error code.
fn plain_text(text: &str) -> String {
    text.chars().filter(char::is_ascii_graphic).take(100).collect()
}

/// Loads the stored SAML response of the test, once.
async fn load_response(
    test: &ConnectionTest<'_>,
    returned: &ProviderCallback,
) -> Result<ProviderTestResponse, Failure> {
    let gone = || Ok(rejected_response("this response was displayed before or has expired: test again"));
    let (engine, now) = (test.engine, test.engine.now());
    let Some(digest) = returned.code.as_deref().and_then(|code| Secret::parse(code).ok()) else {
        return gone();
    };
    let digest = digest.digest();
    let (store, connection) = (engine.store(), test.connection);
    let document = saml_responses::find_saml_response(store, &digest, connection, test.id, now).await?;
    let Some(document) = document else {
        return gone();
    };
    let spend =
        WriteBatch::new().with_statement(saml_responses::consume_saml_response(&digest, test.id, now));
    if !engine.store().commit(spend).await?.is_committed() {
        return gone();
    }
    Ok(document.parse()?)
}

/// The URL of the page that shows the result of a test, with these parameters.
pub fn test_result_url(
    engine: &Engine,
    connection: &ConnectionRow,
    parameters: &[(&str, &str)],
) -> Option<String> {
    let issuer = &engine.settings().issuer;
    let page = format!("{issuer}/console/{}/connections/{}/test", connection.organization, connection.id);
    append_query(&page, parameters)
}
