//! The state of a user at the consent page, with earlier consent, in one statement.

use super::{SubjectSnapshot, read_subject, standing_columns, standing_tables};
use crate::failure::StoreFailure;
use crate::oauth::consents::{ConsentParties, ConsentRow};
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::time::Timestamp;

/// Loads the current state of a membership through a client, with the consent given for this API; `None` for
/// a membership that is not claimed.
pub async fn load_subject_with_consent(
    store: &Store,
    parties: ConsentParties<'_>,
    now: Timestamp,
) -> Result<Option<(SubjectSnapshot, Option<ConsentRow>)>, StoreFailure> {
    let ConsentParties { membership, client, audience } = parties;
    let parameters = [membership.into(), client.into(), audience.into(), now.into()];
    let rows = store.read_all(&FIND, &parameters).await?;
    let (Some(snapshot), Some(first)) = (read_subject(store, &rows, true, false).await?, rows.first()) else {
        return Ok(None);
    };
    let result = first.optional_text("q.scope")?.map(|_| ConsentRow::read_columns(first));
    Ok(Some((snapshot, result.transpose()?)))
}

static FIND: SqlStatement = SqlStatement::batched_read(
    "standing.agreed",
    concat!(
        standing_columns!("?4"),
        "1",
        standing_tables!(
            ", q.scope, q.session_id, q.redirect_host, q.agreed_at, q.claims",
            "LEFT JOIN clients c ON c.id = ?2 \
             LEFT JOIN consents q ON q.membership_id = m.id AND q.client_id = c.id AND q.audience = ?3 \
             AND q.revoked_at IS NULL"
        ),
        "m.id = ?1"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIND];
