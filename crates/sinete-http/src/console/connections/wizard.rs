//! The guide to connect an identity provider. Its form is that of every new connection; the redirect URI is known
//! before, because the id of the connection is reserved.

use super::super::{ActionError, FlashVisibility, Outcome, PageContext};
use super::form::ConnectionForm;
use super::{MANAGE_PERMISSION, create_from_form};
use sinete_core::identity_providers::provider_presets::ProviderPreset;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_engine::identity_providers::connections::reserve_connection_id;
use sinete_engine::identity_providers::{callback_url, saml};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::connection_wizard::{ConnectionWizardView, WizardProvider};
use sinete_screens::console::connections::ProviderProtocol;
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// The provider in the path; another one is answered as not found.
pub(in crate::console) fn find_provider(slug: &str) -> Result<ProviderPreset, Refusal> {
    ProviderPreset::from_slug(slug)
        .ok_or_else(|| Refusal::because(RequestRefusal::NotFound, "no guide to this provider"))
}

pub(in crate::console) const fn wizard_provider(preset: ProviderPreset) -> WizardProvider {
    match preset {
        ProviderPreset::Okta => WizardProvider::Okta,
        ProviderPreset::EntraId => WizardProvider::EntraId,
        ProviderPreset::GoogleWorkspace => WizardProvider::GoogleWorkspace,
        ProviderPreset::OpenIdConnect => WizardProvider::OpenIdConnect,
        ProviderPreset::Saml => WizardProvider::Saml,
    }
}

/// Shows the guide to a provider, to owners.
pub(in crate::console) async fn show_wizard(context: &PageContext<'_>, slug: &str) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let preset = find_provider(slug)?;
    access.require_read_permission(MANAGE_PERMISSION)?;
    let may_change = context.access.can_change(MANAGE_PERMISSION) && access.is_owner;
    if !may_change {
        return Err(Refusal::because(RequestRefusal::NotFound, "the guide is for owners").into());
    }
    let id = reserve_connection_id(engine, access, slug).await?;
    let (speaks, form) = match preset {
        ProviderPreset::Saml => (ProviderProtocol::Saml, "saml"),
        _ => (ProviderProtocol::OpenId, "open_id"),
    };
    let provider = wizard_provider(preset);
    let filled = ConnectionForm::with_name(context, speaks, preset.suggested_name()).in_guide(provider);
    let gate = context.step_up_form_state(form, context.is_recently_authenticated(may_change).await?);
    let (once, reserved) = (context.new_form_token(), id.to_string());
    let page = ConnectionWizardView {
        layout: context.form_layout(ConsoleSection::Connections, FlashVisibility::Form),
        provider,
        connection_id: &reserved,
        callback: &callback_url(engine, id),
        entity_id: &saml::entity_id(engine, id),
        idempotency_key: &once,
        fields: filled.to_fields(form, gate),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

/// Creates the connection with the id that the guide showed.
pub(in crate::console) async fn submit_wizard(
    context: &PageContext<'_>,
    slug: &str,
    form: &FormParams,
) -> Outcome {
    let preset = find_provider(slug)?;
    let issuer = preset.build_issuer(form.get("issuer").unwrap_or_default());
    let pairs = form.iter().filter(|(name, _)| *name != "issuer");
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let pairs = pairs.chain([("issuer".to_owned(), issuer)]).collect();
    let reserve = async || {
        let id = reserve_connection_id(context.engine(), context.access.organization_access(), slug).await?;
        // Another owner used the guide meanwhile: the values at the provider are those of their connection.
        match form.get("reserved") == Some(id.to_string().as_str()) {
            true => Ok(id),
            false => Err(ActionError::ConsoleNotice(ConsoleNotice::Changed)),
        }
    };
    create_from_form(context, form, &FormParams::from_pairs(pairs), reserve).await
}
