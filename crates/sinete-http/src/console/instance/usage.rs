//! The usage of the instance, or of one of its organizations.

use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use crate::console::usage_blocks::{load_usage, period_views, requested_period, usage_charts, usage_table};
use sinete_core::id::OrganizationId;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::PageBlock;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/usage",
    section: ConsoleSection::InstanceUsage,
    reads: &["getInstanceUsage"],
    forms: &[],
    show: |context, _| Box::pin(show_usage(context)),
}];

async fn show_usage(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let period = requested_period(context);
    // An organization that is not an id is left out.
    let organization_id = context.query.get("organization").and_then(|id| id.parse::<OrganizationId>().ok());
    let organization = organization_id.map(|id| id.to_string()).unwrap_or_default();
    let usage = load_usage(context, period, &organization).await?;
    let blocks = match context.query.get("format") {
        Some("csv") => vec![PageBlock::Table(usage_table(&usage))],
        _ => {
            let views = period_views(context, period, &organization);
            std::iter::once(views).chain(usage_charts(phrases, &usage)).collect()
        }
    };
    let introduction = match organization_id {
        Some(id) => phrases.usage.of_organization(id),
        None => phrases.usage.lead.to_owned(),
    };
    Ok(PageContent { title: phrases.usage.title.to_owned(), introduction, blocks })
}
