//! The organizations whose relationships at an API of the instance operators can see: all that it is offered to.

use crate::console::operations::PageContent;
use crate::console::operations::list::{OperationList, load_table, search_field};
use crate::console::operations::values::{code_at, is_true, items_at, text_at};
use crate::console::page_context::PageContext;
use serde_json::Value;
use sinete_screens::console::block_page::{BlockCell, PageBlock, TableBlock, TableRow};
use sinete_server::reply::HandlerError;

pub(super) async fn list_organizations(
    work: &PageContext<'_>,
    id: &str,
) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let api = work.send(work.operation("getInstanceApi").path("api", id)).await?.body;
    let table = match is_true(&api, "/offered_to_all") {
        true => list_all(work, id).await?,
        false => list_offers(work, id).await?,
    };
    Ok(PageContent {
        title: format!("{}: {}", words.relationships.title, text_at(&api, "/name")),
        lead: words.relationships.lead.to_owned(),
        blocks: vec![PageBlock::Table(table)],
    })
}

/// The path of the relationships of an organization.
fn relationships_path(api: &str, organization: &str) -> String {
    format!("/instance/apis/{api}/organizations/{organization}/relationships")
}

/// All organizations, for an API that is offered to all.
async fn list_all(work: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let words = work.words();
    let list = OperationList {
        id: "organizations",
        call: work.operation("listOrganizations"),
        title: words.instance.organizations,
        lead: words.relationships.organizations_lead,
        empty: words.instance.offers_none,
        columns: vec![words.instance.name, words.instance.slug],
        filters: vec![search_field(work, "search", words.instance.organizations_search_hint)],
    };
    let row = |it: &Value| TableRow {
        cells: vec![
            BlockCell::link(text_at(it, "/name"), relationships_path(id, &text_at(it, "/id"))),
            code_at(it, "/slug"),
        ],
        button: None,
    };
    load_table(work, list, row).await
}

/// The organizations that an API is offered to.
async fn list_offers(work: &PageContext<'_>, id: &str) -> Result<TableBlock, HandlerError> {
    let words = work.words();
    let offers = work.send(work.operation("listApiOffers").path("api", id)).await?.body;
    let row = |it: &Value| {
        let organization = text_at(it, "/organization");
        let path = relationships_path(id, &organization);
        TableRow { cells: vec![BlockCell::link(organization, path)], button: None }
    };
    Ok(TableBlock {
        id: "organizations".to_owned(),
        title: words.instance.organizations.to_owned(),
        lead: words.relationships.organizations_lead.to_owned(),
        columns: vec![words.instance.organization.to_owned()],
        rows: items_at(&offers, "/items").iter().map(row).collect(),
        empty: words.instance.offers_none.to_owned(),
        ..TableBlock::default()
    })
}
