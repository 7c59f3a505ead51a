//! Use cases: load the facts, let the core decide, commit one write batch.
//!
//! Every public function is one action of a caller. Its error is an [`Error`]: a refusal or an internal
//! failure. Everything returned to a caller is already durable, and so are the consequences of a refusal.

pub mod access_control;
pub mod accounts;
pub mod administration;
pub mod authzen;
mod error;
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

pub use error::{Error, UseCaseResult};
pub use event_cause::EventCause;
pub use failure::Failure;

use oauth::cache::client::ClientCache;
use oauth::dcr::registration_limits::RegistrationLimiter;
use platform::instance_key::WrongInstanceKey;
use platform::jwks_uri_cache::JwksUriCache;
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

/// Maximum attempts of a use case whose facts changed before the commit.
const ATTEMPTS_MAX: usize = 3;

/// The engine, shared by all use cases. Clones are cheap.
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
    client_document_cache: oauth::cache::client_document::ClientDocumentCache,
    registration_limiter: RegistrationLimiter,
    provider_metadata_cache: identity_providers::ProviderMetadataCache,
    provider_call_observer: identity_providers::ProviderCallObserver,
    background_tasks: platform::background::BackgroundTasks,
    failure_rate_limit: events::failure_rate_limit::AuthFailureLogLimiter,
    grant_limits: oauth::token::GrantRateLimits,
    scim_request_buffer: scim::request_log::ScimRequestBuffer,
    refused_requests: oauth::authorize::RefusedRequestLog,
    password_hasher: PasswordHasher,
    relying_party: RelyingParty,
    clock_is_right: AtomicBool,
    settings: EngineSettings,
}

/// The parts of an engine.
pub struct EngineParts {
    /// The database, with a current schema.
    pub store: Store,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The HTTP client for outbound requests.
    pub outbound_http: Arc<dyn OutboundHttp>,
    /// The DNS resolver.
    pub dns_resolver: Arc<dyn DnsResolver>,
    /// The GeoIP lookup.
    pub geo_ip: Arc<dyn GeoIpLookup>,
    /// The breached password lookups; may be empty.
    pub breached_passwords: Vec<Arc<dyn BreachedPasswords>>,
    /// The keys that encrypt stored secrets.
    pub instance_keys: InstanceKeyRing,
    /// Signing keys from files or the environment. The first one of each algorithm signs; the others are only
    /// published.
    pub configured_keys: Vec<SigningKey>,
    /// The settings.
    pub settings: EngineSettings,
}

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The issuer: the base URL without a trailing slash.
    pub issuer: String,
    /// The mode of the instance.
    pub mode: InstanceMode,
    /// The password settings.
    pub passwords: sign_in::credentials::password::PasswordSettings,
    /// The settings of flows.
    pub flows: sign_in::flows::FlowSettings,
    /// The branding and the templates of e-mail.
    pub email: platform::email::EmailBrandingAndTemplates,
    /// The settings of passkeys and TOTP.
    pub passkeys: sign_in::credentials::passkey::PasskeySettings,
    /// The mTLS settings; `None` disables mTLS.
    pub mtls: Option<oauth::mtls::MtlsSettings>,
    /// Whether DPoP proofs must contain a nonce.
    pub dpop_nonces: oauth::dpop::DpopNoncePolicy,
    /// Which client metadata documents are accepted.
    pub client_documents: sinete_core::organizations::client_documents::ClientDocumentRules,
    /// The rate at which failed authentications of one network are recorded; `None` for all.
    pub recorded_failures_limit: Option<sinete_core::platform::rate_limit::RateLimit>,
    /// The rate of tokens per grant for clients that anyone can register; `None` for no limit.
    pub grant_tokens: Option<sinete_core::platform::rate_limit::RateLimit>,
    /// Whether the registered scope of self-registered clients limits their requests.
    pub scope_ceiling: sinete_core::organizations::settings::ScopeCeilingPolicy,
    /// How long audit logs are kept of organizations that do not say so; `None` keeps them.
    pub audit_retention: Option<sinete_core::organizations::audit_log_settings::AuditRetention>,
    /// The rate limits of clients that register themselves.
    pub registration_limits: oauth::dcr::registration_limits::RegistrationLimits,
    /// How long usage counts are kept.
    pub usage_retention: sinete_core::time::Lifetime,
}

impl EngineSettings {
    /// Which client certificates are accepted.
    pub fn accepted_certificates(&self) -> ClientCertificatePolicy {
        self.mtls.as_ref().map(oauth::mtls::MtlsSettings::accepted_certificates).unwrap_or_default()
    }

    /// The default settings for this issuer.
    pub fn new(issuer: impl Into<String>, mode: InstanceMode) -> Self {
        Self {
            issuer: issuer.into(),
            mode,
            passwords: sign_in::credentials::password::PasswordSettings::default(),
            flows: sign_in::flows::FlowSettings::default(),
            email: platform::email::EmailBrandingAndTemplates::default(),
            passkeys: sign_in::credentials::passkey::PasskeySettings::default(),
            mtls: None,
            dpop_nonces: oauth::dpop::DpopNoncePolicy::default(),
            client_documents: Default::default(),
            recorded_failures_limit: None,
            grant_tokens: None,
            scope_ceiling: Default::default(),
            audit_retention: None,
            registration_limits: Default::default(),
            usage_retention: sinete_core::limits::USAGE_RETENTION,
        }
    }
}

/// The mode of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceMode {
    /// Development: the instance generates its own keys, marked as development keys.
    Development,
    /// Production: development keys are rejected.
    Production,
}

/// Why an engine does not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineStartError {
    /// The instance key is not the one that encrypted the stored secrets.
    #[error(transparent)]
    WrongInstanceKey(#[from] WrongInstanceKey),
    /// A key is configured twice.
    #[error(transparent)]
    ConfiguredTwice(#[from] DuplicateConfiguredKey),
    /// The passkey settings are invalid.
    #[error(transparent)]
    Passkeys(#[from] sign_in::credentials::passkey::PasskeySettingsError),
    /// An internal failure.
    #[error(transparent)]
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for EngineStartError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

impl Engine {
    /// Starts an engine: sets up a new database or checks the instance key, and loads the signing keys.
    pub async fn start(parts: EngineParts) -> Result<Self, EngineStartError> {
        let EngineParts {
            store, clock, entropy, outbound_http: web, dns_resolver: dns, geo_ip: places, ..
        } = parts;
        let EngineParts { breached_passwords: breached, instance_keys, configured_keys, settings, .. } =
            parts;
        let instance =
            platform::instance_key::establish_instance(&store, &instance_keys, clock.now(), &*entropy)
                .await?;
        let relying_party = sign_in::credentials::passkey::establish_relying_party(
            &store,
            &settings.passkeys,
            &settings.issuer,
        )
        .await?;
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
            client_document_cache: Default::default(),
            registration_limiter: RegistrationLimiter::new(settings.registration_limits),
            provider_metadata_cache: identity_providers::ProviderMetadataCache::default(),
            provider_call_observer: identity_providers::ProviderCallObserver::default(),
            background_tasks: platform::background::BackgroundTasks::new(),
            failure_rate_limit: events::failure_rate_limit::AuthFailureLogLimiter::default(),
            grant_limits: oauth::token::GrantRateLimits::default(),
            scim_request_buffer: scim::request_log::ScimRequestBuffer::default(),
            refused_requests: oauth::authorize::RefusedRequestLog::default(),
            password_hasher: hashing,
            relying_party,
            clock_is_right: AtomicBool::new(true),
            settings,
        };
        let engine = Self { shared: Arc::new(shared) };
        platform::signing_keys::reload_keys(&engine).await?;
        Ok(engine)
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// The source of randomness.
    pub fn entropy(&self) -> &dyn Entropy {
        &*self.shared.entropy
    }

    /// Buffered randomness for values that must be unique but are not secret: ids of events, grants,
    /// exchanges and tokens.
    fn id_entropy(&self) -> impl Entropy + '_ {
        self.shared.id_entropy.with_source(self.entropy())
    }

    /// The HTTP client for outbound requests.
    pub fn outbound_http(&self) -> &dyn OutboundHttp {
        &*self.shared.outbound_http
    }

    /// The DNS resolver.
    pub fn dns_resolver(&self) -> &dyn DnsResolver {
        &*self.shared.dns_resolver
    }

    /// The GeoIP lookup.
    pub fn geo_ip(&self) -> &dyn GeoIpLookup {
        &*self.shared.geo_ip
    }

    /// The breached password lookups.
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

    /// The keys that encrypt stored secrets.
    pub fn instance_keys(&self) -> &InstanceKeyRing {
        &self.shared.instance_keys
    }

    /// The WebAuthn relying party.
    pub fn relying_party(&self) -> &RelyingParty {
        &self.shared.relying_party
    }

    /// The signing keys, as last loaded by this node.
    pub fn key_ring(&self) -> Arc<KeyRing> {
        self.shared.key_ring.current()
    }

    /// The detached background tasks.
    pub(crate) fn background_tasks(&self) -> &platform::background::BackgroundTasks {
        &self.shared.background_tasks
    }

    /// The password hasher.
    pub(crate) fn password_hasher(&self) -> &PasswordHasher {
        &self.shared.password_hasher
    }

    /// The number of passwords that this node has hashed or verified.
    pub fn password_hash_count(&self) -> u64 {
        self.shared.password_hasher.hash_count()
    }

    /// The maximum number of passwords that this node has hashed concurrently.
    pub fn max_concurrent_hashes(&self) -> usize {
        self.shared.password_hasher.max_concurrent()
    }

    /// The settings.
    pub fn settings(&self) -> &EngineSettings {
        &self.shared.settings
    }

    /// Who messages of the instance are from.
    pub fn email_origin(&self) -> platform::email::EmailOrigin<'_> {
        let EngineSettings { issuer, email: settings, .. } = self.settings();
        platform::email::EmailOrigin { issuer, settings, organization: None }
    }

    /// Creates an event with this cause.
    fn event(&self, kind: EventKind, cause: &EventCause, now: Timestamp) -> SecurityEvent {
        SecurityEvent::new(kind, cause.actor.clone(), now, &self.id_entropy()).with_origin(&cause.origin)
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "engine of {}", self.shared.settings.issuer)
    }
}
