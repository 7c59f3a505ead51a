//! The settings of the instance. They are in the configuration and are only shown here.

use crate::console::operations::values::{cell_at, code_at};
use crate::console::operations::{OperationPage, PageContent};
use crate::console::page_context::PageContext;
use sinete_screens::console::ConsoleSection;
use sinete_screens::console::block_page::{BlockLink, FactsBlock, PageBlock};
use sinete_server::reply::HandlerError;

pub(super) const PAGES: &[OperationPage] = &[OperationPage {
    path: "/instance/settings",
    section: ConsoleSection::InstanceSettings,
    reads: &["getSettings"],
    forms: &[],
    show: |work, _| Box::pin(show_settings(work)),
}];

async fn show_settings(work: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let words = work.words();
    let settings = work.send(work.operation("getSettings")).await?.body;
    let facts = FactsBlock {
        id: "settings".to_owned(),
        title: words.instance.settings_running.to_owned(),
        facts: vec![
            (words.instance.issuer.to_owned(), code_at(&settings, "/issuer")),
            (words.instance.mode.to_owned(), cell_at(&settings, "/mode")),
            (words.instance.version.to_owned(), cell_at(&settings, "/version")),
            (words.instance.sign_up.to_owned(), cell_at(&settings, "/sign_up")),
            (words.instance.screens.to_owned(), cell_at(&settings, "/screens")),
            (words.instance.interaction_url.to_owned(), cell_at(&settings, "/interaction_url")),
            (words.instance.passkeys_for.to_owned(), cell_at(&settings, "/passkeys_for")),
            (words.instance.instance_id.to_owned(), code_at(&settings, "/instance")),
        ],
        links: vec![BlockLink {
            text: words.branding.attempt.to_owned(),
            path: "/instance/branding".to_owned(),
        }],
    };
    Ok(PageContent {
        title: words.settings.title.to_owned(),
        lead: words.instance.settings_lead.to_owned(),
        blocks: vec![PageBlock::Facts(facts)],
    })
}
