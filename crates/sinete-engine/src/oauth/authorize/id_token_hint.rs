//! `id_token_hint` and the requested `sub`.

use crate::{Engine, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtType, verify_jwt};
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::ActingClient;

/// The subject of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdTokenHint {
    /// The account.
    pub account: AccountId,
    /// The organization.
    pub organization: OrganizationId,
}

/// The requested subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedSubject {
    /// A user in one organization.
    Member(IdTokenHint),
    /// No such subject. The request continues as if it named another user, so that responses do not reveal
    /// which subjects exist.
    Unknown,
}

impl NamedSubject {
    /// The organization of the subject, if it exists.
    pub const fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Member(expects) => Some(expects.organization),
            Self::Unknown => None,
        }
    }
}

/// Parses the hint, if it is an ID token that we issued to this client and not too old. It may have expired,
/// because it proves nothing.
pub async fn parse_id_token_hint(
    engine: &Engine,
    hint: Option<&str>,
    client: &ClientId,
) -> Result<Option<IdTokenHint>, Failure> {
    match hint.and_then(|hint| parse_hint_subject(engine, hint, client)) {
        Some(membership) => find_member_hint(engine, membership).await,
        None => Ok(None),
    }
}

/// The subject of an ID token that we issued to this client, if it is not too old, regardless of the
/// subject's state.
pub fn parse_hint_subject(engine: &Engine, hint: &str, client: &ClientId) -> Option<MembershipId> {
    let (ring, now) = (engine.key_ring(), engine.now());
    let expected = JwtExpectations {
        typ: JwtType::Id,
        algorithms: &SigningAlgorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: Some(client.as_str()),
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let claims = verify_jwt(hint, ring.published_keys(now), &expected).ok()?;
    claims.text_claim("sub")?.parse().ok()
}

/// Finds the user named by the requested `sub` claim (OpenID Connect Core §5.5.1).
pub async fn find_requested_subject(
    engine: &Engine,
    claims: &Map<String, Value>,
) -> Result<Option<NamedSubject>, Failure> {
    let Some(requested_sub) = claims.get("id_token").and_then(|it| it.get("sub")?.get("value")) else {
        return Ok(None);
    };
    let membership = requested_sub.as_str().and_then(|name| name.parse::<MembershipId>().ok());
    let token_hint = match membership {
        Some(membership) => find_member_hint(engine, membership).await?,
        None => None,
    };
    Ok(Some(token_hint.map_or(NamedSubject::Unknown, NamedSubject::Member)))
}

/// Finds a user in one organization by `sub`.
pub async fn find_member_hint(
    engine: &Engine,
    membership: MembershipId,
) -> Result<Option<IdTokenHint>, Failure> {
    let snapshot =
        subject_state::load_subject(engine.store(), membership, ActingClient::None, engine.now()).await?;
    Ok(snapshot.and_then(|snapshot| match snapshot.state.subject {
        TokenSubject::User { account, .. } => {
            Some(IdTokenHint { account, organization: snapshot.state.organization })
        }
        TokenSubject::Machine { .. } => None,
    }))
}
