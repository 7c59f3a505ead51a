//! Which function handles the form of a page.

use super::check_fresh_authentication;
use crate::console::action::Outcome;
use crate::console::operations::submit::submit_operation_form;
use crate::console::page::ConsolePage;
use crate::console::page_context::PageContext;
use crate::console::{
    api_keys, applications, branding, connections, domains, invitations, members, relationships, roles,
    webhooks,
};
use crate::screens::pending_form::STEP_UP_ACTION;
use sinete_server::extract::params::FormParams;

/// Handles the form of a page; `None` where only the step-up was requested.
pub(super) async fn submit_page_form(context: &PageContext<'_>, form: &FormParams) -> Option<Outcome> {
    Some(match &context.return_to.page {
        // Only the step-up was requested.
        ConsolePage::Overview
        | ConsolePage::Members
        | ConsolePage::ApplicationTest(_)
        | ConsolePage::ConnectionTest(_)
        | ConsolePage::AuditLog
        | ConsolePage::Event(_)
        | ConsolePage::Email(_)
        | ConsolePage::EmailStyle(_)
        | ConsolePage::InstanceEmailStyle => return None,
        _ if form.get("action") == Some(STEP_UP_ACTION) => check_fresh_authentication(context, form).await,
        ConsolePage::Member(id) => members::submit_member_form(context, id, form).await,
        ConsolePage::Invitations => invitations::submit_invitation_form(context, form).await,
        ConsolePage::Roles => roles::create_role(context, form).await,
        ConsolePage::Role(id) => roles::submit_role_form(context, id, form).await,
        ConsolePage::Applications => applications::register_application(context, form).await,
        ConsolePage::Application(id) => applications::submit_application_form(context, id, form).await,
        ConsolePage::ApiKeys => api_keys::submit_api_key_form(context, form).await,
        ConsolePage::Domains => domains::submit_domain_form(context, form).await,
        ConsolePage::Connections => connections::create_connection(context, form).await,
        ConsolePage::Connection(id) => connections::submit_connection_form(context, id, form).await,
        ConsolePage::ConnectionWizard(provider) => {
            connections::wizard::submit_wizard(context, provider, form).await
        }
        ConsolePage::Webhooks => webhooks::create_webhook(context, form).await,
        ConsolePage::Webhook(id) => webhooks::submit_webhook_form(context, id, form).await,
        ConsolePage::Operation(page, _) if branding::is_branding_page(page) => {
            branding::submit_branding_form(context, page, form).await
        }
        ConsolePage::Operation(page, id) if relationships::is_relationships_page(page) => {
            relationships::submit_relationship_form(context, id, form).await
        }
        ConsolePage::Operation(page, id) => submit_operation_form(context, page, id, form).await,
    })
}
