//! Provisioning by a directory of the organization's: users are memberships, groups are roles.
//!
//! Whoever provisions speaks for one organization and reaches nothing else: neither accounts, nor what people sign in
//! with, nor what they are elsewhere. A membership that is made here belongs to nobody until it is claimed.

pub mod bulk;
mod groups;
mod precondition;
mod resources;
pub mod search;
mod users;

pub use precondition::ScimPrecondition;

use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Failure};
use serde_json::{Map, Value};
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::scim::patch as patching;
use sinete_core::scim::patch::ScimPatchOperation;
use sinete_core::scim::{ScimResourceType, normalization};

/// What it takes to provision.
pub const PERMISSION: &str = "scim:provision";

/// Where everything of this is, below the issuer.
pub const SCIM_PATH: &str = "/scim/v2";

/// Something that is shown to a directory.
#[derive(Clone, Debug)]
pub struct ScimResource {
    /// What kind of thing it is.
    pub kind: ScimResourceType,
    /// Our id of it.
    pub id: String,
    /// The thing itself, all of it.
    pub resource: Map<String, Value>,
    /// Its version, as an entity tag.
    pub version: String,
}

impl ScimResource {
    /// Where it is.
    pub fn location(&self, engine: &Engine) -> String {
        resource_url(engine, self.kind, &self.id)
    }
}

/// Steps into the one organization that the caller speaks for.
pub async fn authorize_scim_caller(
    engine: &Engine,
    caller: &AuthenticatedCaller,
) -> Result<Result<OrganizationAccess, Refusal>, Failure> {
    let own = caller.organization.to_string();
    let acting = organization_access::authorize_in_organization(engine, caller, &own).await?;
    Ok(acting.and_then(|acting| acting.require_read_permission(PERMISSION).map(|()| acting)))
}

/// Makes a user or a group.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    kind: ScimResourceType,
    sent: &Value,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    match kind {
        ScimResourceType::User => users::create(engine, acting, sent).await,
        ScimResourceType::Group => groups::create(engine, acting, sent).await,
    }
}

/// Shows one.
pub async fn show(
    engine: &Engine,
    acting: &OrganizationAccess,
    (kind, id): (ScimResourceType, &str),
) -> Result<Result<ScimResource, Refusal>, Failure> {
    match kind {
        ScimResourceType::User => users::show(engine, acting, id).await,
        ScimResourceType::Group => groups::show(engine, acting, id).await,
    }
}

/// Puts what is sent in the place of one.
pub async fn replace(
    engine: &Engine,
    acting: &OrganizationAccess,
    (kind, id): (ScimResourceType, &str),
    seen: &ScimPrecondition,
    sent: &Value,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    match ScimReplacement::from_replacement(kind, sent) {
        Ok(becoming) => change(engine, acting, (kind, id), seen, &becoming).await,
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Changes parts of one.
pub async fn patch(
    engine: &Engine,
    acting: &OrganizationAccess,
    (kind, id): (ScimResourceType, &str),
    seen: &ScimPrecondition,
    sent: &Value,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    match ScimReplacement::from_patch(sent) {
        Ok(becoming) => change(engine, acting, (kind, id), seen, &becoming).await,
        Err(refusal) => Ok(Err(refusal)),
    }
}

async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    (kind, id): (ScimResourceType, &str),
    seen: &ScimPrecondition,
    becoming: &ScimReplacement,
) -> Result<Result<ScimResource, Refusal>, Failure> {
    into_outcome(match kind {
        ScimResourceType::User => users::change(engine, acting, id, seen, becoming).await,
        ScimResourceType::Group => groups::change(engine, acting, id, seen, becoming).await,
    })
}

/// Removes one.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    (kind, id): (ScimResourceType, &str),
    seen: &ScimPrecondition,
) -> Result<Result<(), Refusal>, Failure> {
    match kind {
        ScimResourceType::User => users::remove(engine, acting, id, seen).await,
        ScimResourceType::Group => groups::remove(engine, acting, id, seen).await,
    }
}

/// The address of the service for directories.
pub fn base_url(engine: &Engine) -> String {
    format!("{}{SCIM_PATH}", engine.settings().issuer)
}

fn resource_url(engine: &Engine, kind: ScimResourceType, id: &str) -> String {
    format!("{}{}/{id}", base_url(engine), kind.endpoint())
}

/// What a thing is becoming.
#[derive(Debug)]
enum ScimReplacement {
    /// Another, as a whole.
    Replacement(Map<String, Value>),
    /// The same with these changes.
    Patch(Vec<ScimPatchOperation>),
}

impl ScimReplacement {
    /// From the whole that was sent.
    fn from_replacement(kind: ScimResourceType, sent: &Value) -> Result<Self, Refusal> {
        normalization::normalize_resource(kind, sent).map(Self::Replacement)
    }

    /// From the changes that were sent.
    fn from_patch(sent: &Value) -> Result<Self, Refusal> {
        patching::parse_patch(sent).map(Self::Patch)
    }

    /// What becomes of a thing that is this now.
    fn apply_to(
        &self,
        kind: ScimResourceType,
        before: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Refusal> {
        match self {
            Self::Replacement(whole) => Ok(whole.clone()),
            Self::Patch(operations) => patching::apply_patch(kind, before, operations),
        }
    }
}

/// Why something is not done: it was turned down, or we failed.
#[derive(Debug)]
enum ScimError {
    Refused(Refusal),
    Failed(Failure),
}

impl From<Refusal> for ScimError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<Failure>> From<E> for ScimError {
    fn from(failed: E) -> Self {
        Self::Failed(failed.into())
    }
}

/// What came of it, as everybody else reads it.
fn into_outcome<T>(outcome: Result<T, ScimError>) -> Result<Result<T, Refusal>, Failure> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(ScimError::Refused(refusal)) => Ok(Err(refusal)),
        Err(ScimError::Failed(failed)) => Err(failed),
    }
}

fn not_found(reason: &str) -> Refusal {
    Refusal::new(RefusalCode::NotFound, "there is no such thing here", reason)
}
