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
    show: |context, _| Box::pin(show_settings(context)),
}];

async fn show_settings(context: &PageContext<'_>) -> Result<PageContent, HandlerError> {
    let phrases = context.phrases();
    let settings = context.send(context.operation("getSettings")).await?.body;
    let facts = FactsBlock {
        id: "settings".to_owned(),
        title: phrases.instance.settings_running.to_owned(),
        facts: vec![
            (phrases.instance.issuer.to_owned(), code_at(&settings, "/issuer")),
            (phrases.instance.mode.to_owned(), cell_at(&settings, "/mode")),
            (phrases.instance.version.to_owned(), cell_at(&settings, "/version")),
            (phrases.instance.sign_up.to_owned(), cell_at(&settings, "/sign_up")),
            (phrases.instance.screens.to_owned(), cell_at(&settings, "/screens")),
            (phrases.instance.interaction_url.to_owned(), cell_at(&settings, "/interaction_url")),
            (phrases.instance.passkeys_for.to_owned(), cell_at(&settings, "/passkeys_for")),
            (phrases.instance.instance_id.to_owned(), code_at(&settings, "/instance")),
        ],
        links: vec![BlockLink {
            text: phrases.branding.attempt.to_owned(),
            path: "/instance/branding".to_owned(),
        }],
    };
    Ok(PageContent {
        title: phrases.settings.title.to_owned(),
        introduction: phrases.instance.settings_lead.to_owned(),
        blocks: vec![PageBlock::Facts(facts)],
    })
}
