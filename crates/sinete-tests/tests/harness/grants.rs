//! Grants and the tokens under them, put into the world directly: how they are asked for is another story.

use super::api::Somebody;
use super::tenants::Tenant;
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::api::ApiIdentifier;
use sinete_core::assurance::{Assurance, Evidence, Proof};
use sinete_core::authority::Authority;
use sinete_core::authority::scope::Scopes;
use sinete_core::authorize::agreed::{AgreedScopes, Authenticated};
use sinete_core::client::{ClientId, ClientKind};
use sinete_core::id::{AccountId, GrantId, MembershipId, SessionId};
use sinete_core::secret::{ClientSecret, FamilyToken, Secret, SessionToken};
use sinete_core::signing::Algorithm;
use sinete_core::time::Lifetime;
use sinete_core::token::access::{AccessClaims, Authentication, Issue};
use sinete_core::token::jti::{Jti, Root};
use sinete_crypto::jwt::{self, TokenType};
use sinete_store::clients::{self, NewClient, Origin};
use sinete_store::families::{self, NewFamily};
use sinete_store::grants::{Kind, Lifespan, NewGrant};
use sinete_store::memberships::{self, Holder};
use sinete_store::sessions::{self, NewSession};
use sinete_store::standing::Through;
use sinete_store::{Document, accounts, client_secrets, security_log, standing};

/// A client that keeps a secret, or keeps none.
#[derive(Clone, Debug)]
pub struct App {
    /// Its id.
    pub id: ClientId,
    /// Its secret, shown in the Authorization header.
    pub secret: Option<String>,
}

/// A session of somebody's.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Whose it is.
    pub account: AccountId,
    /// What its holder shows.
    pub token: String,
}

/// What a member granted a client, in a session of theirs.
#[derive(Clone)]
pub struct Granted<'w> {
    /// Where.
    pub world: &'w World,
    /// The organization it counts in.
    pub tenant: Tenant,
    /// Who gave it.
    pub membership: MembershipId,
    /// The session it was given in.
    pub session: Session,
    /// Who got it.
    pub client: ClientId,
    /// The grant.
    pub grant: GrantId,
    /// The code for it, whose verifier is [`super::token_endpoint::VERIFIER`].
    pub code: String,
    /// What its tokens are for.
    pub audience: ApiIdentifier,
    /// What was agreed to.
    pub scope: Scopes,
    /// How sure we were who gave it.
    pub assurance: Assurance,
}

/// What an OAuth endpoint answered.
#[derive(Clone, Debug)]
pub struct Answered {
    /// With what status.
    pub status: u16,
    /// With which headers.
    pub headers: reqwest::header::HeaderMap,
    /// With what in it; null where it was no JSON.
    pub body: Value,
    /// The same as text.
    pub text: String,
}

impl Answered {
    /// What there is to see of an answer.
    pub async fn of(answer: reqwest::Response) -> Self {
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        Self { status, headers, body: serde_json::from_str(&text).unwrap_or_default(), text }
    }

    /// It must have this status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// It must be refused like this, in the shape of OAuth.
    #[track_caller]
    pub fn refused(self, status: u16, error: &str) -> Self {
        let answered = self.is(status);
        assert_eq!(answered.body["error"], error, "{}", answered.text);
        answered
    }
}

/// What is to be granted.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// What is asked for.
    pub scope: &'a str,
    /// At which API; at our own, if none is named.
    pub audience: Option<&'a str>,
    /// How long it lives.
    pub lifespan: Lifespan,
    /// How sure we are who grants it.
    pub assurance: Assurance,
    /// The claims that the request asks for by their names.
    pub claims: Value,
}

impl Wanted<'_> {
    /// This scope at our own APIs, for as long as the session.
    pub fn scope(scope: &str) -> Wanted<'_> {
        let (lifespan, assurance) = (Lifespan::Session, Assurance::Two);
        Wanted { scope, audience: None, lifespan, assurance, claims: json!({}) }
    }
}

impl World {
    /// Our own address, as tokens name it.
    pub fn issuer(&self) -> &str {
        &self.server.engine().settings().issuer
    }

    /// What every challenge ends in: where what is to be known about our own APIs stands.
    pub fn resource_metadata(&self) -> String {
        format!("resource_metadata=\"{}/.well-known/oauth-protected-resource\"", self.issuer())
    }

    /// A client of the operator's that says this about itself.
    pub async fn client(&self, kind: ClientKind, origin: Origin, metadata: Value) -> App {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let id = ClientId::mint(now, entropy);
        let is_public = metadata["token_endpoint_auth_method"] == "none";
        let metadata = Document::of(&metadata).unwrap();
        let scope = Scopes::default();
        let made = clients::create(&NewClient {
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
        self.happens([made]).await;
        if is_public {
            return App { id, secret: None };
        }
        let secret = Secret::<ClientSecret>::mint(entropy);
        self.happens([client_secrets::add(&secret.digest(), &id, now, None)]).await;
        App { id, secret: Some(secret.reveal()) }
    }

    /// An application of the operator's that keeps a secret.
    pub async fn app(&self) -> App {
        let metadata =
            json!({"client_name": "An application", "redirect_uris": ["https://app.example/callback"]});
        self.client(ClientKind::Application, Origin::Operator, metadata).await
    }

    /// The account of a person who is a member.
    pub async fn account_of(&self, tenant: &Tenant, membership: MembershipId) -> AccountId {
        let store = self.server.engine().store();
        match memberships::find(store, tenant.id, membership).await.unwrap().unwrap().holder {
            Holder::Person(account) => account,
            other => panic!("{other:?} is no person"),
        }
    }

    /// Signs somebody in.
    pub async fn session_of(&self, account: AccountId) -> Session {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let token = Secret::<SessionToken>::mint(entropy);
        let passkey = Proof::Passkey { user_verified: true, device_bound: true };
        let nothing = Document::of(&json!({})).unwrap();
        let session = NewSession {
            id: SessionId::mint(now, entropy),
            digest: &token.digest(),
            account,
            account_epoch: accounts::find(engine.store(), account).await.unwrap().unwrap().epoch,
            evidence: &Document::of(&Evidence::of(passkey)).unwrap(),
            device: None,
            description: &nothing,
            created_at: now,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        self.happens([sessions::start(&session)]).await;
        Session { id: session.id, account, token: token.reveal() }
    }

    /// A member's grant to a client, in a new session of theirs.
    pub async fn granted(
        &self,
        tenant: &Tenant,
        membership: MembershipId,
        client: &ClientId,
        wanted: Wanted<'_>,
    ) -> Granted<'_> {
        let session = self.session_of(self.account_of(tenant, membership).await).await;
        self.granted_in(&session, tenant, membership, (client, wanted)).await
    }

    /// A member's grant to a client, in a session of theirs.
    pub async fn granted_in(
        &self,
        session: &Session,
        tenant: &Tenant,
        membership: MembershipId,
        (client, wanted): (&ClientId, Wanted<'_>),
    ) -> Granted<'_> {
        let engine = self.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let audience: ApiIdentifier = wanted.audience.unwrap_or(self.issuer()).parse().unwrap();
        let scope: Scopes = wanted.scope.parse().unwrap();
        let authentication = Authenticated {
            at: now,
            evidence: Evidence::of(Proof::Password),
            assurance: wanted.assurance,
            session: session.id,
        };
        let id = GrantId::mint(now, entropy);
        let grant = NewGrant {
            id,
            kind: Kind::Code,
            membership,
            account_epoch: accounts::find(engine.store(), session.account).await.unwrap().unwrap().epoch,
            client,
            session: session.id,
            lifespan: wanted.lifespan,
            scopes: &Document::of(&AgreedScopes::of(audience.clone(), scope.clone())).unwrap(),
            details: &Document::of(&json!([])).unwrap(),
            authentication: &Document::of(&authentication).unwrap(),
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        let (code, given) = self.opened_with_code(&grant, &audience, &wanted.claims);
        self.happens([given]).await;
        Granted {
            world: self,
            tenant: tenant.clone(),
            membership,
            session: session.clone(),
            client: client.clone(),
            grant: id,
            code,
            audience,
            scope,
            assurance: wanted.assurance,
        }
    }

    /// A member with an access token of this scope for our own APIs, which a client has for them.
    pub async fn bearer(&self, tenant: &Tenant, membership: MembershipId, scope: &str) -> Somebody<'_> {
        let client = self.app().await;
        self.granted(tenant, membership, &client.id, Wanted::scope(scope)).await.somebody().await
    }

    /// What an OAuth endpoint answers a client that shows this form, proving itself in the header if it can.
    pub async fn form(&self, app: &App, path: &str, form: &[(&str, &str)]) -> Answered {
        let mut form = form.to_vec();
        let mut request = self.http.post(self.public(path));
        match &app.secret {
            Some(secret) => request = request.basic_auth(&app.id, Some(secret)),
            None => form.push(("client_id", app.id.as_str())),
        }
        Answered::of(request.form(&form).send().await.unwrap()).await
    }

    /// How often something of this kind stands in the security log.
    pub async fn logged(&self, kind: &str) -> usize {
        let log = security_log::page(self.server.engine().store(), None, 10_000).await.unwrap();
        log.iter().filter(|entry| entry.event.kind == kind).count()
    }

    /// What a client is told about a token.
    pub async fn introspected(&self, app: &App, token: &str) -> Value {
        self.form(app, "/connect/introspect", &[("token", token)]).await.is(200).body
    }

    /// A token of this type that says this.
    pub fn sign(&self, of_type: TokenType, claims: &impl serde::Serialize) -> String {
        let engine = self.server.engine();
        let ring = engine.keys();
        jwt::sign(ring.signer(Algorithm::Es256, engine.now()).unwrap(), of_type, claims).unwrap()
    }

    /// What a token of ours says, which must be of this type and count now.
    pub fn read_token(&self, of_type: TokenType, token: &str) -> Value {
        let engine = self.server.engine();
        let expected = jwt::Expected {
            of_type,
            algorithms: &Algorithm::ALL,
            issuer: self.issuer(),
            audience: None,
            now: engine.now(),
            tolerance: Lifetime::ZERO,
        };
        let claims = jwt::verify(token, engine.keys().published(engine.now()), &expected).unwrap();
        Value::Object(claims.members().clone())
    }

    /// What a document of ours says that was signed with this algorithm, and need not expire.
    pub fn read_signed(&self, text: &str, algorithm: Algorithm) -> Value {
        let (signed, signature) = text.rsplit_once('.').unwrap();
        let (header, payload) = signed.split_once('.').unwrap();
        let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
        let header: Value = serde_json::from_slice(&decode(header)).unwrap();
        assert_eq!(header["alg"], algorithm.as_str());
        let (ring, now) = (self.server.engine().keys(), self.server.engine().now());
        let key = ring.published(now).find(|key| key.kid() == header["kid"].as_str().unwrap()).unwrap();
        key.verify(signed.as_bytes(), &decode(signature)).unwrap();
        serde_json::from_slice(&decode(payload)).unwrap()
    }

    /// The claims of a token of a member, at this moment.
    pub async fn claims(&self, granted: &Granted<'_>, jti: Jti) -> AccessClaims {
        let engine = self.server.engine();
        let found = standing::find(engine.store(), granted.membership, Through::Itself, engine.now()).await;
        let alive = found.unwrap().unwrap().standing.alive().unwrap();
        let authority = Authority::of(&alive).below(&granted.scope.permissions());
        let authentication = Authentication {
            at: engine.now(),
            assurance: granted.assurance,
            session: Some(granted.session.id),
        };
        let issue = Issue {
            issuer: self.issuer(),
            audience: &granted.audience,
            client: &granted.client,
            scopes: &granted.scope,
            jti,
            now: engine.now(),
            lifetime: Lifetime::from_minutes(10),
            authentication: Some(authentication),
            actor: None,
            confirmation: None,
            details: Vec::new(),
            policy: granted.tenant.policy_approval(),
        };
        AccessClaims::new(&alive, &authority, issue)
    }
}

impl<'w> Granted<'w> {
    /// An access token under the grant.
    pub async fn access_token(&self) -> String {
        let jti = Jti::mint(Root::Grant(self.grant), None, self.world.server.engine().entropy());
        self.world.sign(TokenType::Access, &self.world.claims(self, jti).await)
    }

    /// The member, with an access token under the grant.
    pub async fn somebody(&self) -> Somebody<'w> {
        Somebody {
            world: self.world,
            tenant: self.tenant.clone(),
            membership: self.membership,
            secret: self.access_token().await,
        }
    }

    /// A refresh token under the grant, which is given one at most.
    pub async fn refresh_token(&self) -> String {
        let engine = self.world.server.engine();
        let (now, entropy) = (engine.now(), engine.entropy());
        let token = FamilyToken::first(self.grant, entropy);
        let family = NewFamily {
            first: token.digests(),
            audience: self.audience.as_str().to_owned(),
            scope: self.scope.clone(),
            confirmation: None,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        self.world.happens([families::begin(&family, &self.client, now)]).await;
        token.reveal()
    }
}
