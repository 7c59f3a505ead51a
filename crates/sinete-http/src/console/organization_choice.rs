//! The organization chooser of the console.

use super::{console_reader, overview, redirect_to_sign_in};
use crate::accounts::account_pages;
use crate::console::page::INSTANCE_PATH;
use crate::console::page_context::requested_language;
use crate::screens::see_other;
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_engine::administration::console;
use sinete_screens::console::organization_choice::{ConsoleChooserView, ConsoleOrganization};
use sinete_server::reply::HandlerResult;

/// Lists the organizations that the user may manage.
pub(crate) async fn show_organization_choice(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let Some(account_holder) = account_pages::authenticate_browser_session(&state, &request).await? else {
        return Ok(redirect_to_sign_in(&state, &query, "/console"));
    };
    let workplaces = console::list_manageable_organizations(state.engine(), &account_holder).await?;
    let is_operator = console::can_enter_instance(state.engine(), &account_holder).await?;
    if is_operator && workplaces.is_empty() {
        return Ok(see_other(&state, &flow_pages::with_language(INSTANCE_PATH, &query)));
    }
    if let ([only], false) = (&workplaces[..], is_operator) {
        let address = format!("/console/{}", only.organization.slug);
        return Ok(see_other(&state, &flow_pages::with_language(&address, &query)));
    }
    let reader = console_reader(&state, &request, &query, &account_holder).await?;
    let roles: Vec<String> =
        workplaces.iter().map(|it| overview::role_names(&it.member.roles, reader.language)).collect();
    let slugs: Vec<String> = workplaces.iter().map(|it| it.organization.slug.to_string()).collect();
    let workplace =
        |((it, roles), slug): (
            (&sinete_engine::accounts::memberships::OwnMembership, &'_ String),
            &'_ String,
        )| { (it.organization.name.clone(), slug.clone(), roles.clone(), it.organization.condition) };
    let entries: Vec<_> = workplaces.iter().zip(&roles).zip(&slugs).map(workplace).collect();
    let organizations: Vec<ConsoleOrganization<'_>> = entries
        .iter()
        .map(|(name, slug, roles, condition)| ConsoleOrganization {
            name,
            slug,
            roles,
            suspended: *condition != LifecycleCondition::Enabled,
        })
        .collect();
    let page = ConsoleChooserView {
        organizations: &organizations,
        is_operator,
        url_language: requested_language(&query),
    }
    .render(&reader.frame("/console"));
    Ok(reader.script_page_response(StatusCode::OK, page))
}
