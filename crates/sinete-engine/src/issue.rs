//! Issuing tokens: the one place where claims are signed. A token carries exactly the authority it is handed.

use crate::{Engine, Failed};
use serde_json::{Map, Value};
use sinete_core::api::ApiIdentifier;
use sinete_core::authority::Authority;
use sinete_core::authority::permission::PermissionSet;
use sinete_core::authority::scope::Scopes;
use sinete_core::authorize::target::{self, Target};
use sinete_core::client::ClientId;
use sinete_core::grant;
use sinete_core::id::{ApiId, OrganizationId};
use sinete_core::limits::ACCESS_TOKEN_LIFETIME;
use sinete_core::people::{Alive, Condition};
use sinete_core::refusal::Refusal;
use sinete_core::secret::{RefreshToken, Secret};
use sinete_core::signing::Algorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::token::access::{AccessClaims, Authentication, Confirmation, Issue};
use sinete_core::token::actor::Actor;
use sinete_core::token::jti::Jti;
use sinete_crypto::jwt::{self, TokenType};
use sinete_store::apis::{self, StoredApi};

/// What a client is answered when it gets a token.
pub struct Issued {
    /// The access token.
    pub access_token: String,
    /// How long it works.
    pub lifetime: Lifetime,
    /// What it is for.
    pub scope: Scopes,
    /// What it can be renewed with, where it can.
    pub refresh_token: Option<Secret<RefreshToken>>,
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
    Api(Box<StoredApi>),
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

    fn algorithm(&self) -> Algorithm {
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
}

/// A signed access token that carries exactly this authority.
pub(crate) fn access_token(
    engine: &Engine,
    alive: &Alive,
    authority: &Authority,
    wording: Wording<'_>,
) -> Result<String, Failed> {
    let algorithm = wording.aim.algorithm();
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
    };
    sign(engine, algorithm, TokenType::Access, &AccessClaims::new(alive, authority, issue), wording.now)
}

/// The claims as a token of this type, by the key that signs with this algorithm now.
pub(crate) fn sign(
    engine: &Engine,
    algorithm: Algorithm,
    of_type: TokenType,
    claims: &impl serde::Serialize,
    now: Timestamp,
) -> Result<String, Failed> {
    let ring = engine.keys();
    let key = ring.signer(algorithm, now).ok_or(Failed::NoSigner(algorithm))?;
    Ok(jwt::sign(key, of_type, claims)?)
}

/// The API of this identifier as a place to use a token in this organization: our own, its own, or one that is
/// offered to it. Any other is refused like one that does not exist.
pub(crate) async fn aim_at(
    engine: &Engine,
    organization: OrganizationId,
    resource: &ApiIdentifier,
) -> Result<Result<Aim, Refusal>, Failed> {
    if resource.as_str() == engine.settings().issuer {
        return Ok(Ok(Aim::Ourselves(resource.clone())));
    }
    let found = apis::find_by_identifier(engine.store(), resource.as_str()).await?;
    let Some(api) = found else { return Ok(Err(grant::nowhere())) };
    usable(engine, organization, api).await
}

/// Where a token with these permissions is to be used, where nobody says: at the one API that defines them.
pub(crate) async fn aim_by(
    engine: &Engine,
    organization: OrganizationId,
    asked: &PermissionSet,
) -> Result<Result<Aim, Refusal>, Failed> {
    let offered = apis::resources_offered_to(engine.store(), organization).await?;
    let id: Option<ApiId> = match target::audience(asked, &offered) {
        Ok(owner) => owner,
        Err(wrong) => return Ok(Err(grant::as_refusal(wrong))),
    };
    let Some(id) = id else { return Ok(Ok(Aim::Ourselves(ourselves(engine)?))) };
    match apis::find(engine.store(), id).await? {
        Some(api) => usable(engine, organization, api).await,
        None => Ok(Err(grant::nowhere())),
    }
}

/// We, as an API that tokens can be for.
pub(crate) fn ourselves(engine: &Engine) -> Result<ApiIdentifier, Failed> {
    let issuer = engine.settings().issuer.parse();
    issuer.map_err(|_| sinete_store::Failed::Other("the issuer is no address".to_owned()).into())
}

async fn usable(
    engine: &Engine,
    organization: OrganizationId,
    api: StoredApi,
) -> Result<Result<Aim, Refusal>, Failed> {
    let is_own =
        api.organization == Some(organization) || api.organization.is_none() && api.is_offered_to_all;
    let is_offered = is_own || apis::offers(engine.store(), api.id).await?.contains(&organization);
    let is_usable = is_offered && api.condition == Condition::Enabled;
    Ok(if is_usable { Ok(Aim::Api(Box::new(api))) } else { Err(grant::nowhere()) })
}
