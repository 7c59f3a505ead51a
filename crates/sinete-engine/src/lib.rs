//! Use cases: load the facts, let the core decide, commit one act.
//!
//! Every public function here is one thing somebody can do. A request that is turned down is an `Ok` with the
//! refusal inside; an `Err` means that we failed. Whatever a caller is given back is durable already.

pub mod access_control;
pub mod accounts;
pub mod administration;
pub mod authzen;
mod event_cause;
pub mod events;
mod failure;
pub mod identity_providers;
pub mod oauth;
pub mod organizations;
pub mod platform;
pub mod ports;
pub mod scim;
pub mod sign_in;

pub use event_cause::EventCause;
pub use failure::Failure;

use oauth::cache::client::ClientCache;
use oauth::cache::client_jwks::JwksUriCache;
use platform::instance_key::WrongInstanceKey;
use platform::signing_keys::DuplicateConfiguredKey;
use platform::signing_keys::key_ring::{CurrentKeyRing, KeyRing};
use ports::{BreachedPasswords, Clock, DnsResolver, GeoIpLookup, OutboundHttp};
use sign_in::credentials::password::PasswordHasher;
use sinete_core::entropy::{Entropy, EntropyBuffer};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::InstanceId;
use sinete_core::oauth::mtls::ClientCertificatePolicy;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::InstanceKeyRing;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_crypto::sign_in::credentials::webauthn::RelyingParty;
use sinete_store::Store;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How often a use case starts again from its reads when what it stood on has changed.
const ATTEMPTS_MAX: usize = 3;

/// Everything a use case needs. Copies are cheap and share it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<EngineState>,
}

struct EngineState {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    id_entropy: EntropyBuffer,
    outbound_http: Arc<dyn OutboundHttp>,
    dns_resolver: Arc<dyn DnsResolver>,
    geo_ip: Arc<dyn GeoIpLookup>,
    breached_passwords: Vec<Arc<dyn BreachedPasswords>>,
    instance: InstanceId,
    instance_keys: InstanceKeyRing,
    key_ring: CurrentKeyRing,
    client_cache: ClientCache,
    verified_jwt_cache: oauth::access_token::VerifiedJwtCache,
    service_token_cache: oauth::token::ServiceTokenCache,
    client_auth_cache: oauth::client_authentication::ClientAuthCache,
    authorization_code_cache: oauth::token::AuthorizationCodeCache,
    refresh_token_cache: oauth::token::RefreshTokenCache,
    newest_dependency_version: oauth::cache::NewestDependencyVersion,
    jwks_uri_cache: JwksUriCache,
    provider_metadata_cache: identity_providers::ProviderMetadataCache,
    provider_call_observer: identity_providers::ProviderCallObserver,
    background_tasks: platform::background::BackgroundTasks,
    failure_rate_limit: events::failure_rate_limit::FailureLog,
    grant_limits: oauth::token::GrantLimits,
    password_hasher: PasswordHasher,
    relying_party: RelyingParty,
    clock_is_right: AtomicBool,
    settings: EngineSettings,
}

/// What an engine is made of.
pub struct EngineParts {
    /// The database, with its schema up to date.
    pub store: Store,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Where randomness comes from.
    pub entropy: Arc<dyn Entropy>,
    /// How addresses that others named are reached.
    pub outbound_http: Arc<dyn OutboundHttp>,
    /// How records of the DNS are looked up.
    pub dns_resolver: Arc<dyn DnsResolver>,
    /// Where network addresses are.
    pub geo_ip: Arc<dyn GeoIpLookup>,
    /// Whoever knows passwords that nobody may choose because they were breached; nobody, where that is not asked.
    pub breached_passwords: Vec<Arc<dyn BreachedPasswords>>,
    /// The keys that seal stored secrets.
    pub instance_keys: InstanceKeyRing,
    /// Signing keys from files or the environment. Of each algorithm the first one signs; the others are
    /// published only.
    pub configured_keys: Vec<SigningKey>,
    /// How the instance behaves.
    pub settings: EngineSettings,
}

/// How the instance behaves.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Who issues our tokens: the base address without a slash at its end.
    pub issuer: String,
    /// Whether the instance may protect anything.
    pub mode: InstanceMode,
    /// How passwords are kept.
    pub passwords: sign_in::credentials::password::PasswordSettings,
    /// How people sign in and up.
    pub flows: sign_in::flows::FlowSettings,
    /// How passkeys and authenticator applications are used.
    pub passkeys: sign_in::credentials::passkey::PasskeySettings,
    /// How certificates of clients are taken; where nothing is said, they are not.
    pub mtls: Option<oauth::mtls::MtlsSettings>,
    /// Whether proofs that somebody holds a key must repeat a nonce.
    pub dpop_nonces: oauth::dpop::DpopNoncePolicy,
    /// How many failed authentications of one network are recorded; without it, all of them.
    pub recorded_failures_limit: Option<sinete_core::platform::rate_limit::RateLimit>,
    /// How many tokens a client that anybody can be gets by one grant; without it, as many as it asks for.
    pub grant_tokens: Option<sinete_core::platform::rate_limit::RateLimit>,
}

impl EngineSettings {
    /// How far certificates of clients are taken.
    pub fn accepted_certificates(&self) -> ClientCertificatePolicy {
        self.mtls.as_ref().map(oauth::mtls::MtlsSettings::accepted_certificates).unwrap_or_default()
    }

    /// The settings of the house for an instance at this address.
    pub fn new(issuer: impl Into<String>, mode: InstanceMode) -> Self {
        Self {
            issuer: issuer.into(),
            mode,
            passwords: sign_in::credentials::password::PasswordSettings::default(),
            flows: sign_in::flows::FlowSettings::default(),
            passkeys: sign_in::credentials::passkey::PasskeySettings::default(),
            mtls: None,
            dpop_nonces: oauth::dpop::DpopNoncePolicy::default(),
            recorded_failures_limit: None,
            grant_tokens: None,
        }
    }
}

/// Whether the instance may protect anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceMode {
    /// For trying things out: it makes its own keys, and marks them.
    Development,
    /// For real: only real keys sign.
    Production,
}

/// Why an engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineStartError {
    /// The instance key is not the one that sealed what is stored.
    #[error(transparent)]
    WrongInstanceKey(#[from] WrongInstanceKey),
    /// One key stands in the configuration twice.
    #[error(transparent)]
    ConfiguredTwice(#[from] DuplicateConfiguredKey),
    /// Passkeys would not work as configured.
    #[error(transparent)]
    Passkeys(#[from] sign_in::credentials::passkey::PasskeySettingsError),
    /// We failed.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl Engine {
    /// Puts an engine together: sets a new database up, or checks that the instance key is the right one,
    /// and loads the signing keys.
    pub async fn start(parts: EngineParts) -> Result<Self, EngineStartError> {
        let EngineParts {
            store, clock, entropy, outbound_http: web, dns_resolver: dns, geo_ip: places, ..
        } = parts;
        let EngineParts { breached_passwords: breached, instance_keys, configured_keys, settings, .. } =
            parts;
        let instance =
            platform::instance_key::establish_instance(&store, &instance_keys, clock.now(), &*entropy)
                .await??;
        let relying_party = sign_in::credentials::passkey::establish_relying_party(
            &store,
            &settings.passkeys,
            &settings.issuer,
        )
        .await??;
        let configured = platform::signing_keys::configured::load_configured_keys(configured_keys)?;
        let ring = CurrentKeyRing::new(KeyRing::from_keys(configured, clock.now()));
        let hashing = PasswordHasher::new(&settings.passwords);
        let shared = EngineState {
            store,
            clock,
            entropy,
            id_entropy: EntropyBuffer::new(),
            outbound_http: web,
            dns_resolver: dns,
            geo_ip: places,
            breached_passwords: breached,
            instance,
            instance_keys,
            key_ring: ring,
            client_cache: ClientCache::default(),
            verified_jwt_cache: oauth::access_token::VerifiedJwtCache::default(),
            service_token_cache: oauth::token::ServiceTokenCache::default(),
            client_auth_cache: oauth::client_authentication::ClientAuthCache::default(),
            authorization_code_cache: oauth::token::AuthorizationCodeCache::default(),
            refresh_token_cache: oauth::token::RefreshTokenCache::default(),
            newest_dependency_version: oauth::cache::NewestDependencyVersion::default(),
            jwks_uri_cache: JwksUriCache::default(),
            provider_metadata_cache: identity_providers::ProviderMetadataCache::default(),
            provider_call_observer: identity_providers::ProviderCallObserver::default(),
            background_tasks: platform::background::BackgroundTasks::new(),
            failure_rate_limit: events::failure_rate_limit::FailureLog::default(),
            grant_limits: oauth::token::GrantLimits::default(),
            password_hasher: hashing,
            relying_party,
            clock_is_right: AtomicBool::new(true),
            settings,
        };
        let engine = Self { shared: Arc::new(shared) };
        platform::signing_keys::reload_keys(&engine).await?;
        Ok(engine)
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Where randomness comes from.
    pub fn entropy(&self) -> &dyn Entropy {
        &*self.shared.entropy
    }

    /// Randomness for what must be unique and is no secret: ids of events, of grants, of exchanges and of tokens.
    fn id_entropy(&self) -> impl Entropy + '_ {
        self.shared.id_entropy.with_source(self.entropy())
    }

    /// The web, for addresses that others named.
    pub fn outbound_http(&self) -> &dyn OutboundHttp {
        &*self.shared.outbound_http
    }

    /// The DNS.
    pub fn dns_resolver(&self) -> &dyn DnsResolver {
        &*self.shared.dns_resolver
    }

    /// Where network addresses are.
    pub fn geo_ip(&self) -> &dyn GeoIpLookup {
        &*self.shared.geo_ip
    }

    /// Whoever knows passwords that were breached.
    pub(crate) fn breached_passwords(&self) -> &[Arc<dyn BreachedPasswords>] {
        &self.shared.breached_passwords
    }

    /// The database.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// The instance's id.
    pub fn instance_id(&self) -> InstanceId {
        self.shared.instance
    }

    /// The keys that seal stored secrets.
    pub fn instance_keys(&self) -> &InstanceKeyRing {
        &self.shared.instance_keys
    }

    /// Who asks for passkeys: the domain they are bound to, and the pages that may use them.
    pub fn relying_party(&self) -> &RelyingParty {
        &self.shared.relying_party
    }

    /// The signing keys, as this node last read them.
    pub fn key_ring(&self) -> Arc<KeyRing> {
        self.shared.key_ring.current()
    }

    /// Errands that nobody waits for.
    pub(crate) fn background_tasks(&self) -> &platform::background::BackgroundTasks {
        &self.shared.background_tasks
    }

    /// Where passwords are hashed.
    pub(crate) fn password_hasher(&self) -> &PasswordHasher {
        &self.shared.password_hasher
    }

    /// How many passwords this node has hashed or checked: what a sign-in costs is counted, not guessed.
    pub fn password_hash_count(&self) -> u64 {
        self.shared.password_hasher.hash_count()
    }

    /// The most passwords this node has ever hashed at the same time.
    pub fn max_concurrent_hashes(&self) -> usize {
        self.shared.password_hasher.max_concurrent()
    }

    /// How the instance behaves.
    pub fn settings(&self) -> &EngineSettings {
        &self.shared.settings
    }

    /// An event that this cause brought about.
    fn event(&self, kind: EventKind, cause: &EventCause, now: Timestamp) -> SecurityEvent {
        SecurityEvent::new(kind, cause.actor.clone(), now, &self.id_entropy()).with_origin(&cause.origin)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "engine of {}", self.shared.settings.issuer)
    }
}
