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
    show: |context, _| Box::pin(show_usage(context)),
}];

async fn show_usage(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let period = requested_period(context);
    let usage = load_usage(context, period, "").await?;
    let blocks = match context.query.get("format") {
        Some("csv") => vec![PageBlock::Table(usage_table(&usage))],
        _ => {
            std::iter::once(period_views(context, period, "")).chain(usage_charts(phrases, &usage)).collect()
        }
    };
    let introduction = phrases.usage.lead_organization.to_owned();
    Ok(PageContent { title: phrases.usage.title.to_owned(), introduction, blocks })
}
