//! Stored consents, so that a user is not asked twice for the same.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::oauth::claims::IndividualClaims;
use sinete_core::time::Timestamp;

/// The parties of a consent: user, client and API.
#[derive(Clone, Copy, Debug)]
pub struct ConsentParties<'a> {
    /// The membership of the consenting user.
    pub membership: MembershipId,
    /// The client.
    pub client: &'a ClientId,
    /// The API.
    pub audience: &'a str,
}

/// A stored consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentRow {
    /// The consented scopes.
    pub scope: ScopeSet,
    /// The claims that were consented to by name.
    pub claims: IndividualClaims,
    /// The session and redirect host it is limited to, if the client is not verified.
    pub binding: Option<StoredConsentBinding>,
    /// When consent was given.
    pub consented_at: Timestamp,
}

/// What a consent for an unverified client is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredConsentBinding {
    /// The session it was given in.
    pub session: SessionId,
    /// The host of the redirect URI.
    pub redirect_host: String,
}

/// Stores a consent, replacing an earlier one.
pub fn record_consent(parties: ConsentParties<'_>, consent: &ConsentRow) -> GuardedStatement {
    let within = consent.binding.as_ref();
    GuardedStatement::exactly_one(
        &RECORD,
        [
            parties.membership.into(),
            parties.client.into(),
            parties.audience.into(),
            consent.scope.to_string().into(),
            within.map(|within| within.session).into(),
            within.map(|within| within.redirect_host.as_str()).into(),
            consent.consented_at.into(),
            consent.claims.to_string().into(),
        ],
    )
}

impl ConsentRow {
    /// Reads the consent `q` of a row.
    pub(crate) fn read_columns(row: &SqlRow) -> Result<Self, StoreFailure> {
        let within = match (row.optional_id("q.session_id")?, row.optional_text("q.redirect_host")?) {
            (None, None) => None,
            (Some(session), Some(host)) => {
                Some(StoredConsentBinding { session, redirect_host: host.to_owned() })
            }
            (Some(_), None) | (None, Some(_)) => {
                return Err(row.damaged_column("q.session_id", "the binding of a consent"));
            }
        };
        let scope =
            row.text("q.scope")?.parse().map_err(|_| row.damaged_column("q.scope", "a set of scopes"))?;
        let claims = IndividualClaims::from_names(row.text("q.claims")?.split(' '));
        Ok(Self { scope, claims, binding: within, consented_at: row.timestamp("q.agreed_at")? })
    }
}

/// Withdraws every consent of the membership for the client.
pub fn revoke_client_consents(
    membership: MembershipId,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE_BY_MEMBERSHIP, [membership.into(), client.into(), now.into()])
}

/// Withdraws every consent for the client, of all users.
pub(crate) fn revoke_all_client_consents(client: &ClientId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE_BY_CLIENT, [client.into(), now.into()])
}

static RECORD: SqlStatement = SqlStatement::new(
    "consents.record",
    "INSERT INTO consents (membership_id, client_id, audience, scope, session_id, redirect_host, agreed_at, claims) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
     ON CONFLICT (membership_id, client_id, audience) DO UPDATE SET scope = excluded.scope, \
     session_id = excluded.session_id, redirect_host = excluded.redirect_host, agreed_at = excluded.agreed_at, \
     claims = excluded.claims,      revoked_at = NULL, version = consents.version + 1",
);
static REVOKE_BY_MEMBERSHIP: SqlStatement = SqlStatement::new(
    "consents.revoke_all_of",
    "UPDATE consents SET revoked_at = ?3, version = version + 1 \
     WHERE membership_id = ?1 AND client_id = ?2 AND revoked_at IS NULL",
);

static REVOKE_BY_CLIENT: SqlStatement = SqlStatement::new(
    "consents.revoke_all_with",
    "UPDATE consents SET revoked_at = ?2, version = version + 1 WHERE client_id = ?1 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&RECORD, &REVOKE_BY_MEMBERSHIP, &REVOKE_BY_CLIENT];
