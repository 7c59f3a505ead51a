//! Why somebody cannot begin to work in an organization of theirs yet.

use crate::form::PageForm;
use crate::locales::{LocalePhrases, with_value};
use crate::page::{PageFrame, render_template};
use askama::Template;

/// What the page says.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleBlockedView<'a> {
    /// Where the form goes.
    pub form: PageForm<'a>,
    /// The organization's name.
    pub organization: &'a str,
    /// What it takes.
    pub takes: ConsoleAccessRequirement,
}

/// What it takes to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleAccessRequirement {
    /// A stronger proof.
    StepUp,
    /// A stronger proof, for which something has to be set up first.
    Enrollment,
    /// Another way of signing in.
    OtherSignInMethod,
}

#[derive(Template)]
#[template(path = "console/stopped.html")]
struct ConsoleBlockedPage<'a> {
    frame: &'a PageFrame<'a>,
    words: &'static LocalePhrases,
    title: &'static str,
    lead: String,
    view: &'a ConsoleBlockedView<'a>,
}

impl ConsoleBlockedView<'_> {
    /// The page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let words = frame.words();
        let (title, lead) = match self.takes {
            ConsoleAccessRequirement::StepUp => (words.console.prove_title, words.console.prove_lead),
            ConsoleAccessRequirement::Enrollment => (words.console.prove_title, words.console.set_up_lead),
            ConsoleAccessRequirement::OtherSignInMethod => {
                (words.console.otherwise_title, words.console.otherwise_lead)
            }
        };
        render_template(&ConsoleBlockedPage {
            frame,
            words,
            title,
            lead: with_value(lead, self.organization),
            view: self,
        })
    }

    pub(crate) fn needs_step_up(&self) -> bool {
        self.takes == ConsoleAccessRequirement::StepUp
    }
}
