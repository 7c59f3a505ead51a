//! The HTTP server's backend, implemented by the engine.

use crate::config::Config;
use crate::startup::checks::evaluation::{DoctorFinding, FindingSeverity};
use crate::startup::checks::run_checks;
use arc_swap::ArcSwap;
use sinete_core::entropy::Entropy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_engine::Engine;
use sinete_engine::platform::clock_check;
use sinete_engine::platform::clock_check::ClockComparison;
use sinete_engine::platform::dev_mailbox::DevMailbox;
use sinete_http::state::{Backend, DiagnosticFinding, DiagnosticScope, DiagnosticVerdict, ReadinessError};
use sinete_server::context::TimeAndEntropy;
use sinete_server::reply::document::StaticDocument;
use sinete_store::{StoreFailure, write_check};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Maximum time of the database's readiness check.
const CHECK_MAX: Duration = Duration::from_secs(2);
/// Maximum time of a durable write: longer than the default lock timeout.
const WRITE_CHECK_MAX: Duration = Duration::from_secs(4);

/// The backend: an engine, the serialized JWKS, and the configuration for the checks.
pub struct EngineBackend {
    engine: Engine,
    config: Config,
    keys: ArcSwap<CachedJwksDocument>,
    mailbox: Option<Arc<DevMailbox>>,
}

/// The serialized JWKS with the entity tag it was built for.
struct CachedJwksDocument {
    tag: Arc<str>,
    document: Arc<StaticDocument>,
}

impl EngineBackend {
    /// Creates a backend. Fails only if the JWKS cannot be sent as a response.
    pub fn new(engine: Engine, config: Config, mailbox: Option<Arc<DevMailbox>>) -> Result<Self, String> {
        let keys = ArcSwap::from_pointee(build_jwks_document(&engine)?);
        Ok(Self { engine, config, keys, mailbox })
    }

    /// Compares the database's clock with ours. A node with a wrong clock is not ready and signs nothing.
    pub async fn compare_clocks(&self) {
        match clock_check::compare_clocks(&self.engine).await {
            Ok(ClockComparison { offset, is_within_bound: is_right, has_changed }) if has_changed => {
                let offset_micros = offset.micros();
                if is_right {
                    tracing::info!(offset_micros, "the clock agrees with the database's again");
                } else {
                    tracing::error!(
                        offset_micros,
                        "the clock is too far from the database's: not ready, no tokens are issued"
                    );
                }
            }
            Ok(_) => {}
            // The readiness check detects an unavailable database by itself.
            Err(failed) => tracing::warn!(%failed, "the database's clock could not be read"),
        }
    }

    fn has_required_signers(&self) -> bool {
        let (ring, now) = (self.engine.key_ring(), self.engine.now());
        SigningAlgorithm::REQUIRED.into_iter().all(|algorithm| ring.signing_key(algorithm, now).is_some())
    }
}

/// The reason why writes fail, for operators.
const fn write_failure_reason(failed: &StoreFailure) -> &'static str {
    match failed {
        StoreFailure::Full => "the disk of the database is full",
        StoreFailure::Locked => "another process holds the database",
        StoreFailure::ReadOnly => "the database cannot be written",
        StoreFailure::Overloaded => "the database is overloaded",
        StoreFailure::Damaged(_) | StoreFailure::TooNew { .. } => {
            "the database is damaged, or its schema is newer than this program"
        }
        StoreFailure::Unreachable
        | StoreFailure::OutcomeUnknown
        | StoreFailure::Unstorable(_)
        | StoreFailure::Other(_) => "the database does not accept writes",
    }
}

fn to_diagnostic_finding(finding: DoctorFinding) -> DiagnosticFinding {
    let name = serde_json::to_value(finding.check).ok();
    DiagnosticFinding {
        check: name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned(),
        verdict: match finding.verdict {
            FindingSeverity::Blocker => DiagnosticVerdict::Blocker,
            FindingSeverity::Warning => DiagnosticVerdict::Warning,
            FindingSeverity::Passed => DiagnosticVerdict::Passed,
        },
        message: finding.message,
        remedy: finding.remedy,
    }
}

fn build_jwks_document(engine: &Engine) -> Result<CachedJwksDocument, String> {
    let ring = engine.key_ring();
    let (json, tag) = (ring.jwks_document().json.clone(), ring.jwks_document().tag.clone());
    let document = StaticDocument::jwks(json.as_bytes().to_vec(), &tag).map_err(|error| error.to_string())?;
    Ok(CachedJwksDocument { tag, document: Arc::new(document) })
}

impl TimeAndEntropy for EngineBackend {
    fn now(&self) -> Timestamp {
        self.engine.now()
    }

    fn entropy(&self) -> &dyn Entropy {
        self.engine.entropy()
    }
}

impl Backend for EngineBackend {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn dev_mailbox(&self) -> Option<&DevMailbox> {
        self.mailbox.as_deref()
    }

    fn jwks(&self) -> Arc<StaticDocument> {
        let guard = self.keys.load();
        if guard.tag == self.engine.key_ring().jwks_document().tag {
            return Arc::clone(&guard.document);
        }
        match build_jwks_document(&self.engine) {
            Ok(newer) => {
                let document = Arc::clone(&newer.document);
                self.keys.store(Arc::new(newer));
                document
            }
            Err(_) => Arc::clone(&guard.document),
        }
    }

    fn check_readiness(&self) -> Pin<Box<dyn Future<Output = Result<(), ReadinessError>> + Send + '_>> {
        Box::pin(async move {
            if !self.engine.clock_is_right() {
                return Err(ReadinessError("this node's clock is too far from the database's"));
            }
            if !self.has_required_signers() {
                return Err(ReadinessError("a signing key is missing"));
            }
            let store = self.engine.store();
            let connection = tokio::time::timeout(CHECK_MAX, store.check_connection()).await;
            if !connection.is_ok_and(|checked| checked.is_ok()) {
                return Err(ReadinessError("the database does not answer"));
            }
            match tokio::time::timeout(WRITE_CHECK_MAX, write_check::check_writes(store)).await {
                Ok(result) => result.map_err(|failed| ReadinessError(write_failure_reason(&failed))),
                Err(_) => Err(ReadinessError(
                    "the database does not accept a write in time: another process has locked it, or it is overloaded",
                )),
            }
        })
    }

    fn diagnose(
        &self,
        scope: DiagnosticScope,
    ) -> Pin<Box<dyn Future<Output = Vec<DiagnosticFinding>> + Send + '_>> {
        Box::pin(async move {
            let contacts_others = scope == DiagnosticScope::Connections;
            let findings = run_checks(&self.config, self.engine.now(), contacts_others).await;
            findings.into_iter().map(to_diagnostic_finding).collect()
        })
    }
}
