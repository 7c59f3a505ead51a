//! An instance with organizations, users and keys, and a settable clock.

use crate::database::{Database, patient};
pub use crate::published_pages::PublishedPages;
use sinete_core::access_control::Authority;
use sinete_core::access_control::scope::{Scope, ScopeSet};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::security_event::RequestOrigin;
use sinete_core::id::{AccountId, ContactId, EventId, MembershipId, MessageId, OrganizationId, RoleId};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::organizations::api_catalog::ApiDefinition;
use sinete_core::organizations::settings::{OrganizationName, OrganizationSettings};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::encryption::{InstanceKey, InstanceKeyRing};
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::access_control::caller::AuthenticatedCaller;
use sinete_engine::access_control::instance_admin::InstanceAdmin;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::organizations::api_keys;
use sinete_engine::platform::outbox;
use sinete_engine::platform::outbox::MessageCarriers;
use sinete_engine::ports::{
    Clock, EmailSender, OutgoingEmail, OutgoingSms, SendError, SendFuture, SmsSender,
};
use sinete_engine::{Engine, EngineParts, EngineSettings, Error, InstanceMode, organizations};
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::{ContactKind, NewContact};
use sinete_store::events::security_log;
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;
use sinete_store::organizations::ConditionChangeReason;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::{MembershipHolder, NewMembership};
use sinete_store::organizations::roles;
use sinete_store::{GuardedStatement, JsonDocument, Store, StoreAccess, WriteBatch, accounts};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

pub const START: Timestamp = Timestamp::from_seconds(1_800_000_000);
/// The difference between consecutive ids.
pub const MOMENT: Lifetime = Lifetime::from_millis(1);
pub const ISSUER: &str = "https://id.example";

/// A clock that is set by the test.
pub struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

pub struct World {
    pub database: Database,
    pub engine: Engine,
    pub web: Arc<PublishedPages>,
    clock: Arc<SetClock>,
    signing_key: String,
}

/// A user in one organization, with a key for all their permissions.
#[derive(Clone)]
pub struct Person {
    pub account: AccountId,
    pub membership: MembershipId,
    pub key: String,
}

impl World {
    pub async fn new(database: Database) -> Self {
        let store =
            Store::open(&database.url().parse().unwrap(), &patient(StoreAccess::Serve)).await.unwrap();
        let clock = Arc::new(SetClock(AtomicI64::new(START.micros())));
        let web = Arc::new(PublishedPages::default());
        let signing_key =
            SigningKey::generate(SigningAlgorithm::Es256).unwrap().to_pem().unwrap().to_string();
        let parts = parts(store, &clock, &web, &signing_key, 11);
        let engine = Engine::start(parts).await.unwrap();
        organizations::ensure_built_in_organizations(&engine).await.unwrap();
        Self { database, engine, web, clock, signing_key }
    }

    /// Another node on the same database, with empty caches.
    pub async fn another_node(&self) -> Engine {
        let access = match self.database {
            Database::Sqlite(_) => StoreAccess::AlongsideServer,
            Database::Postgres { .. } => StoreAccess::Serve,
        };
        let store = Store::open(&self.database.url().parse().unwrap(), &patient(access)).await.unwrap();
        Engine::start(parts(store, &self.clock, &self.web, &self.signing_key, 12)).await.unwrap()
    }

    pub fn store(&self) -> &Store {
        self.engine.store()
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn pass(&self, span: Lifetime) {
        self.clock.0.store(self.now().plus(span).micros(), Ordering::SeqCst);
    }

    /// The command line caller. Each call advances the clock.
    pub async fn system(&self) -> AuthenticatedCaller {
        self.pass(MOMENT);
        organizations::load_command_line_caller(&self.engine).await.unwrap()
    }

    /// The command line, in an organization.
    pub async fn system_in(&self, organization: &str) -> OrganizationAccess {
        organization_access::authorize_in_organization(&self.engine, &self.system().await, organization)
            .await
            .unwrap()
    }

    pub async fn system_operating(&self) -> InstanceAdmin {
        InstanceAdmin::new(&self.engine, &self.system().await)
    }

    /// Creates an organization with this slug.
    pub async fn organization(&self, slug: &str) -> OrganizationId {
        let request = organizations::OrganizationRequest {
            id: None,
            slug: slug.parse().unwrap(),
            name: OrganizationName::try_from(slug.to_owned()).unwrap(),
            settings: OrganizationSettings::default(),
        };
        organizations::create(&self.engine, &self.system().await, &request).await.unwrap().id
    }

    /// The role of this name in this organization.
    pub async fn role(&self, organization: &str, name: &str) -> RoleId {
        let all = roles::list_roles(self.store(), self.id_of(organization).await).await.unwrap();
        all.iter().find(|role| role.role.name() == name).unwrap_or_else(|| panic!("no role {name}")).id
    }

    pub async fn id_of(&self, organization: &str) -> OrganizationId {
        let slug: OrganizationSlug = organization.parse().unwrap();
        let result =
            sinete_store::organizations::find_organization_by_slug(self.store(), &slug, self.now()).await;
        result.unwrap().unwrap().id
    }

    /// A member with these roles and a key for all their permissions.
    pub async fn person(&self, organization: &str, roles: &[&str]) -> Person {
        let (id, entropy) = (self.id_of(organization).await, self.engine.entropy());
        let account = AccountId::mint(self.now(), entropy);
        let membership = MembershipId::mint(self.now(), entropy);
        let nothing = JsonDocument::from_value(&serde_json::Map::new()).unwrap();
        let new = NewMembership {
            id: membership,
            organization: id,
            holder: &MembershipHolder::User(account),
            profile: &nothing,
            external_id: None,
            created_at: self.now(),
        };
        let mut steps = vec![
            accounts::create_account(account, None, &nothing, self.now()),
            memberships::create_membership(&new),
        ];
        for role in roles {
            steps.push(memberships::add_role(membership, self.role(organization, role).await, self.now()));
        }
        self.happens(steps).await;
        let key = self.key_of(organization, membership).await;
        Person { account, membership, key }
    }

    /// A key for all permissions of the membership, including those that only an assignment grants.
    pub async fn key_of(&self, organization: &str, membership: MembershipId) -> String {
        let result =
            subject_state::load_subject(self.store(), membership, ActingClient::None, self.now()).await;
        let subject = result.unwrap().unwrap().state.require_active().unwrap();
        let mut scope: Vec<_> =
            Authority::derive(&subject).permissions().iter().cloned().map(Scope::Permission).collect();
        if organization == organizations::OPERATORS {
            scope.push("organizations:administer".parse().unwrap());
        }
        let request = api_keys::ApiKeyRequest {
            membership,
            name: "everything".to_owned(),
            scope: scope.into_iter().collect(),
            lifetime: None,
        };
        let issued =
            api_keys::issue(&self.engine, &self.system_in(organization).await, &request).await.unwrap();
        issued.secret.reveal()
    }

    /// A key for these permissions only.
    pub async fn narrow_key(&self, organization: &str, user: &Person, scope: &str) -> Person {
        let scope: ScopeSet = scope.parse().unwrap();
        let request = api_keys::ApiKeyRequest {
            membership: user.membership,
            name: "narrow".to_owned(),
            scope,
            lifetime: None,
        };
        let issued =
            api_keys::issue(&self.engine, &self.system_in(organization).await, &request).await.unwrap();
        Person { key: issued.secret.reveal(), ..user.clone() }
    }

    pub async fn caller(&self, user: &Person) -> AuthenticatedCaller {
        self.pass(MOMENT);
        caller_authentication::authenticate_caller(&self.engine, &user.key, RequestOrigin::default())
            .await
            .unwrap()
    }

    pub async fn operating(&self, user: &Person) -> InstanceAdmin {
        InstanceAdmin::new(&self.engine, &self.caller(user).await)
    }

    /// The user's access to an organization.
    pub async fn acting(&self, user: &Person, organization: &str) -> OrganizationAccess {
        let caller = self.caller(user).await;
        organization_access::authorize_in_organization(&self.engine, &caller, organization).await.unwrap()
    }

    /// Adds an address to the account, verified or not.
    pub async fn address(&self, account: AccountId, address: &str, is_proven: bool) {
        let id = ContactId::mint(self.now(), self.engine.entropy());
        let contact = NewContact {
            id,
            account,
            kind: ContactKind::Email,
            address,
            lookup: &address
                .parse::<sinete_core::accounts::email_address::EmailAddress>()
                .unwrap()
                .lookup_key(),
            is_primary: true,
            created_at: self.now(),
        };
        let mut steps = vec![contacts::add_contact(&contact)];
        steps.extend(is_proven.then(|| contacts::verify_contact(account, id, self.now())));
        self.happens(steps).await;
    }

    /// Suspends or restores an organization, without permission checks.
    pub async fn put(
        &self,
        organization: &str,
        condition: sinete_core::access_control::subject::LifecycleCondition,
    ) {
        let slug: OrganizationSlug = organization.parse().unwrap();
        let result =
            sinete_store::organizations::find_organization_by_slug(self.store(), &slug, self.now()).await;
        let organization = result.unwrap().unwrap();
        let because = ConditionChangeReason { actor: "test", reason: "test" };
        let step = sinete_store::organizations::change_organization_condition(
            organization.id,
            organization.version,
            condition,
            because,
            self.now(),
        );
        self.happens([step]).await;
    }

    pub async fn happens(&self, steps: impl IntoIterator<Item = GuardedStatement>) {
        self.store().commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
    }

    /// The events of the security log by id, with their kinds.
    pub async fn events(&self) -> BTreeMap<EventId, String> {
        let page = security_log::list_events(self.store(), None, 10_000).await.unwrap();
        page.into_iter().map(|entry| (entry.event.id, entry.event.kind.into())).collect()
    }

    /// The number of rows in the security log and in audit logs.
    pub async fn records(&self) -> (i64, i64) {
        let events = self.database.number("SELECT count(*) FROM security_log").await;
        (events, self.database.number("SELECT count(*) FROM audit").await)
    }

    /// The audit log of an organization, oldest first.
    pub async fn list_audit_entries(
        &self,
        organization: OrganizationId,
    ) -> Vec<sinete_store::events::audit_log::AuditLogEntry> {
        let query = sinete_store::events::audit_log::AuditLogQuery {
            organization,
            order: sinete_store::events::audit_log::AuditLogOrder::OldestFirst,
            after: None,
            since: None,
            until: None,
            actor: None,
            kind: None,
            subject: None,
            address: None,
            with_sign_ins: false,
            limit: 10_000,
        };
        sinete_store::events::audit_log::list_audit_entries(self.store(), &query).await.unwrap()
    }

    /// Delivers pending messages and returns them.
    pub async fn mail(&self) -> Vec<OutgoingEmail> {
        let mailbox = Arc::new(Mailbox::default());
        let carriers = MessageCarriers { email: mailbox.clone(), sms: mailbox.clone() };
        outbox::deliver_pending(&self.engine, &carriers).await.unwrap();
        let received = mailbox.0.lock().unwrap();
        received.clone()
    }
}

/// The parts of a node.
fn parts(
    store: Store,
    clock: &Arc<SetClock>,
    web: &Arc<PublishedPages>,
    signing_key: &str,
    seed: u64,
) -> EngineParts {
    let key = InstanceKey::parse(&InstanceKey::mint(&DangerouslySeededEntropy::new(1))).unwrap();
    EngineParts {
        store,
        clock: clock.clone(),
        entropy: Arc::new(DangerouslySeededEntropy::new(seed)),
        outbound_http: web.clone(),
        dns_resolver: Arc::new(sinete_engine::ports::NoDnsResolver),
        geo_ip: Arc::new(sinete_engine::ports::NoGeoIp),
        breached_passwords: Vec::new(),
        instance_keys: InstanceKeyRing::new(key, Vec::new()),
        configured_keys: vec![SigningKey::from_pem(signing_key, None).unwrap()],
        settings: EngineSettings::new(ISSUER, InstanceMode::Production),
    }
}

#[derive(Default)]
struct Mailbox(Mutex<Vec<OutgoingEmail>>);

impl EmailSender for Mailbox {
    fn send<'a>(&'a self, _: MessageId, message: &'a OutgoingEmail) -> SendFuture<'a> {
        self.0.lock().unwrap().push(message.clone());
        Box::pin(async { Ok(()) })
    }
}

impl SmsSender for Mailbox {
    fn send<'a>(&'a self, _: MessageId, _: &'a OutgoingSms) -> SendFuture<'a> {
        Box::pin(async { Err(SendError::Permanent("no account has a phone number".into())) })
    }
}

/// An API with these permissions, named after its first resource.
pub fn api(permissions: &[&str]) -> ApiDefinition {
    let resource = permissions[0].split(':').next().unwrap();
    let permissions: Vec<_> =
        permissions.iter().map(|it| serde_json::json!({"permission": it, "english": "Do it"})).collect();
    serde_json::from_value(serde_json::json!({
        "identifier": format!("https://{resource}.example"), "name": resource, "permissions": permissions,
    }))
    .unwrap()
}

/// The code of the expected refusal.
#[track_caller]
pub fn refused<T>(result: Result<T, Error>) -> RefusalCode {
    refusal(result).code()
}

/// The refusal code of an error.
#[track_caller]
pub fn refusal_code(error: Error) -> RefusalCode {
    error.into_refusal().unwrap().code()
}

#[track_caller]
fn refusal<T>(result: Result<T, Error>) -> Refusal {
    match result {
        Ok(_) => panic!("a refusal was expected"),
        Err(error) => error.into_refusal().unwrap(),
    }
}

/// The pointers of the expected validation errors.
#[track_caller]
pub fn faults<T>(result: Result<T, Error>) -> Vec<String> {
    refusal(result).validation_errors().iter().map(|fault| fault.pointer.clone()).collect()
}
