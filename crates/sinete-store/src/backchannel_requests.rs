//! Requests that a person answers on another device than the one that asked: answered once, handed over once.

use crate::act::Step;
use crate::alive::grant_is_alive;
use crate::document::Document;
use crate::failed::Failed;
use crate::pending::{self, State};
use crate::row::Row;
use crate::statement::Statement;
use crate::store::Store;
use sinete_core::client::ClientId;
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::secret::{self, Digest};
use sinete_core::time::{Lifetime, Timestamp};

/// A request to keep.
#[derive(Debug)]
pub struct NewBackchannelRequest<'a> {
    /// Of what the client polls with.
    pub digest: &'a Digest<secret::BackchannelRequest>,
    /// The client that asks.
    pub client: &'a ClientId,
    /// Who is asked.
    pub membership: MembershipId,
    /// What is asked.
    pub request: &'a Document,
    /// How long the client waits between polls.
    pub poll_interval: Lifetime,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it can no longer be answered or handed over.
    pub expires_at: Timestamp,
}

/// A request as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackchannelRequest {
    /// Of what the client polls with.
    pub digest: Digest<secret::BackchannelRequest>,
    /// The client that asks.
    pub client: ClientId,
    /// Who is asked.
    pub membership: MembershipId,
    /// What is asked.
    pub request: Document,
    /// Microseconds the client waits between polls.
    pub poll_interval: i64,
    /// When it last polled.
    pub polled_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it can no longer be answered or handed over.
    pub expires_at: Timestamp,
    /// What has become of it.
    pub state: State,
}

/// Keeps a request.
pub fn start(request: &NewBackchannelRequest<'_>) -> Step {
    Step::one(
        &START,
        [
            request.digest.into(),
            request.client.into(),
            request.membership.into(),
            request.request.into(),
            request.poll_interval.micros().into(),
            request.created_at.into(),
            request.expires_at.into(),
        ],
    )
}

/// The request a client polls for, whatever became of it.
pub async fn find(
    store: &Store,
    digest: &Digest<secret::BackchannelRequest>,
) -> Result<Option<BackchannelRequest>, Failed> {
    store.first(&FIND, &[digest.into()]).await?.as_ref().map(read).transpose()
}

/// The requests that wait for this person's answer and are in time, oldest first.
pub async fn waiting_for(
    store: &Store,
    membership: MembershipId,
    now: Timestamp,
) -> Result<Vec<BackchannelRequest>, Failed> {
    store.all(&WAITING_FOR, &[membership.into(), now.into()]).await?.iter().map(read).collect()
}

/// The client polled and has to wait this long for the next time, if it has not polled since it was read.
pub fn polled(request: &BackchannelRequest, interval: Lifetime, now: Timestamp) -> Step {
    Step::one(
        &POLLED,
        [request.digest.into(), request.polled_at.into(), now.into(), interval.micros().into()],
    )
}

/// The person who was asked agrees: this grant of theirs comes of it, if nobody has answered and it is in time.
pub fn approve(digest: &Digest<secret::BackchannelRequest>, grant: GrantId, now: Timestamp) -> Step {
    Step::one(&APPROVE, [digest.into(), grant.into(), now.into()])
}

/// The person who was asked refuses, if nobody has answered and it is in time.
pub fn deny(digest: &Digest<secret::BackchannelRequest>, membership: MembershipId, now: Timestamp) -> Step {
    Step::one(&DENY, [digest.into(), membership.into(), now.into()])
}

/// Hands the grant over to the client that asked, if it was approved, is in time, was not handed over, and the
/// grant and all it hangs on are alive.
pub fn spend(digest: &Digest<secret::BackchannelRequest>, client: &ClientId, now: Timestamp) -> Step {
    Step::one(&SPEND, [digest.into(), client.into(), now.into()])
}

fn read(row: &Row) -> Result<BackchannelRequest, Failed> {
    Ok(BackchannelRequest {
        digest: row.digest(0)?,
        client: row.client_id(1)?,
        membership: row.id(2)?,
        request: Document::from_row(row, 3)?,
        poll_interval: row.integer(4)?,
        polled_at: row.optional_timestamp(5)?,
        created_at: row.timestamp(6)?,
        expires_at: row.timestamp(7)?,
        state: pending::read(row, 8)?,
    })
}

/// The columns [`read`] takes a request from.
macro_rules! columns {
    () => {
        "SELECT digest, client_id, membership_id, request, poll_interval, polled_at, created_at, expires_at, \
         grant_id, approved_at, denied_at, spent_at FROM backchannel_requests WHERE "
    };
}

static START: Statement = Statement::new(
    "backchannel_requests.start",
    "INSERT INTO backchannel_requests (digest, client_id, membership_id, request, poll_interval, created_at, \
     expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
static FIND: Statement = Statement::new("backchannel_requests.find", concat!(columns!(), "digest = ?1"));
static WAITING_FOR: Statement = Statement::new(
    "backchannel_requests.waiting_for",
    concat!(
        columns!(),
        "membership_id = ?1 AND expires_at > ?2 AND approved_at IS NULL AND denied_at IS NULL \
         ORDER BY created_at, digest"
    ),
);
static POLLED: Statement = Statement::new(
    "backchannel_requests.polled",
    "UPDATE backchannel_requests SET polled_at = ?3, poll_interval = ?4 \
     WHERE digest = ?1 AND polled_at IS NOT DISTINCT FROM ?2",
);
static APPROVE: Statement = Statement::single_use(
    "backchannel_requests.approve",
    "UPDATE backchannel_requests SET approved_at = ?3, grant_id = ?2 \
     WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?3 \
     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = ?2 \
     AND g.membership_id = backchannel_requests.membership_id AND g.client_id = backchannel_requests.client_id)",
);
static DENY: Statement = Statement::single_use(
    "backchannel_requests.deny",
    "UPDATE backchannel_requests SET denied_at = ?3 \
     WHERE digest = ?1 AND membership_id = ?2 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?3",
);
static SPEND: Statement = Statement::single_use(
    "backchannel_requests.spend",
    concat!(
        "UPDATE backchannel_requests SET spent_at = ?3 \
         WHERE digest = ?1 AND client_id = ?2 AND approved_at IS NOT NULL AND spent_at IS NULL \
         AND expires_at > ?3 AND ",
        grant_is_alive!("backchannel_requests.grant_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&Statement] =
    &[&START, &FIND, &WAITING_FOR, &POLLED, &APPROVE, &DENY, &SPEND];
