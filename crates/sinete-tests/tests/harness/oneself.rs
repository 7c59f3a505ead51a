//! People who are signed in, asking about themselves. Their sessions are put into the database directly, because
//! signing in is another story.

use super::api::{ApiRequest, ApiResponse};
use super::tenants::TestOrganization;
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId};
use sinete_core::security::event::RequestOrigin;
use sinete_core::time::Lifetime;
use sinete_engine::sessions::{self, SessionStart};
use sinete_engine::{Engine, EventCause};
use sinete_store::contacts::{self, ContactKind, NewContact};
use sinete_store::credentials::{self, NewCredential};
use sinete_store::memberships::{self, MembershipHolder, NewMembership};
use sinete_store::{JsonDocument, WriteBatch, accounts, roles};

/// A passkey that checked who the person is.
pub const VERIFIED: AuthenticationProof =
    AuthenticationProof::Passkey { user_verified: true, device_bound: false };

/// Somebody who is signed in.
#[derive(Clone)]
pub struct SignedInUser<'w> {
    /// Where.
    pub world: &'w World,
    /// Their account.
    pub account: AccountId,
    /// The token of their session.
    pub token: String,
}

impl World {
    fn inside(&self) -> &Engine {
        self.server.engine()
    }

    /// A person with a proven address, signed in by reading their mail.
    pub async fn oneself(&self, address: &str) -> SignedInUser<'_> {
        let (engine, nothing) = (self.inside(), JsonDocument::of(&json!({})).unwrap());
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
        let made = [accounts::create(account, None, &nothing, now), contacts::add(&contact)];
        self.happens(made.into_iter().chain([contacts::verify(account, id, now)])).await;
        self.signs_in(account, &AuthenticationEvidence::of(AuthenticationProof::EmailCode)).await
    }

    /// A new session of the person, in which this was proven.
    pub async fn signs_in(&self, account: AccountId, evidence: &AuthenticationEvidence) -> SignedInUser<'_> {
        // Ids are in the order of their making, to the millisecond.
        self.clock.pass(Lifetime::from_micros(1_000));
        let engine = self.inside();
        let found = accounts::find(engine.store(), account).await.unwrap().unwrap();
        let start = SessionStart { account: &found, evidence, device: None };
        let cause = EventCause {
            actor: sinete_core::security::event::SecurityEventActor::Anonymous,
            origin: RequestOrigin::default(),
        };
        let (act, begun) = sessions::start(engine, WriteBatch::new(), &start, &cause).await.unwrap();
        engine.store().commit(act).await.unwrap().unwrap();
        SignedInUser { world: self, account, token: begun.token.reveal() }
    }
}

impl SignedInUser<'_> {
    /// Reads something.
    pub async fn get(&self, path: &str) -> ApiResponse {
        self.ask(Method::GET, path, ApiRequest::default()).await
    }

    /// Makes or does something.
    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        let body = (!body.is_null()).then_some(body);
        self.ask(Method::POST, path, ApiRequest { body, ..ApiRequest::default() }).await
    }

    /// Changes something, or this version of it.
    pub async fn patch(&self, path: &str, seen: Option<i64>, body: Value) -> ApiResponse {
        self.ask(Method::PATCH, path, ApiRequest { body: Some(body), seen, ..ApiRequest::default() }).await
    }

    /// Removes something.
    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.ask(Method::DELETE, path, ApiRequest::default()).await
    }

    /// Asks for anything.
    pub async fn ask(&self, method: Method, path: &str, mut asked: ApiRequest<'_>) -> ApiResponse {
        asked.headers.push(("authorization", format!("Session {}", self.token)));
        self.world.ask(method, path, asked).await
    }

    /// They join an organization, carrying this role.
    pub async fn joins(&self, tenant: &TestOrganization, carried: &str) -> MembershipId {
        let engine = self.world.inside();
        let now = engine.now();
        let id = MembershipId::mint(now, engine.entropy());
        let all = roles::of_organization(engine.store(), tenant.id).await.unwrap();
        let role = all.iter().find(|role| role.role.name() == carried).unwrap().id;
        let membership = NewMembership {
            id,
            organization: tenant.id,
            holder: &MembershipHolder::Person(self.account),
            profile: &JsonDocument::of(&json!({"name": "Ana"})).unwrap(),
            external_id: None,
            created_at: now,
        };
        let steps = [memberships::create(&membership), memberships::give_role(id, role, now)];
        self.world.happens(steps).await;
        id
    }

    /// Something to sign in with is put into their account.
    pub async fn has(
        &self,
        kind: credentials::StoredCredentialKind,
        name: &str,
        material: &[u8],
    ) -> CredentialId {
        let engine = self.world.inside();
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
        self.world.happens([credentials::add(&credential)]).await;
        id
    }
}
