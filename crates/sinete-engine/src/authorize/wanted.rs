//! What can be judged of a request before it is known who signs in: whether its client may ask for this at all,
//! and whether the API it names exists and defines it.

use super::applicant::Applicant;
use crate::{Engine, Failed};
use sinete_core::api::ApiIdentifier;
use sinete_core::authority::scope::Scopes;
use sinete_core::authorize::response::{AuthorizationError, Wrong};
use sinete_core::authorize::target::{self, Target};
use sinete_core::authorize::wish::Wish;
use sinete_core::client::metadata::GrantType;
use sinete_core::people::Condition;
use sinete_store::apis::StoredApi;
use sinete_store::offered;
use std::sync::Arc;

/// What is asked for, once it is known that the client may ask for it.
pub(crate) struct Wanted {
    pub(crate) scopes: Scopes,
    pub(crate) named: Option<Audience>,
}

/// An audience: our own APIs, or another one as it was read.
#[derive(Clone, Debug)]
pub(crate) enum Audience {
    Ourselves(ApiIdentifier),
    Api(Arc<StoredApi>),
}

impl Audience {
    /// The audience of this identifier, whatever became of it, where APIs may be known to define what they do at this
    /// version.
    pub(crate) async fn find(
        engine: &Engine,
        identifier: &ApiIdentifier,
        catalogue: Option<i64>,
    ) -> Result<Option<Self>, Failed> {
        if identifier.as_str() == engine.settings().issuer {
            return Ok(Some(Self::Ourselves(identifier.clone())));
        }
        let found = offered::named(engine.store(), identifier.as_str(), catalogue).await?;
        Ok(found.map(Self::Api))
    }

    fn is_enabled(&self) -> bool {
        match self {
            Self::Ourselves(_) => true,
            Self::Api(api) => api.condition == Condition::Enabled,
        }
    }

    pub(crate) fn target(&self) -> Target<'_> {
        match self {
            Self::Ourselves(issuer) => Target::Ourselves(issuer),
            Self::Api(api) => Target::Api(&api.definition),
        }
    }
}

/// Everything about a request that can be judged before it is known who signs in.
pub(crate) async fn before_the_person(
    engine: &Engine,
    applicant: &Applicant,
    wish: &Wish,
    grant: GrantType,
) -> Result<Result<Wanted, Wrong>, Failed> {
    match judge_early(engine, applicant, wish, grant).await {
        Ok(wanted) => Ok(Ok(wanted)),
        Err(Halt::Wrong(wrong)) => Ok(Err(wrong)),
        Err(Halt::Failed(failed)) => Err(failed),
    }
}

pub(super) async fn judge_early(
    engine: &Engine,
    applicant: &Applicant,
    wish: &Wish,
    grant: GrantType,
) -> Result<Wanted, Halt> {
    let (client, metadata) = (&applicant.known.client, &applicant.known.metadata);
    if !metadata.grants().contains(&grant) {
        return Err((AuthorizationError::UnauthorizedClient, "the client did not register this grant").into());
    }
    let named = match &wish.resource {
        None => None,
        Some(resource) => {
            let found = Audience::find(engine, resource, applicant.catalogue).await?;
            let enabled = found.filter(Audience::is_enabled);
            Some(enabled.ok_or((AuthorizationError::InvalidTarget, "resource is not known here"))?)
        }
    };
    let target = named.as_ref().map(Audience::target);
    let scopes = target::scopes(wish, &client.scope, metadata, target)?;
    if let Some(target) = target {
        target.must_understand(&wish.details, metadata)?;
    }
    Ok(Wanted { scopes, named })
}

/// Why judging ends before its end.
pub(super) enum Halt {
    /// The client is told this.
    Wrong(Wrong),
    /// We failed.
    Failed(Failed),
}

impl From<Wrong> for Halt {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong(wrong)
    }
}
impl From<Failed> for Halt {
    fn from(failed: Failed) -> Self {
        Self::Failed(failed)
    }
}
impl From<sinete_store::Failed> for Halt {
    fn from(failed: sinete_store::Failed) -> Self {
        Self::Failed(failed.into())
    }
}
