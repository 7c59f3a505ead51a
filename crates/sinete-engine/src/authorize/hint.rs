//! An ID token that a client sends to say whom it expects. It is of ours, or it says nothing.

use crate::{Engine, Failed};
use sinete_core::client::ClientId;
use sinete_core::id::{AccountId, MembershipId, OrganizationId};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::people::Subject;
use sinete_core::signing::Algorithm;
use sinete_crypto::jwt::{Expected, TokenType, verify};
use sinete_store::standing::{self, Through};

/// Whom a hint names.
#[derive(Clone, Copy, Debug)]
pub struct Expects {
    /// The person.
    pub account: AccountId,
    /// The organization they were in.
    pub organization: OrganizationId,
}

/// Whom the hint names, if it is an ID token that we issued to this client and not too long ago. That it has
/// expired does not matter: it proves nothing and is asked nothing.
pub async fn read(engine: &Engine, hint: Option<&str>, client: &ClientId) -> Result<Option<Expects>, Failed> {
    let Some(hint) = hint else { return Ok(None) };
    let (ring, now) = (engine.keys(), engine.now());
    let expected = Expected {
        of_type: TokenType::Id,
        algorithms: &Algorithm::ALL,
        issuer: &engine.settings().issuer,
        audience: Some(client.as_str()),
        now,
        tolerance: SESSION_AGE_MAX,
    };
    let Ok(claims) = verify(hint, ring.published(now), &expected) else { return Ok(None) };
    let Some(membership) = claims.text("sub").and_then(|sub| sub.parse::<MembershipId>().ok()) else {
        return Ok(None);
    };
    let found = standing::find(engine.store(), membership, Through::Itself, now).await?;
    Ok(found.and_then(|found| match found.standing.subject {
        Subject::Person { account, .. } => {
            Some(Expects { account, organization: found.standing.organization })
        }
        Subject::Machine { .. } => None,
    }))
}
