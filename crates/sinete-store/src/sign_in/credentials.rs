//! Credentials of users: passkeys, a password, a TOTP seed, a set of recovery codes.

pub mod magic_links;
pub mod one_time_codes;
pub mod recovery_codes;

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, CredentialId};
use sinete_core::time::Timestamp;

/// The kinds of credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredCredentialKind {
    /// A passkey's public key.
    Passkey,
    /// The hash of a password.
    Password,
    /// A TOTP seed, encrypted.
    Totp,
    /// The set that recovery codes belong to.
    RecoveryCodes,
}

impl StoredCredentialKind {
    const ALL: [Self; 4] = [Self::Passkey, Self::Password, Self::Totp, Self::RecoveryCodes];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Passkey => "passkey",
            Self::Password => "password",
            Self::Totp => "totp",
            Self::RecoveryCodes => "recovery_codes",
        }
    }
}

/// A credential to store.
#[derive(Debug)]
pub struct NewCredential<'a> {
    /// Its id.
    pub id: CredentialId,
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: StoredCredentialKind,
    /// The name its owner gave it.
    pub name: &'a str,
    /// A passkey's credential id.
    pub handle: Option<&'a [u8]>,
    /// A passkey's public key, a password hash, or an encrypted seed.
    pub material: &'a [u8],
    /// A passkey's signature counter; zero for every other kind.
    pub counter: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its owner first used it successfully; a TOTP seed is unconfirmed until its first code.
    pub confirmed_at: Option<Timestamp>,
}

/// A credential as stored. Removed ones are never read.
#[derive(Clone, PartialEq, Eq)]
pub struct CredentialRow {
    /// Its id.
    pub id: CredentialId,
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: StoredCredentialKind,
    /// The name its owner gave it.
    pub name: String,
    /// A passkey's credential id.
    pub handle: Option<Vec<u8>>,
    /// A passkey's public key, a password hash, or an encrypted seed.
    pub material: Vec<u8>,
    /// A passkey's signature counter, or the last time step a TOTP seed was used for.
    pub counter: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last used.
    pub used_at: Option<Timestamp>,
    /// When its owner first used it successfully.
    pub confirmed_at: Option<Timestamp>,
    /// When it was disabled after too many failures.
    pub disabled_at: Option<Timestamp>,
    /// Row version.
    pub version: i64,
}

impl std::fmt::Debug for CredentialRow {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {:?}", self.kind.as_str(), self.id)
    }
}

/// Adds a credential to an account that can sign in.
pub fn add_credential(credential: &NewCredential<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD,
        [
            credential.id.into(),
            credential.account.into(),
            credential.kind.as_str().into(),
            credential.name.into(),
            credential.handle.into(),
            credential.material.into(),
            credential.counter.into(),
            credential.created_at.into(),
            credential.confirmed_at.into(),
        ],
    )
}

/// Adds an imported password hash in the named format.
pub fn add_imported_password(credential: &NewCredential<'_>, form: &str) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD_IMPORTED,
        [
            credential.id.into(),
            credential.account.into(),
            credential.material.into(),
            credential.created_at.into(),
            form.into(),
        ],
    )
}

/// Any password hash in an imported format, of any account; `None` if there is none.
pub async fn find_imported_password(store: &Store) -> Result<Option<Vec<u8>>, StoreFailure> {
    let row = store.read_first(&FIND_ANY_IMPORTED, &[]).await?;
    row.map(|row| row.blob("material").map(<[u8]>::to_vec)).transpose()
}

/// Lists the credentials of an account.
pub async fn list_account_credentials(
    store: &Store,
    account: AccountId,
) -> Result<Vec<CredentialRow>, StoreFailure> {
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(read).collect()
}

/// Finds the passkey with this credential id.
pub async fn find_passkey_by_handle(
    store: &Store,
    handle: &[u8],
) -> Result<Option<CredentialRow>, StoreFailure> {
    store.read_first(&FIND_BY_HANDLE, &[handle.into()]).await?.as_ref().map(read).transpose()
}

/// Accepts a TOTP code for a time step, if the seed is confirmed and was not used for that step or a later
/// one.
pub fn accept_totp_step(credential: CredentialId, step: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&ACCEPT_STEP, [credential.into(), step.into(), now.into()])
}

/// Confirms a TOTP seed with its first code, if it is unconfirmed.
pub fn confirm_totp_step(credential: CredentialId, step: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CONFIRM_STEP, [credential.into(), step.into(), now.into()])
}

/// Accepts a passkey signature, if the counter is still the one the signature was checked against.
pub fn accept_passkey_signature(
    credential: &CredentialRow,
    counter: i64,
    now: Timestamp,
) -> GuardedStatement {
    let CredentialRow { id, counter: before, .. } = credential;
    GuardedStatement::exactly_one(
        &ACCEPT_SIGNATURE,
        [id.into(), (*before).into(), counter.into(), now.into()],
    )
}

/// Replaces the stored material of a credential, if it has not changed since it was read.
pub fn replace_credential_material(credential: &CredentialRow, material: &[u8]) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &REPLACE_MATERIAL,
        [credential.id.into(), credential.version.into(), material.into()],
    )
}

/// Disables a credential, if it has not changed since it was read.
pub fn disable_credential(credential: &CredentialRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&DISABLE, [credential.id.into(), credential.version.into(), now.into()])
}

/// Removes a credential, if it has not changed since it was read.
pub fn remove_credential(credential: &CredentialRow, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [credential.id.into(), credential.version.into(), now.into()])
}

/// Renames a credential, if it has not changed since it was read.
pub fn rename_credential(credential: &CredentialRow, name: &str) -> GuardedStatement {
    GuardedStatement::exactly_one(&RENAME, [credential.id.into(), credential.version.into(), name.into()])
}

/// Removes every credential of the account and erases its material.
pub fn erase_account_credentials(account: AccountId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&ERASE_ALL, [account.into(), now.into(), [].as_slice().into()])
}

fn read(row: &SqlRow) -> Result<CredentialRow, StoreFailure> {
    let kind = row.text("kind")?;
    let kind = StoredCredentialKind::ALL.into_iter().find(|it| it.as_str() == kind);
    Ok(CredentialRow {
        id: row.id("id")?,
        account: row.id("account_id")?,
        kind: kind.ok_or_else(|| row.damaged_column("kind", "a kind of credential"))?,
        name: row.text("name")?.to_owned(),
        handle: row.optional_blob("handle")?.map(<[u8]>::to_vec),
        material: row.blob("material")?.to_vec(),
        counter: row.integer("counter")?,
        created_at: row.timestamp("created_at")?,
        used_at: row.optional_timestamp("used_at")?,
        confirmed_at: row.optional_timestamp("confirmed_at")?,
        disabled_at: row.optional_timestamp("disabled_at")?,
        version: row.integer("version")?,
    })
}

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "SELECT id, account_id, kind, name, handle, material, counter, created_at, used_at, confirmed_at, \
         disabled_at, version FROM credentials WHERE removed_at IS NULL AND "
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "credentials.add",
    "INSERT INTO credentials (id, account_id, kind, name, handle, material, counter, created_at, confirmed_at) \
     SELECT ?1, a.id, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM accounts a WHERE a.id = ?2 AND a.condition = 'enabled'",
);
static ADD_IMPORTED: SqlStatement = SqlStatement::new(
    "credentials.add_imported",
    "INSERT INTO credentials (id, account_id, kind, material, created_at, confirmed_at, imported_as) \
     SELECT ?1, a.id, 'password', ?3, ?4, ?4, ?5 FROM accounts a WHERE a.id = ?2 AND a.condition = 'enabled'",
);
static FIND_ANY_IMPORTED: SqlStatement = SqlStatement::new(
    "credentials.some_imported",
    "SELECT material FROM credentials WHERE imported_as IS NOT NULL AND removed_at IS NULL \
     ORDER BY imported_as LIMIT 1",
);
static LIST_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("credentials.of_account", concat!(columns!(), "account_id = ?1 ORDER BY id"));
static FIND_BY_HANDLE: SqlStatement =
    SqlStatement::new("credentials.find_by_handle", concat!(columns!(), "kind = 'passkey' AND handle = ?1"));
static ACCEPT_STEP: SqlStatement = SqlStatement::single_use(
    "credentials.accept_step",
    "UPDATE credentials SET counter = ?2, used_at = ?3 \
     WHERE id = ?1 AND kind = 'totp' AND counter < ?2 AND confirmed_at IS NOT NULL \
     AND disabled_at IS NULL AND removed_at IS NULL",
);
static CONFIRM_STEP: SqlStatement = SqlStatement::single_use(
    "credentials.confirm_step",
    "UPDATE credentials SET counter = ?2, used_at = ?3, confirmed_at = ?3, version = version + 1 \
     WHERE id = ?1 AND kind = 'totp' AND counter < ?2 AND confirmed_at IS NULL \
     AND disabled_at IS NULL AND removed_at IS NULL",
);
static ACCEPT_SIGNATURE: SqlStatement = SqlStatement::new(
    "credentials.accept_signature",
    "UPDATE credentials SET counter = ?3, used_at = ?4 \
     WHERE id = ?1 AND kind = 'passkey' AND counter = ?2 AND disabled_at IS NULL AND removed_at IS NULL",
);
static REPLACE_MATERIAL: SqlStatement = SqlStatement::new(
    "credentials.replace_material",
    "UPDATE credentials SET material = ?3, imported_as = NULL, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
static DISABLE: SqlStatement = SqlStatement::new(
    "credentials.disable",
    "UPDATE credentials SET disabled_at = ?3, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND disabled_at IS NULL AND removed_at IS NULL",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "credentials.remove",
    "UPDATE credentials SET removed_at = ?3, handle = NULL, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);

static RENAME: SqlStatement = SqlStatement::new(
    "credentials.rename",
    "UPDATE credentials SET name = ?3, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
static ERASE_ALL: SqlStatement = SqlStatement::new(
    "credentials.erase_all",
    "UPDATE credentials SET removed_at = COALESCE(removed_at, ?2), handle = NULL, name = '', \
     material = ?3, version = version + 1 WHERE account_id = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &ADD,
    &ADD_IMPORTED,
    &FIND_ANY_IMPORTED,
    &LIST_BY_ACCOUNT,
    &FIND_BY_HANDLE,
    &ACCEPT_STEP,
    &CONFIRM_STEP,
    &ACCEPT_SIGNATURE,
    &REPLACE_MATERIAL,
    &DISABLE,
    &REMOVE,
    &RENAME,
    &ERASE_ALL,
];
