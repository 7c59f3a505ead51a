//! Domains on the console: add, verify, remove.

use super::{ActionError, ActionOutcome, CompletedAction, FlashVisibility, Outcome, PageContext};
use crate::console::list_order::{NAME_OR_TIME_ORDERS, OrderChoice};
use crate::console::pagination::ConsolePaging;
use sinete_core::access_control::built_in_permissions::MANAGE_DOMAINS;
use sinete_core::organizations::domains::OrganizationDomain;
use sinete_engine::InstanceMode;
use sinete_engine::organizations::domains;
use sinete_engine::organizations::domains::DomainRow;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::domains::{DomainItem, DomainListView, DomainState};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_screens::display_time::DisplayTime;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Lists the domains, with a form if the user may add one.
pub(super) async fn list_domains(context: &PageContext<'_>) -> HandlerResult {
    let (engine, access) = (context.engine(), context.access.organization_access());
    let order = OrderChoice::from_query(context, NAME_OR_TIME_ORDERS, &[]);
    let paging = ConsolePaging::from_filtered_query(context, &order.query)?;
    let after: Option<OrganizationDomain> =
        if order.is_sorted_in_memory() { None } else { paging.after()? };
    let mut read = domains::list(engine, access, after.as_ref(), order.read_limit(&paging)).await?;
    let cut = order.cut_page(&paging, &mut read)?;
    let names: Vec<(String, String)> =
        read.iter().map(|it| (it.name.to_unicode(), it.name.record_name())).collect();
    let lines: Vec<DomainItem<'_>> =
        read.iter().zip(&names).map(|(domain, (name, record))| domain_item(domain, name, record)).collect();
    let may_change = context.access.can_change(MANAGE_DOMAINS);
    let page = DomainListView {
        layout: context.form_layout(ConsoleSection::Domains, FlashVisibility::from_form_presence(may_change)),
        domains: &lines,
        pages: order.to_cut_view(&paging, &cut, lines.len()),
        may_change,
        is_development: engine.settings().mode == InstanceMode::Development,
        domain_input: context
            .flash
            .as_ref()
            .and_then(|flash| flash.typed_field("domain"))
            .unwrap_or_default(),
    };
    Ok(context.page_response(page.render(&context.frame())))
}

fn domain_item<'a>(domain: &'a DomainRow, name: &'a str, record: &'a str) -> DomainItem<'a> {
    let (state, since) = match (domain.verified_at, domain.missing_since) {
        (None, _) => (DomainState::Pending, domain.created_at),
        (Some(at), None) => (DomainState::Verified, at),
        (Some(_), Some(at)) => (DomainState::Missing, at),
    };
    DomainItem {
        id: domain.name.as_str(),
        name,
        state,
        since: DisplayTime(since.seconds()),
        record_name: record,
        record_value: &domain.proof,
    }
}

/// Adds, verifies or removes a domain.
pub(super) async fn submit_domain_form(context: &PageContext<'_>, form: &FormParams) -> Outcome {
    let (engine, access, to) = (context.engine(), context.access.organization_access(), context.path.clone());
    let domain_name = |field: &str| {
        form.get(field).map(|text| {
            text.parse::<OrganizationDomain>().map_err(|_| ActionError::ConsoleNotice(ConsoleNotice::Gone))
        })
    };
    if let Some(name) = domain_name("release") {
        let name = name?;
        let result = domains::remove(engine, access, &name).await;
        let result = result.map(|()| {
            ActionOutcome::Redirect(CompletedAction {
                notice: ConsoleNotice::DomainReleased,
                return_path: to,
            })
        });
        return Ok(result?);
    }
    if let Some(name) = domain_name("verify") {
        let name = name?;
        // A verified domain gives access beyond the session, so it requires recent authentication.
        let access = context.access.require_fresh_access(engine).await?;
        let result = domains::verify(engine, access, &name).await;
        let result = result.map(|_| {
            ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::DomainProven, return_path: to })
        });
        return Ok(result?);
    }
    if form.get("action") != Some("claim") {
        return Err(ActionError::ConsoleNotice(ConsoleNotice::NotPossible));
    }
    let domain = form.get("domain").unwrap_or_default().trim();
    let result = domains::add(engine, access, domain).await;
    result
        .map(|_| {
            ActionOutcome::Redirect(CompletedAction { notice: ConsoleNotice::DomainClaimed, return_path: to })
        })
        .map_err(|error| {
            ActionError::from_engine(error, |refusal| {
                ActionError::from_fields(refusal, |_| ConsoleNotice::BadDomain)
            })
        })
}
