//! Opens the database and builds an engine from a configuration, for the server and for commands that run
//! beside it.

use crate::config::values::{BaseUrl, ConfiguredMode};
use crate::config::{Config, RegistrationConfig, mtls as config_mtls};
use crate::exit::CommandError;
use crate::outbound::breached_password_file::BreachedPasswordFile;
use crate::outbound::breached_password_service::BreachedPasswordService;
use crate::outbound::dns::DnsClient;
use crate::outbound::geoip_file::GeoIpFile;
use crate::outbound::http_client::{GuardedHttpClient, OutboundRules, SystemResolver};
use crate::outbound::limiter::OutboundLimiter;
use crate::private_file;
use crate::server_ports::ServerPorts;
use crate::startup::checks::evaluation::LOST_KEY;
use crate::startup::checks::examination::Examination;
use crate::startup::checks::facts::{InstanceKeyFact, LookupFileFact, LookupFileKind, StartupFacts};
use crate::startup::email::load_email_settings;
use crate::startup::instance_key;
use crate::startup::instance_key::LoadedInstanceKey;
use crate::startup::signing_keys::ConfiguredKey;
use reqwest::Certificate;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::encryption::InstanceKeyRing;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::oauth::dcr::registration_limits::{
    RateLimitExemption, RegistrationLimits, RegistrationRate,
};
use sinete_engine::oauth::mtls;
use sinete_engine::platform::email::TemplateProblem;
use sinete_engine::ports::{
    BreachedPasswords, Clock, DnsResolver, GeoIpLookup, NoDnsResolver, NoGeoIp, OutboundHttp,
};
use sinete_engine::sign_in::flows::SmsDelivery;
use sinete_engine::{Engine, EngineParts, EngineSettings};
use sinete_server::rate_limits::LoopbackPolicy;
use sinete_store::migrate::MigrationProgress;
use sinete_store::{Store, StoreAccess, migrate};
use std::path::Path;
use std::sync::Arc;

/// The intended use of the database, which decides what happens to its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseIntent {
    /// Serve: migrations are applied, unless that is left to the operator.
    Serve,
    /// Add data beside a server: a new database is set up.
    Add,
    /// Use existing data beside a server: nothing is set up.
    Use,
}

/// Opens the database with a current schema, or fails with what must be done first.
pub async fn open_store(
    config: &Config,
    ports: &ServerPorts,
    intent: DatabaseIntent,
) -> Result<Store, CommandError> {
    let address = &config.database.address;
    if intent == DatabaseIntent::Use && address.path().is_some_and(|path| !path.exists()) {
        return Err(CommandError::invalid_usage(format!(
            "there is no database at {address} yet: start `sinete serve` once"
        )));
    }
    create_database_folder(config)?;
    let access = match intent {
        DatabaseIntent::Serve => StoreAccess::Serve,
        DatabaseIntent::Add | DatabaseIntent::Use => StoreAccess::AlongsideServer,
    };
    let store = Store::open(address, &config.database.store_options(access)).await?;
    let status = migrate::load_migration_status(&store).await?;
    let migrates = match intent {
        DatabaseIntent::Serve => true,
        DatabaseIntent::Add => status.applied.is_empty(),
        DatabaseIntent::Use => false,
    };
    match status.pending.len() {
        0 => {}
        _ if migrates && config.database.migrate_on_start => {
            let applied =
                migrate::apply_pending_migrations(&store, ports.clock.now(), &mut |_: MigrationProgress| ())
                    .await?;
            tracing::debug!(applied, "the schema is up to date");
        }
        due => {
            return Err(CommandError::refused(format!(
                "{due} migrations are due: run `sinete migrate` first"
            )));
        }
    }
    Ok(store)
}

/// Builds an engine over an open database.
pub async fn build_engine(
    config: &Config,
    ports: &ServerPorts,
    store: Store,
    issuer: &BaseUrl,
    examined: Examination,
) -> Result<Engine, CommandError> {
    require_instance_key(&examined.startup_facts)?;
    let configured_keys = require_usable_keys(examined.configured_keys)?;
    let instance_keys = match examined.instance_key {
        Some(LoadedInstanceKey { keys, .. }) => keys,
        None => load_instance_keys(config, ports)?,
    };
    let mode = match config.mode {
        ConfiguredMode::Development => sinete_engine::InstanceMode::Development,
        ConfiguredMode::Production => sinete_engine::InstanceMode::Production,
    };
    let (passwords, flows) = (
        config.sign_in.password_settings(),
        config.sign_in.flow_settings(config.screens, sms_delivery(config)),
    );
    let passkeys = config.sign_in.passkeys.clone();
    let certificates = build_mtls_settings(config)?;
    let (issuer, nonces) = (issuer.to_string(), config.dpop_nonces);
    let limits = config.rate_limits.filter(|it| it.loopback == LoopbackPolicy::Limited);
    let failures_recorded = limits.map(|it| it.credentials);
    let grant_tokens = limits.map(|it| it.tokens_of_grant);
    let email = load_email_settings(config, &issuer)?;
    for TemplateProblem { template, reason } in &email.problems {
        tracing::warn!(%template, %reason, "an e-mail template cannot be used; the built-in text is sent");
    }
    let settings = EngineSettings {
        issuer,
        mode,
        passwords,
        flows,
        email: email.settings,
        passkeys,
        mtls: certificates,
        dpop_nonces: nonces,
        client_documents: config.client_documents.clone(),
        recorded_failures_limit: failures_recorded,
        grant_tokens,
        scope_ceiling: config.registration.scope_ceiling,
        audit_retention: config.log_archive.audit_retention,
        registration_limits: registration_limits(config),
        usage_retention: config.usage_retention,
    };
    let (clock, entropy, web) =
        (ports.clock.clone(), ports.entropy.clone(), build_outbound_http(config, ports)?);
    let (places, breached) =
        (build_geoip_lookup(config, ports)?, build_breached_password_lookups(config, &web)?);
    let parts = EngineParts {
        store,
        clock,
        entropy,
        outbound_http: web,
        dns_resolver: build_dns_resolver(config, ports),
        geo_ip: places,
        breached_passwords: breached,
        instance_keys,
        configured_keys,
        settings,
    };
    Ok(Engine::start(parts).await?)
}

/// The mTLS settings, if enabled.
fn build_mtls_settings(config: &Config) -> Result<Option<mtls::MtlsSettings>, CommandError> {
    let Some(mutual) = &config.mtls else { return Ok(None) };
    let authorities = mutual.authorities.as_deref().map(config_mtls::load_authorities).transpose();
    let authorities = authorities
        .map_err(|reason| unusable_list(LookupFileKind::ClientAuthorities, &reason))?
        .map(Arc::new);
    Ok(Some(mtls::MtlsSettings { address: mutual.base_url.to_string(), authorities }))
}

/// The GeoIP lookup: injected, from the configured file, or none.
fn build_geoip_lookup(config: &Config, ports: &ServerPorts) -> Result<Arc<dyn GeoIpLookup>, CommandError> {
    if let Some(lookup) = &ports.geoip {
        return Ok(Arc::clone(lookup));
    }
    let Some(path) = &config.geoip_file else { return Ok(Arc::new(NoGeoIp)) };
    Ok(Arc::new(GeoIpFile::open(path).map_err(|reason| unusable_list(LookupFileKind::GeoIp, &reason))?))
}

/// The breached password lookups: the configured file, the configured service, both or none.
fn build_breached_password_lookups(
    config: &Config,
    web: &Arc<dyn OutboundHttp>,
) -> Result<Vec<Arc<dyn BreachedPasswords>>, CommandError> {
    let mut all: Vec<Arc<dyn BreachedPasswords>> = Vec::new();
    if let Some(path) = &config.sign_in.breached_file {
        let list = BreachedPasswordFile::open(path)
            .map_err(|reason| unusable_list(LookupFileKind::BreachedPasswords, &reason))?;
        all.push(Arc::new(list));
    }
    if let Some(address) = &config.sign_in.breached_service {
        all.push(Arc::new(BreachedPasswordService::new(address, Arc::clone(web))));
    }
    Ok(all)
}

fn unusable_list(list: LookupFileKind, reason: &str) -> CommandError {
    CommandError::invalid_usage(format!("{} cannot be used: {reason}", list.config_key()))
}

/// Fails if a lookup file cannot be used, before anything is opened or written.
pub fn require_usable_lists(lists: &[LookupFileFact]) -> Result<(), CommandError> {
    let unusable = lists.iter().find_map(|it| Some((it.kind, it.unusable.as_deref()?)));
    unusable.map_or(Ok(()), |(list, reason)| Err(unusable_list(list, reason)))
}

/// The DNS resolver: injected or configured. The server starts without one; domains cannot be verified until
/// it is available.
fn build_dns_resolver(config: &Config, ports: &ServerPorts) -> Arc<dyn DnsResolver> {
    if let Some(resolver) = &ports.dns {
        return Arc::clone(resolver);
    }
    match DnsClient::new(&config.outbound.dns_servers) {
        Ok(resolver) => Arc::new(resolver),
        Err(why) => {
            tracing::warn!(why, "domains cannot be verified: set outbound.dns_servers");
            Arc::new(NoDnsResolver)
        }
    }
}

/// The HTTP client: injected, or the one with SSRF protection.
fn build_outbound_http(config: &Config, ports: &ServerPorts) -> Result<Arc<dyn OutboundHttp>, CommandError> {
    if let Some(outbound_http) = &ports.outbound_http {
        return Ok(Arc::clone(outbound_http));
    }
    build_guarded_http(config, ports.clock.clone())
}

/// Builds the HTTP client with SSRF protection.
pub fn build_guarded_http(
    config: &Config,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn OutboundHttp>, CommandError> {
    let ip_nets = config.outbound.own_networks.clone();
    let gate = Arc::new(OutboundLimiter::new(clock));
    let rules = OutboundRules {
        own_networks: ip_nets,
        authorities: load_authorities(config)?,
        resolver: Arc::new(SystemResolver),
        limiter: gate,
    };
    let guarded = GuardedHttpClient::new(rules);
    let guarded = guarded
        .map_err(|error| CommandError::failed(format!("the HTTP client cannot be created: {error}")))?;
    Ok(Arc::new(guarded))
}

/// Loads the additional CAs for outbound TLS connections.
fn load_authorities(config: &Config) -> Result<Vec<Certificate>, CommandError> {
    let Some(path) = &config.outbound.ca_file else { return Ok(Vec::new()) };
    let unusable = |reason: &dyn std::fmt::Display| {
        CommandError::invalid_usage(format!("outbound.ca_file {}: {reason}", path.display()))
    };
    let pem = std::fs::read(path).map_err(|error| unusable(&error))?;
    let authorities = Certificate::from_pem_bundle(&pem).map_err(|error| unusable(&error))?;
    if authorities.is_empty() {
        return Err(unusable(&"the file contains no certificate"));
    }
    Ok(authorities)
}

/// Fails if the database was used with an instance key that is missing. A newly generated key would decrypt
/// nothing and would hide the problem.
pub fn require_instance_key(facts: &StartupFacts) -> Result<(), CommandError> {
    let (summary, remedy) = LOST_KEY;
    match facts.instance_key {
        InstanceKeyFact::Lost => Err(CommandError::refused(format!("{summary}: {remedy}"))),
        InstanceKeyFact::Missing | InstanceKeyFact::Unusable(_) | InstanceKeyFact::Usable { .. } => Ok(()),
    }
}

/// Loads the instance key. Without a configured one, a development instance uses its own.
fn load_instance_keys(config: &Config, ports: &ServerPorts) -> Result<InstanceKeyRing, CommandError> {
    let unusable = |reason| CommandError::invalid_usage(format!("the instance key cannot be used: {reason}"));
    if let Some(loaded) = instance_key::load(config).map_err(unusable)? {
        return Ok(loaded.keys);
    }
    match config.mode {
        ConfiguredMode::Production => Err(CommandError::refused(
            "there is no instance key: make one with `sinete keys instance-key` and set instance_key_file",
        )),
        ConfiguredMode::Development => {
            create_folder(&config.data_dir)?;
            instance_key::load_or_create_development_key(config, &*ports.entropy)
                .map(|loaded| loaded.keys)
                .map_err(unusable)
        }
    }
}

/// The configured keys. An unusable key is an error in development too, because it was meant to sign.
pub fn require_usable_keys(outside: Vec<ConfiguredKey>) -> Result<Vec<SigningKey>, CommandError> {
    let unusable = |origin, reason| {
        CommandError::invalid_usage(format!("the signing key {origin} cannot be used: {reason}"))
    };
    outside
        .into_iter()
        .map(|outside| outside.key.map_err(|reason| unusable(outside.origin, reason)))
        .collect()
}

/// Creates the folder of an embedded database, accessible only to its owner.
pub fn create_database_folder(config: &Config) -> Result<(), CommandError> {
    config.database.address.path().and_then(Path::parent).map_or(Ok(()), create_folder)
}

fn create_folder(folder: &Path) -> Result<(), CommandError> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    private_file::create_folder(folder).map_err(|error| {
        CommandError::failed(format!("the folder {} cannot be created: {error}", folder.display()))
    })
}

/// SMS is delivered through a gateway, or stored in the development mailbox.
fn sms_delivery(config: &Config) -> SmsDelivery {
    match (&config.sms, config.mode) {
        (Some(_), _) | (None, ConfiguredMode::Development) => SmsDelivery::On,
        (None, ConfiguredMode::Production) => SmsDelivery::Off,
    }
}

/// The limits of clients that come by themselves.
fn registration_limits(config: &Config) -> RegistrationLimits {
    let RegistrationConfig { per_minute, burst, per_day, .. } = config.registration;
    let (minute, day) = (Lifetime::from_minutes(1), Lifetime::from_hours(24));
    RegistrationLimits {
        by_address: RegistrationRate { count: per_minute, per: minute, burst },
        by_all: RegistrationRate { count: per_day, per: day, burst: per_day },
        // A development instance exempts its own machine unless rate limits are enabled.
        exempt: match (config.mode, &config.rate_limits) {
            (ConfiguredMode::Development, Some(limits)) if limits.loopback == LoopbackPolicy::Limited => {
                RateLimitExemption::None
            }
            (ConfiguredMode::Development, _) => RateLimitExemption::Loopback,
            (ConfiguredMode::Production, _) => RateLimitExemption::None,
        },
    }
}
