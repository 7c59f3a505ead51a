//! SCIM provisioning: users are memberships, groups are roles.
//!
//! A SCIM client acts in one organization and has no access to accounts, credentials or other organizations.
//! A membership created here has no account until it is claimed.

pub mod bulk;
mod groups;
mod organization_data;
pub mod request_log;
mod resources;
pub mod search;
mod users;

pub use resources::ScimPrecondition;

use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error};
use serde_json::{Map, Value};
use sinete_core::access_control::built_in_permissions::PROVISION_SCIM;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::organizations::scim_settings::{ScimSettings, UnknownAttributePolicy};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::scim::patch as patching;
use sinete_core::scim::patch::{PatchedResource, ScimPatchOperation};
use sinete_core::scim::{ScimResourceType, normalization};

/// The required permission.
pub const PERMISSION: &str = PROVISION_SCIM;

/// The path of the SCIM service, below the issuer.
pub const SCIM_PATH: &str = "/scim/v2";

/// A SCIM resource.
#[derive(Clone, Debug)]
pub struct ScimResource {
    /// The resource type.
    pub kind: ScimResourceType,
    /// The id.
    pub id: String,
    /// The complete resource.
    pub resource: Map<String, Value>,
    /// The version, as an entity tag.
    pub version: String,
}

/// The type and id of a resource, as a request names it.
#[derive(Clone, Copy, Debug)]
pub struct ScimResourceRef<'a> {
    /// The resource type.
    pub kind: ScimResourceType,
    /// The id, as sent.
    pub id: &'a str,
}

impl ScimResource {
    /// The URL of the resource.
    pub fn location(&self, engine: &Engine) -> String {
        resource_url(engine, self.kind, &self.id)
    }
}

/// Authorizes the caller in their organization.
pub async fn authorize_scim_caller(
    engine: &Engine,
    caller: &AuthenticatedCaller,
) -> Result<OrganizationAccess, Error> {
    let organization_id = caller.organization.to_string();
    let access = organization_access::authorize_in_organization(engine, caller, &organization_id).await?;
    access.require_read_permission(PERMISSION)?;
    Ok(access)
}

/// Creates a user or a group.
pub async fn create(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: ScimResourceType,
    body: &Value,
) -> Result<ScimResource, Error> {
    match kind {
        ScimResourceType::User => users::create(engine, access, body).await,
        ScimResourceType::Group => groups::create(engine, access, body).await,
    }
}

/// Shows a resource.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    resource: ScimResourceRef<'_>,
) -> Result<ScimResource, Error> {
    match resource.kind {
        ScimResourceType::User => users::show(engine, access, resource.id).await,
        ScimResourceType::Group => groups::show(engine, access, resource.id).await,
    }
}

/// What the organization decided about the requests of its directories.
pub fn load_settings(access: &OrganizationAccess) -> Result<ScimSettings, Error> {
    Ok(access.organization.settings.parse::<OrganizationSettings>()?.scim)
}

/// Replaces a resource.
pub async fn replace(
    engine: &Engine,
    access: &OrganizationAccess,
    resource: ScimResourceRef<'_>,
    precondition: &ScimPrecondition,
    body: &Value,
) -> Result<ScimResource, Error> {
    let becoming = ScimReplacement::from_replacement(resource.kind, body, &load_settings(access)?)?;
    change(engine, access, resource, precondition, &becoming).await
}

/// Patches a resource.
pub async fn patch(
    engine: &Engine,
    access: &OrganizationAccess,
    resource: ScimResourceRef<'_>,
    precondition: &ScimPrecondition,
    body: &Value,
) -> Result<ScimResource, Error> {
    let becoming = ScimReplacement::from_patch(body)?;
    change(engine, access, resource, precondition, &becoming).await
}

async fn change(
    engine: &Engine,
    access: &OrganizationAccess,
    resource: ScimResourceRef<'_>,
    precondition: &ScimPrecondition,
    becoming: &ScimReplacement,
) -> Result<ScimResource, Error> {
    match resource.kind {
        ScimResourceType::User => users::change(engine, access, resource.id, precondition, becoming).await,
        ScimResourceType::Group => groups::change(engine, access, resource.id, precondition, becoming).await,
    }
}

/// Removes a resource.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    resource: ScimResourceRef<'_>,
    precondition: &ScimPrecondition,
) -> Result<(), Error> {
    match resource.kind {
        ScimResourceType::User => users::remove(engine, access, resource.id, precondition).await,
        ScimResourceType::Group => groups::remove(engine, access, resource.id, precondition).await,
    }
}

/// The base URL of the SCIM service.
pub fn base_url(engine: &Engine) -> String {
    format!("{}{SCIM_PATH}", engine.settings().issuer)
}

fn resource_url(engine: &Engine, kind: ScimResourceType, id: &str) -> String {
    format!("{}{}/{id}", base_url(engine), kind.endpoint())
}

/// A change of a resource.
#[derive(Debug)]
enum ScimReplacement {
    /// A full replacement.
    Replacement(Map<String, Value>),
    /// Patch operations.
    Patch(Vec<ScimPatchOperation>),
}

impl ScimReplacement {
    /// Parses a replacement.
    fn from_replacement(
        kind: ScimResourceType,
        body: &Value,
        settings: &ScimSettings,
    ) -> Result<Self, Refusal> {
        normalization::normalize_resource(kind, body, &settings.extension_schemas).map(Self::Replacement)
    }

    /// Parses patch operations.
    fn from_patch(body: &Value) -> Result<Self, Refusal> {
        patching::parse_patch(body).map(Self::Patch)
    }

    /// Applies the change to a resource.
    fn apply_to(
        &self,
        kind: ScimResourceType,
        before: &Map<String, Value>,
        settings: &ScimSettings,
    ) -> Result<PatchedResource, Refusal> {
        match self {
            Self::Replacement(replacement) => {
                Ok(PatchedResource { resource: replacement.clone(), ignored: Vec::new() })
            }
            Self::Patch(operations) => patching::apply_patch(kind, before, operations, settings),
        }
    }

    /// Whether an attribute that is missing afterwards was not given, rather than removed.
    fn is_replacement(&self) -> bool {
        matches!(self, Self::Replacement(_))
    }
}

/// The event that lists the attributes which a patch named and which are not stored, if the organization wants it.
fn ignored_attributes_event(
    engine: &Engine,
    access: &OrganizationAccess,
    settings: &ScimSettings,
    ignored: Vec<String>,
) -> Option<SecurityEvent> {
    if ignored.is_empty() || settings.unknown_attributes != UnknownAttributePolicy::Log {
        return None;
    }
    let event = access.event(engine, EventKind::ScimAttributesIgnored);
    Some(event.with_detail("attributes", ignored))
}

fn not_found(reason: &str) -> Refusal {
    Refusal::because(RequestRefusal::NotFound, reason)
}
