//! The security log: sealing, verification and export. `docs/operate/security-log.md` explains what this
//! proves and what it does not.
//!
//! Events are written in the transaction of the change they record; nothing here adds events for others or
//! changes any. They are removed only after they were archived.

mod archive;
mod archive_records;
mod export;
mod export_format;
mod keys;
mod sealer;
mod signed_head;
mod usage_tally;
mod verify;
mod verify_export;

pub use archive::{
    ArchivePolicy, ArchiveRun, ArchiveVerification, LogArchiver, RequestOriginRetention, verify_archive,
};
pub use export::{EventSelection, LogExport, LogExportSummary, PersonalDataMode, RecordedDisclosure};
pub use sealer::{LogSealer, SealingTurn, spawn_sealer};
pub use signed_head::{Base64UrlBytes, Rfc3339Time, SignedLogHead, parse_noted_heads};
pub use verify::LogVerificationSummary;
pub use verify_export::{ExportVerification, verify_export};

use crate::ports::ArchiveStorageError;
use keys::LogVerificationKeys;
use sinete_core::entropy::Entropy;
use sinete_core::events::log_chain::{LogChainHead, LogDefect, LogFinding};
use sinete_core::events::security_event::{
    EventKind, SecurityEvent, SecurityEventActor, SecurityEventTarget,
};
use sinete_core::id::InstanceId;
use sinete_core::limits::LOG_SEALING_LONG_LOOKBACK;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{DecryptionError, InstanceKeyRing};
use sinete_store::events::log_chain;
use sinete_store::platform::instance;
use sinete_store::{BatchOutcome, Store, StoreFailure, WriteBatch};
use std::sync::Arc;

/// The security log of an instance, with the keys that sign its head.
#[derive(Clone, Debug)]
pub struct SecurityLog {
    store: Store,
    instance: InstanceId,
    keys: Arc<LogVerificationKeys>,
}

/// Progress of a long operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerificationProgress {
    /// A finding.
    Finding(LogFinding),
    /// The position reached.
    Position {
        /// The number of completed positions.
        completed: u64,
        /// The total number of positions.
        total: u64,
    },
}

/// Why an operation on the log failed.
#[derive(Debug, thiserror::Error)]
pub enum SecurityLogError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreFailure),
    /// The database is not set up.
    #[error("the database contains no instance yet: start `sinete serve` once")]
    NoInstance,
    /// There is no signing key.
    #[error("the security log has no key: it is created when `sinete serve` first starts")]
    NoKey,
    /// The key is encrypted with an unknown instance key.
    #[error("the key of the security log cannot be decrypted: {0}")]
    KeyNotDecryptable(DecryptionError),
    /// The cryptographic library failed.
    #[error("the cryptographic library failed")]
    SigningFailed,
    /// The log was tampered with.
    #[error("the security log was tampered with: {0}")]
    Tampered(Box<LogFinding>),
    /// Concurrent changes prevented the operation repeatedly.
    #[error("the database was changed concurrently: try again")]
    Busy,
    /// The position is beyond the head.
    #[error("there is no position {after} in the log: its head is at {head}")]
    BeyondHead {
        /// The requested position.
        after: i64,
        /// The position of the head.
        head: i64,
    },
    /// Another process archives the log.
    #[error("another process archives the security log; its claim ends at {until}")]
    ArchiveClaimed {
        /// When its claim expires.
        until: Timestamp,
    },
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveStorageError),
    /// The file is not an export.
    #[error("the file is not an export of the security log")]
    NotAnExport,
    /// A line exceeds the maximum length.
    #[error("line {line} is longer than any line of an export")]
    LineTooLong {
        /// The line number, starting at one.
        line: u64,
    },
    /// Reading or writing failed.
    #[error("the export cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
}

impl SecurityLog {
    /// Opens the log of an existing instance for reading.
    pub async fn open(
        store: &Store,
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
    ) -> Result<Self, SecurityLogError> {
        let instance = instance::find_instance(store).await?.ok_or(SecurityLogError::NoInstance)?;
        let keys = Arc::new(LogVerificationKeys::load(store, instance_keys, now).await?);
        Ok(Self { store: store.clone(), instance: instance.id, keys })
    }

    /// Opens the log of a starting instance. At the first start, its key and first head are created together:
    /// from then on, a missing head means that it was removed.
    pub async fn open_or_create(
        store: &Store,
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Self, SecurityLogError> {
        // In this order: if another node's new head is visible, its key is too.
        let head = log_chain::find_chain_head(store).await?;
        let log = Self::open(store, instance_keys, now).await?;
        if !log.keys.is_empty() {
            return Ok(log);
        }
        if let Some(stored) = head {
            let finding = LogFinding::for_log(LogDefect::HeadKeyUnknown { kid: stored.kid });
            return Err(SecurityLogError::Tampered(Box::new(finding)));
        }
        let (keys, keep) = LogVerificationKeys::generate(instance_keys, now, entropy)?;
        let first = LogChainHead::new_genesis(log.instance, now);
        let kid = keys.signing_key()?.kid();
        let signature = signed_head::sign_head(&keys, log.instance, &first)?;
        let event =
            SecurityEvent::new(EventKind::SigningKeyGenerated, SecurityEventActor::System, now, entropy)
                .with_subject("signing_key", kid)
                .with_detail("purpose", "log");
        let batch = WriteBatch::new()
            .with_statement(keep)
            .with_statement(log_chain::create_first_chain_head(&first, kid, &signature))
            .with_event(&event);
        match store.commit(batch).await? {
            BatchOutcome::Committed(_) => Ok(Self { keys: Arc::new(keys), ..log }),
            // Another node was faster, so its key exists now.
            BatchOutcome::Conflict(_) => match Self::open(store, instance_keys, now).await? {
                log if log.keys.is_empty() => Err(SecurityLogError::NoKey),
                log => Ok(log),
            },
        }
    }

    /// The instance of the log.
    pub const fn instance_id(&self) -> InstanceId {
        self.instance
    }

    /// The signed head, to be recorded elsewhere. Fails if the signature is not ours.
    pub async fn signed_head(&self) -> Result<SignedLogHead, SecurityLogError> {
        self.load_trusted_head().await.map(|(_, signed)| signed)
    }

    /// The number of unsealed events. An event that commits so late that the frequent runs of the sealer pass over it is
    /// counted by [`Self::verify_log`] only: a count over the whole window would read every event of ten minutes
    /// (docs/contribute/decisions/0332-console-lists-read-one-index-range.md).
    pub async fn count_unsealed(&self, now: Timestamp) -> Result<u64, SecurityLogError> {
        let stored = log_chain::find_chain_head(&self.store).await?;
        let stored = stored.ok_or(SecurityLogError::NoKey)?;
        let last = stored.last.map(|(event, _)| event);
        let floor = stored.head.sealing_floor(last, now, LOG_SEALING_LONG_LOOKBACK);
        Ok(log_chain::count_unsealed_events(&self.store, floor).await?)
    }

    /// Erases the origins of all events in which this account or membership is actor or subject. The events
    /// and the chain stay intact, and the erasure is recorded.
    pub async fn erase_personal_data(
        &self,
        target: &SecurityEventTarget,
        actor: SecurityEventActor,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<(), SecurityLogError> {
        let erased = SecurityEvent::new(EventKind::LogPersonalErased, actor, now, entropy)
            .with_subject(target.kind, &target.id);
        let batch =
            WriteBatch::new().with_statements(log_chain::erase_personal_data(&target.id)).with_event(&erased);
        match self.store.commit(batch).await? {
            BatchOutcome::Committed(_) => Ok(()),
            BatchOutcome::Conflict(_) => Err(SecurityLogError::Busy),
        }
    }
}
