//! The steps that set an organization up, on its overview. Each step is ticked by a fact, and the list is gone when all are
//! done.

use super::PageContext;
use crate::console::operations::values::{is_true, items_at, text_at};
use serde_json::Value;
use sinete_screens::console::block_page::{BlockLink, SetupStep, StepsBlock};
use sinete_server::reply::HandlerError;

/// The most members that are read to find a second one: services are members too.
const MEMBERS_READ: &str = "50";

/// The steps for a member who may see everything they depend on; none if all are done.
pub(super) async fn load_setup_steps(work: &PageContext<'_>) -> Result<Option<StepsBlock>, HandlerError> {
    let reads = ["listClients", "listDomains", "listConnections", "listMembers"];
    let is_member = work.access.organization_access().assignment_reason.is_none();
    // Who may change nothing of this has nothing to set up.
    let may_set_up = is_member && work.may_call("createClient") && work.may_call("invite");
    if !may_set_up || !reads.iter().all(|operation| work.may_call(operation)) {
        return Ok(None);
    }
    let (words, area) = (work.words(), work.return_to.organization_path());
    let step = |id: &str, (title, text): (&str, &str), is_done: bool, (name, page): (&str, &str)| SetupStep {
        id: id.to_owned(),
        title: title.to_owned(),
        text: text.to_owned(),
        is_done,
        link: (!is_done).then(|| BlockLink { text: name.to_owned(), path: format!("{area}/{page}") }),
    };
    let clients = read_items(work, "listClients", "1").await?;
    let domains = read_items(work, "listDomains", "50").await?;
    let connections = read_items(work, "listConnections", "50").await?;
    let steps = vec![
        step(
            "step-application",
            (words.console.step_application, words.console.step_application_text),
            !clients.is_empty(),
            (words.applications.title, "applications"),
        ),
        step(
            "step-domain",
            (words.console.step_domain, words.console.step_domain_text),
            domains.iter().any(|it| text_at(it, "/state") == "verified"),
            (words.domains.title, "domains"),
        ),
        step(
            "step-sso",
            (words.console.step_sso, words.console.step_sso_text),
            connections.iter().any(|it| is_true(it, "/enabled")),
            (words.connections.title, "connections"),
        ),
        step(
            "step-members",
            (words.console.step_members, words.console.step_members_text),
            has_other_members(work).await?,
            (words.console.invitations, "invitations"),
        ),
    ];
    let done = steps.iter().filter(|step| step.is_done).count();
    if done == steps.len() {
        return Ok(None);
    }
    Ok(Some(StepsBlock {
        title: words.console.steps.to_owned(),
        progress: format!("{done} / {}", steps.len()),
        steps,
    }))
}

/// Whether a second user is a member, or is invited: an unclaimed membership waits for them.
async fn has_other_members(work: &PageContext<'_>) -> Result<bool, HandlerError> {
    let members = read_items(work, "listMembers", MEMBERS_READ).await?;
    let people = members.iter().filter(|it| matches!(text_at(it, "/kind").as_str(), "person" | "unclaimed"));
    Ok(people.count() > 1)
}

async fn read_items(
    work: &PageContext<'_>,
    operation: &'static str,
    most: &str,
) -> Result<Vec<Value>, HandlerError> {
    let found = work.send(work.operation(operation).query("limit", most)).await?.body;
    Ok(items_at(&found, "/items").to_vec())
}
