//! Token exchanges (delegations). Revoking the exchanged token or key revokes every token derived from it.

use crate::active_conditions::{api_key_counts, client_counts, delegation_counts, grant_is_alive};
use crate::statement::SqlStatement;
use crate::write_batch::GuardedStatement;
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::client_id::ClientId;
use sinete_core::id::{DelegationId, MembershipId};
use sinete_core::oauth::jti::{Jti, TokenRevocationRoot};
use sinete_core::time::Timestamp;

/// A token exchange to record.
#[derive(Debug)]
pub struct NewDelegation<'a> {
    /// The id, which is part of the new token's `jti`.
    pub id: DelegationId,
    /// The exchanged token or key.
    pub subject_token: ExchangedSubjectToken<'a>,
    /// The client that acts with the new token.
    pub actor: &'a ClientId,
    /// The API the new token is for.
    pub audience: &'a str,
    /// The scopes of the new token.
    pub scope: &'a ScopeSet,
    /// When the exchange happens.
    pub created_at: Timestamp,
    /// When the new token expires.
    pub expires_at: Timestamp,
}

/// The subject token of an exchange.
#[derive(Clone, Copy, Debug)]
pub enum ExchangedSubjectToken<'a> {
    /// An access token issued by Sinete.
    Token(&'a Jti),
    /// An API key.
    ApiKey(sinete_core::id::ApiKeyId),
}

impl ExchangedSubjectToken<'_> {
    /// What the new token ultimately depends on.
    pub const fn root(&self) -> TokenRevocationRoot {
        match self {
            Self::Token(jti) => jti.root,
            Self::ApiKey(key) => TokenRevocationRoot::ApiKey(*key),
        }
    }
}

/// Records an exchange, if the subject token and the acting client are still active: neither the token itself
/// nor anything it derives from was revoked meanwhile.
pub fn create_delegation(delegation: &NewDelegation<'_>) -> GuardedStatement {
    let (grant, key, root) = match delegation.subject_token.root() {
        TokenRevocationRoot::Grant(grant) => (Some(grant), None, &CREATE_OF_GRANT),
        TokenRevocationRoot::ApiKey(key) => (None, Some(key), &CREATE_OF_API_KEY),
        // An impersonation cannot be exchanged, so nothing here depends on one.
        TokenRevocationRoot::Machine { .. } | TokenRevocationRoot::Assignment(_) => {
            (None, None, &CREATE_OF_MACHINE)
        }
    };
    let (parent, jti) = match delegation.subject_token {
        ExchangedSubjectToken::Token(jti) => (jti.delegation, Some(jti.to_string())),
        ExchangedSubjectToken::ApiKey(_) => (None, None),
    };
    let statement = if parent.is_some() { &root.exchanged } else { &root.as_issued };
    GuardedStatement::exactly_one(
        statement,
        [
            delegation.id.into(),
            grant.into(),
            key.into(),
            parent.into(),
            jti.as_deref().into(),
            delegation.actor.into(),
            delegation.audience.into(),
            delegation.scope.to_string().into(),
            delegation.created_at.into(),
            delegation.expires_at.into(),
        ],
    )
}

/// Revokes an exchange and every token derived from it. Idempotent.
pub fn revoke_delegation(id: DelegationId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE, [id.into(), now.into()])
}

/// Revokes every exchange with which a client acts for a membership, with every token derived from them.
/// Exchanges of tokens and of API keys are two statements, so that each finds its rows by an index. Idempotent.
pub fn revoke_client_delegations(
    membership: MembershipId,
    client: &ClientId,
    now: Timestamp,
) -> [GuardedStatement; 2] {
    [&REVOKE_ALL_OF_GRANTS, &REVOKE_ALL_OF_API_KEYS].map(|statement| {
        GuardedStatement::any_number(statement, [membership.into(), client.into(), now.into()])
    })
}

/// Inserts an exchange, if its actor and the token are active, and what the token depends on. Each kind of token
/// has its own statement, which reads nothing that tokens of this kind do not depend on: PostgreSQL prepares
/// every table of a statement each time it runs, whether it reads it or not.
macro_rules! create {
    ($name:literal, $root:expr, $parent:expr) => {
        SqlStatement::one_row(
            $name,
            concat!(
                "INSERT INTO delegations (id, grant_id, api_key_id, parent_id, parent_jti, actor_client_id, \
                 actor_epoch, audience, scope, created_at, expires_at) \
                 SELECT ?1, ?2, ?3, ?4, ?5, actor.id, actor.epoch, ?7, ?8, ?9, ?10 FROM clients actor \
                 WHERE actor.id = ?6 AND ",
                client_counts!("actor"),
                " AND NOT EXISTS (SELECT 1 FROM revoked_jtis j WHERE j.jti = ?5)",
                $root,
                $parent
            ),
        )
    };
}

/// The statements for tokens with one kind of root.
struct CreateDelegationStatements {
    /// For a token or key that was not exchanged before.
    as_issued: SqlStatement,
    /// For a token that is itself the result of an exchange.
    exchanged: SqlStatement,
}

macro_rules! create_of {
    ($as_issued:literal, $exchanged:literal, $root:expr) => {
        CreateDelegationStatements {
            as_issued: create!($as_issued, $root, ""),
            exchanged: create!(
                $exchanged,
                $root,
                concat!(
                    " AND EXISTS (SELECT 1 FROM delegations d WHERE d.id = ?4 AND ",
                    delegation_counts!("d", "?9"),
                    " LIMIT 1 OFFSET 0)"
                )
            ),
        }
    };
}

static CREATE_OF_GRANT: CreateDelegationStatements = create_of!(
    "delegations.begin_of_grant",
    "delegations.begin_of_exchanged_grant",
    concat!(" AND ", grant_is_alive!("?2", "?9"))
);
static CREATE_OF_API_KEY: CreateDelegationStatements = create_of!(
    "delegations.begin_of_api_key",
    "delegations.begin_of_exchanged_api_key",
    concat!(
        " AND EXISTS (SELECT 1 FROM api_keys k WHERE k.id = ?3 AND ",
        api_key_counts!("k", "?9"),
        " LIMIT 1 OFFSET 0)"
    )
);
static CREATE_OF_MACHINE: CreateDelegationStatements =
    create_of!("delegations.begin_of_own", "delegations.begin_of_exchanged_own", "");
static REVOKE: SqlStatement = SqlStatement::new(
    "delegations.revoke",
    "UPDATE delegations SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL",
);
static REVOKE_ALL_OF_GRANTS: SqlStatement = SqlStatement::new(
    "delegations.revoke_all_of_grants",
    "UPDATE delegations SET revoked_at = ?3 \
     WHERE grant_id IN (SELECT g.id FROM grants g WHERE g.membership_id = ?1) AND actor_client_id = ?2 \
     AND revoked_at IS NULL",
);
static REVOKE_ALL_OF_API_KEYS: SqlStatement = SqlStatement::new(
    "delegations.revoke_all_of_api_keys",
    "UPDATE delegations SET revoked_at = ?3 \
     WHERE api_key_id IN (SELECT k.id FROM api_keys k WHERE k.membership_id = ?1) AND actor_client_id = ?2 \
     AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &CREATE_OF_GRANT.as_issued,
    &CREATE_OF_GRANT.exchanged,
    &CREATE_OF_API_KEY.as_issued,
    &CREATE_OF_API_KEY.exchanged,
    &CREATE_OF_MACHINE.as_issued,
    &CREATE_OF_MACHINE.exchanged,
    &REVOKE,
    &REVOKE_ALL_OF_GRANTS,
    &REVOKE_ALL_OF_API_KEYS,
];
