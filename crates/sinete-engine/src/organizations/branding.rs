//! The branding of an organization on the sign-in page. An organization without branding cannot be
//! distinguished from one that does not exist, so the page does not reveal which organizations exist.

pub mod logo;

use crate::access_control::organization_access;
use crate::access_control::organization_access::OrganizationAccess;
use crate::platform::email::samples::render_sample;
use crate::platform::email::{EmailBranding, EmailBrandingAndTemplates, EmailOrganization, EmailOrigin};
use crate::platform::interaction::InteractionTarget;
use crate::ports::OutgoingEmail;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::READ_ORGANIZATION;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::language::Language;
use sinete_core::id::OrganizationId;
use sinete_core::organizations::branding::BrandingSettings;
use sinete_core::organizations::branding::logo::LogoImageFormat;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::time::Timestamp;
use sinete_store::organizations;
use sinete_store::organizations::OrganizationRow;
use sinete_store::organizations::branding;

/// The branding of an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrganizationBranding {
    /// The organization.
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

/// The path of an organization's logo.
pub const LOGO_PATH: &str = "/assets/organizations/{organization}/logo";

/// The branding of messages about an organization. Colors that are not set are inherited from the instance, the
/// logo is not: a name is never shown next to another party's logo.
pub(crate) async fn find_email_organization(
    engine: &Engine,
    organization: &OrganizationRow,
) -> Result<EmailOrganization, Failure> {
    let settings: OrganizationSettings = organization.settings.parse()?;
    let BrandingSettings { name, accent, background } = settings.branding;
    let default_branding = &engine.settings().email.branding;
    let is_served = engine.settings().flows.interaction == InteractionTarget::Hosted;
    // Most mail programs do not display SVG.
    let logo = branding::find_logo_description(engine.store(), organization.id).await?;
    let logo = logo.filter(|logo| is_served && logo.kind != LogoImageFormat::Svg).map(|logo| {
        let path = LOGO_PATH.replace("{organization}", &organization.id.to_string());
        format!("{}{path}?v={:x}", engine.settings().issuer, logo.changed_at.micros())
    });
    Ok(EmailOrganization {
        slug: organization.slug.to_string(),
        branding: EmailBranding {
            name: name.map_or_else(|| organization.name.clone(), |name| name.as_str().to_owned()),
            logo,
            accent: accent.map_or_else(|| default_branding.accent.clone(), String::from),
            background: background.map_or_else(|| default_branding.background.clone(), String::from),
        },
    })
}

/// The messages that are about an organization and have its branding and templates.
const ORGANIZATION_EMAILS: [&str; 2] = ["invitation", "webhook_paused"];

/// Renders a sample of a message about the organization, with its branding or with one that is not saved.
pub async fn preview_email(
    engine: &Engine,
    access: &OrganizationAccess,
    message: &str,
    language: Language,
    unsaved: Option<&BrandingSettings>,
) -> Result<OutgoingEmail, Error> {
    access.require_read_permission(READ_ORGANIZATION)?;
    access.record_read_by_non_member(engine, "emails").await?;
    let mut branding = find_email_organization(engine, &access.organization).await?;
    if let Some(unsaved) = unsaved {
        let default_branding = EmailBranding {
            name: access.organization.name.clone(),
            logo: branding.branding.logo,
            ..engine.settings().email.branding.clone()
        };
        branding.branding = with_unsaved_branding(default_branding, unsaved);
    }
    let origin = engine.email_origin().for_organization(Some(&branding));
    let is_known = ORGANIZATION_EMAILS.contains(&message);
    let sample = is_known.then(|| render_sample(message, origin, &language.into())).flatten();
    Ok(sample.ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no such message"))?)
}

/// The message of the instance that shows its branding.
pub const INSTANCE_EMAIL: &str = "sign_in";

/// Renders a sample of that message, with the name and colors that are set in `unsaved`.
pub fn preview_instance_email(
    engine: &Engine,
    language: Language,
    unsaved: &BrandingSettings,
) -> Option<OutgoingEmail> {
    let origin = engine.email_origin();
    let settings = EmailBrandingAndTemplates {
        branding: with_unsaved_branding(origin.settings.branding.clone(), unsaved),
        templates: origin.settings.templates.clone(),
    };
    render_sample(INSTANCE_EMAIL, EmailOrigin { settings: &settings, ..origin }, &language.into())
}

/// The branding with what is set in `unsaved`.
fn with_unsaved_branding(default_branding: EmailBranding, unsaved: &BrandingSettings) -> EmailBranding {
    let BrandingSettings { name, accent, background } = unsaved.clone();
    EmailBranding {
        name: name.map_or(default_branding.name, String::from),
        logo: default_branding.logo,
        accent: accent.map_or(default_branding.accent, String::from),
        background: background.map_or(default_branding.background, String::from),
    }
}

async fn load_branding(
    engine: &Engine,
    organization_row: Option<OrganizationRow>,
) -> Result<Option<OrganizationBranding>, Failure> {
    let Some(organization) = organization_row.filter(|it| it.condition == LifecycleCondition::Enabled) else {
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
