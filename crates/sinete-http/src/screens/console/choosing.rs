//! In which organization somebody wants to work.

use super::work::asked;
use super::{overview, reader, to_sign_in};
use crate::call::RoutedRequest;
use crate::reply::HandlerResult;
use crate::screens::{my_account, see, walk};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_core::people::LifecycleCondition;
use sinete_engine::{account, console};
use sinete_screens::console::choose::{ConsoleChooserView, ConsoleOrganization};

/// Shows where somebody has something to manage.
pub(crate) async fn choose(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    let Some(oneself) = my_account::signed_in(&state, &call).await? else {
        return Ok(to_sign_in(&state, &query, "/console"));
    };
    let workplaces = console::workplaces(state.engine(), &oneself).await?;
    if let [only] = &workplaces[..] {
        let address = format!("/console/{}", only.organization.slug);
        return Ok(see(&state, &walk::with_language(&address, &query)));
    }
    let reader = reader(&state, &call, &query, &oneself).await?;
    let roles: Vec<String> =
        workplaces.iter().map(|it| overview::roles(&it.member.roles, reader.language)).collect();
    let slugs: Vec<String> = workplaces.iter().map(|it| it.organization.slug.to_string()).collect();
    let workplace =
        |((it, roles), slug): ((&account::memberships::OwnMembership, &'_ String), &'_ String)| {
            (it.organization.name.clone(), slug.clone(), roles.clone(), it.organization.condition)
        };
    let known: Vec<_> = workplaces.iter().zip(&roles).zip(&slugs).map(workplace).collect();
    let shown: Vec<ConsoleOrganization<'_>> = known
        .iter()
        .map(|(name, slug, roles, condition)| ConsoleOrganization {
            name,
            slug,
            roles,
            suspended: *condition != LifecycleCondition::Enabled,
        })
        .collect();
    let page =
        ConsoleChooserView { workplaces: &shown, asked: asked(&query) }.page(&reader.frame("/console"));
    Ok(reader.answer(StatusCode::OK, page))
}
