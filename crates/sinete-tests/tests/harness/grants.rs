//! Grants and tokens that are written to the database, for stories that are not about how a client obtains them.

use super::api_caller::ApiCaller;
pub use super::oauth_response::OAuthResponse;
use super::organizations::TestOrganization;
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::access_control::Authority;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{AccountId, GrantId, MembershipId, SessionId};
use sinete_core::oauth::access_token::{AccessTokenClaims, AccessTokenIssuance, AuthenticationContext};
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::secret::{ClientSecret, RefreshTokenSecret, Secret, SessionToken};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::events::security_log;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, NewClient};
use sinete_store::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::NewRefreshFamily;
use sinete_store::oauth::subject_state::ActingClient;
use sinete_store::oauth::{client_secrets, subject_state};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{JsonDocument, accounts};

/// A confidential or public client.
#[derive(Clone, Debug)]
pub struct TestClient {
    pub id: ClientId,
    /// The client secret, sent in the `Authorization` header.
    pub secret: Option<String>,
}

/// A session of an account.
#[derive(Clone, Debug)]
pub struct TestSession {
    pub id: SessionId,
    pub account: AccountId,
    /// The session token.
    pub token: String,
}

/// What a member granted to a client, in one session.
#[derive(Clone)]
pub struct TestGrant<'w> {
    pub world: &'w World,
    pub tenant: TestOrganization,
    /// The member who granted it.
    pub membership: MembershipId,
    pub session: TestSession,
    /// The client it was granted to.
    pub client: ClientId,
    pub grant: GrantId,
    /// The authorization code, whose verifier is [`super::token_endpoint::VERIFIER`].
    pub code: String,
    /// The audience of its tokens.
    pub audience: ApiIdentifier,
    /// The granted scope.
    pub scope: ScopeSet,
    /// The assurance level of the session.
    pub assurance: AssuranceLevel,
}

/// What to grant.
#[derive(Clone, Debug)]
pub struct GrantRequest<'a> {
    pub scope: &'a str,
    /// The API; the management API if there is none.
    pub audience: Option<&'a str>,
    pub lifespan: GrantLifespan,
    /// The assurance level of the session.
    pub assurance: AssuranceLevel,
    /// The `claims` parameter of the request.
    pub claims: Value,
}

impl GrantRequest<'_> {
    /// This scope of the management API, for as long as the session lasts.
    pub fn for_scope(scope: &str) -> GrantRequest<'_> {
        let (lifespan, assurance) = (GrantLifespan::Session, AssuranceLevel::Two);
        GrantRequest { scope, audience: None, lifespan, assurance, claims: json!({}) }
    }
}

impl World {
    pub fn issuer(&self) -> &str {
        &self.server.engine().settings().issuer
    }

    /// The `resource_metadata` parameter with which every challenge ends.
    pub fn resource_metadata(&self) -> String {
        format!("resource_metadata=\"{}/.well-known/oauth-protected-resource\"", self.issuer())
    }

    /// Creates a client with this metadata.
    pub async fn create_client(&self, kind: ClientKind, origin: ClientOrigin, metadata: Value) -> TestClient {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let id = ClientId::mint(now, entropy);
        let is_public = metadata["token_endpoint_auth_method"] == "none";
        let metadata = JsonDocument::from_value(&metadata).unwrap();
        let scope = ScopeSet::default();
        let statement = clients::create_client(&NewClient {
            id: &id,
            kind,
            origin,
            name: "An application",
            purpose: "",
            owner: None,
            scope: &scope,
            metadata: &metadata,
            created_at: now,
        });
        self.apply_statements([statement]).await;
        if is_public {
            return TestClient { id, secret: None };
        }
        let secret = Secret::<ClientSecret>::mint(entropy);
        self.apply_statements([client_secrets::add_client_secret(&secret.digest(), &id, now, None)]).await;
        TestClient { id, secret: Some(secret.reveal()) }
    }

    /// Creates a confidential application of the operator.
    pub async fn create_confidential_client(&self) -> TestClient {
        let metadata =
            json!({"client_name": "An application", "redirect_uris": ["https://app.example/callback"]});
        self.create_client(ClientKind::Application, ClientOrigin::Operator, metadata).await
    }

    /// The account of a member.
    pub async fn account_of_member(&self, tenant: &TestOrganization, membership: MembershipId) -> AccountId {
        let store = self.server.engine().store();
        match memberships::find_membership(store, tenant.id, membership).await.unwrap().unwrap().holder {
            MembershipHolder::User(account) => account,
            other => panic!("{other:?} is not an account"),
        }
    }

    /// Creates a session of an account.
    pub async fn create_session(&self, account: AccountId) -> TestSession {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let token = Secret::<SessionToken>::mint(entropy);
        let passkey = AuthenticationProof::Passkey { user_verified: true, device_bound: true };
        let nothing = JsonDocument::from_value(&json!({})).unwrap();
        let session = NewSession {
            id: SessionId::mint(now, entropy),
            digest: &token.digest(),
            account,
            account_epoch: accounts::find_account(engine.store(), account).await.unwrap().unwrap().epoch,
            evidence: &JsonDocument::from_value(&AuthenticationEvidence::from_proof(passkey)).unwrap(),
            device: None,
            description: &nothing,
            created_at: now,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        self.apply_statements([sessions::start_session(&session)]).await;
        TestSession { id: session.id, account, token: token.reveal() }
    }

    /// Creates a grant from a member to a client, in a new session.
    pub async fn create_grant(
        &self,
        tenant: &TestOrganization,
        membership: MembershipId,
        client: &ClientId,
        request: GrantRequest<'_>,
    ) -> TestGrant<'_> {
        let session = self.create_session(self.account_of_member(tenant, membership).await).await;
        self.create_grant_in_session(&session, tenant, membership, client, request).await
    }

    /// Creates a grant from a member to a client, in this session.
    pub async fn create_grant_in_session(
        &self,
        session: &TestSession,
        tenant: &TestOrganization,
        membership: MembershipId,
        client: &ClientId,
        request: GrantRequest<'_>,
    ) -> TestGrant<'_> {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let audience: ApiIdentifier = request.audience.unwrap_or(self.issuer()).parse().unwrap();
        let scope: ScopeSet = request.scope.parse().unwrap();
        let authentication = GrantAuthentication {
            at: now,
            evidence: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            assurance: request.assurance,
            session: session.id,
        };
        let id = GrantId::mint(now, entropy);
        let grant = NewGrant {
            id,
            kind: StoredGrantKind::Code,
            membership,
            account_epoch: accounts::find_account(engine.store(), session.account)
                .await
                .unwrap()
                .unwrap()
                .epoch,
            client,
            session: session.id,
            lifespan: request.lifespan,
            scopes: &JsonDocument::from_value(&GrantedScopes::for_single_audience(
                audience.clone(),
                scope.clone(),
            ))
            .unwrap(),
            details: &JsonDocument::from_value(&json!([])).unwrap(),
            authentication: &JsonDocument::from_value(&authentication).unwrap(),
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        let (code, statement) = self.open_grant_with_code(&grant, &audience, &request.claims);
        self.apply_statements([statement]).await;
        TestGrant {
            world: self,
            tenant: tenant.clone(),
            membership,
            session: session.clone(),
            client: client.clone(),
            grant: id,
            code,
            audience,
            scope,
            assurance: request.assurance,
        }
    }

    /// A caller of the management API with an access token of this scope.
    pub async fn create_token_caller(
        &self,
        tenant: &TestOrganization,
        membership: MembershipId,
        scope: &str,
    ) -> ApiCaller<'_> {
        let client = self.create_confidential_client().await;
        self.create_grant(tenant, membership, &client.id, GrantRequest::for_scope(scope))
            .await
            .create_caller()
            .await
    }

    /// Sends a form to an OAuth endpoint, with `client_secret_basic` if the client has a secret.
    pub async fn post_form(&self, app: &TestClient, path: &str, form: &[(&str, &str)]) -> OAuthResponse {
        let mut form = form.to_vec();
        let mut request = self.http.post(self.public_url(path));
        match &app.secret {
            Some(secret) => request = request.basic_auth(&app.id, Some(secret)),
            None => form.push(("client_id", app.id.as_str())),
        }
        OAuthResponse::of(request.form(&form).send().await.unwrap()).await
    }

    /// How many events of this kind are in the security log.
    pub async fn count_events(&self, kind: &str) -> usize {
        let log = security_log::list_events(self.server.engine().store(), None, 10_000).await.unwrap();
        log.iter().filter(|entry| entry.event.kind == kind).count()
    }

    /// The introspection response for a token.
    pub async fn introspect(&self, app: &TestClient, token: &str) -> Value {
        self.post_form(app, "/connect/introspect", &[("token", token)]).await.is(200).body
    }

    /// Signs a token of this type with these claims.
    pub fn sign_jwt(&self, of_type: JwtType, claims: &impl serde::Serialize) -> String {
        let engine = self.server.engine();
        let ring = engine.key_ring();
        jwt::sign_jwt(ring.signing_key(SigningAlgorithm::Es256, engine.now()).unwrap(), of_type, claims)
            .unwrap()
    }

    /// The claims of a token, after its signature, type and lifetime are verified.
    pub fn verify_token(&self, of_type: JwtType, token: &str) -> Value {
        let engine = self.server.engine();
        let expected = jwt::JwtExpectations {
            typ: of_type,
            algorithms: &SigningAlgorithm::ALL,
            issuer: self.issuer(),
            audience: None,
            now: engine.now(),
            tolerance: Lifetime::ZERO,
        };
        let claims =
            jwt::verify_jwt(token, engine.key_ring().published_keys(engine.now()), &expected).unwrap();
        Value::Object(claims.members().clone())
    }

    /// The claims of a document signed with this algorithm; it need not have an `exp`.
    pub fn verify_signed(&self, text: &str, algorithm: SigningAlgorithm) -> Value {
        let (signed, signature) = text.rsplit_once('.').unwrap();
        let (header, payload) = signed.split_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header["alg"], algorithm.as_str());
        let (ring, now) = (self.server.engine().key_ring(), self.server.engine().now());
        let key = ring.published_keys(now).find(|key| key.kid() == header["kid"].as_str().unwrap()).unwrap();
        key.verify_signature(signed.as_bytes(), &decode(signature)).unwrap();
        serde_json::from_slice(&decode(payload)).unwrap()
    }

    /// The claims of an access token that is issued now under a grant.
    pub async fn access_token_claims(&self, granted: &TestGrant<'_>, jti: Jti) -> AccessTokenClaims {
        let engine = self.server.engine();
        let result =
            subject_state::load_subject(engine.store(), granted.membership, ActingClient::None, engine.now())
                .await;
        let subject = result.unwrap().unwrap().state.require_active().unwrap();
        let authority = Authority::derive(&subject).narrow_to_ceiling(&granted.scope.permissions());
        let authentication = AuthenticationContext {
            at: engine.now(),
            assurance: granted.assurance,
            session: Some(granted.session.id),
        };
        let issue = AccessTokenIssuance {
            issuer: self.issuer(),
            audience: &granted.audience,
            client: &granted.client,
            scopes: &granted.scope,
            role_claims: Vec::new(),
            jti,
            now: engine.now(),
            lifetime: Lifetime::from_minutes(10),
            authentication: Some(authentication),
            actor: None,
            confirmation: None,
            details: Vec::new(),
            policy: granted.tenant.policy_approval(),
        };
        AccessTokenClaims::new(&subject, &authority, issue)
    }
}

impl<'w> TestGrant<'w> {
    /// Issues an access token under the grant.
    pub async fn issue_access_token(&self) -> String {
        let jti =
            Jti::mint(TokenRevocationRoot::Grant(self.grant), None, self.world.server.engine().entropy());
        self.world.sign_jwt(JwtType::Access, &self.world.access_token_claims(self, jti).await)
    }

    /// A caller with an access token under the grant.
    pub async fn create_caller(&self) -> ApiCaller<'w> {
        ApiCaller {
            world: self.world,
            tenant: self.tenant.clone(),
            membership: self.membership,
            secret: self.issue_access_token().await,
        }
    }

    /// Issues the refresh token of the grant. A grant has at most one.
    pub async fn issue_refresh_token(&self) -> String {
        let engine = self.world.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let token = RefreshTokenSecret::mint_first(self.grant, entropy);
        let family = NewRefreshFamily {
            first: token.digests(),
            audience: self.audience.as_str().to_owned(),
            scope: self.scope.clone(),
            confirmation: None,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        self.world.apply_statements([refresh_tokens::start_refresh_family(&family, &self.client, now)]).await;
        token.reveal()
    }
}
