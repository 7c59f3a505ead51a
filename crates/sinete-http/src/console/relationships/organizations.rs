//! The organizations whose relationships at an API of the instance operators can see: all that it is offered to.

use crate::console::operations::PageContent;
use crate::console::operations::list::{OperationList, load_table, search_field};
use crate::console::operations::values::{code_at, is_true, items_at, text_at};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, PageBlock, TableBlock, TableRow};
use sinete_server::reply::HandlerError;

pub(super) async fn list_organizations(
    context: &PageContext<'_>,
    id: &str,
) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let api = context.send(context.operation("getInstanceApi").path("api", id)).await?.body;
    let table = match is_true(&api, "/offered_to_all") {
        true => list_all_organizations(context, id).await?,
        false => list_offers(context, id).await?,
    };
    Ok(PageContent {
        title: format!("{}: {}", phrases.relationships.title, text_at(&api, "/name")),
        introduction: phrases.relationships.lead.to_owned(),
        blocks: vec![PageBlock::Table(table)],
    })
}

/// The path of the relationships of an organization.
fn relationships_path(api: &str, organization: &str) -> String {
    format!("/instance/apis/{api}/organizations/{organization}/relationships")
}

/// All organizations, for an API that is offered to all.
async fn list_all_organizations(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let list = OperationList {
        id: "organizations",
        call: context.operation("listOrganizations"),
        title: phrases.instance.organizations,
        introduction: phrases.relationships.organizations_lead,
        empty: phrases.instance.offers_none,
        columns: vec![phrases.instance.name, phrases.instance.slug],
        filters: vec![search_field(context, "search", phrases.instance.organizations_search_hint)],
    };
    let row = |it: &Value| TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/name"), relationships_path(id, &text_at(it, "/id"))),
            code_at(it, "/slug"),
        ],
        button: None,
    };
    load_table(context, list, row).await
}

/// The organizations that an API is offered to.
async fn list_offers(context: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let phrases = context.phrases();
    let offers = context.send(context.operation("listApiOffers").path("api", id)).await?.body;
    let row = |it: &Value| {
        let organization = text_at(it, "/organization");
        let path = relationships_path(id, &organization);
        TableRow { cells: vec![BlockCell::link(organization, path)], button: None }
    };
    Ok(TableBlock {
        id: "organizations".to_owned(),
        title: phrases.instance.organizations.to_owned(),
        introduction: phrases.relationships.organizations_lead.to_owned(),
        columns: vec![phrases.instance.organization.to_owned()],
        rows: items_at(&offers, "/items").iter().map(row).collect(),
        empty: phrases.instance.offers_none.to_owned(),
        ..TableBlock::default()
    })
}
