//! Whom a client expects: by an ID token that it sends, which is of ours or says nothing, or by name.

use crate::{Engine, Failure};
use serde_json::{Map, Value};
use sinete_core::access_control::subject::TokenSubject;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt::{JwtExpectations, JwtType, verify_jwt};
use sinete_store::oauth::subject_state;
use sinete_store::oauth::subject_state::SubjectAccessPath;

/// Whom a hint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdTokenHint {
    /// The person.
    pub account: AccountId,
    /// The organization they were in.
    pub organization: OrganizationId,
}

/// The subject that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedSubject {
    /// A person in one organization.
    Member(IdTokenHint),
    /// Nobody is called this. The request goes on as if it named somebody else than whoever is signed in, so that no
    /// answer tells which subjects exist.
    Unknown,
}

impl NamedSubject {
    /// The organization the subject is in, if there is such a subject.
    pub const fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Member(expects) => Some(expects.organization),
            Self::Unknown => None,
        }
    }
}

/// Whom the hint names, if it is an ID token that we issued to this client and not too long ago. That it has
/// expired does not matter: it proves nothing and is asked nothing.
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

/// Whom an ID token is about, whatever became of them, if we issued it to this client and not too long ago.
pub fn parse_hint_subject(engine: &Engine, hint: &str, client: &ClientId) -> Option<MembershipId> {
    let (ring, now) = (engine.key_ring(), engine.now());
    let expected = JwtExpectations {
        of_type: JwtType::Id,
        algorithms: &SigningAlgorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: Some(client.as_str()),
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let claims = verify_jwt(hint, ring.published_keys(now), &expected).ok()?;
    claims.text_claim("sub")?.parse().ok()
}

/// Whom a request names by the `sub` that its ID token must have (OpenID Connect Core §5.5.1): a person in one
/// organization.
pub async fn find_requested_subject(
    engine: &Engine,
    claims: &Map<String, Value>,
) -> Result<Option<NamedSubject>, Failure> {
    let Some(named) = claims.get("id_token").and_then(|it| it.get("sub")?.get("value")) else {
        return Ok(None);
    };
    let membership = named.as_str().and_then(|named| named.parse::<MembershipId>().ok());
    let found = match membership {
        Some(membership) => find_member_hint(engine, membership).await?,
        None => None,
    };
    Ok(Some(found.map_or(NamedSubject::Unknown, NamedSubject::Member)))
}

/// A person in one organization, by what tokens call them there.
pub async fn find_member_hint(
    engine: &Engine,
    membership: MembershipId,
) -> Result<Option<IdTokenHint>, Failure> {
    let found =
        subject_state::load_subject(engine.store(), membership, SubjectAccessPath::Itself, engine.now())
            .await?;
    Ok(found.and_then(|found| match found.standing.subject {
        TokenSubject::Person { account, .. } => {
            Some(IdTokenHint { account, organization: found.standing.organization })
        }
        TokenSubject::Machine { .. } => None,
    }))
}
