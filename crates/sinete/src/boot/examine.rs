//! Looking at everything an instance stands on, without changing any of it. Whether the database takes writes is found
//! out by writing to a row that nothing else uses.

use crate::boot::exposure::FileExposure;
use crate::boot::facts::{
    DatabaseFact, FileFact, InstanceKeyFact, InstanceKeyMatch, ListFact, LookupList, MtlsFact, NetworkFact,
    OpenFileShortage, SigningKeyFact, StartupFacts, UsableKeyFact,
};
use crate::boot::instance_key::{self, LoadedInstanceKey};
use crate::boot::signing_keys::{self, ConfiguredKey};
use crate::boot::{open_files, samples};
use crate::config::Config;
use crate::config::mutual_tls::{self, MtlsConfig};
use crate::config::values::MaskedText;
use crate::outbound::breached_file::BreachedPasswordFile;
use crate::outbound::places::GeoIpFile;
use sinete_core::signing::{SigningKeyPhase, SigningKeyPurpose};
use sinete_core::time::Timestamp;
use sinete_crypto::key::SigningKeyMarking;
use sinete_crypto::seal::{EncryptionContext, EncryptionPurpose, InstanceKeyRing};
use sinete_http::tls::{ClientCertificatePolicy, TlsFiles, TlsListener};
use sinete_store::instance::InstanceRow;
use sinete_store::signing_keys::SigningKeyRow;
use sinete_store::{
    CommitDurability, Store, StoreAccess, StoreFailure, StoreOptions, instance, migrate, write_check,
};
use std::net::IpAddr;
use std::path::Path;

/// What was seen, and the keys that were read on the way.
#[derive(Debug)]
pub struct Examination {
    /// What to judge.
    pub facts: StartupFacts,
    /// The instance key, where it is configured and can be read.
    pub instance_key: Option<LoadedInstanceKey>,
    /// Signing keys from outside the database.
    pub outside: Vec<ConfiguredKey>,
}

/// Looks at everything. What cannot be looked at is a fact too.
pub async fn examine(config: &Config, now: Timestamp) -> Examination {
    let loaded = instance_key::load(config);
    // The key that a development instance made for itself counts where none is configured.
    let existing = instance_key::existing(config);
    let outside = signing_keys::load(&config.signing);
    let keys = existing.as_ref().ok().and_then(Option::as_ref).map(|existing| &existing.keys);
    let seen = match look(config, keys, &outside, now).await {
        Ok(seen) => seen,
        Err(failed) => DatabaseExamination {
            signing: without_database(&outside),
            ..DatabaseExamination::of(DatabaseFact::Failed(failed))
        },
    };
    let facts = StartupFacts {
        issuer: config.issuer(config.listen),
        instance_key: match &loaded {
            Err(why) => InstanceKeyFact::Unusable(why.clone()),
            Ok(Some(loaded)) => usable(config, loaded, seen.fit),
            Ok(None) => match &existing {
                Err(why) => InstanceKeyFact::Unusable(why.clone()),
                Ok(Some(own)) if seen.fit == InstanceKeyMatch::Wrong => usable(config, own, seen.fit),
                Ok(None) if seen.is_set_up => InstanceKeyFact::Lost,
                Ok(_) => InstanceKeyFact::Missing,
            },
        },
        signing: seen.signing,
        database: seen.database,
        files: files(config, loaded.as_ref().ok().and_then(Option::as_ref), &outside),
        lists: lists(config),
        looks: looks(config),
        network: network(config),
        verbose_log: ["debug", "trace"].iter().any(|level| config.log.filter.as_str().contains(level)),
    };
    Examination { facts, instance_key: loaded.ok().flatten(), outside }
}

fn usable(config: &Config, loaded: &LoadedInstanceKey, fit: InstanceKeyMatch) -> InstanceKeyFact {
    InstanceKeyFact::Usable {
        origin: loaded.origin.clone(),
        is_sample: loaded.is_sample,
        is_generated: loaded.is_generated,
        is_beside_data: is_beside_data(config, loaded),
        fit,
    }
}

/// Whether the files can be used that say what the screens look like.
#[cfg(feature = "screens")]
fn looks(config: &Config) -> Option<Result<(), String>> {
    let is_named = config.looks.logo.is_some() || config.looks.style.is_some();
    is_named.then(|| crate::serve::looks::read(&config.looks).map(drop).map_err(|stop| stop.message))
}

/// Without screens there is nothing to look at.
#[cfg(not(feature = "screens"))]
fn looks(_: &Config) -> Option<Result<(), String>> {
    None
}

/// Whether the instance key and an embedded database lie in one folder.
fn is_beside_data(config: &Config, loaded: &LoadedInstanceKey) -> bool {
    let folder = |path: &Path| path.canonicalize().ok()?.parent().map(Path::to_owned);
    let key = loaded.file.as_ref().and_then(|(path, _)| folder(path));
    key.is_some() && key == config.database.address.path().and_then(folder)
}

/// What only the database can say.
struct DatabaseExamination {
    database: DatabaseFact,
    /// Whether an instance was set up in it.
    is_set_up: bool,
    fit: InstanceKeyMatch,
    signing: Vec<SigningKeyFact>,
}

impl DatabaseExamination {
    const fn of(database: DatabaseFact) -> Self {
        Self { database, is_set_up: false, fit: InstanceKeyMatch::Untried, signing: Vec::new() }
    }
}

async fn look(
    config: &Config,
    keys: Option<&InstanceKeyRing>,
    outside: &[ConfiguredKey],
    now: Timestamp,
) -> Result<DatabaseExamination, StoreFailure> {
    let address = &config.database.address;
    if address.path().is_some_and(|path| !path.exists()) {
        return Ok(DatabaseExamination {
            signing: without_database(outside),
            ..DatabaseExamination::of(DatabaseFact::Absent)
        });
    }
    let options = StoreOptions { connections: 1, ..StoreOptions::new(StoreAccess::ReadOnly) };
    let store = Store::open(address, &options).await?;
    let seen = look_inside(config, &store, keys, outside, now).await;
    store.close().await;
    let mut seen = seen?;
    if let DatabaseFact::Open { pending: 0, unwritable, .. } = &mut seen.database {
        *unwritable = check_writes(config).await.err();
    }
    Ok(seen)
}

/// Whether the database takes writes, from whoever serves and from the commands beside.
async fn check_writes(config: &Config) -> Result<(), StoreFailure> {
    let options = StoreOptions { connections: 1, ..StoreOptions::new(StoreAccess::Beside) };
    let store = Store::open(&config.database.address, &options).await?;
    let checked = write_check::check(&store).await;
    store.close().await;
    checked
}

async fn look_inside(
    config: &Config,
    store: &Store,
    keys: Option<&InstanceKeyRing>,
    outside: &[ConfiguredKey],
    now: Timestamp,
) -> Result<DatabaseExamination, StoreFailure> {
    let about = store.facts().await?;
    let pending = migrate::status(store).await?.pending.len();
    let database = DatabaseFact::Open {
        engine: about.engine,
        version: about.version,
        at_risk: match about.durability {
            CommitDurability::Durable => None,
            CommitDurability::AtRisk(setting) => Some(setting),
        },
        pending,
        migrates: config.database.migrate_on_start,
        offset: store.now_offset(now).await?,
        private: config.database.address.is_private(),
        unwritable: None,
    };
    if about.schema_version.is_none_or(|version| version < sinete_store::signing_keys::SINCE_SCHEMA) {
        return Ok(DatabaseExamination {
            signing: without_database(outside),
            ..DatabaseExamination::of(database)
        });
    }
    let instance = instance::find(store).await?;
    let fit =
        keys.zip(instance.as_ref()).map_or(InstanceKeyMatch::Untried, |(keys, instance)| fit(keys, instance));
    let mut signing = Vec::new();
    for key in outside {
        let known = match &key.key {
            Ok(key) => sinete_store::signing_keys::is_known_development(store, key.kid()).await?,
            Err(_) => false,
        };
        signing.push(outside_fact(key, known));
    }
    for key in sinete_store::signing_keys::standing(store, now).await? {
        let is_signing = matches!(key.life.phase(now), SigningKeyPhase::Signing | SigningKeyPhase::Announced);
        if key.purpose == SigningKeyPurpose::Tokens && is_signing {
            let known = sinete_store::signing_keys::is_known_development(store, &key.kid).await?;
            signing.push(stored_fact(&key, keys, known));
        }
    }
    Ok(DatabaseExamination { database, is_set_up: instance.is_some(), fit, signing })
}

/// Whether the instance key opens the value that was sealed for that question.
fn fit(keys: &InstanceKeyRing, instance: &InstanceRow) -> InstanceKeyMatch {
    let place = EncryptionContext::new(EncryptionPurpose::InstanceCheck, instance.id.as_bytes());
    if keys.open(&place, &instance.key_check).is_ok() {
        InstanceKeyMatch::Right
    } else {
        InstanceKeyMatch::Wrong
    }
}

fn without_database(outside: &[ConfiguredKey]) -> Vec<SigningKeyFact> {
    outside.iter().map(|key| outside_fact(key, false)).collect()
}

fn outside_fact(outside: &ConfiguredKey, is_known_development: bool) -> SigningKeyFact {
    let key = outside.key.as_ref().map_err(Clone::clone).map(|key| UsableKeyFact {
        algorithm: key.algorithm(),
        is_development: key.marking() == SigningKeyMarking::Development || is_known_development,
        is_sample: samples::is_known_signing_key(key.kid()),
    });
    SigningKeyFact { origin: outside.origin.clone(), key }
}

fn stored_fact(stored: &SigningKeyRow, keys: Option<&InstanceKeyRing>, known: bool) -> SigningKeyFact {
    let place = EncryptionContext::new(EncryptionPurpose::SigningKey, &stored.kid);
    let opened = keys.map_or(Ok(()), |keys| keys.open(&place, &stored.sealed_private).map(drop));
    let key = opened.map_err(|error| error.to_string()).map(|()| UsableKeyFact {
        algorithm: stored.algorithm,
        is_development: stored.is_development || known,
        is_sample: samples::is_known_signing_key(&stored.kid),
    });
    SigningKeyFact { origin: format!("{} in the database", stored.kid), key }
}

fn files(config: &Config, instance: Option<&LoadedInstanceKey>, outside: &[ConfiguredKey]) -> Vec<FileFact> {
    let fact = |holds: &str, path: &Path, grave| FileFact {
        holds: holds.to_owned(),
        path: path.to_owned(),
        exposure: FileExposure::of(path),
        grave,
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
        .mail
        .iter()
        .filter_map(|mail| mail.login.as_ref())
        .chain(config.sms.iter().map(|sms| &sms.login));
    let passwords = logins.filter_map(|login| login.password.file());
    files.extend(passwords.map(|path| fact("a password for sending", path, true)));
    files.extend(config.database.address.path().map(|path| fact("the database", path, false)));
    files
}

/// The lists that are named, each opened as serving opens it.
fn lists(config: &Config) -> Vec<ListFact> {
    let fact = |list, path: &Path, unusable| ListFact { list, path: path.to_owned(), unusable };
    let breached = config.people.breached_file.as_deref();
    let breached = breached
        .map(|path| fact(LookupList::BreachedPasswords, path, BreachedPasswordFile::open(path).err()));
    let places = config.geoip_file.as_deref();
    let places = places.map(|path| fact(LookupList::Places, path, GeoIpFile::open(path).err()));
    let authorities = config.mutual_tls.as_ref().and_then(|it| it.authorities.as_deref());
    let authorities = authorities
        .map(|path| fact(LookupList::ClientAuthorities, path, mutual_tls::authorities(path).err()));
    breached.into_iter().chain(places).chain(authorities).collect()
}

fn mutual_tls_fact(config: &Config, mutual: &MtlsConfig) -> MtlsFact {
    let asked = mutual.asked(&config.issuer(config.listen));
    let secret = mutual.proxy_secret.as_ref().map(MaskedText::reveal);
    MtlsFact {
        address: mutual.base_url.to_string(),
        asks_everybody: config.tls.is_some() && asked == ClientCertificatePolicy::Everybody,
        is_sample: secret.is_some_and(samples::is_known_proxy_secret),
    }
}

fn network(config: &Config) -> NetworkFact {
    let stays_near = |address: IpAddr| match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    };
    let certificate = config.tls.as_ref().and_then(|tls| {
        let files = TlsFiles { certificate: tls.certificate.clone(), key: tls.key.clone() };
        TlsListener::open(files).err().map(|bad| bad.to_string())
    });
    let allowed = open_files::attainable();
    let (configured, connections) =
        (config.limits.connections, open_files::public_connections(config, allowed));
    NetworkFact {
        admin_is_public: !stays_near(config.admin_listen.ip()),
        trusts_everybody: config.trusted_proxies.iter().any(|network| network.prefix_len() == 0),
        certificate,
        mutual_tls: config.mutual_tls.as_ref().map(|it| mutual_tls_fact(config, it)),
        too_few_files: allowed.filter(|_| connections < configured).map(|allowed| OpenFileShortage {
            allowed,
            configured,
            connections,
        }),
    }
}
