//! External identities, identified only by provider and subject.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::AccountId;
use sinete_core::time::Timestamp;

/// An external identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalIdentityKey<'a> {
    /// The provider.
    pub provider: &'a str,
    /// The subject identifier at that provider.
    pub subject: &'a str,
}

/// Links the identity to an account, if it is linked to none.
pub fn link_identity(
    identity: ExternalIdentityKey<'_>,
    account: AccountId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &LINK,
        [identity.provider.into(), identity.subject.into(), account.into(), now.into()],
    )
}

/// The account that the identity is linked to.
pub async fn find_identity_account(
    store: &Store,
    identity: ExternalIdentityKey<'_>,
) -> Result<Option<AccountId>, StoreFailure> {
    let row = store.read_first(&FIND, &[identity.provider.into(), identity.subject.into()]).await?;
    row.map(|row| row.id("account_id")).transpose()
}

/// A linked external identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedIdentityRow {
    /// The provider.
    pub provider: String,
    /// The subject identifier at that provider.
    pub subject: String,
    /// When it was linked.
    pub created_at: Timestamp,
}

/// Lists the external identities of an account.
pub async fn list_account_identities(
    store: &Store,
    account: AccountId,
) -> Result<Vec<LinkedIdentityRow>, StoreFailure> {
    let linked = |row: &SqlRow| {
        Ok(LinkedIdentityRow {
            provider: row.text("provider")?.to_owned(),
            subject: row.text("subject")?.to_owned(),
            created_at: row.timestamp("created_at")?,
        })
    };
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(linked).collect()
}

/// Unlinks an identity from its account.
pub fn unlink_identity(identity: ExternalIdentityKey<'_>, account: AccountId) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &UNLINK,
        [identity.provider.into(), identity.subject.into(), account.into()],
    )
}

/// Unlinks every identity from the account. Each can then be linked to another.
pub fn unlink_account_identities(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&UNLINK_ALL, [account.into()])
}

static LINK: SqlStatement = SqlStatement::single_use(
    "identities.link",
    "INSERT INTO identities (provider, subject, account_id, created_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (provider, subject) DO NOTHING",
);
static FIND: SqlStatement = SqlStatement::new(
    "identities.find",
    "SELECT account_id FROM identities WHERE provider = ?1 AND subject = ?2",
);

static LIST_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "identities.of_account",
    "SELECT provider, subject, created_at FROM identities WHERE account_id = ?1 ORDER BY provider, subject",
);
static UNLINK: SqlStatement = SqlStatement::new(
    "identities.unlink",
    "DELETE FROM identities WHERE provider = ?1 AND subject = ?2 AND account_id = ?3",
);
static UNLINK_ALL: SqlStatement =
    SqlStatement::new("identities.unlink_all", "DELETE FROM identities WHERE account_id = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LINK, &FIND, &LIST_BY_ACCOUNT, &UNLINK, &UNLINK_ALL];
