//! Issuing tokens: the one place where claims are signed. A token carries exactly the authority it is handed.

use crate::{Engine, Failed};
use serde_json::{Map, Value};
use sinete_core::api::ApiIdentifier;
use sinete_core::authority::Authority;
use sinete_core::authority::permission::PermissionSet;
use sinete_core::authority::scope::Scopes;
use sinete_core::authorize::policy::PolicyApproval;
use sinete_core::authorize::target::{self, Target};
use sinete_core::client::ClientId;
use sinete_core::grant;
use sinete_core::limits::ACCESS_TOKEN_LIFETIME;
use sinete_core::people::Alive;
use sinete_core::refusal::Refusal;
use sinete_core::secret::FamilyToken;
use sinete_core::signing::Algorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::{AccessClaims, Authentication, Issue};
use sinete_core::token::actor::Actor;
use sinete_core::token::confirmation::Confirmation;
use sinete_core::token::jti::Jti;
use sinete_crypto::jwt::{self, TokenType};
use sinete_store::apis::StoredApi;
use sinete_store::offered::Offered;
use std::sync::Arc;

/// What a client is answered when it gets a token.
pub struct Issued {
    /// The access token.
    pub access_token: String,
    /// How long it works.
    pub lifetime: Lifetime,
    /// What it is for.
    pub scope: Scopes,
    /// What it can be renewed with, where it can.
    pub refresh_token: Option<FamilyToken>,
    /// Who signed in, where that was asked for.
    pub id_token: Option<String>,
    /// The fine-grained part of what it is for.
    pub details: Vec<Map<String, Value>>,
    /// Whether it came from an exchange.
    pub is_exchanged: bool,
}

/// Where a token is to be used.
pub(crate) enum Aim {
    /// At our own APIs.
    Ourselves(ApiIdentifier),
    /// At an API.
    Api(Arc<StoredApi>),
}

impl Aim {
    /// The same, as the rules see it.
    pub(crate) fn target(&self) -> Target<'_> {
        match self {
            Self::Ourselves(issuer) => Target::Ourselves(issuer),
            Self::Api(api) => Target::Api(&api.definition),
        }
    }

    /// The `aud` of the token.
    pub(crate) fn identifier(&self) -> &ApiIdentifier {
        match self {
            Self::Ourselves(issuer) => issuer,
            Self::Api(api) => &api.definition.identifier,
        }
    }

    /// How long a token usually works there.
    pub(crate) fn lifetime(&self) -> Lifetime {
        let own = match self {
            Self::Ourselves(_) => None,
            Self::Api(api) => api.definition.token_lifetime_seconds,
        };
        own.map_or(ACCESS_TOKEN_LIFETIME, Lifetime::from_seconds)
    }

    /// What it is signed with there.
    pub(crate) fn algorithm(&self) -> Algorithm {
        match self {
            Self::Ourselves(_) => Algorithm::Es256,
            Self::Api(api) => api.definition.algorithm.unwrap_or(Algorithm::Es256),
        }
    }
}

/// Everything that is said in an access token beside who holds it and what may be done with it.
pub(crate) struct Wording<'a> {
    /// Where it is to be used.
    pub(crate) aim: &'a Aim,
    /// The client it is issued to.
    pub(crate) client: &'a ClientId,
    /// The identity scopes that were granted beside the permissions.
    pub(crate) scopes: &'a Scopes,
    /// Its id.
    pub(crate) jti: Jti,
    /// When.
    pub(crate) now: Timestamp,
    /// For how long.
    pub(crate) lifetime: Lifetime,
    /// How and when the person proved who they are.
    pub(crate) authentication: Option<Authentication>,
    /// Who acts for the subject.
    pub(crate) actor: Option<Actor>,
    /// The key it is bound to.
    pub(crate) confirmation: Option<Confirmation>,
    /// The fine-grained part of what was granted.
    pub(crate) details: Vec<Map<String, Value>>,
    /// That the organization's policy allows it.
    pub(crate) policy: PolicyApproval,
}

/// A signed access token that carries exactly this authority.
pub(crate) fn access_token(
    engine: &Engine,
    alive: &Alive,
    authority: &Authority,
    wording: Wording<'_>,
) -> Result<String, Failed> {
    let (algorithm, now) = (wording.aim.algorithm(), wording.now);
    sign(engine, algorithm, TokenType::Access, &claims(engine, alive, authority, wording), now)
}

/// What an access token says that carries exactly this authority.
pub(crate) fn claims(
    engine: &Engine,
    alive: &Alive,
    authority: &Authority,
    wording: Wording<'_>,
) -> AccessClaims {
    let issue = Issue {
        issuer: &engine.settings().issuer,
        audience: wording.aim.identifier(),
        client: wording.client,
        scopes: wording.scopes,
        jti: wording.jti,
        now: wording.now,
        lifetime: wording.lifetime,
        authentication: wording.authentication,
        actor: wording.actor,
        confirmation: wording.confirmation,
        details: wording.details,
        policy: wording.policy,
    };
    AccessClaims::new(alive, authority, issue)
}

/// The claims as a token of this type, by the key that signs with this algorithm now. A node that cannot rely on its clock
/// signs nothing: what it signed would count too long, or not yet
/// (docs/decisions/0239-readiness-what-a-node-examines.md).
pub(crate) fn sign(
    engine: &Engine,
    algorithm: Algorithm,
    of_type: TokenType,
    claims: &impl serde::Serialize,
    now: Timestamp,
) -> Result<String, Failed> {
    if !engine.clock_is_right() {
        return Err(Failed::ClockWrong);
    }
    let ring = engine.keys();
    let key = ring.signer(algorithm, now).ok_or_else(|| match ring.signs_later(algorithm, now) {
        true => Failed::BeforeFirstKey(algorithm),
        false => Failed::NoSigner(algorithm),
    })?;
    Ok(jwt::sign(key, of_type, claims)?)
}

/// The API of this identifier as a place to use a token: our own, or one that the organization is offered. Any
/// other is refused like one that does not exist.
pub(crate) fn aim_at(engine: &Engine, offered: &Offered, resource: &ApiIdentifier) -> Result<Aim, Refusal> {
    if resource.as_str() == engine.settings().issuer {
        return Ok(Aim::Ourselves(resource.clone()));
    }
    offered.named(resource.as_str()).map(|api| Aim::Api(Arc::clone(api))).ok_or_else(grant::nowhere)
}

/// Where a token with these permissions is to be used, where nobody says: at the one API that defines them.
pub(crate) fn aim_by(
    engine: &Engine,
    offered: &Offered,
    asked: &PermissionSet,
) -> Result<Result<Aim, Refusal>, Failed> {
    Ok(match target::audience(asked, offered.resources()) {
        Ok(None) => Ok(Aim::Ourselves(ourselves(engine)?)),
        Ok(Some(id)) => offered.api(id).map(|api| Aim::Api(Arc::clone(api))).ok_or_else(grant::nowhere),
        Err(wrong) => Err(grant::as_refusal(wrong)),
    })
}

/// We, as an API that tokens can be for.
pub(crate) fn ourselves(engine: &Engine) -> Result<ApiIdentifier, Failed> {
    let issuer = engine.settings().issuer.parse();
    issuer.map_err(|_| sinete_store::Failed::Other("the issuer is no address".to_owned()).into())
}
