//! The branding of an organization on the sign-in page. An organization without branding cannot be
//! distinguished from one that does not exist, so the page does not reveal which organizations exist.

pub mod logo;

use crate::access_control::organization_access;
use crate::{Engine, Failure};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::OrganizationId;
use sinete_core::organizations::branding::BrandingSettings;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::time::Timestamp;
use sinete_store::organizations;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::branding;

/// The branding of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationBranding {
    /// Whose look it is.
    pub organization: OrganizationId,
    /// The displayed name.
    pub name: String,
    /// The colors.
    pub branding: BrandingSettings,
    /// When its logo was set, if there is one.
    pub logo: Option<Timestamp>,
}

/// Finds the branding by organization id.
pub async fn find_branding(
    engine: &Engine,
    id: OrganizationId,
) -> Result<Option<OrganizationBranding>, Failure> {
    load_branding(engine, organizations::find_organization(engine.store(), id, engine.now()).await?).await
}

/// Finds the branding by organization id or slug.
pub async fn find_branding_by_name(
    engine: &Engine,
    name: &str,
) -> Result<Option<OrganizationBranding>, Failure> {
    load_branding(engine, organization_access::find_organization(engine, name, engine.now()).await?).await
}

async fn load_branding(
    engine: &Engine,
    found: Option<OrganizationRow>,
) -> Result<Option<OrganizationBranding>, Failure> {
    let Some(organization) = found.filter(|it| it.condition == LifecycleCondition::Enabled) else {
        return Ok(None);
    };
    let settings: OrganizationSettings = organization.settings.parse()?;
    let logo = branding::find_logo_description(engine.store(), organization.id).await?;
    let branding = settings.branding;
    if branding.is_empty() && logo.is_none() {
        return Ok(None);
    }
    let name = branding.name.as_ref().map_or(organization.name, |name| name.as_str().to_owned());
    Ok(Some(OrganizationBranding {
        organization: organization.id,
        name,
        branding,
        logo: logo.map(|logo| logo.changed_at),
    }))
}
