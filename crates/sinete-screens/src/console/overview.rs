//! The overview of an organization and of the user's permissions.

use super::ConsoleLayout;
use super::block_page::StepsBlock;
use super::chart::ChartBlock;
use super::figures::FiguresBlock;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The content of the page.
#[derive(Clone, Copy, Debug)]
pub struct OverviewView<'a> {
    /// The console layout.
    pub layout: ConsoleLayout<'a>,
    /// The organization's id.
    pub id: &'a str,
    /// The user's roles in it.
    pub roles: &'a str,
    /// The steps of a new organization, until all of them are done.
    pub steps: Option<&'a StepsBlock>,
    /// The figures of the last days, for users who may see them.
    pub figures: Option<&'a FiguresBlock>,
    /// The sign-ins of the last days.
    pub chart: Option<&'a ChartBlock>,
    /// What the roles allow, as display texts.
    pub permissions: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "console/overview.html")]
struct OverviewPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'a str,
    layout: &'a ConsoleLayout<'a>,
    view: &'a OverviewView<'a>,
}

impl OverviewView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let (phrases, layout) = (frame.phrases(), &self.layout);
        render_template(&OverviewPage { frame, phrases, title: layout.organization, layout, view: self })
    }
}
