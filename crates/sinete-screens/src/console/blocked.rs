//! Why a user cannot use the console of one of their organizations yet.

use crate::form::PageForm;
use crate::locales::LocalePhrases;
use crate::page::{PageFrame, render_template};
use askama::Template;

/// The data of the page.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleBlockedView<'a> {
    /// The form's action and CSRF token.
    pub form: PageForm<'a>,
    /// The organization's name.
    pub organization: &'a str,
    /// The requirement.
    pub requirement: ConsoleAccessRequirement,
}

/// What the organization requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleAccessRequirement {
    /// A step-up.
    StepUp,
    /// A step-up with a credential that must be set up first.
    Enrollment,
    /// Another sign-in method.
    OtherSignInMethod,
}

#[derive(Template)]
#[template(path = "console/blocked.html")]
struct ConsoleBlockedPage<'a> {
    frame: &'a PageFrame<'a>,
    phrases: &'static LocalePhrases,
    title: &'static str,
    introduction: String,
    view: &'a ConsoleBlockedView<'a>,
}

impl ConsoleBlockedView<'_> {
    /// Renders the page.
    pub fn render(&self, frame: &PageFrame<'_>) -> String {
        let phrases = frame.phrases();
        let (title, introduction) = match self.requirement {
            ConsoleAccessRequirement::StepUp => {
                (phrases.console.prove_title, phrases.console.prove_lead(self.organization))
            }
            ConsoleAccessRequirement::Enrollment => {
                (phrases.console.prove_title, phrases.console.set_up_lead(self.organization))
            }
            ConsoleAccessRequirement::OtherSignInMethod => {
                (phrases.console.otherwise_title, phrases.console.otherwise_lead(self.organization))
            }
        };
        render_template(&ConsoleBlockedPage { frame, phrases, title, introduction, view: self })
    }

    pub(crate) fn needs_step_up(&self) -> bool {
        self.requirement == ConsoleAccessRequirement::StepUp
    }
}
