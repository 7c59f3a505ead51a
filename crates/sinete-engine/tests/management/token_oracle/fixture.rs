//! A user, an application, an agent, and the token endpoint without HTTP.

use super::{Set, UNIVERSE};
use crate::database::Database;
use crate::fixture::{Person, World, api, refusal_code};
use serde_json::{Value, json};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::client_id::{ClientId, ClientKind};
use sinete_core::id::{GrantId, SessionId};
use sinete_core::limits::AUTHORIZATION_CODE_LIFETIME;
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::{AuthorizationCodeSecret, RefreshTokenSecret, Secret, SessionToken};
use sinete_core::time::Lifetime;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::oauth::authorize;
use sinete_engine::oauth::authorize::{
    AuthorizationAttempt, AuthorizationOutcome, AuthorizationStep, InteractionAnswers, ReceivedRequest,
};
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::ClientAuthRequest;
use sinete_engine::oauth::{access_token, token};
use sinete_engine::organizations::{api_catalog, roles};
use sinete_engine::{Engine, EventCause};
use sinete_store::oauth::authorization_codes::NewAuthorizationCode;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, NewClient};
use sinete_store::oauth::consents::ConsentParties;
use sinete_store::oauth::grants;
use sinete_store::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{GuardedStatement, JsonDocument};

/// RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const REDIRECT: &str = "https://app.example/callback";
const AUDIENCE: &str = "https://invoices.example";
const APP: &str = "app";
const AGENT: &str = "agent";

/// The number of rows that a refused request could have added.
const TRACES: &str = "SELECT (SELECT count(*) FROM security_log) + (SELECT count(refresh_mark) FROM grants) \
    + (SELECT COALESCE(CAST(sum(refresh_generation) AS BIGINT), 0) FROM grants) \
    + (SELECT count(code_spent_at) FROM grants) + (SELECT count(*) FROM delegations) \
    + (SELECT count(*) FROM revoked_jtis) + (SELECT COALESCE(CAST(sum(version) AS BIGINT), 0) FROM grants)";

pub struct Bench {
    pub world: World,
    person: Person,
    session: SessionId,
    token: String,
}

/// The issued tokens.
pub struct Issued {
    pub access: String,
    pub refresh: Option<String>,
}

fn scope_of(set: &Set) -> String {
    set.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

impl Bench {
    pub async fn new(database: Database, ceilings: &[Set; 2], role_permissions: &Set) -> Self {
        let world = World::new(database).await;
        let acme = world.organization("acme").await;
        let instance_admin = world.system_operating().await;
        let defined: Vec<&str> = UNIVERSE.into_iter().filter(|it| !it.ends_with('*')).collect();
        let new_api = api_catalog::NewApi { id: None, is_offered_to_all: true, definition: api(&defined) };
        api_catalog::create(&world.engine, AdminScope::Instance(&instance_admin), &new_api).await.unwrap();
        let role = role(role_permissions);
        roles::create(&world.engine, &world.system_in("acme").await, &role).await.unwrap();
        let user = world.person("acme", &["clerk"]).await;
        for (id, kind, ceiling) in
            [(APP, ClientKind::Application, &ceilings[0]), (AGENT, ClientKind::Agent, &ceilings[1])]
        {
            let scope: ScopeSet = scope_of(ceiling).parse().unwrap();
            let metadata = json!({
                "client_name": id, "token_endpoint_auth_method": "none", "id_token_signed_response_alg": "ES256",
                "redirect_uris": [REDIRECT], "consent": "implied",
            });
            let new = NewClient {
                id: &id.parse().unwrap(),
                kind,
                origin: ClientOrigin::Organization(acme),
                name: id,
                purpose: "",
                owner: None,
                scope: &scope,
                metadata: &JsonDocument::from_value(&metadata).unwrap(),
                created_at: world.now(),
            };
            world.happens([clients::create_client(&new)]).await;
        }
        let (now, entropy) = (world.now(), world.engine.entropy());
        let token = Secret::<SessionToken>::mint(entropy);
        let session = NewSession {
            id: SessionId::mint(now, entropy),
            digest: &token.digest(),
            account: user.account,
            account_epoch: 0,
            evidence: &JsonDocument::from_value(&AuthenticationEvidence::from_proof(
                AuthenticationProof::Password,
            ))
            .unwrap(),
            device: None,
            description: &JsonDocument::from_value(&json!({})).unwrap(),
            created_at: now,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        world.happens([sessions::start_session(&session)]).await;
        let session = session.id;
        Self { world, person: user, session, token: token.reveal() }
    }

    /// Requests a code on this node, with the session.
    pub async fn authorize(&self, engine: &Engine) -> Result<String, String> {
        self.authorize_while(engine, async || {}).await
    }

    /// The same with these parameters changed or added.
    pub async fn authorize_saying(
        &self,
        engine: &Engine,
        extra_params: &[(&str, &str)],
    ) -> Result<String, String> {
        self.authorize_saying_while(engine, extra_params, async || {}).await
    }

    /// The same, with something happening between the first read and the response.
    pub async fn authorize_while(
        &self,
        engine: &Engine,
        happening: impl AsyncFnOnce(),
    ) -> Result<String, String> {
        self.authorize_saying_while(engine, &[], happening).await
    }

    async fn authorize_saying_while(
        &self,
        engine: &Engine,
        extra_params: &[(&str, &str)],
        happening: impl AsyncFnOnce(),
    ) -> Result<String, String> {
        let pairs = [
            ("client_id", APP),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("scope", "invoices:read"),
            ("resource", AUDIENCE),
        ];
        let default_params = pairs
            .into_iter()
            .filter(|(name, _)| extra_params.iter().all(|(extra_name, _)| extra_name != name));
        let pairs = default_params.chain(extra_params.iter().copied());
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let visiting = authorize::load_context(engine, Some(&self.token), Some(APP)).await.unwrap();
        let (signed_in, context) = (visiting.signed_in.unwrap(), visiting.context.as_ref());
        happening().await;
        let pending = match authorize::receive_request(engine, RawAuthorizationParams::new(pairs), context)
            .await
            .unwrap()
        {
            ReceivedRequest::Valid(pending) => pending,
            other => return Err(format!("{other:?}")),
        };
        let passage = AuthorizationAttempt {
            request: &pending,
            signed_in: &signed_in,
            answers: &InteractionAnswers::default(),
            context,
        };
        let completed =
            authorize::complete_authorization(engine, passage, &|_| Vec::new(), &EventCause::system()).await;
        match completed.unwrap() {
            AuthorizationOutcome::Issued(issued) => Ok(issued.code),
            AuthorizationOutcome::StepRequired(next) => match *next {
                AuthorizationStep::Refuse(refused) => Err(refused.response.description.into_owned()),
                other => Err(format!("{other:?}")),
            },
        }
    }

    pub async fn change_role(&self, role_permissions: &Set) {
        let access = self.world.system_in("acme").await;
        let id = self.world.role("acme", "clerk").await;
        let role_version = roles::show(&self.world.engine, &access, id).await.unwrap().version;
        roles::change(&self.world.engine, &access, id, role_version, &role(role_permissions)).await.unwrap();
    }

    /// A code for a grant with these scopes.
    pub async fn code(&self, consented_scope: &Set) -> String {
        let (now, entropy) = (self.world.now(), self.world.engine.entropy());
        let (grant, client): (_, ClientId) = (GrantId::mint(now, entropy), APP.parse().unwrap());
        let code = AuthorizationCodeSecret::mint(grant, entropy);
        let challenge: S256Challenge = CHALLENGE.parse().unwrap();
        let digest = code.digest();
        let new = NewAuthorizationCode {
            digest: &digest.code,
            redirect_uri: REDIRECT,
            challenge: *challenge.as_bytes(),
            request: &JsonDocument::from_value(&json!({"audience": AUDIENCE})).unwrap(),
            expires_at: now.plus(AUTHORIZATION_CODE_LIFETIME),
        };
        self.world.happens([self.grant(grant, &client, consented_scope, &new)]).await;
        code.reveal()
    }

    fn grant(
        &self,
        id: GrantId,
        client: &ClientId,
        consented_scope: &Set,
        code: &NewAuthorizationCode<'_>,
    ) -> GuardedStatement {
        let now = self.world.now();
        let granted_scopes = GrantedScopes::for_single_audience(
            AUDIENCE.parse().unwrap(),
            scope_of(consented_scope).parse().unwrap(),
        );
        let authentication = GrantAuthentication {
            at: now,
            evidence: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            assurance: AssuranceLevel::One,
            session: self.session,
        };
        let grant = NewGrant {
            id,
            kind: StoredGrantKind::Code,
            membership: self.person.membership,
            account_epoch: 0,
            client,
            session: self.session,
            lifespan: GrantLifespan::Session,
            scopes: &JsonDocument::from_value(&granted_scopes).unwrap(),
            details: &JsonDocument::from_value(&json!([])).unwrap(),
            authentication: &JsonDocument::from_value(&authentication).unwrap(),
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        grants::open_grant_with_code(&grant, code, None)
    }

    pub async fn redeem(&self, code: &str) -> Result<Issued, RefusalCode> {
        let param_pairs = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
        self.ask(APP, &param_pairs, None).await
    }

    pub async fn refresh(&self, token: &str, scope: Option<&Set>) -> Result<Issued, RefusalCode> {
        self.ask(APP, &[("grant_type", "refresh_token"), ("refresh_token", token)], scope).await
    }

    pub async fn exchange(
        &self,
        token: &str,
        by_agent: bool,
        scope: Option<&Set>,
    ) -> Result<Issued, RefusalCode> {
        let param_pairs = [
            ("grant_type", "token-exchange"),
            ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ];
        self.ask(if by_agent { AGENT } else { APP }, &param_pairs, scope).await
    }

    async fn ask(
        &self,
        client: &str,
        param_pairs: &[(&str, &str)],
        scope: Option<&Set>,
    ) -> Result<Issued, RefusalCode> {
        let auth_request = presented(client, client_authentication::ClientCredential::None);
        let scope = scope.map(scope_of);
        let pairs = param_pairs.iter().copied().chain(scope.as_deref().map(|scope| ("scope", scope)));
        let result = token::issue_token(
            &self.world.engine,
            &auth_request,
            &TokenRequestParams::new(pairs),
            &EventCause::system(),
        )
        .await;
        result.map_err(refusal_code).map(|issued| Issued {
            access: issued.access_token,
            refresh: issued.refresh_token.map(RefreshTokenSecret::reveal),
        })
    }

    /// The current permissions of an access token.
    pub async fn may(&self, token: &str) -> Set {
        let live = access_token::load_active_token(&self.world.engine, token).await.unwrap();
        let covered = |it: &&str| live.authority.covers(&it.parse().unwrap());
        UNIVERSE.iter().filter(|it| covered(it)).map(|it| (*it).to_owned()).collect()
    }

    /// The scope of a token, and the number of its actors.
    pub fn says(&self, token: &str) -> (Set, usize) {
        let claims = claims(token);
        let scope = claims["scope"].as_str().unwrap().split(' ').map(str::to_owned).collect();
        let (mut actors, mut actor_claim) = (0, &claims["act"]);
        while actor_claim.is_object() {
            (actors, actor_claim) = (actors + 1, &actor_claim["act"]);
        }
        (scope, actors)
    }

    /// The client of a token.
    pub fn holder(&self, token: &str) -> String {
        claims(token)["client_id"].as_str().unwrap().to_owned()
    }

    /// The parties of a consent with the application.
    pub fn parties<'a>(&self, client: &'a ClientId) -> ConsentParties<'a> {
        ConsentParties { membership: self.person.membership, client, audience: AUDIENCE }
    }

    pub const fn app(&self) -> &'static str {
        APP
    }

    pub async fn traces(&self) -> i64 {
        self.world.database.number(TRACES).await
    }
}

/// A client authentication with this credential.
pub fn presented(client: &str, proof: client_authentication::ClientCredential) -> ClientAuthRequest {
    let client = Some(client.to_owned());
    let endpoint = client_authentication::TOKEN_ENDPOINT;
    ClientAuthRequest { client, credential: proof, endpoint, certificate: None, dpop: None }
}

fn role(role_permissions: &Set) -> roles::RoleDraft {
    roles::RoleDraft {
        name: "clerk".to_owned(),
        description: String::new(),
        permissions: role_permissions.iter().map(|it| it.parse().unwrap()).collect(),
    }
}

/// The unverified claims of a token.
pub fn claims(token: &str) -> Value {
    use base64::Engine as _;
    let payload = token.split('.').nth(1).unwrap();
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}
