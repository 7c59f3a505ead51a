//! Whom a client expects: by an ID token that it sends, which is of ours or says nothing, or by name.

use crate::{Engine, Failed};
use serde_json::{Map, Value};
use sinete_core::authorize::response::{AuthorizationError, Wrong};
use sinete_core::client::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::people::Subject;
use sinete_core::signing::Algorithm;
use sinete_crypto::jwt::{Expected, TokenType, verify};
use sinete_store::standing::{self, Through};

/// Whom a hint names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expects {
    /// The person.
    pub account: AccountId,
    /// The organization they were in.
    pub organization: OrganizationId,
}

/// Whom the hint names, if it is an ID token that we issued to this client and not too long ago. That it has
/// expired does not matter: it proves nothing and is asked nothing.
pub async fn read(engine: &Engine, hint: Option<&str>, client: &ClientId) -> Result<Option<Expects>, Failed> {
    match hint.and_then(|hint| subject(engine, hint, client)) {
        Some(membership) => of_member(engine, membership).await,
        None => Ok(None),
    }
}

/// Whom an ID token is about, whatever became of them, if we issued it to this client and not too long ago.
pub fn subject(engine: &Engine, hint: &str, client: &ClientId) -> Option<MembershipId> {
    let (ring, now) = (engine.keys(), engine.now());
    let expected = Expected {
        of_type: TokenType::Id,
        algorithms: &Algorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: Some(client.as_str()),
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let claims = verify(hint, ring.published(now), &expected).ok()?;
    claims.text("sub")?.parse().ok()
}

/// Whom a request names by the `sub` that its ID token must have (OpenID Connect Core §5.5.1): a person in one
/// organization. Where there is nobody of that name, nobody will do.
pub async fn named(
    engine: &Engine,
    claims: &Map<String, Value>,
) -> Result<Result<Option<Expects>, Wrong>, Failed> {
    let Some(named) = claims.get("id_token").and_then(|it| it.get("sub")?.get("value")) else {
        return Ok(Ok(None));
    };
    let membership = named.as_str().and_then(|named| named.parse::<MembershipId>().ok());
    let found = match membership {
        Some(membership) => of_member(engine, membership).await?,
        None => None,
    };
    let nobody = (AuthorizationError::LoginRequired, "whoever the request names is not signed in");
    Ok(found.map(Some).ok_or(nobody))
}

/// A person in one organization, by what tokens call them there.
pub async fn of_member(engine: &Engine, membership: MembershipId) -> Result<Option<Expects>, Failed> {
    let found = standing::find(engine.store(), membership, Through::Itself, engine.now()).await?;
    Ok(found.and_then(|found| match found.standing.subject {
        Subject::Person { account, .. } => {
            Some(Expects { account, organization: found.standing.organization })
        }
        Subject::Machine { .. } => None,
    }))
}
