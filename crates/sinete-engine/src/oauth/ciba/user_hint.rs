//! Resolves the user of a CIBA request, and limits requests per user. Unknown users cause the same queries
//! and counts.

use crate::oauth::authorize::{ActiveClient, AuthorizationError, id_token_hint};
use crate::{Engine, Error, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::limits::{
    CIBA_POLL_INTERVAL, CIBA_REQUESTS_HOURLY_MAX, CIBA_REQUESTS_PENDING_MAX,
    CIBA_REQUESTS_PER_USER_HOURLY_MAX,
};
use sinete_core::oauth::authorize::consent::ClientTrust;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::oauth::ciba::{CibaAuthenticationRequest, CibaUserHint};
use sinete_core::oauth::organization_policy::{
    PolicyRequest, TokenDerivation, TokenSource, check_token_policy,
};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::message_rate_limit::{MessageRateWindow, SentMessageCounter};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::mac::MacPurpose;
use sinete_store::GuardedStatement;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::ContactKind;
use sinete_store::oauth::ciba_requests;
use sinete_store::oauth::ciba_requests::HintedCibaUser;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::UsableMembership;
use sinete_store::sign_in::attempt_counters;
use sinete_store::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};

/// The limit per client and user.
const CLIENT_WINDOW: MessageRateWindow =
    MessageRateWindow { name: "hour", length: Lifetime::from_hours(1), limit: CIBA_REQUESTS_HOURLY_MAX };
/// The limit per user over all clients.
const TOTAL_WINDOW: MessageRateWindow = MessageRateWindow {
    name: "hour",
    length: Lifetime::from_hours(1),
    limit: CIBA_REQUESTS_PER_USER_HOURLY_MAX,
};

/// The user of a request.
pub(super) struct ResolvedCibaUser {
    /// The account; `None` if unknown, or if the client may not ask this user.
    pub(super) account: Option<AccountId>,
    /// The organization, if the hint contains it.
    pub(super) organization: Option<OrganizationId>,
    /// The only organization in which the user can be asked; `None` if there are several, or no user.
    pub(super) only_organization: Option<OrganizationId>,
    /// The key for counting, regardless of the spelling of the hint.
    pub(super) rate_limit_key: Digest<HintedCibaUser>,
}

/// Resolves the user. An untrusted client can only ask users it already knows, as shown by an ID token of
/// theirs.
pub(super) async fn resolve_user_hint(
    engine: &Engine,
    client: &ActiveClient,
    approval: &CibaAuthenticationRequest,
) -> Result<ResolvedCibaUser, AuthorizationError> {
    let (candidate, spelled) = match &approval.user_hint {
        CibaUserHint::Email(_) | CibaUserHint::Subject(_) if client.trust == ClientTrust::SelfRegistered => {
            let text = "An unverified client cannot use login_hint. Send id_token_hint, or ask an operator to \
                        verify the client.";
            return Err((AuthorizationErrorCode::UnauthorizedClient, text).into());
        }
        CibaUserHint::Email(address) => {
            let lookup = address.lookup_key();
            let owner = contacts::find_verified_contact(engine.store(), ContactKind::Email, &lookup).await?;
            (owner.map(|owner| (owner.account, None)), UserHint::Email(lookup))
        }
        CibaUserHint::Subject(subject) => (find_member(engine, *subject).await?, UserHint::Subject(*subject)),
        CibaUserHint::IdToken(token) => {
            match id_token_hint::parse_hint_subject(engine, token, &client.client.client.id) {
                Some(subject) => (find_member(engine, subject).await?, UserHint::Subject(subject)),
                None => {
                    let text = "The parameter id_token_hint is not an ID token that this client received. \
                                Send such a token.";
                    return Err((AuthorizationErrorCode::InvalidRequest, text).into());
                }
            }
        }
    };
    let organization = candidate.and_then(|(_, organization)| organization);
    // The same queries are made for unknown users.
    let account = candidate.map(|(account, _)| account);
    let sought = account.unwrap_or_else(|| AccountId::mint(engine.now(), engine.entropy()));
    let askable = list_ciba_organizations(engine, client, approval, sought, organization).await?;
    let account = account.filter(|_| !askable.is_empty());
    let only_organization = match askable.as_slice() {
        [only] => account.map(|_| *only),
        _ => None,
    };
    // A user whom the client may not ask is counted under the hint, so that two hints for one user cannot be
    // linked.
    let digest = rate_limit_key(engine, account, &spelled);
    Ok(ResolvedCibaUser { account, organization, only_organization, rate_limit_key: digest })
}

/// The hint, as sent.
enum UserHint {
    Email(String),
    Subject(MembershipId),
}

async fn find_member(
    engine: &Engine,
    subject: MembershipId,
) -> Result<Option<(AccountId, Option<OrganizationId>)>, Failure> {
    let token_hint = id_token_hint::find_member_hint(engine, subject).await?;
    Ok(token_hint.map(|expects| (expects.account, Some(expects.organization))))
}

/// The organizations in which this client may ask the user.
async fn list_ciba_organizations(
    engine: &Engine,
    client: &ActiveClient,
    approval: &CibaAuthenticationRequest,
    account: AccountId,
    hinted: Option<OrganizationId>,
) -> Result<Vec<OrganizationId>, Failure> {
    let mut askable = Vec::new();
    let organization_name = approval.params.organization.as_deref();
    for usable in memberships::list_usable_memberships(engine.store(), account, engine.now()).await? {
        let settings: OrganizationSettings = usable.settings.parse()?;
        let is_meant = organization_name.is_none_or(|name| matches_organization(&usable, name));
        let is_hinted = hinted.is_none_or(|hinted| hinted == usable.organization);
        let is_served = match client.client.client.origin {
            ClientOrigin::Operator | ClientOrigin::DynamicRegistration => true,
            ClientOrigin::Organization(only) => only == usable.organization,
        };
        if is_meant && is_hinted && is_served && is_ciba_allowed(&settings, usable.organization) {
            askable.push(usable.organization);
        }
    }
    Ok(askable)
}

/// Whether the organization allows CIBA. Its policy for the client and the user's authentication is checked
/// on approval, when both are known.
fn is_ciba_allowed(settings: &OrganizationSettings, organization: OrganizationId) -> bool {
    let request = PolicyRequest {
        organization,
        source: TokenSource::Ciba,
        derivation: TokenDerivation::Direct,
        client: None,
        user: None,
    };
    check_token_policy(settings, &request).is_ok()
}

fn matches_organization(usable: &UsableMembership, name: &str) -> bool {
    usable.slug == name || usable.organization.to_string() == name
}

/// The key for counting: the account, or else the hint.
fn rate_limit_key(engine: &Engine, account: Option<AccountId>, spelled: &UserHint) -> Digest<HintedCibaUser> {
    let stamp = |kind: &[u8], identifier: &[u8]| {
        engine.instance_keys().compute_mac(MacPurpose::CibaUser, &[kind, identifier])
    };
    let stamp = match (account, spelled) {
        (Some(account), _) => stamp(b"account", account.as_bytes()),
        (None, UserHint::Email(lookup)) => stamp(b"address", lookup.as_bytes()),
        (None, UserHint::Subject(subject)) => stamp(b"subject", subject.as_bytes()),
    };
    Digest::from_parts(&[&stamp])
}

impl ResolvedCibaUser {
    /// The statements that count a request, or the waiting time if a limit is reached.
    pub(super) async fn count_request(
        &self,
        engine: &Engine,
        client: &ClientId,
    ) -> Result<Vec<GuardedStatement>, Error> {
        let subject: String =
            self.rate_limit_key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let subject = format!("asked {subject}");
        let (now, of_client) = (engine.now(), format!("approvals of {client}"));
        let mut steps = Vec::new();
        for (window, factor) in [(CLIENT_WINDOW, of_client.as_str()), (TOTAL_WINDOW, "approvals")] {
            let key = AttemptCounterKey { subject: &subject, factor };
            let before = attempt_counters::find_attempt_counter(engine.store(), key).await?;
            let message_counter = before.map(|it| SentMessageCounter {
                count: it.count,
                since: it.since,
                blocked_until: it.blocked_until,
            });
            let Some(after) = window.count_message_about_account(message_counter, now) else {
                let wait = message_counter
                    .map_or(CIBA_POLL_INTERVAL, |message_counter| message_counter.blocked_until.since(now));
                return Err(too_many_requests("too many requests within an hour", wait).into());
            };
            let after = AttemptCounterRow {
                count: after.count,
                since: after.since,
                blocked_until: after.blocked_until,
            };
            steps.push(attempt_counters::advance_attempt_counter(key, before.as_ref(), &after));
        }
        // The counters above change with every request, so two concurrent requests cannot both pass this
        // check.
        let pending =
            ciba_requests::count_pending_ciba_requests(engine.store(), client, &self.rate_limit_key, now)
                .await?;
        if pending >= CIBA_REQUESTS_PENDING_MAX {
            return Err(too_many_requests("too many pending requests", CIBA_POLL_INTERVAL).into());
        }
        Ok(steps)
    }
}

fn too_many_requests(reason: &str, wait: Lifetime) -> Refusal {
    Refusal::because(OAuthRefusal::ApprovalRateLimited, reason).with_retry_after(wait)
}
