//! Who comes to be asked for something and which client sends them, in one statement: whether the client counts, the
//! session with its account, and where that person may act. Each is read at every use.

use crate::alive::{client_condition, organization_counts, session_counts};
use crate::client_proofs::Standing;
use crate::condition;
use crate::failed::Failed;
use crate::memberships::Usable;
use crate::sessions::{self, Session, session_columns};
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::client::ClientId;
use sinete_core::secret::{Digest, SessionToken};
use sinete_core::time::Timestamp;

/// Somebody who comes with a session, and the client that sends them.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// How the client stands. It has shown no secret.
    pub client: Standing,
    /// The session, if it counts now and so does its account, and the memberships that can be used right now, oldest
    /// first.
    pub signed_in: Option<(Session, Vec<Usable>)>,
}

/// Who comes with this session from this client. There is nobody where nobody knows the client.
pub async fn find(
    store: &Store,
    session: &Digest<SessionToken>,
    client: &ClientId,
    now: Timestamp,
) -> Result<Option<Visitor>, Failed> {
    let rows = store.all(&FIND, &[client.into(), session.into(), now.into()]).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let client = Standing {
        version: first.integer(0)?,
        condition: condition::read(first, 1)?,
        has_secret: false,
        catalogue: first.integer(2)?,
    };
    if first.optional_blob(ACCOUNT)?.is_none() {
        return Ok(Some(Visitor { client, signed_in: None }));
    }
    let counts = |row: &&crate::row::Row| !matches!(row.optional_blob(ORGANIZATION), Ok(None));
    let usable = rows.iter().filter(counts).map(|row| Usable::read(row, MEMBERSHIP, client.catalogue));
    let signed_in = (sessions::read_at(first, SESSION)?, usable.collect::<Result<_, _>>()?);
    Ok(Some(Visitor { client, signed_in: Some(signed_in) }))
}

/// The column of the account, which is there if the session counts.
const ACCOUNT: usize = 3;
/// The first column of the session.
const SESSION: usize = 4;
/// The first column of a membership, behind which is its organization, which is there if both count.
const MEMBERSHIP: usize = SESSION + 13;
const ORGANIZATION: usize = MEMBERSHIP + 1;

// That a membership has not ended is said once more, because SQLite finds the index by it.
static FIND: Statement = Statement::question(
    "visitors.find",
    concat!(
        "SELECT c.version, ",
        client_condition!("c"),
        ", k.version, a.id, ",
        session_columns!(),
        ", m.id, o.id, o.slug, o.name, o.settings FROM clients c JOIN api_catalogue k ON k.id = 1 \
         LEFT JOIN sessions s ON s.digest = ?2 \
         LEFT JOIN accounts a ON a.id = s.account_id AND a.condition = 'enabled' AND ",
        session_counts!("s", "a", "?3"),
        " LEFT JOIN memberships m ON m.account_id = a.id AND m.condition = 'enabled' AND m.condition <> 'ended' \
         LEFT JOIN organizations o ON o.id = m.organization_id AND ",
        organization_counts!("o", "?3"),
        " WHERE c.id = ?1 ORDER BY m.id"
    ),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&FIND];
