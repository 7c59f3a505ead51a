//! Whether an access token counts right now: its holder, the client that has it, and everything it hangs on, in
//! one statement. The token itself is not stored anywhere.

use super::{Found, read, standing_columns, standing_tables};
use crate::alive::{api_key_counts, delegation_counts, grant_counts, impersonation_counts};
use crate::failed::Failed;
use crate::statement::Statement;
use crate::store::Store;
use crate::value::Value;
use sinete_core::id::MembershipId;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::AccessClaims;
use sinete_core::token::jti::Root;

/// What was read about a token.
#[derive(Clone, Debug)]
pub struct OfToken {
    /// Everything its authority hangs on. The grant counts for whatever the token hangs on: a grant, a key, an
    /// assignment or a machine's epoch, the exchanges it went through, and that it was not revoked itself.
    pub found: Found,
}

impl OfToken {
    /// What the organization decided for itself.
    pub fn settings(&self) -> Result<OrganizationSettings, Failed> {
        self.found.settings.read()
    }
}

/// The standing of whoever holds a token with these claims, as of now. There is none where the membership it
/// speaks for is gone.
///
/// The claims must come from a token of ours: that they name the right holder is not asked again.
pub async fn of_token(
    store: &Store,
    claims: &AccessClaims,
    now: Timestamp,
) -> Result<Option<OfToken>, Failed> {
    let jti = claims.jti();
    let (mut membership, mut grant, mut key, mut epoch, mut machine) =
        (Value::Null, Value::Null, Value::Null, Value::Null, Value::Null);
    let (holder, mut assignment) = (claims.subject().parse::<MembershipId>(), Value::Null);
    let root = match jti.root {
        Root::Grant(id) => {
            let Ok(holder) = holder else { return Ok(None) };
            (membership, grant) = (holder.into(), id.into());
            "grant"
        }
        Root::Assignment(id) => {
            let Ok(holder) = holder else { return Ok(None) };
            (membership, assignment) = (holder.into(), id.into());
            "assignment"
        }
        Root::ApiKey(id) => {
            key = id.into();
            "api_key"
        }
        Root::Own { epoch: own } => {
            (epoch, machine) = (own.into(), claims.subject().into());
            "own"
        }
    };
    // A token names the second it was issued in: a membership made within that second may be meant.
    let issued_before = claims.issued_at().plus(Lifetime::from_seconds(1));
    let parameters: [Value; 14] = [
        membership,
        claims.client().into(),
        grant,
        now.into(),
        root.into(),
        key,
        epoch,
        machine,
        claims.organization().into(),
        issued_before.into(),
        jti.to_string().into(),
        jti.delegation.is_some().into(),
        jti.delegation.into(),
        assignment,
    ];
    let rows = store.all(&OF_TOKEN, &parameters).await?;
    Ok(read(store, &rows, true, true).await?.map(|found| OfToken { found }))
}

/// Holds while every exchange counts that led to the one given.
macro_rules! chain_counts {
    ($delegation:literal, $now:literal) => {
        concat!(
            "1 = (WITH RECURSIVE chain (parent_id, counts) AS (SELECT d.parent_id, CASE WHEN ",
            delegation_counts!("d", $now),
            " THEN 1 ELSE 0 END FROM delegations d WHERE d.id = ",
            $delegation,
            " UNION ALL SELECT p.parent_id, CASE WHEN ",
            delegation_counts!("p", $now),
            " THEN 1 ELSE 0 END FROM chain JOIN delegations p ON p.id = chain.parent_id) \
             SELECT MIN(chain.counts) FROM chain)"
        )
    };
}

static OF_TOKEN: Statement = Statement::new(
    "standing.of_token",
    concat!(
        standing_columns!("?4"),
        "CASE WHEN (CASE CAST(?5 AS TEXT) WHEN 'grant' THEN CASE WHEN ",
        grant_counts!("g", "a", "c", "s", "?4"),
        " THEN 1 ELSE 0 END WHEN 'api_key' THEN CASE WHEN ",
        api_key_counts!("key_used", "?4"),
        " THEN 1 ELSE 0 END WHEN 'assignment' THEN CASE WHEN ",
        impersonation_counts!("?14", "m", "?4"),
        " THEN 1 ELSE 0 END ELSE CASE WHEN own.epoch = ?7 THEN 1 ELSE 0 END END) = 1 \
         AND NOT EXISTS (SELECT 1 FROM revoked_jtis j WHERE j.jti = ?11) AND (CAST(?12 AS BIGINT) = 0 OR ",
        chain_counts!("?13", "?4"),
        ") THEN 1 ELSE 0 END",
        standing_tables!(
            "LEFT JOIN grants g ON g.id = ?3 AND g.membership_id = m.id \
             LEFT JOIN api_keys key_used ON key_used.id = ?6 AND key_used.membership_id = m.id \
             LEFT JOIN clients c ON c.id = COALESCE(g.client_id, ?2) \
             LEFT JOIN sessions s ON s.id = g.session_id"
        ),
        "m.organization_id = ?9 AND m.id = COALESCE(?1, \
         (SELECT key.membership_id FROM api_keys key WHERE key.id = ?6), \
         (SELECT machine.id FROM memberships machine WHERE machine.client_id = ?8 \
         AND machine.organization_id = ?9 AND machine.condition <> 'ended' AND machine.created_at < ?10))"
    ),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&OF_TOKEN];
