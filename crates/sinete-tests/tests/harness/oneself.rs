//! People who are signed in, asking about themselves. Their sessions are put into the database directly, because
//! signing in is another story.

use super::api::{Asked, Reply};
use super::tenants::Tenant;
use super::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::assurance::{Evidence, Proof};
use sinete_core::id::{AccountId, ContactId, CredentialId, MembershipId};
use sinete_core::security::event::Origin;
use sinete_core::time::Lifetime;
use sinete_engine::sessions::{self, Start};
use sinete_engine::{Cause, Engine};
use sinete_store::contacts::{self, Kind, NewContact};
use sinete_store::credentials::{self, NewCredential};
use sinete_store::memberships::{self, Holder, NewMembership};
use sinete_store::{Act, Document, accounts, roles};

/// A passkey that checked who the person is.
pub const VERIFIED: Proof = Proof::Passkey { user_verified: true, device_bound: false };

/// Somebody who is signed in.
#[derive(Clone)]
pub struct Oneself<'w> {
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
    pub async fn oneself(&self, address: &str) -> Oneself<'_> {
        let (engine, nothing) = (self.inside(), Document::of(&json!({})).unwrap());
        let (now, entropy) = (engine.now(), engine.entropy());
        let (account, id) = (AccountId::mint(now, entropy), ContactId::mint(now, entropy));
        let contact = NewContact {
            id,
            account,
            kind: Kind::Email,
            address,
            lookup: address,
            is_primary: true,
            created_at: now,
        };
        let made = [accounts::create(account, None, &nothing, now), contacts::add(&contact)];
        self.happens(made.into_iter().chain([contacts::verify(account, id, now)])).await;
        self.signs_in(account, &Evidence::of(Proof::EmailCode)).await
    }

    /// A new session of the person, in which this was proven.
    pub async fn signs_in(&self, account: AccountId, evidence: &Evidence) -> Oneself<'_> {
        // Ids are in the order of their making, to the millisecond.
        self.clock.pass(Lifetime::from_micros(1_000));
        let engine = self.inside();
        let found = accounts::find(engine.store(), account).await.unwrap().unwrap();
        let start = Start { account: &found, evidence, device: None };
        let cause =
            Cause { actor: sinete_core::security::event::Actor::Anonymous, origin: Origin::default() };
        let (act, begun) = sessions::start(engine, Act::new(), &start, &cause).await.unwrap();
        engine.store().commit(act).await.unwrap().unwrap();
        Oneself { world: self, account, token: begun.token.reveal() }
    }
}

impl Oneself<'_> {
    /// Reads something.
    pub async fn get(&self, path: &str) -> Reply {
        self.ask(Method::GET, path, Asked::default()).await
    }

    /// Makes or does something.
    pub async fn post(&self, path: &str, body: Value) -> Reply {
        let body = (!body.is_null()).then_some(body);
        self.ask(Method::POST, path, Asked { body, ..Asked::default() }).await
    }

    /// Changes something, or this version of it.
    pub async fn patch(&self, path: &str, seen: Option<i64>, body: Value) -> Reply {
        self.ask(Method::PATCH, path, Asked { body: Some(body), seen, ..Asked::default() }).await
    }

    /// Removes something.
    pub async fn delete(&self, path: &str) -> Reply {
        self.ask(Method::DELETE, path, Asked::default()).await
    }

    /// Asks for anything.
    pub async fn ask(&self, method: Method, path: &str, mut asked: Asked<'_>) -> Reply {
        asked.headers.push(("authorization", format!("Session {}", self.token)));
        self.world.ask(method, path, asked).await
    }

    /// They join an organization, carrying this role.
    pub async fn joins(&self, tenant: &Tenant, carried: &str) -> MembershipId {
        let engine = self.world.inside();
        let now = engine.now();
        let id = MembershipId::mint(now, engine.entropy());
        let all = roles::of_organization(engine.store(), tenant.id).await.unwrap();
        let role = all.iter().find(|role| role.role.name() == carried).unwrap().id;
        let membership = NewMembership {
            id,
            organization: tenant.id,
            holder: &Holder::Person(self.account),
            profile: &Document::of(&json!({"name": "Ana"})).unwrap(),
            external_id: None,
            created_at: now,
        };
        let steps = [memberships::create(&membership), memberships::give_role(id, role, now)];
        self.world.happens(steps).await;
        id
    }

    /// Something to sign in with is put into their account.
    pub async fn has(&self, kind: credentials::Kind, name: &str, material: &[u8]) -> CredentialId {
        let engine = self.world.inside();
        let (now, id) = (engine.now(), CredentialId::mint(engine.now(), engine.entropy()));
        let handle = id.as_bytes().to_vec();
        let credential = NewCredential {
            id,
            account: self.account,
            kind,
            name,
            handle: (kind == credentials::Kind::Passkey).then_some(handle.as_slice()),
            material,
            counter: 0,
            created_at: now,
            confirmed_at: Some(now),
        };
        self.world.happens([credentials::add(&credential)]).await;
        id
    }
}
