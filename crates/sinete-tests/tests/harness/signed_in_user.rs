//! Signed-in users who call the account API. Their sessions are written to the database, because these stories are not
//! about signing in.

use super::api_caller::{ApiRequest, ApiResponse};
use super::organizations::TestOrganization;
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId};
use sinete_core::time::Lifetime;
use sinete_engine::sign_in::sessions;
use sinete_engine::sign_in::sessions::SessionStart;
use sinete_engine::{Engine, EventCause};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::sign_in::credentials;
use sinete_store::sign_in::credentials::NewCredential;
use sinete_store::{JsonDocument, WriteBatch, accounts};

/// A passkey with user verification.
pub const VERIFIED_PASSKEY: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: true, device_bound: false };

#[derive(Clone)]
pub struct SignedInUser<'w> {
    pub world: &'w World,
    pub account: AccountId,
    /// The session token.
    pub token: String,
}

impl World {
    fn server_engine(&self) -> &Engine {
        self.server.engine()
    }

    /// A user with a verified e-mail address, signed in with a code sent by e-mail.
    pub async fn create_signed_in_user(&self, address: &str) -> SignedInUser<'_> {
        let (engine, nothing) = (self.server_engine(), JsonDocument::from_value(&json!({})).unwrap());
        let (now, entropy) = (engine.now(), engine.entropy());
        let (account, id) = (AccountId::mint(now, entropy), ContactId::mint(now, entropy));
        let contact = NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address,
            lookup: address,
            is_primary: true,
            created_at: now,
        };
        let statements =
            [accounts::create_account(account, None, &nothing, now), contacts::add_contact(&contact)];
        self.apply_statements(statements.into_iter().chain([contacts::verify_contact(account, id, now)]))
            .await;
        self.sign_in_account(account, &AuthenticationEvidence::from_proof(AuthenticationProof::EmailCode))
            .await
    }

    /// A new session of the account with this authentication evidence.
    pub async fn sign_in_account(
        &self,
        account: AccountId,
        evidence: &AuthenticationEvidence,
    ) -> SignedInUser<'_> {
        // Ids are ordered by creation time in milliseconds.
        self.clock.advance(Lifetime::from_micros(1_000));
        let engine = self.server_engine();
        let account_row = accounts::find_account(engine.store(), account).await.unwrap().unwrap();
        let start = SessionStart { account: &account_row, evidence, device: None };
        let cause = EventCause {
            actor: sinete_core::events::security_event::SecurityEventActor::Anonymous,
            origin: RequestOrigin::default(),
        };
        let (batch, session) = sessions::start(engine, WriteBatch::new(), &start, &cause).await.unwrap();
        engine.store().commit(batch).await.unwrap().into_result().unwrap();
        SignedInUser { world: self, account, token: session.token.reveal() }
    }
}

impl SignedInUser<'_> {
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.send_request(Method::GET, path, ApiRequest::default()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        let body = (!body.is_null()).then_some(body);
        self.send_request(Method::POST, path, ApiRequest { body, ..ApiRequest::default() }).await
    }

    /// Sends `PATCH`, with `If-Match` if a version is given.
    pub async fn patch(&self, path: &str, version: Option<i64>, body: Value) -> ApiResponse {
        self.send_request(
            Method::PATCH,
            path,
            ApiRequest { body: Some(body), if_match: version, ..ApiRequest::default() },
        )
        .await
    }

    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.send_request(Method::DELETE, path, ApiRequest::default()).await
    }

    /// Sends any request with the session token.
    pub async fn send_request(&self, method: Method, path: &str, mut request: ApiRequest<'_>) -> ApiResponse {
        request.headers.push(("authorization", format!("Session {}", self.token)));
        self.world.send_request(method, path, request).await
    }

    /// Makes the user a member of an organization with this role.
    pub async fn join_organization(&self, tenant: &TestOrganization, role_name: &str) -> MembershipId {
        let engine = self.world.server_engine();
        let now = engine.now();
        let id = MembershipId::mint(now, engine.entropy());
        let all = roles::list_roles(engine.store(), tenant.id).await.unwrap();
        let role = all.iter().find(|role| role.role.name() == role_name).unwrap().id;
        let membership = NewMembership {
            id,
            organization: tenant.id,
            holder: &MembershipHolder::User(self.account),
            profile: &JsonDocument::from_value(&json!({"name": "Ana"})).unwrap(),
            external_id: None,
            created_at: now,
        };
        let steps = [memberships::create_membership(&membership), memberships::add_role(id, role, now)];
        self.world.apply_statements(steps).await;
        id
    }

    /// Adds a credential to the account.
    pub async fn add_credential(
        &self,
        kind: credentials::StoredCredentialKind,
        name: &str,
        material: &[u8],
    ) -> CredentialId {
        let engine = self.world.server_engine();
        let (now, id) = (engine.now(), CredentialId::mint(engine.now(), engine.entropy()));
        let handle = id.as_bytes().to_vec();
        let credential = NewCredential {
            id,
            account: self.account,
            kind,
            name,
            handle: (kind == credentials::StoredCredentialKind::Passkey).then_some(handle.as_slice()),
            material,
            counter: 0,
            created_at: now,
            confirmed_at: Some(now),
        };
        self.world.apply_statements([credentials::add_credential(&credential)]).await;
        id
    }
}
