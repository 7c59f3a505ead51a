//! The usage of an organization.

use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use crate::console::usage_blocks::{load_usage, period_views, requested_period, usage_charts, usage_table};
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::PageBlock;
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/console/{organization}/usage",
    section: ConsoleSection::Usage,
    reads: &["getOrganizationUsage"],
    forms: &[],
    show: |work, _| Box::pin(show_usage(work)),
}];

async fn show_usage(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let period = requested_period(work);
    let usage = load_usage(work, period, "").await?;
    let blocks = match work.query.get("format") {
        Some("csv") => vec![PageBlock::Table(usage_table(&usage))],
        _ => std::iter::once(period_views(work, period, "")).chain(usage_charts(words, &usage)).collect(),
    };
    let lead = words.usage.lead_organization.to_owned();
    Ok(PageContent { title: words.usage.title.to_owned(), lead, blocks })
}
