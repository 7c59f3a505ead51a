//! Pictures of users. The account's profile contains the URL, which the id of the picture is a part of.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::accounts::picture::{PictureFormat, ProfilePicture};
use sinete_core::id::{AccountId, PictureId};
use sinete_core::time::Timestamp;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRow {
    /// The image format.
    pub format: PictureFormat,
    /// The image data.
    pub bytes: Vec<u8>,
    /// When it was set.
    pub changed_at: Timestamp,
}

/// Sets the account's picture, replacing the current one.
pub fn set_account_picture(
    account: AccountId,
    id: PictureId,
    picture: &ProfilePicture,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &SET,
        [account.into(), id.into(), picture.format().media_type().into(), picture.bytes().into(), now.into()],
    )
}

/// Deletes the account's picture, if there is one.
pub fn delete_account_picture(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE, [account.into()])
}

/// The picture with this id, if its account is enabled.
pub async fn find_picture(store: &Store, id: PictureId) -> Result<Option<PictureRow>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// The picture of the account.
pub async fn find_account_picture(
    store: &Store,
    account: AccountId,
) -> Result<Option<PictureRow>, StoreFailure> {
    store.read_first(&FIND_BY_ACCOUNT, &[account.into()]).await?.as_ref().map(read).transpose()
}

fn read(row: &SqlRow) -> Result<PictureRow, StoreFailure> {
    let media_type = row.text("media_type")?;
    Ok(PictureRow {
        format: PictureFormat::from_media_type(media_type)
            .ok_or_else(|| row.damaged_column("media_type", "an image format"))?,
        bytes: row.blob("bytes")?.to_vec(),
        changed_at: row.timestamp("changed_at")?,
    })
}

static SET: SqlStatement = SqlStatement::new(
    "account_pictures.set",
    "INSERT INTO account_pictures (account_id, id, media_type, bytes, changed_at) VALUES (?1, ?2, ?3, ?4, ?5) \
     ON CONFLICT (account_id) DO UPDATE SET id = excluded.id, media_type = excluded.media_type, \
     bytes = excluded.bytes, changed_at = excluded.changed_at",
);
static DELETE: SqlStatement =
    SqlStatement::new("account_pictures.delete", "DELETE FROM account_pictures WHERE account_id = ?1");
static FIND: SqlStatement = SqlStatement::new(
    "account_pictures.show",
    "SELECT p.media_type AS media_type, p.bytes AS bytes, p.changed_at AS changed_at FROM account_pictures p \
     JOIN accounts a ON a.id = p.account_id WHERE p.id = ?1 AND a.condition = 'enabled'",
);
static FIND_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "account_pictures.of_account",
    "SELECT media_type, bytes, changed_at FROM account_pictures WHERE account_id = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&SET, &DELETE, &FIND, &FIND_BY_ACCOUNT];
