//! Sessions, lasting access and known devices of an account, for operators.

use super::{account_event, find_manageable, record_for_organizations};
use crate::access_control::instance_admin::InstanceAdmin;
use crate::sign_in::backchannel_logout;
use crate::sign_in::long_lived_access;
use crate::sign_in::long_lived_access::LongLivedAccess;
use crate::sign_in::sessions;
use crate::sign_in::sessions::SessionOverview;
use crate::{Engine, Error, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::id::{AccountId, SessionId};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::sign_in::{known_devices, sessions as stored_sessions};
use sinete_store::{BatchOutcome, WriteBatch};

/// A browser or device that the account has signed in on.
#[derive(Clone, Debug)]
pub struct KnownDevice {
    /// The device and location.
    pub description: DeviceDescription,
    /// When the account first signed in on it.
    pub first_seen_at: Timestamp,
    /// When the account last signed in on it.
    pub last_seen_at: Timestamp,
}

/// Lists the sessions of an account, oldest first.
pub async fn list_sessions(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<Vec<SessionOverview>, Error> {
    find_manageable(engine, instance_admin, id).await?;
    Ok(sessions::list(engine, id).await?)
}

/// Lists the applications and API keys that act for an account without a session.
pub async fn list_access(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<Vec<LongLivedAccess>, Error> {
    find_manageable(engine, instance_admin, id).await?;
    Ok(long_lived_access::list(engine, id).await?)
}

/// Lists the known devices of an account, oldest first.
pub async fn list_devices(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
) -> Result<Vec<KnownDevice>, Error> {
    find_manageable(engine, instance_admin, id).await?;
    let mut devices = Vec::new();
    for row in known_devices::list_account_devices(engine.store(), id).await? {
        devices.push(KnownDevice {
            description: row.description.parse().map_err(Failure::from)?,
            first_seen_at: row.first_seen_at,
            last_seen_at: row.last_seen_at,
        });
    }
    Ok(devices)
}

/// Ends one session of an account and notifies its clients.
pub async fn end_session(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    id: AccountId,
    session: SessionId,
) -> Result<(), Error> {
    find_manageable(engine, instance_admin, id).await?;
    let sessions = stored_sessions::list_account_sessions(engine.store(), id, instance_admin.now()).await?;
    if !sessions.iter().any(|session_row| session_row.id == session) {
        return Err(Refusal::because(RequestRefusal::NotFound, "no such session of this account").into());
    }
    let event = account_event(engine, instance_admin, EventKind::AccountSessionsEnded, id)
        .with_detail("sessions", 1)
        .with_detail("session", session.to_string());
    let batch =
        WriteBatch::new().with_statement(stored_sessions::end_session(id, session, instance_admin.now()));
    let (batch, ended) = backchannel_logout::enqueue_backchannel_logout(engine, batch, vec![session]);
    let batch = record_for_organizations(engine, instance_admin, batch, &event, id).await?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            drop(backchannel_logout::spawn_notifications(engine, ended, instance_admin.cause()));
            Ok(())
        }
        BatchOutcome::Conflict(_) => Err(Failure::Contended.into()),
    }
}
