//! Refused authorization requests on the console: those of an application, and one by its reference.

use super::PageContext;
use sinete_core::client_id::ClientId;
use sinete_engine::oauth::authorize::{find_refused_request, list_refused_requests};
use sinete_screens::console::block_page::{BlockCell, CellTone, TableBlock, TableRow};
use sinete_screens::display_time::DisplayTime;
use sinete_server::reply::HandlerError;

/// The refused requests of a client of the instance that this node answered, latest first.
pub(super) fn build_refused_table(context: &PageContext<'_>, client: &str) -> TableBlock {
    let phrases = context.phrases();
    let result = client.parse::<ClientId>().map(|client| list_refused_requests(context.engine(), &client));
    let rows = result.unwrap_or_default().into_iter().map(|request| {
        let count = match request.count {
            0 | 1 => BlockCell::default(),
            count => BlockCell::text(phrases.applications.refused_count(count)),
        };
        let reason = BlockCell::keyword(request.reason).append(BlockCell::english_text(request.description));
        TableRow {
            cells: vec![
                BlockCell::time(Some(DisplayTime(request.at.seconds()))).append(count),
                reason,
                BlockCell::text(request.value.unwrap_or_default()),
                BlockCell::code(request.reference),
            ],
            button: None,
        }
    });
    let columns = [
        phrases.audit_log.when,
        phrases.audit_log.reason,
        phrases.applications.refused_value,
        phrases.frame.reference,
    ];
    TableBlock {
        id: "refused".to_owned(),
        title: phrases.applications.refused.to_owned(),
        introduction: phrases.applications.refused_lead.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        empty: phrases.applications.refused_none.to_owned(),
        ..TableBlock::default()
    }
}

/// The refused request with this reference, as a row of the search. Members find requests of applications of their
/// organization, operators those of all.
pub(super) async fn find_refused_row(
    context: &PageContext<'_>,
    reference: &str,
) -> Result<Option<TableRow>, HandlerError> {
    let (is_of_instance, phrases) = (context.is_of_instance(), context.phrases());
    if !context.can_call(if is_of_instance { "getInstanceClient" } else { "getClient" }) {
        return Ok(None);
    }
    let own_organization = context.access.organization_access().organization.id;
    let organization = (!is_of_instance).then_some(own_organization);
    let Some(refused_request) = find_refused_request(context.engine(), reference, organization).await? else {
        return Ok(None);
    };
    let path = match (is_of_instance, refused_request.organization) {
        // An operator has no page of the application of an organization.
        (true, Some(organization)) => format!("/instance/organizations/{organization}"),
        (true, None) => format!("/instance/applications/{}", refused_request.client),
        (false, _) => {
            format!(
                "{}/applications/{}#refused",
                context.return_to.organization_path(),
                refused_request.client
            )
        }
    };
    let request = refused_request.request;
    let reason = format!("{}: {}", request.reason, request.value.unwrap_or(request.description));
    let client = BlockCell::tag(phrases.applications.refused, CellTone::Plain)
        .append(BlockCell::code(refused_request.client.to_string()));
    let cells = vec![BlockCell::link(reason, path), client, BlockCell::code(request.reference)];
    Ok(Some(TableRow { cells, button: None }))
}
