//! E-mail addresses and telephone numbers. Adding one proves nothing and blocks no other account; a verified
//! one belongs to one account.

use crate::failure::StoreFailure;
use crate::id_batch::{any_in_batch, batch_parameters};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AccountId, ContactId, OrganizationId};
use sinete_core::time::Timestamp;

/// The kinds of contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
}

impl ContactKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Phone => "phone",
        }
    }
}

/// A contact to add.
#[derive(Debug)]
pub struct NewContact<'a> {
    /// Its id.
    pub id: ContactId,
    /// The account that claims it.
    pub account: AccountId,
    /// E-mail address or telephone number.
    pub kind: ContactKind,
    /// As the user entered it.
    pub address: &'a str,
    /// The normalized form for comparison.
    pub lookup: &'a str,
    /// Whether messages go to it.
    pub is_primary: bool,
    /// When it is added.
    pub created_at: Timestamp,
}

/// A contact as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactRow {
    /// Its id.
    pub id: ContactId,
    /// The account that claims it.
    pub account: AccountId,
    /// E-mail address or telephone number.
    pub kind: ContactKind,
    /// As the user entered it.
    pub address: String,
    /// The normalized form for comparison.
    pub lookup: String,
    /// Whether messages go to it.
    pub is_primary: bool,
    /// When the account verified it, if it did.
    pub verified_at: Option<Timestamp>,
}

/// Adds an unverified contact.
pub fn add_contact(contact: &NewContact<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ADD,
        [
            contact.id.into(),
            contact.account.into(),
            contact.kind.as_str().into(),
            contact.address.into(),
            contact.lookup.into(),
            contact.is_primary.into(),
            contact.created_at.into(),
        ],
    )
}

/// Marks the contact as verified by this account, if no other account has verified it.
pub fn verify_contact(account: AccountId, id: ContactId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&VERIFY, [id.into(), account.into(), now.into()])
}

/// Finds the verified contact in this form: there is at most one in the instance.
pub async fn find_verified_contact(
    store: &Store,
    kind: ContactKind,
    lookup: &str,
) -> Result<Option<ContactRow>, StoreFailure> {
    let row = store.read_first(&FIND_VERIFIED, &[kind.as_str().into(), lookup.into()]).await?;
    row.as_ref().map(read).transpose()
}

/// The account that signs in with this contact and a password: the one that verified it; otherwise the one
/// created with it; otherwise the first that added it. Later claims do not change that until an account
/// verifies the contact (docs/contribute/decisions/0222-email-addresses-sign-in-with-unverified-ones.md).
pub async fn find_contact_owner(
    store: &Store,
    kind: ContactKind,
    lookup: &str,
) -> Result<Option<ContactRow>, StoreFailure> {
    let row = store.read_first(&FIND_OWNER, &[kind.as_str().into(), lookup.into()]).await?;
    row.as_ref().map(read).transpose()
}

/// Whether any account has this contact, verified or not.
pub async fn is_contact_claimed(
    store: &Store,
    kind: ContactKind,
    lookup: &str,
) -> Result<bool, StoreFailure> {
    Ok(find_contact_owner(store, kind, lookup).await?.is_some())
}

/// Deletes the unverified claims of every other account to this contact.
pub fn delete_unverified_claims(account: AccountId, kind: ContactKind, lookup: &str) -> GuardedStatement {
    GuardedStatement::any_number(
        &DELETE_UNVERIFIED_CLAIMS,
        [account.into(), kind.as_str().into(), lookup.into()],
    )
}

/// Lists the contacts of an account, verified or not.
pub async fn list_account_contacts(
    store: &Store,
    account: AccountId,
) -> Result<Vec<ContactRow>, StoreFailure> {
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(read).collect()
}

/// The e-mail address of each of these accounts that has one: the primary one, or else the first.
pub async fn list_primary_emails(
    store: &Store,
    accounts: &[AccountId],
) -> Result<Vec<(AccountId, String)>, StoreFailure> {
    let mut emails: Vec<(AccountId, String)> = Vec::new();
    for parameters in batch_parameters(ContactKind::Email.as_str(), accounts) {
        for row in store.read_list(&LIST_PRIMARY_EMAILS, &parameters).await? {
            let account = row.id("account_id")?;
            // The rows of an account follow each other, the primary address first.
            if emails.last().is_none_or(|(last, _)| *last != account) {
                emails.push((account, row.text("address")?.to_owned()));
            }
        }
    }
    Ok(emails)
}

/// The verified primary e-mail addresses of the members with a built-in role in the organization.
pub async fn list_role_emails(
    store: &Store,
    organization: OrganizationId,
    role: &str,
    limit: u32,
) -> Result<Vec<String>, StoreFailure> {
    let rows =
        store.read_list(&LIST_EMAILS_BY_ROLE, &[organization.into(), role.into(), limit.into()]).await?;
    rows.iter().map(|row| row.text("k.address").map(str::to_owned)).collect()
}

/// Makes a verified contact the primary one of its kind.
pub fn make_contact_primary(contact: &ContactRow) -> [GuardedStatement; 2] {
    let ContactRow { id, account, kind, .. } = contact;
    [
        GuardedStatement::any_number(&CLEAR_PRIMARY, [account.into(), kind.as_str().into(), id.into()]),
        GuardedStatement::exactly_one(&MAKE_PRIMARY, [id.into(), account.into()]),
    ]
}

/// Removes a contact that is not primary. Another account may then verify it.
pub fn remove_contact(account: AccountId, id: ContactId) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [id.into(), account.into()])
}

/// Deletes every contact of the account.
pub fn delete_account_contacts(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_BY_ACCOUNT, [account.into()])
}

fn read(row: &SqlRow) -> Result<ContactRow, StoreFailure> {
    let kind = match row.text("kind")? {
        "email" => ContactKind::Email,
        "phone" => ContactKind::Phone,
        _ => return Err(row.damaged_column("kind", "a kind of contact")),
    };
    Ok(ContactRow {
        id: row.id("id")?,
        account: row.id("account_id")?,
        kind,
        address: row.text("address")?.to_owned(),
        lookup: row.text("lookup")?.to_owned(),
        is_primary: row.flag("is_primary")?,
        verified_at: row.optional_timestamp("verified_at")?,
    })
}

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "SELECT id, account_id, kind, address, lookup, is_primary, verified_at FROM contacts WHERE "
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "contacts.add",
    "INSERT INTO contacts (id, account_id, kind, address, lookup, is_primary, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
// Concurrent verifications of one address conflict at the unique index, which lets one through.
static VERIFY: SqlStatement = SqlStatement::new(
    "contacts.verify",
    "UPDATE contacts SET verified_at = ?3 WHERE id = ?1 AND account_id = ?2 AND verified_at IS NULL",
);
static FIND_VERIFIED: SqlStatement = SqlStatement::new(
    "contacts.find_verified",
    concat!(columns!(), "kind = ?1 AND lookup = ?2 AND verified_at IS NOT NULL"),
);
static LIST_PRIMARY_EMAILS: SqlStatement = SqlStatement::new(
    "contacts.emails_of",
    concat!(
        "SELECT account_id, address FROM contacts WHERE account_id IN ",
        any_in_batch!(),
        " AND kind = ?1 ORDER BY account_id, is_primary DESC, id"
    ),
);
static LIST_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("contacts.of_account", concat!(columns!(), "account_id = ?1 ORDER BY id"));

static FIND_OWNER: SqlStatement = SqlStatement::new(
    "contacts.find_owner",
    concat!(
        columns!(),
        "kind = ?1 AND lookup = ?2 \
         ORDER BY CASE WHEN verified_at IS NULL THEN 1 ELSE 0 END, is_primary DESC, created_at, id LIMIT 1"
    ),
);
static DELETE_UNVERIFIED_CLAIMS: SqlStatement = SqlStatement::new(
    "contacts.evict_claims",
    "DELETE FROM contacts WHERE account_id <> ?1 AND kind = ?2 AND lookup = ?3 AND verified_at IS NULL",
);
static CLEAR_PRIMARY: SqlStatement = SqlStatement::new(
    "contacts.clear_primary",
    "UPDATE contacts SET is_primary = 0 WHERE account_id = ?1 AND kind = ?2 AND id <> ?3 AND is_primary = 1",
);
static MAKE_PRIMARY: SqlStatement = SqlStatement::new(
    "contacts.make_primary",
    "UPDATE contacts SET is_primary = 1 WHERE id = ?1 AND account_id = ?2 AND verified_at IS NOT NULL",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "contacts.remove",
    "DELETE FROM contacts WHERE id = ?1 AND account_id = ?2 AND is_primary = 0",
);
static DELETE_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("contacts.forget_all", "DELETE FROM contacts WHERE account_id = ?1");

static LIST_EMAILS_BY_ROLE: SqlStatement = SqlStatement::new(
    "contacts.of_role",
    "SELECT k.address FROM memberships m JOIN accounts a ON a.id = m.account_id \
     JOIN contacts k ON k.account_id = a.id \
     WHERE m.organization_id = ?1 AND m.condition = 'enabled' AND a.condition = 'enabled' AND k.kind = 'email' \
     AND k.verified_at IS NOT NULL AND k.is_primary = 1 AND EXISTS (SELECT 1 FROM membership_roles x \
     JOIN roles r ON r.id = x.role_id WHERE x.membership_id = m.id AND r.name = ?2 AND r.is_built_in = 1 \
     AND r.removed_at IS NULL) ORDER BY m.id LIMIT ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &LIST_EMAILS_BY_ROLE,
    &ADD,
    &VERIFY,
    &FIND_VERIFIED,
    &FIND_OWNER,
    &DELETE_UNVERIFIED_CLAIMS,
    &LIST_PRIMARY_EMAILS,
    &LIST_BY_ACCOUNT,
    &CLEAR_PRIMARY,
    &MAKE_PRIMARY,
    &REMOVE,
    &DELETE_BY_ACCOUNT,
];
