//! The steps that set an organization up, on its overview. Each step is ticked by a fact, and the list is gone when all are
//! done.

use super::PageContext;
use crate::console::operations::values::{is_true, items_at, text_at};
use serde_json::Value;
use sinete_screens::console::block_page::{BlockLink, ChecklistStep, StepsBlock};
use sinete_server::reply::HandlerError;

/// The most members that are read to find a second one: services are members too.
const MEMBERS_READ: &str = "50";

/// The steps for a member who may see everything they depend on; none if all are done.
pub(super) async fn load_setup_steps(context: &PageContext<'_>) -> Result<Option<StepsBlock>, HandlerError> {
    let reads = ["listClients", "listDomains", "listConnections", "listMembers"];
    let is_member = context.access.organization_access().assignment_reason.is_none();
    // Who may change nothing of this has nothing to set up.
    let may_set_up = is_member && context.can_call("createClient") && context.can_call("invite");
    if !may_set_up || !reads.iter().all(|operation| context.can_call(operation)) {
        return Ok(None);
    }
    let (phrases, area) = (context.phrases(), context.return_to.organization_path());
    let step =
        |id: &str, (title, text): (&str, &str), is_done: bool, (name, page): (&str, &str)| ChecklistStep {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            is_done,
            link: (!is_done).then(|| BlockLink { text: name.to_owned(), path: format!("{area}/{page}") }),
        };
    let clients = read_items(context, "listClients", "1").await?;
    let domains = read_items(context, "listDomains", "50").await?;
    let connections = read_items(context, "listConnections", "50").await?;
    let steps = vec![
        step(
            "step-application",
            (phrases.console.step_application, phrases.console.step_application_text),
            !clients.is_empty(),
            (phrases.applications.title, "applications"),
        ),
        step(
            "step-domain",
            (phrases.console.step_domain, phrases.console.step_domain_text),
            domains.iter().any(|it| text_at(it, "/state") == "verified"),
            (phrases.domains.title, "domains"),
        ),
        step(
            "step-sso",
            (phrases.console.step_sso, phrases.console.step_sso_text),
            connections.iter().any(|it| is_true(it, "/enabled")),
            (phrases.connections.title, "connections"),
        ),
        step(
            "step-members",
            (phrases.console.step_members, phrases.console.step_members_text),
            has_other_members(context).await?,
            (phrases.console.invitations, "invitations"),
        ),
    ];
    let completed_steps = steps.iter().filter(|step| step.is_done).count();
    if completed_steps == steps.len() {
        return Ok(None);
    }
    Ok(Some(StepsBlock {
        title: phrases.console.steps.to_owned(),
        progress: format!("{completed_steps} / {}", steps.len()),
        steps,
    }))
}

/// Whether a second user is a member, or is invited: an unclaimed membership waits for them.
async fn has_other_members(context: &PageContext<'_>) -> Result<bool, HandlerError> {
    let members = read_items(context, "listMembers", MEMBERS_READ).await?;
    let people = members.iter().filter(|it| matches!(text_at(it, "/kind").as_str(), "person" | "unclaimed"));
    Ok(people.count() > 1)
}

async fn read_items(
    context: &PageContext<'_>,
    operation: &'static str,
    limit: &str,
) -> Result<Vec<Value>, HandlerError> {
    let page = context.send(context.operation(operation).query("limit", limit)).await?.body;
    Ok(items_at(&page, "/items").to_vec())
}
