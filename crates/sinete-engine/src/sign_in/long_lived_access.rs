//! Access that outlives sessions: applications with `offline_access`, their delegations, and API keys.
//! Account recovery revokes all of it except what the user keeps in the same step, because an attacker may
//! have created some (docs/contribute/decisions/0231-account-recovery-revokes-lasting-access.md).

use crate::access_control::organization_access::with_audit_log_event;
use crate::sign_in::backchannel_logout::EndedSessions;
use crate::sign_in::sessions;
use crate::{Engine, EventCause, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, ApiKeyId, MembershipId, OrganizationId, SessionId};
use sinete_core::limits::LONG_LIVED_ACCESS_EVENTS_MAX;
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::sign_in::long_lived_access as stored;

/// Access that does not depend on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongLivedAccess {
    /// The id, for keeping it.
    pub id: String,
    /// The kind.
    pub kind: LongLivedAccessKind,
    /// The name.
    pub name: String,
    /// The name of the organization it acts in.
    pub organization_name: String,
    /// When it was granted.
    pub granted_at: Timestamp,
    organization: OrganizationId,
    source: HeldAccess,
}

/// The kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongLivedAccessKind {
    /// An application with `offline_access`.
    Application,
    /// An API key.
    ApiKey,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HeldAccess {
    Grants { membership: MembershipId, client: ClientId, count: i64 },
    Key(ApiKeyId),
}

impl LongLivedAccessKind {
    /// The displayed name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::ApiKey => "api_key",
        }
    }
}

/// Lists all access of the account that outlives sessions: applications by organization, then API keys.
pub async fn list(engine: &Engine, account: AccountId) -> Result<Vec<LongLivedAccess>, Failure> {
    let (store, now) = (engine.store(), engine.now());
    let mut all: Vec<LongLivedAccess> = Vec::new();
    for application in stored::list_offline_applications(store, account, now).await? {
        let stored::OfflineAccessApplication { membership, client, grants: count, .. } = application;
        all.push(LongLivedAccess {
            id: format!("application:{membership}:{client}"),
            kind: LongLivedAccessKind::Application,
            name: application.name,
            organization_name: application.organization_name,
            granted_at: application.created_at,
            organization: application.organization,
            source: HeldAccess::Grants { membership, client, count },
        });
    }
    for key in stored::list_lasting_api_keys(store, account, now).await? {
        all.push(LongLivedAccess {
            id: format!("api_key:{}", key.id),
            kind: LongLivedAccessKind::ApiKey,
            name: key.name,
            organization_name: key.organization_name,
            granted_at: key.created_at,
            organization: key.organization,
            source: HeldAccess::Key(key.id),
        });
    }
    Ok(all)
}

/// A revocation of access, by account recovery or signing out everywhere.
#[derive(Clone, Copy, Debug)]
pub struct LongLivedAccessRevocation<'a> {
    /// The account.
    pub account: AccountId,
    /// The session that continues, if any.
    pub session: Option<SessionId>,
    /// The ids of access to keep. Only listed access can be kept.
    pub keep: &'a [String],
    /// The reason, for grants and events.
    pub reason: &'static str,
}

/// Adds the revocation to a batch: all sessions except the continuing one, and all lasting access except what
/// is kept. The caller notifies the clients of the ended sessions after the commit.
pub(crate) async fn revoke_long_lived_access(
    engine: &Engine,
    batch: WriteBatch,
    eviction: &LongLivedAccessRevocation<'_>,
    cause: &EventCause,
) -> Result<(WriteBatch, EndedSessions), Failure> {
    let LongLivedAccessRevocation { account, session, keep, reason: because } = *eviction;
    let now = engine.now();
    let (batch, ended) = sessions::end_other_sessions(engine, batch, account, session, cause).await?;
    let all = list(engine, account).await?;
    let (accesses, evicted): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| keep.contains(&it.id));
    let (mut applications, mut keys) = (Vec::new(), Vec::new());
    for access in accesses {
        match access.source {
            HeldAccess::Grants { membership, client, .. } => applications.push((membership, client)),
            HeldAccess::Key(id) => keys.push(id),
        }
    }
    let batch = batch
        .with_statement(stored::revoke_lasting_grants(account, &applications, because, now))
        .with_statement(stored::revoke_lasting_api_keys(account, &keys, now));
    Ok((with_eviction_events(engine, batch, &evicted, because, cause)?, ended))
}

/// Adds the events: of applications for the user, of API keys in the audit log of their organization. There
/// is one per application, regardless of its number of grants, and beyond [`LONG_LIVED_ACCESS_EVENTS_MAX`] one
/// for the rest, so that an attacker cannot make the transaction too large to succeed.
fn with_eviction_events(
    engine: &Engine,
    mut batch: WriteBatch,
    evicted: &[LongLivedAccess],
    because: &'static str,
    cause: &EventCause,
) -> Result<WriteBatch, Failure> {
    let event = |kind| engine.event(kind, cause, engine.now()).with_detail("because", because);
    let (mut applications, mut grants) = (0_usize, 0_i64);
    for access in evicted {
        match &access.source {
            HeldAccess::Grants { membership, client, count } => {
                applications += 1;
                if applications > LONG_LIVED_ACCESS_EVENTS_MAX {
                    grants = grants.saturating_add(*count);
                    continue;
                }
                let revoked = event(EventKind::GrantRevoked).with_organization(access.organization);
                let revoked = revoked.with_subject("membership", *membership).with_client(client.clone());
                batch = batch.with_event(&revoked.with_detail("grants", *count));
            }
            HeldAccess::Key(id) => {
                let revoked = event(EventKind::ApiKeyRevoked).with_organization(access.organization);
                batch = with_audit_log_event(
                    batch,
                    &revoked.with_subject("api_key", id),
                    access.organization,
                    "",
                )?;
            }
        }
    }
    let others = applications.saturating_sub(LONG_LIVED_ACCESS_EVENTS_MAX);
    if others > 0 {
        let others = i64::try_from(others).unwrap_or(i64::MAX);
        batch = batch.with_event(
            &event(EventKind::GrantRevoked).with_detail("applications", others).with_detail("grants", grants),
        );
    }
    Ok(batch)
}
