//! Whether an access token counts right now: its holder, the client that has it, and everything it hangs on, in
//! one statement. The token itself is not stored anywhere.

use super::{Found, read};
use crate::alive::{api_key_counts, client_condition, delegation_counts, grant_counts, organization_counts};
use crate::failed::Failed;
use crate::statement::Statement;
use crate::store::Store;
use crate::value::Value;
use sinete_core::people::settings::OrganizationSettings;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::AccessClaims;
use sinete_core::token::jti::Root;

/// What was read about a token.
#[derive(Clone, Debug)]
pub struct OfToken {
    /// Everything its authority hangs on. The grant counts for whatever the token hangs on: a grant, a key or
    /// a machine's epoch, the exchanges it went through, and that it was not revoked itself.
    pub found: Found,
    settings: String,
}

impl OfToken {
    /// What the organization decided for itself.
    pub fn settings(&self) -> Result<OrganizationSettings, Failed> {
        let damaged = |_| Failed::Damaged("the settings of an organization cannot be read".to_owned());
        serde_json::from_str(&self.settings).map_err(damaged)
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
    let root = match jti.root {
        Root::Grant(id) => {
            let Ok(holder) = claims.subject().parse::<sinete_core::id::MembershipId>() else {
                return Ok(None);
            };
            (membership, grant) = (holder.into(), id.into());
            "grant"
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
    let parameters: [Value; 13] = [
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
    ];
    let rows = store.all(&OF_TOKEN, &parameters).await?;
    let Some(found) = read(store, &rows, true, true).await? else { return Ok(None) };
    let settings = rows.first().map_or(Ok(""), |row| row.text(16))?.to_owned();
    Ok(Some(OfToken { found, settings }))
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
        "SELECT m.account_id, m.client_id, m.organization_id, m.condition, o.kind, CASE WHEN ",
        organization_counts!("o", "?4"),
        " THEN 'enabled' WHEN o.condition = 'suspended' AND (o.ends_at IS NULL OR o.ends_at > ?4) \
         THEN 'suspended' ELSE 'ended' END, a.condition, ",
        client_condition!("own"),
        ", ",
        client_condition!("c"),
        ", c.version, CASE WHEN (CASE CAST(?5 AS TEXT) \
         WHEN 'grant' THEN CASE WHEN ",
        grant_counts!("g", "a", "c", "s", "?4"),
        " THEN 1 ELSE 0 END WHEN 'api_key' THEN CASE WHEN ",
        api_key_counts!("k", "?4"),
        " THEN 1 ELSE 0 END ELSE CASE WHEN own.epoch = ?7 THEN 1 ELSE 0 END END) = 1 \
         AND NOT EXISTS (SELECT 1 FROM revoked_jtis j WHERE j.jti = ?11) AND (CAST(?12 AS BIGINT) = 0 OR ",
        chain_counts!("?13", "?4"),
        ") THEN 1 ELSE 0 END, r.name, r.is_built_in, r.permissions, m.id, c.epoch, o.settings \
         FROM memberships m JOIN organizations o ON o.id = m.organization_id \
         LEFT JOIN accounts a ON a.id = m.account_id \
         LEFT JOIN clients own ON own.id = m.client_id \
         LEFT JOIN grants g ON g.id = ?3 AND g.membership_id = m.id \
         LEFT JOIN api_keys k ON k.id = ?6 AND k.membership_id = m.id \
         LEFT JOIN clients c ON c.id = COALESCE(g.client_id, ?2) \
         LEFT JOIN sessions s ON s.id = g.session_id \
         LEFT JOIN membership_roles x ON x.membership_id = m.id \
         LEFT JOIN roles r ON r.id = x.role_id AND r.organization_id = o.id AND r.removed_at IS NULL \
         WHERE m.organization_id = ?9 AND m.id = COALESCE(?1, \
         (SELECT key.membership_id FROM api_keys key WHERE key.id = ?6), \
         (SELECT machine.id FROM memberships machine WHERE machine.client_id = ?8 \
         AND machine.organization_id = ?9 AND machine.condition <> 'ended' AND machine.created_at < ?10))"
    ),
);

pub(crate) static STATEMENTS: &[&Statement] = &[&OF_TOKEN];
