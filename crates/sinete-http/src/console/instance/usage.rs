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
    show: |work, _| Box::pin(show_usage(work)),
}];

async fn show_usage(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let period = requested_period(work);
    // An organization that is not an id is left out.
    let asked = work.query.get("organization").and_then(|id| id.parse::<OrganizationId>().ok());
    let organization = asked.map(|id| id.to_string()).unwrap_or_default();
    let usage = load_usage(work, period, &organization).await?;
    let blocks = match work.query.get("format") {
        Some("csv") => vec![PageBlock::Table(usage_table(&usage))],
        _ => {
            let views = period_views(work, period, &organization);
            std::iter::once(views).chain(usage_charts(words, &usage)).collect()
        }
    };
    let lead = match asked {
        Some(id) => words.usage.of_organization(id),
        None => words.usage.lead.to_owned(),
    };
    Ok(PageContent { title: words.usage.title.to_owned(), lead, blocks })
}
