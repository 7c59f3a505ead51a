//! People as other providers know them: by provider and subject, and by nothing else.

use crate::act::Step;
use crate::failed::Failed;
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::id::AccountId;
use sinete_core::time::Timestamp;

/// Somebody as another provider names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The provider.
    pub provider: &'a str,
    /// Who it says they are.
    pub subject: &'a str,
}

/// Attaches the identity to an account, if it belongs to none.
pub fn link(identity: Identity<'_>, account: AccountId, now: Timestamp) -> Step {
    Step::one(&LINK, [identity.provider.into(), identity.subject.into(), account.into(), now.into()])
}

/// The account the identity belongs to.
pub async fn find(store: &Store, identity: Identity<'_>) -> Result<Option<AccountId>, Failed> {
    let row = store.first(&FIND, &[identity.provider.into(), identity.subject.into()]).await?;
    row.map(|row| row.id(0)).transpose()
}

/// An identity somewhere else, with when it was linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linked {
    /// Who vouches for it.
    pub provider: String,
    /// Its name there.
    pub subject: String,
    /// When it was linked.
    pub created_at: Timestamp,
}

/// The identities an account has elsewhere.
pub async fn of_account(store: &Store, account: AccountId) -> Result<Vec<Linked>, Failed> {
    let linked = |row: &Row| {
        Ok(Linked {
            provider: row.text(0)?.to_owned(),
            subject: row.text(1)?.to_owned(),
            created_at: row.timestamp(2)?,
        })
    };
    store.all(&OF_ACCOUNT, &[account.into()]).await?.iter().map(linked).collect()
}

/// Detaches an identity from the account it belongs to.
pub fn unlink(identity: Identity<'_>, account: AccountId) -> Step {
    Step::one(&UNLINK, [identity.provider.into(), identity.subject.into(), account.into()])
}

/// Detaches every identity from the account. Each may be attached to another from then on.
pub fn unlink_all(account: AccountId) -> Step {
    Step::any(&UNLINK_ALL, [account.into()])
}

static LINK: Statement = Statement::single_use(
    "identities.link",
    "INSERT INTO identities (provider, subject, account_id, created_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (provider, subject) DO NOTHING",
);
static FIND: Statement = Statement::new(
    "identities.find",
    "SELECT account_id FROM identities WHERE provider = ?1 AND subject = ?2",
);

static OF_ACCOUNT: Statement = Statement::new(
    "identities.of_account",
    "SELECT provider, subject, created_at FROM identities WHERE account_id = ?1 ORDER BY provider, subject",
);
static UNLINK: Statement = Statement::new(
    "identities.unlink",
    "DELETE FROM identities WHERE provider = ?1 AND subject = ?2 AND account_id = ?3",
);
static UNLINK_ALL: Statement =
    Statement::new("identities.unlink_all", "DELETE FROM identities WHERE account_id = ?1");

pub(crate) static STATEMENTS: &[&Statement] = &[&LINK, &FIND, &OF_ACCOUNT, &UNLINK, &UNLINK_ALL];
