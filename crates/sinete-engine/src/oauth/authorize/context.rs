//! The signed-in user and the client of an authorization request, read together.

use super::requesting_client::ActiveClient;
use crate::sign_in::sessions;
use crate::sign_in::sessions::ActiveSession;
use crate::{ATTEMPTS_MAX, Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::client_id::ClientId;
use sinete_core::id::AccountId;
use sinete_core::secret::{Secret, SessionToken};
use sinete_store::oauth::authorize_context;
use sinete_store::oauth::authorize_context::{MembershipSnapshots, UsableMemberships};
use sinete_store::organizations::memberships::UsableMembership;

/// The user of a request.
#[derive(Debug, Default)]
pub struct AuthorizingUser {
    /// The session, if the user is signed in.
    pub signed_in: Option<ActiveSession>,
    /// The facts read together with it, so that the first step need not read them again.
    pub context: Option<AuthorizeContext>,
}

/// The client and the user's memberships, as of one time.
#[derive(Clone, Debug)]
pub struct AuthorizeContext {
    pub(super) client: ActiveClient,
    /// The memberships; `None` if not read.
    pub(super) memberships: Option<AuthorizingMemberships>,
}

/// The user's memberships with their permissions.
#[derive(Clone, Debug)]
pub(super) struct AuthorizingMemberships {
    pub(super) account: AccountId,
    /// The usable memberships.
    pub(super) usable: Vec<UsableMembership>,
    /// Their permissions and earlier consents for the client.
    pub(super) subjects: MembershipSnapshots,
    /// The dependency version of all of this.
    pub(super) dependency_version: i64,
}

impl AuthorizeContext {
    /// Creates it from a client alone.
    pub(super) const fn from_client(client: ActiveClient) -> Self {
        Self { client, memberships: None }
    }
}

/// Loads the user of this session and the client, if there is one of each.
pub async fn load_context(
    engine: &Engine,
    session: Option<&str>,
    client: Option<&str>,
) -> Result<AuthorizingUser, Failure> {
    let client = client.and_then(|client| client.parse::<ClientId>().ok());
    match (session, client) {
        (Some(session), Some(client)) => load_session_and_client(engine, session, &client).await,
        (Some(session), None) => load_session_only(engine, session).await,
        (None, Some(client)) => load_client_only(engine, &client).await,
        (None, None) => Ok(AuthorizingUser::default()),
    }
}

async fn load_client_only(engine: &Engine, client: &ClientId) -> Result<AuthorizingUser, Failure> {
    let context = ActiveClient::find(engine, client).await?.map(AuthorizeContext::from_client);
    Ok(AuthorizingUser { signed_in: None, context })
}

async fn load_session_only(engine: &Engine, session: &str) -> Result<AuthorizingUser, Failure> {
    Ok(AuthorizingUser { signed_in: sessions::find(engine, session).await?, context: None })
}

async fn load_session_and_client(
    engine: &Engine,
    session: &str,
    client: &ClientId,
) -> Result<AuthorizingUser, Failure> {
    let Ok(token) = Secret::<SessionToken>::parse(session) else {
        return load_client_only(engine, client).await;
    };
    for _ in 0..ATTEMPTS_MAX {
        let now = engine.now();
        let Some(context) =
            authorize_context::load_authorize_context(engine.store(), &token.digest(), client, now).await?
        else {
            return load_session_only(engine, session).await;
        };
        let requesting_client = match context.client.condition {
            LifecycleCondition::Enabled => {
                match ActiveClient::find_in_state(engine, client, context.client).await? {
                    Some(client) => Some(client),
                    None => continue,
                }
            }
            LifecycleCondition::Suspended | LifecycleCondition::Ended => None,
        };
        let Some(authorize_context::AuthorizeSession { session, memberships: places }) = context.signed_in
        else {
            return Ok(AuthorizingUser {
                signed_in: None,
                context: requesting_client.map(AuthorizeContext::from_client),
            });
        };
        let account = session.account;
        let facts = context.dependency_version;
        engine.shared.newest_dependency_version.record_version(facts);
        let authorizing_memberships =
            places.map(|UsableMemberships { usable, snapshots: membership_snapshots }| {
                AuthorizingMemberships {
                    account,
                    usable,
                    subjects: membership_snapshots,
                    dependency_version: facts,
                }
            });
        let signed_in = sessions::use_session(engine, session, now).await?;
        let authorize_context =
            requesting_client.map(|client| AuthorizeContext { client, memberships: authorizing_memberships });
        return Ok(AuthorizingUser { signed_in, context: authorize_context });
    }
    Err(Failure::Contended)
}
