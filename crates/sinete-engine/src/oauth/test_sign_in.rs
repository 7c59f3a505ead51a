//! The test client of the console: signs the administrator in as an application would, and returns the decoded
//! tokens.
//!
//! It is a public client of the same organization, created for one test and removed after it. The application itself
//! is not changed, and its secret is not needed. The code verifier is derived from the administrator's account and
//! never leaves this process; the tokens are decoded and dropped
//! (docs/contribute/decisions/0299-console-test-client-per-test.md).

use crate::access_control::admin_scope::AdminScope;
use crate::access_control::organization_access::OrganizationAccess;
use crate::oauth::client_authentication::{ClientAuthRequest, ClientCredential};
use crate::oauth::clients;
use crate::oauth::clients::{ClientRow, NewClientRequest};
use crate::oauth::token;
use crate::{Engine, Error, EventCause, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::access_control::scope::{IdentityScope, Scope, ScopeSet};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::id::AccountId;
use sinete_core::oauth::authorize::consent::ClientConsentMode;
use sinete_core::oauth::client_metadata::{ClientAuthMethod, ClientMetadata, GrantType, ResponseType};
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_crypto::platform::mac::MacPurpose;

/// The `software_id` of every test client.
const TEST_SOFTWARE_ID: &str = "sinete-test-client";

/// How many clients of the organization are searched for abandoned test clients.
const SEARCHED_CLIENTS_MAX: u32 = 1_000;

/// An administrator who tests an application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationTest<'a> {
    /// The organization of the application.
    pub access: &'a OrganizationAccess,
    /// The administrator's account.
    pub account: AccountId,
    /// The application.
    pub application: &'a ClientId,
    /// The redirect URI: the console's page for the result.
    pub redirect_uri: &'a str,
}

/// The response of the authorization endpoint, as the redirect URI received it.
#[derive(Clone, Copy, Debug)]
pub struct TestResponse<'a> {
    /// The code, if the authorization succeeded.
    pub code: Option<&'a str>,
    /// The state.
    pub state: &'a str,
    /// The issuer (RFC 9207).
    pub issuer: &'a str,
}

/// The decoded tokens of a test.
#[derive(Debug)]
pub struct TestTokens {
    /// The ID token.
    pub id_token: Option<DecodedToken>,
    /// The access token.
    pub access_token: DecodedToken,
    /// The granted scope.
    pub scope: ScopeSet,
    /// The lifetime of the access token, in seconds.
    pub seconds: i64,
}

/// A JWT without its signature, so that it cannot be used.
#[derive(Debug)]
pub struct DecodedToken {
    /// The header.
    pub header: Map<String, Value>,
    /// The claims.
    pub claims: Map<String, Value>,
}

impl ApplicationTest<'_> {
    /// Creates the test client, and returns the parameters of its authorization request. Test clients that were
    /// abandoned are removed.
    pub async fn start(&self, engine: &Engine) -> Result<Vec<(&'static str, String)>, Error> {
        let admin_scope = AdminScope::Organization(self.access);
        let application = clients::find_manageable(engine, admin_scope, self.application).await?.client;
        let metadata: ClientMetadata = application.metadata.parse()?;
        let can_sign_in = application.kind == ClientKind::Application
            && application.condition == LifecycleCondition::Enabled
            && metadata.effective_grant_types().contains(&GrantType::AuthorizationCode);
        if !can_sign_in {
            return Err(no_test("the application does not sign users in").into());
        }
        self.remove_test_clients(engine).await?;
        let (request, scope) = self.test_client(&metadata)?;
        let client = clients::create(engine, admin_scope, &request).await?.overview.client.id;
        let challenge = S256Challenge::from_verifier(&self.verifier(engine, &client));
        Ok(vec![
            ("response_type", "code".to_owned()),
            ("client_id", client.to_string()),
            ("redirect_uri", self.redirect_uri.to_owned()),
            ("scope", scope.to_string()),
            ("organization", self.access.organization.id.to_string()),
            ("state", self.state(engine, &client)),
            ("code_challenge", URL_SAFE_NO_PAD.encode(challenge.as_bytes())),
            ("code_challenge_method", "S256".to_owned()),
        ])
    }

    /// Redeems the code and removes the test client. Without the state of this administrator, nothing changes.
    /// `None` if the authorization endpoint returned an error.
    pub async fn finish(
        &self,
        engine: &Engine,
        response: &TestResponse<'_>,
        cause: &EventCause,
    ) -> Result<Option<TestTokens>, Error> {
        let admin_scope = AdminScope::Organization(self.access);
        let client = self.verify_state(engine, response)?;
        let client_row = clients::find_manageable(engine, admin_scope, &client).await?.client;
        if !self.is_test_client(&client_row)? {
            return Err(no_test("not a test client of this application").into());
        }
        let issued = match response.code {
            Some(code) => Some(self.redeem(engine, &client, code, cause).await),
            None => None,
        };
        clients::remove(engine, admin_scope, &client).await?;
        issued.transpose()
    }

    async fn redeem(
        &self,
        engine: &Engine,
        client: &ClientId,
        code: &str,
        cause: &EventCause,
    ) -> Result<TestTokens, Error> {
        let verifier = self.verifier(engine, client);
        let request = ClientAuthRequest {
            client: Some(client.to_string()),
            credential: ClientCredential::None,
            endpoint: "/connect/token",
            certificate: None,
            dpop: None,
        };
        let parameters = TokenRequestParams::new([
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.redirect_uri),
            ("client_id", client.as_str()),
            ("code_verifier", verifier.as_str()),
        ]);
        let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: cause.origin.clone() };
        let issued = token::issue_token(engine, &request, &parameters, &cause).await?;
        let decode = |jwt: &str| DecodedToken::parse(jwt).ok_or(Failure::Interrupted);
        Ok(TestTokens {
            id_token: issued.id_token.as_deref().map(decode).transpose()?,
            access_token: decode(&issued.access_token)?,
            scope: issued.scope,
            seconds: issued.lifetime.seconds(),
        })
    }

    /// The test client: the application's settings about tokens, without its permissions, secrets and other URIs.
    fn test_client(&self, application: &ClientMetadata) -> Result<(NewClientRequest, ScopeSet), Error> {
        let redirect_uri = self.redirect_uri.parse().map_err(|_| Failure::Interrupted)?;
        let scope = identity_scopes(&application.allowed_scopes());
        let metadata = ClientMetadata {
            client_name: test_client_name(&application.client_name),
            redirect_uris: vec![redirect_uri],
            token_endpoint_auth_method: ClientAuthMethod::None,
            grant_types: Some([GrantType::AuthorizationCode].into()),
            response_types: Some([ResponseType::Code].into()),
            scope: Some(scope.clone()),
            id_token_signed_response_alg: application.id_token_signed_response_alg,
            software_id: Some(TEST_SOFTWARE_ID.to_owned()),
            default_max_age: application.default_max_age,
            require_auth_time: application.require_auth_time,
            default_acr_values: application.default_acr_values.clone(),
            // Implied consent is the application's own.
            consent: match application.consent {
                ClientConsentMode::Ask => ClientConsentMode::Ask,
                ClientConsentMode::AskForPermissions | ClientConsentMode::Implied => {
                    ClientConsentMode::AskForPermissions
                }
            },
            include_claims_in_id_token: application.include_claims_in_id_token,
            role_claims: application.role_claims.clone(),
            ..ClientMetadata::default()
        };
        let request = NewClientRequest {
            id: None,
            kind: ClientKind::Application,
            purpose: self.purpose(),
            owner: None,
            roles: Vec::new(),
            is_verified: false,
            secret: None,
            registration: None,
            metadata,
        };
        Ok((request, scope))
    }

    /// The purpose names the application, so that an abandoned test client can be found.
    fn purpose(&self) -> String {
        format!("Test of {}", self.application)
    }

    fn is_test_client(&self, client: &ClientRow) -> Result<bool, Failure> {
        let metadata: ClientMetadata = client.metadata.parse()?;
        let is_marked = metadata.software_id.as_deref() == Some(TEST_SOFTWARE_ID);
        Ok(is_marked && client.purpose == self.purpose())
    }

    async fn remove_test_clients(&self, engine: &Engine) -> Result<(), Error> {
        let admin_scope = AdminScope::Organization(self.access);
        for client in clients::list(engine, admin_scope, None, SEARCHED_CLIENTS_MAX).await? {
            if self.is_test_client(&client)? {
                clients::remove(engine, admin_scope, &client.id).await?;
            }
        }
        Ok(())
    }

    /// The state: the test client, with a MAC for this administrator and application.
    fn state(&self, engine: &Engine, client: &ClientId) -> String {
        let mac = engine.instance_keys().compute_mac(MacPurpose::TestState, &self.mac_parts(client));
        format!("{}.{client}", URL_SAFE_NO_PAD.encode(mac))
    }

    fn verify_state(&self, engine: &Engine, response: &TestResponse<'_>) -> Result<ClientId, Refusal> {
        let refused = || no_test("the state or issuer is not that of this test");
        let (mac, client) = response.state.split_once('.').ok_or_else(refused)?;
        let client: ClientId = client.parse().map_err(|_| refused())?;
        let mac = URL_SAFE_NO_PAD.decode(mac).ok().and_then(|bytes| bytes.try_into().ok());
        let is_ours = mac.is_some_and(|mac| {
            engine.instance_keys().verify_mac(MacPurpose::TestState, &self.mac_parts(&client), &mac)
        });
        let is_valid = is_ours && response.issuer == engine.settings().issuer;
        if is_valid { Ok(client) } else { Err(refused()) }
    }

    /// The PKCE code verifier, which only this process can compute.
    fn verifier(&self, engine: &Engine, client: &ClientId) -> String {
        let parts = self.mac_parts(client);
        let derived = engine.instance_keys().derive_bytes(MacPurpose::TestVerifier, &parts).next();
        // An empty verifier would match no challenge.
        derived.map(|bytes| URL_SAFE_NO_PAD.encode(bytes)).unwrap_or_default()
    }

    fn mac_parts<'b>(&'b self, client: &'b ClientId) -> [&'b [u8]; 3] {
        [self.account.as_bytes(), self.application.as_str().as_bytes(), client.as_str().as_bytes()]
    }
}

impl DecodedToken {
    fn parse(jwt: &str) -> Option<Self> {
        let mut parts = jwt.split('.');
        let mut next = || {
            let bytes = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?;
            serde_json::from_slice(&bytes).ok()
        };
        Some(Self { header: next()?, claims: next()? })
    }
}

/// The scopes about the user. A test requests no permission and no access beyond the session.
fn identity_scopes(allowed: &ScopeSet) -> ScopeSet {
    let about_user = |scope: &&Scope| matches!(scope, Scope::Identity(identity) if *identity != IdentityScope::OfflineAccess);
    allowed.iter().filter(about_user).cloned().collect()
}

/// The name of the test client, within the limits of a name.
fn test_client_name(application: &str) -> String {
    let name: String = application.chars().take(TEST_NAME_CHARACTERS).collect();
    format!("{} (test)", name.trim_end())
}

/// How much of the application's name the name of its test client repeats.
const TEST_NAME_CHARACTERS: usize = 60;

fn no_test(reason: &str) -> Refusal {
    Refusal::because(OAuthRefusal::TestNotPossible, reason)
}
