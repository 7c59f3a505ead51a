//! Every column that holds a secret encrypted with the instance key, so that key rotation re-encrypts all of
//! them.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;

/// A column of encrypted secrets. A new such column needs a variant here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncryptedColumn {
    /// The private keys of signing keys.
    SigningKeys,
    /// TOTP seeds.
    TotpSeeds,
    /// Queued messages; sent ones are never read again.
    Messages,
    /// Webhook secrets.
    WebhookSecrets,
    /// Previous webhook secrets, which sign for a while beside the new ones.
    PreviousWebhookSecrets,
    /// Client secrets that identity providers issued to organizations.
    ConnectionSecrets,
    /// CIBA notifications that are sent once the user answers.
    CibaNotifications,
}

/// An encrypted secret and its record.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptedSecret {
    /// The record's id.
    pub record: EncryptedRecordId,
    /// The encrypted secret.
    pub ciphertext: Vec<u8>,
}

/// The id of a record with an encrypted secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncryptedRecordId {
    /// The id of a signing key.
    Kid(String),
    /// A Sinete id.
    Id([u8; 16]),
}

impl EncryptedColumn {
    /// Every column.
    pub const ALL: [Self; 7] = [
        Self::SigningKeys,
        Self::TotpSeeds,
        Self::Messages,
        Self::WebhookSecrets,
        Self::PreviousWebhookSecrets,
        Self::ConnectionSecrets,
        Self::CibaNotifications,
    ];

    const fn stale_statement(self) -> &'static SqlStatement {
        match self {
            Self::SigningKeys => &STALE_SIGNING_KEYS,
            Self::TotpSeeds => &STALE_TOTP_SEEDS,
            Self::Messages => &STALE_MESSAGES,
            Self::WebhookSecrets => &STALE_WEBHOOK_SECRETS,
            Self::PreviousWebhookSecrets => &STALE_PREVIOUS_WEBHOOK_SECRETS,
            Self::ConnectionSecrets => &STALE_CONNECTION_SECRETS,
            Self::CibaNotifications => &STALE_CIBA_NOTIFICATIONS,
        }
    }

    const fn replace_statement(self) -> &'static SqlStatement {
        match self {
            Self::SigningKeys => &REPLACE_SIGNING_KEY,
            Self::TotpSeeds => &REPLACE_TOTP_SEED,
            Self::Messages => &REPLACE_MESSAGE,
            Self::WebhookSecrets => &REPLACE_WEBHOOK_SECRET,
            Self::PreviousWebhookSecrets => &REPLACE_PREVIOUS_WEBHOOK_SECRET,
            Self::ConnectionSecrets => &REPLACE_CONNECTION_SECRET,
            Self::CibaNotifications => &REPLACE_CIBA_NOTIFICATION,
        }
    }

    /// A value that sorts before every record.
    fn page_start(self) -> SqlValue {
        match self {
            Self::SigningKeys => "".into(),
            Self::TotpSeeds
            | Self::Messages
            | Self::WebhookSecrets
            | Self::PreviousWebhookSecrets
            | Self::ConnectionSecrets
            | Self::CibaNotifications => SqlValue::empty_bytes(),
        }
    }
}

impl EncryptedRecordId {
    /// The id as bytes, which the encryption is bound to.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Kid(kid) => kid.as_bytes(),
            Self::Id(id) => id,
        }
    }
}

impl From<&EncryptedRecordId> for SqlValue {
    fn from(record: &EncryptedRecordId) -> Self {
        match record {
            EncryptedRecordId::Kid(kid) => kid.as_str().into(),
            EncryptedRecordId::Id(id) => (*id).into(),
        }
    }
}

/// Lists secrets of the column that do not start with these bytes, which identify the current key: in the
/// order of their records, after `after`, at most `limit`.
pub async fn list_stale_secrets(
    store: &Store,
    column: EncryptedColumn,
    current: &[u8],
    after: Option<&EncryptedRecordId>,
    limit: u32,
) -> Result<Vec<EncryptedSecret>, StoreFailure> {
    let after = after.map_or_else(|| column.page_start(), SqlValue::from);
    let rows = store.read_list(column.stale_statement(), &[current.into(), after, limit.into()]).await?;
    rows.iter().map(|row| read(row, column)).collect()
}

/// Replaces an encrypted secret, if it has not changed since it was read.
pub fn replace_encrypted_secret(
    column: EncryptedColumn,
    secret: &EncryptedSecret,
    resealed: &[u8],
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        column.replace_statement(),
        [(&secret.record).into(), secret.ciphertext.as_slice().into(), resealed.into()],
    )
}

fn read(row: &SqlRow, column: EncryptedColumn) -> Result<EncryptedSecret, StoreFailure> {
    let record = match column {
        EncryptedColumn::SigningKeys => EncryptedRecordId::Kid(row.text("record")?.to_owned()),
        EncryptedColumn::TotpSeeds
        | EncryptedColumn::Messages
        | EncryptedColumn::WebhookSecrets
        | EncryptedColumn::PreviousWebhookSecrets
        | EncryptedColumn::ConnectionSecrets
        | EncryptedColumn::CibaNotifications => EncryptedRecordId::Id(
            row.blob("record")?.try_into().map_err(|_| row.damaged_column("record", "an id"))?,
        ),
    };
    Ok(EncryptedSecret { record, ciphertext: row.blob("sealed")?.to_vec() })
}

static STALE_SIGNING_KEYS: SqlStatement = SqlStatement::new(
    "signing_keys.behind",
    "SELECT kid AS record, sealed_private AS sealed FROM signing_keys WHERE substr(sealed_private, 1, 9) <> ?1 AND kid > ?2 \
     ORDER BY kid LIMIT ?3",
);
static REPLACE_SIGNING_KEY: SqlStatement = SqlStatement::new(
    "signing_keys.replace_sealed",
    "UPDATE signing_keys SET sealed_private = ?3 WHERE kid = ?1 AND sealed_private = ?2",
);
static STALE_TOTP_SEEDS: SqlStatement = SqlStatement::new(
    "credentials.behind",
    "SELECT id AS record, material AS sealed FROM credentials WHERE kind = 'totp' AND removed_at IS NULL \
     AND substr(material, 1, 9) <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static REPLACE_TOTP_SEED: SqlStatement = SqlStatement::new(
    "credentials.replace_sealed",
    "UPDATE credentials SET material = ?3 WHERE id = ?1 AND kind = 'totp' AND material = ?2",
);
static STALE_MESSAGES: SqlStatement = SqlStatement::new(
    "outbox.behind",
    "SELECT id AS record, sealed_message AS sealed FROM outbox WHERE sent_at IS NULL AND failed_at IS NULL \
     AND substr(sealed_message, 1, 9) <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static REPLACE_MESSAGE: SqlStatement = SqlStatement::new(
    "outbox.replace_sealed",
    "UPDATE outbox SET sealed_message = ?3 WHERE id = ?1 AND sealed_message = ?2",
);
static STALE_WEBHOOK_SECRETS: SqlStatement = SqlStatement::new(
    "webhooks.behind",
    "SELECT id AS record, sealed_secret AS sealed FROM webhooks WHERE removed_at IS NULL \
     AND substr(sealed_secret, 1, 9) <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static REPLACE_WEBHOOK_SECRET: SqlStatement = SqlStatement::new(
    "webhooks.replace_sealed",
    "UPDATE webhooks SET sealed_secret = ?3 WHERE id = ?1 AND sealed_secret = ?2",
);

static STALE_PREVIOUS_WEBHOOK_SECRETS: SqlStatement = SqlStatement::new(
    "webhooks.behind_previous",
    "SELECT id AS record, sealed_previous_secret AS sealed FROM webhooks WHERE removed_at IS NULL \
     AND sealed_previous_secret IS NOT NULL AND substr(sealed_previous_secret, 1, 9) <> ?1 AND id > ?2 \
     ORDER BY id LIMIT ?3",
);
static REPLACE_PREVIOUS_WEBHOOK_SECRET: SqlStatement = SqlStatement::new(
    "webhooks.replace_sealed_previous",
    "UPDATE webhooks SET sealed_previous_secret = ?3 WHERE id = ?1 AND sealed_previous_secret = ?2",
);

static STALE_CONNECTION_SECRETS: SqlStatement = SqlStatement::new(
    "connections.behind",
    "SELECT id AS record, sealed_secret AS sealed FROM connections WHERE removed_at IS NULL AND sealed_secret IS NOT NULL \
     AND substr(sealed_secret, 1, 9) <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static REPLACE_CONNECTION_SECRET: SqlStatement = SqlStatement::new(
    "connections.replace_sealed",
    "UPDATE connections SET sealed_secret = ?3 WHERE id = ?1 AND sealed_secret = ?2",
);

static STALE_CIBA_NOTIFICATIONS: SqlStatement = SqlStatement::new(
    "approval_requests.behind",
    "SELECT id AS record, sealed_notice AS sealed FROM approval_requests WHERE sealed_notice IS NOT NULL \
     AND substr(sealed_notice, 1, 9) <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static REPLACE_CIBA_NOTIFICATION: SqlStatement = SqlStatement::new(
    "approval_requests.replace_sealed",
    "UPDATE approval_requests SET sealed_notice = ?3 WHERE id = ?1 AND sealed_notice = ?2",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &STALE_SIGNING_KEYS,
    &REPLACE_SIGNING_KEY,
    &STALE_TOTP_SEEDS,
    &REPLACE_TOTP_SEED,
    &STALE_MESSAGES,
    &REPLACE_MESSAGE,
    &STALE_WEBHOOK_SECRETS,
    &REPLACE_WEBHOOK_SECRET,
    &STALE_PREVIOUS_WEBHOOK_SECRETS,
    &REPLACE_PREVIOUS_WEBHOOK_SECRET,
    &STALE_CONNECTION_SECRETS,
    &REPLACE_CONNECTION_SECRET,
    &STALE_CIBA_NOTIFICATIONS,
    &REPLACE_CIBA_NOTIFICATION,
];
