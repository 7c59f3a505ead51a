//! A user whose grants are written directly to the database.

use crate::machine::patient;
use serde_json::json;
use sinete::os::{OsEntropy, SystemClock};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::assurance::{AssuranceLevel, AuthenticationEvidence, AuthenticationProof};
use sinete_core::client_id::ClientId;
use sinete_core::entropy::draw_bytes;
use sinete_core::id::{AccountId, ApprovalRequestId, GrantId, MembershipId, SessionId};
use sinete_core::oauth::authorize::stored_grant_params::{GrantAuthentication, GrantedScopes};
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::secret::{
    AuthorizationCodeSecret, BackchannelRequest, DeviceCode, Digest, RefreshTokenSecret, Secret, SessionToken,
};
use sinete_core::time::Lifetime;
use sinete_store::oauth::authorization_codes::NewAuthorizationCode;
use sinete_store::oauth::ciba_requests;
use sinete_store::oauth::ciba_requests::NewCibaRequest;
use sinete_store::oauth::deferred_grants;
use sinete_store::oauth::device_authorizations;
use sinete_store::oauth::device_authorizations::NewDeviceAuthorization;
use sinete_store::oauth::grants;
use sinete_store::oauth::grants::{GrantLifespan, NewGrant, StoredGrantKind};
use sinete_store::oauth::refresh_tokens;
use sinete_store::oauth::refresh_tokens::NewRefreshFamily;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::sign_in::sessions;
use sinete_store::sign_in::sessions::NewSession;
use sinete_store::{GuardedStatement, JsonDocument, Store, StoreAccess, WriteBatch, accounts, organizations};

/// RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// The issuer of the nodes.
pub const ISSUER: &str = "http://localhost:8080";

/// A signed-in user who is a member of the organization.
pub struct Prepared {
    store: Store,
    membership: MembershipId,
    session: SessionId,
    account: AccountId,
    client: ClientId,
    scope: ScopeSet,
}

impl Prepared {
    pub async fn at(address: &str) -> Self {
        let store =
            Store::open(&address.parse().unwrap(), &patient(StoreAccess::AlongsideServer)).await.unwrap();
        let (now, nothing) = (SystemClock.now(), JsonDocument::from_value(&json!({})).unwrap());
        let acme = organizations::find_organization_by_slug(&store, &"acme".parse().unwrap(), now)
            .await
            .unwrap()
            .unwrap()
            .id;
        let roles = roles::list_roles(&store, acme).await.unwrap();
        let role = roles.iter().find(|role| role.role.name() == "member").unwrap().id;
        let (account, membership) = (AccountId::mint(now, &OsEntropy), MembershipId::mint(now, &OsEntropy));
        let holder = MembershipHolder::User(account);
        let new = NewMembership {
            id: membership,
            organization: acme,
            holder: &holder,
            profile: &nothing,
            external_id: None,
            created_at: now,
        };
        let token = Secret::<SessionToken>::mint(&OsEntropy);
        let session = NewSession {
            id: SessionId::mint(now, &OsEntropy),
            digest: &token.digest(),
            account,
            account_epoch: 0,
            evidence: &JsonDocument::from_value(&AuthenticationEvidence::from_proof(
                AuthenticationProof::Password,
            ))
            .unwrap(),
            device: None,
            description: &nothing,
            created_at: now,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        let prepared = Self {
            store,
            membership,
            session: session.id,
            account,
            client: "app".parse().unwrap(),
            scope: "openid offline_access".parse().unwrap(),
        };
        let steps = [
            accounts::create_account(account, None, &nothing, now),
            memberships::create_membership(&new),
            memberships::add_role(membership, role, now),
            sessions::start_session(&session),
        ];
        prepared.happens(steps).await;
        prepared
    }

    /// A new code for a new grant.
    pub async fn code(&self) -> String {
        let now = SystemClock.now();
        let code = AuthorizationCodeSecret::mint(GrantId::mint(now, &OsEntropy), &OsEntropy);
        let challenge: S256Challenge = CHALLENGE.parse().unwrap();
        let digest = code.digest();
        let new = NewAuthorizationCode {
            digest: &digest.code,
            redirect_uri: "https://app.example/callback",
            challenge: *challenge.as_bytes(),
            request: &JsonDocument::from_value(&json!({"audience": ISSUER})).unwrap(),
            expires_at: now.plus(Lifetime::from_minutes(10)),
        };
        self.happens([self.opens(digest.grant, StoredGrantKind::Code, Some(&new))]).await;
        code.reveal()
    }

    /// A new refresh token of a new grant.
    pub async fn refresh_token(&self) -> String {
        let now = SystemClock.now();
        let (grant, opened) = self.grant(StoredGrantKind::Code);
        let token = RefreshTokenSecret::mint_first(grant, &OsEntropy);
        let family = NewRefreshFamily {
            first: token.digests(),
            audience: ISSUER.to_owned(),
            scope: self.scope.clone(),
            confirmation: None,
            idle_expires_at: now.plus(Lifetime::from_days(7)),
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        self.happens([opened, refresh_tokens::start_refresh_family(&family, &self.client, now)]).await;
        token.reveal()
    }

    /// A new device code that was approved.
    pub async fn device_code(&self) -> String {
        let (code, now) = (Secret::<DeviceCode>::mint(&OsEntropy), SystemClock.now());
        let (grant, opened) = self.grant(StoredGrantKind::Device);
        let started = device_authorizations::create_device_authorization(&NewDeviceAuthorization {
            digest: &code.digest(),
            user_code: &Digest::from_bytes(draw_bytes(&OsEntropy)),
            client: &self.client,
            request: &JsonDocument::from_value(&json!({})).unwrap(),
            poll_interval: Lifetime::from_seconds(5),
            created_at: now,
            expires_at: now.plus(Lifetime::from_minutes(10)),
        });
        let allowed = deferred_grants::approve_deferred_grant(&code.digest(), grant, now);
        self.happens([started, opened, allowed]).await;
        code.reveal()
    }

    /// A new CIBA request that was approved.
    pub async fn approval(&self) -> String {
        let (request, now) = (Secret::<BackchannelRequest>::mint(&OsEntropy), SystemClock.now());
        let (grant, opened) = self.grant(StoredGrantKind::Backchannel);
        let started = ciba_requests::create_ciba_request(&NewCibaRequest {
            digest: &request.digest(),
            id: ApprovalRequestId::mint(now, &OsEntropy),
            client: &self.client,
            account: Some(self.account),
            organization: None,
            hinted_user: &Digest::from_bytes(draw_bytes(&OsEntropy)),
            request: &JsonDocument::from_value(&json!({})).unwrap(),
            sealed_notice: None,
            poll_interval: Lifetime::from_seconds(5),
            created_at: now,
            expires_at: now.plus(Lifetime::from_minutes(10)),
        });
        let approved = deferred_grants::approve_deferred_grant(&request.digest(), grant, now);
        self.happens([started, opened, approved]).await;
        request.reveal()
    }

    pub async fn close(&self) {
        self.store.close().await;
    }

    fn grant(&self, kind: StoredGrantKind) -> (GrantId, GuardedStatement) {
        let id = GrantId::mint(SystemClock.now(), &OsEntropy);
        (id, self.opens(id, kind, None))
    }

    fn opens(
        &self,
        id: GrantId,
        kind: StoredGrantKind,
        code: Option<&NewAuthorizationCode<'_>>,
    ) -> GuardedStatement {
        let now = SystemClock.now();
        let authentication = GrantAuthentication {
            at: now,
            evidence: AuthenticationEvidence::from_proof(AuthenticationProof::Password),
            assurance: AssuranceLevel::One,
            session: self.session,
        };
        let scopes = GrantedScopes::for_single_audience(ISSUER.parse().unwrap(), self.scope.clone());
        let (scopes, details) =
            (JsonDocument::from_value(&scopes).unwrap(), JsonDocument::from_value(&json!([])).unwrap());
        let grant = NewGrant {
            id,
            kind,
            membership: self.membership,
            account_epoch: 0,
            client: &self.client,
            session: self.session,
            lifespan: GrantLifespan::Expiry,
            scopes: &scopes,
            details: &details,
            authentication: &JsonDocument::from_value(&authentication).unwrap(),
            created_at: now,
            expires_at: now.plus(Lifetime::from_days(30)),
        };
        match code {
            Some(code) => grants::open_grant_with_code(&grant, code, None),
            None => grants::open_grant(&grant),
        }
    }

    async fn happens(&self, steps: impl IntoIterator<Item = GuardedStatement>) {
        self.store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
    }
}
