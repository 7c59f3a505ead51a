//! Examines an instance without changing it. Whether the database is writable is tested by writing to a row
//! that is used for nothing else.

use crate::config::Config;
use crate::config::mtls;
use crate::config::mtls::MtlsConfig;
use crate::config::values::MaskedText;
use crate::outbound::breached_password_file::BreachedPasswordFile;
use crate::outbound::geoip_file::GeoIpFile;
use crate::startup::checks::facts::{
    DatabaseFact, FileFact, InstanceKeyFact, InstanceKeyMatch, LogVerificationFact, LookupFileFact,
    LookupFileKind, MtlsFact, NetworkFact, OpenFileShortage, SigningKeyFact, StartupFacts, UsableKeyFact,
};
use crate::startup::file_exposure::FileExposure;
use crate::startup::instance_key;
use crate::startup::instance_key::LoadedInstanceKey;
use crate::startup::signing_keys;
use crate::startup::signing_keys::ConfiguredKey;
use crate::startup::{file_descriptors, sample_secrets};
use sinete_core::platform::signing_keys::{SigningKeyPhase, SigningKeyPurpose};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose, InstanceKeyRing};
use sinete_crypto::platform::signing_keys::SigningKeyMarking;
use sinete_server::tls::{ClientCertificatePolicy, TlsFiles, TlsListener};
use sinete_store::events::log_verification;
use sinete_store::platform::instance;
use sinete_store::platform::instance::InstanceRow;
use sinete_store::platform::signing_keys::SigningKeyRow;
use sinete_store::{CommitDurability, Store, StoreAccess, StoreFailure, StoreOptions, migrate, write_check};
use std::net::IpAddr;
use std::path::Path;

/// The result of an examination, with the loaded keys.
#[derive(Debug)]
pub struct Examination {
    /// The facts to evaluate.
    pub startup_facts: StartupFacts,
    /// The instance key, if it is configured and readable.
    pub instance_key: Option<LoadedInstanceKey>,
    /// The configured signing keys.
    pub configured_keys: Vec<ConfiguredKey>,
}

/// Examines the instance. What cannot be examined is also a fact.
pub async fn examine_instance(config: &Config, now: Timestamp) -> Examination {
    let loaded = instance_key::load(config);
    // The key that a development instance generated is used if none is configured.
    let existing = instance_key::load_existing(config);
    let outside = signing_keys::load(&config.signing);
    let keys = existing.as_ref().ok().and_then(Option::as_ref).map(|existing| &existing.keys);
    let database_examination = match examine_database(config, keys, &outside, now).await {
        Ok(database_examination) => database_examination,
        Err(failed) => DatabaseExamination {
            signing: configured_key_facts(&outside),
            ..DatabaseExamination::new(DatabaseFact::Unreadable(failed))
        },
    };
    let facts = StartupFacts {
        issuer: config.issuer(config.listen),
        instance_key: match &loaded {
            Err(reason) => InstanceKeyFact::Unusable(reason.clone()),
            Ok(Some(loaded)) => usable_key_fact(config, loaded, database_examination.key_match),
            Ok(None) => match &existing {
                Err(reason) => InstanceKeyFact::Unusable(reason.clone()),
                Ok(Some(key)) if database_examination.key_match == InstanceKeyMatch::Wrong => {
                    usable_key_fact(config, key, database_examination.key_match)
                }
                Ok(None) if database_examination.is_set_up => InstanceKeyFact::Lost,
                Ok(_) => InstanceKeyFact::Missing,
            },
        },
        signing: database_examination.signing,
        database: database_examination.database,
        log_verification: database_examination.log_verification,
        files: collect_file_facts(config, loaded.as_ref().ok().and_then(Option::as_ref), &outside),
        lookup_files: collect_list_facts(config),
        branding: examine_branding(config),
        network: collect_network_facts(config),
        verbose_log: ["debug", "trace"].iter().any(|level| config.log.filter.as_str().contains(level)),
    };
    Examination { startup_facts: facts, instance_key: loaded.ok().flatten(), configured_keys: outside }
}

fn usable_key_fact(config: &Config, loaded: &LoadedInstanceKey, fit: InstanceKeyMatch) -> InstanceKeyFact {
    InstanceKeyFact::Usable {
        origin: loaded.origin.clone(),
        is_sample: loaded.is_sample,
        is_generated: loaded.is_generated,
        is_beside_data: is_beside_data(config, loaded),
        key_match: fit,
    }
}

/// Whether the branding files are usable.
#[cfg(feature = "screens")]
fn examine_branding(config: &Config) -> Option<Result<(), String>> {
    let is_named = config.branding.logo.is_some() || config.branding.style.is_some();
    is_named.then(|| {
        crate::startup::branding::load_branding(&config.branding).map(drop).map_err(|stop| stop.message)
    })
}

/// A build without screens has no branding.
#[cfg(not(feature = "screens"))]
fn examine_branding(_: &Config) -> Option<Result<(), String>> {
    None
}

/// Whether the instance key is in the same folder as an embedded database.
fn is_beside_data(config: &Config, loaded: &LoadedInstanceKey) -> bool {
    let folder = |path: &Path| path.canonicalize().ok()?.parent().map(Path::to_owned);
    let key = loaded.file.as_ref().and_then(|(path, _)| folder(path));
    key.is_some() && key == config.database.address.path().and_then(folder)
}

/// The facts about the database.
struct DatabaseExamination {
    database: DatabaseFact,
    /// Whether the database contains an instance.
    is_set_up: bool,
    key_match: InstanceKeyMatch,
    signing: Vec<SigningKeyFact>,
    log_verification: LogVerificationFact,
}

impl DatabaseExamination {
    const fn new(database: DatabaseFact) -> Self {
        Self {
            database,
            is_set_up: false,
            key_match: InstanceKeyMatch::NotCompared,
            signing: Vec::new(),
            log_verification: LogVerificationFact::Unknown,
        }
    }
}

async fn examine_database(
    config: &Config,
    keys: Option<&InstanceKeyRing>,
    outside: &[ConfiguredKey],
    now: Timestamp,
) -> Result<DatabaseExamination, StoreFailure> {
    let address = &config.database.address;
    if address.path().is_some_and(|path| !path.exists()) {
        return Ok(DatabaseExamination {
            signing: configured_key_facts(outside),
            ..DatabaseExamination::new(DatabaseFact::Absent)
        });
    }
    let options = StoreOptions { connections: 1, ..config.database.store_options(StoreAccess::ReadOnly) };
    let store = Store::open(address, &options).await?;
    let result = examine_open_database(config, &store, keys, outside, now).await;
    store.close().await;
    let mut database_examination = result?;
    if let DatabaseFact::Open { pending: 0, write_failure: unwritable, .. } =
        &mut database_examination.database
    {
        *unwritable = check_writes(config).await.err();
    }
    Ok(database_examination)
}

/// Whether the database is writable, for the server and for commands that run beside it.
async fn check_writes(config: &Config) -> Result<(), StoreFailure> {
    let options =
        StoreOptions { connections: 1, ..config.database.store_options(StoreAccess::AlongsideServer) };
    let store = Store::open(&config.database.address, &options).await?;
    let checked = write_check::check_writes(&store).await;
    store.close().await;
    checked
}

async fn examine_open_database(
    config: &Config,
    store: &Store,
    keys: Option<&InstanceKeyRing>,
    outside: &[ConfiguredKey],
    now: Timestamp,
) -> Result<DatabaseExamination, StoreFailure> {
    let database_info = store.load_info().await?;
    let pending = migrate::load_migration_status(store).await?.pending.len();
    let database = DatabaseFact::Open {
        engine: database_info.engine,
        version: database_info.version,
        durability_risk: match database_info.durability {
            CommitDurability::Durable => None,
            CommitDurability::AtRisk(setting) => Some(setting),
        },
        pending,
        migrates: config.database.migrate_on_start,
        offset: store.measure_clock_offset(now).await?,
        is_private: config.database.address.is_private(),
        write_failure: None,
    };
    if database_info
        .schema_version
        .is_none_or(|version| version < sinete_store::platform::signing_keys::SCHEMA_VERSION_MIN)
    {
        return Ok(DatabaseExamination {
            signing: configured_key_facts(outside),
            ..DatabaseExamination::new(database)
        });
    }
    let instance = instance::find_instance(store).await?;
    let fit = keys
        .zip(instance.as_ref())
        .map_or(InstanceKeyMatch::NotCompared, |(keys, instance)| match_instance_key(keys, instance));
    let mut signing = Vec::new();
    for key in outside {
        let is_development = match &key.key {
            Ok(key) => sinete_store::platform::signing_keys::is_development_key(store, key.kid()).await?,
            Err(_) => false,
        };
        signing.push(configured_key_fact(key, is_development));
    }
    for key in sinete_store::platform::signing_keys::list_published_keys(store, now).await? {
        let is_signing =
            matches!(key.lifecycle.phase(now), SigningKeyPhase::Signing | SigningKeyPhase::Announced);
        if key.purpose == SigningKeyPurpose::Tokens && is_signing {
            let is_development =
                sinete_store::platform::signing_keys::is_development_key(store, &key.kid).await?;
            signing.push(stored_key_fact(&key, keys, is_development));
        }
    }
    let log_verification = examine_log_verification(store, pending).await?;
    Ok(DatabaseExamination {
        database,
        is_set_up: instance.is_some(),
        key_match: fit,
        signing,
        log_verification,
    })
}

/// When the security log was last verified, if the schema has a place for it.
async fn examine_log_verification(
    store: &Store,
    pending: usize,
) -> Result<LogVerificationFact, StoreFailure> {
    if pending > 0 {
        return Ok(LogVerificationFact::Unknown);
    }
    Ok(match log_verification::find_last_verification(store).await? {
        None => LogVerificationFact::Never,
        Some(last) => LogVerificationFact::Recorded {
            at: last.verified_at,
            findings: last.findings,
            position: last.head.map(|head| head.position),
        },
    })
}

/// Whether the instance key decrypts the stored check value.
fn match_instance_key(keys: &InstanceKeyRing, instance: &InstanceRow) -> InstanceKeyMatch {
    let context = EncryptionContext::new(EncryptionPurpose::InstanceCheck, instance.id.as_bytes());
    if keys.decrypt(&context, &instance.key_check).is_ok() {
        InstanceKeyMatch::Right
    } else {
        InstanceKeyMatch::Wrong
    }
}

fn configured_key_facts(outside: &[ConfiguredKey]) -> Vec<SigningKeyFact> {
    outside.iter().map(|key| configured_key_fact(key, false)).collect()
}

fn configured_key_fact(outside: &ConfiguredKey, is_known_development: bool) -> SigningKeyFact {
    let key = outside.key.as_ref().map_err(Clone::clone).map(|key| UsableKeyFact {
        algorithm: key.algorithm(),
        is_development: key.marking() == SigningKeyMarking::Development || is_known_development,
        is_sample: sample_secrets::is_sample_signing_key(key.kid()),
    });
    SigningKeyFact { origin: outside.origin.clone(), key }
}

fn stored_key_fact(
    stored: &SigningKeyRow,
    keys: Option<&InstanceKeyRing>,
    is_development: bool,
) -> SigningKeyFact {
    let context = EncryptionContext::new(EncryptionPurpose::SigningKey, &stored.kid);
    let opened = keys.map_or(Ok(()), |keys| keys.decrypt(&context, &stored.sealed_private).map(drop));
    let key = opened.map_err(|error| error.to_string()).map(|()| UsableKeyFact {
        algorithm: stored.algorithm,
        is_development: stored.is_development || is_development,
        is_sample: sample_secrets::is_sample_signing_key(&stored.kid),
    });
    SigningKeyFact { origin: format!("{} in the database", stored.kid), key }
}

fn collect_file_facts(
    config: &Config,
    instance: Option<&LoadedInstanceKey>,
    outside: &[ConfiguredKey],
) -> Vec<FileFact> {
    let fact = |holds: &str, path: &Path, grave| FileFact {
        contents: holds.to_owned(),
        path: path.to_owned(),
        exposure: FileExposure::from_path(path),
        blocks_production: grave,
    };
    let mut files: Vec<FileFact> = outside
        .iter()
        .filter_map(|key| key.file.as_deref())
        .map(|path| fact("a signing key", path, true))
        .collect();
    let instance = instance.and_then(|loaded| loaded.file.as_ref());
    files.extend(instance.map(|(path, _)| fact("the instance key", path, true)));
    files.extend(config.tls.iter().map(|tls| fact("the certificate's private key", &tls.key, true)));
    if let Some(path) = config.file.as_deref().filter(|_| !config.secrets_in_file.is_empty()) {
        files.push(fact(&config.secrets_in_file.join(", "), path, true));
    }
    let logins = config
        .email
        .iter()
        .filter_map(|mail| mail.login.as_ref())
        .chain(config.sms.iter().map(|sms| &sms.login));
    let passwords = logins.filter_map(|login| login.password.file());
    files.extend(passwords.map(|path| fact("a password for sending", path, true)));
    files.extend(config.database.address.path().map(|path| fact("the database", path, false)));
    files
}

/// Opens the configured lookup files in the same way as `serve`.
fn collect_list_facts(config: &Config) -> Vec<LookupFileFact> {
    let fact = |list, path: &Path, unusable| LookupFileFact { kind: list, path: path.to_owned(), unusable };
    let breached = config.sign_in.breached_file.as_deref();
    let breached = breached
        .map(|path| fact(LookupFileKind::BreachedPasswords, path, BreachedPasswordFile::open(path).err()));
    let places = config.geoip_file.as_deref();
    let places = places.map(|path| fact(LookupFileKind::GeoIp, path, GeoIpFile::open(path).err()));
    let authorities = config.mtls.as_ref().and_then(|it| it.authorities.as_deref());
    let authorities = authorities
        .map(|path| fact(LookupFileKind::ClientAuthorities, path, mtls::load_authorities(path).err()));
    breached.into_iter().chain(places).chain(authorities).collect()
}

fn mtls_fact(config: &Config, mutual: &MtlsConfig) -> MtlsFact {
    let certificate_policy = mutual.certificate_policy(&config.issuer(config.listen));
    let secret = mutual.proxy_secret.as_ref().map(MaskedText::reveal);
    MtlsFact {
        address: mutual.base_url.to_string(),
        requests_from_everyone: config.tls.is_some() && certificate_policy == ClientCertificatePolicy::Always,
        is_sample: secret.is_some_and(sample_secrets::is_sample_proxy_secret),
    }
}

fn collect_network_facts(config: &Config) -> NetworkFact {
    let stays_near = |address: IpAddr| match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    };
    let certificate = config.tls.as_ref().and_then(|tls| {
        let files = TlsFiles { certificate: tls.certificate.clone(), key: tls.key.clone() };
        TlsListener::open(files).err().map(|bad| bad.to_string())
    });
    let allowed = file_descriptors::hard_limit();
    let (configured, connections) =
        (config.limits.connections, file_descriptors::public_connection_limit(config, allowed));
    NetworkFact {
        admin_is_public: !stays_near(config.admin_listen.ip()),
        trusts_every_proxy: config.trusted_proxies.iter().any(|network| network.prefix_len() == 0),
        certificate,
        mtls: config.mtls.as_ref().map(|it| mtls_fact(config, it)),
        open_file_shortage: allowed.filter(|_| connections < configured).map(|allowed| OpenFileShortage {
            allowed,
            configured,
            connections,
        }),
    }
}
