//! How a member signs in and what acts for it, as far as it concerns the organization: roles with their source, active
//! grants, sessions that gave them, and kinds of credentials
//! (docs/contribute/decisions/0319-members-what-an-organization-sees-of-an-account.md).

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::MANAGE_MEMBERS;
use sinete_core::events::usage::period::UsagePeriod;
use sinete_core::id::{AccountId, MembershipId, RoleId};
use sinete_core::limits::MEMBER_GRANTS_READ_MAX;
use sinete_core::sign_in::sessions::device::DeviceDescription;
use sinete_core::time::Timestamp;
use sinete_store::oauth::grants;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::scim::groups;
use sinete_store::sign_in::{credentials, sessions};

pub use sinete_store::oauth::grants::GrantRow;
pub use sinete_store::sign_in::credentials::StoredCredentialKind;

/// What an organization sees of a member's access.
#[derive(Clone, Debug)]
pub struct MemberAccess {
    /// The roles of the organization that a directory created as groups.
    pub directory_roles: Vec<RoleId>,
    /// The latest active grants, the newest first.
    pub grants: Vec<GrantRow>,
    /// The sessions and the credentials; `None` unless a user holds the membership and the caller may manage
    /// members.
    pub sign_in: Option<MemberSignIn>,
}

/// How a member signs in.
#[derive(Clone, Debug)]
pub struct MemberSignIn {
    /// The active sessions in which an active grant was given, the latest first.
    pub sessions: Vec<MemberSession>,
    /// The credentials of the account by kind.
    pub factors: Vec<FactorSummary>,
}

/// A session of the account, as far as it concerns the organization. It has neither the address nor the use of the
/// session, which may be about other organizations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSession {
    /// Browser and operating system in English.
    pub device: String,
    /// When the first of the grants was given.
    pub first_at: Timestamp,
    /// When the last of the grants was given.
    pub last_at: Timestamp,
    /// The number of grants.
    pub grants: usize,
}

/// The credentials of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorSummary {
    /// The kind.
    pub kind: StoredCredentialKind,
    /// How many the account has.
    pub count: usize,
    /// When the last one was added.
    pub added_at: Timestamp,
    /// The day (UTC) on which one was last used. The time would tell when the user signs in elsewhere.
    pub used_on: Option<Timestamp>,
}

/// Shows the access of a member of the organization.
pub async fn load_member_access(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<MemberAccess, Error> {
    let member = members::show(engine, access, id).await?;
    let (store, organization, now) = (engine.store(), access.organization.id, access.now());
    let limit = MEMBER_GRANTS_READ_MAX;
    let grants = grants::list_active_member_grants(store, organization, id, now, limit).await?;
    let sign_in = match member.membership.holder {
        MembershipHolder::User(account) if access.require_read_permission(MANAGE_MEMBERS).is_ok() => {
            Some(MemberSignIn {
                sessions: list_sessions(engine, account, &grants, now).await?,
                factors: summarize_factors(&credentials::list_account_credentials(store, account).await?),
            })
        }
        MembershipHolder::User(_) | MembershipHolder::Machine(_) | MembershipHolder::Unclaimed => None,
    };
    let groups = groups::list_scim_groups(store, organization)
        .await?
        .into_iter()
        .filter(|group| group.is_created_by_scim);
    Ok(MemberAccess {
        directory_roles: groups.map(|group| group.role).collect(),
        grants: grants.into_iter().map(|(grant, _)| grant).collect(),
        sign_in,
    })
}

/// The active sessions in which these grants were given.
async fn list_sessions(
    engine: &Engine,
    account: AccountId,
    grants: &[(GrantRow, Option<sinete_core::id::SessionId>)],
    now: Timestamp,
) -> Result<Vec<MemberSession>, Failure> {
    let mut sessions = Vec::new();
    for session in sessions::list_account_sessions(engine.store(), account, now).await? {
        let of_session = grants.iter().filter(|(_, id)| *id == Some(session.id));
        let times: Vec<Timestamp> = of_session.map(|(grant, _)| grant.created_at).collect();
        let (Some(first_at), Some(last_at)) = (times.iter().min(), times.iter().max()) else { continue };
        let description: DeviceDescription = session.description.parse()?;
        sessions.push(MemberSession {
            device: description.device,
            first_at: *first_at,
            last_at: *last_at,
            grants: times.len(),
        });
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_at));
    Ok(sessions)
}

/// Counts credentials by kind. An authenticator app that was not confirmed is none.
fn summarize_factors(all: &[credentials::CredentialRow]) -> Vec<FactorSummary> {
    let summarize = |kind: StoredCredentialKind| {
        let is_usable = |it: &&credentials::CredentialRow| {
            it.kind == kind
                && it.disabled_at.is_none()
                && (kind != StoredCredentialKind::Totp || it.confirmed_at.is_some())
        };
        let of_kind: Vec<_> = all.iter().filter(is_usable).collect();
        let used_at = of_kind.iter().filter_map(|it| it.used_at).max();
        Some(FactorSummary {
            kind,
            count: of_kind.len(),
            added_at: of_kind.iter().map(|it| it.created_at).max()?,
            used_on: used_at.map(|at| UsagePeriod::Day.period_start(at)),
        })
    };
    [
        StoredCredentialKind::Passkey,
        StoredCredentialKind::Password,
        StoredCredentialKind::Totp,
        StoredCredentialKind::RecoveryCodes,
    ]
    .into_iter()
    .filter_map(summarize)
    .collect()
}
